//! Whether draws are uniform, by chi-square, and whether that test would notice if they were not.

use super::*;
use crate::domain::number_set::NumberSet;
use sha2::Digest;

const DRAWS: usize = 96_000;

/// Chi-square of counts against the uniform distribution on 960 numbers: the sum, and its largest term.
#[derive(Debug)]
struct ChiSquare {
    sum: f64,
    largest: f64,
}

fn chi_square(numbers: impl Iterator<Item = u16>) -> ChiSquare {
    let mut counts = [0u32; 960];
    let total = numbers.map(|n| counts[usize::from(n)] += 1).count() as f64;
    let expected = total / 960.0;
    let terms = counts.map(|count| (f64::from(count) - expected).powi(2) / expected);
    ChiSquare { sum: terms.iter().sum(), largest: terms.into_iter().fold(0.0, f64::max) }
}

impl ChiSquare {
    /// 959 degrees of freedom: mean 959, standard deviation 43.8. Five deviations either way is beyond one in a
    /// million, and too even is as suspicious as too uneven. One number alone cannot lift the sum that far, so none may
    /// be off by more than six of its own deviations either.
    fn looks_uniform(&self) -> bool {
        (self.sum - 959.0).abs() < 5.0 * (2.0 * 959.0_f64).sqrt() && self.largest < 36.0
    }
}

/// Numbers of many slots under one master.
fn draws() -> impl Iterator<Item = u16> {
    let master = Master::from_bytes(Sha256::digest(b"draw960 uniformity").into());
    let terms = Terms { sources: vec![Source::None], excluded: NumberSet::new(), repeats: Repeats::Allowed };
    (0..DRAWS).map(move |n| {
        let (round, board) = ((n / 9600 + 1) as u16, (n % 9600) as u16);
        let slot =
            Slot { origin: "draw960.local/00000000".into(), event: "uniformity".into(), round, board, attempt: 1 };
        let secret = master.slot_secret(&slot);
        let commit = commitment(&slot, &terms, &secret);
        let seed = seed(&slot, &terms, &commit, &[EntropyLine::None], &secret);
        number(&seed, &NumberSet::new(), &NumberSet::new()).unwrap().number.get()
    })
}

/// Evenly distributed 64-bit words to plant biases in.
fn words() -> impl Iterator<Item = u64> {
    (0..DRAWS as u64).map(|n| u64::from_le_bytes(Sha256::digest(n.to_le_bytes())[..8].try_into().unwrap()))
}

#[test]
fn draws_are_uniform() {
    let chi = chi_square(draws());
    assert!(chi.looks_uniform(), "{chi:?}");
}

#[test]
fn an_unbiased_control_passes() {
    let chi = chi_square(words().map(|word| (word % 960) as u16));
    assert!(chi.looks_uniform(), "{chi:?}");
}

#[test]
fn planted_biases_are_caught() {
    let modulo = chi_square(words().map(|word| (word % 1024 % 960) as u16));
    let exclusive = chi_square(words().map(|word| (word % 959) as u16));
    // Three boxes of ten balls, and after a 9 only the second drawn again until it is below 6.
    let boxes = chi_square(words().map(|word| {
        let (hundreds, tens, units) = (word % 10, word / 10 % 10, word / 100 % 10);
        let tens = if hundreds == 9 { word / 1000 % 6 } else { tens };
        (hundreds * 100 + tens * 10 + units) as u16
    }));
    for (name, chi) in [("modulo", modulo), ("959 exclusive", exclusive), ("three boxes", boxes)] {
        assert!(!chi.looks_uniform(), "{name}: {chi:?}");
    }
}
