//! A move as it is written: from a word to what it says, before any board is looked at.
//!
//! Every spelling that can mean only one thing is read, and what is not canonical about it is remembered, so that the
//! report can say so. Spellings that could mean two things, or that a slip of the pen explains better, are refused.

use super::{
    letters::{Language, is_other_script, look_alike},
    pgn::text::decode,
};
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

    fn add(&mut self, other: Self) {
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

fn plain(said: Said) -> Written {
    Written { said, mark: Mark::None, liberties: Liberties::default() }
}

#[inline]
fn english_piece(letter: u8) -> Option<Role> {
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
fn promoted(letter: u8) -> Option<Role> {
    english_piece(letter).filter(|role| *role != Role::King)
}

#[inline]
fn file(letter: u8) -> Option<File> {
    matches!(letter, b'a'..=b'h').then(|| File::new(u32::from(letter - b'a')))
}

#[inline]
fn rank(digit: u8) -> Option<Rank> {
    matches!(digit, b'1'..=b'8').then(|| Rank::new(u32::from(digit - b'1')))
}

#[inline]
fn square(text: &[u8]) -> Option<Square> {
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

/// All other spellings.
fn read_liberally(word: &[u8], language: &Language) -> Result<Written, NotAMove> {
    if word.len() > 48 {
        return Err(NotAMove::Unreadable);
    }
    if matches!(word, b"--" | b"Z0" | b"@@@@" | b"null" | b"0000" | b"pass" | b"\xE2\x80\x93\xE2\x80\x93") {
        return Ok(plain(Said::Null));
    }
    let mut text: String = decode(word).into_owned();
    let (mark, mut liberties) = strip_suffixes(&mut text);
    if let Some(side) = castling(&text) {
        let canonical = if side == CastlingSide::KingSide { "O-O" } else { "O-O-O" };
        if text != canonical {
            liberties.add(Liberties::CASTLING);
        }
        return Ok(Written { said: Said::Castle(side), mark, liberties });
    }
    if is_nearly_castling(&text) {
        return Err(NotAMove::NearlyCastling);
    }
    let said = piece_or_squares(&text, language, &mut liberties).ok_or_else(|| why_not(&text, language))?;
    Ok(Written { said, mark, liberties })
}

/// Takes annotation, check marks, `e.p.` and a draw offer off the end of a word.
fn strip_suffixes(text: &mut String) -> (Mark, Liberties) {
    let (mut mark, mut liberties) = (Mark::None, Liberties::default());
    loop {
        let (cut, found) = match text.as_str() {
            t if t.ends_with(['!', '?', '□', '∞', '±', '∓']) => {
                (t.chars().next_back().map_or(0, char::len_utf8), None)
            }
            t if t.ends_with("++") || t.ends_with("‡") => (if t.ends_with('+') { 2 } else { 3 }, Some(Mark::Double)),
            t if t.ends_with('+') => (1, Some(Mark::Check)),
            t if t.ends_with('†') => (3, Some(Mark::Check)),
            t if t.ends_with('#') => (1, Some(Mark::Mate)),
            t if t.ends_with("e.p.") => (4, None),
            t if t.ends_with("e.p") => (3, None),
            t if t.ends_with("ep") => (2, None),
            t if t.ends_with('=') => (1, None),
            _ => return (mark, liberties),
        };
        if text.ends_with(['p', '.']) {
            liberties.add(Liberties::EN_PASSANT);
        } else if text.ends_with(['†', '‡', '=']) {
            liberties.add(Liberties::MISC);
        }
        if let Some(found) = found {
            mark = if mark == Mark::None { found } else { Mark::Double };
        }
        text.truncate(text.len() - cut);
    }
}

/// Letters that are written for the O of castling: O, nought, their small form, Cyrillic and Greek O.
fn is_castling_letter(c: char) -> bool {
    matches!(c, 'O' | '0' | 'o' | 'О' | 'о' | 'Ο' | 'ο')
}

/// Castling in any spelling with dashes between its letters.
fn castling(text: &str) -> Option<CastlingSide> {
    let is_castling =
        text.chars().enumerate().all(|(n, c)| if n % 2 == 0 { is_castling_letter(c) } else { is_dash(c) });
    match (is_castling, text.chars().count()) {
        (true, 3) => Some(CastlingSide::KingSide),
        (true, 5) => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

/// Castling letters and dashes in another order: `OO`, `O-OO-O`.
fn is_nearly_castling(text: &str) -> bool {
    text.chars().filter(|c| is_castling_letter(*c)).count() >= 2
        && text.chars().all(|c| is_castling_letter(c) || is_dash(c))
}

/// A piece and a square, or two squares.
fn piece_or_squares(text: &str, language: &Language, liberties: &mut Liberties) -> Option<Said> {
    let (role, length) = match language.piece_at_start(text) {
        Some((Role::Pawn, length)) if is_pawn_named(text, length) => {
            liberties.add(Liberties::PAWN);
            (Role::Pawn, length)
        }
        Some((role, length)) if role != Role::Pawn => (role, length),
        _ => (Role::Pawn, 0),
    };
    let (rest, promotion) = split_promotion(&text[length..], language, liberties)?;
    if length == 0 && rest.starts_with(is_dash) {
        return None;
    }
    let bare = bare_squares(rest, liberties)?;
    let (origin, capture) = (&bare.text[..bare.text.len() - 2], bare.capture);
    let to = square(&bare.text.as_bytes()[bare.text.len() - 2..])?;
    let (from_file, from_rank) = match origin.as_bytes() {
        [] => (None, None),
        [letter @ b'a'..=b'h'] => (file(*letter), None),
        [digit @ b'1'..=b'8'] if role != Role::Pawn => (None, rank(*digit)),
        [letter, digit] => (Some(file(*letter)?), Some(rank(*digit)?)),
        _ => return None,
    };
    if role == Role::Pawn && capture && from_file.is_none() {
        return None;
    }
    if promotion.is_some() && role != Role::Pawn {
        return None;
    }
    if let (Some(file), Some(rank)) = (from_file, from_rank) {
        liberties.add(Liberties::LONG);
        if length == 0 {
            return Some(Said::Squares { from: Square::from_coords(file, rank), to, promotion });
        }
    }
    Some(Said::Piece(PieceMove { role, file: from_file, rank: from_rank, capture, to, promotion }))
}

/// Whether the letter at the start names the pawn and is not the file it comes from, as small `b` could be.
fn is_pawn_named(text: &str, length: usize) -> bool {
    text[length..].starts_with(|c: char| ('a'..='h').contains(&c))
}

/// Takes a promotion off the end: `=Q`, `Q`, `(Q)`, `/Q`, or a small letter as in UCI.
fn split_promotion<'a>(
    text: &'a str,
    language: &Language,
    liberties: &mut Liberties,
) -> Option<(&'a str, Option<Role>)> {
    let digit = text.rfind(|c: char| ('1'..='8').contains(&c))?;
    let (head, tail) = text.split_at(digit + 1);
    if tail.is_empty() {
        return Some((head, None));
    }
    let name = tail.trim_start_matches(['=', '/', '(', ':']).trim_end_matches(')');
    let small = |name: &str| english_piece(name.as_bytes().first()?.to_ascii_uppercase()).filter(|_| name.len() == 1);
    let role = match language.piece(name) {
        Some(role) => role,
        None if name.starts_with(|c: char| c.is_ascii_lowercase()) => small(name)?,
        None => return None,
    };
    if tail.len() != name.len() + 1 || !tail.starts_with('=') || name.starts_with(|c: char| c.is_lowercase()) {
        liberties.add(Liberties::PROMOTION);
    }
    (!matches!(role, Role::Pawn | Role::King)).then_some((head, Some(role)))
}

/// Squares without the sign between them.
struct Bare {
    text: String,
    capture: bool,
}

/// Takes the one sign out that may stand right before the square of arrival.
fn bare_squares(rest: &str, liberties: &mut Liberties) -> Option<Bare> {
    let mut bare = Bare { text: String::with_capacity(5), capture: false };
    let mut before_sign = None;
    for c in rest.chars() {
        if matches!(c, 'a'..='h' | '1'..='8') {
            bare.text.push(c);
            continue;
        }
        match c {
            'x' => {}
            'X' | ':' | '×' => liberties.add(Liberties::MISC),
            c if is_dash(c) => liberties.add(Liberties::LONG),
            _ => return None,
        }
        bare.capture = !is_dash(c);
        if before_sign.replace(bare.text.len()).is_some() {
            return None;
        }
    }
    let is_before_arrival = before_sign.is_none_or(|length| length + 2 == bare.text.len());
    (is_before_arrival && (2..=4).contains(&bare.text.len())).then_some(bare)
}

/// Why a word is no move, as closely as can be told.
fn why_not(text: &str, language: &Language) -> NotAMove {
    let native = language.name(Role::King).chars().chain(language.name(Role::Knight).chars()).any(is_other_script);
    let piece = text.chars().next();
    let is_wrong = |c: char| is_other_script(c) != (native && Some(c) == piece);
    match text.chars().filter(|c| c.is_alphabetic() && is_wrong(*c)).find_map(look_alike) {
        Some((found, double)) => NotAMove::WrongScript(found, double),
        None => NotAMove::Unreadable,
    }
}

#[cfg(test)]
#[path = "notation_tests.rs"]
mod tests;
