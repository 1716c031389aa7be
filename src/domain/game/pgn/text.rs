//! Bytes as text: places in lines and columns, names in whatever encoding they come.

use memchr::memchr2_iter;
use std::borrow::Cow;

/// Text of bytes that are UTF-8 or, failing that, ISO 8859-1 as in old PGN files.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|b| char::from(*b)).collect()),
    }
}

/// The text of a token for a message: at most 40 characters, control characters shown as blanks.
pub fn excerpt(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(200)];
    let text = String::from_utf8_lossy(head);
    let mut short: String = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > 40 || head.len() < bytes.len() {
        short.push('…');
    }
    short
}

/// Finds line and column of byte offsets that are asked for in ascending order; all of them together cost one pass
/// over the text. A line ends with LF, CR LF or CR.
#[derive(Clone, Debug)]
pub struct Places {
    /// Everything before this byte is counted.
    counted: usize,
    line: u32,
    column: u32,
}

impl Default for Places {
    fn default() -> Self {
        Self::from_line(1)
    }
}

impl Places {
    /// For a text whose first byte stands at the beginning of this line.
    pub fn from_line(line: u32) -> Self {
        Self { counted: 0, line, column: 1 }
    }

    /// Line and column of a byte, both from 1. An offset before the last one asked for gets the place of that one.
    pub fn of(&mut self, text: &[u8], offset: usize) -> (u32, u32) {
        let offset = offset.min(text.len());
        if offset > self.counted {
            self.count_to(text, offset);
        }
        (self.line, self.column)
    }

    fn count_to(&mut self, text: &[u8], offset: usize) {
        let mut line_start = self.counted;
        for at in memchr2_iter(b'\n', b'\r', &text[self.counted..offset]) {
            let at = self.counted + at;
            if text[at] == b'\r' && text.get(at + 1) == Some(&b'\n') {
                continue;
            }
            self.line = self.line.saturating_add(1);
            self.column = 1;
            line_start = at + 1;
        }
        self.column = self.column.saturating_add(characters(&text[line_start..offset]));
        self.counted = offset;
    }
}

/// Characters of a piece of a line: of UTF-8, or one a byte where it is not.
fn characters(line: &[u8]) -> u32 {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let count = match std::str::from_utf8(line) {
        Ok(text) => text.chars().count(),
        Err(_) => line.len(),
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_cr_lf_or_cr() {
        let text = b"ab\ncd\r\nef\rgh";
        let mut places = Places::default();
        let all: Vec<_> = (0..text.len()).map(|at| places.of(text, at)).collect();
        assert_eq!(all[0], (1, 1));
        assert_eq!(all[3], (2, 1));
        assert_eq!(all[7], (3, 1));
        assert_eq!(all[10], (4, 1));
        assert_eq!(Places::default().of(text, 11), (4, 2));
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(Places::default().of("\u{feff}žė x".as_bytes(), 8), (1, 4));
        assert_eq!(Places::default().of(b"\xe1\xfc x", 3), (1, 4));
    }

    #[test]
    fn an_excerpt_is_short() {
        assert_eq!(excerpt(&[b'x'; 3000]).chars().count(), 41);
        assert_eq!(excerpt(b"e4\ne5"), "e4 e5");
    }
}
