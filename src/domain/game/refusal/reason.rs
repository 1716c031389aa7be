//! The closed list of reasons why a move is refused, each with its article.

use crate::domain::{naming::json_squares, reasons::reasons, rules::Square};
use serde::Serialize;

reasons! {
    /// Why a move is refused: a closed list. Castling has its own,
    /// [`FaultCode`](crate::domain::castling::FaultCode).
    RefusalCode {
        NullMove "null-move" "1.2" "A pass: the players move alternately.";
        PieceInHand "piece-in-hand" "3.1" "A piece put on the board from nowhere.";
        EmptySquare "empty-square" "3.1" "No piece stands on the square of departure.";
        OpponentsPiece "opponents-piece" "1.2" "The piece on the square of departure is the opponent's.";
        NoSuchPiece "no-such-piece" "C.2" "The player has no piece of this kind.";
        WrongOrigin "wrong-origin" "C.10" "The square, file or rank of departure does not fit the piece.";
        Ambiguous "ambiguous" "C.10" "Several pieces can make the move and the record does not say which.";
        SameSquare "same-square" "3.1" "The piece would stay where it is.";
        BishopReach "bishop-cannot-reach" "3.2" "A bishop moves along a diagonal.";
        RookReach "rook-cannot-reach" "3.3" "A rook moves along its file or rank.";
        QueenReach "queen-cannot-reach" "3.4" "A queen moves along its file, rank or a diagonal.";
        KnightReach "knight-cannot-reach" "3.6" "A knight goes two squares along a file or rank and one to the side.";
        PawnReach "pawn-cannot-reach" "3.7" "A pawn goes straight ahead and captures diagonally.";
        KingReach "king-cannot-reach" "3.8.1" "A king goes to an adjoining square.";
        Blocked "blocked" "3.5" "A piece stands in the way.";
        OwnPiece "own-piece-on-target" "3.1" "The player's own piece stands on the square of arrival.";
        Pinned "pinned" "3.9.2" "The move would expose the player's king to check.";
        StillInCheck "does-not-answer-check" "3.9.2" "The player's king would stay in check.";
        KingIntoAttack "king-into-attack" "3.9.2" "The king would go onto an attacked square.";
        KingsAdjacent "kings-adjacent" "3.9.2" "The kings would stand side by side.";
        EnPassantUncovers "en-passant-uncovers-check" "3.9.2" "The capture en passant would uncover a check.";
        PawnBackwards "pawn-backwards" "3.7" "A pawn never moves backwards or sideways.";
        PawnBlocked "pawn-blocked" "3.7.1" "A piece stands before the pawn.";
        DoubleBlocked "double-step-blocked" "3.7.2" "A piece stands where the pawn would pass or arrive.";
        DoubleStep "double-step-not-from-start" "3.7.2" "Only a pawn on its start square may advance two squares.";
        PawnCapturesStraight "pawn-captures-straight" "3.7.3" "A pawn does not capture straight ahead.";
        PawnNothingToCapture "pawn-nothing-to-capture" "3.7.3" "A pawn moves diagonally only to capture.";
        EnPassantTooLate "en-passant-too-late" "3.7.3.2" "En passant is possible only directly after the double step.";
        PromotionMissing "promotion-missing" "3.7.3.3" "The record does not say what the pawn became.";
        PromotionTooEarly "promotion-not-on-last-rank" "3.7.3.3" "A pawn is promoted on the last rank only.";
        PromotionPiece "promotion-to-king-or-pawn" "3.7.3.3" "A pawn becomes a queen, rook, bishop or knight.";
        PromotionOfPiece "promotion-of-a-piece" "3.7.3.3" "Only pawns are promoted.";
        NothingToCapture "nothing-to-capture" "C.9" "A capture is written and nothing stands on the square of arrival.";
        CaptureNotMarked "capture-not-marked" "C.9" "The move is a capture and is not written as one.";
        CastlingAsKingMove "castling-as-king-move" "3.8.2" "Castling is written as a long king move.";
        Playable "playable" "3.10" "The move is legal as it is written.";
    }
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusalPart {
    /// Word of the closed list.
    pub code: &'static str,
    /// The squares it is about.
    #[serde(serialize_with = "json_squares")]
    pub squares: Vec<Square>,
    /// Article of the FIDE Laws.
    pub article: &'static str,
    /// One sentence.
    pub message: String,
}

/// Why a move is refused: the chief reason, and others that hold beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Word of the closed list, of castling's where castling was meant.
    pub code: &'static str,
    /// The squares it is about.
    #[serde(serialize_with = "json_squares")]
    pub squares: Vec<Square>,
    /// Article of the FIDE Laws.
    pub article: &'static str,
    /// One sentence.
    pub message: String,
    /// Further reasons, or the same move tried with the other pieces that could be meant.
    pub more: Vec<RefusalPart>,
}

impl RefusalPart {
    pub(super) fn new(code: RefusalCode, squares: Vec<Square>, message: String) -> Self {
        Self { code: code.as_str(), squares, article: code.article(), message }
    }
}

impl From<RefusalPart> for Refusal {
    fn from(part: RefusalPart) -> Self {
        let RefusalPart { code, squares, article, message } = part;
        Self { code, squares, article, message, more: Vec::new() }
    }
}

/// A refusal for one reason.
pub(super) fn refuse(code: RefusalCode, squares: Vec<Square>, message: String) -> Refusal {
    RefusalPart::new(code, squares, message).into()
}
