//! The 960 start positions by number, back rank or FEN.

use super::{
    answer::{json, text},
    extract::{Path, Query},
    problem::Problem,
};
use crate::domain::{
    castling::{self, CastlingBlock},
    diagram,
    fault::{Code, Fault},
    position_number::{NotAPositionNumber, NumberScheme, PositionNumber, parse_shown},
    start_position::{NotAStartPosition, StartPosition},
};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One of the 960.
#[derive(Serialize, ToSchema)]
pub struct StartPositionView {
    /// Scharnagl's number, 0 to 959.
    number: u16,
    /// What a DGT960 clock calls it, 1 to 960.
    dgt960: u16,
    /// White's back rank from the a-file.
    rank: String,
    /// X-FEN.
    fen: String,
    fen_shredder: String,
    castling: CastlingBlock,
}

fn lookup(start: &StartPosition) -> StartPositionView {
    StartPositionView {
        number: start.number().get(),
        dgt960: start.number().dgt960(),
        rank: start.rank().to_owned(),
        fen: start.fen(),
        fen_shredder: start.fen_shredder(),
        castling: castling::both(start),
    }
}

/// One of the 960 by its number; with the suffix `.svg` as a diagram.
#[utoipa::path(get, path = "/positions/{n}", tag = "positions", params(("n" = String, Path, description = "0 to 959, or with .svg")),
    responses((status = 200, body = StartPositionView, description = "number, rank, FENs, castling"), (status = 422, description = "not-a-position-number")))]
pub async fn show_start_position(Path(n): Path<String>) -> Result<Response, Problem> {
    let (number, picture) = n.strip_suffix(".svg").map_or((n.as_str(), false), |number| (number, true));
    let start = StartPosition::from_number(number.parse().map_err(|why| bad_number("n", why))?);
    if picture {
        return Ok(text("image/svg+xml", diagram::svg(&start, "")));
    }
    Ok(json(&lookup(&start)))
}

fn bad_number(at: &str, why: NotAPositionNumber) -> Fault {
    Fault::at(Code::NotAPositionNumber, at, why.to_string())
}

/// How a start position is looked up: by exactly one of rank, fen, number.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LookupQuery {
    /// White's back rank, `RNBQKBNR`.
    rank: Option<String>,
    /// X-FEN or Shredder-FEN.
    fen: Option<String>,
    /// A number in `scheme`.
    number: Option<String>,
    /// `scharnagl` (0 to 959, the default) or `dgt960` (1 to 960).
    scheme: Option<String>,
}

/// One of the 960 by back rank, FEN, or number in a named scheme.
#[utoipa::path(get, path = "/positions", tag = "positions", params(LookupQuery),
    responses((status = 200, body = StartPositionView, description = "number, rank, FENs, castling"),
              (status = 422, description = "not-a-start-position, not-a-position-number")))]
pub async fn find_start_position(Query(query): Query<LookupQuery>) -> Result<Response, Problem> {
    let not_one =
        |at: &'static str| move |why: NotAStartPosition| Fault::at(Code::NotAStartPosition, at, why.to_string());
    let start = match (&query.rank, &query.fen, &query.number) {
        (Some(rank), None, None) => StartPosition::from_rank(rank).map_err(not_one("rank"))?,
        (None, Some(fen), None) => StartPosition::from_fen(fen).map_err(not_one("fen"))?,
        (None, None, Some(number)) => {
            let scheme = query.scheme.as_deref().unwrap_or("scharnagl").parse::<NumberScheme>();
            let scheme = scheme.map_err(|why| Fault::field("scheme", why.to_string()))?;
            let shown = parse_shown(number).and_then(|shown| PositionNumber::in_scheme(scheme, shown));
            StartPosition::from_number(shown.map_err(|why| bad_number("number", why))?)
        }
        _ => return Err(Fault::field("query", "give one of rank, fen, number").into()),
    };
    if query.scheme.is_some() && query.number.is_none() {
        return Err(Fault::field("scheme", "a scheme belongs to a number").into());
    }
    Ok(json(&lookup(&start)))
}
