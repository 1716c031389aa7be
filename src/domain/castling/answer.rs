//! What is said about one castling in one position.

use super::geometry::CastlingKind;
use crate::domain::{
    naming::{json_colour, json_side, json_square, json_square_or_null, json_squares},
    rules::{CastlingSide, Color, Square},
};
use serde::Serialize;

/// Why a castling is not possible: a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultCode {
    /// It is the other player's turn.
    NotOnTurn,
    /// The FEN, or the position a game began from, gives no right.
    RightNotGiven,
    /// The king has moved.
    KingMoved,
    /// The castling rook has moved.
    RookMoved,
    /// The castling rook was captured; another rook never takes its place.
    RookCaptured,
    /// The player has castled: once per game.
    AlreadyCastled,
    /// There is no rook on that side of the king.
    NoRook,
    /// The rook named is another one than the castling rook of that side.
    WrongRook,
    /// The rook named is the opponent's.
    EnemyRook,
    /// Something stands on the king's path or final square.
    KingPathBlocked,
    /// Something stands on the rook's path or final square.
    RookPathBlocked,
    /// The king is in check, also when only the rook would move.
    InCheck,
    /// The king would cross an attacked square.
    ThroughAttack,
    /// The king would end on an attacked square.
    IntoAttack,
    /// The rook's departure uncovers an attack on the king's final square.
    Unshielded,
}

impl FaultCode {
    /// The closed list.
    pub const ALL: [Self; 15] = [
        Self::NotOnTurn,
        Self::RightNotGiven,
        Self::KingMoved,
        Self::RookMoved,
        Self::RookCaptured,
        Self::AlreadyCastled,
        Self::NoRook,
        Self::WrongRook,
        Self::EnemyRook,
        Self::KingPathBlocked,
        Self::RookPathBlocked,
        Self::InCheck,
        Self::ThroughAttack,
        Self::IntoAttack,
        Self::Unshielded,
    ];

    /// The word used in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotOnTurn => "castling-not-on-turn",
            Self::RightNotGiven => "castling-right-not-given",
            Self::KingMoved => "castling-king-moved",
            Self::RookMoved => "castling-rook-moved",
            Self::RookCaptured => "castling-rook-captured",
            Self::AlreadyCastled => "castling-already-castled",
            Self::NoRook => "castling-no-rook",
            Self::WrongRook => "castling-wrong-rook",
            Self::EnemyRook => "castling-enemy-rook",
            Self::KingPathBlocked => "castling-king-path-blocked",
            Self::RookPathBlocked => "castling-rook-path-blocked",
            Self::InCheck => "castling-in-check",
            Self::ThroughAttack => "castling-through-attack",
            Self::IntoAttack => "castling-into-attack",
            Self::Unshielded => "castling-unshields-king",
        }
    }

    /// The article of the FIDE Laws, or of their Guidelines, that is broken.
    pub const fn article(self) -> &'static str {
        match self {
            Self::NotOnTurn => "1.2",
            Self::RightNotGiven | Self::KingMoved | Self::RookMoved | Self::RookCaptured | Self::WrongRook => "3.8.2.1",
            Self::AlreadyCastled => "II.3.1",
            Self::NoRook | Self::EnemyRook => "3.8.2",
            Self::KingPathBlocked | Self::RookPathBlocked => "II.3.2.7.4",
            Self::InCheck | Self::ThroughAttack | Self::IntoAttack => "3.8.2.2",
            Self::Unshielded => "3.9.2",
        }
    }
}

/// One reason why a castling is not possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CastlingFault {
    /// Word of the closed list of [`FaultCode`].
    pub code: &'static str,
    /// The square the fault is about, then those it comes from.
    #[serde(serialize_with = "json_squares")]
    pub squares: Vec<Square>,
    /// Half-move that took the right away, when the game is known.
    pub ply: Option<u32>,
    /// Article of the FIDE Laws or their Guidelines.
    pub article: &'static str,
    /// One sentence.
    pub message: String,
}

impl CastlingFault {
    pub(super) fn new(code: FaultCode, squares: Vec<Square>, message: String) -> Self {
        Self { code: code.as_str(), squares, ply: None, article: code.article(), message }
    }
}

/// Whether a castling is possible, how it is made, and everything that stands against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CastlingAnswer {
    /// Whose castling.
    #[serde(serialize_with = "json_colour")]
    pub colour: Color,
    /// O-O is the h-side, O-O-O the a-side.
    #[serde(serialize_with = "json_side")]
    pub side: CastlingSide,
    /// Whether it may be played now.
    pub legal: bool,
    /// Where the king castles from.
    #[serde(serialize_with = "json_square_or_null")]
    pub king_from: Option<Square>,
    /// Where the king ends.
    #[serde(serialize_with = "json_square")]
    pub king_to: Square,
    /// Where the castling rook is, or would be.
    #[serde(serialize_with = "json_square_or_null")]
    pub rook_from: Option<Square>,
    /// Where the rook ends.
    #[serde(serialize_with = "json_square")]
    pub rook_to: Square,
    /// Which of the two pieces move.
    pub kind: Option<CastlingKind>,
    /// Everything that stands against it; empty when it is legal.
    pub faults: Vec<CastlingFault>,
    /// How the move is made on the board.
    pub how: String,
    /// The answer, fit to be read out at the board.
    pub sentence: String,
}
