//! How long a draw takes: the whole derivation, and a number to its FEN.

use divan::{Bencher, black_box};
use draw960::domain::{
    derivation::{EntropyLine, Master, Repeats, Slot, Source, Terms, commitment, number, seed},
    number_set::NumberSet,
    position_number::PositionNumber,
    start_position::StartPosition,
};

fn main() {
    divan::main();
}

fn slot() -> Slot {
    Slot { origin: "draw960.local/3f1c9a20".into(), event: "bench-open".into(), round: 1, board: 0, attempt: 1 }
}

/// Master to number, as one release does it.
#[divan::bench]
fn derive(bencher: Bencher<'_, '_>) {
    let (master, slot) = (Master::from_bytes([7; 32]), slot());
    let terms = Terms { sources: vec![Source::None], excluded: NumberSet::new(), repeats: Repeats::Allowed };
    bencher.bench(|| {
        let secret = master.slot_secret(black_box(&slot));
        let commitment = commitment(&slot, &terms, &secret);
        let seed = seed(&slot, &terms, &commitment, &[EntropyLine::None], &secret);
        number(&seed, &terms.excluded, &NumberSet::new())
    });
}

/// Number to X-FEN.
#[divan::bench]
fn fen(bencher: Bencher<'_, '_>) {
    bencher.bench(|| StartPosition::from_number(black_box(PositionNumber::CLASSICAL)).fen());
}
