//! How a game was scored.

use crate::domain::rules::Color;
use serde::{Serialize, Serializer};

/// The recorded result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// 1-0
    WhiteWins,
    /// 0-1
    BlackWins,
    /// 1/2-1/2
    Drawn,
    /// `*`: not finished, or not known.
    Unknown,
}

impl GameResult {
    /// As PGN writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Drawn => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// The result when `winner` has won.
    pub const fn won_by(winner: Color) -> Self {
        match winner {
            Color::White => Self::WhiteWins,
            Color::Black => Self::BlackWins,
        }
    }

    /// Who won, if anybody.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::WhiteWins => Some(Color::White),
            Self::BlackWins => Some(Color::Black),
            Self::Drawn | Self::Unknown => None,
        }
    }

    /// Reads a result; besides the four of PGN the half sign, dashes of other length, `0.5-0.5` and a lone `1/2`.
    pub fn read(text: &[u8]) -> Option<Self> {
        match text {
            b"1-0" => return Some(Self::WhiteWins),
            b"0-1" => return Some(Self::BlackWins),
            b"1/2-1/2" => return Some(Self::Drawn),
            b"*" => return Some(Self::Unknown),
            _ if text.len() > 24 || text.is_empty() => return None,
            _ => {}
        }
        let plain: String = super::pgn::text::decode(text).chars().filter_map(plain).collect();
        match plain.as_str() {
            "1-0" => Some(Self::WhiteWins),
            "0-1" => Some(Self::BlackWins),
            "1/2-1/2" | "h-h" | "h" | "1/2" | "0.5-0.5" | "0,5-0,5" => Some(Self::Drawn),
            _ => None,
        }
    }
}

/// A character of a result in its plain spelling; blanks vanish.
fn plain(c: char) -> Option<char> {
    match c {
        ' ' | '\u{a0}' => None,
        '½' => Some('h'),
        c if super::notation::is_dash(c) => Some('-'),
        '\u{2044}' | '\u{2215}' => Some('/'),
        c => Some(c),
    }
}

impl std::fmt::Display for GameResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for GameResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
