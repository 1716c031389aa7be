//! A progress bar for large files, on a terminal only.

use std::io::{self, IsTerminal, Write};

/// Files smaller than this are done before a bar could be read.
const WORTH_A_BAR: u64 = 32 << 20;
/// Characters of the bar.
const WIDTH: u64 = 30;

/// How far a file has been read.
pub struct Progress {
    /// Size of the file; none when no bar is shown.
    size: Option<u64>,
    done: u64,
    shown: bool,
}

impl Progress {
    /// For a file of this size; of unknown size there is nothing to show.
    pub fn new(size: Option<u64>) -> Self {
        let size = size.filter(|size| *size >= WORTH_A_BAR && io::stderr().is_terminal());
        Self { size, done: 0, shown: false }
    }

    /// Shows that so many more bytes are done, and so many games in all.
    pub fn advance(&mut self, bytes: usize, games: usize) {
        self.done += bytes as u64;
        let Some(size) = self.size else { return };
        let _ = write!(io::stderr(), "\r{}", line(self.done, size, games));
        self.shown = true;
    }

    /// Takes the bar away, so that something else can be written.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn line(done: u64, size: u64, games: usize) -> String {
    let done = done.min(size);
    let full = (done * WIDTH).checked_div(size).unwrap_or(WIDTH);
    let bar: String = (0..WIDTH).map(|n| if n < full { '#' } else { '.' }).collect();
    format!("[{bar}] {:3} %  {games} games", (done * 100).checked_div(size).unwrap_or(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills() {
        assert_eq!(line(0, 100, 0), "[..............................]   0 %  0 games");
        assert_eq!(line(50, 100, 7), "[###############...............]  50 %  7 games");
        assert_eq!(line(120, 100, 9), "[##############################] 100 %  9 games");
        assert!(line(0, 0, 0).contains("100 %"));
    }
}
