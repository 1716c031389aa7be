//! The dossier of a round: everything that happened to it, in order.

use super::{
    answer::{csv, json, local, text},
    extract::{Caller, Path},
    past_draws::labels,
    problem::Problem,
    rounds::{block_start, find},
    state::AppState,
};
use crate::{
    domain::{
        bracket::{Bracket, NotAfter, NotBefore, Proven},
        derivation::Hash32,
        dossier::sentence,
        fault::Fault,
        ids::{RoundNumber, Slug},
        role::Role,
        schedule,
    },
    ledger::{Ledger, Proof},
    store::{Leaf, Tournament, Tx},
};
use askama::Template;
use axum::{extract::State, response::Response};
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use utoipa::ToSchema;

/// One event of a round.
#[derive(Serialize, ToSchema)]
pub struct HistoryLine {
    /// Index in the log.
    entry: u64,
    leaf_hash: String,
    /// `committed`: on this server's disk; `signed`: in a checkpoint of the log, with a receipt; `cosigned`: a witness has it too.
    #[schema(value_type = String)]
    proof: Proof,
    kind: String,
    #[schema(value_type = String)]
    at: Timestamp,
    at_local: String,
    /// Which times of the entry are proven.
    bracket: Bracket,
    /// The bound from below in the hall's zone, null where there is none.
    not_before_local: Option<String>,
    /// The bound from above in the hall's zone, null where there is none.
    not_after_local: Option<String>,
    /// Token id, or `server`.
    by: String,
    /// Whose token it is, for auditors and arbiters.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_label: Option<String>,
    what: String,
    /// Arbiters' notes about this entry, for auditors and arbiters; salt and text give the hash of the note's entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
    /// The entry itself.
    #[schema(value_type = Object)]
    record: Value,
}

/// A note kept off the log.
#[derive(Serialize, ToSchema)]
pub struct Note {
    salt: String,
    text: String,
}

/// The dossier of a round.
#[derive(Serialize, ToSchema)]
pub struct History {
    #[schema(value_type = String)]
    tournament: Slug,
    #[schema(value_type = u16)]
    round: RoundNumber,
    /// In the order of the log.
    events: Vec<HistoryLine>,
}

/// Everything that happened to a round, in order.
#[utoipa::path(get, path = "/tournaments/{t}/rounds/{r}/history", tag = "audit",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security((), ("token" = [])),
    responses((status = 200, body = History, description = "auditors and arbiters also see labels and notes"),
              (status = 404, description = "tournament-unknown, round-unknown")))]
pub async fn show_history(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
) -> Result<Response, Problem> {
    let (tournament, lines) = lines(&state, &caller, &t, round).await?;
    Ok(json(&History { tournament: tournament.slug, round, events: lines }))
}

const COLUMNS: [&str; 15] = [
    "entry",
    "at",
    "at_local",
    "by",
    "kind",
    "what",
    "notes",
    "leaf_hash",
    "proof",
    "not_before",
    "not_before_local",
    "not_after",
    "not_after_local",
    "proven",
    "remark",
];

/// Everything that happened to a round, as CSV.
#[utoipa::path(get, path = "/tournaments/{t}/rounds/{r}/history.csv", tag = "audit",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security((), ("token" = [])),
    responses((status = 200, body = String, content_type = "text/csv", description = "one line an event")))]
pub async fn show_history_csv(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
) -> Result<Response, Problem> {
    let (_, lines) = lines(&state, &caller, &t, round).await?;
    let cells = |line: HistoryLine| {
        let notes: Vec<_> = line.notes.into_iter().map(|note| note.text).collect();
        let by = line.by_label.unwrap_or(line.by);
        vec![
            line.entry.to_string(),
            line.at.to_string(),
            line.at_local,
            by,
            line.kind,
            line.what,
            notes.join(" / "),
            line.leaf_hash,
            line.proof.to_string(),
            line.bracket.not_before.map(|bound| bound.at.to_string()).unwrap_or_default(),
            line.not_before_local.unwrap_or_default(),
            line.bracket.not_after.map(|bound| bound.at.to_string()).unwrap_or_default(),
            line.not_after_local.unwrap_or_default(),
            line.bracket.proven.as_str().to_owned(),
            line.bracket.remark.unwrap_or_default(),
        ]
    };
    Ok(csv(&COLUMNS, lines.into_iter().map(cells)))
}

#[derive(Template)]
#[template(path = "history.html")]
struct Dossier<'a> {
    tournament: &'a str,
    slug: &'a str,
    rehearsal: bool,
    round: RoundNumber,
    origin: &'a str,
    checkpoint: Option<String>,
    lines: Vec<HistoryLine>,
}

/// Everything that happened to a round, as a page to be printed for an appeals committee.
#[utoipa::path(get, path = "/tournaments/{t}/rounds/{r}/history.html", tag = "audit",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security((), ("token" = [])),
    responses((status = 200, body = String, content_type = "text/html", description = "one row an event, with log index and receipt")))]
pub async fn show_history_html(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
) -> Result<Response, Problem> {
    let (tournament, lines) = lines(&state, &caller, &t, round).await?;
    let dossier = Dossier {
        tournament: &tournament.name,
        slug: tournament.slug.as_str(),
        rehearsal: tournament.policy.rehearsal,
        round,
        origin: &state.desk.origin,
        checkpoint: state.desk.ledger.short(),
        lines,
    };
    let page = dossier.render().map_err(|why| Fault::internal(why.to_string()))?;
    Ok(text("text/html; charset=utf-8", page))
}

async fn lines(
    state: &AppState,
    caller: &Caller,
    t: &str,
    round: RoundNumber,
) -> Result<(Tournament, Vec<HistoryLine>), Fault> {
    let mut tx = state.desk.store.read().await?;
    let (tournament, row) = find(state, &mut tx, t, round).await?;
    let first = block_start(row.number, tournament.policy.rounds_per_draw)?;
    let leaves = tx.leaves_of_round(tournament.id, [row.number, first]).await?;
    let zone = schedule::zone(&tournament.time_zone, "/time_zone")?;
    let insider = caller.0.as_ref().filter(|actor| {
        actor.tournament == Some(tournament.id) && matches!(actor.role, Role::Auditor | Role::Arbiter | Role::Deputy)
    });
    let labels = labels(&mut tx, insider).await?;
    let mut notes = if insider.is_some() { notes(&mut tx, &leaves).await? } else { HashMap::new() };
    let ledger = &state.desk.ledger;
    let line =
        |leaf: &Leaf| HistoryLine::new(leaf, ledger, &zone, &labels, notes.remove(&leaf.idx).unwrap_or_default());
    let lines: Result<Vec<_>, _> = leaves.iter().filter(|leaf| relevant(leaf, &leaves)).map(line).collect();
    Ok((tournament, lines?))
}

/// Entries of the tournament without a round belong to every round's story; its notes only with what they are about.
fn relevant(leaf: &Leaf, shown: &[Leaf]) -> bool {
    let record: Value = serde_json::from_slice(&leaf.entry).unwrap_or_default();
    match record["about"].as_u64() {
        None => true,
        Some(about) => shown.iter().any(|other| other.idx == about),
    }
}

async fn notes(tx: &mut Tx, leaves: &[Leaf]) -> Result<HashMap<u64, Vec<Note>>, Fault> {
    let (Some(first), Some(last)) = (leaves.first(), leaves.last()) else { return Ok(HashMap::new()) };
    let mut by_entry: HashMap<u64, Vec<Note>> = HashMap::new();
    for (about, salt, text) in tx.notes(first.idx, last.idx).await? {
        by_entry.entry(about).or_default().push(Note { salt, text });
    }
    Ok(by_entry)
}

impl HistoryLine {
    /// The bound from below, in the hall's zone and in UTC.
    fn not_before(&self) -> Option<(&str, &NotBefore)> {
        self.not_before_local.as_deref().zip(self.bracket.not_before.as_ref())
    }

    /// The bound from above, unless its clock is shown to be wrong.
    fn not_after(&self) -> Option<(&str, &NotAfter)> {
        let holds = matches!(self.bracket.proven, Proven::NotAfter | Proven::Both);
        self.not_after_local.as_deref().zip(self.bracket.not_after.as_ref()).filter(|_| holds)
    }

    /// Whether there is a receipt to link to.
    fn is_signed(&self) -> bool {
        self.proof != Proof::Committed
    }

    fn new(
        leaf: &Leaf,
        ledger: &Ledger,
        zone: &TimeZone,
        labels: &HashMap<String, String>,
        notes: Vec<Note>,
    ) -> Result<Self, Fault> {
        let record: Value = serde_json::from_slice(&leaf.entry).map_err(|why| Fault::internal(why.to_string()))?;
        let at = Timestamp::from_second(record["at"].as_i64().unwrap_or(0));
        let at = at.map_err(|why| Fault::internal(why.to_string()))?;
        let by = record["by"].as_str().unwrap_or_default().to_owned();
        let bracket = ledger.bracket(leaf.idx, at);
        Ok(Self {
            entry: leaf.idx,
            leaf_hash: Hash32::from_bytes(leaf.leaf_hash).to_string(),
            proof: ledger.proof(leaf.idx),
            kind: record["t"].as_str().unwrap_or_default().to_owned(),
            at,
            at_local: local(at, zone),
            not_before_local: bracket.not_before.as_ref().map(|bound| local(bound.at, zone)),
            not_after_local: bracket.not_after.as_ref().map(|bound| local(bound.at, zone)),
            bracket,
            by_label: labels.get(&by).cloned(),
            by,
            what: sentence(&record),
            notes,
            record,
        })
    }
}
