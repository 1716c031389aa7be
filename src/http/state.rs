//! What every handler can reach.

use crate::desk::Desk;
use std::sync::Arc;

/// Shared state of the handlers.
#[derive(Clone)]
pub struct AppState {
    /// The arbiter's desk.
    pub desk: Arc<Desk>,
    /// Renders the metrics.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
}
