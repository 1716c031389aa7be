//! A body must arrive: fifteen seconds, and a second more for every 64 KiB that came.

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::Request,
    middleware::Next,
    response::Response,
};
use hyper::body::{Frame, SizeHint};
use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, Sleep};

const PATIENCE: Duration = Duration::from_secs(15);
/// Slower than half a megabit a second is no upload of a round's games.
const BYTES_PER_SECOND: u32 = 64 << 10;

/// The body did not arrive in time.
#[derive(Debug)]
pub struct TooSlow;

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body did not arrive in time")
    }
}

impl std::error::Error for TooSlow {}

impl TooSlow {
    /// Whether this is why a body could not be read.
    pub fn caused(error: &(dyn std::error::Error + 'static)) -> bool {
        error.is::<Self>() || error.source().is_some_and(Self::caused)
    }
}

/// Gives every body its deadline.
pub async fn deadline(request: Request, next: Next) -> Response {
    next.run(request.map(|body| if body.is_end_stream() { body } else { Body::new(Timed::new(body)) })).await
}

struct Timed {
    body: Body,
    deadline: Pin<Box<Sleep>>,
}

impl Timed {
    fn new(body: Body) -> Self {
        Self { body, deadline: Box::pin(tokio::time::sleep(PATIENCE)) }
    }

    fn extend(&mut self, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let until: Instant = self.deadline.deadline() + Duration::from_secs(1) * bytes / BYTES_PER_SECOND;
        self.deadline.as_mut().reset(until);
    }
}

impl HttpBody for Timed {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                self.extend(frame.data_ref().map_or(0, Bytes::len));
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(end) => Poll::Ready(end.map(|result| result.map_err(Into::into))),
            Poll::Pending => self.deadline.as_mut().poll(cx).map(|()| Some(Err(TooSlow.into()))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use std::convert::Infallible;

    /// One frame every so often.
    struct Trickle(u32, Pin<Box<Sleep>>, Duration, usize);

    impl HttpBody for Trickle {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            if self.0 == 0 {
                return Poll::Ready(None);
            }
            std::task::ready!(self.1.as_mut().poll(cx));
            let (next, bytes) = (Instant::now() + self.2, vec![b'x'; self.3]);
            self.1.as_mut().reset(next);
            self.0 -= 1;
            Poll::Ready(Some(Ok(Frame::data(bytes.into()))))
        }
    }

    async fn read(frames: u32, every: Duration, size: usize) -> Result<Bytes, axum::Error> {
        let body = Trickle(frames, Box::pin(tokio::time::sleep(every)), every, size);
        to_bytes(Body::new(Timed::new(Body::new(body))), usize::MAX).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickle_is_cut_and_a_slow_upload_is_not() {
        let cut = read(100, Duration::from_secs(4), 1).await.unwrap_err();
        assert!(TooSlow::caused(&cut));
        let read = read(100, Duration::from_secs(1), 128 << 10).await.unwrap();
        assert_eq!(read.len(), 100 * (128 << 10));
    }
}
