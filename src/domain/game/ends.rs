//! Where a game ends by rule while it is played, and where a draw can be claimed.

use super::{
    conclusion::End,
    dead, fault,
    finding::{Finding, FindingCode as C},
    replay::{Replay, Word},
};
use crate::domain::rules::Position;

impl Replay<'_> {
    /// Whether the position ends the game or lets a draw be claimed. Mate and stalemate are looked for only when no legal
    /// move follows: a legal move proves that there was neither.
    #[inline]
    pub(super) fn look_for_end(&mut self, afresh: bool) {
        if self.end.is_some() || self.plays_on {
            return;
        }
        let count = self.repetition.add(&self.position, afresh);
        let halfmoves = self.position.halfmoves();
        if count >= 3 || halfmoves >= 100 {
            self.look_for_claims(count, halfmoves);
        }
        if dead::proven_dead(&self.position).is_some() && self.has_moves() {
            self.end_by(C::DeadPosition);
        }
    }

    /// Whether there is a legal move.
    pub(super) fn has_moves(&self) -> bool {
        !self.position.legal_moves().is_empty()
    }

    /// The game ends here, if it has not ended before.
    pub(super) fn end_by(&mut self, by: C) {
        self.end.get_or_insert(End { ply: self.plies, by });
    }

    /// Whether the game is over, so that it does not matter why this cannot be played.
    pub(super) fn is_void(&mut self, word: Word<'_>) -> bool {
        if let Some(end) = self.end {
            self.move_after_end(end, word);
            self.stopped |= self.end.is_some() || !self.has_moves();
        }
        self.stopped
    }

    #[cold]
    fn look_for_claims(&mut self, hashes: usize, halfmoves: u32) {
        let count = if hashes < 3 { hashes } else { self.repetition.count_exactly(&self.segment, &self.moves) };
        if count >= 5 {
            return self.end_by(C::FivefoldRepetition);
        }
        if halfmoves >= 150 && self.has_moves() {
            return self.end_by(C::SeventyFiveMoves);
        }
        if count == 3 && !self.findings.has(C::ThreefoldClaimable) {
            self.claimable(
                C::ThreefoldClaimable,
                "the position has occurred three times: the player to move can claim a draw",
            );
        }
        if halfmoves >= 100 && !self.findings.has(C::FiftyMovesClaimable) && self.has_moves() {
            let why =
                "each player has made 50 moves without a pawn move or a capture: the player to move can claim a draw";
            self.claimable(C::FiftyMovesClaimable, why);
        }
    }

    fn claimable(&mut self, code: C, message: &str) {
        let ply = self.plies;
        self.find(Finding::new(code, format!("after half-move {ply} {message}")).at_ply(ply));
    }

    /// Finds the first move after the end. What ended the game by rule leaves moves possible, and the record goes on being
    /// read; where an arbiter accepts that play went on, the end did not happen.
    #[cold]
    pub(super) fn move_after_end(&mut self, end: End, word: Word<'_>) {
        if self.findings.has(C::MoveAfterEnd) {
            return;
        }
        let accepted = self.find(fault::after_end(end, self.plies + 1, word)).is_some();
        if accepted && self.has_moves() {
            self.end = None;
            self.plays_on = true;
        }
    }
}
