//! Draws: ordering, voiding, and the record of each attempt with all its evidence.

use super::{
    answer::{csv, json, json_with, text, whole},
    extract::{Caller, Path, Payload, Query},
    problem::Problem,
    state::AppState,
};
use crate::{
    desk::{Actor, OrderRequest, VoidRequest},
    domain::{
        derivation::{EntropyLine, Hash32, Repeats, Source},
        draw::{Draw, DrawState, Grade, VoidReason},
        evidence::Evidence,
        fault::{Code, Fault},
        ids::{DrawId, RoundNumber, TokenId, TournamentId},
        number_set::NumberSet,
        position_number::PositionNumber,
        role::Role,
        start_position::StartPosition,
    },
    ledger::Ledger,
    store::{DrawFilter, Tournament, Tx},
};
use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, Uri, header},
    response::Response,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{HashMap, hash_map::Entry};
use utoipa::ToSchema;

/// One attempt: what became of it.
#[derive(Serialize, ToSchema)]
pub struct DrawView {
    #[schema(value_type = String)]
    id: DrawId,
    round: u16,
    board: u16,
    attempt: u16,
    /// First round of a block that this attempt serves.
    serves_from: u16,
    state: DrawState,
    grade: Grade,
    #[schema(value_type = Vec<String>)]
    sources: Vec<Source>,
    #[schema(value_type = Vec<u16>)]
    excluded: NumberSet,
    #[schema(value_type = String)]
    repeats: Repeats,
    commitment: String,
    /// Whether a checkpoint held elsewhere has the order and is older than its entropy; else the draw is unwitnessed.
    witnessed: bool,
    #[schema(value_type = String)]
    ordered_at: Timestamp,
    ordered_by: String,
    /// Log index of the order.
    entry: u64,
    /// Since when somebody could know the outcome, namely the holder of the master: with local entropy from the creation
    /// of the tournament on, with dice from the throw on, with a beacon from its time on; null while the throw is to come.
    #[schema(value_type = Option<String>)]
    knowable_since: Option<Timestamp>,
    /// What the draw waited for is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    arrived: Option<ArrivedView>,
    /// Made by hand at this time, and recorded afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    performed_at: Option<Timestamp>,
    /// By how many minutes it was recorded afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_minutes_later: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<ReleaseView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    void: Option<VoidView>,
}

/// That the entropy of a draw is there.
#[derive(Serialize, ToSchema)]
pub struct ArrivedView {
    #[schema(value_type = String)]
    arrived_at: Timestamp,
    /// Log index of the arrival.
    entry: u64,
}

/// What is public from the release on.
#[derive(Serialize, ToSchema)]
pub struct ReleaseView {
    #[schema(value_type = String)]
    released_at: Timestamp,
    released_by: String,
    number: u16,
    rank: String,
    fen: String,
    secret: String,
    #[schema(value_type = Vec<String>)]
    entropy: Vec<EntropyLine>,
    #[schema(value_type = Vec<u16>)]
    used: NumberSet,
    /// None for a draw by hand.
    #[serde(skip_serializing_if = "String::is_empty")]
    seed: String,
    /// The throws of a draw by hand, the rejected ones too.
    #[serde(skip_serializing_if = "Option::is_none")]
    throws: Option<String>,
    words_used: u32,
    /// Seconds between `knowable_since` and the release.
    knowable_for_s: Option<i64>,
    entry: u64,
}

/// The end of an attempt that does not count.
#[derive(Serialize, ToSchema)]
pub struct VoidView {
    #[schema(value_type = String)]
    voided_at: Timestamp,
    voided_by: String,
    reason: VoidReason,
    /// Whether the outcome could be known by somebody then.
    knowable: bool,
    from_round: u16,
    /// Whether that round had started: its games stay judged by this draw.
    after_start: bool,
    /// The round moved before its beacon round fired, and was ordered again for another: a rescheduling, not a redraw.
    rescheduled: bool,
    /// What the draw would have given, once its beacon is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    abandoned_number: Option<u16>,
    secret: String,
    entry: u64,
}

/// One attempt with everything that recomputes it, as `tools/verify_draw.py` reads it.
#[derive(Serialize, ToSchema)]
pub struct DrawDocument {
    #[serde(flatten)]
    view: DrawView,
    /// Position number, once released.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u16>,
    /// White's back rank, once released.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<String>,
    /// X-FEN, once released.
    #[serde(skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    /// In the shape of a position document.
    draw: Evidence,
}

impl DrawDocument {
    fn new(state: &AppState, tournament: &Tournament, draw: &Draw) -> Self {
        let view = DrawView::new(draw, tournament.created_at, &state.desk.ledger);
        let receipt = draw.release.as_ref().and_then(|release| state.desk.ledger.receipt(release.entry));
        Self {
            number: view.release.as_ref().map(|release| release.number),
            rank: view.release.as_ref().map(|release| release.rank.clone()),
            fen: view.release.as_ref().map(|release| release.fen.clone()),
            draw: Evidence::new(&tournament.origin, tournament.slug.as_str(), draw, receipt.as_deref()),
            view,
        }
    }
}

impl DrawView {
    /// What everybody may read of a draw; `master_made_at`: when the tournament was created.
    pub fn new(draw: &Draw, master_made_at: Timestamp, ledger: &Ledger) -> Self {
        let knowable_since = draw.knowable_since(master_made_at);
        let arrived = draw.arrived.as_ref();
        let release = draw.release.as_ref().map(|release| {
            let start = StartPosition::from_number(release.number);
            ReleaseView {
                released_at: whole(release.at),
                released_by: release.by.clone(),
                number: release.number.get(),
                rank: start.rank().to_owned(),
                fen: start.fen(),
                secret: release.secret.clone(),
                entropy: release.entropy.clone(),
                used: release.used.clone(),
                seed: release.seed.clone(),
                throws: release.throws.clone(),
                words_used: release.words_used,
                knowable_for_s: knowable_since.map(|since| release.at.as_second() - since.as_second()),
                entry: release.entry,
            }
        });
        let void = draw.void.as_ref().map(|void| VoidView {
            voided_at: whole(void.at),
            voided_by: void.by.clone(),
            reason: void.reason,
            knowable: void.knowable,
            from_round: void.from_round,
            after_start: void.after_start,
            rescheduled: void.reason == VoidReason::Moved && !void.knowable,
            abandoned_number: void.abandoned.map(PositionNumber::get),
            secret: void.secret.clone(),
            entry: void.entry,
        });
        Self {
            id: draw.id,
            round: draw.round,
            board: draw.board,
            attempt: draw.attempt,
            serves_from: draw.serves_from,
            state: draw.state(),
            grade: draw.grade(),
            sources: draw.terms.sources.clone(),
            excluded: draw.terms.excluded.clone(),
            repeats: draw.terms.repeats,
            commitment: draw.commitment.clone(),
            witnessed: ledger.is_witnessed(draw.entry),
            ordered_at: whole(draw.ordered_at),
            ordered_by: draw.ordered_by.clone(),
            entry: draw.entry,
            knowable_since: knowable_since.map(whole),
            performed_at: draw.performed_at.map(whole),
            recorded_minutes_later: draw.performed_at.map(|at| (draw.ordered_at.as_second() - at.as_second()) / 60),
            arrived: arrived.map(|arrived| ArrivedView { arrived_at: whole(arrived.at), entry: arrived.entry }),
            release,
            void,
        }
    }
}

/// Order the draw of a slot: its commitment is fixed and published.
#[utoipa::path(post, path = "/tournaments/{t}/rounds/{r}/draws", tag = "draws", request_body = OrderRequest,
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round"),
           ("Idempotency-Key" = Option<String>, Header, description = "a repeated request with the same key gets the same draw")),
    security(("token" = [])),
    responses((status = 201, body = DrawDocument, description = "ordered now, or before with the same key"),
              (status = 409, description = "draw-exists, too-late, numbers-exhausted, small-pool, round-postponed")))]
pub async fn create_draw(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let key = payload.text_header("idempotency-key")?;
    let (request, body) = payload.json_or_default::<OrderRequest>().await?;
    let request_hash = Hash32::of([format!("draws {round}\n").as_bytes(), &body]).to_string();
    let key = key.as_deref().map(|key| (key, request_hash.as_str()));
    let draw = state.desk.order_draw(&t, round, actor, &request, key).await?;
    let mut response =
        json_with(StatusCode::CREATED, &document(&state, &mut state.desk.store.read().await?, &draw).await?);
    if let Ok(location) = HeaderValue::from_str(&format!("/api/v1/draws/{}", draw.id)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Void a draw, with a reason. The next attempt waits for an arbiter's order.
#[utoipa::path(post, path = "/draws/{d}/void", tag = "draws", request_body = VoidRequest,
    params(("d" = String, Path, description = "id of the draw")),
    security(("token" = [])),
    responses((status = 200, body = DrawDocument), (status = 409, description = "draw-already-voided")))]
pub async fn void_draw(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: VoidRequest = payload.json().await?;
    let draw = state.desk.void_draw(draw_id(&id)?, actor, &request).await?;
    Ok(json(&document(&state, &mut state.desk.store.read().await?, &draw).await?))
}

/// Show one attempt with all its evidence, also after a void.
#[utoipa::path(get, path = "/draws/{d}", tag = "draws", params(("d" = String, Path, description = "id of the draw")),
    responses((status = 200, body = DrawDocument), (status = 404, description = "draw-unknown")))]
pub async fn show_draw(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, Problem> {
    let mut tx = state.desk.store.read().await?;
    let id = draw_id(&id)?;
    let draw = tx.draw(id).await?.ok_or_else(|| unknown(&id.to_string()))?;
    Ok(json(&document(&state, &mut tx, &draw).await?))
}

pub fn draw_id(text: &str) -> Result<DrawId, Fault> {
    text.parse().map_err(|_| unknown(text))
}

fn unknown(id: &str) -> Fault {
    Fault::new(Code::DrawUnknown, format!("there is no draw {id:?}"))
}

async fn document(state: &AppState, tx: &mut Tx, draw: &Draw) -> Result<DrawDocument, Fault> {
    Ok(DrawDocument::new(state, &tournament_of(tx, draw).await?, draw))
}

async fn tournament_of(tx: &mut Tx, draw: &Draw) -> Result<Tournament, Fault> {
    let tournament = tx.tournament(&draw.tournament.to_string()).await?;
    tournament.ok_or_else(|| Fault::internal("a draw without its tournament"))
}

/// Which past draws.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DrawsQuery {
    /// Id or slug.
    tournament: Option<String>,
    /// Round, or first round of a block.
    round: Option<u16>,
    /// Board; 0 for draws that serve all boards.
    board: Option<u16>,
    /// `awaiting_entropy`, `sealed`, `released` or `voided`.
    state: Option<String>,
    /// Released with this position number.
    number: Option<u16>,
    /// Ordered at or after, RFC 3339.
    from: Option<String>,
    /// Ordered before, RFC 3339.
    to: Option<String>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// 1 to 200, 50 by default; up to 10000 as CSV or NDJSON.
    limit: Option<u32>,
}

impl DrawsQuery {
    async fn filter(&self, tx: &mut Tx) -> Result<DrawFilter, Fault> {
        let instant = |name: &str, text: &Option<String>| -> Result<Option<Timestamp>, Fault> {
            let parse = |text: &String| text.parse().map_err(|_| Fault::field(name, "RFC 3339, 2026-12-05T08:00:00Z"));
            text.as_ref().map(parse).transpose()
        };
        let tournament = match &self.tournament {
            None => None,
            Some(key) => {
                let unknown = || Fault::new(Code::TournamentUnknown, format!("there is no tournament {key:?}"));
                Some(tx.tournament(key).await?.ok_or_else(unknown)?.id)
            }
        };
        let number = self.number.map(PositionNumber::try_from).transpose();
        let after = self.cursor.as_ref().map(|cursor| cursor.parse()).transpose();
        Ok(DrawFilter {
            tournament,
            round: self.round,
            board: self.board,
            state: self.state.as_deref().map(state_of).transpose()?,
            number: number.map_err(|why| Fault::at(Code::NotAPositionNumber, "number", why.to_string()))?,
            ordered_from: instant("from", &self.from)?,
            ordered_before: instant("to", &self.to)?,
            after: after.map_err(|_| Fault::field("cursor", "not a cursor of this list"))?,
        })
    }

    fn limit(&self, most: u32, default: u32) -> Result<u32, Fault> {
        match self.limit {
            None => Ok(default),
            Some(limit) if (1..=most).contains(&limit) => Ok(limit),
            Some(_) => Err(Fault::field("limit", format!("1 to {most}"))),
        }
    }
}

fn state_of(text: &str) -> Result<DrawState, Fault> {
    match text {
        "awaiting_entropy" => Ok(DrawState::AwaitingEntropy),
        "sealed" => Ok(DrawState::Sealed),
        "released" => Ok(DrawState::Released),
        "voided" => Ok(DrawState::Voided),
        _ => Err(Fault::field("state", "one of awaiting_entropy, sealed, released, voided")),
    }
}

/// Where the next page is: the same question, from `cursor` on.
fn next_page(uri: &Uri, cursor: &str) -> String {
    let asked = uri.query().unwrap_or_default().split('&');
    let kept = asked.filter(|part| !part.is_empty() && !part.starts_with("cursor="));
    let query: Vec<String> = kept.map(str::to_owned).chain([format!("cursor={cursor}")]).collect();
    format!("/api/v1/draws?{}", query.join("&"))
}

/// A draw in a list over tournaments.
#[derive(Serialize, ToSchema)]
struct Listed {
    tournament: String,
    rehearsal: bool,
    #[serde(flatten)]
    document: DrawDocument,
    /// Who ordered it, for auditors and arbiters of the tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    ordered_by_label: Option<String>,
}

/// A page of the list of draws.
#[derive(Serialize, ToSchema)]
struct DrawPage {
    draws: Vec<Listed>,
    /// Where the next page begins; null on the last.
    next_cursor: Option<String>,
}

/// Find past draws.
#[utoipa::path(get, path = "/draws", tag = "draws", params(DrawsQuery),
    security((), ("token" = [])),
    responses((status = 200, body = DrawPage, description = "a page", headers(("Link" = String, description = "the next page, rel=next")))))]
pub async fn list_draws(
    State(state): State<AppState>,
    caller: Caller,
    uri: Uri,
    Query(query): Query<DrawsQuery>,
) -> Result<Response, Problem> {
    let limit = query.limit(200, 50)?;
    let mut listed = find(&state, &caller, &query, limit + 1).await?;
    let more = listed.len() > limit as usize;
    listed.truncate(limit as usize);
    let next = listed.last().filter(|_| more).map(|last| last.document.view.id.to_string());
    let link = next.as_ref().map(|next| format!("<{}>; rel=\"next\"", next_page(&uri, next)));
    let link = link.and_then(|link| HeaderValue::from_str(&link).ok());
    let mut response = json(&DrawPage { draws: listed, next_cursor: next });
    if let Some(link) = link {
        response.headers_mut().insert(header::LINK, link);
    }
    Ok(response)
}

/// Find past draws, as CSV.
#[utoipa::path(get, path = "/draws.csv", tag = "draws", params(DrawsQuery), security((), ("token" = [])),
    responses((status = 200, body = String, content_type = "text/csv", description = "one line a draw")))]
pub async fn list_draws_csv(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<DrawsQuery>,
) -> Result<Response, Problem> {
    let listed = find(&state, &caller, &query, query.limit(10_000, 10_000)?).await?;
    let header = [
        "id",
        "tournament",
        "rehearsal",
        "round",
        "board",
        "attempt",
        "state",
        "grade",
        "ordered_at",
        "ordered_by",
        "released_at",
        "number",
        "rank",
        "fen",
        "voided_at",
        "reason",
        "commitment",
        "secret",
        "seed",
        "entry",
    ];
    Ok(csv(&header, listed.into_iter().map(Listed::cells)))
}

/// Find past draws, as one JSON document a line.
#[utoipa::path(get, path = "/draws.ndjson", tag = "draws", params(DrawsQuery), security((), ("token" = [])),
    responses((status = 200, body = DrawDocument, content_type = "application/x-ndjson", description = "one draw a line")))]
pub async fn list_draws_ndjson(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<DrawsQuery>,
) -> Result<Response, Problem> {
    let listed = find(&state, &caller, &query, query.limit(10_000, 10_000)?).await?;
    let lines: Result<String, _> =
        listed.iter().map(|draw| serde_json::to_string(draw).map(|line| line + "\n")).collect();
    Ok(text("application/x-ndjson", lines.map_err(|why| Fault::internal(why.to_string()))?))
}

impl Listed {
    fn cells(self) -> Vec<String> {
        let draw = self.document.view;
        let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let release = draw.release.as_ref();
        let void = draw.void.as_ref();
        let secret = release.map(|r| &r.secret).or(void.map(|v| &v.secret));
        vec![
            draw.id.to_string(),
            self.tournament,
            self.rehearsal.to_string(),
            draw.round.to_string(),
            draw.board.to_string(),
            draw.attempt.to_string(),
            word(json!(draw.state)),
            word(json!(draw.grade)),
            draw.ordered_at.to_string(),
            self.ordered_by_label.unwrap_or(draw.ordered_by),
            release.map(|r| r.released_at.to_string()).unwrap_or_default(),
            release.map(|r| r.number.to_string()).unwrap_or_default(),
            release.map(|r| r.rank.clone()).unwrap_or_default(),
            release.map(|r| r.fen.clone()).unwrap_or_default(),
            void.map(|v| v.voided_at.to_string()).unwrap_or_default(),
            void.map(|v| v.reason.as_str().to_owned()).unwrap_or_default(),
            draw.commitment,
            secret.cloned().unwrap_or_default(),
            release.map(|r| r.seed.clone()).unwrap_or_default(),
            draw.entry.to_string(),
        ]
    }
}

async fn find(state: &AppState, caller: &Caller, query: &DrawsQuery, limit: u32) -> Result<Vec<Listed>, Fault> {
    let mut tx = state.desk.store.read().await?;
    let filter = query.filter(&mut tx).await?;
    let labels = labels(&mut tx, caller.0.as_ref()).await?;
    let mut tournaments: HashMap<TournamentId, Tournament> = HashMap::new();
    let mut listed = Vec::new();
    for draw in tx.find_draws(&filter, limit).await? {
        let tournament = match tournaments.entry(draw.tournament) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(tournament_of(&mut tx, &draw).await?),
        };
        listed.push(Listed {
            tournament: tournament.slug.to_string(),
            rehearsal: tournament.policy.rehearsal,
            ordered_by_label: labels.get(&draw.ordered_by).cloned(),
            document: DrawDocument::new(state, tournament, &draw),
        });
    }
    Ok(listed)
}

/// Labels of the tokens of the caller's tournament, for those who may see who acted.
pub async fn labels(tx: &mut Tx, caller: Option<&Actor>) -> Result<HashMap<String, String>, Fault> {
    let insider = |actor: &&Actor| matches!(actor.role, Role::Auditor | Role::Arbiter | Role::Deputy);
    let Some(tournament) = caller.filter(insider).and_then(|actor| actor.tournament) else {
        return Ok(HashMap::new());
    };
    let tokens = tx.tokens(Some(tournament)).await?;
    let named = |id: TokenId, label: String| (id.to_string(), label);
    Ok(tokens.into_iter().map(|token| named(token.id, token.label)).collect())
}
