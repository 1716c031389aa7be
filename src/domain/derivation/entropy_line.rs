//! The entropy line: what a source gave.

use super::Source;
use crate::domain::hex::is_lower_hex;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// What a source gave, after the commitment was published.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EntropyLine {
    /// Nothing, as announced.
    None,
    /// The signature of the beacon round.
    Drand {
        /// Compressed G1 point, 96 lower-case hex digits.
        signature: String,
    },
    /// The dice as they lay, from the left.
    Dice {
        /// Twenty digits.
        digits: String,
    },
}

/// Not the text of an entropy line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadEntropyLine;

impl fmt::Display for BadEntropyLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("entropy is \"none\", \"drand <96 hexadecimal digits>\" or \"dice <20 digits>\"")
    }
}

impl std::error::Error for BadEntropyLine {}

impl EntropyLine {
    /// Checks the format, not where the bytes come from.
    fn check(&self) -> Result<(), BadEntropyLine> {
        let holds = match self {
            Self::None => true,
            Self::Drand { signature } => signature.len() == 96 && is_lower_hex(signature),
            Self::Dice { digits } => digits.len() == 20 && digits.bytes().all(|b| b.is_ascii_digit()),
        };
        if holds { Ok(()) } else { Err(BadEntropyLine) }
    }

    fn answers(&self, source: &Source) -> bool {
        matches!(
            (source, self),
            (Source::None, Self::None) | (Source::Drand { .. }, Self::Drand { .. }) | (Source::Dice, Self::Dice { .. })
        )
    }
}

impl fmt::Display for EntropyLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Drand { signature } => write!(f, "drand {signature}"),
            Self::Dice { digits } => write!(f, "dice {digits}"),
        }
    }
}

impl FromStr for EntropyLine {
    type Err = BadEntropyLine;

    fn from_str(text: &str) -> Result<Self, BadEntropyLine> {
        let line = match text.split(' ').collect::<Vec<_>>().as_slice() {
            ["none"] => Self::None,
            ["drand", signature] => Self::Drand { signature: (*signature).into() },
            ["dice", digits] => Self::Dice { digits: (*digits).into() },
            _ => return Err(BadEntropyLine),
        };
        line.check().map(|()| line)
    }
}

impl Serialize for EntropyLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EntropyLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Why entropy lines do not answer the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// Too few or too many lines.
    Count,
    /// A line is not of the kind that its source gives.
    Kind,
    /// A line breaks its format.
    Format,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Count => "there must be one entropy line per source",
            Self::Kind => "the entropy is not of the kind that was ordered",
            Self::Format => return BadEntropyLine.fmt(f),
        })
    }
}

impl std::error::Error for NoAnswer {}

/// Checks that the lines answer the sources: the same kinds in the same order, each in its format. A manual source is
/// answered by throws, so it takes no line.
///
/// # Errors
/// The first rule that is broken.
pub fn answers(sources: &[Source], lines: &[EntropyLine]) -> Result<(), NoAnswer> {
    let asked: Vec<_> = sources.iter().filter(|source| !matches!(source, Source::Manual { .. })).collect();
    if asked.len() != lines.len() {
        return Err(NoAnswer::Count);
    }
    if !asked.iter().zip(lines).all(|(source, line)| line.answers(source)) {
        return Err(NoAnswer::Kind);
    }
    lines.iter().try_for_each(EntropyLine::check).map_err(|_| NoAnswer::Format)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dice(digits: &str) -> EntropyLine {
        EntropyLine::Dice { digits: digits.into() }
    }

    #[test]
    fn a_line_has_one_text() {
        for text in ["none", &format!("drand {}", "0a".repeat(48)), "dice 63454660390103169462"] {
            assert_eq!(text.parse::<EntropyLine>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "none ",
            "dice 6345466039010316946",
            "dice 634546603901031694620",
            "dice 6345466039010316946a",
            "dice  6345466039010316946",
            &format!("drand {}", "0A".repeat(48)),
            &format!("drand {}", "0a".repeat(47)),
            &format!("drand {}\n", "0a".repeat(48)),
        ] {
            assert_eq!(text.parse::<EntropyLine>(), Err(BadEntropyLine), "{text:?}");
        }
    }

    #[test]
    fn lines_answer_sources_in_order() {
        let drand = Source::Drand { chain: "00".repeat(32), round: 1 };
        let signature = EntropyLine::Drand { signature: "00".repeat(48) };
        let both = [drand.clone(), Source::Dice];
        let digits = dice("63454660390103169462");
        assert_eq!(answers(&both, &[signature.clone(), digits.clone()]), Ok(()));
        assert_eq!(answers(&both, &[digits.clone(), signature.clone()]), Err(NoAnswer::Kind));
        assert_eq!(answers(&both, &[signature]), Err(NoAnswer::Count));
        assert_eq!(answers(&[Source::None], &[EntropyLine::None]), Ok(()));
        assert_eq!(answers(&[Source::Dice], &[EntropyLine::None]), Err(NoAnswer::Kind));
        assert_eq!(answers(&[Source::Dice], &[dice("6345")]), Err(NoAnswer::Format));
        assert_eq!(answers(&[Source::Manual { procedure: "d6".into() }], &[]), Ok(()));
    }
}
