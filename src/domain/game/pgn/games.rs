//! A text as a sequence of games.

use super::{
    tags::Tags,
    tokens::{Token, Tokens},
};

/// Walks through the games of a text. The caller reads each game's tags, then its tokens, and hands back where it
/// stopped; so nothing is read twice.
#[derive(Clone, Debug)]
pub struct Games<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Games<'a> {
    /// The games of a text; a byte order mark is passed over.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 } }
    }

    /// The whole text.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Where the next game is looked for.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Begins the next game: reads its tags and answers where it begins, with its movetext; `None` when nothing is left
    /// but blanks and comments.
    pub fn begin(&mut self, tags: &mut Tags<'a>) -> Option<(usize, Tokens<'a>)> {
        tags.clear();
        self.at += self.text[self.at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let start = self.at;
        let movetext = tags.read(self.text, start);
        let tokens = Tokens::new(self.text, movetext);
        let nothing = tags.is_empty() && tags.unreadable.is_empty() && movetext == self.text.len();
        self.at = movetext;
        (!nothing).then_some((start, tokens))
    }

    /// Ends the game at hand where its tokens stopped; behind a termination marker, passes over what belongs to it and
    /// answers the place of moves that follow it, if any.
    pub fn end(&mut self, mut tokens: Tokens<'a>, terminated: bool) -> Option<usize> {
        let mut stray = None;
        if terminated {
            loop {
                let before = tokens.at();
                match tokens.next_token() {
                    Token::End => break,
                    Token::Comment(_) => {}
                    Token::Number(1, false) if stray.is_none() => {
                        self.at = before;
                        return None;
                    }
                    _ => stray = stray.or(Some(tokens.start())),
                }
            }
        }
        self.at = tokens.at();
        stray
    }
}
