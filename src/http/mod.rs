//! The only axum: from request to typed values, one question to desk, bulletin or store, and an answer.

pub mod caching;
pub mod extract;
pub mod harden;
pub mod health;
pub mod layers;
pub mod problem;
pub mod slow_body;
pub mod state;
pub mod trace;

pub use state::AppState;

use axum::{Router, routing::get};

/// Everything the server answers.
pub fn router(state: AppState) -> Router {
    let routes = Router::new()
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics));
    layers::around(routes, &state).with_state(state)
}
