//! How often a position has occurred.
//!
//! Positions are the same when the same player is to move, pieces of the same kind and colour stand on the same squares
//! and the possible moves of all pieces are the same (9.2.3). So castling rights count per rook, and an en passant
//! square only when the capture is legal.

use crate::domain::rules::{Chess, Move, Position};

/// The positions since the last pawn move or capture: only these can come again. They are kept as hashes; a count that
/// matters is made again with the positions themselves.
#[derive(Clone, Debug, Default)]
pub struct Repetition {
    hashes: Vec<u64>,
    /// A position from which an exact count can begin, and how many moves led to it: never behind the last pawn move or
    /// capture, so that all exact counts together play a game through only once.
    checkpoint: Option<(Chess, usize)>,
}

impl Repetition {
    /// Begins with a position whose history does not count.
    pub fn restart(&mut self) {
        self.hashes.clear();
        self.checkpoint = None;
    }

    /// How often the position after these moves has occurred, the positions themselves compared.
    pub fn count_exactly(&mut self, start: &Chess, moves: &[Move]) -> usize {
        let first = (moves.len() + 1).saturating_sub(self.hashes.len());
        let (position, played) = self.checkpoint.get_or_insert_with(|| (start.clone(), 0));
        while *played < first {
            position.play_unchecked(moves[*played]);
            *played += 1;
        }
        let mut last = position.clone();
        moves[first..].iter().for_each(|mv| last.play_unchecked(*mv));
        let mut position = position.clone();
        let mut count = usize::from(position == last);
        for mv in &moves[first..] {
            position.play_unchecked(*mv);
            count += usize::from(position == last);
        }
        count
    }

    /// Adds a position and says how often its hash has occurred, itself included. `afresh` when the move before was by
    /// a pawn or a capture, or there was none.
    #[inline]
    pub fn add(&mut self, position: &Chess, afresh: bool) -> usize {
        if afresh {
            self.hashes.clear();
        }
        let hash = hash(position);
        let mut count = 1;
        let mut at = self.hashes.len();
        while at >= 2 {
            at -= 2;
            count += usize::from(self.hashes[at] == hash);
        }
        self.hashes.push(hash);
        count
    }
}

/// Everything that makes a position the same, but for the turn, which alternates.
#[inline]
fn hash(position: &Chess) -> u64 {
    let board = position.board();
    let en_passant = position.legal_ep_square().map_or(64, u32::from);
    let words =
        [board.white(), board.pawns(), board.knights(), board.bishops(), board.rooks(), board.queens(), board.kings()];
    let seed = u64::from(position.castles().castling_rights()) ^ (u64::from(en_passant) << 20);
    words.iter().fold(seed, |hash, word| (hash ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}
