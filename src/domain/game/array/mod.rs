//! How an array on the board differs from the drawn start position, and what follows from it.
//!
//! Source: FIDE Laws 7.2 and 7.3, and A.5.1.2 for rapid and blitz under basic supervision. "Misplaced" is judged by
//! the drawn position, not by the classical array.

mod pattern;

pub use pattern::ArrayPattern;

use crate::domain::{
    castling::{geometry, playable},
    naming::{self, json_square, json_squares, player},
    position_number::PositionNumber,
    rules::{Bitboard, Board, CastlingSide, Color, Position, Role, Setup, Square},
    start_position::StartPosition,
    supervision::Supervision,
};
use pattern::pattern;
use serde::Serialize;

/// Moves completed by each player after which colours stay reversed (7.3) and, under basic supervision, a wrong array
/// stands (A.5.1.2).
pub const MOVES_TO_CLAIM: u32 = 10;

/// A square that does not hold what it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SquareDifference {
    /// The square.
    #[serde(serialize_with = "json_square")]
    pub square: Square,
    /// What stands there, such as `white knight`; nothing on an empty square.
    pub found: Option<String>,
    /// What should stand there.
    pub expected: Option<String>,
}

/// The start position that the array is instead of the drawn one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherPosition {
    /// Its number.
    pub number: u16,
    /// Where else it was drawn, such as `round 3`, if it was.
    pub label: Option<String>,
}

/// How an array differs from the drawn start position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArrayDifference {
    /// The squares that differ.
    #[serde(serialize_with = "json_squares")]
    pub squares: Vec<Square>,
    /// The same with their pieces.
    pub pieces: Vec<SquareDifference>,
    /// The well-known mistake it is, if it is one.
    pub pattern: Option<ArrayPattern>,
    /// The start position it is, if it is one of the 960.
    pub other: Option<OtherPosition>,
    /// Castlings that a standing array forbids: those with a misplaced king or rook (A.5.1.2).
    #[serde(skip)]
    pub castlings_lost: Vec<(Color, CastlingSide)>,
    /// One sentence.
    pub sentence: String,
}

/// What the Laws make of a wrong array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Consequence {
    /// Article of the FIDE Laws.
    pub article: &'static str,
    /// One sentence for the arbiter.
    pub sentence: String,
}

/// Compares the pieces on the board with the drawn start position; `None` when they are the same. `others` are
/// positions drawn elsewhere, such as in other rounds, with a label for people.
pub fn compare(found: &Setup, expected: &StartPosition, others: &[(String, StartPosition)]) -> Option<ArrayDifference> {
    let drawn = playable(expected).board().clone();
    let pieces = differences(&found.board, &drawn);
    if pieces.is_empty() {
        return None;
    }
    let pattern = pattern(&found.board, &drawn);
    let other = other(&found.board, others);
    Some(ArrayDifference {
        sentence: sentence(expected, &pieces, pattern, other.as_ref()),
        squares: pieces.iter().map(|piece| piece.square).collect(),
        pieces,
        pattern,
        other,
        castlings_lost: castlings_lost(&found.board, expected),
    })
}

/// The rights to castle that remain when a wrong array stands: not with a misplaced king, not with a misplaced rook
/// (A.5.1.2). As rooks' squares, like the rights of `found`.
pub fn standing_rights(found: &Setup, expected: &StartPosition) -> Bitboard {
    let mut rights = Bitboard::EMPTY;
    for colour in Color::ALL {
        for side in CastlingSide::ALL {
            if stands(&found.board, expected, colour, side) {
                rights.add(geometry(expected, colour).side(side).rook);
            }
        }
    }
    rights & found.castling_rights
}

/// What follows when the players have had each other's colours (7.3).
pub fn colours_reversed(moves_each: u32) -> Consequence {
    let sentence = if moves_each < MOVES_TO_CLAIM {
        "The colours are reversed and fewer than ten moves have been made by each player: the game is stopped and a \
         new game is played with the right colours."
    } else {
        "The colours are reversed and ten moves or more have been made by each player: the game continues."
    };
    Consequence { article: "7.3", sentence: sentence.to_owned() }
}

impl ArrayDifference {
    /// What follows, after `moves_each` moves completed by each player. Standard games are always under full
    /// supervision.
    pub fn consequence(&self, supervision: Supervision, moves_each: u32) -> Consequence {
        match self.pattern {
            Some(ArrayPattern::BoardTurned) => Consequence {
                article: "7.2.2",
                sentence: "The board is turned: the game continues, with the position reached moved to a correctly \
                           placed board."
                    .to_owned(),
            },
            Some(ArrayPattern::ColoursExchanged) => colours_reversed(moves_each),
            _ if supervision == Supervision::Basic && moves_each >= MOVES_TO_CLAIM => self.standing(),
            _ => Consequence {
                article: "7.2.1",
                sentence:
                    "The array was wrong: the game is cancelled and a new game is played from the drawn position."
                        .to_owned(),
            },
        }
    }

    fn standing(&self) -> Consequence {
        let lost = Color::ALL.map(|colour| self.lost_in_words(colour));
        let lost = naming::list(lost.into_iter().flatten());
        let castling = if lost.is_empty() {
            "kings and rooks are in place, so castling is not affected".to_owned()
        } else {
            format!("{lost}, because the king or that rook is misplaced")
        };
        let sentence = format!(
            "Ten moves have been completed by each player, so the array stands and the game continues; {castling}."
        );
        Consequence { article: "A.5.1.2", sentence }
    }

    fn lost_in_words(&self, colour: Color) -> Option<String> {
        let sides: Vec<_> = self.castlings_lost.iter().filter(|(of, _)| *of == colour).map(|(_, side)| *side).collect();
        let white = player(colour);
        match sides.as_slice() {
            [] => None,
            [side] => Some(format!("{white} may not castle on the {}", naming::side(*side))),
            _ => Some(format!("{white} may not castle at all")),
        }
    }
}

fn differences(found: &Board, drawn: &Board) -> Vec<SquareDifference> {
    let differ = Square::ALL.into_iter().filter(|square| found.piece_at(*square) != drawn.piece_at(*square));
    let named = |board: &Board, square| board.piece_at(square).map(naming::piece);
    differ
        .map(|square| SquareDifference { square, found: named(found, square), expected: named(drawn, square) })
        .collect()
}

fn other(found: &Board, others: &[(String, StartPosition)]) -> Option<OtherPosition> {
    let start = StartPosition::from_placement(&found.board_fen().to_string()).ok()?;
    let label = others.iter().find(|(_, position)| *position == start).map(|(label, _)| label.clone());
    Some(OtherPosition { number: start.number().get(), label })
}

fn stands(found: &Board, expected: &StartPosition, colour: Color, side: CastlingSide) -> bool {
    let geometry = geometry(expected, colour);
    let king = found.by_piece(Role::King.of(colour)).contains(geometry.king);
    king && found.by_piece(Role::Rook.of(colour)).contains(geometry.side(side).rook)
}

fn castlings_lost(found: &Board, expected: &StartPosition) -> Vec<(Color, CastlingSide)> {
    let all = Color::ALL.into_iter().flat_map(|colour| CastlingSide::ALL.map(|side| (colour, side)));
    all.filter(|(colour, side)| !stands(found, expected, *colour, *side)).collect()
}

/// How many differing squares are named one by one.
const NAMED_SQUARES: usize = 8;

fn sentence(
    expected: &StartPosition,
    pieces: &[SquareDifference],
    pattern: Option<ArrayPattern>,
    other: Option<&OtherPosition>,
) -> String {
    let drawn = format!("position {} ({})", expected.number(), expected.rank());
    let mut sentence = match pattern {
        Some(pattern) => format!("The array is {drawn}, but {}", pattern.in_words()),
        None => format!("The array is not {drawn}: {}", pieces_in_words(pieces)),
    };
    if let Some(other) = other {
        let label = other.label.as_ref().map_or_else(String::new, |label| format!(", that of {label}"));
        sentence.push_str(&format!("; it is position {}{label}", other_name(other)));
    }
    sentence + "."
}

fn other_name(other: &OtherPosition) -> String {
    PositionNumber::try_from(other.number)
        .map(|number| format!("{number} ({})", StartPosition::from_number(number).rank()))
        .unwrap_or_else(|_| other.number.to_string())
}

fn pieces_in_words(pieces: &[SquareDifference]) -> String {
    if pieces.len() > NAMED_SQUARES {
        return format!("{} squares differ", pieces.len());
    }
    let words =
        |piece: &Option<String>| piece.as_ref().map_or_else(|| "nothing".to_owned(), |name| format!("a {name}"));
    naming::list(
        pieces.iter().map(|piece| {
            format!("{} holds {} instead of {}", piece.square, words(&piece.found), words(&piece.expected))
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rules::{EnPassantMode, Piece};
    use pattern::{changed, halves, king_and_queen_swapped};

    fn start(number: u16) -> StartPosition {
        StartPosition::from_number(number.try_into().unwrap())
    }

    fn array(number: u16) -> Setup {
        playable(&start(number)).to_setup(EnPassantMode::Legal)
    }

    fn with(number: u16, change: impl FnOnce(&mut Board)) -> Setup {
        let mut setup = array(number);
        change(&mut setup.board);
        setup
    }

    #[test]
    fn every_array_is_itself_and_no_other() {
        for number in PositionNumber::all().map(PositionNumber::get) {
            assert_eq!(compare(&array(number), &start(number), &[]), None);
            let other = (number + 1) % 960;
            let difference = compare(&array(other), &start(number), &[]).unwrap();
            assert_eq!(difference.other.unwrap().number, other);
        }
    }

    #[test]
    fn well_known_mistakes() {
        use ArrayPattern::*;
        let pattern = |setup: &Setup| compare(setup, &start(600), &[]).unwrap().pattern;
        let drawn = array(600).board;
        let mirrored = changed(&drawn, Board::flip_horizontal);
        for (board, expected) in [
            (changed(&drawn, Board::swap_colors), ColoursExchanged),
            (changed(&drawn, Board::rotate_180), BoardTurned),
            (mirrored.clone(), SidesTurned),
            (halves(&drawn, &mirrored), BlackNotOpposite),
            (halves(&mirrored, &drawn), WhiteNotOpposite),
            (king_and_queen_swapped(&drawn, &Color::ALL), KingsAndQueensSwapped),
            (king_and_queen_swapped(&drawn, &[Color::Black]), KingAndQueenSwapped),
        ] {
            assert_eq!(pattern(&Setup { board, ..array(600) }), Some(expected));
        }
    }

    #[test]
    fn squares_and_pieces_are_named() {
        let found = with(518, |board| {
            board.set_piece_at(Square::B1, Piece { color: Color::White, role: Role::Bishop });
            board.discard_piece_at(Square::E2);
        });
        let difference = compare(&found, &start(518), &[]).unwrap();
        assert_eq!(difference.squares, [Square::B1, Square::E2]);
        assert_eq!(
            difference.sentence,
            "The array is not position 518 (RNBQKBNR): b1 holds a white bishop instead of a white knight and e2 holds \
             nothing instead of a white pawn."
        );
        assert_eq!((difference.pattern, difference.other), (None, None));
    }

    #[test]
    fn the_position_of_another_round() {
        let rounds = [("round 2".to_owned(), start(7)), ("round 3".to_owned(), start(534))];
        let difference = compare(&array(534), &start(518), &rounds).unwrap();
        assert_eq!(difference.other, Some(OtherPosition { number: 534, label: Some("round 3".into()) }));
        assert_eq!(
            difference.sentence,
            "The array is position 518 (RNBQKBNR), but the kings and queens of both players have changed \
             places; it is position 534 (RNBKQBNR), that of round 3."
        );
    }

    #[test]
    fn consequences() {
        let article = |board: Board, supervision, moves| {
            let difference = compare(&Setup { board, ..array(518) }, &start(518), &[]).unwrap();
            difference.consequence(supervision, moves).article
        };
        let drawn = array(518).board;
        let wrong = array(600).board;
        assert_eq!(article(wrong.clone(), Supervision::Full, 40), "7.2.1");
        assert_eq!(article(wrong.clone(), Supervision::Basic, 9), "7.2.1");
        assert_eq!(article(wrong, Supervision::Basic, 10), "A.5.1.2");
        assert_eq!(article(changed(&drawn, Board::rotate_180), Supervision::Full, 3), "7.2.2");
        assert_eq!(article(changed(&drawn, Board::swap_colors), Supervision::Full, 3), "7.3");
        assert!(colours_reversed(9).sentence.contains("new game"));
        assert!(colours_reversed(10).sentence.contains("continues"));
    }

    #[test]
    fn a_standing_array_forbids_castling_with_what_is_misplaced() {
        let swapped = with(518, |board| *board = king_and_queen_swapped(board, &[Color::White]));
        assert_eq!(standing_rights(&swapped, &start(518)), Bitboard::from(Square::A8) | Bitboard::from(Square::H8));
        let difference = compare(&swapped, &start(518), &[]).unwrap();
        assert_eq!(
            difference.consequence(Supervision::Basic, 12).sentence,
            "Ten moves have been completed by each player, so the array stands and the game continues; White may not \
             castle at all, because the king or that rook is misplaced."
        );
        let rook = with(518, |board| {
            board.set_piece_at(Square::G1, Piece { color: Color::White, role: Role::Rook });
            board.set_piece_at(Square::H1, Piece { color: Color::White, role: Role::Knight });
        });
        let difference = compare(&rook, &start(518), &[]).unwrap();
        assert_eq!(difference.castlings_lost, [(Color::White, CastlingSide::KingSide)]);
        assert_eq!(standing_rights(&array(518), &start(518)), Bitboard::CORNERS);
    }
}
