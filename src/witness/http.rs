//! The witness over HTTP: one path that counts, and one that says its key.

use super::{Refusal, Witness};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use std::sync::Arc;

/// A checkpoint with its proof is much shorter.
const MOST_BYTES: usize = 64 << 10;

/// Everything the witness answers.
pub fn router(witness: Arc<Witness>) -> Router {
    Router::new().route("/add-checkpoint", post(add_checkpoint)).route("/vkey", get(vkey)).with_state(witness)
}

async fn vkey(State(witness): State<Arc<Witness>>) -> String {
    witness.vkey() + "\n"
}

async fn add_checkpoint(State(witness): State<Arc<Witness>>, body: Body) -> Response {
    let Ok(body) = to_bytes(body, MOST_BYTES).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "too long\n").into_response();
    };
    let Ok(text) = String::from_utf8(body.to_vec()) else {
        return (StatusCode::BAD_REQUEST, "not text\n").into_response();
    };
    // It waits for the disk.
    match tokio::task::spawn_blocking(move || witness.add_checkpoint(&text)).await {
        Ok(Ok(line)) => format!("{line}\n").into_response(),
        Ok(Err(refusal)) => refused(refusal),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// As the protocol has it; a log that was rewritten is also told to whoever runs the witness.
fn refused(refusal: Refusal) -> Response {
    tracing::warn!(?refusal, "not cosigned");
    match refusal {
        Refusal::Malformed(why) => (StatusCode::BAD_REQUEST, why + "\n").into_response(),
        Refusal::UnknownLog => (StatusCode::NOT_FOUND, "not a log of this witness\n").into_response(),
        Refusal::NotSigned => (StatusCode::FORBIDDEN, "not signed by the log's key\n").into_response(),
        Refusal::Conflict(size) => {
            let kind = [(header::CONTENT_TYPE, "text/x.tlog.size")];
            (StatusCode::CONFLICT, kind, format!("{size}\n")).into_response()
        }
        Refusal::Inconsistent => {
            (StatusCode::UNPROCESSABLE_ENTITY, "the log does not begin with what was cosigned\n").into_response()
        }
        Refusal::Disk(_) => (StatusCode::INTERNAL_SERVER_ERROR, "the witness cannot keep it\n").into_response(),
    }
}
