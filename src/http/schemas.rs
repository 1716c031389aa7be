//! Shapes of answers whose types write their JSON by hand, for the description of the API only.
//!
//! A test compares answers with the description, so that the two stay equal.
#![expect(dead_code, reason = "described, never built")]

use crate::domain::game::{Acceptance, GameTags, Severity};
use serde::Serialize;
use utoipa::ToSchema;

/// The report on one game.
#[derive(Serialize, ToSchema)]
pub struct GameReport {
    /// One of `GET /verdicts`.
    #[schema(example = "legal-complete")]
    verdict: String,
    /// Half-moves that could be played.
    plies: u32,
    moves_san: Vec<String>,
    /// Castling is king takes rook.
    moves_uci: Vec<String>,
    final_fen: Option<String>,
    final_fen_shredder: Option<String>,
    /// `1-0`, `0-1`, `1/2-1/2`, `*`.
    result: Option<String>,
    findings: Vec<Finding>,
    /// Of a PGN with tags.
    #[schema(nullable = false)]
    tags: Option<GameTags>,
}

/// One thing found in a game.
#[derive(Serialize, ToSchema)]
pub struct Finding {
    /// One of `GET /findings`.
    #[schema(example = "illegal-move")]
    code: String,
    severity: Severity,
    /// Half-move, from 1.
    ply: Option<u32>,
    /// The text it is about, as written.
    r#move: Option<String>,
    /// From 1.
    line: Option<u32>,
    /// From 1.
    column: Option<u32>,
    squares: Vec<String>,
    article: String,
    message: String,
    /// Why a move is refused.
    #[schema(nullable = false)]
    reason: Option<String>,
    /// What else stands against it.
    #[schema(nullable = false)]
    further: Option<Vec<FurtherReason>>,
    /// Present when an arbiter let it stand.
    #[schema(nullable = false)]
    accepted: Option<Acceptance>,
}

/// A further reason that holds beside the first.
#[derive(Serialize, ToSchema)]
pub struct FurtherReason {
    reason: String,
    squares: Vec<String>,
    article: String,
    message: String,
}

/// The reports on all games of a PGN body; each begins with `game`, its place in the body.
#[derive(Serialize, ToSchema)]
pub struct ValidatedGames {
    games: Vec<GameReport>,
    /// How many of what.
    #[schema(value_type = Object)]
    summary: (),
}

/// A game, or all games of a body.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum Validated {
    One(Box<GameReport>),
    Many(ValidatedGames),
}

/// A round's games as one upload.
#[derive(Serialize, ToSchema)]
pub struct UploadedRound {
    round: u16,
    games: Vec<UploadedGame>,
    boards_without_game: Vec<u32>,
    /// How many of what.
    #[schema(value_type = Object)]
    summary: (),
}

/// One game of an upload.
#[derive(Serialize, ToSchema)]
pub struct UploadedGame {
    /// Which of the upload, from 1.
    game: usize,
    board: Option<u32>,
    /// How the board was found.
    #[schema(value_type = Object)]
    r#match: (),
    /// `recorded`, `same` or `refused`.
    status: String,
    id: Option<String>,
    /// Why it was refused: a problem document.
    #[schema(value_type = Option<Object>)]
    problem: (),
    report: GameReport,
}
