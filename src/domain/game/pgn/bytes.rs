//! Bytes of a movetext: what each can begin, and the odd characters beyond ASCII.

use super::text::decode;

/// Class of blanks.
pub const BLANK: u8 = 0;
/// Class of letters.
pub const LETTER: u8 = 1;
/// Class of digits.
pub const DIGIT: u8 = 2;
/// Class of other signs.
pub const SIGN: u8 = 3;
/// Class of signs that end a word.
pub const BREAK: u8 = 4;
/// Class of bytes beyond ASCII.
pub const HIGH: u8 = 5;

/// What each byte is.
pub static CLASS: [u8; 256] = {
    let mut class = [SIGN; 256];
    let mut b = 0;
    while b < 256 {
        class[b] = match b as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => BLANK,
            b'A'..=b'Z' | b'a'..=b'z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b'$' | b'*' => BREAK,
            0x80.. => HIGH,
            _ => SIGN,
        };
        b += 1;
    }
    class
};

/// Signs of evaluation that stand between moves; NAGs in writing.
pub const SIGNS: [&str; 21] = [
    "!", "?", "!!", "??", "!?", "?!", "+", "++", "#", "=", "+-", "-+", "+/-", "-/+", "+/=", "=/+", "+=", "=+", "~",
    "_|_", "==",
];

/// Length of `(Q)` behind a square of the last rank, else 0: promotion written with brackets.
pub fn bracketed_promotion(word: &[u8], rest: &[u8]) -> usize {
    let inside = rest.iter().take(8).position(|b| *b == b')').unwrap_or(0);
    let is_letter = inside > 1 && rest[1..inside].iter().all(|b| b.is_ascii_alphabetic() || *b >= 0x80);
    if is_letter && matches!(word.last(), Some(b'1' | b'8')) { inside + 1 } else { 0 }
}

/// Length of a blank beyond ASCII at the beginning of a text: no-break and zero-width blanks, byte order mark.
pub fn wide_blank(text: &[u8]) -> usize {
    const WIDE: [&str; 10] = [
        "\u{a0}", "\u{feff}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2009}", "\u{202f}", "\u{2002}", "\u{2003}",
        "\u{3000}",
    ];
    if text.first().is_none_or(|b| *b < 0x80) {
        return 0;
    }
    WIDE.iter().find(|blank| text.starts_with(blank.as_bytes())).map_or(0, |blank| blank.len())
}

/// Whether a word has only signs beyond ASCII, such as ± or →: annotation.
pub fn is_symbol(word: &[u8]) -> bool {
    let plain = |c: char| matches!(c, '!' | '?' | '+' | '-' | '=' | '/');
    let sign = |c: char| matches!(c, '±' | '‼' | '\u{2047}'..='\u{2049}' | '\u{2190}'..='\u{22ff}' | '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{2bff}');
    word.len() <= 16 && word[0] >= 0x80 && {
        let text = decode(word);
        text.chars().all(|c| sign(c) || plain(c)) && text.chars().any(sign)
    }
}
