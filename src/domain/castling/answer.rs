//! What is said about one castling in one position.

use super::geometry::CastlingKind;
use crate::domain::{
    naming::{json_colour, json_side, json_square, json_square_or_null, json_squares},
    reasons::reasons,
    rules::{CastlingSide, Color, Square},
};
use serde::Serialize;
use utoipa::ToSchema;

reasons! {
    /// Why a castling is not possible: a closed list.
    FaultCode {
        NotOnTurn "castling-not-on-turn" "1.2" "It is the other player's turn.";
        RightNotGiven "castling-right-not-given" "3.8.2.1" "The FEN, or the position a game began from, gives no right.";
        KingMoved "castling-king-moved" "3.8.2.1" "The king has moved.";
        RookMoved "castling-rook-moved" "3.8.2.1" "The castling rook has moved.";
        RookCaptured "castling-rook-captured" "3.8.2.1" "The castling rook was captured; no other rook takes its place.";
        AlreadyCastled "castling-already-castled" "II.3.1" "The player has castled: once per game.";
        NoRook "castling-no-rook" "3.8.2" "There is no rook on that side of the king.";
        WrongRook "castling-wrong-rook" "3.8.2.1" "The rook named is another one than the castling rook of that side.";
        EnemyRook "castling-enemy-rook" "3.8.2" "The rook named is the opponent's.";
        KingPathBlocked "castling-king-path-blocked" "II.3.2.7.4" "A piece stands on the king's path or final square.";
        RookPathBlocked "castling-rook-path-blocked" "II.3.2.7.4" "A piece stands on the rook's path or final square.";
        InCheck "castling-in-check" "3.8.2.2" "The king is in check, also when only the rook would move.";
        ThroughAttack "castling-through-attack" "3.8.2.2" "The king would cross an attacked square.";
        IntoAttack "castling-into-attack" "3.8.2.2" "The king would end on an attacked square.";
        Unshielded "castling-unshields-king" "3.9.2" "The rook would uncover an attack on the king's final square.";
    }
}

/// One reason why a castling is not possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CastlingFault {
    /// Word of the closed list of [`FaultCode`].
    pub code: &'static str,
    /// The square the fault is about, then those it comes from.
    #[serde(serialize_with = "json_squares")]
    #[schema(value_type = Vec<String>)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CastlingAnswer {
    /// Whose castling.
    #[serde(serialize_with = "json_colour")]
    #[schema(value_type = String)]
    pub colour: Color,
    /// O-O is the h-side, O-O-O the a-side.
    #[serde(serialize_with = "json_side")]
    #[schema(value_type = String)]
    pub side: CastlingSide,
    /// Whether it may be played now.
    pub legal: bool,
    /// Where the king castles from.
    #[serde(serialize_with = "json_square_or_null")]
    #[schema(value_type = Option<String>)]
    pub king_from: Option<Square>,
    /// Where the king ends.
    #[serde(serialize_with = "json_square")]
    #[schema(value_type = String)]
    pub king_to: Square,
    /// Where the castling rook is, or would be.
    #[serde(serialize_with = "json_square_or_null")]
    #[schema(value_type = Option<String>)]
    pub rook_from: Option<Square>,
    /// Where the rook ends.
    #[serde(serialize_with = "json_square")]
    #[schema(value_type = String)]
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
