//! A short legal game from any start position, for the story.

use crate::domain::{
    rules::{CastlingMode, Chess, Move, Position, Role, fen::Fen, san::SanPlus},
    start_position::StartPosition,
};

/// Half-moves of the game.
const PLIES: usize = 16;

/// The game's moves: pawns and pieces step out without touching each other, and each side castles if it can.
pub fn moves(start: &StartPosition) -> Vec<String> {
    let fen: Option<Fen> = start.fen().parse().ok();
    let Some(mut board) = fen.and_then(|fen| fen.into_position::<Chess>(CastlingMode::Chess960).ok()) else {
        return Vec::new();
    };
    let mut moves = Vec::new();
    while let Some(choice) = choose(&board).filter(|_| moves.len() < PLIES) {
        moves.push(SanPlus::from_move_and_play_unchecked(&mut board, choice).to_string());
    }
    moves
}

/// Castle; else a quiet move that brings a piece, or a pawn before one, into play.
fn choose(board: &Chess) -> Option<Move> {
    let legal = board.legal_moves();
    legal.iter().copied().filter(|m| !m.is_capture()).max_by_key(|m| worth(board, *m)).or(legal.first().copied())
}

fn worth(board: &Chess, m: Move) -> u32 {
    let mut after = board.clone();
    after.play_unchecked(m);
    let quiet = !after.is_check() && after.capture_moves().is_empty();
    let kind = match m.role() {
        _ if m.is_castle() => 1000,
        Role::Knight | Role::Bishop if leaves_the_rank(m) => 40,
        Role::Pawn => 20,
        _ => 0,
    };
    // What gives the king and its rooks room comes first.
    let room = after.legal_moves().iter().filter(|reply| reply.is_castle()).count() as u32;
    kind + 500 * u32::from(quiet) + room
}

fn leaves_the_rank(m: Move) -> bool {
    m.from().is_some_and(|from| matches!(from.rank() as u8, 0 | 7) && !matches!(m.to().rank() as u8, 0 | 7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{position_number::PositionNumber, rules::san::San};

    #[test]
    fn a_legal_game_from_each_of_the_960() {
        for number in PositionNumber::all() {
            let start = StartPosition::from_number(number);
            let fen: Fen = start.fen().parse().unwrap();
            let mut board: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
            let moves = moves(&start);
            assert_eq!(moves.len(), PLIES, "{start:?}");
            for text in moves {
                let san: San = text.trim_end_matches(['+', '#']).parse().unwrap();
                let played = san.to_move(&board).unwrap();
                board.play_unchecked(played);
            }
        }
    }
}
