//! Why a castling is legal or not.

use super::rules::{Chess, Move};

/// How each castling right of a game was lost, and who castled when.
#[derive(Clone, Debug, Default)]
pub struct CastlingRecord;

impl CastlingRecord {
    /// Reads the record off the moves of a game.
    pub fn from_game(_start: &Chess, _moves: &[Move]) -> Self {
        Self
    }
}
