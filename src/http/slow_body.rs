//! A body must arrive: fifteen seconds, and a second more for every 64 KiB that came.

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::Request,
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
pub fn deadline(request: Request) -> Request {
    request.map(|body| if body.is_end_stream() { body } else { Body::new(Timed::new(body, PATIENCE)) })
}

struct Timed {
    body: Body,
    deadline: Pin<Box<Sleep>>,
}

impl Timed {
    fn new(body: Body, patience: Duration) -> Self {
        Self { body, deadline: Box::pin(tokio::time::sleep(patience)) }
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

    const EVERY: Duration = Duration::from_millis(30);

    /// So many frames of this size, one after every pause.
    struct Trickle {
        frames: usize,
        size: usize,
        pause: Pin<Box<Sleep>>,
    }

    impl HttpBody for Trickle {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            if self.frames == 0 {
                return Poll::Ready(None);
            }
            std::task::ready!(self.pause.as_mut().poll(cx));
            self.pause.as_mut().reset(Instant::now() + EVERY);
            self.frames -= 1;
            Poll::Ready(Some(Ok(Frame::data(vec![b'x'; self.size].into()))))
        }
    }

    async fn read(frames: usize, size: usize) -> Result<Bytes, axum::Error> {
        let body = Trickle { frames, size, pause: Box::pin(tokio::time::sleep(EVERY)) };
        to_bytes(Body::new(Timed::new(Body::new(body), 5 * EVERY)), usize::MAX).await
    }

    #[tokio::test]
    async fn a_trickle_is_cut_and_a_slow_upload_is_not() {
        assert!(TooSlow::caused(&read(20, 1).await.unwrap_err()));
        let (frames, size) = (15, 8 << 10);
        assert_eq!(read(frames, size).await.unwrap().len(), frames * size);
    }
}
