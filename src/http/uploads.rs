//! Many games in one request: a round as PGN, or JSON lines.

use super::{
    answer::json,
    extract::{Caller, GAMES_LIMIT, Payload, parse},
    problem::{Problem, document},
    state::AppState,
};
use crate::{
    desk::{GameRequest, Outcome, Recorded, check_count, language},
    domain::{
        fault::Fault,
        game::{GameReport, Severity, pairing::Match},
        ids::GameId,
    },
};
use axum::{body::Bytes, response::Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    pub(super) fn must_be_empty(&self) -> Result<(), Fault> {
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

/// The place first, the rest only if the position is public: a sealed round answers the same whatever is submitted.
pub(super) async fn recorded(state: &AppState, caller: &Caller, t: &str, bytes: &Bytes) -> Result<Recorded, Fault> {
    let actor = caller.actor()?;
    let place: Place = parse(bytes)?;
    let board = place.board.as_u64().and_then(|board| u16::try_from(board).ok());
    state.desk.may_submit(t, actor, place.round, board).await?;
    state.desk.submit_game(t, actor, &parse::<GameRequest>(bytes)?).await
}

pub(super) async fn submit_round(
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
pub(super) async fn submit_lines(
    state: &AppState,
    caller: &Caller,
    t: &str,
    payload: Payload,
) -> Result<Response, Problem> {
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
