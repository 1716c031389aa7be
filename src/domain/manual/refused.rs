//! Procedures that do not give each position the same chance. They are refused by name, with how uneven they are.

use std::fmt;

/// A procedure that is refused.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its name.
    pub name: &'static str,
    /// What is done.
    pub title: &'static str,
    /// How uneven it is.
    pub bias: Bias,
    /// What to do instead, or what is wrong.
    pub remark: &'static str,
}

/// How far the chances of positions are from 1/960, as multiples of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// The smallest and the largest multiple, each as numerator and denominator.
    Exact((u32, u32), (u32, u32)),
    /// The same in hundredths, where the procedure is not described well enough for more.
    About(u32, u32),
    /// Nobody can say.
    Unknown,
}

impl Bias {
    /// The smallest and the largest multiple of 1/960.
    pub fn range(self) -> Option<(f64, f64)> {
        let ratio = |(above, below): (u32, u32)| f64::from(above) / f64::from(below);
        match self {
            Self::Exact(least, most) => Some((ratio(least), ratio(most))),
            Self::About(least, most) => Some((ratio((least, 100)), ratio((most, 100)))),
            Self::Unknown => None,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is refused: ", self.title)?;
        match self.bias.range() {
            Some((least, most)) => write!(f, "chances run from {least:.2} to {most:.2} times 1/960. ")?,
            None => write!(f, "its chances cannot be known. ")?,
        }
        f.write_str(self.remark)
    }
}

const fn refused(name: &'static str, title: &'static str, bias: Bias, remark: &'static str) -> Refused {
    Refused { name, title, bias, remark }
}

/// Every procedure that is refused by name.
pub static REFUSED: [Refused; 17] = [
    refused(
        "digits-second-redrawn",
        "Three digits, where after a 9 only the second is drawn again",
        Bias::Exact((24, 25), (8, 5)),
        "Positions 900 to 959 are favoured. Draw all three again: that is digits.",
    ),
    refused(
        "digits-modulo",
        "Three digits, less 960 if they exceed 959",
        Bias::Exact((24, 25), (48, 25)),
        "Positions 0 to 39 have double chance. Draw all three again: that is digits.",
    ),
    refused(
        "digits-clamped",
        "Three digits, and 959 if they exceed it",
        Bias::Exact((24, 25), (984, 25)),
        "Position 959 comes up in one draw of 24. Draw all three again: that is digits.",
    ),
    refused(
        "coin10-heads-or-tails",
        "Ten tosses, starting again after four heads or four tails",
        Bias::Exact((0, 1), (15, 14)),
        "Positions 0 to 63 never come up. Only four heads start again: that is coin10.",
    ),
    refused(
        "coin10-modulo",
        "Ten tosses, less 960 if they exceed 959",
        Bias::Exact((15, 16), (15, 8)),
        "Positions 0 to 63 have double chance. Start again after four heads: that is coin10.",
    ),
    refused(
        "d6-wrapped",
        "One die, counting on from the first square instead of throwing again",
        Bias::Exact((20, 81), (80, 27)),
        "Low squares are favoured. Throw again: that is d6.",
    ),
    refused(
        "king-first",
        "King on b to g by one die, a rook on each side, then bishops and queen",
        Bias::Exact((20, 27), (40, 27)),
        "The king comes to b1 and g1 too often.",
    ),
    refused(
        "no-rethrow",
        "King, left rook, queen, bishops, right rook, without ever throwing again",
        Bias::About(42, 250),
        "Some throws lead nowhere, and no fixed number of six-sided dice can be even over 960.",
    ),
    refused(
        "bag",
        "Eight pieces drawn from a bag onto a to h, illegal ones put back",
        Bias::Exact((16, 63), (256, 63)),
        "What is put back is not what was even. Start all over instead.",
    ),
    refused(
        "wheel",
        "A wheel with the kinds of pieces, spun for a to h, illegal spins ignored",
        Bias::Exact((5, 32), (20, 3)),
        "The likeliest position comes 42 times as often as the rarest.",
    ),
    refused(
        "shuffle-right-neighbour",
        "Pieces shuffled; of bishops on one colour the right one moves to the right, from h to g",
        Bias::Exact((4, 7), (12, 7)),
        "Shuffle all again, or exchange a random bishop with a random square of the other colour.",
    ),
    refused(
        "shuffle-left-bishop",
        "Pieces shuffled; of bishops on one colour the left one moves to the right",
        Bias::Exact((4, 7), (8, 7)),
        "Shuffle all again, or exchange a random bishop with a random square of the other colour.",
    ),
    refused(
        "shuffle-random-neighbour",
        "Pieces shuffled; of bishops on one colour a random one moves to a random neighbour",
        Bias::Exact((16, 21), (26, 21)),
        "Shuffle all again, or exchange a random bishop with a random square of the other colour.",
    ),
    refused(
        "next-to-518",
        "519 (or 517) taken when 518 is drawn",
        Bias::Exact((1, 1), (2, 1)),
        "The neighbour has double chance. Exclude 518 and draw again.",
    ),
    refused(
        "machine-modulo",
        "A 16-bit random number modulo 960",
        Bias::Exact((255, 256), (1035, 1024)),
        "Small numbers are favoured. Skip what exceeds the largest multiple.",
    ),
    refused("choice", "Somebody picks a nice position", Bias::Unknown, "A choice is not a draw."),
    refused(
        "letters",
        "Last moves of other games or letters of names",
        Bias::Unknown,
        "What others can know or influence is not a draw.",
    ),
];
