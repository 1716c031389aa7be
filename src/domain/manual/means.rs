//! The means: what is thrown or drawn, and how a throw is written.

use crate::domain::position_number::PositionNumber;

/// What one step throws or draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// A die with this many faces: `1`, `2`, …
    Die(u16),
    /// A coin: `h` for heads, `t` for tails.
    Coin,
    /// A ball or die that shows a digit: `0` to `9`.
    Digit,
    /// One of the cards 1, 3, 5, 7.
    OddCard,
    /// One of the cards 2, 4, 6, 8.
    EvenCard,
    /// One of the cards 1 to 8 that are left.
    Card,
    /// A position number, `0` to `959`.
    Number,
}

impl Means {
    /// Every throw there is, as it is written; all are equally likely, cards that are out excepted.
    pub fn tokens(self) -> Vec<String> {
        match self {
            Self::Coin => ["h", "t"].map(String::from).into(),
            _ => self.values().map(|value| value.to_string()).collect(),
        }
    }

    /// The value of a throw; none if the text is not one.
    pub(super) fn value(self, token: &str) -> Option<u16> {
        match (self, token) {
            (Self::Coin, "h") => Some(1),
            (Self::Coin, "t") => Some(0),
            (Self::Coin, _) => None,
            _ => self.values().find(|value| value.to_string() == token),
        }
    }

    /// How many values there are when throws are the digits of a number.
    pub(super) fn base(self) -> u32 {
        self.values().count() as u32
    }

    pub(super) fn is_card(self) -> bool {
        matches!(self, Self::OddCard | Self::EvenCard | Self::Card)
    }

    fn values(self) -> impl Iterator<Item = u16> {
        let (values, apart) = match self {
            Self::Die(faces) => (1..=faces, 1),
            Self::Coin => (0..=1, 1),
            Self::Digit => (0..=9, 1),
            Self::OddCard => (1..=7, 2),
            Self::EvenCard => (2..=8, 2),
            Self::Card => (1..=8, 1),
            Self::Number => (0..=PositionNumber::all().len() as u16 - 1, 1),
        };
        values.step_by(apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_throw_has_one_text() {
        let all = [
            (Means::Die(20), 20),
            (Means::Coin, 2),
            (Means::Digit, 10),
            (Means::OddCard, 4),
            (Means::EvenCard, 4),
            (Means::Card, 8),
            (Means::Number, 960),
        ];
        for (means, count) in all {
            let tokens = means.tokens();
            assert_eq!((tokens.len(), means.base()), (count, count as u32));
            assert!(tokens.iter().all(|token| means.value(token).is_some()), "{means:?}");
            for bad in ["", "01", "+1", " 1", "1 ", "-1", "960", "H", "heads", "1,2"] {
                assert_eq!(means.value(bad), None, "{means:?} {bad:?}");
            }
        }
        assert_eq!((Means::OddCard.value("2"), Means::EvenCard.value("2")), (None, Some(2)));
        assert_eq!((Means::Die(6).value("0"), Means::Die(6).value("7"), Means::Digit.value("10")), (None, None, None));
    }
}
