//! The order of the middlewares, decided once.

use super::{harden, slow_body, state::AppState, trace};
use axum::{
    Router,
    extract::{Request, State},
    http::Method,
    middleware::{self, Next},
    response::Response,
};
use tower_http::catch_panic::CatchPanicLayer;

/// Puts every route of `router` inside the middlewares, the outermost last. To be called when all routes are there.
pub fn around(router: Router<AppState>, state: &AppState) -> Router<AppState> {
    router
        .layer(CatchPanicLayer::custom(harden::panicked))
        .layer(middleware::from_fn_with_state(trace::Trace::new(state), every_request))
}

/// One middleware for all that is done around a request: each further one would copy those inside it every time.
///
/// Outermost is what carries a write through, so that a write whose client left is also written down.
async fn every_request(State(trace): State<trace::Trace>, request: Request, next: Next) -> Response {
    let reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let inside = move |request| harden::headers(reading, next.run(slow_body::deadline(request)));
    harden::unbroken(reading, trace::request(trace, request, inside)).await
}
