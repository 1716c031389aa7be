//! Why a step would leave the player's own king in check (3.9.2).

use super::{
    pawn,
    piece::{Step, the_piece},
    reason::{RefusalCode, RefusalPart},
};
use crate::domain::{
    naming,
    rules::{Bitboard, Board, Chess, Position, Square},
};

/// The board after the step, were it made.
fn board_after(position: &Chess, step: &Step) -> Board {
    let mut board = position.board().clone();
    if pawn::is_en_passant(position, step) {
        board.discard_piece_at(Square::from_coords(step.to.file(), step.from.rank()));
    }
    if let Some(moved) = board.remove_piece_at(step.from) {
        board.set_piece_at(step.to, moved);
    }
    board
}

/// The reason, if the player's king would be in check after the step.
pub(super) fn fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    let after = board_after(position, step);
    let king = after.king_of(position.turn())?;
    let attackers = after.attacks_to(king, !position.turn(), after.occupied());
    if attackers.is_empty() {
        return None;
    }
    let code = code(position, step, attackers);
    let message = message(position, step, code, king, &naming::pieces_on(&after, attackers));
    let squares = [step.from, step.to].into_iter().chain(attackers).collect();
    Some(RefusalPart::new(code, squares, message))
}

fn code(position: &Chess, step: &Step, attackers: Bitboard) -> RefusalCode {
    let kings = position.board().kings();
    if kings.contains(step.from) {
        return if attackers.is_subset(kings) { RefusalCode::KingsAdjacent } else { RefusalCode::KingIntoAttack };
    }
    if attackers.intersects(position.checkers()) {
        RefusalCode::StillInCheck
    } else if pawn::is_en_passant(position, step) {
        RefusalCode::EnPassantUncovers
    } else {
        RefusalCode::Pinned
    }
}

fn message(position: &Chess, step: &Step, code: RefusalCode, king: Square, from: &str) -> String {
    let piece = the_piece(position, step.from);
    match code {
        RefusalCode::KingsAdjacent => format!("{piece} cannot go to {}: it would stand beside {from}.", step.to),
        RefusalCode::KingIntoAttack => {
            format!("{piece} cannot go to {}: that square is attacked by {from}.", step.to)
        }
        RefusalCode::StillInCheck => {
            format!("{piece} cannot go to {}: the king on {king} would still be in check from {from}.", step.to)
        }
        RefusalCode::EnPassantUncovers => format!(
            "The pawn on {} cannot capture en passant on {}: the king on {king} would be in check from {from}.",
            step.from, step.to
        ),
        _ => format!(
            "{piece} is pinned: after its move to {} the king on {king} would be in check from {from}.",
            step.to
        ),
    }
}
