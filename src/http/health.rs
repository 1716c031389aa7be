//! Whether the server lives, whether it can do its work, and its figures: for the operator's tools.

use super::{caching::fresh, problem::Problem, state::AppState};
use crate::domain::fault::{Code, Fault};
use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use std::time::Duration;

/// A writer that waits longer for its turn than this would keep an arbiter waiting too.
const PATIENCE: Duration = Duration::from_secs(2);

/// `GET /livez`: the process answers.
pub async fn livez() -> Response {
    fresh("alive\n")
}

/// `GET /readyz`: the database can be read, a writing transaction can begin, and the log may grow; it changes nothing.
pub async fn readyz(State(state): State<AppState>) -> Result<Response, Problem> {
    let late = |_| Fault::new(Code::Unavailable, "the database does not answer in time");
    tokio::time::timeout(PATIENCE, can_work(&state)).await.map_err(late)??;
    Ok(fresh("ready\n"))
}

async fn can_work(state: &AppState) -> Result<(), Fault> {
    state.desk.store.read().await?.server().await?;
    drop(state.desk.store.write().await?);
    state.desk.ledger.writable()
}

/// `GET /metrics`: Prometheus' text format.
pub async fn metrics(State(state): State<AppState>) -> Response {
    fresh(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], (state.metrics)())).into_response()
}
