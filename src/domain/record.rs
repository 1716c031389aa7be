//! The record: an entry of the log as a verifier reads it. Kinds and keys are those of the format; what is unknown is
//! said, never skipped.

use super::{
    derivation::{EntropyLine, Hash32, Repeats, Source, Terms},
    number_set::NumberSet,
};
use serde::Deserialize;
use serde_json::Value;

/// Round, board and attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct SlotKey {
    pub round: u16,
    pub board: u16,
    pub attempt: u16,
}

/// What a tournament declared, as far as draws depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Declared {
    pub excluded: NumberSet,
    pub repeats: Repeats,
    pub entropy: String,
    #[serde(default)]
    pub entropy_fallback: Vec<String>,
    #[serde(default = "yes")]
    pub dice_confirm: bool,
    #[serde(default = "one")]
    pub rounds_per_draw: u16,
}

const fn one() -> u16 {
    1
}

const fn yes() -> bool {
    true
}

/// An attempt was ordered.
#[derive(Clone, Debug, Deserialize)]
pub struct Order {
    #[serde(flatten)]
    pub slot: SlotKey,
    pub commit: Hash32,
    pub sources: Vec<Source>,
    pub exclude: NumberSet,
    pub repeats: Repeats,
    pub release_at: i64,
}

/// An attempt was released: with `seed` as derived, with `throws` by hand.
#[derive(Clone, Debug, Deserialize)]
pub struct Release {
    #[serde(flatten)]
    pub slot: SlotKey,
    pub secret: String,
    pub entropy: Vec<EntropyLine>,
    pub used: NumberSet,
    pub seed: Option<String>,
    pub throws: Option<String>,
    pub number: u16,
}

/// An attempt was voided. The reason is kept as text: a verifier may be older than a reason.
#[derive(Clone, Debug, Deserialize)]
pub struct Void {
    #[serde(flatten)]
    pub slot: SlotKey,
    pub reason: String,
    pub secret: String,
    pub knowable: bool,
    pub from_round: Option<u16>,
}

/// The log went on under another name from a copy of `size` entries; attempts up to `attempts` are skipped.
#[derive(Clone, Debug, Deserialize)]
pub struct Restored {
    pub old: String,
    pub new: String,
    pub size: u64,
    pub root: Hash32,
    pub attempts: u16,
}

/// What an entry says. Kinds without a bearing on draws keep no fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum Fact {
    Tournament {
        master_commit: Hash32,
        policy: Declared,
    },
    Amend {
        policy: Declared,
    },
    Round {
        round: u16,
        starts_at: Option<i64>,
        release_at: Option<i64>,
        boards: u16,
    },
    Order(Order),
    Dice {
        round: u16,
        digits: String,
    },
    Entropy {
        #[serde(flatten)]
        slot: SlotKey,
        entropy: Vec<EntropyLine>,
    },
    Manual {
        #[serde(flatten)]
        slot: SlotKey,
        throws_commit: Hash32,
    },
    Release(Release),
    Void(Void),
    Close {
        master: String,
    },
    Restored(Restored),
    Pairings {},
    Setup {},
    Game {},
    Override {},
    Note {},
    Key {
        old: String,
        new: String,
    },
    Takeover {
        size: u64,
        root: Hash32,
    },
    Export {},
    #[serde(other)]
    Unknown,
}

/// An entry: where, when, by whom, for which tournament, and what.
#[derive(Clone, Debug)]
pub struct Record {
    pub index: u64,
    pub event: Option<String>,
    pub at: i64,
    pub by: String,
    pub kind: String,
    /// Round, board and attempt, where it is about any.
    pub subject: (Option<u16>, Option<u16>, Option<u16>),
    pub fact: Fact,
}

/// Why an entry could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It breaks the format.
    Malformed(String),
    /// It is of a kind or version that this verifier does not know.
    Unknown(String),
}

#[derive(Deserialize)]
struct Heading {
    t: String,
    v: u64,
    event: Option<String>,
    at: i64,
    by: String,
    round: Option<u16>,
    board: Option<u16>,
    attempt: Option<u16>,
}

impl Record {
    /// Reads every entry.
    pub fn read_all(entries: &[String]) -> Vec<Result<Self, Unread>> {
        entries.iter().enumerate().map(|(index, text)| Self::read(index as u64, text)).collect()
    }

    /// Reads the entry of an index.
    pub fn read(index: u64, text: &str) -> Result<Self, Unread> {
        let malformed = |why: serde_json::Error| Unread::Malformed(format!("entry {index}: {why}"));
        let value: Value = serde_json::from_str(text).map_err(malformed)?;
        // Compact, and no key twice: then there is one way to read it.
        if serde_json::to_string(&value).map_err(malformed)? != text {
            return Err(Unread::Malformed(format!("entry {index} is not compact JSON with each key once")));
        }
        let heading = Heading::deserialize(&value).map_err(malformed)?;
        if heading.v != 1 {
            return Err(Unread::Unknown(format!("entry {index} is of version {}", heading.v)));
        }
        match Fact::deserialize(&value).map_err(malformed)? {
            Fact::Unknown => Err(Unread::Unknown(format!("entry {index} is of the unknown kind {:?}", heading.t))),
            fact => Ok(Self {
                index,
                event: heading.event,
                at: heading.at,
                by: heading.by,
                kind: heading.t,
                subject: (heading.round, heading.board, heading.attempt),
                fact,
            }),
        }
    }

    /// Whether the entry is about this tournament.
    pub fn is_of(&self, slug: &str) -> bool {
        self.event.as_deref() == Some(slug)
    }
}

impl Order {
    pub fn terms(&self) -> Terms {
        Terms { sources: self.sources.clone(), excluded: self.exclude.clone(), repeats: self.repeats }
    }
}

impl std::fmt::Display for SlotKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.board {
            0 => write!(f, "round {} attempt {}", self.round, self.attempt),
            board => write!(f, "round {} board {board} attempt {}", self.round, self.attempt),
        }
    }
}
