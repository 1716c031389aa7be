//! Playing a game move by move from its start, by the rules.

use super::{
    array::ArrayDifference,
    board::{self, Found, Miss},
    conclusion::End,
    fault::{self, placed},
    finding::{Finding, FindingCode as C},
    findings::Findings,
    notation::{Mark, NotAMove, Said, Written},
    numbering::Numbering,
    options::{Options, Override},
    repetition::Repetition,
    spelled::{Spelled, spell_san, spell_uci},
    spelling,
};
use crate::domain::{
    castling::CastlingRecord,
    rules::{Chess, Move, Position},
};

/// A move as it stands in the record.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// As written.
    pub text: &'a [u8],
    /// Where, for a text.
    pub at: Option<usize>,
}

/// A game being played through. One is kept for many games, so that its memory is used again.
#[derive(Debug)]
pub struct Replay<'o> {
    pub(super) options: &'o Options,
    /// Everything found so far.
    pub findings: Findings,
    /// The position at hand.
    pub position: Chess,
    /// The moves so far, in both notations, each followed by a blank.
    pub san: Vec<u8>,
    /// See `san`.
    pub uci: Vec<u8>,
    /// Half-moves played.
    pub plies: u32,
    /// Where the game ended on the board, if it did.
    pub end: Option<End>,
    /// Whether a move could not be played, so that what follows was not examined.
    pub stopped: bool,
    /// Moves that were not examined.
    pub unexamined: u32,
    /// Mark of the last move if it gives check: whether it should have been that of mate is known only at the end.
    pub last_mark: Mark,
    /// How the record's array differs from the drawn one, and the code under which that was found.
    pub array: Option<(C, ArrayDifference)>,
    /// An arbiter let the game go on after its end.
    pub(super) plays_on: bool,
    /// Moves since `segment`, for explanations.
    pub(super) moves: Vec<Move>,
    /// The start, or the position that an arbiter let stand.
    pub(super) segment: Chess,
    /// The rights to castle up to a position that an arbiter let stand, and the half-move that led to it.
    pub(super) let_stand: Option<(CastlingRecord, u32)>,
    pub(super) repetition: Repetition,
    numbering: Numbering,
}

impl<'o> Replay<'o> {
    /// Ready for games under these options.
    pub fn new(options: &'o Options) -> Self {
        Self {
            options,
            findings: Findings::default(),
            position: Chess::default(),
            san: Vec::new(),
            uci: Vec::new(),
            plies: 0,
            end: None,
            stopped: false,
            unexamined: 0,
            last_mark: Mark::None,
            array: None,
            plays_on: false,
            moves: Vec::new(),
            segment: Chess::default(),
            let_stand: None,
            repetition: Repetition::default(),
            numbering: Numbering::default(),
        }
    }

    /// Begins a game from this position; without one, moves are only counted.
    pub fn begin(&mut self, start: Option<&Chess>) {
        self.san = Vec::with_capacity(768);
        self.uci = Vec::with_capacity(768);
        self.plies = 0;
        self.end = None;
        self.stopped = start.is_none();
        self.unexamined = 0;
        self.last_mark = Mark::None;
        self.numbering = Numbering::default();
        self.plays_on = false;
        self.let_stand = None;
        if let Some(start) = start {
            self.restart(start.clone());
            self.look_for_end(true);
        }
    }

    /// Goes on from a position whose history is not known.
    pub(super) fn restart(&mut self, position: Chess) {
        self.moves.clear();
        self.repetition.restart();
        self.segment = position.clone();
        self.position = position;
    }

    /// Adds a finding; answers the override that accepts it.
    pub fn find(&mut self, finding: Finding) -> Option<&'o Override> {
        self.findings.add(finding, &self.options.overrides)
    }

    /// Plays what a word says, or finds out why not.
    #[inline]
    pub fn play(&mut self, word: Word<'_>, written: Result<Written, NotAMove>) {
        if self.stopped {
            self.unexamined = self.unexamined.saturating_add(1);
            return;
        }
        match written {
            Ok(written) => match board::find(&self.position, &written.said) {
                Ok(found) => self.make(&found, &written, word),
                Err(miss) => self.refuse(&written.said, &miss, word),
            },
            Err(why) => self.refuse_word(word, &why),
        }
    }

    /// Makes a legal move.
    #[inline]
    fn make(&mut self, found: &Found, written: &Written, word: Word<'_>) {
        let ply = self.plies + 1;
        if let Some(end) = self.end {
            self.move_after_end(end, word);
        }
        if spelling::is_doubtful(found, written) {
            spelling::look(&mut self.findings, found, written, word, ply);
        }
        let mut san = Spelled::default();
        spell_san(&mut san, found);
        self.moved(found.mv);
        let check = self.position.is_check();
        if check {
            san.push(b'+');
        }
        san.push(b' ');
        san.append_to(&mut self.san);
        if check || written.mark != Mark::None {
            self.look_at_mark(check, written, word);
        }
        self.look_for_end(found.mv.is_zeroing());
    }

    /// Writes the check sign of the last move as that of mate, when it turns out to be; whether there is one.
    pub fn mark_mate(&mut self) -> bool {
        let is_marked = self.position.is_check() && self.san.ends_with(b"+ ");
        if is_marked {
            let sign = self.san.len() - 2;
            self.san[sign] = b'#';
        }
        is_marked
    }

    /// Whether the last move was an en passant capture.
    pub fn last_was_en_passant(&self) -> bool {
        self.moves.last().is_some_and(|mv| mv.is_en_passant())
    }

    /// Carries a move out on the board.
    #[inline]
    fn moved(&mut self, mv: Move) {
        spell_uci(mv).append_to(&mut self.uci);
        self.position.play_unchecked(mv);
        self.moves.push(mv);
        self.plies += 1;
        self.last_mark = Mark::None;
    }

    fn look_at_mark(&mut self, check: bool, written: &Written, word: Word<'_>) {
        self.last_mark = written.mark;
        if matches!(written.said, Said::Squares { .. }) {
            self.last_mark = Mark::Mate;
            return;
        }
        let mate = written.mark == Mark::Mate && check && self.position.legal_moves().is_empty();
        spelling::look_at_mark(&mut self.findings, check, mate, written.mark, word, self.plies);
    }

    /// A word that is no move.
    #[cold]
    fn refuse_word(&mut self, word: Word<'_>, why: &NotAMove) {
        if self.is_void(word) {
            return;
        }
        let finding = fault::unreadable_word(word, why, self.plies + 1);
        let stands_for_a_move = finding.code != C::UnreadableToken;
        let accepted = self.find(finding);
        if stands_for_a_move {
            self.resume(accepted, None, word);
        }
    }

    /// A move that cannot be played.
    #[cold]
    fn refuse(&mut self, said: &Said, miss: &Miss, word: Word<'_>) {
        let ply = self.plies + 1;
        if !self.has_moves() {
            let by = if self.position.is_check() { C::Checkmate } else { C::Stalemate };
            self.mark_mate();
            self.end_by(by);
        }
        if self.is_void(word) {
            return;
        }
        let record = || self.castling_record();
        let finding = fault::no_move(&self.position, record, said, miss, self.options.lets_unclaimed_stand());
        let finding = placed(finding, ply, word);
        let accepted = self.find(finding);
        self.resume(accepted, Some(said), word);
    }

    /// Stops playing: what follows is only counted.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        self.unexamined = 0;
    }

    /// Compares a move number of the record with the move at hand.
    #[inline]
    pub fn number(&mut self, number: u32, is_blacks: bool, at: usize) {
        if !self.stopped
            && let Some(finding) = self.numbering.compare(number, is_blacks, &self.position, self.plies)
        {
            self.findings.add_once(finding.at(at));
        }
    }
}
