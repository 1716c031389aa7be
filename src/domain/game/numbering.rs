//! Move numbers of the record against the moves.

use super::finding::{Finding, FindingCode as C};
use crate::domain::rules::{Chess, Position};

/// How a record numbers its moves. Records that begin in the middle of a game number from 1 as well as from the number of
/// the FEN; the first number says which.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbering {
    /// How far the numbers of the record are ahead.
    ahead: Option<i64>,
}

impl Numbering {
    /// Compares a number with the move at hand.
    #[inline]
    pub fn compare(&mut self, number: u32, is_blacks: bool, position: &Chess, plies: u32) -> Option<Finding> {
        let ours = i64::from(position.fullmoves().get());
        let ahead = i64::from(number) - ours;
        let usual = *self.ahead.get_or_insert(if number == 1 && plies < 2 { ahead } else { 0 });
        let fits = ahead == usual && !(is_blacks && position.turn().is_white());
        (!fits).then(|| wrong(number, ours + usual, plies + 1))
    }
}

#[cold]
fn wrong(number: u32, expected: i64, ply: u32) -> Finding {
    let message = format!("the record numbers this move {number}; by its moves it is move {expected}");
    Finding::new(C::MoveNumber, message).at_ply(ply)
}
