//! The log over HTTP: entries by range, as they were first written.

use super::{answer::json, extract::Query, problem::Problem, state::AppState};
use crate::domain::{derivation::Hash32, fault::Fault};
use axum::{extract::State, response::Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

/// An entry with its exact bytes as a string, and its leaf hash: SHA-256 of a zero byte and the bytes.
#[derive(Serialize, ToSchema)]
pub struct LeafView {
    index: u64,
    leaf_hash: String,
    entry: String,
}

/// Which entries.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EntriesQuery {
    /// Index of the first, from 0.
    from: Option<u64>,
    /// 1 to 1000, 100 by default.
    limit: Option<u32>,
}

/// Entries of the log in order.
#[utoipa::path(get, path = "/log/entries", tag = "log", params(EntriesQuery),
    responses((status = 200, description = "{origin, size, entries}")))]
pub async fn list_entries(
    State(state): State<AppState>,
    Query(query): Query<EntriesQuery>,
) -> Result<Response, Problem> {
    let limit = query.limit.unwrap_or(100);
    if !(1..=1000).contains(&limit) {
        return Err(Fault::field("limit", "1 to 1000").into());
    }
    let mut tx = state.desk.store.read().await?;
    let size = tx.log_size().await?;
    let leaves = tx.leaves(query.from.unwrap_or(0), limit).await?;
    let entries: Vec<_> = leaves
        .into_iter()
        .map(|leaf| LeafView {
            index: leaf.idx,
            leaf_hash: Hash32::from_bytes(leaf.leaf_hash).to_string(),
            entry: String::from_utf8_lossy(&leaf.entry).into_owned(),
        })
        .collect();
    Ok(json(&json!({"origin": state.desk.origin, "size": size, "entries": entries})))
}
