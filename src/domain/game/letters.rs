//! Letters for the pieces in the languages of score sheets.
//!
//! FIDE lets each player write the letters of his country (C.3), and the same letter means different pieces in
//! different countries: a Lithuanian `R` is a bishop, a French one the king. So a language is never guessed: it is
//! English, as in PGN, unless the submission names another. Within a language the longest name wins (Russian `Кр` before
//! `К`), and letters of another script that only look the same are refused with a hint, never mixed in silently.

use crate::domain::rules::Role;
use std::str::FromStr;

/// The names of the pieces in one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Two-letter code, ISO 639-1.
    pub code: &'static str,
    /// King, queen, rook, bishop, knight, pawn; the last is empty where it has no letter.
    names: [&'static str; 6],
}

const ROLES: [Role; 6] = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

macro_rules! languages {
    ($($code:literal $king:literal $queen:literal $rook:literal $bishop:literal $knight:literal $pawn:literal;)*) => {
        /// All languages, English first.
        pub const LANGUAGES: &[Language] =
            &[$(Language { code: $code, names: [$king, $queen, $rook, $bishop, $knight, $pawn] },)*];
    };
}

languages! {
    "en" "K" "Q" "R" "B" "N" "P";
    "lt" "K" "V" "B" "R" "Ž" "p";
    "lv" "K" "D" "T" "L" "Z" "B";
    "et" "K" "L" "V" "O" "R" "P";
    "ru" "Кр" "Ф" "Л" "С" "К" "п";
    "uk" "Кр" "Ф" "Т" "С" "К" "п";
    "bg" "Ц" "Д" "Т" "О" "К" "П";
    "pl" "K" "H" "W" "G" "S" "P";
    "cs" "K" "D" "V" "S" "J" "P";
    "sk" "K" "D" "V" "S" "J" "P";
    "sr" "K" "D" "T" "L" "S" "P";
    "hr" "K" "D" "T" "L" "S" "P";
    "ro" "R" "D" "T" "N" "C" "P";
    "hu" "K" "V" "B" "F" "H" "G";
    "de" "K" "D" "T" "L" "S" "B";
    "nl" "K" "D" "T" "L" "P" "O";
    "da" "K" "D" "T" "L" "S" "B";
    "nb" "K" "D" "T" "L" "S" "B";
    "sv" "K" "D" "T" "L" "S" "B";
    "fi" "K" "D" "T" "L" "R" "P";
    "is" "K" "D" "H" "B" "R" "P";
    "fr" "R" "D" "T" "F" "C" "P";
    "es" "R" "D" "T" "A" "C" "P";
    "ca" "R" "D" "T" "A" "C" "P";
    "it" "R" "D" "T" "A" "C" "P";
    "pt" "R" "D" "T" "B" "C" "P";
    "tr" "Ş" "V" "K" "F" "A" "";
    "el" "Ρ" "Β" "Π" "Α" "Ι" "Σ";
}

/// A language that is not on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLanguage;

impl std::fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the notation language is one of ")?;
        for (n, language) in LANGUAGES.iter().enumerate() {
            write!(f, "{}{}", if n == 0 { "" } else { ", " }, language.code)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownLanguage {}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, UnknownLanguage> {
        let code = if code == "no" { "nb" } else { code };
        LANGUAGES.iter().find(|language| language.code == code).copied().ok_or(UnknownLanguage)
    }
}

impl Default for Language {
    fn default() -> Self {
        Self::ENGLISH
    }
}

impl Language {
    /// English, the language of PGN.
    pub const ENGLISH: Self = LANGUAGES[0];

    /// Whether this is English, which needs no table.
    pub const fn is_english(&self) -> bool {
        matches!(self.code.as_bytes(), b"en")
    }

    /// The piece whose name a word begins with, the longest name first, and the length of the name.
    pub fn piece_at_start(&self, word: &str) -> Option<(Role, usize)> {
        let named = ROLES.iter().zip(self.names).filter(|(_, name)| !name.is_empty() && word.starts_with(*name));
        named.max_by_key(|(_, name)| name.len()).map(|(role, name)| (*role, name.len()))
    }

    /// The piece that a word names as a whole, as behind a promotion.
    pub fn piece(&self, word: &str) -> Option<Role> {
        self.piece_at_start(word).filter(|(_, length)| *length == word.len()).map(|(role, _)| role)
    }

    /// What a piece is called in this language.
    pub fn name(&self, role: Role) -> &'static str {
        ROLES.iter().zip(self.names).find(|(r, _)| **r == role).map_or("", |(_, name)| name)
    }
}

/// Pairs of letters that look alike, Latin and Cyrillic or Greek, where piece letters and files are concerned.
const LOOK_ALIKE: [(char, char); 27] = [
    ('K', 'К'),
    ('K', 'Κ'),
    ('B', 'В'),
    ('B', 'Β'),
    ('H', 'Н'),
    ('T', 'Т'),
    ('C', 'С'),
    ('P', 'Р'),
    ('P', 'Ρ'),
    ('A', 'А'),
    ('A', 'Α'),
    ('O', 'О'),
    ('O', 'Ο'),
    ('N', 'Ν'),
    ('S', 'Ѕ'),
    ('J', 'Ј'),
    ('I', 'Ι'),
    ('M', 'М'),
    ('X', 'Х'),
    ('a', 'а'),
    ('c', 'с'),
    ('e', 'е'),
    ('x', 'х'),
    ('p', 'р'),
    ('o', 'о'),
    ('d', 'ԁ'),
    ('h', 'һ'),
];

/// A letter and its double in another script.
pub fn look_alike(letter: char) -> Option<(char, char)> {
    LOOK_ALIKE.iter().find_map(|(latin, other)| match letter {
        c if c == *other => Some((c, *latin)),
        c if c == *latin => Some((c, *other)),
        _ => None,
    })
}

/// Whether a character belongs to another script than Latin.
pub fn is_other_script(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{52f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_wins() {
        let ru: Language = "ru".parse().unwrap();
        assert_eq!(ru.piece_at_start("Крe2"), Some((Role::King, 4)));
        assert_eq!(ru.piece_at_start("Кe2"), Some((Role::Knight, 2)));
        assert_eq!(ru.piece_at_start("Ke2"), None);
    }

    #[test]
    fn the_same_letter_is_another_piece() {
        let piece = |code: &str, word: &str| code.parse::<Language>().unwrap().piece(word);
        assert_eq!(piece("lt", "R"), Some(Role::Bishop));
        assert_eq!(piece("lt", "Ž"), Some(Role::Knight));
        assert_eq!(piece("fr", "R"), Some(Role::King));
        assert_eq!(piece("hu", "B"), Some(Role::Rook));
        assert_eq!(piece("tr", "K"), Some(Role::Rook));
        assert!("xx".parse::<Language>().is_err());
    }

    #[test]
    fn no_language_gives_one_letter_to_two_pieces() {
        for language in LANGUAGES {
            for (n, name) in language.names.iter().enumerate() {
                assert!(!language.names[..n].contains(name), "{} {name}", language.code);
            }
        }
    }
}
