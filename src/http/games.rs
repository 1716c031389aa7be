//! Games: submitting, showing, annulling, overriding, and the feed for broadcasts.

use super::{
    answer::{json, json_with, text, whole},
    extract::{Caller, GAMES_LIMIT, Path, Payload, Query},
    problem::Problem,
    schemas::{self, UploadedRound},
    state::AppState,
    uploads::{UploadQuery, recorded, submit_lines, submit_round},
};
use crate::{
    desk::{AnnulRequest, GameRequest, OverrideRequest, counting},
    domain::{
        fault::{Code, Fault},
        ids::GameId,
    },
    store::{GameRow, OverrideRow, Tx},
};
use axum::{extract::State, http::StatusCode, response::Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A record with what was decided about it.
#[derive(Serialize, ToSchema)]
struct GameView {
    #[schema(value_type = String)]
    id: GameId,
    round: u16,
    board: u16,
    draw: String,
    #[schema(value_type = String)]
    submitted_at: jiff::Timestamp,
    submitted_by: String,
    media_type: String,
    /// SHA-256 of the exact bytes.
    hash: String,
    /// Whether this record counts for its board.
    counts: bool,
    verdict: String,
    #[schema(value_type = schemas::GameReport)]
    report: Value,
    /// Present when the draw it was judged by was voided later.
    #[serde(skip_serializing_if = "Option::is_none")]
    draw_voided: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    replaces: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    replaced_by: Option<GameId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    annulled: Option<Value>,
    /// Decisions in order; the report is the one with all of them.
    #[schema(value_type = Vec<Object>)]
    overrides: Vec<Value>,
    /// Log index of the record.
    entry: u64,
}

impl GameView {
    async fn new(tx: &mut Tx, game: &GameRow, of_board: &[GameRow]) -> Result<Self, Fault> {
        let decisions = tx.overrides(game.id).await?;
        let draw = tx.draw(game.draw).await?.and_then(|draw| draw.void);
        let (verdict, report) = match decisions.last() {
            Some(last) => (last.verdict.clone(), last.report.clone()),
            None => (game.verdict.clone(), game.report.clone()),
        };
        let replaced_by = of_board.iter().find(|other| other.replaces.as_ref().is_some_and(|(id, _)| *id == game.id));
        Ok(Self {
            id: game.id,
            round: game.round,
            board: game.board,
            draw: game.draw.to_string(),
            submitted_at: whole(game.submitted_at),
            submitted_by: game.submitted_by.clone(),
            media_type: game.media_type.clone(),
            hash: game.body_hash.clone(),
            counts: counting(of_board).is_some_and(|counts| counts.id == game.id),
            verdict,
            report,
            draw_voided: draw.map(|void| void.reason.as_str().to_owned()),
            replaces: game.replaces.as_ref().map(|(id, how)| json!({"game": id, "as": how})),
            replaced_by: replaced_by.map(|other| other.id),
            annulled: game.annulled.as_ref().map(
                |a| json!({"at": whole(a.at), "by": a.by, "article": a.article, "reason": a.reason, "entry": a.entry}),
            ),
            overrides: decisions.iter().map(decision).collect(),
            entry: game.entry,
        })
    }
}

fn decision(row: &OverrideRow) -> Value {
    json!({"at": whole(row.at), "by": row.by, "ply": row.ply, "finding": row.finding, "article": row.article,
           "reason": row.reason, "position": row.position, "verdict": row.verdict, "entry": row.entry})
}

async fn view(tx: &mut Tx, game: &GameRow) -> Result<GameView, Fault> {
    let of_board = tx.games_of_board(game.tournament, game.round, game.board).await?;
    GameView::new(tx, game, &of_board).await
}

async fn game(tx: &mut Tx, id: &str) -> Result<GameRow, Fault> {
    let unknown = || Fault::new(Code::GameUnknown, format!("there is no game {id:?}"));
    let parsed: GameId = id.parse().map_err(|_| unknown())?;
    tx.game(parsed).await?.ok_or_else(unknown)
}

/// Submit a game, or the games of a round as PGN.
#[utoipa::path(post, path = "/tournaments/{t}/games", tag = "games", request_body(content((GameRequest = "application/json"), (String = "application/x-chess-pgn"), (String = "application/x-ndjson"))),
    params(("t" = String, Path, description = "id or slug"), UploadQuery),
    security(("token" = [])),
    responses((status = 201, body = GameView, description = "recorded, with its report"),
              (status = 200, body = Submitted, description = "the same bytes again; or a round, game by game"),
              (status = 403, description = "position-sealed, whatever the submission contains"),
              (status = 409, description = "game-exists, board-unpaired, game-annulled")))]
pub async fn submit_game(
    State(state): State<AppState>,
    caller: Caller,
    Path(t): Path<String>,
    Query(query): Query<UploadQuery>,
    payload: Payload,
) -> Result<Response, Problem> {
    caller.actor()?;
    match payload.media_type().as_str() {
        "application/json" => {
            query.must_be_empty()?;
            submit_one(&state, &caller, &t, payload).await
        }
        "application/x-chess-pgn" | "application/vnd.chess-pgn" | "text/plain" => {
            submit_round(&state, &caller, &t, &query, payload).await
        }
        "application/x-ndjson" => {
            query.must_be_empty()?;
            submit_lines(&state, &caller, &t, payload).await
        }
        _ => {
            let detail = "games are read as application/json, application/x-chess-pgn or application/x-ndjson";
            Err(Fault::new(Code::UnsupportedMediaType, detail).into())
        }
    }
}

async fn submit_one(state: &AppState, caller: &Caller, t: &str, payload: Payload) -> Result<Response, Problem> {
    let bytes = payload.bytes(GAMES_LIMIT).await?;
    let recorded = recorded(state, caller, t, &bytes).await?;
    let status = if recorded.new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(json_with(status, &view(&mut state.desk.store.read().await?, &recorded.game).await?))
}

/// Which games.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GamesQuery {
    /// Of one round.
    round: Option<u16>,
}

/// Records of games.
#[derive(Serialize, ToSchema)]
struct GameList {
    games: Vec<GameView>,
}

/// What a submission answers: the record, or a round.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "described, never built")]
enum Submitted {
    One(Box<GameView>),
    Round(UploadedRound),
}

/// List the records of a tournament's games; more than one may exist for a board, one counts.
#[utoipa::path(get, path = "/tournaments/{t}/games", tag = "games", params(("t" = String, Path, description = "id or slug"), GamesQuery),
    responses((status = 200, body = GameList, description = "by round and board")))]
pub async fn list_games(
    State(state): State<AppState>,
    Path(t): Path<String>,
    Query(query): Query<GamesQuery>,
) -> Result<Response, Problem> {
    let mut tx = state.desk.store.read().await?;
    let tournament = state.desk.tournament(&mut tx, &t).await?;
    let games = tx.games(tournament.id, query.round).await?;
    let mut views = Vec::new();
    for of_board in games.chunk_by(|a, b| (a.round, a.board) == (b.round, b.board)) {
        for game in of_board {
            views.push(GameView::new(&mut tx, game, of_board).await?);
        }
    }
    Ok(json(&GameList { games: views }))
}

/// A record as it is now.
async fn shown(state: &AppState, id: &str) -> Result<Response, Problem> {
    let mut tx = state.desk.store.read().await?;
    let game = game(&mut tx, id).await?;
    Ok(json(&view(&mut tx, &game).await?))
}

/// Show a record with its report and what was decided about it.
#[utoipa::path(get, path = "/games/{g}", tag = "games", params(("g" = String, Path, description = "id of the game")),
    responses((status = 200, body = GameView, description = "the record"), (status = 404, description = "game-unknown")))]
pub async fn show_game(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, Problem> {
    shown(&state, &id).await
}

/// The exact bytes of a record, as they were submitted.
#[utoipa::path(get, path = "/games/{g}/record", tag = "games", params(("g" = String, Path, description = "id of the game")),
    responses((status = 200, body = String, content_type = "application/x-chess-pgn", description = "PGN, or the JSON of a move list"), (status = 404, description = "game-unknown")))]
pub async fn show_record(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, Problem> {
    let game = game(&mut state.desk.store.read().await?, &id).await?;
    let media_type = if game.media_type.ends_with("json") { "application/json" } else { "application/x-chess-pgn" };
    Ok(text(media_type, game.body))
}

/// Decide that a game does not count.
#[utoipa::path(post, path = "/games/{g}/annul", tag = "games", request_body = AnnulRequest,
    params(("g" = String, Path, description = "id of the game")),
    security(("token" = [])),
    responses((status = 200, body = GameView, description = "the record"), (status = 409, description = "game-annulled")))]
pub async fn annul_game(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let id = game(&mut state.desk.store.read().await?, &id).await?.id;
    state.desk.annul_game(id, actor, &payload.json().await?).await?;
    shown(&state, &id.to_string()).await
}

/// Let a finding stand, by an article: the game is then validated to its end.
#[utoipa::path(post, path = "/games/{g}/override", tag = "games", request_body = OverrideRequest,
    params(("g" = String, Path, description = "id of the game")),
    security(("token" = [])),
    responses((status = 200, body = GameView, description = "the record, with the new report"), (status = 422, description = "no such finding")))]
pub async fn override_finding(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let id = game(&mut state.desk.store.read().await?, &id).await?.id;
    state.desk.override_finding(id, actor, &payload.json().await?).await?;
    shown(&state, &id.to_string()).await
}
