//! The procedures: what is thrown in which order, and what each throw decides.
//!
//! Squares are counted on White's back rank from the a-file, free ones only where the step says so.

use super::{
    means::Means,
    refused::{REFUSED, Refused},
    walk::Question,
};
use std::fmt;

/// A way of drawing a start position by hand that gives each the same chance.
#[derive(Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name in terms, `manual <name>`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What the table needs.
    pub needs: &'static str,
    pub(super) steps: &'static [Step],
    /// Throws after which a number too large is noticed, and all start again.
    pub(super) too_large_after: usize,
}

impl Procedure {
    /// What is thrown in which order, when nothing has to be thrown again.
    pub fn questions(&'static self) -> impl Iterator<Item = Question> {
        let of = self.steps.len();
        let question =
            move |(i, step): (usize, &Step)| Question { text: step.question, means: step.means, number: i + 1, of };
        self.steps.iter().enumerate().map(question)
    }
}

/// One throw of a procedure.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) question: &'static str,
    pub(super) means: Means,
    pub(super) decides: Decides,
}

/// What a throw decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decides {
    /// Where a piece stands: the n-th of these squares; throw again if there is none.
    Square(u8, Among),
    /// Where both knights stand, from 1 to 20: the first on free square n / 4, rounded up, the second on square n mod 4
    /// plus 1 of those that are then left.
    Knights,
    /// The next digit of the position number.
    Digit,
}

/// Which squares are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Among {
    /// a, c, e, g.
    Dark,
    /// b, d, f, h.
    Light,
    /// The squares of the colour on which no bishop stands.
    OtherColour,
    /// The squares without a piece.
    Free,
    /// All eight.
    Files,
}

/// Why there is no such procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProcedure {
    /// It does not give each position the same chance.
    Refused(&'static Refused),
    /// Nobody has told us about it.
    Unknown,
}

impl fmt::Display for NoProcedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Unknown => {
                let names: Vec<_> = PROCEDURES.iter().map(|procedure| procedure.name).collect();
                write!(f, "the procedures are {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for NoProcedure {}

/// The procedure with this name.
///
/// # Errors
/// When there is none, or it is refused.
pub fn procedure(name: &str) -> Result<&'static Procedure, NoProcedure> {
    let refused = || REFUSED.iter().find(|refused| refused.name == name).map(NoProcedure::Refused);
    let found = PROCEDURES.iter().find(|procedure| procedure.name == name);
    found.ok_or_else(|| refused().unwrap_or(NoProcedure::Unknown))
}

const fn step(question: &'static str, means: Means, decides: Decides) -> Step {
    Step { question, means, decides }
}

const fn square(question: &'static str, means: Means, piece: u8, among: Among) -> Step {
    step(question, means, Decides::Square(piece, among))
}

const fn digit(question: &'static str, means: Means) -> Step {
    step(question, means, Decides::Digit)
}

const COIN: Step =
    digit("Toss a coin: h for heads, t for tails. Four heads at the beginning start again.", Means::Coin);

/// Every procedure on offer. That each gives every position 1/960 exactly is a test.
pub static PROCEDURES: [Procedure; 7] = [
    Procedure {
        name: "d6",
        title: "One six-sided die (Bodlaender, Althöfer)",
        needs: "one six-sided die",
        steps: &[
            square("Dark-square bishop: 1 a1, 2 c1, 3 e1, 4 g1; 5 and 6 again.", Means::Die(6), b'B', Among::Dark),
            square("Light-square bishop: 1 b1, 2 d1, 3 f1, 4 h1; 5 and 6 again.", Means::Die(6), b'B', Among::Light),
            square("Queen: free square 1 to 6 from the a-file.", Means::Die(6), b'Q', Among::Free),
            square("First knight: free square 1 to 5; 6 again.", Means::Die(6), b'N', Among::Free),
            square("Second knight: free square 1 to 4; 5 and 6 again.", Means::Die(6), b'N', Among::Free),
        ],
        too_large_after: usize::MAX,
    },
    Procedure {
        name: "coin10",
        title: "Ten tosses of a coin (Stefanov)",
        needs: "one coin",
        steps: &[COIN, COIN, COIN, COIN, COIN, COIN, COIN, COIN, COIN, COIN],
        too_large_after: 4,
    },
    Procedure {
        name: "cards8",
        title: "Cards 1 to 8, one for each file",
        needs: "cards numbered 1 to 8",
        steps: &[
            square("Shuffle cards 1, 3, 5, 7, draw one: file of the first bishop.", Means::OddCard, b'B', Among::Files),
            square(
                "Shuffle cards 2, 4, 6, 8, draw one: file of the other bishop.",
                Means::EvenCard,
                b'B',
                Among::Files,
            ),
            square("Shuffle the six cards left, draw one: file of the queen.", Means::Card, b'Q', Among::Files),
            square("Draw one more: file of the first knight.", Means::Card, b'N', Among::Files),
            square("Draw one more: file of the second knight.", Means::Card, b'N', Among::Files),
        ],
        too_large_after: usize::MAX,
    },
    Procedure {
        name: "platonic",
        title: "Dice with 8, 4, 6 and 20 faces in one throw",
        needs: "one die each with 8, 4, 6 and 20 faces",
        steps: &[
            square("Die with 8 faces: file of the first bishop, 1 a to 8 h.", Means::Die(8), b'B', Among::Files),
            square(
                "Die with 4 faces: other bishop, square 1 to 4 of the other colour.",
                Means::Die(4),
                b'B',
                Among::OtherColour,
            ),
            square("Die with 6 faces: queen, free square 1 to 6.", Means::Die(6), b'Q', Among::Free),
            step("Die with 20 faces: both knights.", Means::Die(20), Decides::Knights),
        ],
        too_large_after: usize::MAX,
    },
    Procedure {
        name: "digits",
        title: "Three digits from three boxes or ten-sided dice",
        needs: "three boxes with balls 0 to 9, or a ten-sided die",
        steps: &[
            digit("Hundreds, 0 to 9.", Means::Digit),
            digit("Tens, 0 to 9.", Means::Digit),
            digit("Units, 0 to 9. From 960 on put all three back and draw all three again.", Means::Digit),
        ],
        too_large_after: 3,
    },
    Procedure {
        name: "balls960",
        title: "960 numbered balls",
        needs: "balls numbered 0 to 959",
        steps: &[digit("Draw one ball, 0 to 959.", Means::Number)],
        too_large_after: usize::MAX,
    },
    Procedure {
        name: "external",
        title: "A number from a federation or a lottery machine",
        needs: "the number and a reference to where it was drawn",
        steps: &[digit("The number as drawn, 0 to 959.", Means::Number)],
        too_large_after: usize::MAX,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_found_or_refused_by_name() {
        for offered in &PROCEDURES {
            assert_eq!(procedure(offered.name), Ok(offered));
            assert!(REFUSED.iter().all(|refused| refused.name != offered.name));
            assert!(format!("manual {}", offered.name).parse::<crate::domain::derivation::Source>().is_ok());
        }
        for refused in &REFUSED {
            assert_eq!(procedure(refused.name), Err(NoProcedure::Refused(refused)));
        }
        assert_eq!(procedure("d7"), Err(NoProcedure::Unknown));
        assert!(NoProcedure::Unknown.to_string().ends_with("d6, coin10, cards8, platonic, digits, balls960, external"));
    }
}
