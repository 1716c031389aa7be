//! The spellings of a move that are not canonical and can mean only one thing.

use super::{
    letters::{Language, is_other_script, look_alike},
    notation::{
        Liberties, Mark, NotAMove, PieceMove, Said, Written, english_piece, file, is_dash, plain, rank, square,
    },
    pgn::text::decode,
};
use crate::domain::rules::{CastlingSide, Role, Square};

/// Reads every spelling that can mean only one thing.
///
/// # Errors
/// Why the word cannot be a move.
pub fn read_liberally(word: &[u8], language: &Language) -> Result<Written, NotAMove> {
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
