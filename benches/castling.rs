//! Speed of the castling explanations: geometry, a position's answer, the record of a game, a refusal.

use divan::{Bencher, black_box};
use draw960::domain::{
    castling::{self, CastlingRecord},
    fen::read_fen,
    game::{
        dead::proven_dead,
        refusal::{self, Intent},
    },
    position_number::PositionNumber,
    rules::{CastlingSide, Chess, Color, EnPassantMode, Move, Position},
    start_position::StartPosition,
};

fn main() {
    divan::main();
}

const BLOCKED: &str = "4k3/8/8/8/7b/5r2/8/4KN1R w K - 0 1";
const FREE: &str = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 4 8";

fn position(fen: &str) -> Chess {
    read_fen(fen).expect("a legal position").position
}

/// A hundred plies of the first legal move.
fn game(start: &Chess) -> Vec<Move> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for _ in 0..100 {
        let Some(m) = position.legal_moves().first().copied() else { break };
        position.play_unchecked(m);
        moves.push(m);
    }
    moves
}

#[divan::bench]
fn geometry_of_all_960() -> usize {
    PositionNumber::all()
        .map(|number| castling::both(&StartPosition::from_number(number)))
        .map(|block| block.white.h_side.must_be_empty.len())
        .sum()
}

#[divan::bench(args = [FREE, BLOCKED])]
fn explain_one_castling(bencher: Bencher, fen: &str) {
    let setup = position(fen).to_setup(EnPassantMode::Legal);
    bencher.bench(|| castling::explain(black_box(&setup), Color::White, CastlingSide::KingSide, None));
}

#[divan::bench(args = [FREE, BLOCKED])]
fn answer_for_fen(fen: &str) -> bool {
    castling::answer_for_fen(black_box(fen)).is_ok()
}

#[divan::bench]
fn record_of_100_plies(bencher: Bencher) {
    let start = position(FREE);
    let moves = game(&start);
    bencher.bench(|| CastlingRecord::from_game(black_box(&start), black_box(&moves)));
}

#[divan::bench(args = ["Bh8", "Nd2", "e6", "O-O"])]
fn refuse_a_move(bencher: Bencher, san: &str) {
    let position = position(BLOCKED);
    let record = CastlingRecord::from_game(&position, &[]);
    let intent = Intent::San(san.parse().expect("algebraic notation"));
    bencher.bench(|| refusal::explain(black_box(&position), black_box(&intent), &record));
}

/// Asked after every move, so it must cost next to nothing.
#[divan::bench(args = [FREE, "4k3/8/8/8/8/8/8/4KB2 b - - 0 1"])]
fn dead_position(bencher: Bencher, fen: &str) {
    let position = position(fen);
    bencher.bench(|| proven_dead(black_box(&position)));
}
