//! The four castlings of a position at once: what the API and the command line answer.

use super::{answer::CastlingAnswer, explain::explain, record::CastlingRecord};
use crate::domain::{
    fen::{ReadFenError, read_fen, shredder_fen, x_fen},
    naming::json_colour,
    rules::{CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Move, Position, fen::Fen},
    start_position::StartPosition,
};
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// Both castlings of one colour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CastlingPair {
    /// O-O.
    pub h_side: CastlingAnswer,
    /// O-O-O.
    pub a_side: CastlingAnswer,
}

/// All castlings of a position. Those of the player who is not on turn carry that among their faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CastlingReport {
    /// The position as X-FEN.
    pub fen: String,
    /// The position as Shredder-FEN.
    pub fen_shredder: String,
    /// Whose turn it is.
    #[serde(serialize_with = "json_colour")]
    #[schema(value_type = String)]
    pub turn: Color,
    /// White's castlings.
    pub white: CastlingPair,
    /// Black's castlings.
    pub black: CastlingPair,
}

impl CastlingPair {
    /// The castling of one side.
    pub const fn side(&self, side: CastlingSide) -> &CastlingAnswer {
        match side {
            CastlingSide::KingSide => &self.h_side,
            CastlingSide::QueenSide => &self.a_side,
        }
    }
}

impl CastlingReport {
    /// The castlings of one colour.
    pub const fn of(&self, colour: Color) -> &CastlingPair {
        match colour {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}

/// A move of a game that cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalPly(
    /// Half-move of the game, from 1.
    pub u32,
);

impl fmt::Display for IllegalPly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the move at ply {} is not legal", self.0)
    }
}

impl std::error::Error for IllegalPly {}

/// The castlings of a position. The record of the game, when there is one, tells how rights were lost.
pub fn report(position: &Chess, record: Option<&CastlingRecord>) -> CastlingReport {
    let setup = position.to_setup(EnPassantMode::Legal);
    let pair = |colour| CastlingPair {
        h_side: explain(&setup, colour, CastlingSide::KingSide, record),
        a_side: explain(&setup, colour, CastlingSide::QueenSide, record),
    };
    CastlingReport {
        fen: x_fen(position),
        fen_shredder: shredder_fen(position),
        turn: setup.turn,
        white: pair(Color::White),
        black: pair(Color::Black),
    }
}

/// The castlings of the position that a FEN describes.
///
/// ```
/// use draw960::domain::castling::answer_for_fen;
///
/// let report = answer_for_fen("4k3/8/8/8/8/8/8/rR2K1N1 w B - 0 1")?;
/// let a_side = &report.white.a_side;
/// assert!(!a_side.legal);
/// assert_eq!(a_side.faults[0].code, "castling-unshields-king");
/// # Ok::<_, draw960::domain::fen::ReadFenError>(())
/// ```
///
/// # Errors
/// Why it is not the FEN of a legal position.
pub fn answer_for_fen(fen: &str) -> Result<CastlingReport, ReadFenError> {
    read_fen(fen).map(|read| report(&read.position, None))
}

/// The castlings after some moves from a position.
///
/// # Errors
/// The first move that is not legal.
pub fn answer_from(start: &Chess, moves: &[Move]) -> Result<CastlingReport, IllegalPly> {
    let mut position = start.clone();
    for (ply, m) in (1..).zip(moves) {
        position = position.play(*m).map_err(|_| IllegalPly(ply))?;
    }
    // Without a move there is nothing to tell but the position.
    let record = (!moves.is_empty()).then(|| CastlingRecord::from_game(start, moves));
    Ok(report(&position, record.as_ref()))
}

/// The castlings after some moves from a start position.
///
/// # Errors
/// The first move that is not legal.
pub fn answer_after(start: &StartPosition, moves: &[Move]) -> Result<CastlingReport, IllegalPly> {
    answer_from(&playable(start), moves)
}

/// A start position, ready to be played from.
pub fn playable(start: &StartPosition) -> Chess {
    let fen: Fen = start.fen().parse().expect("the FEN of a start position is well formed");
    Chess::from_setup(fen.into_setup(), CastlingMode::Chess960).expect("a start position is legal")
}
