//! Names of pieces, squares and sides, as an arbiter says them and as JSON spells them.

use super::rules::{Bitboard, Board, CastlingSide, Color, Piece, Role, Square};
use serde::Serializer;

/// English name of a kind of piece: `knight`.
pub const fn role(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// The player of a colour: `White`.
pub const fn player(colour: Color) -> &'static str {
    match colour {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// The colour of a piece: `white`.
pub const fn colour(colour: Color) -> &'static str {
    match colour {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// A piece with its colour: `white knight`.
pub fn piece(piece: Piece) -> String {
    format!("{} {}", colour(piece.color), role(piece.role))
}

/// What stands on a square: `the white knight on f1`; an empty square is `nothing on f1`.
pub fn piece_on(board: &Board, square: Square) -> String {
    match board.piece_at(square) {
        Some(found) => format!("the {} on {square}", piece(found)),
        None => format!("nothing on {square}"),
    }
}

/// What stands on some squares: `the black rook on e8 and the black bishop on b4`.
pub fn pieces_on(board: &Board, squares: Bitboard) -> String {
    list(squares.into_iter().map(|square| piece_on(board, square)))
}

/// Squares in words: `b1, c1 and d1`.
pub fn squares(squares: Bitboard) -> String {
    list(squares.into_iter().map(|square| square.to_string()))
}

/// Several things in words: `a, b and c`.
pub fn list(things: impl IntoIterator<Item = String>) -> String {
    let mut things: Vec<String> = things.into_iter().collect();
    let Some(last) = things.pop() else { return String::new() };
    if things.is_empty() { last } else { format!("{} and {last}", things.join(", ")) }
}

/// A sentence begins with a capital letter.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// A text as a whole sentence: a capital letter first, a full stop last.
pub fn full_sentence(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}

/// The side of a castling: `h-side` is O-O and `a-side` is O-O-O (Guidelines II.3.2.6).
pub const fn side(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::KingSide => "h-side",
        CastlingSide::QueenSide => "a-side",
    }
}

/// How a castling is written in a game: `O-O`, `O-O-O`.
pub const fn castling(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::KingSide => "O-O",
        CastlingSide::QueenSide => "O-O-O",
    }
}

/// JSON of a colour: `"white"`.
///
/// # Errors
/// Those of the serializer.
pub fn json_colour<S: Serializer>(value: &Color, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(colour(*value))
}

/// JSON of a castling side: `"h_side"`.
///
/// # Errors
/// Those of the serializer.
pub fn json_side<S: Serializer>(value: &CastlingSide, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match value {
        CastlingSide::KingSide => "h_side",
        CastlingSide::QueenSide => "a_side",
    })
}

/// JSON of a square: `"e1"`.
///
/// # Errors
/// Those of the serializer.
pub fn json_square<S: Serializer>(value: &Square, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// JSON of a square that may be unknown: `"e1"` or `null`.
///
/// # Errors
/// Those of the serializer.
pub fn json_square_or_null<S: Serializer>(value: &Option<Square>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(square) => to.collect_str(square),
        None => to.serialize_none(),
    }
}

/// JSON of squares: `["f1", "g1"]`.
///
/// # Errors
/// Those of the serializer.
pub fn json_squares<S: Serializer>(value: &[Square], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(value.iter().map(ToString::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_like_speech() {
        assert_eq!(list([]), "");
        assert_eq!(list(["a".into()]), "a");
        assert_eq!(list(["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!(sentence("the king"), "The king");
        assert_eq!(piece_on(&Board::new(), Square::G8), "the black knight on g8");
    }
}
