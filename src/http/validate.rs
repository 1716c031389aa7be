//! Validation without a tournament: games in, reports out, nothing kept.

use super::{
    answer::{json, text},
    extract::{GAMES_LIMIT, Payload, Query, parse},
    problem::Problem,
    schemas::Validated,
};
use crate::{
    desk::{check_count, language},
    domain::{
        castling::FaultCode,
        fault::{Code, Fault},
        fen::ReadFenError,
        game::{
            FindingCode, GameReport, GameResult, MoveNotation, Options, Record, Severity, Start, Submission,
            Supervision, TimeControl, Validator, Verdict, conclusion::Recorded, refusal::RefusalCode, validate_list,
            with_number,
        },
        position_number::{PositionNumber, parse_shown},
    },
};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Where a game starts: one of the two.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartRequest {
    /// Number of a start position, 0 to 959.
    number: Option<u16>,
    /// FEN of any legal position.
    fen: Option<String>,
}

impl StartRequest {
    /// The start that is meant; without any the tags decide.
    fn start(request: Option<Self>) -> Result<Start, Fault> {
        match request {
            None => Ok(Start::FromTags),
            Some(Self { number: Some(number), fen: None }) => {
                position_number("/start/number", number).map(Start::Number)
            }
            Some(Self { number: None, fen: Some(fen) }) => Ok(Start::Fen(fen)),
            Some(_) => Err(Fault::field("/start", "give either number or fen")),
        }
    }
}

/// One game to validate: `pgn`, or `moves` with what belongs to them.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateRequest {
    /// Where the game starts; without it the tags say so, or it is the classical array.
    start: Option<StartRequest>,
    /// The game as PGN.
    pgn: Option<String>,
    /// The game as a list of moves.
    moves: Option<Vec<String>>,
    /// How `moves` are written: `san` (the default) or `uci`.
    #[schema(value_type = Option<String>)]
    notation: Option<MoveNotation>,
    /// The result beside `moves`: `1-0`, `0-1`, `1/2-1/2`, `*`.
    result: Option<String>,
    /// Language of the piece letters, `en` by default.
    notation_language: Option<String>,
    /// `full` (the default) or `basic`; changes the advice, never the facts.
    #[schema(value_type = Option<String>)]
    supervision: Option<Supervision>,
    /// `standard` (the default), `rapid` or `blitz`.
    time_control: Option<TimeControl>,
}

/// What holds for all games of an `application/x-chess-pgn` body.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ValidateQuery {
    /// Number of the start position of all games, 0 to 959.
    number: Option<String>,
    /// FEN of the position from which all games start.
    fen: Option<String>,
    /// Language of the piece letters, `en` by default.
    notation_language: Option<String>,
    /// `full` or `basic`.
    #[param(value_type = Option<String>)]
    supervision: Option<Supervision>,
    /// `standard`, `rapid` or `blitz`.
    #[param(value_type = Option<String>)]
    time_control: Option<TimeControl>,
}

/// Validate a game, or all games of a PGN text. Nothing is kept.
#[utoipa::path(post, path = "/validate", tag = "validation", request_body(content((ValidateRequest = "application/json"), (String = "application/x-chess-pgn"))), params(ValidateQuery),
    responses((status = 200, body = Validated, description = "of JSON the report; of a PGN body all reports and a summary"),
              (status = 413, description = "body-too-large: more than 8 MiB or 10,000 games"),
              (status = 415, description = "unsupported-media-type"),
              (status = 422, description = "not-a-position, not-a-position-number, invalid-field")))]
pub async fn validate_game(Query(query): Query<ValidateQuery>, payload: Payload) -> Result<Response, Problem> {
    match payload.media_type().as_str() {
        "application/json" => one(payload).await,
        "application/x-chess-pgn" | "application/vnd.chess-pgn" | "text/plain" => many(query, payload).await,
        _ => {
            let detail = "games are read as application/json or application/x-chess-pgn";
            Err(Fault::new(Code::UnsupportedMediaType, detail).into())
        }
    }
}

async fn one(payload: Payload) -> Result<Response, Problem> {
    let bytes = payload.bytes(GAMES_LIMIT).await?;
    let report = on_a_thread(move || validated(parse(&bytes)?)).await?;
    Ok(text("application/json", report))
}

async fn many(query: ValidateQuery, payload: Payload) -> Result<Response, Problem> {
    let start = query.start()?;
    let options = options(query.notation_language.as_deref(), query.supervision, query.time_control)
        .map_err(|why| Fault::field("notation_language", why.detail))?;
    let bytes = payload.bytes(GAMES_LIMIT).await?;
    Ok(text("application/json", on_a_thread(move || all(&bytes, &start, &options)).await?))
}

impl ValidateQuery {
    fn start(&self) -> Result<Start, Fault> {
        match (&self.number, &self.fen) {
            (None, None) => Ok(Start::FromTags),
            (None, Some(fen)) => Ok(Start::Fen(fen.clone())),
            (Some(number), None) => parse_shown(number)
                .and_then(PositionNumber::try_from)
                .map(Start::Number)
                .map_err(|why| Fault::at(Code::NotAPositionNumber, "number", why.to_string())),
            (Some(_), Some(_)) => Err(Fault::field("query", "give one of number and fen")),
        }
    }
}

/// Work that takes a processor for a while, away from the threads that answer.
pub(super) async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.map_err(|why| Fault::internal(why.to_string()))?
}

fn options(
    code: Option<&str>,
    supervision: Option<Supervision>,
    time_control: Option<TimeControl>,
) -> Result<Options, Fault> {
    Ok(Options {
        language: language(code)?,
        supervision: supervision.unwrap_or_default(),
        time_control: time_control.unwrap_or_default(),
        ..Options::default()
    })
}

/// The report on one game, as JSON.
fn validated(request: ValidateRequest) -> Result<String, Fault> {
    let options = options(request.notation_language.as_deref(), request.supervision, request.time_control)?;
    let record = match (&request.pgn, &request.moves) {
        (Some(_), None) if request.notation.is_some() || request.result.is_some() => {
            return Err(Fault::field("/pgn", "notation and result belong to moves"));
        }
        (Some(pgn), None) => Record::Pgn(pgn.as_bytes()),
        (None, Some(moves)) => Record::Moves(moves, request.notation.unwrap_or_default()),
        _ => return Err(Fault::field("", "give either pgn or moves")),
    };
    let recorded = recorded(request.result.as_deref())?;
    let submission = Submission { start: StartRequest::start(request.start)?, record };
    let report = validate_list(&submission, &options, &recorded).map_err(|why| not_a_position("/start/fen", &why))?;
    to_json(&report)
}

fn recorded(result: Option<&str>) -> Result<Recorded, Fault> {
    let Some(text) = result else { return Ok(Recorded::default()) };
    let read = GameResult::read(text.as_bytes());
    read.map(Recorded::of_list).ok_or_else(|| Fault::field("/result", "one of 1-0, 0-1, 1/2-1/2, *"))
}

/// A position number in a request.
pub(super) fn position_number(at: &str, number: u16) -> Result<PositionNumber, Fault> {
    PositionNumber::try_from(number).map_err(|why| Fault::at(Code::NotAPositionNumber, at, why.to_string()))
}

/// A FEN in a request that is no legal position.
pub(super) fn not_a_position(at: &str, why: &ReadFenError) -> Fault {
    Fault::at(Code::NotAPosition, at, why.to_string())
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|why| Fault::internal(why.to_string()))
}

/// A report with its place in the upload.
#[derive(Serialize)]
struct Numbered<'a> {
    game: usize,
    #[serde(flatten)]
    report: &'a GameReport,
}

/// How many of what.
#[derive(Default, Serialize)]
struct Summary {
    games: usize,
    legal: usize,
    with_errors: usize,
    with_warnings: usize,
    verdicts: BTreeMap<&'static str, usize>,
}

impl Summary {
    fn count(&mut self, report: &GameReport) {
        let errors = report.has_errors();
        self.games += 1;
        self.legal += usize::from(report.verdict.is_legal());
        self.with_errors += usize::from(errors);
        self.with_warnings += usize::from(!errors && report.count(Severity::Warning) > 0);
        *self.verdicts.entry(report.verdict.as_str()).or_default() += 1;
    }
}

/// The reports on all games, as JSON. Each is written as soon as it is there, so that few are held.
fn all(bytes: &[u8], start: &Start, options: &Options) -> Result<Vec<u8>, Fault> {
    let options = with_number(start, options);
    let mut validator = Validator::new(start, &options).map_err(|why| not_a_position("fen", &why))?;
    let (mut games, mut summary, mut failed) = (Vec::from(b"{\"games\":["), Summary::default(), None);
    validator.each_game(bytes, 1, |report| {
        summary.count(&report);
        if check_count(summary.games).is_err() {
            return;
        }
        games.extend_from_slice(if summary.games > 1 { b"," } else { b"" });
        let game = Numbered { game: summary.games, report: &report };
        failed = serde_json::to_writer(&mut games, &game).err().or(failed.take());
    });
    check_count(summary.games)?;
    match failed {
        Some(why) => Err(Fault::internal(why.to_string())),
        None => {
            games.extend_from_slice(format!("],\"summary\":{}}}", to_json(&summary)?).as_bytes());
            Ok(games)
        }
    }
}

/// Everything that can be found in a game: codes, and the reasons that the finding of an illegal move names.
#[utoipa::path(get, path = "/findings", tag = "validation",
    responses((status = 200, body = Object, description = "{findings: [{code, severity, article, meaning}], reasons: [{reason, article, meaning}]}")))]
pub async fn list_findings() -> Response {
    let finding = |code: &FindingCode| json!({"code": code, "severity": code.severity(), "article": code.article(), "meaning": code.meaning()});
    let reason =
        |name: &str, article: &str, meaning: &str| json!({"reason": name, "article": article, "meaning": meaning});
    let moves = RefusalCode::ALL.iter().map(|code| reason(code.as_str(), code.article(), code.meaning()));
    let castling = FaultCode::ALL.iter().map(|code| reason(code.as_str(), code.article(), code.meaning()));
    let findings: Vec<Value> = FindingCode::ALL.iter().map(finding).collect();
    json(&json!({"findings": findings, "reasons": moves.chain(castling).collect::<Vec<_>>()}))
}

/// Every verdict, the best first.
#[utoipa::path(get, path = "/verdicts", tag = "validation",
    responses((status = 200, body = Object, description = "{verdicts: [{verdict, legal, meaning}]}")))]
pub async fn list_verdicts() -> Response {
    let verdict = |v: &Verdict| json!({"verdict": v, "legal": v.is_legal(), "meaning": v.meaning()});
    json(&json!({"verdicts": Verdict::ALL.iter().map(verdict).collect::<Vec<_>>()}))
}
