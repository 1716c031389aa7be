//! The succession: what a log's old key said about the key that signs after it.
//!
//! A signed note of four lines, by both keys: the old one names its heir and the log as it last stood, the new one
//! accepts. With equal names it is a change of key; with another name the log goes on from an older copy under that
//! name, because the old name may already stand under entries that the copy does not have.

use super::{
    BadCheckpoint, Checkpoint, Hash32,
    note::{BadNote, SignatureLine, SignedNote},
    note_key::{LogKey, LogSigner},
    text,
};
use std::{fmt, str::FromStr};

const HEADER: &str = "draw960/v1 succession";

/// Attempts between the highest one known and the first one after a restoration: as many may have been lost.
const LOST_ATTEMPTS: u16 = 5;

/// The number up to which attempts are skipped by a restoration, from the highest one in the log before it, ordered or
/// skipped: well beyond it, and easy to recognise. A rule, so that nobody restores until an attempt pleases.
pub fn skipped(highest: u16) -> u16 {
    highest.saturating_add(LOST_ATTEMPTS).div_ceil(10).saturating_mul(10)
}

/// Who signs a log from entry `size` on. Displays as the text that is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Succession {
    /// The key that signs from here on.
    pub new: LogKey,
    /// Entries of the log before the one that tells of the change.
    pub size: u64,
    /// Root over them.
    pub root: Hash32,
}

/// Why a note is no succession.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadSuccession {
    /// The note is unreadable, or one of the two keys has not signed it.
    Note(BadNote),
    /// The text is not its four lines.
    Lines,
}

impl fmt::Display for BadSuccession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Note(why) => why.fmt(f),
            Self::Lines => write!(f, "a succession is four lines: {HEADER}, the new key, size, root"),
        }
    }
}

impl std::error::Error for BadSuccession {}

impl Succession {
    /// The note, signed by the old key and by the new one.
    ///
    /// # Errors
    /// When no note can hold it.
    pub fn sign(&self, old: &LogSigner, new: &LogSigner) -> Result<SignedNote, BadSuccession> {
        let text = self.to_string();
        let mut note = SignedNote::sign(&text, old).map_err(BadSuccession::Note)?;
        note.add(SignatureLine::by(&new.verifier(), new.sign(text.as_bytes()).to_vec()));
        Ok(note)
    }

    /// The succession in a note, once the old key and the key that it names have signed it.
    ///
    /// # Errors
    /// Why it is none.
    pub fn open(note: &SignedNote, old: &LogKey) -> Result<Self, BadSuccession> {
        note.verify(old).map_err(BadSuccession::Note)?;
        let succession: Self = note.text().parse()?;
        note.verify(&succession.new).map_err(BadSuccession::Note)?;
        Ok(succession)
    }
}

impl fmt::Display for Succession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEADER}\n{}\n{}\n{}\n", self.new, self.size, text::encode(self.root.as_bytes()))
    }
}

impl FromStr for Succession {
    type Err = BadSuccession;

    fn from_str(body: &str) -> Result<Self, BadSuccession> {
        let [HEADER, new, size, root, ""] = body.split('\n').collect::<Vec<_>>()[..] else {
            return Err(BadSuccession::Lines);
        };
        let read = || Some((new.parse().ok()?, text::decimal(size)?, text::decode_hash(root)?));
        let (new, size, root) = read().ok_or(BadSuccession::Lines)?;
        Ok(Self { new, size, root })
    }
}

/// The keys of a log, the first one first. All but the last have handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys(Vec<LogKey>);

impl Keys {
    /// Keys of a log, the first one first; none are no log.
    pub fn new(former: Vec<LogKey>, newest: LogKey) -> Self {
        Self([former, vec![newest]].concat())
    }

    /// The key that signs now.
    pub fn newest(&self) -> &LogKey {
        &self.0[self.0.len() - 1]
    }

    /// The checkpoint in a note that one of the keys signed, and which.
    ///
    /// # Errors
    /// What the newest key says against it.
    pub fn open(&self, note: &SignedNote) -> Result<(Checkpoint, &LogKey), BadCheckpoint> {
        let opened = self.0.iter().rev().find_map(|key| Some((Checkpoint::open(note, key).ok()?, key)));
        opened.map_or_else(|| Checkpoint::open(note, self.newest()).map(|checkpoint| (checkpoint, self.newest())), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(name: &str, seed: u8) -> LogSigner {
        LogSigner::from_seed(name, &[seed; 32]).unwrap()
    }

    fn succession(new: &LogSigner) -> Succession {
        Succession { new: new.verifier(), size: 7, root: Hash32::of([&b"root"[..]]) }
    }

    #[test]
    fn both_keys_sign_it() {
        let (old, new) = (signer("draw960.local/0a0b0c0d", 1), signer("draw960.local/0a0b0c0d", 2));
        let note: SignedNote = succession(&new).sign(&old, &new).unwrap().to_string().parse().unwrap();
        assert_eq!(Succession::open(&note, &old.verifier()), Ok(succession(&new)));
        let alone = SignedNote::sign(&succession(&new).to_string(), &old).unwrap();
        let refused = Err(BadSuccession::Note(BadNote::NotSigned));
        assert_eq!(Succession::open(&alone, &old.verifier()), refused, "the heir must accept");
        let usurped = SignedNote::sign(&succession(&new).to_string(), &new).unwrap();
        assert_eq!(Succession::open(&usurped, &old.verifier()), refused, "nobody succeeds by himself");
    }

    #[test]
    fn a_checkpoint_is_no_succession_and_the_reverse() {
        let old = signer("draw960.local/0a0b0c0d", 1);
        let checkpoint = Checkpoint { origin: "draw960.local/0a0b0c0d".into(), size: 7, root: Hash32::of([]) };
        assert_eq!(Succession::open(&checkpoint.sign(&old).unwrap(), &old.verifier()), Err(BadSuccession::Lines));
        let new = signer("draw960.local/ffffffff", 2);
        let note = succession(&new).sign(&old, &new).unwrap();
        assert!(Checkpoint::open(&note, &old.verifier()).is_err());
        for text in ["", "draw960/v1 succession\n", "draw960/v1 succession\na\n7\nb\n"] {
            assert_eq!(text.parse::<Succession>(), Err(BadSuccession::Lines), "{text:?}");
        }
    }

    #[test]
    fn any_key_of_the_log_opens_its_checkpoints() {
        let (old, new) = (signer("a/1", 1), signer("a/1", 2));
        let keys = Keys::new(vec![old.verifier()], new.verifier());
        let checkpoint = Checkpoint { origin: "a/1".into(), size: 7, root: Hash32::of([]) };
        for key in [&old, &new] {
            let (opened, by) = keys.open(&checkpoint.sign(key).unwrap()).unwrap();
            assert_eq!((&opened, by), (&checkpoint, &key.verifier()));
        }
        let stranger = signer("a/1", 3);
        assert!(keys.open(&checkpoint.sign(&stranger).unwrap()).is_err());
    }
}
