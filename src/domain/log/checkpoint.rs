//! The checkpoint: how many entries a log has, and the root that fixes them (c2sp.org/tlog-checkpoint).

use super::{
    Hash32,
    note::{BadNote, SignedNote},
    note_key::{LogKey, LogSigner, is_key_name},
    text,
};
use std::{fmt, str::FromStr};

/// Size and root of a log. Displays as the three lines that are signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which log.
    pub origin: String,
    /// Number of entries.
    pub size: u64,
    /// Root over them.
    pub root: Hash32,
}

/// Why a note is no checkpoint of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadCheckpoint {
    /// The note is unreadable or not to be believed.
    Note(BadNote),
    /// The text is not exactly origin, size and root, a line each.
    Lines,
    /// The origin is not a name that a key can have.
    Origin,
    /// Not a decimal number without leading zeros.
    Size,
    /// Not 32 bytes in base64.
    Root,
    /// Signed by the right key, for another log.
    OtherLog,
}

impl fmt::Display for BadCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note(why) => return why.fmt(f),
            Self::Lines => "a checkpoint is three lines: origin, size, root",
            Self::Origin => "the origin of a checkpoint is not empty and has no blanks or plus signs",
            Self::Size => "the size of a checkpoint is a decimal number without leading zeros",
            Self::Root => "the root of a checkpoint is 32 bytes in base64",
            Self::OtherLog => "the checkpoint is that of another log",
        })
    }
}

impl std::error::Error for BadCheckpoint {}

impl Checkpoint {
    /// The checkpoint as a note, signed by the log.
    ///
    /// # Errors
    /// When the signer is another log's, or the origin is not one.
    pub fn sign(&self, signer: &LogSigner) -> Result<SignedNote, BadCheckpoint> {
        if signer.verifier().name() != self.origin {
            return Err(BadCheckpoint::OtherLog);
        }
        SignedNote::sign(&self.to_string(), signer).map_err(BadCheckpoint::Note)
    }

    /// The checkpoint in a note, once the log's signature holds and the origin is the key's name.
    ///
    /// # Errors
    /// Why there is no such checkpoint.
    pub fn open(note: &SignedNote, key: &LogKey) -> Result<Self, BadCheckpoint> {
        note.verify(key).map_err(BadCheckpoint::Note)?;
        let checkpoint: Self = note.text().parse()?;
        if checkpoint.origin == key.name() { Ok(checkpoint) } else { Err(BadCheckpoint::OtherLog) }
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}\n", self.origin, self.size, text::encode(self.root.as_bytes()))
    }
}

/// Reads the three lines. Extension lines, which the format allows but advises against, are refused: nobody audits them.
impl FromStr for Checkpoint {
    type Err = BadCheckpoint;

    fn from_str(body: &str) -> Result<Self, BadCheckpoint> {
        let [origin, size, root, ""] = body.split('\n').collect::<Vec<_>>()[..] else {
            return Err(BadCheckpoint::Lines);
        };
        if !is_key_name(origin) {
            return Err(BadCheckpoint::Origin);
        }
        let size = text::decimal(size).ok_or(BadCheckpoint::Size)?;
        let root = text::decode_hash(root).ok_or(BadCheckpoint::Root)?;
        Ok(Self { origin: origin.into(), size, root })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOT: &str = "Q6Lv4se21dV7odXrflGcQe3/qKP4PcAvRJYiFU6IdvY=";

    fn checkpoint() -> Checkpoint {
        format!("draw960.local/0a0b0c0d\n3\n{ROOT}\n").parse().unwrap()
    }

    #[test]
    fn every_slip_is_refused() {
        let cases = [
            (format!("a\n3\n{ROOT}"), BadCheckpoint::Lines),
            (format!("a\n3\n{ROOT}\n\n"), BadCheckpoint::Lines),
            (format!("a\n3\n{ROOT}\nmore\n"), BadCheckpoint::Lines),
            (format!("\n3\n{ROOT}\n"), BadCheckpoint::Origin),
            (format!("a b\n3\n{ROOT}\n"), BadCheckpoint::Origin),
            (format!("a\n03\n{ROOT}\n"), BadCheckpoint::Size),
            (format!("a\n+3\n{ROOT}\n"), BadCheckpoint::Size),
            (format!("a\n3 \n{ROOT}\n"), BadCheckpoint::Size),
            (format!("a\n\n{ROOT}\n"), BadCheckpoint::Size),
            (format!("a\n18446744073709551616\n{ROOT}\n"), BadCheckpoint::Size),
            (format!("a\n3\n{ROOT} \n"), BadCheckpoint::Root),
            (format!("a\n3\n{}\n", ROOT.trim_end_matches('=')), BadCheckpoint::Root),
            (format!("a\n3\n{}\n", ROOT.replace("Y=", "Z=")), BadCheckpoint::Root),
            ("a\n3\nAA==\n".into(), BadCheckpoint::Root),
        ];
        for (body, why) in cases {
            assert_eq!(body.parse::<Checkpoint>(), Err(why), "{body:?}");
        }
    }

    #[test]
    fn only_its_own_log_signs_and_opens_it() {
        let signer = LogSigner::from_seed("draw960.local/0a0b0c0d", &[3; 32]).unwrap();
        let other = LogSigner::from_seed("draw960.local/ffffffff", &[3; 32]).unwrap();
        let note = checkpoint().sign(&signer).unwrap();
        assert_eq!(Checkpoint::open(&note, &signer.verifier()), Ok(checkpoint()));
        assert_eq!(checkpoint().sign(&other), Err(BadCheckpoint::OtherLog));
        assert_eq!(Checkpoint::open(&note, &other.verifier()), Err(BadCheckpoint::Note(BadNote::NotSigned)));
        let foreign = SignedNote::sign(&checkpoint().to_string(), &other).unwrap();
        assert_eq!(Checkpoint::open(&foreign, &other.verifier()), Err(BadCheckpoint::OtherLog));
    }

    proptest! {
        #[test]
        fn reading_is_total_and_exact(body in "(\\PC{0,9}\n[0-9]{0,21}\n[A-Za-z0-9+/=]{40,44}\n?|(\\PC|\n){0,60})") {
            if let Ok(checkpoint) = body.parse::<Checkpoint>() {
                prop_assert_eq!(checkpoint.to_string(), body);
            }
        }
    }
}
