//! Reading PGN without dropping anything, with the exact place of every token.
//!
//! What counts, in this order: nothing in the main line is skipped silently; hostile input costs no more than its
//! length; what is found in the wild is read; speed. The usual readers pass over words they do not know and so call a
//! game legal whose move `o-o` or `hxg8Q` they never saw. This one hands over every word.
//!
//! * [`text`]: bytes as text, places.
//! * [`tags`]: the tag section of a game.
//! * [`tokens`]: the movetext, token by token; [`bytes`]: what each byte can be.
//! * [`games`]: a text as a sequence of games; where one ends.
//! * [`splitter`]: files of any size in bounded memory, and pieces of a large text for several cores.

pub mod bytes;
pub mod games;
pub mod splitter;
pub mod tags;
pub mod text;
pub mod tokens;

/// The largest game that is read: more than twenty times the largest annotated game we know of.
pub const MAX_GAME: usize = 8 << 20;

/// Whether a tag pair begins here: `[`, a name, a quotation mark.
pub fn is_tag_ahead(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"[") else { return false };
    let rest = skip_blanks(rest);
    let name = rest.iter().take(256).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    name > 0 && skip_blanks(&rest[name..]).first() == Some(&b'"')
}

/// Whether a line begins here that can only be the first of another game, wherever it is met outside a tag section.
pub fn is_event_line(text: &[u8]) -> bool {
    text.starts_with(b"[Event ") && is_tag_ahead(text)
}

fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take(64).take_while(|b| matches!(b, b' ' | b'\t')).count();
    &text[blanks..]
}

/// Where the line of this byte ends: at its LF or CR, or at the end of the text.
fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text[at..]).map_or(text.len(), |n| at + n)
}

/// A line from this byte on, or as much of it as is looked at.
fn line_of(text: &[u8], at: usize, most: usize) -> &[u8] {
    let text = &text[at..text.len().min(at + most)];
    &text[..line_end(text, 0)]
}

/// Whether this byte is the first of its line.
fn at_line_start(text: &[u8], at: usize) -> bool {
    at == 0 || matches!(text[at - 1], b'\n' | b'\r') || (at == 3 && text.starts_with(b"\xEF\xBB\xBF"))
}

/// The end of a brace comment that begins at `open`: just behind its `}`, and whether there is one. A comment that is
/// never closed ends where the next game begins, or with the text.
#[inline]
fn comment_end(text: &[u8], open: usize) -> (usize, bool) {
    match short_comment_end(&text[open..]) {
        Some(length) => (open + length, true),
        None => long_comment_end(text, open),
    }
}

/// The end of a comment of a few characters on one line, such as a clock.
#[inline]
fn short_comment_end(text: &[u8]) -> Option<usize> {
    for (at, byte) in text.iter().take(32).enumerate() {
        match byte {
            b'}' => return Some(at + 1),
            b'\n' | b'\r' => return None,
            _ => {}
        }
    }
    None
}

/// One pass, which stops where the next game begins: a file of comments that are never closed is read in linear time.
fn long_comment_end(text: &[u8], open: usize) -> (usize, bool) {
    for n in memchr::memchr3_iter(b'}', b'\n', b'\r', &text[open..]) {
        let at = open + n;
        if text[at] == b'}' {
            return (at + 1, true);
        }
        if is_next_game(text, at + 1, open) {
            return (at + 1, false);
        }
    }
    (text.len(), false)
}

/// Whether the line that begins here is the first of another game: an Event tag, or any tag behind an empty line.
fn is_next_game(text: &[u8], line: usize, from: usize) -> bool {
    let rest = &text[line..];
    rest.first() == Some(&b'[') && (is_event_line(rest) || (is_tag_ahead(rest) && is_line_empty(&text[from..line - 1])))
}

/// Whether the last line of this text is empty.
fn is_line_empty(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    matches!(text.last(), Some(b'\n' | b'\r'))
}
