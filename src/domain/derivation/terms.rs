//! The terms of a draw: where its entropy comes from, what is excluded, whether numbers may repeat.

use crate::domain::hex::is_lower_hex;
use crate::domain::number_set::NumberSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{
    fmt::{self, Write},
    str::FromStr,
};

/// Where the entropy of a draw comes from, named before it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Nowhere: the slot's secret alone decides (`local`).
    None,
    /// One round of a drand chain.
    Drand {
        /// Hash of the chain, 64 lower-case hex digits.
        chain: String,
        /// The beacon round.
        round: u64,
    },
    /// Twenty ten-sided dice.
    Dice,
    /// A draw by hand.
    Manual {
        /// Name of the procedure.
        procedure: String,
    },
}

/// Not the text of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSource;

impl fmt::Display for BadSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a source is \"none\", \"drand <chain hash> <round>\", \"dice d10\" or \"manual <procedure>\"")
    }
}

impl std::error::Error for BadSource {}

impl Source {
    fn check(&self) -> Result<(), BadSource> {
        let holds = match self {
            Self::None | Self::Dice => true,
            Self::Drand { chain, round } => chain.len() == 64 && is_lower_hex(chain) && *round >= 1,
            Self::Manual { procedure } => is_procedure(procedure),
        };
        if holds { Ok(()) } else { Err(BadSource) }
    }
}

/// Names of procedures are short words: letters, digits and hyphens.
fn is_procedure(name: &str) -> bool {
    (1..=32).contains(&name.len()) && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Drand { chain, round } => write!(f, "drand {chain} {round}"),
            Self::Dice => f.write_str("dice d10"),
            Self::Manual { procedure } => write!(f, "manual {procedure}"),
        }
    }
}

impl FromStr for Source {
    type Err = BadSource;

    fn from_str(text: &str) -> Result<Self, BadSource> {
        let source = match text.split(' ').collect::<Vec<_>>().as_slice() {
            ["none"] => Self::None,
            ["drand", chain, round] => {
                Self::Drand { chain: (*chain).into(), round: round.parse().map_err(|_| BadSource)? }
            }
            ["dice", "d10"] => Self::Dice,
            ["manual", procedure] => Self::Manual { procedure: (*procedure).into() },
            _ => return Err(BadSource),
        };
        source.check()?;
        // The integer parser takes "+1" and "01"; one source has one text.
        if source.to_string() == text { Ok(source) } else { Err(BadSource) }
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Whether a number that was released before in a tournament may come again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repeats {
    /// Every draw is from all allowed numbers.
    #[default]
    Allowed,
    /// A number released before, voided later or not, is skipped.
    Never,
}

impl fmt::Display for Repeats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allowed => "allowed",
            Self::Never => "never",
        })
    }
}

/// Room for the text of most terms.
const TERMS_ROOM: usize = 400;

/// What a draw is bound to besides its slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Sources of entropy in their order: drand, dice; or alone none or manual.
    pub sources: Vec<Source>,
    /// Numbers that the policy excludes.
    pub excluded: NumberSet,
    /// Whether numbers released before in the tournament are skipped.
    pub repeats: Repeats,
}

/// Why there are no such terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadTerms {
    /// A source breaks its grammar.
    Source,
    /// The sources are not drand, dice or both in this order, nor alone none or manual.
    Combination,
    /// All 960 numbers are excluded.
    NothingLeft,
}

impl fmt::Display for BadTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => return BadSource.fmt(f),
            Self::Combination => "the sources are drand, dice or both in this order, or alone none or manual",
            Self::NothingLeft => "at least one of the 960 numbers must be allowed",
        })
    }
}

impl std::error::Error for BadTerms {}

impl Terms {
    /// These terms, if they keep their grammar; only then is [`Terms::text`] the text of no other terms.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn checked(self) -> Result<Self, BadTerms> {
        if self.sources.iter().any(|source| source.check().is_err()) {
            return Err(BadTerms::Source);
        }
        if self.excluded.len() == 960 {
            return Err(BadTerms::NothingLeft);
        }
        match self.sources.as_slice() {
            [_] | [Source::Drand { .. }, Source::Dice] => Ok(self),
            _ => Err(BadTerms::Combination),
        }
    }

    /// The lines of the terms in `draw960/v1`.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(TERMS_ROOM);
        self.push_text(&mut text);
        text
    }

    /// Appends those lines.
    pub(super) fn push_text(&self, text: &mut String) {
        for source in &self.sources {
            let _ = writeln!(text, "source {source}");
        }
        text.push_str("exclude ");
        self.excluded.push_bitmap(text);
        let _ = writeln!(text, "\nrepeats {}", self.repeats);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::position_number::PositionNumber;

    const CHAIN: &str = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";

    #[test]
    fn a_source_has_one_text() {
        for text in ["none", &format!("drand {CHAIN} 123"), "dice d10", "manual d6"] {
            assert_eq!(text.parse::<Source>().unwrap().to_string(), text);
        }
        let drand = |rest: &str| format!("drand {CHAIN}{rest}");
        let bad = [
            drand(" 0"),
            drand(" 01"),
            drand(" +1"),
            drand(" "),
            drand(""),
            drand("  1"),
            drand(" 1 "),
            drand(" 18446744073709551616"),
            drand(" 1\n"),
            format!("drand {} 1", CHAIN.to_uppercase()),
            format!("drand {} 1", &CHAIN[1..]),
        ];
        for text in
            bad.iter().map(String::as_str).chain(["", "None", "none ", "dice", "dice d6", "manual ", "manual a\nb"])
        {
            assert_eq!(text.parse::<Source>(), Err(BadSource), "{text:?}");
        }
    }

    #[test]
    fn sources_come_in_one_order() {
        let drand = Source::Drand { chain: CHAIN.into(), round: 1 };
        let manual = Source::Manual { procedure: "d6".into() };
        let check = |sources: &[Source]| {
            let terms = Terms { sources: sources.into(), excluded: NumberSet::new(), repeats: Repeats::Allowed };
            terms.checked().map(|_| ())
        };
        let manual_alone = [manual.clone()];
        for good in [&[Source::None][..], &[Source::Dice], &[drand.clone(), Source::Dice], &manual_alone] {
            assert_eq!(check(good), Ok(()));
        }
        for bad in [
            &[][..],
            &[Source::Dice, drand.clone()],
            &[Source::None, Source::Dice],
            &[drand.clone(), drand.clone()],
            &[drand, Source::Dice, Source::Dice],
            &[manual, Source::Dice],
        ] {
            assert_eq!(check(bad), Err(BadTerms::Combination));
        }
        assert_eq!(check(&[Source::Drand { chain: "x\ny".into(), round: 1 }]), Err(BadTerms::Source));
        let excluded = PositionNumber::all().collect();
        let terms = Terms { sources: vec![Source::None], excluded, repeats: Repeats::Allowed };
        assert_eq!(terms.checked(), Err(BadTerms::NothingLeft));
    }

    #[test]
    fn repeats_in_json() {
        assert_eq!(serde_json::to_string(&[Repeats::Allowed, Repeats::Never]).unwrap(), r#"["allowed","never"]"#);
    }
}
