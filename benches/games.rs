//! Games a second: `cargo bench --bench games`.

use divan::{
    Bencher,
    counter::{BytesCount, ItemsCount},
};
use draw960::{
    domain::{
        castling::playable,
        game::{Options, Start, Validator},
        position_number::PositionNumber,
        rules::Position,
        start_position::StartPosition,
    },
    many::validate_many,
};
use std::num::NonZeroUsize;

fn main() {
    divan::main();
}

/// Games over all start positions, the same every time: at each half-move one of the legal moves by a fixed rule.
fn corpus(games: u16, comment: &str) -> (Vec<u8>, usize) {
    let (mut text, mut plies, mut state) = (String::new(), 0, 960u64);
    for n in 0..games {
        let number = PositionNumber::try_from(n % 960).expect("below 960");
        let start = StartPosition::from_number(number);
        let (mut position, fen) = (playable(&start), start.fen());
        text.push_str(&format!("[Event \"{n}\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n"));
        for _ in 0..80 {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mv = legal[(state >> 33) as usize % legal.len()];
            let san = draw960::domain::rules::san::SanPlus::from_move_and_play_unchecked(&mut position, mv);
            text.push_str(&format!("{san} {comment}"));
            plies += 1;
        }
        text.push_str("*\n\n");
    }
    (text.into_bytes(), plies)
}

/// One core; items are half-moves.
#[divan::bench(args = ["", "{[%clk 0:12:34]} "])]
fn validate(bencher: Bencher<'_, '_>, comment: &str) {
    let (text, plies) = corpus(960, comment);
    let options = Options::default();
    bencher.counter(ItemsCount::new(plies)).bench_local(|| {
        let mut games = 0;
        let mut validator = Validator::new(&Start::FromTags, &options).expect("no start given");
        validator.each_game(&text, 1, |_| games += 1);
        games
    });
}

/// All cores; items are half-moves.
#[divan::bench]
fn validate_on_all_cores(bencher: Bencher<'_, '_>) {
    let (text, plies) = corpus(4800, "");
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    bencher.counter(ItemsCount::new(plies)).bench_local(|| {
        validate_many(&text, 1, &Start::FromTags, &Options::default(), cores, |_| ()).map(|games| games.len())
    });
}

include!("../tests/game/hostile.rs");

/// Texts that are all beginning and no end: the bytes per second must not fall with the length.
#[divan::bench(args = HOSTILE, consts = [5_000, 40_000, 320_000])]
fn hostile<const TIMES: usize>(bencher: Bencher<'_, '_>, unit: &str) {
    let text = unit.repeat(TIMES);
    let options = Options::default();
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        let mut validator = Validator::new(&Start::FromTags, &options).expect("no start given");
        validator.each_game(text.as_bytes(), 1, |_| ());
    });
}
