//! A move as it is written: from a word to what it says, before any board is looked at.
//!
//! Every spelling that can mean only one thing is read, and what is not canonical about it is remembered, so that the
//! report can say so. Spellings that could mean two things, or that a slip of the pen explains better, are refused.

use super::{letters::Language, liberal::read_liberally};
use crate::domain::rules::{CastlingSide, File, Rank, Role, Square};

/// What is not canonical about the spelling of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Liberties(u16);

impl Liberties {
    /// Castling without capital letters O.
    pub const CASTLING: Self = Self(1);
    /// With the square of departure.
    pub const LONG: Self = Self(1 << 1);
    /// Promotion without `=` or with a small letter.
    pub const PROMOTION: Self = Self(1 << 2);
    /// A letter for the pawn.
    pub const PAWN: Self = Self(1 << 3);
    /// Other dashes, dots and signs.
    pub const MISC: Self = Self(1 << 4);
    /// Marked `e.p.`
    pub const EN_PASSANT: Self = Self(1 << 5);

    /// Whether there is nothing to say.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether these include `other`.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Adds another.
    pub fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Check or mate as it is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// No mark.
    #[default]
    None,
    /// `+`
    Check,
    /// `#`
    Mate,
    /// `++`: mate on score sheets (C.13.5), double check in old books.
    Double,
}

/// A move by its piece and square of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceMove {
    /// The piece.
    pub role: Role,
    /// File it comes from, if given.
    pub file: Option<File>,
    /// Rank it comes from, if given.
    pub rank: Option<Rank>,
    /// Whether a capture is marked.
    pub capture: bool,
    /// Square of arrival.
    pub to: Square,
    /// What a pawn becomes.
    pub promotion: Option<Role>,
}

/// What a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// A piece goes to a square.
    Piece(PieceMove),
    /// Whatever stands on a square goes to another, as in UCI: a king on its own rook's square castles.
    Squares {
        /// Square of departure.
        from: Square,
        /// Square of arrival.
        to: Square,
        /// What a pawn becomes.
        promotion: Option<Role>,
    },
    /// Castling to this side.
    Castle(CastlingSide),
    /// A pass.
    Null,
}

/// A word that was read as a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// What it says.
    pub said: Said,
    /// Check or mate mark.
    pub mark: Mark,
    /// What is not canonical about it.
    pub liberties: Liberties,
}

/// Why a word cannot be read as a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAMove {
    /// Neither piece, squares nor castling.
    Unreadable,
    /// Looks like castling, but is not written as one.
    NearlyCastling,
    /// A letter of another script, and the one it looks like.
    WrongScript(char, char),
}

/// Whether a character is one of the dashes that stand for a hyphen.
pub fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{ad}' | '\u{2010}'
            ..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{96}' | '\u{97}'
    )
}

/// Reads a word of a game in algebraic notation.
///
/// # Errors
/// Why it cannot be a move.
pub fn read(word: &[u8], language: &Language) -> Result<Written, NotAMove> {
    if language.is_english()
        && let Some(written) = read_canonical(word)
    {
        return Ok(written);
    }
    read_liberally(word, language)
}

/// Reads a move in UCI: two squares and perhaps what a pawn becomes.
///
/// # Errors
/// When it is anything else.
pub fn read_uci(word: &[u8]) -> Result<Written, NotAMove> {
    if word == b"0000" {
        return Ok(plain(Said::Null));
    }
    let (squares, rest) = word.split_at_checked(4).ok_or(NotAMove::Unreadable)?;
    let from = square(&squares[..2]).ok_or(NotAMove::Unreadable)?;
    let to = square(&squares[2..]).ok_or(NotAMove::Unreadable)?;
    let promotion = match rest {
        [] => None,
        [letter] => Some(promoted(letter.to_ascii_uppercase()).ok_or(NotAMove::Unreadable)?),
        _ => return Err(NotAMove::Unreadable),
    };
    Ok(plain(Said::Squares { from, to, promotion }))
}

pub(super) fn plain(said: Said) -> Written {
    Written { said, mark: Mark::None, liberties: Liberties::default() }
}

#[inline]
pub(super) fn english_piece(letter: u8) -> Option<Role> {
    Some(match letter {
        b'N' => Role::Knight,
        b'B' => Role::Bishop,
        b'R' => Role::Rook,
        b'Q' => Role::Queen,
        b'K' => Role::King,
        _ => return None,
    })
}

/// What a pawn can become.
#[inline]
pub(super) fn promoted(letter: u8) -> Option<Role> {
    english_piece(letter).filter(|role| *role != Role::King)
}

#[inline]
pub(super) fn file(letter: u8) -> Option<File> {
    matches!(letter, b'a'..=b'h').then(|| File::new(u32::from(letter - b'a')))
}

#[inline]
pub(super) fn rank(digit: u8) -> Option<Rank> {
    matches!(digit, b'1'..=b'8').then(|| Rank::new(u32::from(digit - b'1')))
}

#[inline]
pub(super) fn square(text: &[u8]) -> Option<Square> {
    Some(Square::from_coords(file(*text.first()?)?, rank(*text.get(1)?)?))
}

/// The way PGN exports write moves, in English and plain ASCII: nearly every word of nearly every file. `None` says
/// nothing but that the word needs a closer look.
#[inline]
fn read_canonical(word: &[u8]) -> Option<Written> {
    let (mut rest, mut mark) = (word, Mark::None);
    while let [head @ .., b'!' | b'?'] = rest {
        rest = head;
    }
    if let [head @ .., last @ (b'+' | b'#')] = rest {
        mark = if *last == b'+' { Mark::Check } else { Mark::Mate };
        rest = head;
    }
    let said = match rest {
        b"O-O" => Said::Castle(CastlingSide::KingSide),
        b"O-O-O" => Said::Castle(CastlingSide::QueenSide),
        [b'a'..=b'h', ..] => Said::Piece(canonical_pawn(rest)?),
        [letter, rest @ ..] => Said::Piece(canonical_piece(english_piece(*letter)?, rest)?),
        [] => return None,
    };
    Some(Written { said, mark, liberties: Liberties::default() })
}

#[inline]
fn canonical_pawn(word: &[u8]) -> Option<PieceMove> {
    let (word, promotion) = match word {
        [head @ .., b'=', piece] => (head, Some(promoted(*piece)?)),
        _ => (word, None),
    };
    let (from, capture, to) = match word {
        [_, _] => (None, false, square(word)?),
        [from, b'x', to @ ..] if to.len() == 2 => (Some(file(*from)?), true, square(to)?),
        _ => return None,
    };
    Some(PieceMove { role: Role::Pawn, file: from, rank: None, capture, to, promotion })
}

#[inline]
fn canonical_piece(role: Role, word: &[u8]) -> Option<PieceMove> {
    let (origin, to) = word.split_at_checked(word.len().checked_sub(2)?)?;
    let to = square(to)?;
    let (origin, capture) = match origin {
        [head @ .., b'x'] => (head, true),
        _ => (origin, false),
    };
    let (from_file, from_rank) = match origin {
        [] => (None, None),
        [letter @ b'a'..=b'h'] => (file(*letter), None),
        [digit @ b'1'..=b'8'] => (None, rank(*digit)),
        _ => return None,
    };
    Some(PieceMove { role, file: from_file, rank: from_rank, capture, to, promotion: None })
}

#[cfg(test)]
#[path = "notation_tests.rs"]
mod tests;
