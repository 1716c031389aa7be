//! The log: entries that can only be appended, a root that fixes them all, and signatures under the root.
//!
//! The tree is that of RFC 6962; a checkpoint is a C2SP signed note over size and root; a receipt (C2SP tlog-proof)
//! shows one entry in one checkpoint; a cosignature says that another machine saw the log only grow. All of it can be
//! checked by tools of other hands. Formats: c2sp.org/signed-note, tlog-checkpoint, tlog-proof, tlog-cosignature.

mod checkpoint;
mod cosignature;
mod frontier;
mod note;
mod note_key;
mod proof;
mod receipt;
mod succession;
mod text;
mod tree;
#[cfg(test)]
mod vectors;
mod witness;

pub use checkpoint::{BadCheckpoint, Checkpoint};
pub use cosignature::{WitnessKey, WitnessSigner};
pub use frontier::Frontier;
pub use note::{BadNote, SignatureLine, SignedNote};
pub use note_key::{BadKey, LogKey, LogSigner, Signer, VerifierKey};
pub use proof::{BadProof, verify_consistency, verify_inclusion};
pub use receipt::{BadReceipt, Receipt};
pub use succession::{BadSuccession, Keys, Succession, skipped};
pub use tree::Tree;
pub use witness::{AddCheckpoint, BadRequest};

use super::derivation::Hash32;

/// The hash of an entry, RFC 6962 section 2.1: SHA-256 of a zero byte and the exact stored bytes.
pub fn leaf_hash(entry: &[u8]) -> Hash32 {
    Hash32::of([&[0][..], entry])
}

/// The hash of an inner node, RFC 6962 section 2.1: SHA-256 of a one byte and both children.
pub fn node_hash(left: &Hash32, right: &Hash32) -> Hash32 {
    Hash32::of([&[1][..], left.as_bytes(), right.as_bytes()])
}

/// A hash as notes and proofs spell it.
pub fn base64(hash: &Hash32) -> String {
    text::encode(hash.as_bytes())
}

/// The hash that a line of a proof spells.
pub fn hash_from_base64(line: &str) -> Option<Hash32> {
    text::decode_hash(line)
}

/// The root of the tree without entries, RFC 6962 section 2.1: SHA-256 of nothing.
pub fn empty_root() -> Hash32 {
    Hash32::of([])
}
