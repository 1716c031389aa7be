//! The draw: from a slot's secret and public entropy to a position number, `draw960/v1`.
//!
//! A commitment is published when a draw is ordered; it fixes the secret and all terms. Entropy follows. The seed is
//! a function of both, the number a function of the seed. Anyone can repeat every step with SHA-256, HMAC and
//! ChaCha20; `docs/draw-derivation.md` gives the bytes. No step uses a library's range or shuffle function: those
//! change between versions and some are biased.

mod entropy_line;
mod hash;
mod number;
mod secret;
mod slot;
mod terms;
#[cfg(test)]
mod uniformity;
#[cfg(test)]
mod vectors;

pub use entropy_line::{BadEntropyLine, EntropyLine, NoAnswer, answers};
pub use hash::{Hash32, NotAHash};
pub use number::{Derived, NothingLeft, number};
pub use secret::{Master, NotASecret, Seed, SlotSecret};
pub use slot::{BadSlot, Slot, is_origin, is_slug};
pub use terms::{BadSource, BadTerms, Repeats, Source, Terms};

use ::hkdf::HkdfExtract;
use sha2::Sha256;
use std::{fmt::Write, sync::LazyLock};

/// The name of this scheme, first line of every slot text. A change of any byte rule needs another name.
pub const SCHEME: &str = "draw960/v1";

/// What is published when a draw is ordered: it fixes the slot's secret and all terms before any entropy is known.
pub fn commitment(slot: &Slot, terms: &Terms, secret: &SlotSecret) -> Hash32 {
    let mut text = String::with_capacity(TEXT_ROOM);
    text.push_str(SCHEME);
    text.push_str(" commit\n");
    slot.push_text(&mut text);
    terms.push_text(&mut text);
    Hash32::of([text.as_bytes(), secret.reveal_bytes()])
}

/// The seed of the keystream: the secret mixed with the entropy that came after the commitment.
///
/// Nothing that can change after ordering enters it, so no other slot's release or void can reroll this draw.
pub fn seed(slot: &Slot, terms: &Terms, commitment: &Hash32, entropy: &[EntropyLine], secret: &SlotSecret) -> Seed {
    let transcript = transcript(slot, terms, commitment, entropy);
    Seed::from_bytes(hkdf(secret.reveal_bytes(), &SEED_SALT, &transcript))
}

/// What binds the throws of a manual draw before they are revealed. `throws` is the canonical comma list.
pub fn throws_commitment(slot: &Slot, commitment: &Hash32, throws: &str, secret: &SlotSecret) -> Hash32 {
    let text = format!("{SCHEME} manual\n{}commit {commitment}\nthrows {throws}\n", slot.text());
    Hash32::of([text.as_bytes(), secret.reveal_bytes()])
}

/// Everything public that enters the seed, as text.
fn transcript(slot: &Slot, terms: &Terms, commitment: &Hash32, entropy: &[EntropyLine]) -> String {
    let mut text = String::with_capacity(TEXT_ROOM);
    slot.push_text(&mut text);
    terms.push_text(&mut text);
    let _ = writeln!(text, "commit {commitment}");
    for line in entropy {
        let _ = writeln!(text, "entropy {line}");
    }
    text
}

/// Room for the text of most draws, so that it is not moved while it grows.
const TEXT_ROOM: usize = 640;

/// The first half of HKDF under a salt of the scheme, worked out once: it is the same for every draw.
type Salted = LazyLock<HkdfExtract<Sha256>>;

static SECRET_SALT: Salted = LazyLock::new(|| HkdfExtract::new(Some(b"draw960/v1 secret")));
static SEED_SALT: Salted = LazyLock::new(|| HkdfExtract::new(Some(b"draw960/v1 seed")));

/// HKDF-SHA-256 of RFC 5869, 32 bytes. The key is always 32 bytes: HMAC pads shorter ones, which would let two keys
/// give one result.
fn hkdf(key: &[u8; 32], salted: &HkdfExtract<Sha256>, info: &str) -> [u8; 32] {
    let (mut extract, mut bytes) = (salted.clone(), [0; 32]);
    extract.input_ikm(key);
    let (_, keyed) = extract.finalize();
    keyed.expand(info.as_bytes(), &mut bytes).expect("32 bytes are one block of HKDF-SHA-256");
    bytes
}
