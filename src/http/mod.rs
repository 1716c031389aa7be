//! The only axum: from request to typed values, one question to desk, bulletin or store, and an answer.

pub mod caching;
pub mod extract;
pub mod problem;
pub mod state;

pub use state::AppState;

use axum::Router;

/// Everything the server answers.
pub fn router(state: AppState) -> Router {
    Router::new().with_state(state)
}
