//! The log over HTTP: entries as they were first written, the signed checkpoint over them, and proofs.

use super::{
    answer::{json, text},
    extract::{Path, Query},
    problem::Problem,
    state::AppState,
};
use crate::{
    domain::{
        derivation::Hash32,
        fault::{Code, Fault},
        log::base64,
        verify::{BUNDLE_FORMAT, Bundle},
    },
    ledger::WitnessStatus,
    store::Tx,
};
use axum::{extract::State, response::Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An entry with its exact bytes as a string, and its leaf hash: SHA-256 of a zero byte and the bytes.
#[derive(Serialize, ToSchema)]
pub struct LeafView {
    index: u64,
    leaf_hash: String,
    entry: String,
}

/// Entries of the log.
#[derive(Serialize, ToSchema)]
pub struct LogPage {
    /// Name of the log.
    origin: String,
    /// How many entries there are in all.
    size: u64,
    entries: Vec<LeafView>,
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
    responses((status = 200, body = LogPage, description = "in order")))]
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
    Ok(json(&LogPage { origin: state.desk.origin.clone(), size, entries }))
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// The newest checkpoint: a C2SP signed note over size and root of the log.
#[utoipa::path(get, path = "/log/checkpoint", tag = "log",
    responses((status = 200, body = String, content_type = "text/plain", description = "c2sp.org/tlog-checkpoint"), (status = 503, description = "server-read-only")))]
pub async fn show_checkpoint(State(state): State<AppState>) -> Result<Response, Problem> {
    let (_, note) = state.desk.ledger.published()?;
    Ok(text(PLAIN, note.to_string()))
}

/// The key that checkpoints are verified with: print it in the regulations.
#[utoipa::path(get, path = "/log/vkey", tag = "log", responses((status = 200, body = String, content_type = "text/plain", description = "<name>+<id>+<base64>")))]
pub async fn show_vkey(State(state): State<AppState>) -> Response {
    text(PLAIN, state.desk.ledger.vkey() + "\n")
}

/// Shows offline that an entry is in the signed log.
#[utoipa::path(get, path = "/log/receipt/{i}", tag = "log", params(("i" = u64, Path, description = "index of the entry")),
    responses((status = 200, body = String, content_type = "text/plain", description = "c2sp.org/tlog-proof"), (status = 404, description = "entry-unknown"),
              (status = 503, description = "server-read-only")))]
pub async fn show_receipt(State(state): State<AppState>, Path(index): Path<u64>) -> Result<Response, Problem> {
    let (newest, _) = state.desk.ledger.published()?;
    let receipt = state.desk.ledger.receipt(index).ok_or_else(|| entry_unknown(index, newest.size))?;
    Ok(text(PLAIN, receipt))
}

fn entry_unknown(index: u64, size: u64) -> Fault {
    Fault::new(Code::EntryUnknown, format!("there is no entry {index} in the signed log of {size} entries"))
}

/// A proof that the longer log begins with the shorter.
#[derive(Serialize, ToSchema)]
pub struct Consistency {
    from: u64,
    to: u64,
    /// Hashes in base64.
    proof: Vec<String>,
}

/// Which two sizes of the log.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ConsistencyQuery {
    /// Entries of the older checkpoint.
    from: u64,
    /// Entries of the newer one; by default the newest.
    to: Option<u64>,
}

/// Shows that the log of `to` entries begins with the log of `from` entries.
#[utoipa::path(get, path = "/log/consistency", tag = "log", params(ConsistencyQuery),
    responses((status = 200, body = Consistency, description = "a proof of RFC 6962"), (status = 404, description = "entry-unknown"),
              (status = 503, description = "server-read-only")))]
pub async fn show_consistency(
    State(state): State<AppState>,
    Query(query): Query<ConsistencyQuery>,
) -> Result<Response, Problem> {
    let (newest, _) = state.desk.ledger.published()?;
    let to = query.to.unwrap_or(newest.size);
    if query.from > to {
        return Err(Fault::field("from", "the older log is not longer than the newer").into());
    }
    let proof = state.desk.ledger.consistency(query.from, to).ok_or_else(|| entry_unknown(to, newest.size))?;
    let proof: Vec<_> = proof.iter().map(base64).collect();
    Ok(json(&Consistency { from: query.from, to, proof }))
}

/// Witnesses of the log.
#[derive(Serialize, ToSchema)]
pub struct WitnessList {
    witnesses: Vec<WitnessStatus>,
}

/// The witnesses that are asked to cosign the log, and how far behind they are.
#[utoipa::path(get, path = "/log/witnesses", tag = "log",
    responses((status = 200, body = WitnessList, description = "those of the settings")))]
pub async fn list_witnesses(State(state): State<AppState>) -> Response {
    json(&WitnessList { witnesses: state.desk.ledger.witnesses() })
}

/// Everything that an offline verifier needs: the whole log, its checkpoint and its key.
#[utoipa::path(get, path = "/tournaments/{t}/bundle", tag = "log", params(("t" = String, Path, description = "id or slug")),
    responses((status = 200, body = Bundle, description = "draw960-bundle/v1, for draw960 verify"), (status = 503, description = "server-read-only")))]
pub async fn show_bundle(State(state): State<AppState>, Path(t): Path<String>) -> Result<Response, Problem> {
    // First the checkpoint, then the snapshot: what is published was committed before, so the snapshot has it all.
    let (newest, note) = state.desk.ledger.published()?;
    let mut tx = state.desk.store.read().await?;
    let tournament = state.desk.tournament(&mut tx, &t).await?;
    Ok(json(&Bundle {
        format: BUNDLE_FORMAT.into(),
        tournament: tournament.slug.to_string(),
        origin: tournament.origin,
        log_key: state.desk.ledger.vkey(),
        checkpoint: note.to_string(),
        checkpoints: state.desk.ledger.cosigned_checkpoints(),
        successions: state.desk.ledger.successions().to_vec(),
        entries: all_entries(&mut tx, newest.size).await?,
    }))
}

/// The first `size` entries as text.
async fn all_entries(tx: &mut Tx, size: u64) -> Result<Vec<String>, Fault> {
    let mut entries = Vec::new();
    while (entries.len() as u64) < size {
        let leaves = tx.leaves(entries.len() as u64, 1000).await?;
        if leaves.is_empty() {
            return Err(Fault::internal(format!("entry {} of the signed log is gone", entries.len())));
        }
        let wanted = usize::try_from(size).unwrap_or(usize::MAX) - entries.len();
        for leaf in leaves.into_iter().take(wanted) {
            entries.push(String::from_utf8(leaf.entry).map_err(|why| Fault::internal(why.to_string()))?);
        }
    }
    Ok(entries)
}
