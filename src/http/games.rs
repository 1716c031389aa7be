//! Games: submitting, showing, annulling, overriding, and the feed for broadcasts.

use super::{
    answer::{json, json_with, text, whole},
    extract::{Caller, GAMES_LIMIT, Path, Payload, Query, parse},
    problem::{Problem, document},
    rounds::find,
    schemas::{self, UploadedRound},
    state::AppState,
};
use crate::{
    bulletin::{Face, PublicPosition, ReleaseProof},
    desk::{AnnulRequest, GameRequest, Outcome, OverrideRequest, Recorded, check_count, counting, language},
    domain::{
        fault::{Code, Fault},
        game::{GameReport, Severity, pairing::Match},
        ids::GameId,
        skeleton::Skeleton,
    },
    store::{GameRow, OverrideRow, Pairing, Tournament, Tx},
};
use axum::{body::Bytes, extract::State, http::StatusCode, response::Response};
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

/// Where an upload of several games belongs.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadQuery {
    /// The round of an `application/x-chess-pgn` body.
    round: Option<u16>,
    /// Language of the piece letters of an `application/x-chess-pgn` body, `en` by default.
    notation_language: Option<String>,
}

impl UploadQuery {
    /// Games in JSON say these things themselves: a parameter beside them would mean nothing.
    fn must_be_empty(&self) -> Result<(), Fault> {
        let given = [("round", self.round.is_some()), ("notation_language", self.notation_language.is_some())];
        match given.into_iter().find(|(_, given)| *given) {
            Some((name, _)) => Err(Fault::field(name, "belongs to a PGN upload; a game in JSON has it as a field")),
            None => Ok(()),
        }
    }
}

/// Only where a submission belongs: what is looked at before the position is known to be public. Whether the board can be one
/// is asked afterwards.
#[derive(Deserialize)]
struct Place {
    round: u16,
    #[serde(default)]
    board: Value,
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

/// The place first, the rest only if the position is public: a sealed round answers the same whatever is submitted.
async fn recorded(state: &AppState, caller: &Caller, t: &str, bytes: &Bytes) -> Result<Recorded, Fault> {
    let actor = caller.actor()?;
    let place: Place = parse(bytes)?;
    let board = place.board.as_u64().and_then(|board| u16::try_from(board).ok());
    state.desk.may_submit(t, actor, place.round, board).await?;
    state.desk.submit_game(t, actor, &parse::<GameRequest>(bytes)?).await
}

async fn submit_round(
    state: &AppState,
    caller: &Caller,
    t: &str,
    query: &UploadQuery,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let round = query.round.ok_or_else(|| Fault::field("round", "say which round the games belong to: ?round=3"))?;
    state.desk.may_submit(t, actor, round, None).await?;
    let language = language(query.notation_language.as_deref())?;
    let upload = payload.bytes(GAMES_LIMIT).await?;
    let done = state.desk.submit_round(t, actor, round, upload.into(), language).await?;
    let count = |holds: &dyn Fn(&Outcome) -> bool| done.games.iter().filter(|game| holds(game)).count();
    let summary = json!({
        "games": done.games.len(),
        "recorded": count(&|game| matches!(&game.recorded, Ok(recorded) if recorded.new)),
        "same": count(&|game| matches!(&game.recorded, Ok(recorded) if !recorded.new)),
        "refused": count(&|game| game.recorded.is_err()),
        "legal": count(&|game| game.report.verdict.is_legal()),
        "with_errors": count(&|game| game.report.count(Severity::Error) > 0),
    });
    let games = done.games.iter().enumerate().map(|(i, game)| outcome(i + 1, game)).collect();
    Ok(json(&RoundView { round, games, boards_without_game: &done.boards_without_game, summary }))
}

/// What became of an upload. Written straight from the reports: a round's hold a hundred thousand moves.
#[derive(Serialize)]
struct RoundView<'a> {
    round: u16,
    games: Vec<OutcomeView<'a>>,
    boards_without_game: &'a [u32],
    summary: Value,
}

#[derive(Serialize)]
struct OutcomeView<'a> {
    game: usize,
    board: Option<u32>,
    r#match: &'a Match,
    status: &'static str,
    id: Option<GameId>,
    problem: Option<Value>,
    report: &'a GameReport,
}

fn outcome(index: usize, game: &Outcome) -> OutcomeView<'_> {
    let (status, id, problem) = match &game.recorded {
        Ok(recorded) if recorded.new => ("recorded", Some(recorded.game.id), None),
        Ok(recorded) => ("same", Some(recorded.game.id), None),
        Err(fault) => ("refused", None, Some(document(fault))),
    };
    let Outcome { found, report, .. } = game;
    OutcomeView { game: index, board: found.board, r#match: found, status, id, problem, report }
}

/// One submission a line; each stands for itself.
async fn submit_lines(state: &AppState, caller: &Caller, t: &str, payload: Payload) -> Result<Response, Problem> {
    let bytes = payload.bytes(GAMES_LIMIT).await?;
    let lines = bytes.split(|b| *b == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    check_count(lines.clone().count())?;
    let mut games = Vec::new();
    for (i, line) in lines {
        let answer = match recorded(state, caller, t, &bytes.slice_ref(line)).await {
            Ok(recorded) => {
                let status = if recorded.new { "recorded" } else { "same" };
                json!({"line": i + 1, "status": status, "id": recorded.game.id, "verdict": recorded.game.verdict})
            }
            Err(fault) => json!({"line": i + 1, "status": "refused", "problem": document(&fault)}),
        };
        games.push(answer);
    }
    Ok(json(&json!({"games": games})))
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
    One(GameView),
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

/// Show a record with its report and what was decided about it.
#[utoipa::path(get, path = "/games/{g}", tag = "games", params(("g" = String, Path, description = "id of the game")),
    responses((status = 200, body = GameView, description = "the record"), (status = 404, description = "game-unknown")))]
pub async fn show_game(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, Problem> {
    let mut tx = state.desk.store.read().await?;
    let game = game(&mut tx, &id).await?;
    Ok(json(&view(&mut tx, &game).await?))
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
    let mut tx = state.desk.store.read().await?;
    let game = game(&mut tx, &id.to_string()).await?;
    Ok(json(&view(&mut tx, &game).await?))
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
    let mut tx = state.desk.store.read().await?;
    let game = game(&mut tx, &id.to_string()).await?;
    Ok(json(&view(&mut tx, &game).await?))
}

/// The feed for broadcasts: empty before the release, then a head for each board, then the games.
#[utoipa::path(get, path = "/tournaments/{t}/rounds/{r}/games.pgn", tag = "games",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    responses((status = 200, body = String, content_type = "application/x-chess-pgn", description = "PGN")))]
pub async fn show_games_pgn(
    State(state): State<AppState>,
    Path((t, round)): Path<(String, crate::domain::ids::RoundNumber)>,
) -> Result<Response, Problem> {
    let mut tx = state.desk.store.read().await?;
    let (tournament, _) = find(&state, &mut tx, &t, round).await?;
    let Some(sheet) = state.desk.bulletin.sheet(&t) else {
        return Err(Fault::new(Code::TournamentUnknown, format!("there is no tournament {t:?}")).into());
    };
    let pairings = tx.pairings(tournament.id, round.get()).await?;
    let games = tx.games(tournament.id, Some(round.get())).await?;
    let mut feed = Vec::new();
    for pairing in &pairings {
        let slot = if sheet.per_board { pairing.board } else { 0 };
        let of_board: Vec<_> = games.iter().filter(|game| game.board == pairing.board).cloned().collect();
        let game = match counting(&of_board) {
            Some(game) => Some(played(&mut tx, &tournament, round.get(), pairing, game).await?),
            None => match sheet.face(round.get(), slot) {
                Some(Face::Public(position)) => Some(position.game(&tournament, round.get(), pairing, None)),
                _ => None,
            },
        };
        feed.extend(game.map(|game| game.to_string()));
    }
    if pairings.is_empty() {
        feed.extend(
            sheet
                .public()
                .iter()
                .filter(|(r, ..)| *r == round.get())
                .map(|(.., position)| String::from_utf8_lossy(&position.pgn).into_owned()),
        );
    }
    Ok(text("application/x-chess-pgn; charset=utf-8", feed.join("\n")))
}

/// A game that counts, from the position it was judged by: its draw may have been voided since, and another one made.
async fn played(
    tx: &mut Tx,
    tournament: &Tournament,
    round: u16,
    pairing: &Pairing,
    game: &GameRow,
) -> Result<Skeleton, Fault> {
    let draw = tx.draw(game.draw).await?;
    let released = draw.as_ref().and_then(|draw| Some((draw, draw.release.as_ref()?)));
    let (draw, release) = released.ok_or_else(|| Fault::internal("a game without the draw it was judged by"))?;
    let report = tx.overrides(game.id).await?.pop().map_or_else(|| game.report.clone(), |last| last.report);
    let unproven = ReleaseProof { receipt: None, witnessed: false };
    let position = PublicPosition::new(tournament, round, draw, release, &unproven);
    Ok(position.game(tournament, round, pairing, Some(&report)))
}
