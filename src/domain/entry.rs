//! An entry of the log: compact JSON with a fixed key order, integers and short strings only.
//!
//! No personal data and no free text ever enter the log, because it can never forget. The exact bytes made here are
//! stored, hashed and served; nothing serialises an entry a second time.

use super::{
    derivation::{EntropyLine, Hash32, Repeats, Source},
    draw::VoidReason,
    number_set::NumberSet,
    policy::Policy,
};
use serde::Serialize;

/// The slot that an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SlotRef {
    /// Round, or first round of the block.
    pub round: u16,
    /// Board, 0 for all.
    pub board: u16,
    /// Attempt, from 1.
    pub attempt: u16,
}

/// What happened: the kinds of design section 4. Field order is the order in the bytes.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "the fields are the keys of the entry, described in docs/verification.md")]
pub enum Event {
    /// A tournament was created.
    Tournament { master_commit: String, policy: Policy, rehearsal: bool },
    /// Its policy was amended.
    Amend { policy: Policy },
    /// A round was scheduled, moved or postponed; times are Unix seconds.
    Round { round: u16, starts_at: Option<i64>, release_at: Option<i64>, boards: u16 },
    /// A draw was ordered: from here on its commitment is public.
    Order {
        #[serde(flatten)]
        slot: SlotRef,
        commit: String,
        sources: Vec<Source>,
        exclude: NumberSet,
        repeats: Repeats,
        release_at: i64,
    },
    /// Dice were posted for a round; two equal posts make its entropy.
    Dice { round: u16, digits: String },
    /// What answers the sources of a draw is there.
    Entropy {
        #[serde(flatten)]
        slot: SlotRef,
        entropy: Vec<EntropyLine>,
    },
    /// The throws of a draw by hand are made; they are bound by a salted hash.
    Manual {
        #[serde(flatten)]
        slot: SlotRef,
        throws_commit: String,
    },
    /// A draw by hand was released.
    ManualRelease {
        #[serde(flatten)]
        slot: SlotRef,
        secret: String,
        entropy: Vec<EntropyLine>,
        used: NumberSet,
        throws: String,
        number: u16,
    },
    /// A draw was released.
    Release {
        #[serde(flatten)]
        slot: SlotRef,
        secret: String,
        entropy: Vec<EntropyLine>,
        used: NumberSet,
        seed: String,
        number: u16,
    },
    /// A draw was voided.
    Void {
        #[serde(flatten)]
        slot: SlotRef,
        reason: VoidReason,
        secret: String,
        knowable: bool,
        from_round: u16,
    },
    /// Pairings were published; the hash is salted.
    Pairings { round: u16, hash: String },
    /// A game was recorded.
    Game { game: String, round: u16, board: u16, attempt: u16, hash: String, verdict: String, counts: bool },
    /// An arbiter overrode a finding, or annulled a game.
    Override { game: String, finding: String, article: String, reason: String },
    /// An arbiter's note exists about another entry; the hash is salted.
    Note { about: u64, hash: String },
    /// The tournament ended.
    Close { master: String },
    /// Its master left the server: from here on others than the operator can know what its holder can know.
    Export { to: ExportTo },
    /// Of the server: its log is signed by another key from here on, under the same name. Keys as people pin them.
    Key { old: String, new: String },
    /// Of the server: it goes on from a copy of its first `size` entries and their root, and took up `replayed` more.
    Takeover { size: u64, root: String, replayed: u64 },
    /// Of the server: it goes on under a new name from an older copy of `size` entries, and what came after them is lost.
    /// Attempts up to the number `attempts` are skipped in every slot, because it cannot know which were used.
    Restored { old: String, new: String, size: u64, root: String, attempts: u16 },
}

/// How a master left the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportTo {
    /// In a copy of database and keys, under a passphrase.
    Copy,
    /// Alone, as a sheet to be kept under seal.
    Sheet,
}

impl Event {
    /// The kind, as in the entry's `t`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Tournament { .. } => "tournament",
            Self::Amend { .. } => "amend",
            Self::Round { .. } => "round",
            Self::Order { .. } => "order",
            Self::Dice { .. } => "dice",
            Self::Entropy { .. } => "entropy",
            Self::Manual { .. } => "manual",
            Self::Release { .. } | Self::ManualRelease { .. } => "release",
            Self::Void { .. } => "void",
            Self::Pairings { .. } => "pairings",
            Self::Game { .. } => "game",
            Self::Override { .. } => "override",
            Self::Note { .. } => "note",
            Self::Close { .. } => "close",
            Self::Export { .. } => "export",
            Self::Key { .. } => "key",
            Self::Takeover { .. } => "takeover",
            Self::Restored { .. } => "restored",
        }
    }

    /// Round, board and attempt that the entry is about, where it is about any.
    pub const fn subject(&self) -> (Option<u16>, Option<u16>, Option<u16>) {
        match self {
            Self::Order { slot, .. }
            | Self::Entropy { slot, .. }
            | Self::Manual { slot, .. }
            | Self::ManualRelease { slot, .. }
            | Self::Release { slot, .. }
            | Self::Void { slot, .. } => (Some(slot.round), Some(slot.board), Some(slot.attempt)),
            Self::Game { round, board, attempt, .. } => (Some(*round), Some(*board), Some(*attempt)),
            Self::Round { round, .. } | Self::Pairings { round, .. } | Self::Dice { round, .. } => {
                (Some(*round), None, None)
            }
            _ => (None, None, None),
        }
    }
}

/// An entry with its heading.
#[derive(Clone, Debug, Serialize)]
pub struct Entry<'a> {
    t: &'static str,
    v: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    at: i64,
    by: &'a str,
    #[serde(flatten)]
    body: &'a Event,
}

impl<'a> Entry<'a> {
    /// The entry of `body`, which happened in the tournament of this slug at Unix second `at`, by a token or `server`.
    pub fn new(slug: &'a str, at: i64, by: &'a str, body: &'a Event) -> Self {
        Self { t: body.kind(), v: 1, event: Some(slug), at, by, body }
    }

    /// The entry of `body`, which concerns the whole server: it names no tournament.
    pub fn of_server(at: i64, by: &'a str, body: &'a Event) -> Self {
        Self { t: body.kind(), v: 1, event: None, at, by, body }
    }

    /// The exact bytes.
    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an entry has only strings and integers")
    }
}

/// Leaf hash of RFC 6962: SHA-256 of a zero byte and the entry's bytes.
pub fn leaf_hash(bytes: &[u8]) -> Hash32 {
    Hash32::of([&[0][..], bytes])
}

/// Hash of a text that is kept off the log: SHA-256 of salt, a line feed and the text, so that it cannot be guessed.
pub fn salted_hash(salt: &str, text: &str) -> Hash32 {
    Hash32::of([salt.as_bytes(), b"\n", text.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::position_number::PositionNumber;

    fn text(body: &Event) -> String {
        String::from_utf8(Entry::new("kaunas-2026-open", 1_796_457_600, "server", body).bytes()).unwrap()
    }

    #[test]
    fn keys_stand_in_the_order_of_the_format() {
        let slot = SlotRef { round: 3, board: 0, attempt: 2 };
        let exclude = NumberSet::from_iter([PositionNumber::CLASSICAL]);
        let order = Event::Order {
            slot,
            commit: "ab".into(),
            sources: vec![Source::None],
            exclude,
            repeats: Repeats::Never,
            release_at: 7,
        };
        assert_eq!(
            text(&order),
            r#"{"t":"order","v":1,"event":"kaunas-2026-open","at":1796457600,"by":"server","round":3,"board":0,"attempt":2,"commit":"ab","sources":["none"],"exclude":[518],"repeats":"never","release_at":7}"#
        );
        let void = Event::Void { slot, reason: VoidReason::Leaked, secret: "cd".into(), knowable: true, from_round: 3 };
        assert!(text(&void).ends_with(
            r#""round":3,"board":0,"attempt":2,"reason":"leaked","secret":"cd","knowable":true,"from_round":3}"#
        ));
        let digits = "63454660390103169462".to_owned();
        let dice = Event::Dice { round: 3, digits: digits.clone() };
        assert!(text(&dice).ends_with(r#""by":"server","round":3,"digits":"63454660390103169462"}"#));
        let entropy = Event::Entropy { slot, entropy: vec![EntropyLine::Dice { digits }] };
        assert!(text(&entropy).ends_with(r#""attempt":2,"entropy":["dice 63454660390103169462"]}"#));
        let round = Event::Round { round: 3, starts_at: None, release_at: None, boards: 0 };
        assert!(text(&round).ends_with(r#""round":3,"starts_at":null,"release_at":null,"boards":0}"#));
    }

    #[test]
    fn entries_of_the_server_name_no_tournament() {
        let takeover = Event::Takeover { size: 7, root: "ab".into(), replayed: 2 };
        let bytes = Entry::of_server(1_796_457_600, "server", &takeover).bytes();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text, r#"{"t":"takeover","v":1,"at":1796457600,"by":"server","size":7,"root":"ab","replayed":2}"#);
    }

    #[test]
    fn leaf_hash_of_the_empty_entry_is_the_published_one() {
        assert_eq!(leaf_hash(b"").to_string(), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    }
}
