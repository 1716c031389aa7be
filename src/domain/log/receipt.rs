//! The receipt: shows offline that an entry is in a signed checkpoint (c2sp.org/tlog-proof).

use super::{
    Hash32,
    checkpoint::{BadCheckpoint, Checkpoint},
    leaf_hash,
    note::{BadNote, SignedNote},
    note_key::LogKey,
    proof::{BadProof, verify_inclusion},
    text,
};
use std::{fmt, str::FromStr};

const HEADER: &str = "c2sp.org/tlog-proof@v1";

/// A tree of 2^64 entries has no longer proofs.
const MOST_HASHES: usize = 64;

/// Index, inclusion proof and checkpoint of an entry. That it parses proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Index of the entry.
    pub index: u64,
    /// From the entry's sibling up to the root's child.
    pub proof: Vec<Hash32>,
    /// The checkpoint with all its signatures.
    pub checkpoint: SignedNote,
}

/// Why a receipt is unreadable or proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadReceipt {
    /// The first line is not the format's name.
    Header,
    /// The second line is not `index` and a decimal number.
    Index,
    /// No blank line between proof and checkpoint.
    Layout,
    /// A line of the proof is not 32 bytes in base64, or there are too many.
    Hash,
    /// The checkpoint is unreadable or not to be believed.
    Checkpoint(BadCheckpoint),
    /// The entry is not in the checkpoint.
    Proof(BadProof),
}

impl fmt::Display for BadReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => write!(f, "a receipt begins with the line {HEADER}"),
            Self::Index => f.write_str("the second line of a receipt is \"index\" and a decimal number"),
            Self::Layout => f.write_str("a receipt has a blank line between proof and checkpoint"),
            Self::Hash => f.write_str("the proof in a receipt is at most 64 lines of 32 bytes in base64"),
            Self::Checkpoint(why) => why.fmt(f),
            Self::Proof(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for BadReceipt {}

impl Receipt {
    /// Checks that exactly these bytes are the entry, and that the log signed the checkpoint; the checkpoint.
    ///
    /// # Errors
    /// Why it is not shown.
    pub fn verify(&self, entry: &[u8], key: &LogKey) -> Result<Checkpoint, BadReceipt> {
        let checkpoint = Checkpoint::open(&self.checkpoint, key).map_err(BadReceipt::Checkpoint)?;
        verify_inclusion(&leaf_hash(entry), self.index, checkpoint.size, &self.proof, &checkpoint.root)
            .map_err(BadReceipt::Proof)?;
        Ok(checkpoint)
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEADER}\nindex {}\n", self.index)?;
        self.proof.iter().try_for_each(|hash| writeln!(f, "{}", text::encode(hash.as_bytes())))?;
        write!(f, "\n{}", self.checkpoint)
    }
}

/// Reads a receipt. The `extra` line that the format allows is refused: no signature covers it and nobody here writes it.
impl FromStr for Receipt {
    type Err = BadReceipt;

    fn from_str(receipt: &str) -> Result<Self, BadReceipt> {
        let (head, checkpoint) = receipt.split_once("\n\n").ok_or(BadReceipt::Layout)?;
        let mut lines = head.split('\n');
        if lines.next() != Some(HEADER) {
            return Err(BadReceipt::Header);
        }
        let index = lines.next().and_then(|line| line.strip_prefix("index ")).and_then(text::decimal);
        let index = index.ok_or(BadReceipt::Index)?;
        let proof: Vec<_> = lines.map(text::decode_hash).collect::<Option<_>>().ok_or(BadReceipt::Hash)?;
        if proof.len() > MOST_HASHES {
            return Err(BadReceipt::Hash);
        }
        let note = |why: BadNote| BadReceipt::Checkpoint(BadCheckpoint::Note(why));
        Ok(Self { index, proof, checkpoint: checkpoint.parse().map_err(note)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LogSigner, Tree};
    use super::*;
    use proptest::prelude::*;

    fn signer() -> LogSigner {
        LogSigner::from_seed("draw960.local/0a0b0c0d", &[3; 32]).unwrap()
    }

    fn entry(index: u64) -> Vec<u8> {
        format!("entry {index}").into_bytes()
    }

    fn receipt(index: u64, size: u64) -> Receipt {
        let tree: Tree = (0..size).map(|n| leaf_hash(&entry(n))).collect();
        let checkpoint = Checkpoint { origin: "draw960.local/0a0b0c0d".into(), size, root: tree.root(size).unwrap() };
        let proof = tree.inclusion(index, size).unwrap();
        Receipt { index, proof, checkpoint: checkpoint.sign(&signer()).unwrap() }
    }

    #[test]
    fn shows_one_entry_only() {
        for size in 1..12 {
            for index in 0..size {
                let receipt: Receipt = receipt(index, size).to_string().parse().unwrap();
                assert_eq!(receipt.verify(&entry(index), &signer().verifier()).map(|c| c.size), Ok(size));
                let other = receipt.verify(&entry(size), &signer().verifier());
                assert_eq!(other, Err(BadReceipt::Proof(BadProof::Root)));
            }
        }
    }

    #[test]
    fn an_unsigned_root_shows_nothing() {
        let other = LogSigner::from_seed("draw960.local/0a0b0c0d", &[4; 32]).unwrap();
        let why = BadReceipt::Checkpoint(BadCheckpoint::Note(BadNote::NotSigned));
        assert_eq!(receipt(1, 3).verify(&entry(1), &other.verifier()), Err(why));
    }

    #[test]
    fn every_slip_is_refused() {
        let good = receipt(1, 3).to_string();
        let cases = [
            (good.replace("@v1", "@v2"), BadReceipt::Header),
            (good.replace("@v1\n", "@v1\nextra AA==\n"), BadReceipt::Index),
            (good.replace("index 1", "index 01"), BadReceipt::Index),
            (good.replace("index 1", "index  1"), BadReceipt::Index),
            (good.replace("index 1", "index 1 "), BadReceipt::Index),
            (good.replace("index 1\n", "index 1\nAA==\n"), BadReceipt::Hash),
            (good.replace("index 1\n", &format!("index 1\n{}\n", " ".repeat(44))), BadReceipt::Hash),
            (good.replace("\n\n", "\n"), BadReceipt::Layout),
        ];
        for (text, why) in cases {
            assert_eq!(text.parse::<Receipt>(), Err(why), "{text}");
        }
        let line = format!("{}=\n", "A".repeat(43));
        let long = good.replace("index 1\n", &format!("index 1\n{}", line.repeat(65)));
        assert_eq!(long.parse::<Receipt>(), Err(BadReceipt::Hash));
    }

    proptest! {
        #[test]
        fn reading_is_total(soup in "(c2sp.org/tlog-proof@v1\n)?(index [0-9]{0,3}\n)?(\\PC|\n|—){0,90}") {
            if let Ok(receipt) = soup.parse::<Receipt>() {
                prop_assert_eq!(receipt.to_string(), soup);
            }
        }

        /// Whatever single byte is changed, the receipt says no more than before.
        #[test]
        fn a_changed_byte_never_shows_another_entry(place: usize, byte in 32u8..127) {
            let good = receipt(5, 11).to_string();
            let mut bytes = good.clone().into_bytes();
            let place = place % bytes.len();
            bytes[place] = byte;
            let changed = String::from_utf8(bytes).ok().and_then(|text| text.parse::<Receipt>().ok());
            if let Some(changed) = changed.filter(|changed| changed.to_string() != good) {
                prop_assert!(changed.verify(&entry(5), &signer().verifier()).is_err());
            }
        }
    }
}
