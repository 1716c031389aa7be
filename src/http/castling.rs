//! Why a castling is possible or not, in any position.

use super::{
    answer::text,
    extract::{JSON_LIMIT, Payload, parse},
    positions::{public, sheet},
    problem::Problem,
    state::AppState,
    validate::{not_a_position, on_a_thread, position_number, to_json},
};
use crate::{
    desk::language,
    domain::{
        castling::{CastlingReport, answer_from, playable},
        fault::{Code, Fault},
        fen::{read_position, x_fen},
        game::{GameReport, MoveNotation, Options, Record, Start, Submission, validate},
        ids::{BoardNumber, RoundNumber},
        rules::{Chess, Move, Position, uci::UciMove},
        start_position::StartPosition,
    },
};
use axum::{extract::State, response::Response};
use serde::Deserialize;
use utoipa::ToSchema;

/// A position: `fen`, `number`, or `tournament` and `round`; then the moves so far, with which it is also known how a
/// right was lost.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CastlingRequest {
    /// FEN of any legal position.
    fen: Option<String>,
    /// Number of a start position, 0 to 959.
    number: Option<u16>,
    /// Id or slug: the position drawn for one of its rounds.
    #[expect(dead_code, reason = "read as Place, before the rest")]
    tournament: Option<String>,
    /// The round.
    #[expect(dead_code, reason = "read as Place, before the rest")]
    #[schema(value_type = Option<u16>)]
    round: Option<RoundNumber>,
    /// The board, where each board has its own position.
    #[expect(dead_code, reason = "read as Place, before the rest")]
    #[schema(value_type = Option<u16>)]
    board: Option<BoardNumber>,
    /// The moves so far.
    #[serde(default)]
    moves: Vec<String>,
    /// How they are written: `san` (the default) or `uci`.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    notation: MoveNotation,
    /// Language of the piece letters, `en` by default.
    notation_language: Option<String>,
}

/// Only which round is asked about: looked at before everything else.
#[derive(Deserialize)]
struct Place {
    tournament: Option<String>,
    round: Option<RoundNumber>,
    board: Option<BoardNumber>,
}

/// Explain all four castlings of a position: how each is made, or everything that stands against it.
#[utoipa::path(post, path = "/castling", tag = "validation", request_body = CastlingRequest,
    responses((status = 200, body = CastlingReport, description = "{fen, fen_shredder, turn, white: {h_side, a_side}, black: …}, each with legal, how, faults and a sentence"),
              (status = 403, description = "position-sealed, whatever the moves are"), (status = 404, description = "tournament-unknown, round-unknown"),
              (status = 409, description = "position-per-board"), (status = 410, description = "draw-voided"),
              (status = 422, description = "not-a-position, not-a-position-number, invalid-field")))]
pub async fn explain_castling(State(state): State<AppState>, payload: Payload) -> Result<Response, Problem> {
    if payload.media_type() != "application/json" {
        return Err(Fault::new(Code::UnsupportedMediaType, "this path reads application/json").into());
    }
    let bytes = payload.bytes(JSON_LIMIT).await?;
    let drawn = drawn(&state, &parse(&bytes)?)?;
    let answer = on_a_thread(move || answer(&parse(&bytes)?, drawn)).await?;
    Ok(text("application/json", answer))
}

/// The public position of the round that is asked about.
fn drawn(state: &AppState, place: &Place) -> Result<Option<StartPosition>, Fault> {
    match (&place.tournament, place.round) {
        (Some(t), Some(round)) => Ok(Some(public(&*sheet(state, t)?, round, place.board)?.start)),
        (None, None) if place.board.is_none() => Ok(None),
        _ => Err(Fault::field("", "tournament and round go together")),
    }
}

fn answer(request: &CastlingRequest, drawn: Option<StartPosition>) -> Result<String, Fault> {
    let start = start(request, drawn)?;
    to_json(&explained(request, &start)?)
}

fn start(request: &CastlingRequest, drawn: Option<StartPosition>) -> Result<Chess, Fault> {
    match (&request.fen, request.number, drawn) {
        (Some(fen), None, None) => read_position(fen).map_err(|why| not_a_position("/fen", &why)),
        (None, Some(number), None) => {
            position_number("/number", number).map(|number| playable(&StartPosition::from_number(number)))
        }
        (None, None, Some(drawn)) => Ok(playable(&drawn)),
        _ => Err(Fault::field("", "give one of fen, number, and tournament with round")),
    }
}

fn explained(request: &CastlingRequest, start: &Chess) -> Result<CastlingReport, Fault> {
    let options = Options { language: language(request.notation_language.as_deref())?, ..Options::default() };
    let record = Record::Moves(&request.moves, request.notation);
    let report = validate(&Submission { start: Start::Fen(x_fen(start)), record }, &options)
        .map_err(|why| Fault::internal(why.to_string()))?;
    let played = usize::try_from(report.plies).unwrap_or(usize::MAX);
    if played < request.moves.len() {
        return Err(Fault::field(format!("/moves/{played}"), why_not(&report)));
    }
    answer_from(start, &moves(start, &report)?).map_err(|why| Fault::internal(why.to_string()))
}

fn why_not(report: &GameReport) -> String {
    let error = report.findings.iter().find(|finding| finding.is_error());
    error.map_or_else(|| "this move cannot be played".to_owned(), |finding| finding.message.clone())
}

/// The moves of a report, ready to be played.
fn moves(start: &Chess, report: &GameReport) -> Result<Vec<Move>, Fault> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in report.moves_uci.iter() {
        let read = word.parse::<UciMove>().ok().and_then(|uci| uci.to_move(&position).ok());
        let mv = read.ok_or_else(|| Fault::internal(format!("{word} was played and cannot be")))?;
        position.play_unchecked(mv);
        moves.push(mv);
    }
    Ok(moves)
}
