//! Dead positions that can be proven (5.2.2).

use crate::domain::rules::{Chess, Position};

/// Why no series of legal moves can lead to mate, when that is proven; `None` means "not proven".
pub fn proven_dead(position: &Chess) -> Option<&'static str> {
    let board = position.board();
    if (board.pawns() | board.rooks_and_queens()).any() || !position.is_insufficient_material() {
        return None;
    }
    Some("neither side has material to mate")
}
