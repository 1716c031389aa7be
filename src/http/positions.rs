//! Positions of rounds, from memory.

use super::{
    answer::{csv, json, text},
    caching::tagged,
    extract::Path,
    problem::Problem,
    state::AppState,
};
use crate::{
    bulletin::{Face, PositionDocument, PublicPosition, Rendering, Sheet, sealed},
    domain::{
        fault::{Code, Fault},
        ids::{BoardNumber, RoundNumber},
    },
};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::Response,
};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use utoipa::ToSchema;

/// Size and first eight hexadecimal digits of the root of the newest checkpoint.
const CHECKPOINT: HeaderName = HeaderName::from_static("x-draw960-checkpoint");

/// A representation of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Json,
    Svg,
    Txt,
    Pgn,
}

impl Form {
    /// The media type of `Accept` that is wanted most, the first of equals; JSON where there is none of them.
    fn accepted(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut best = (0, Self::Json);
        for (weight, form) in lines.flat_map(|line| line.split(',')).filter_map(Self::wanted) {
            if weight > best.0 {
                best = (weight, form);
            }
        }
        best.1
    }

    /// One media range of `Accept`: how much it is wanted, in thousandths, and what it is.
    fn wanted(range: &str) -> Option<(u16, Self)> {
        let mut parts = range.split(';').map(|part| part.trim().to_ascii_lowercase());
        let form = match parts.next()?.as_str() {
            "application/json" | "*/*" | "application/*" => Self::Json,
            "image/svg+xml" | "image/*" => Self::Svg,
            "text/plain" | "text/*" => Self::Txt,
            "application/x-chess-pgn" | "application/vnd.chess-pgn" => Self::Pgn,
            _ => return None,
        };
        let weight = parts.find_map(|part| part.strip_prefix("q=").map(str::to_owned));
        let weight = weight.map_or(Some(1.0), |q| q.parse::<f32>().ok().filter(|q| (0.0..=1.0).contains(q)))?;
        Some(((weight * 1000.0).round() as u16, form))
    }

    fn of(self, position: &PublicPosition) -> (&'static str, &Rendering) {
        match self {
            Self::Json => ("application/json", &position.json),
            Self::Svg => ("image/svg+xml", &position.svg),
            Self::Txt => ("text/plain; charset=utf-8", &position.txt),
            Self::Pgn => ("application/x-chess-pgn; charset=utf-8", &position.pgn),
        }
    }
}

/// What the public sees of a tournament.
///
/// # Errors
/// `tournament-unknown`.
pub fn sheet(state: &AppState, t: &str) -> Result<Arc<Sheet>, Fault> {
    let unknown = || Fault::new(Code::TournamentUnknown, format!("there is no tournament {t:?}"));
    state.desk.bulletin.sheet(t).ok_or_else(unknown)
}

/// What the public sees of a round's slot; `board` is the one asked for.
///
/// # Errors
/// `round-unknown`, `board-unknown`, `position-per-board`, `position-sealed`, `draw-voided`.
pub fn public(sheet: &Sheet, round: RoundNumber, board: Option<BoardNumber>) -> Result<Arc<PublicPosition>, Fault> {
    if !sheet.has_round(round.get()) {
        return Err(Fault::new(Code::RoundUnknown, format!("round {round} is not scheduled")));
    }
    let slot = match (sheet.per_board, board) {
        (false, _) => 0,
        (true, Some(board)) => board.get(),
        (true, None) => {
            let detail = "each board has its own position: ask for /boards/{board}/position";
            return Err(Fault::new(Code::PositionPerBoard, detail));
        }
    };
    let unknown = || Fault::new(Code::BoardUnknown, format!("round {round} has no draw for board {slot}"));
    match sheet.face(round.get(), slot).ok_or_else(unknown)? {
        Face::Public(position) => Ok(position),
        Face::Sealed => Err(sealed(sheet.release_at(round.get()))),
        Face::Voided(draw) => {
            let detail = "the draw of this round was voided and not ordered again";
            Err(Fault::new(Code::DrawVoided, detail).with("draw", draw.to_string()))
        }
    }
}

fn answer(state: &AppState, headers: &HeaderMap, position: &PublicPosition, form: Form) -> Response {
    let (media_type, rendering) = form.of(position);
    let mut response = tagged(headers, &rendering.etag, media_type, &rendering.body);
    response.headers_mut().insert(header::VARY, const { HeaderValue::from_static("accept") });
    // Whoever keeps answers keeps checkpoints with them: a log rewritten later contradicts them.
    if let Some(short) = state.desk.ledger.short().and_then(|short| HeaderValue::try_from(short).ok()) {
        response.headers_mut().insert(CHECKPOINT, short);
    }
    response
}

macro_rules! position_handlers {
    ($($(#[$doc:meta])* $round:ident, $board:ident, $suffix:literal, $media:literal $body:ty, $form:expr;)*) => { $(
        $(#[$doc])*
        #[utoipa::path(get, path = concat!("/tournaments/{t}/rounds/{r}/position", $suffix), tag = "positions",
            params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round"),
                   ("If-None-Match" = Option<String>, Header, description = "the ETag of the answer before: 304 while nothing changed")),
            responses((status = 200, body = $body, content_type = $media, description = "released", headers(
                        ("ETag" = String, description = "send it back as If-None-Match"),
                        ("X-Draw960-Checkpoint" = String, description = "size and root of the signed log; keep it"))),
                      (status = 304, description = "unchanged"),
                      (status = 403, description = "position-sealed", headers(("Retry-After" = String, description = "the release instant as an HTTP date"))), (status = 410, description = "draw-voided"),
                      (status = 404, description = "tournament-unknown, round-unknown"), (status = 409, description = "position-per-board")))]
        pub async fn $round(
            State(state): State<AppState>,
            Path((t, round)): Path<(String, RoundNumber)>,
            request: Request,
        ) -> Result<Response, Problem> {
            let position = public(&*sheet(&state, &t)?, round, None)?;
            Ok(answer(&state, request.headers(), &position, ($form)(request.headers())))
        }

        $(#[$doc])*
        #[utoipa::path(get, path = concat!("/tournaments/{t}/rounds/{r}/boards/{b}/position", $suffix), tag = "positions",
            params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round"),
                   ("b" = u16, Path, description = "board"),
                   ("If-None-Match" = Option<String>, Header, description = "the ETag of the answer before: 304 while nothing changed")),
            responses((status = 200, body = $body, content_type = $media, description = "released", headers(
                        ("ETag" = String, description = "send it back as If-None-Match"),
                        ("X-Draw960-Checkpoint" = String, description = "size and root of the signed log; keep it"))),
                      (status = 304, description = "unchanged"),
                      (status = 403, description = "position-sealed", headers(("Retry-After" = String, description = "the release instant as an HTTP date"))), (status = 410, description = "draw-voided"),
                      (status = 404, description = "tournament-unknown, round-unknown, board-unknown")))]
        pub async fn $board(
            State(state): State<AppState>,
            Path((t, round, board)): Path<(String, RoundNumber, BoardNumber)>,
            request: Request,
        ) -> Result<Response, Problem> {
            let position = public(&*sheet(&state, &t)?, round, Some(board))?;
            Ok(answer(&state, request.headers(), &position, ($form)(request.headers())))
        }
    )* };
}

position_handlers! {
    /// The position, in the representation that `Accept` asks for.
    show_position, show_board_position, "", "application/json" PositionDocument, Form::accepted;
    /// The position as a diagram.
    show_position_svg, show_board_position_svg, ".svg", "image/svg+xml" String, |_: &HeaderMap| Form::Svg;
    /// The position as one line: number, back rank, FEN.
    show_position_txt, show_board_position_txt, ".txt", "text/plain" String, |_: &HeaderMap| Form::Txt;
    /// The position as the head of a game.
    show_position_pgn, show_board_position_pgn, ".pgn", "application/x-chess-pgn" String, |_: &HeaderMap| Form::Pgn;
}

/// Positions of a tournament.
#[derive(Serialize, ToSchema)]
pub struct PositionList {
    #[schema(value_type = Vec<PositionDocument>)]
    positions: Vec<Value>,
}

/// The public positions of a tournament.
#[utoipa::path(get, path = "/tournaments/{t}/positions", tag = "positions", params(("t" = String, Path, description = "id or slug")),
    responses((status = 200, body = PositionList, description = "one entry a slot that counted")))]
pub async fn list_positions(State(state): State<AppState>, Path(t): Path<String>) -> Result<Response, Problem> {
    let listed: Result<Vec<Value>, _> = sheet(&state, &t)?
        .public()
        .iter()
        .map(|(_, _, position)| serde_json::from_slice(&position.json.body))
        .collect();
    Ok(json(&PositionList { positions: listed.map_err(|why| Fault::internal(why.to_string()))? }))
}

/// The public positions of a tournament, as CSV.
#[utoipa::path(get, path = "/tournaments/{t}/positions.csv", tag = "positions", params(("t" = String, Path, description = "id or slug")),
    responses((status = 200, body = String, content_type = "text/csv", description = "round, board, number, rank, fen, fen_shredder")))]
pub async fn list_positions_csv(State(state): State<AppState>, Path(t): Path<String>) -> Result<Response, Problem> {
    let row = |(round, board, position): &(u16, u16, Arc<PublicPosition>)| {
        let start = &position.start;
        vec![
            round.to_string(),
            board.to_string(),
            start.number().to_string(),
            start.rank().to_owned(),
            start.fen(),
            start.fen_shredder(),
        ]
    };
    let rows: Vec<_> = sheet(&state, &t)?.public().iter().map(row).collect();
    Ok(csv(&["round", "board", "number", "rank", "fen", "fen_shredder"], rows))
}

/// The public positions of a tournament, one line each.
#[utoipa::path(get, path = "/tournaments/{t}/positions.txt", tag = "positions", params(("t" = String, Path, description = "id or slug")),
    responses((status = 200, body = String, content_type = "text/plain", description = "round[.board], number, rank, FEN")))]
pub async fn list_positions_txt(State(state): State<AppState>, Path(t): Path<String>) -> Result<Response, Problem> {
    let line = |(round, board, position): &(u16, u16, Arc<PublicPosition>)| {
        let place = if *board == 0 { round.to_string() } else { format!("{round}.{board}") };
        format!("{place} {} {} {}\n", position.start.number(), position.start.rank(), position.start.fen())
    };
    Ok(text("text/plain; charset=utf-8", sheet(&state, &t)?.public().iter().map(line).collect::<String>()))
}

/// The public positions of a tournament, as heads of games.
#[utoipa::path(get, path = "/tournaments/{t}/positions.pgn", tag = "positions", params(("t" = String, Path, description = "id or slug")),
    responses((status = 200, body = String, content_type = "application/x-chess-pgn", description = "one game head a slot")))]
pub async fn list_positions_pgn(State(state): State<AppState>, Path(t): Path<String>) -> Result<Response, Problem> {
    let games: Vec<_> = sheet(&state, &t)?.public().iter().map(|(_, _, position)| position.pgn.body.clone()).collect();
    Ok(text("application/x-chess-pgn; charset=utf-8", games.join(&b"\n"[..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(accept: &[&'static str]) -> Form {
        let lines = accept.iter().map(|line| (header::ACCEPT, HeaderValue::from_static(line)));
        let mut headers = HeaderMap::new();
        for (name, line) in lines {
            headers.append(name, line);
        }
        Form::accepted(&headers)
    }

    #[test]
    fn what_is_wanted_most_is_sent() {
        for (accept, form) in [
            ("", Form::Json),
            ("image/svg+xml", Form::Svg),
            ("TEXT/Plain", Form::Txt),
            ("text/*", Form::Txt),
            ("application/json;q=0.1, text/plain", Form::Txt),
            ("text/plain;q=0, application/json", Form::Json),
            ("image/svg+xml; q=0.5, text/plain; charset=utf-8; Q=0.6", Form::Txt),
            ("application/x-chess-pgn, image/svg+xml", Form::Pgn),
            ("text/html,application/xhtml+xml,*/*;q=0.8", Form::Json),
            ("text/plain;q=2, image/png, ;;,", Form::Json),
        ] {
            assert_eq!(wanted(&[accept]), form, "{accept}");
        }
        assert_eq!(wanted(&["image/png", "text/plain"]), Form::Txt);
    }
}
