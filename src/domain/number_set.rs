//! A set of position numbers: what a policy excludes, what a tournament has used.
//!
//! Kept as the 960 bits that `draw960/v1` binds into every commitment: number n is bit 7 - (n mod 8) of byte n div 8.

use super::{hex, position_number::PositionNumber};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Bytes of the bitmap.
const BYTES: usize = 960 / 8;

/// A set of position numbers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct NumberSet([u8; BYTES]);

impl NumberSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self([0; BYTES])
    }

    /// Adds `number`; whether it was missing.
    pub fn insert(&mut self, number: PositionNumber) -> bool {
        let missing = !self.contains(number);
        self.0[byte_of(number)] |= bit_of(number);
        missing
    }

    /// Whether `number` is in the set.
    pub fn contains(&self, number: PositionNumber) -> bool {
        self.0[byte_of(number)] & bit_of(number) != 0
    }

    /// How many numbers are in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|byte| byte.count_ones() as usize).sum()
    }

    /// Whether no number is in the set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of the set in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = PositionNumber> + '_ {
        PositionNumber::all().filter(|number| self.contains(*number))
    }

    /// The numbers that are in this set, in the other, or in both.
    pub fn union(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// The 960 bits as 240 lower-case hex digits, as the `exclude` line of `draw960/v1` has them.
    pub fn bitmap_hex(&self) -> String {
        hex::encode(&self.0)
    }

    /// Appends those digits.
    pub(super) fn push_bitmap(&self, text: &mut String) {
        hex::push(text, &self.0);
    }
}

fn byte_of(number: PositionNumber) -> usize {
    usize::from(number.get() / 8)
}

fn bit_of(number: PositionNumber) -> u8 {
    0x80 >> (number.get() % 8)
}

impl Default for NumberSet {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for NumberSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(PositionNumber::get)).finish()
    }
}

impl Extend<PositionNumber> for NumberSet {
    fn extend<I: IntoIterator<Item = PositionNumber>>(&mut self, numbers: I) {
        for number in numbers {
            self.insert(number);
        }
    }
}

impl FromIterator<PositionNumber> for NumberSet {
    fn from_iter<I: IntoIterator<Item = PositionNumber>>(numbers: I) -> Self {
        let mut set = Self::new();
        set.extend(numbers);
        set
    }
}

/// An ascending array of numbers.
impl Serialize for NumberSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(PositionNumber::get))
    }
}

/// An array of different position numbers in any order: a number listed twice is taken for a slip, not for a set.
impl<'de> Deserialize<'de> for NumberSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut set = Self::new();
        for listed in Vec::<u16>::deserialize(deserializer)? {
            let number = PositionNumber::try_from(listed).map_err(de::Error::custom)?;
            if !set.insert(number) {
                return Err(de::Error::custom(format_args!("position number {number} is listed twice")));
            }
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u16]) -> NumberSet {
        numbers.iter().map(|n| PositionNumber::try_from(*n).unwrap()).collect()
    }

    #[test]
    fn holds_exactly_what_was_put_in() {
        for number in PositionNumber::all() {
            let mut one = NumberSet::new();
            assert!(one.insert(number) && !one.insert(number));
            assert_eq!((one.len(), one.iter().collect::<Vec<_>>()), (1, vec![number]));
        }
        let all: NumberSet = PositionNumber::all().collect();
        assert_eq!((all.len(), all.bitmap_hex()), (960, "f".repeat(240)));
        assert!(NumberSet::new().is_empty());
        assert_eq!(set(&[1, 5]).union(&set(&[5, 9])), set(&[1, 5, 9]));
    }

    #[test]
    fn the_first_number_is_the_highest_bit_of_the_first_byte() {
        assert_eq!(set(&[0, 7, 959]).bitmap_hex(), format!("81{}01", "0".repeat(236)));
        assert_eq!(&set(&[518]).bitmap_hex()[128..130], "02");
    }

    #[test]
    fn is_an_ascending_array_in_json() {
        assert_eq!(serde_json::to_string(&set(&[534, 518])).unwrap(), "[518,534]");
        assert_eq!(serde_json::from_str::<NumberSet>("[534,518]").unwrap(), set(&[518, 534]));
        for bad in ["[960]", "[-1]", "[518,518]", "[5.5]", "[\"5\"]", "518", "[70000]"] {
            assert!(serde_json::from_str::<NumberSet>(bad).is_err(), "{bad}");
        }
    }
}
