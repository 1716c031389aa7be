//! From the seed to the number: simple discard over ChaCha20 words.

use super::Seed;
use crate::domain::{number_set::NumberSet, position_number::PositionNumber};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::fmt;

/// A derived number and how much of the keystream it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The number.
    pub number: PositionNumber,
    /// Words read from the keystream, the last one giving the number.
    pub words_used: u32,
}

/// Every number is excluded or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingLeft;

impl fmt::Display for NothingLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("every position number is excluded or used")
    }
}

impl std::error::Error for NothingLeft {}

/// The first candidate of the keystream that may be drawn: `word AND 1023`, skipped while it is 960 or more, excluded
/// or used.
///
/// Discarding keeps the rest exactly uniform. The keystream is ChaCha20 under the seed, nonce and counter 0, read as
/// little-endian words: what `openssl enc -chacha20` prints.
///
/// # Errors
/// When no number is left to draw.
pub fn number(seed: &Seed, excluded: &NumberSet, used: &NumberSet) -> Result<Derived, NothingLeft> {
    let allowed = |number: &PositionNumber| !excluded.contains(*number) && !used.contains(*number);
    if !PositionNumber::all().any(|number| allowed(&number)) {
        return Err(NothingLeft);
    }
    let mut keystream = ChaCha20Rng::from_seed(*seed.reveal_bytes());
    let mut words_used = 0;
    loop {
        words_used += 1;
        let candidate = PositionNumber::try_from((keystream.next_u32() & 1023) as u16);
        if let Some(number) = candidate.ok().filter(allowed) {
            return Ok(Derived { number, words_used });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two implementations of ChaCha20 by different hands give the same words, over many seeds and block borders.
    #[test]
    fn the_keystream_is_chacha20() {
        use chacha20::rand_core::{Rng as _, SeedableRng as _};
        for n in 0..1000u32 {
            let seed: [u8; 32] = std::array::from_fn(|i| (n.wrapping_mul(2_654_435_761) >> (i % 25)) as u8 ^ i as u8);
            let mut ours = ChaCha20Rng::from_seed(seed);
            let mut theirs = chacha20::ChaCha20Rng::from_seed(seed);
            for _ in 0..70 {
                assert_eq!(ours.next_u32(), theirs.next_u32());
            }
        }
    }

    #[test]
    fn the_last_number_left_is_found_and_none_is_said() {
        let seed = Seed::from_bytes([7; 32]);
        let mut rest: NumberSet = PositionNumber::all().filter(|n| n.get() != 800).collect();
        assert_eq!(number(&seed, &rest, &NumberSet::new()).unwrap().number.get(), 800);
        assert_eq!(number(&seed, &NumberSet::new(), &rest).unwrap().number.get(), 800);
        rest.insert(PositionNumber::try_from(800).unwrap());
        assert_eq!(number(&seed, &NumberSet::new(), &rest), Err(NothingLeft));
        assert_eq!(number(&seed, &rest, &NumberSet::new()), Err(NothingLeft));
    }

    /// Exclusions only skip: a number that is left either stays or gives way to a later candidate.
    #[test]
    fn excluding_another_number_never_rerolls() {
        for n in 0..200u8 {
            let seed = Seed::from_bytes([n; 32]);
            let free = number(&seed, &NumberSet::new(), &NumberSet::new()).unwrap();
            let others: NumberSet = PositionNumber::all().filter(|m| *m != free.number && m.get() % 2 == 0).collect();
            assert_eq!(number(&seed, &others, &NumberSet::new()), Ok(free));
        }
    }
}
