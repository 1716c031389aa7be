//! Dead positions that can be proven: no series of legal moves leads to mate (5.2.2).
//!
//! Only a proof counts. A position for which no proof is known is "not proven", which is not the same as alive.

use crate::domain::rules::{Bitboard, Board, Chess, Color, Position, Role, Square, attacks};

/// Why neither player can ever mate, when that is proven. Costs next to nothing on a board with play in it.
pub fn proven_dead(position: &Chess) -> Option<&'static str> {
    let board = position.board();
    if board.rooks_and_queens().any() {
        return None;
    }
    if board.pawns().is_empty() { dead_material(board) } else { dead_wall(position) }
}

/// Bare kings, a single minor piece, or bishops that all stand on one colour of squares.
fn dead_material(board: &Board) -> Option<&'static str> {
    let (knights, bishops) = (board.knights(), board.bishops());
    match (knights.count(), bishops.count()) {
        (0, 0) => Some("only the kings are left"),
        (1, 0) => Some("only the kings and one knight are left"),
        (0, 1) => Some("only the kings and one bishop are left"),
        (0, _) if one_colour(bishops) => Some("only the kings and bishops on squares of one colour are left"),
        _ => None,
    }
}

fn one_colour(bishops: Bitboard) -> bool {
    bishops.is_disjoint(Bitboard::DARK_SQUARES) || bishops.is_disjoint(Bitboard::LIGHT_SQUARES)
}

/// Kings and pawns only, every pawn stopped by an enemy pawn before it, no pawn able to capture, also not en passant,
/// and neither king able to reach an enemy pawn, even if the other king were not there. Then no pawn ever moves or
/// falls, and as a king never steps onto a square that a pawn attacks, nobody is ever in check.
fn dead_wall(position: &Chess) -> Option<&'static str> {
    let board = position.board();
    let (white, black) = (pawns(board, Color::White), pawns(board, Color::Black));
    let stopped = white.shift(8) == black;
    let still = position.maybe_ep_square().is_none() && !position.is_check();
    if !stopped || !still || (board.knights() | board.bishops()).any() {
        return None;
    }
    let quiet = Color::ALL.into_iter().all(|colour| pawn_attacks(board, colour).is_disjoint(pawns(board, !colour)));
    let walled = Color::ALL.into_iter().all(|colour| !king_reaches_pawn(board, colour));
    (quiet && walled).then_some("the pawns are stopped for ever and no king can reach them")
}

fn pawns(board: &Board, colour: Color) -> Bitboard {
    board.by_piece(Role::Pawn.of(colour))
}

fn pawn_attacks(board: &Board, colour: Color) -> Bitboard {
    pawns(board, colour).into_iter().fold(Bitboard::EMPTY, |all, pawn| all | attacks::pawn_attacks(colour, pawn))
}

/// Whether the king of a colour can walk to an enemy pawn that no pawn protects.
fn king_reaches_pawn(board: &Board, colour: Color) -> bool {
    let open = !(pawn_attacks(board, !colour) | pawns(board, colour));
    let mut reached = board.king_of(colour).map_or(Bitboard::EMPTY, Bitboard::from_square);
    loop {
        let steps =
            reached.into_iter().fold(reached, |all, square: Square| all | (attacks::king_attacks(square) & open));
        if steps == reached {
            return reached.intersects(pawns(board, !colour));
        }
        reached = steps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::fen::read_fen;
    use std::collections::HashSet;

    fn dead(fen: &str) -> bool {
        proven_dead(&read_fen(fen).unwrap().position).is_some()
    }

    #[test]
    fn by_material() {
        for (fen, expected) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4KB2 b - - 0 1", true),
            ("2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1", true),
            ("2b1k3/8/4b3/8/8/8/8/4KB2 w - - 0 1", true),
            ("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1", false),
            ("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1", false),
            ("4k1n1/8/8/8/8/8/8/4KB2 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/3NK1N1 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", false),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", false),
        ] {
            assert_eq!(dead(fen), expected, "{fen}");
        }
    }

    const WALLS: [(&str, bool); 10] = [
        // Walls across the whole board.
        ("4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - - 0 1", true),
        ("8/8/4k3/p1p1p1p1/P1P1P1P1/4K3/8/8 w - - 0 1", true),
        ("8/1k6/8/p1p1p1p1/P1P1P1P1/8/6K1/8 b - - 0 1", true),
        // The h-file is open.
        ("8/1k6/8/p1p1p3/P1P1P3/8/6K1/8 b - - 0 1", false),
        // The wall has a hole on the h-file.
        ("4k3/8/p1p1p3/PpPpPp2/1P1P1P2/8/8/4K3 w - - 0 1", false),
        // En passant opens it.
        ("8/8/1k2p3/3pP3/3P4/8/6K1/8 w - d6 0 1", false),
        ("8/8/1k2p3/3pP3/3P4/8/6K1/8 w - - 0 1", false),
        // One pawn may still move.
        ("4k3/p7/2p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - - 0 1", false),
        // A pawn may capture.
        ("4k3/8/8/pp6/PP6/8/8/4K3 w - - 0 1", false),
        // Both kings are on the same side of the wall.
        ("8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/1k6/4K3 w - - 0 1", false),
    ];

    #[test]
    fn by_a_wall_of_pawns() {
        for (fen, expected) in WALLS {
            assert_eq!(dead(fen), expected, "{fen}");
        }
    }

    /// Every position that can arise from a proven wall is played out: none is a capture, a check or a mate.
    #[test]
    fn a_proven_wall_never_falls() {
        for (fen, _) in WALLS.into_iter().filter(|(_, proven)| *proven) {
            let mut seen = HashSet::new();
            let mut open = vec![read_fen(fen).unwrap().position];
            while let Some(position) = open.pop() {
                if !seen.insert(position.clone()) {
                    continue;
                }
                assert!(!position.is_check());
                for m in position.legal_moves() {
                    assert!(!m.is_zeroing());
                    open.push(position.clone().play(m).unwrap());
                }
            }
            assert!(seen.len() > 100);
        }
    }
}
