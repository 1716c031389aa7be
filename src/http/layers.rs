//! The order of the middlewares, decided once.

use super::{harden, slow_body, state::AppState, trace};
use axum::{Router, middleware};
use tower_http::catch_panic::CatchPanicLayer;

/// Puts every route of `router` inside the middlewares, the outermost last. To be called when all routes are there.
pub fn around(router: Router<AppState>, state: &AppState) -> Router<AppState> {
    router
        .layer(middleware::from_fn(slow_body::deadline))
        .layer(CatchPanicLayer::custom(harden::panicked))
        .layer(middleware::from_fn(harden::headers))
        .layer(middleware::from_fn_with_state(trace::Trace::new(state), trace::request))
        // Outermost, so that a write whose client left is also written down.
        .layer(middleware::from_fn(harden::unbroken))
}
