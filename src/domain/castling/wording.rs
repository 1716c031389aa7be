//! The words in which castling is explained at the board.

use super::{
    answer::CastlingFault,
    geometry::CastlingKind,
    record::{LossCause, RightHistory, RightLoss},
};
use crate::domain::{
    naming::{player, squares},
    rules::{Bitboard, Color, Square},
};

/// How a right was lost; `rook_stands` when a rook of that colour stands on the castling rook's square now.
pub(super) fn loss(colour: Color, history: &RightHistory, loss: &RightLoss, rook_stands: bool) -> String {
    let (white, rook) = (player(colour), history.rook);
    let when = format!("{} (ply {})", loss.by, loss.ply);
    match loss.cause {
        LossCause::KingMoved => format!("{white}'s king has moved: {when}."),
        LossCause::RookMoved if rook_stands => {
            format!("The rook of {rook} has moved: {when}; a rook that stands there now does not restore the right.")
        }
        LossCause::RookMoved => format!("The rook of {rook} has moved: {when}."),
        LossCause::RookCaptured if rook_stands => {
            format!("The rook of {rook} was captured: {when}; the rook that stands there now is another one.")
        }
        LossCause::RookCaptured => format!("The rook of {rook} was captured: {when}."),
        LossCause::Castled(_) => format!("{white} has castled already: {when}; a player castles once in a game."),
    }
}

/// How the move is made on the board: one of the four ways of Guidelines II.3.2, by the recommended order of II.3.2.5.
pub(super) fn how(
    kind: Option<CastlingKind>,
    king: [Option<Square>; 2],
    rook: [Option<Square>; 2],
    others: Bitboard,
) -> String {
    let [[king_from, king_to], [rook_from, rook_to]] =
        [king, rook].map(|way| way.map(|square| square.map_or_else(|| "its square".to_owned(), |s| s.to_string())));
    let how = match kind {
        None => return format!("The king ends on {king_to} and the castling rook on {rook_to}."),
        Some(CastlingKind::Double) => format!(
            "The king goes from {king_from} to {king_to} and the rook from {rook_from} to {rook_to}: lift the king, \
             move the rook, then put the king down."
        ),
        Some(CastlingKind::Transposition) => {
            format!("King and rook trade places: the king goes to {king_to}, the rook to {rook_to}.")
        }
        Some(CastlingKind::KingOnly) => {
            format!("Only the king moves, from {king_from} to {king_to}; the rook stays on {rook_to}.")
        }
        Some(CastlingKind::RookOnly) => {
            format!("Only the rook moves, from {rook_from} to {rook_to}; the king stays on {king_to}.")
        }
    };
    if others.is_empty() {
        how
    } else {
        format!("{how} The castling rook is the one on {rook_from}, not on {}.", squares(others))
    }
}

/// The whole answer.
pub(super) fn sentence(white: &str, castling: &str, how: &str, faults: &[CastlingFault]) -> String {
    if faults.is_empty() {
        return format!("{white} may castle {castling}. {how}");
    }
    let why: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    format!("{white} may not castle {castling}. {}", why.join(" "))
}
