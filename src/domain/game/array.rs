//! How an array differs from the drawn one.

use crate::domain::{
    rules::{Setup, Square},
    start_position::StartPosition,
};

/// How an array differs from the expected one.
#[derive(Clone, Debug)]
pub struct ArrayDifference {
    /// Squares that differ.
    pub squares: Vec<Square>,
    /// One sentence for an arbiter.
    pub sentence: String,
}

/// Compares an array with the expected start position and with those of other rounds.
pub fn compare(found: &Setup, expected: &StartPosition, _others: &[(String, StartPosition)]) -> ArrayDifference {
    let other = crate::domain::rules::read_fen(&expected.fen()).map(|p| {
        use crate::domain::rules::Position as _;
        p.board().clone()
    });
    let squares = Square::ALL
        .into_iter()
        .filter(|s| other.as_ref().is_ok_and(|b| b.piece_at(*s) != found.board.piece_at(*s)))
        .collect();
    ArrayDifference { squares, sentence: "the array differs from the drawn one".into() }
}
