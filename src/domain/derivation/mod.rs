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

use ::hkdf::Hkdf;
use sha2::Sha256;

/// The name of this scheme, first line of every slot text. A change of any byte rule needs another name.
pub const SCHEME: &str = "draw960/v1";

/// What is published when a draw is ordered: it fixes the slot's secret and all terms before any entropy is known.
pub fn commitment(slot: &Slot, terms: &Terms, secret: &SlotSecret) -> Hash32 {
    let text = format!("{SCHEME} commit\n{}{}", slot.text(), terms.text());
    Hash32::of([text.as_bytes(), secret.reveal_bytes()])
}

/// The seed of the keystream: the secret mixed with the entropy that came after the commitment.
///
/// Nothing that can change after ordering enters it, so no other slot's release or void can reroll this draw.
pub fn seed(slot: &Slot, terms: &Terms, commitment: &Hash32, entropy: &[EntropyLine], secret: &SlotSecret) -> Seed {
    let transcript = transcript(slot, terms, commitment, entropy);
    Seed::from_bytes(hkdf(secret.reveal_bytes(), "draw960/v1 seed", &transcript))
}

/// What binds the throws of a manual draw before they are revealed. `throws` is the canonical comma list.
pub fn throws_commitment(slot: &Slot, commitment: &Hash32, throws: &str, secret: &SlotSecret) -> Hash32 {
    let text = format!("{SCHEME} manual\n{}commit {commitment}\nthrows {throws}\n", slot.text());
    Hash32::of([text.as_bytes(), secret.reveal_bytes()])
}

/// Everything public that enters the seed, as text.
fn transcript(slot: &Slot, terms: &Terms, commitment: &Hash32, entropy: &[EntropyLine]) -> String {
    let lines: String = entropy.iter().map(|line| format!("entropy {line}\n")).collect();
    format!("{}{}commit {commitment}\n{lines}", slot.text(), terms.text())
}

/// HKDF-SHA-256 of RFC 5869, 32 bytes. The key is always 32 bytes: HMAC pads shorter ones, which would let two keys
/// give one result.
fn hkdf(key: &[u8; 32], salt: &str, info: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    Hkdf::<Sha256>::new(Some(salt.as_bytes()), key)
        .expand(info.as_bytes(), &mut bytes)
        .expect("32 bytes are one block of HKDF-SHA-256");
    bytes
}
