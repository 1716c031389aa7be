//! The movetext of a game, token by token.

use super::{
    at_line_start,
    bytes::{BLANK, BREAK, CLASS, DIGIT, HIGH, LETTER, SIGNS, bracketed_promotion, is_symbol, wide_blank},
    comment_end, is_tag_ahead, line_end, line_of,
    tags::begins_here,
};
use crate::domain::game::result::GameResult;

/// Variations nested deeper than this are passed over like the others, but reported.
pub const MAX_DEPTH: u32 = 64;

/// A token of the main line. Variations are passed over whole: they are annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A move number, and whether the dots are those of a black move (three or more).
    Number(u32, bool),
    /// A word where a move may stand: a move, or something that has to be reported.
    Word(&'a [u8]),
    /// `e.p.` standing alone.
    EnPassantMark,
    /// The content of a brace comment.
    Comment(&'a [u8]),
    /// A sign of annotation made of letters, such as `N` for a novelty.
    Sign,
    /// The termination marker.
    Result(GameResult),
    /// Something that PGN does not know.
    Unreadable(&'a [u8]),
    /// A comment that is never closed.
    UnclosedComment,
    /// A variation that is never closed.
    UnclosedVariation,
    /// A variation nested too deep.
    DeepVariation,
    /// The end of the game: of the text, or the tags of the next game.
    End,
}

/// Reads the movetext of one game.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    start: usize,
}

impl<'a> Tokens<'a> {
    /// From this byte of a text.
    pub fn new(text: &'a [u8], at: usize) -> Self {
        Self { text, at, start: at }
    }

    /// Where the last token begins.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Where the next token is looked for.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Passes over the rest of the game; whether there is a termination marker.
    pub fn skip_to_end(&mut self) -> bool {
        loop {
            match self.next_token() {
                Token::Result(_) => return true,
                Token::End => return false,
                _ => {}
            }
        }
    }

    /// The next token. After [`Token::End`] it is `End` for ever.
    pub fn next_token(&mut self) -> Token<'a> {
        loop {
            let Some(&byte) = self.text.get(self.at) else {
                self.start = self.text.len();
                return Token::End;
            };
            self.start = self.at;
            match CLASS[usize::from(byte)] {
                BLANK => self.at += 1,
                LETTER => return self.word(),
                DIGIT => return self.number(),
                _ => {
                    if let Some(token) = self.other(byte) {
                        return token;
                    }
                }
            }
        }
    }

    /// Everything that is neither blank, letter nor digit; `None` when it is passed over.
    fn other(&mut self, byte: u8) -> Option<Token<'a>> {
        match byte {
            b'{' => return Some(self.comment()),
            b'(' if self.text[self.at..].starts_with(b"(=)") => self.at += 3,
            b'(' => return self.variation(),
            b';' => self.at = line_end(self.text, self.at),
            b'%' if at_line_start(self.text, self.at) => self.at = line_end(self.text, self.at),
            b'.' => self.at += self.text[self.at..].iter().take_while(|b| **b == b'.').count(),
            b'*' => {
                self.at += 1;
                return Some(Token::Result(GameResult::Unknown));
            }
            b'$' => return self.nag(),
            b'[' if begins_here(self.text, self.at) => return Some(Token::End),
            b'[' => return Some(self.bracketed()),
            b')' | b'}' | b']' => return Some(self.unreadable(self.at + 1)),
            _ => return self.signs(),
        }
        None
    }

    fn take(&mut self, end: usize) -> &'a [u8] {
        self.at = end;
        &self.text[self.start..end]
    }

    fn unreadable(&mut self, end: usize) -> Token<'a> {
        Token::Unreadable(self.take(end))
    }

    /// Where the word from `from` on ends.
    fn word_end(&self, from: usize) -> usize {
        let mut end = from;
        while let Some(&byte) = self.text.get(end) {
            let class = CLASS[usize::from(byte)];
            if class == BLANK || class == BREAK || (class == HIGH && end > from && wide_blank(&self.text[end..]) > 0) {
                break;
            }
            end += 1;
        }
        end
    }

    /// A word that begins with a letter.
    fn word(&mut self) -> Token<'a> {
        let mut end = self.word_end(self.at);
        if self.text.get(end) == Some(&b'(') {
            end += bracketed_promotion(&self.text[self.at..end], &self.text[end..]);
        }
        let word = self.take(end);
        if word.len() <= 4 {
            if matches!(word, b"e.p." | b"e.p" | b"ep" | b"ep.") {
                return Token::EnPassantMark;
            }
            if matches!(word, b"N" | b"D" | b"RR" | b"TN") {
                return Token::Sign;
            }
        }
        Token::Word(word)
    }

    /// A move number, a result, or castling in noughts.
    fn number(&mut self) -> Token<'a> {
        let mut number: u32 = 0;
        let mut end = self.at;
        while let Some(digit @ b'0'..=b'9') = self.text.get(end) {
            number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            end += 1;
        }
        let (length, dots) = dots(&self.text[end..]);
        if dots > 0 || self.text[self.at] != b'0' && ends_number(self.text.get(end)) {
            self.at = end + length;
            return Token::Number(number, dots >= 3);
        }
        let end = self.word_end(end);
        let word = self.take(end);
        match GameResult::read(word) {
            Some(result) => Token::Result(result),
            None => Token::Word(word),
        }
    }

    fn comment(&mut self) -> Token<'a> {
        let (end, closed) = comment_end(self.text, self.at);
        self.at = end;
        if closed { Token::Comment(&self.text[self.start + 1..end - 1]) } else { Token::UnclosedComment }
    }

    /// A numeric annotation glyph: `$` and a number.
    fn nag(&mut self) -> Option<Token<'a>> {
        let digits = self.text[self.at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return Some(self.unreadable(self.at + 1));
        }
        self.at += 1 + digits;
        None
    }

    /// Text in square brackets that is no tag, such as a clock outside a comment.
    fn bracketed(&mut self) -> Token<'a> {
        let line = line_of(self.text, self.at, 128);
        let end = self.at + memchr::memchr(b']', line).map_or(1, |n| n + 1);
        self.unreadable(end)
    }

    /// Passes over a variation with everything nested in it.
    fn variation(&mut self) -> Option<Token<'a>> {
        let mut depth: u32 = 0;
        let mut deepest: u32 = 0;
        while let Some(n) =
            self.text[self.at..].iter().position(|b| matches!(b, b'(' | b')' | b'{' | b';' | b'[' | b'%'))
        {
            self.at += n;
            match self.text[self.at] {
                b'(' => depth = depth.saturating_add(1),
                b')' => depth -= 1,
                b'{' => {
                    let (end, closed) = comment_end(self.text, self.at);
                    if !closed {
                        self.start = self.at;
                        self.at = end;
                        return Some(Token::UnclosedComment);
                    }
                    self.at = end - 1;
                }
                b';' => self.at = line_end(self.text, self.at) - 1,
                b'%' if at_line_start(self.text, self.at) => self.at = line_end(self.text, self.at) - 1,
                b'[' if at_line_start(self.text, self.at) && is_tag_ahead(&self.text[self.at..]) => {
                    return Some(Token::UnclosedVariation);
                }
                _ => {}
            }
            self.at += 1;
            deepest = deepest.max(depth);
            if depth == 0 {
                return (deepest > MAX_DEPTH).then_some(Token::DeepVariation);
            }
        }
        self.at = self.text.len();
        Some(Token::UnclosedVariation)
    }

    /// A run of signs or of characters beyond ASCII.
    fn signs(&mut self) -> Option<Token<'a>> {
        let blank = wide_blank(&self.text[self.at..]);
        if blank > 0 {
            self.at += blank;
            return None;
        }
        let end = self.word_end(self.at).max(self.start + 1);
        let word = self.take(end);
        if SIGNS.iter().any(|sign| sign.as_bytes() == word) || is_symbol(word) {
            return None;
        }
        match GameResult::read(word) {
            Some(result) => Some(Token::Result(result)),
            None => Some(Token::Word(word)),
        }
    }
}

/// Bytes of the dots behind a move number, and how many dots they are: an ellipsis is three.
fn dots(text: &[u8]) -> (usize, usize) {
    let (mut length, mut count) = (0, 0);
    loop {
        match text.get(length) {
            Some(b'.') => (length, count) = (length + 1, count + 1),
            Some(0xe2) if text[length..].starts_with("…".as_bytes()) => (length, count) = (length + 3, count + 3),
            _ => return (length, count),
        }
    }
}

/// Whether a move number without dots ends before this byte: at a blank, at the move itself, or where every word ends.
fn ends_number(next: Option<&u8>) -> bool {
    next.is_none_or(|byte| matches!(CLASS[usize::from(*byte)], BLANK | LETTER | BREAK))
}

#[cfg(test)]
mod tests {
    use super::{super::text::decode, *};

    fn read(text: &[u8]) -> Vec<Token<'_>> {
        let mut tokens = Tokens::new(text, 0);
        let mut list = Vec::new();
        loop {
            match tokens.next_token() {
                Token::End => return list,
                Token::Number(..) | Token::Comment(_) | Token::Sign => {}
                token => list.push(token),
            }
        }
    }

    fn words(text: &str) -> Vec<String> {
        let list = read(text.as_bytes());
        list.iter()
            .map(|t| match t {
                Token::Word(w) => decode(w).into_owned(),
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn no_word_is_dropped() {
        assert_eq!(
            words("1. e4 o-o 2.OO 0-0 O-OO-O Z0 -- hxg8Q 3... Nf3!? $14"),
            ["e4", "o-o", "OO", "0-0", "O-OO-O", "Z0", "--", "hxg8Q", "Nf3!?"]
        );
        assert_eq!(words("1. 00 000 0 0O0"), ["00", "000", "0", "0O0"]);
        assert_eq!(words("1.e4 e5 2... d5 1.... x"), ["e4", "e5", "d5", "x"]);
        assert_eq!(words("1…e5 2… Nf6 3.… d5 e4‼ ‼ ⁉"), ["e5", "Nf6", "d5", "e4‼"]);
        assert_eq!(words("bxa8(Q)+ e4(e5) Nf3(=)"), ["bxa8(Q)", "e4", "Nf3"]);
    }

    #[test]
    fn comments_lines_and_variations_are_passed_over() {
        assert_eq!(words("e4 ; 2. h4 {not open\nd4 {a; b} c4\n% x\nb4 {50% } a4"), ["e4", "d4", "c4", "b4", "a4"]);
        assert_eq!(words("e4 (d4 (c4 {)} ; )\n) b4) e5"), ["e4", "e5"]);
    }

    #[test]
    fn what_is_never_closed_is_said() {
        assert_eq!(read(b"e4 {open e5"), [Token::Word(b"e4"), Token::UnclosedComment]);
        assert_eq!(read(b"e4 (open e5"), [Token::Word(b"e4"), Token::UnclosedVariation]);
        let two = b"e4 {open e5 1-0\n\n[Event \"x\"]\n\n1. d4 {y}";
        assert_eq!(read(two), [Token::Word(b"e4"), Token::UnclosedComment]);
    }

    #[test]
    fn results_in_all_spellings() {
        for text in ["1/2-1/2", "½-½", "½–½", "1/2"] {
            assert_eq!(read(text.as_bytes()), [Token::Result(GameResult::Drawn)], "{text}");
        }
        assert_eq!(read(b"\xbd-\xbd"), [Token::Result(GameResult::Drawn)]);
        assert_eq!(read("1–0 *".as_bytes()).len(), 2);
    }

    #[test]
    fn signs_are_annotation_and_strays_are_not() {
        assert_eq!(words("e4 +/= N ± $3 = ∞ +- e5"), ["e4", "e5"]);
        assert_eq!(words("e4 [x \"y e5 2. Nf3")[4..], ["e5", "Nf3"]);
        assert_eq!(words("e4 ) } ] $x [%clk 1] <1>").len(), 8);
    }
}
