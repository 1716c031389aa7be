//! Well-known ways of getting an array wrong.

use crate::domain::rules::{Board, Color, Role};
use serde::Serialize;

/// A well-known way of getting an array wrong: a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrayPattern {
    /// White's array stands on Black's side and Black's on White's, each on its own files.
    ColoursExchanged,
    /// The whole board is turned by 180 degrees.
    BoardTurned,
    /// Both arrays are mirrored, the a-file's piece on the h-file.
    SidesTurned,
    /// White's array is right and Black's is mirrored instead of standing opposite (Guidelines II.2.3).
    BlackNotOpposite,
    /// Black's array is right and White's is mirrored.
    WhiteNotOpposite,
    /// Kings and queens of both players have changed places.
    KingsAndQueensSwapped,
    /// King and queen of one player have changed places.
    KingAndQueenSwapped,
}

impl ArrayPattern {
    /// In words, after "the array is the drawn one, but".
    pub(super) const fn in_words(self) -> &'static str {
        match self {
            Self::ColoursExchanged => "the colours are exchanged",
            Self::BoardTurned => "the board is turned by 180 degrees",
            Self::SidesTurned => "both sides are mirrored, the a-file's piece on the h-file",
            Self::BlackNotOpposite => "Black's pieces are mirrored and do not stand opposite White's",
            Self::WhiteNotOpposite => "White's pieces are mirrored and do not stand opposite Black's",
            Self::KingsAndQueensSwapped => "the kings and queens of both players have changed places",
            Self::KingAndQueenSwapped => "the king and queen of one player have changed places",
        }
    }
}

/// White's side of one board and Black's side of another.
pub(super) fn halves(white: &Board, black: &Board) -> Board {
    let white = white.clone().into_iter().filter(|(_, piece)| piece.color == Color::White);
    white.chain(black.clone().into_iter().filter(|(_, piece)| piece.color == Color::Black)).collect()
}

/// The board with king and queen of a player changed over.
pub(super) fn king_and_queen_swapped(board: &Board, colours: &[Color]) -> Board {
    let swapped = board.clone().into_iter().map(|(square, mut piece)| {
        piece.role = match piece.role {
            Role::King if colours.contains(&piece.color) => Role::Queen,
            Role::Queen if colours.contains(&piece.color) => Role::King,
            role => role,
        };
        (square, piece)
    });
    swapped.collect()
}

/// A board changed in one way.
pub(super) fn changed(board: &Board, change: impl FnOnce(&mut Board)) -> Board {
    let mut changed = board.clone();
    change(&mut changed);
    changed
}

/// The well-known mistake that turns the drawn array into the one found.
pub(super) fn pattern(found: &Board, drawn: &Board) -> Option<ArrayPattern> {
    let mirrored = changed(drawn, Board::flip_horizontal);
    let patterns = [
        (ArrayPattern::ColoursExchanged, changed(drawn, Board::swap_colors)),
        (ArrayPattern::BoardTurned, changed(drawn, Board::rotate_180)),
        // Where this is also the mirrored array, as with 518, it is the likelier mistake.
        (ArrayPattern::KingsAndQueensSwapped, king_and_queen_swapped(drawn, &Color::ALL)),
        (ArrayPattern::KingAndQueenSwapped, king_and_queen_swapped(drawn, &[Color::White])),
        (ArrayPattern::KingAndQueenSwapped, king_and_queen_swapped(drawn, &[Color::Black])),
        (ArrayPattern::BlackNotOpposite, halves(drawn, &mirrored)),
        (ArrayPattern::WhiteNotOpposite, halves(&mirrored, drawn)),
        (ArrayPattern::SidesTurned, mirrored),
    ];
    patterns.into_iter().find(|(_, board)| board == found).map(|(pattern, _)| pattern)
}
