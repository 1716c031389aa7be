//! The tag section of a game: tags in any order, case and number.

use super::{at_line_start, comment_end, is_tag_ahead, line_end, line_of, text::decode};
use std::borrow::Cow;

/// More tags than this are read, but not compared for duplicates: no game has as many.
const MAX_COMPARED: usize = 128;

/// A tag pair is not longer than this.
const MAX_PAIR: usize = 8 << 10;

/// Nor than this in the middle of a line of moves.
const MAX_INLINE: usize = 512;

/// One tag pair, as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Name as written.
    pub name: &'a [u8],
    /// Value between the quotation marks, escapes untouched.
    pub raw: &'a [u8],
    /// Where its bracket stands.
    pub at: usize,
}

impl<'a> Tag<'a> {
    /// The value: escapes undone, ISO 8859-1 where it is not UTF-8.
    pub fn value(&self) -> Cow<'a, str> {
        if !self.raw.contains(&b'\\') {
            return decode(self.raw);
        }
        let mut value = Vec::with_capacity(self.raw.len());
        let mut bytes = self.raw.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match (byte, bytes.peek()) {
                (b'\\', Some(b'"' | b'\\')) => value.extend(bytes.next()),
                _ => value.push(byte),
            }
        }
        Cow::Owned(decode(&value).into_owned())
    }

    /// Whether this is its name, whatever the case.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// The tags of one game.
#[derive(Clone, Debug, Default)]
pub struct Tags<'a> {
    list: Vec<Tag<'a>>,
    /// Places of tag pairs that cannot be read.
    pub unreadable: Vec<usize>,
}

impl<'a> Tags<'a> {
    /// Forgets the tags of the last game and keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.unreadable.clear();
    }

    /// All tags in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Tag<'a>> {
        self.list.iter()
    }

    /// Whether there is no tag at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The first tag of this name.
    pub fn get(&self, name: &str) -> Option<&Tag<'a>> {
        self.list.iter().find(|tag| tag.is(name))
    }

    /// Value of the first tag of this name; tags that say nothing (`?`, `-`, empty) are none.
    pub fn value(&self, name: &str) -> Option<Cow<'a, str>> {
        let value = self.get(name)?.value();
        if matches!(value.trim(), "" | "?" | "-") { None } else { Some(value) }
    }

    /// Tags that repeat an earlier name with another value, each with the earlier one.
    pub fn contradictions(&self) -> impl Iterator<Item = (&Tag<'a>, &Tag<'a>)> {
        let compared = &self.list[..self.list.len().min(MAX_COMPARED)];
        compared.iter().enumerate().filter_map(move |(n, later)| {
            let earlier = compared[..n].iter().find(|earlier| earlier.name.eq_ignore_ascii_case(later.name))?;
            (earlier.raw != later.raw).then_some((later, earlier))
        })
    }

    /// Reads the tag section that begins at `at`; answers where the movetext begins. Comments and `%` lines between
    /// tags are passed over. The section ends before a tag that repeats the first one behind an empty line: such a
    /// game has a header only.
    pub(super) fn read(&mut self, text: &'a [u8], mut at: usize) -> usize {
        let mut empty_line = false;
        loop {
            match text.get(at) {
                Some(b' ' | b'\t') => at += 1,
                Some(b'\n' | b'\r') => {
                    empty_line |= at > 0 && matches!(text[at - 1], b'\n');
                    empty_line |= text[at] == b'\r' && at_line_start(text, at);
                    at += 1;
                }
                Some(b'%') if at_line_start(text, at) => at = line_end(text, at),
                Some(b';') => at = line_end(text, at),
                Some(b'{') if comment_end(text, at).1 => at = comment_end(text, at).0,
                Some(b'[') => match self.read_pair(text, at, empty_line) {
                    Some(end) => {
                        at = end;
                        empty_line = false;
                    }
                    None => return at,
                },
                _ => return at,
            }
        }
    }

    /// Reads one tag pair and answers where it ends; `None` when it belongs to the next game.
    fn read_pair(&mut self, text: &'a [u8], at: usize, empty_line: bool) -> Option<usize> {
        let Some((tag, length)) = parse(line_of(text, at, MAX_PAIR), at) else {
            self.unreadable.push(at);
            return Some(line_end(text, at));
        };
        if empty_line && self.list.first().is_some_and(|first| first.name == tag.name) {
            return None;
        }
        self.list.push(tag);
        Some(at + length)
    }
}

/// Whether the next game begins at this bracket in a movetext: with a tag pair, which in the middle of a line has to be a
/// whole one, since a line that cannot be read is passed over.
pub(super) fn begins_here(text: &[u8], at: usize) -> bool {
    is_tag_ahead(&text[at..]) && (at_line_start(text, at) || parse(line_of(text, at, MAX_INLINE), at).is_some())
}

/// Reads a tag pair from a line that begins with its bracket; also says how long it is.
fn parse(line: &[u8], at: usize) -> Option<(Tag<'_>, usize)> {
    if !is_tag_ahead(line) {
        return None;
    }
    let quote = memchr::memchr(b'"', line)?;
    let name = line[1..quote].trim_ascii();
    let (value_end, length) = value_end(line, quote + 1)?;
    Some((Tag { name, raw: &line[quote + 1..value_end], at }, length))
}

/// Where a value ends and where its pair ends: at the first unescaped quotation mark that a bracket follows, since
/// values with quotation marks inside are common; failing that, at the last one of the line.
fn value_end(line: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut last = None;
    let mut at = from;
    while let Some(n) = memchr::memchr2(b'"', b'\\', &line[at..]) {
        let mark = at + n;
        if line[mark] == b'\\' {
            at = (mark + 2).min(line.len());
            continue;
        }
        let rest = line[mark + 1..].trim_ascii_start();
        if rest.first() == Some(&b']') {
            return Some((mark, line.len() - rest.len() + 1));
        }
        last = Some(mark);
        at = mark + 1;
    }
    last.filter(|mark| line[mark + 1..].trim_ascii().is_empty()).map(|mark| (mark, line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<(String, String)>, usize, usize) {
        let mut tags = Tags::default();
        let end = tags.read(text.as_bytes(), 0);
        let list = tags.iter().map(|t| (decode(t.name).into_owned(), t.value().into_owned())).collect();
        (list, tags.unreadable.len(), end)
    }

    #[test]
    fn values_with_quotation_marks_brackets_and_backslashes() {
        let (list, bad, _) =
            read("[Event \"The \\\"Open\\\" \\\\ [Group A]\"]\n[Site \"The \"Hall\"\"]\n[ White  \"x\" ] 1. e4");
        assert_eq!(bad, 0);
        let values: Vec<&str> = list.iter().map(|(_, v)| v.as_str()).collect();
        assert_eq!(values, ["The \"Open\" \\ [Group A]", "The \"Hall\"", "x"]);
    }

    #[test]
    fn a_pair_that_cannot_be_read_is_reported() {
        let (list, bad, end) = read("[Event \"open\n[Site x]\n[Date \"2026\"\n\n1. e4");
        assert_eq!((list.len(), bad, end), (1, 2, 36));
    }

    #[test]
    fn a_header_only_game_ends_before_the_next_one() {
        let text = "[Event \"a\"]\n\n[Result \"*\"]\n\n[Event \"b\"]\n";
        assert_eq!(read(text).2, 27);
        assert_eq!(read("[Event \"a\"]\n[Event \"b\"]\n").0.len(), 2);
    }

    #[test]
    fn only_different_values_contradict() {
        let text = b"[FEN \"x\"]\n[fen \"x\"]\n[Fen \"y\"]\n";
        let mut tags = Tags::default();
        tags.read(text, 0);
        assert_eq!(tags.contradictions().count(), 1);
    }
}
