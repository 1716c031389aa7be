//! The number of a start position: Scharnagl's numbering, 0 to 959.
//!
//! 518 is the classical array. Devices and lists that count 1 to 960 are converted here, by a
//! scheme that has a name, and nowhere else.

use std::{fmt, str::FromStr};

/// How many start positions there are.
pub const COUNT: u16 = 960;

/// Scharnagl number of a start position, 0 to 959.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionNumber(u16);

/// Why something is not a position number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAPositionNumber {
    /// Not a whole number in decimal digits.
    NotANumber,
    /// 960 under Scharnagl's numbering: only the `dgt960` scheme has it, as its name for 0.
    NineSixty,
    /// Beyond the numbers of the scheme.
    OutOfRange,
    /// A scheme nobody has told us about.
    UnknownScheme,
}

impl fmt::Display for NotAPositionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "a position number is a whole number from 0 to 959",
            Self::NineSixty => {
                "960 is not a position number: they run from 0 to 959. A DGT960 clock shows 960 for position 0; \
                 name the scheme dgt960 if the number comes from one"
            }
            Self::OutOfRange => "position numbers run from 0 to 959 (1 to 960 in the scheme dgt960)",
            Self::UnknownScheme => "the numbering scheme is one of scharnagl, dgt960",
        })
    }
}

impl std::error::Error for NotAPositionNumber {}

/// A way of numbering the start positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberScheme {
    /// 0 to 959, 518 classical: the standard, and the only one used inside.
    Scharnagl,
    /// 1 to 960 as a DGT960 clock shows them: Scharnagl's, with 0 called 960.
    Dgt960,
}

impl FromStr for NumberScheme {
    type Err = NotAPositionNumber;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        match s {
            "scharnagl" => Ok(Self::Scharnagl),
            "dgt960" => Ok(Self::Dgt960),
            _ => Err(NotAPositionNumber::UnknownScheme),
        }
    }
}

impl PositionNumber {
    /// The classical array, RNBQKBNR.
    pub const CLASSICAL: Self = Self(518);

    /// The number as an integer, 0 to 959.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Every number in ascending order.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + Clone {
        (0..COUNT).map(Self)
    }

    /// The number that `shown` means in `scheme`.
    ///
    /// # Errors
    /// When the scheme has no such number.
    pub fn in_scheme(scheme: NumberScheme, shown: u16) -> Result<Self, NotAPositionNumber> {
        match (scheme, shown) {
            (NumberScheme::Scharnagl, n) => Self::try_from(n),
            (NumberScheme::Dgt960, 960) => Ok(Self(0)),
            (NumberScheme::Dgt960, 0) => Err(NotAPositionNumber::OutOfRange),
            (NumberScheme::Dgt960, n) => Self::try_from(n),
        }
    }

    /// What a DGT960 clock shows for this number: 1 to 960.
    pub const fn dgt960(self) -> u16 {
        if self.0 == 0 { 960 } else { self.0 }
    }
}

impl TryFrom<u16> for PositionNumber {
    type Error = NotAPositionNumber;

    fn try_from(n: u16) -> Result<Self, Self::Error> {
        match n {
            0..COUNT => Ok(Self(n)),
            COUNT => Err(NotAPositionNumber::NineSixty),
            _ => Err(NotAPositionNumber::OutOfRange),
        }
    }
}

impl FromStr for PositionNumber {
    type Err = NotAPositionNumber;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        parse_shown(s).and_then(Self::try_from)
    }
}

/// Reads decimal digits, `0` to `65535`; signs, blanks and leading zeros are not part of a number.
///
/// # Errors
/// [`NotAPositionNumber::NotANumber`] or, for more than a `u16`, [`NotAPositionNumber::OutOfRange`].
pub fn parse_shown(s: &str) -> Result<u16, NotAPositionNumber> {
    let digits = !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits || (s.len() > 1 && s.starts_with('0')) {
        return Err(NotAPositionNumber::NotANumber);
    }
    s.parse().map_err(|_| NotAPositionNumber::OutOfRange)
}

impl fmt::Display for PositionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_0_to_959_are_numbers() {
        for n in 0..=u16::MAX {
            assert_eq!(PositionNumber::try_from(n).is_ok(), n < 960, "{n}");
        }
        assert_eq!("960".parse::<PositionNumber>(), Err(NotAPositionNumber::NineSixty));
        assert_eq!("1000".parse::<PositionNumber>(), Err(NotAPositionNumber::OutOfRange));
        assert_eq!("99999999".parse::<PositionNumber>(), Err(NotAPositionNumber::OutOfRange));
        for text in ["-1", "+5", "518.5", "abc", "", " 5", "05", "٥"] {
            assert_eq!(text.parse::<PositionNumber>(), Err(NotAPositionNumber::NotANumber), "{text:?}");
        }
    }

    #[test]
    fn a_dgt960_clock_calls_0_960() {
        for number in PositionNumber::all() {
            assert_eq!(PositionNumber::in_scheme(NumberScheme::Dgt960, number.dgt960()), Ok(number));
        }
        assert_eq!(PositionNumber::in_scheme(NumberScheme::Dgt960, 960), Ok(PositionNumber(0)));
        assert!(PositionNumber::in_scheme(NumberScheme::Dgt960, 0).is_err());
        assert!(PositionNumber::in_scheme(NumberScheme::Dgt960, 961).is_err());
        assert!(PositionNumber::in_scheme(NumberScheme::Scharnagl, 960).is_err());
    }
}
