//! What is done around every request, put together once.

use super::{
    harden, slow_body,
    state::AppState,
    trace::{self, Trace},
};
use axum::{Router, extract::Request, response::Response};
use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower::{Service, layer::layer_fn};

/// Puts every route of `router` inside. To be called when all routes are there.
pub fn around(router: Router<AppState>, state: &AppState) -> Router<AppState> {
    let trace = Arc::new(Trace::new(state));
    router.layer(layer_fn(move |inner| Around { trace: Arc::new(trace.of_route()), inner }))
}

/// A route and all that is done around it. One service, because each further one would copy and box those inside it for every
/// request, and a middleware made from a function does so twice.
#[derive(Clone)]
struct Around<S> {
    trace: Arc<Trace>,
    inner: S,
}

impl<S> Service<Request> for Around<S>
where
    S: Service<Request, Response = Response, Error = Infallible, Future: Send + 'static>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    /// Outermost is what carries a write through, so that a write whose client left is also written down.
    fn call(&mut self, request: Request) -> Self::Future {
        let asked = self.trace.asked(&request);
        let reading = asked.reading();
        // In a box, because each function around a future would hold it twice, and twice that.
        let answer = harden::caught(Box::pin(self.inner.call(slow_body::deadline(request))));
        let answer = trace::request(Arc::clone(&self.trace), asked, harden::headers(reading, answer));
        Box::pin(async move { Ok(harden::unbroken(reading, answer).await) })
    }
}
