//! How often a position has occurred.
//!
//! Positions are the same when the same player is to move, pieces of the same kind and colour stand on the same squares
//! and the possible moves of all pieces are the same (9.2.3). So castling rights count per rook, and an en passant
//! square only when the capture is legal.

use crate::domain::rules::{Board, Chess, Position};

/// What makes a position the same, beside the turn, which alternates.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    hash: u64,
    /// Rooks that may still castle.
    rights: u64,
    /// File of a legal en passant capture, 8 for none.
    en_passant: u8,
    board: Board,
}

impl Key {
    #[inline]
    fn of(position: &Chess) -> Self {
        let board = position.board();
        let rights = u64::from(position.castles().castling_rights());
        let en_passant = position.legal_ep_square().map_or(8, |square| u32::from(square.file()) as u8);
        let words = [
            board.white(),
            board.pawns(),
            board.knights(),
            board.bishops(),
            board.rooks(),
            board.queens(),
            board.kings(),
        ];
        let seed = rights ^ u64::from(en_passant);
        let hash = words
            .iter()
            .fold(seed, |hash, word| (hash ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
        Self { hash, rights, en_passant, board: board.clone() }
    }
}

/// The positions since the last pawn move or capture: only these can come again.
#[derive(Clone, Debug, Default)]
pub struct Repetition {
    keys: Vec<Key>,
}

impl Repetition {
    /// Begins a game.
    pub fn clear(&mut self) {
        self.keys.clear();
    }

    /// Adds a position and says how often it has occurred, itself included. `afresh` when the move before was by a pawn
    /// or a capture, or there was none.
    #[inline]
    pub fn add(&mut self, position: &Chess, afresh: bool) -> usize {
        if afresh {
            self.keys.clear();
        }
        let key = Key::of(position);
        let earlier = self.keys.iter().rev().skip(1).step_by(2);
        let count = 1 + earlier.filter(|other| other.hash == key.hash && **other == key).count();
        self.keys.push(key);
        count
    }
}
