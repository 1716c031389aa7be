//! Numbers of move sequences against published counts, to catch a bad upgrade of the chess library.

use draw960::domain::{
    fen::read_position,
    rules::{Chess, Position},
};

fn perft(position: &Chess, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |mv| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        perft(&next, depth - 1)
    };
    moves.iter().map(|mv| after(*mv)).sum()
}

fn check(every: usize, depth: usize) {
    for line in include_str!("../vectors/perft960.tsv").lines().skip(1).step_by(every) {
        let fields: Vec<&str> = line.split('\t').collect();
        let position = read_position(fields[0]).unwrap();
        for depth in 1..=depth {
            assert_eq!(perft(&position, depth as u32).to_string(), fields[depth], "{} depth {depth}", fields[0]);
        }
    }
}

#[test]
fn a_slice_of_960_positions_to_depth_3() {
    check(32, 3);
}

#[test]
#[ignore = "960 positions to depth 4: a minute of a release build"]
fn all_960_positions_to_depth_4() {
    check(1, 4);
}
