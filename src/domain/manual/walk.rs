//! The walk: a procedure in progress, one throw after the other.

use super::{
    means::Means,
    procedure::{Among, Decides, NoProcedure, Procedure, Step, procedure},
};
use crate::domain::{number_set::NumberSet, position_number::PositionNumber, start_position::StartPosition};
use std::fmt;

/// A procedure in progress: what was thrown, what stands, what comes next.
#[derive(Clone, Debug)]
pub struct Walk {
    procedure: &'static Procedure,
    excluded: NumberSet,
    used: NumberSet,
    record: Vec<Throw>,
    pass: Pass,
    finished: Option<PositionNumber>,
}

/// What has been decided since the procedure began or began again.
#[derive(Clone, Debug, Default)]
struct Pass {
    step: usize,
    /// Pieces from the a-file, 0 for a free square.
    rank: [u8; 8],
    /// The digits so far.
    number: u32,
}

/// A throw as it was written and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throw {
    /// As it was written.
    pub token: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a throw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It counts; the next question follows.
    Accepted,
    /// It does not count, for this reason; it stays in the record.
    Rejected(Rejection),
    /// It was the last; this is the number.
    Finished(PositionNumber),
}

/// Why a throw does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// No square has this value: the same throw again.
    ThrowAgain,
    /// The digits exceed 959: all throws again.
    TooLarge,
    /// The policy excludes the number: all throws again.
    Excluded(PositionNumber),
    /// The number was released before in the tournament: all throws again.
    Used(PositionNumber),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThrowAgain => f.write_str("this value stands for no square: throw again, for the same piece"),
            Self::TooLarge => f.write_str("the number exceeds 959: start again with the first throw"),
            Self::Excluded(number) => write!(f, "{number} is excluded: start again with the first throw"),
            Self::Used(number) => write!(f, "{number} was drawn before: start again with the first throw"),
        }
    }
}

/// Why a text is not a throw at this point. Nothing is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAThrow {
    /// The means of this step cannot show it.
    NoSuchValue,
    /// The card is on the table already.
    CardIsOut,
    /// The number is known; there is nothing more to throw.
    Finished,
}

impl fmt::Display for NotAThrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchValue => "this throw cannot show that value",
            Self::CardIsOut => "that card is on the table already",
            Self::Finished => "the draw is finished: nothing more is thrown",
        })
    }
}

impl std::error::Error for NotAThrow {}

/// What the arbiter is asked next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// What to throw and what it decides.
    pub text: &'static str,
    /// What is thrown.
    pub means: Means,
    /// Which throw of the procedure this is, from 1.
    pub number: usize,
    /// How many throws the procedure has.
    pub of: usize,
}

impl Walk {
    /// Begins a procedure. A result in `excluded` or `used` will not count.
    pub fn start(procedure: &'static Procedure, excluded: NumberSet, used: NumberSet) -> Self {
        Self { procedure, excluded, used, record: Vec::new(), pass: Pass::default(), finished: None }
    }

    /// What to throw next; none when finished.
    pub fn next_question(&self) -> Option<Question> {
        let Step { question: text, means, .. } = *self.next_step()?;
        Some(Question { text, means, number: self.pass.step + 1, of: self.procedure.steps.len() })
    }

    /// Records a throw and says what comes of it.
    ///
    /// # Errors
    /// When the text is not a throw at this point; then nothing is recorded.
    pub fn throw(&mut self, token: &str) -> Result<Outcome, NotAThrow> {
        let step = self.next_step().ok_or(NotAThrow::Finished)?;
        let value = step.means.value(token).ok_or(NotAThrow::NoSuchValue)?;
        if step.means.is_card() && self.pass.rank[usize::from(value - 1)] != 0 {
            return Err(NotAThrow::CardIsOut);
        }
        let outcome = self.decide(step, value);
        self.record.push(Throw { token: token.into(), outcome });
        Ok(outcome)
    }

    /// Every throw so far, the rejected ones too.
    pub fn record(&self) -> &[Throw] {
        &self.record
    }

    /// The record as the comma list that a commitment binds: `3,5,1,4,6,2,1`.
    pub fn throws(&self) -> String {
        let tokens: Vec<_> = self.record.iter().map(|throw| throw.token.as_str()).collect();
        tokens.join(",")
    }

    /// The back rank as it grows, from the a-file, a dot for each free square; complete when finished.
    pub fn rank(&self) -> String {
        match self.finished {
            Some(number) => StartPosition::from_number(number).rank().into(),
            None => self.pass.rank.iter().map(|piece| if *piece == 0 { '.' } else { char::from(*piece) }).collect(),
        }
    }

    /// The number, once the last throw is made.
    pub fn finished(&self) -> Option<PositionNumber> {
        self.finished
    }

    fn next_step(&self) -> Option<&'static Step> {
        if self.finished.is_some() { None } else { self.procedure.steps.get(self.pass.step) }
    }

    fn decide(&mut self, step: &Step, value: u16) -> Outcome {
        if !self.pass.take(step, value) {
            return Outcome::Rejected(Rejection::ThrowAgain);
        }
        self.pass.step += 1;
        if self.is_too_large() {
            return self.start_again(Rejection::TooLarge);
        }
        if self.pass.step < self.procedure.steps.len() {
            return Outcome::Accepted;
        }
        match self.pass.result() {
            number if self.excluded.contains(number) => self.start_again(Rejection::Excluded(number)),
            number if self.used.contains(number) => self.start_again(Rejection::Used(number)),
            number => {
                self.finished = Some(number);
                Outcome::Finished(number)
            }
        }
    }

    /// Whether the digits so far can only become a number beyond 959, and the procedure looks at that yet.
    fn is_too_large(&self) -> bool {
        let left = &self.procedure.steps[self.pass.step..];
        let at_least = left.iter().fold(self.pass.number, |number, step| number * step.means.base());
        self.pass.step >= self.procedure.too_large_after && at_least >= 960
    }

    fn start_again(&mut self, why: Rejection) -> Outcome {
        self.pass = Pass::default();
        Outcome::Rejected(why)
    }
}

impl Pass {
    /// Takes the value for what the step decides; false if it decides nothing.
    fn take(&mut self, step: &Step, value: u16) -> bool {
        match step.decides {
            Decides::Square(piece, among) => self.place(piece, among, value),
            Decides::Knights => {
                self.place(b'N', Among::Free, value.div_ceil(4)) && self.place(b'N', Among::Free, value % 4 + 1)
            }
            Decides::Digit => {
                self.number = self.number * step.means.base() + u32::from(value);
                true
            }
        }
    }

    /// Puts a piece on the n-th of the squares, counted from 1; false if there is none.
    fn place(&mut self, piece: u8, among: Among, nth: u16) -> bool {
        let bishop = self.rank.iter().position(|piece| *piece == b'B');
        let counted = |file: &usize| match among {
            Among::Dark => file.is_multiple_of(2),
            Among::Light => !file.is_multiple_of(2),
            Among::OtherColour => bishop.is_some_and(|bishop| !(bishop + file).is_multiple_of(2)),
            Among::Free => self.rank[*file] == 0,
            Among::Files => true,
        };
        match (0..8).filter(counted).nth(usize::from(nth - 1)) {
            Some(file) => {
                self.rank[file] = piece;
                true
            }
            None => false,
        }
    }

    /// The number that all throws together decided.
    fn result(&mut self) -> PositionNumber {
        if self.rank == [0; 8] {
            let number = u16::try_from(self.number).unwrap_or(u16::MAX);
            return PositionNumber::try_from(number).expect("numbers beyond 959 start again");
        }
        for piece in *b"RKR" {
            self.place(piece, Among::Free, 1);
        }
        let rank = self.rank.map(char::from).iter().collect::<String>();
        StartPosition::from_rank(&rank).expect("the steps keep the array rules").number()
    }
}

/// Why a record of throws cannot be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadReplay {
    /// There is no such procedure.
    Procedure(NoProcedure),
    /// The throw at this place, counted from 1, is none.
    Throw(usize, NotAThrow),
}

impl fmt::Display for BadReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Procedure(why) => why.fmt(f),
            Self::Throw(place, why) => write!(f, "throw {place}: {why}"),
        }
    }
}

impl std::error::Error for BadReplay {}

/// Replays a comma list of throws; the walk where it ends, finished or not.
///
/// # Errors
/// When the procedure is not offered or a throw is none.
pub fn replay(name: &str, throws: &str, excluded: &NumberSet, used: &NumberSet) -> Result<Walk, BadReplay> {
    let procedure = procedure(name).map_err(BadReplay::Procedure)?;
    let mut walk = Walk::start(procedure, excluded.clone(), used.clone());
    for (index, token) in throws.split(',').enumerate().filter(|_| !throws.is_empty()) {
        walk.throw(token).map_err(|why| BadReplay::Throw(index + 1, why))?;
    }
    Ok(walk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn none() -> NumberSet {
        NumberSet::new()
    }

    fn set(numbers: &[u16]) -> NumberSet {
        numbers.iter().map(|n| PositionNumber::try_from(*n).unwrap()).collect()
    }

    /// Throw by throw, as an arbiter sees it.
    #[test]
    fn the_published_example() {
        let mut walk = Walk::start(procedure("d6").unwrap(), set(&[518]), none());
        let again = Outcome::Rejected(Rejection::ThrowAgain);
        let seen = [
            ("3", Outcome::Accepted, "....B..."),
            ("5", again, "....B..."),
            ("1", Outcome::Accepted, ".B..B..."),
            ("4", Outcome::Accepted, ".B..BQ.."),
            ("6", again, ".B..BQ.."),
            ("2", Outcome::Accepted, ".BN.BQ.."),
            ("1", Outcome::Finished(PositionNumber::try_from(56).unwrap()), "NBNRBQKR"),
        ];
        for (token, outcome, rank) in seen {
            assert!(walk.next_question().is_some());
            assert_eq!((walk.throw(token), walk.rank()), (Ok(outcome), rank.into()));
        }
        assert_eq!((walk.next_question(), walk.throw("1")), (None, Err(NotAThrow::Finished)));
        assert_eq!(walk.throws(), "3,5,1,4,6,2,1");
        assert_eq!((walk.record().len(), walk.record()[1].outcome), (7, again));
    }

    #[derive(serde::Deserialize)]
    struct Example {
        procedure: String,
        throws: String,
        excluded: NumberSet,
        used: NumberSet,
        number: Option<u16>,
        rank: Option<String>,
    }

    #[test]
    fn worked_examples() {
        let examples: Vec<Example> = serde_json::from_str(include_str!("../../../tests/vectors/manual.json")).unwrap();
        assert!(super::super::PROCEDURES.iter().all(|offered| examples.iter().any(|e| e.procedure == offered.name)));
        for Example { procedure, throws, excluded, used, number, rank } in examples {
            let walk = replay(&procedure, &throws, &excluded, &used).unwrap();
            assert_eq!(walk.finished().map(PositionNumber::get), number, "{procedure} {throws}");
            assert!(rank.is_none_or(|rank| rank == walk.rank()), "{procedure} {throws}");
        }
    }

    #[test]
    fn an_excluded_or_used_number_starts_again_on_record() {
        let walk = replay("digits", "5,1,8,0,0,7,0,0,9", &set(&[518]), &set(&[7])).unwrap();
        let number = |n| PositionNumber::try_from(n).unwrap();
        let outcomes: Vec<_> = walk.record().iter().map(|throw| throw.outcome).collect();
        assert_eq!(outcomes[2], Outcome::Rejected(Rejection::Excluded(number(518))));
        assert_eq!(outcomes[5], Outcome::Rejected(Rejection::Used(number(7))));
        assert_eq!(outcomes[8], Outcome::Finished(number(9)));
        let walk = replay("d6", "2,3,3,2,3", &set(&[518]), &none()).unwrap();
        assert_eq!((walk.finished(), walk.rank().as_str()), (None, "........"));
        assert_eq!(walk.next_question().map(|question| (question.number, question.of)), Some((1, 5)));
    }

    #[test]
    fn what_cannot_be_thrown_is_not_recorded() {
        let replayed = |name, throws| replay(name, throws, &none(), &none()).map(|walk| walk.finished());
        let cases = [
            ("d6", "3,7", BadReplay::Throw(2, NotAThrow::NoSuchValue)),
            ("d6", "3,,1", BadReplay::Throw(2, NotAThrow::NoSuchValue)),
            ("d6", "3, 1", BadReplay::Throw(2, NotAThrow::NoSuchValue)),
            ("d6", "2,3,3,2,3,1", BadReplay::Throw(6, NotAThrow::Finished)),
            ("cards8", "2", BadReplay::Throw(1, NotAThrow::NoSuchValue)),
            ("cards8", "3,6,3", BadReplay::Throw(3, NotAThrow::CardIsOut)),
            ("balls960", "960", BadReplay::Throw(1, NotAThrow::NoSuchValue)),
            ("d8", "1", BadReplay::Procedure(NoProcedure::Unknown)),
        ];
        for (name, throws, why) in cases {
            assert_eq!(replayed(name, throws), Err(why), "{name} {throws}");
        }
        let mut walk = Walk::start(procedure("d6").unwrap(), none(), none());
        assert_eq!((walk.throw("7"), walk.throws().as_str()), (Err(NotAThrow::NoSuchValue), ""));
    }

    proptest! {
        #[test]
        fn any_text_is_replayed_or_refused(which in 0usize..7, throws in "([0-9ht]{1,3},?){0,40}|\\PC{0,20}") {
            let name = super::super::PROCEDURES[which].name;
            if let Ok(walk) = replay(name, &throws, &none(), &none()) {
                prop_assert_eq!(walk.throws(), throws);
            }
        }
    }
}
