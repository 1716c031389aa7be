//! Large texts in pieces: files of any size in bounded memory, and one text for several cores.
//!
//! A piece ends where a line with a termination marker is followed by an Event tag: no reader can take that for anything
//! but the end of a game, wherever it begins to read.

use super::{MAX_GAME, games::Games, is_event_line, tags::Tags, text::Places};

/// The first place at or behind `from` where a piece may begin.
pub fn next_cut(text: &[u8], from: usize) -> Option<usize> {
    let lines = memchr::memmem::find_iter(&text[from..], b"\n[Event ").map(|n| from + n + 1);
    lines.into_iter().find(|line| is_cut(text, *line))
}

/// The last place behind `from` at which a piece may begin.
fn last_cut(text: &[u8], from: usize) -> Option<usize> {
    let mut end = text.len();
    while let Some(n) = memchr::memmem::rfind(&text[from..end], b"\n[Event ") {
        let line = from + n + 1;
        if is_cut(text, line) {
            return Some(line);
        }
        end = line - 1;
    }
    None
}

/// Whether an Event line here follows a line that ends with a termination marker.
fn is_cut(text: &[u8], line: usize) -> bool {
    if !is_event_line(&text[line..]) {
        return false;
    }
    let before = text[..line].trim_ascii_end();
    let start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |n| n + 1);
    let last = &before[start..];
    let marker = last.rsplit(|b| *b == b' ').next().unwrap_or_default();
    matches!(marker, b"1-0" | b"0-1" | b"1/2-1/2" | b"*") && !last.starts_with(b"%") && !last.contains(&b';')
}

/// Cuts a text into at most `pieces` pieces of like size that can be read each for itself.
pub fn pieces(text: &[u8], pieces: usize) -> Vec<std::ops::Range<usize>> {
    let mut cuts = vec![0];
    for n in 1..pieces {
        let wanted = text.len() / pieces * n;
        let last = cuts.last().copied().unwrap_or_default();
        if let Some(cut) = next_cut(text, wanted.max(last)).filter(|cut| *cut > last) {
            cuts.push(cut);
        }
    }
    cuts.push(text.len());
    cuts.windows(2).map(|w| w[0]..w[1]).collect()
}

/// Takes a file in chunks and gives whole games back.
///
/// Memory is bounded by the chunk and the largest game that is read ([`MAX_GAME`]): of a game that is larger the
/// beginning is given, which cannot be called legal, and the rest is passed over up to the next Event tag.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    buffer: Vec<u8>,
    /// How much of the buffer has been searched for a place to cut, in vain.
    searched: usize,
    places: Places,
    /// A game was too large: everything up to the next game is passed over.
    passing_over: bool,
}

/// Whole games of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Their text.
    pub text: Vec<u8>,
    /// Line of the first byte in the file.
    pub first_line: u32,
}

impl Splitter {
    /// Takes the next chunk; gives the games that are complete with it.
    pub fn feed(&mut self, chunk: &[u8]) -> Option<Piece> {
        self.buffer.extend_from_slice(chunk);
        self.pass_over();
        let from = self.searched.saturating_sub(256);
        self.searched = self.buffer.len();
        let cut = match last_cut(&self.buffer, from) {
            Some(cut) => cut,
            None if self.buffer.len() > MAX_GAME => self.cut_without_event(),
            None => return None,
        };
        Some(self.take(cut))
    }

    /// The end of the file: gives what is left.
    pub fn finish(&mut self) -> Option<Piece> {
        self.pass_over();
        (!self.buffer.is_empty()).then(|| self.take(self.buffer.len()))
    }

    fn take(&mut self, cut: usize) -> Piece {
        let (first_line, _) = self.places.of(&[], 0);
        let rest = self.buffer.split_off(cut);
        self.searched = 0;
        let text = std::mem::replace(&mut self.buffer, rest);
        let (line, _) = self.places.of(&text, text.len());
        self.places = Places::from_line(line);
        Piece { text, first_line }
    }

    /// The end of the last game but one in a buffer without a place to cut; of a single game, all of it.
    fn cut_without_event(&mut self) -> usize {
        let (mut games, mut tags, mut last) = (Games::new(&self.buffer), Tags::default(), 0);
        while let Some((begins, mut tokens)) = games.begin(&mut tags) {
            last = begins;
            let terminated = tokens.skip_to_end();
            games.end(tokens, terminated);
        }
        if last > 0 {
            return last;
        }
        self.passing_over = true;
        self.buffer.len()
    }

    /// Drops the rest of a game that was too large.
    fn pass_over(&mut self) {
        if !self.passing_over {
            return;
        }
        let next = memchr::memmem::find(&self.buffer, b"\n[Event ");
        self.passing_over = next.is_none();
        let keep = next.map_or(self.buffer.len().saturating_sub(8), |n| n + 1);
        let dropped: Vec<u8> = self.buffer.drain(..keep).collect();
        self.searched = 0;
        let (line, _) = self.places.of(&dropped, dropped.len());
        self.places = Places::from_line(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(games: usize) -> Vec<u8> {
        let game = |n: usize| format!("[Event \"{n}\"]\n[Result \"*\"]\n\n1. e4 {{a\n[Event \"no\" }} e5 *\n\n");
        (0..games).map(game).collect::<String>().into_bytes()
    }

    #[test]
    fn pieces_begin_with_games() {
        let text = file(50);
        let pieces = pieces(&text, 4);
        assert_eq!(pieces.len(), 4);
        assert!(pieces.iter().all(|piece| text[piece.start..].starts_with(b"[Event \"")));
        assert_eq!(pieces.last().unwrap().end, text.len());
    }

    #[test]
    fn chunks_of_any_size_give_the_same_text() {
        let text = file(20);
        for size in [1, 7, 64, 1000, 10_000] {
            let mut splitter = Splitter::default();
            let mut pieces: Vec<Piece> = text.chunks(size).filter_map(|chunk| splitter.feed(chunk)).collect();
            pieces.extend(splitter.finish());
            let whole: Vec<u8> = pieces.iter().flat_map(|p| p.text.clone()).collect();
            assert_eq!(whole, text, "{size}");
            let last = pieces.last().unwrap();
            let lines = text[..text.len() - last.text.len()].iter().filter(|b| **b == b'\n').count();
            assert_eq!(last.first_line as usize, lines + 1);
        }
    }

    #[test]
    fn a_game_that_is_too_large_does_not_fill_the_memory() {
        let mut splitter = Splitter::default();
        let mut given = 0;
        let _ = splitter.feed(b"[Event \"x\"]\n\n1. e4 {");
        for _ in 0..64 {
            given += splitter.feed(&vec![b'x'; 1 << 20]).map_or(0, |piece| piece.text.len());
        }
        assert!(given > 0 && given <= MAX_GAME + (2 << 20));
        let _ = splitter.feed(b"} *\n\n[Event \"y\"]\n\n1. d4 *\n");
        let last = splitter.finish().unwrap();
        assert!(last.text.starts_with(b"[Event \"y\"]"));
    }
}
