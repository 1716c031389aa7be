//! Keys of signed notes: names, ids, and the text form (`vkey`) that people pin and print.

use super::text;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use std::{fmt, str::FromStr};

/// Signature type of plain Ed25519 note signatures.
pub(super) const ED25519: u8 = 0x01;
/// Signature type of timestamped cosignatures.
pub(super) const COSIGNATURE: u8 = 0x04;

/// A key that notes are verified with, for one type of signature. The log's is a [`LogKey`].
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey<const TYPE: u8> {
    name: String,
    key: VerifyingKey,
}

/// A key that notes are signed with, for one type of signature. The log's is a [`LogSigner`].
pub struct Signer<const TYPE: u8> {
    name: String,
    key: SigningKey,
}

/// The key that a log's checkpoints are verified with.
pub type LogKey = VerifierKey<ED25519>;
/// The key that a log signs its checkpoints with.
pub type LogSigner = Signer<ED25519>;

/// Why a text or name is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadKey {
    /// A name is empty or has blanks, control characters or a plus sign.
    Name,
    /// Not `name+id+base64`.
    Format,
    /// A key for another type of signature.
    Type,
    /// The id is not that of this name and key.
    Id,
    /// The bytes are no Ed25519 key, or a weak one.
    Key,
}

impl fmt::Display for BadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "the name of a key is not empty and has no blanks, control characters or plus signs",
            Self::Format => "a verifier key is <name>+<8 hexadecimal digits>+<base64>",
            Self::Type => "the key is for another type of signature",
            Self::Id => "the id in the key is not that of its name and bytes: a slip in copying?",
            Self::Key => "the bytes are not a good Ed25519 key",
        })
    }
}

impl std::error::Error for BadKey {}

/// Whether signed notes can carry this name.
pub(super) fn is_key_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c.is_control() || c == '+')
}

impl<const TYPE: u8> VerifierKey<TYPE> {
    /// The key with this name and these 32 bytes.
    ///
    /// # Errors
    /// When name or bytes are not good.
    pub fn new(name: &str, key: &[u8; 32]) -> Result<Self, BadKey> {
        if !is_key_name(name) {
            return Err(BadKey::Name);
        }
        let key = VerifyingKey::from_bytes(key).ok().filter(|key| !key.is_weak()).ok_or(BadKey::Key)?;
        Ok(Self { name: name.into(), key })
    }

    /// The name; for a log its origin.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The 32 bytes of the public key.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// First four bytes of SHA-256 over name, LF, type and key: enough to find a key, not to trust one.
    pub fn id(&self) -> [u8; 4] {
        let name = Sha256::new_with_prefix(&self.name);
        let [a, b, c, d, ..] = <[u8; 32]>::from(name.chain_update([b'\n', TYPE]).chain_update(self.key).finalize());
        [a, b, c, d]
    }

    /// Whether `signature` is this key's over `message`; strictly, so that one message has one signature.
    pub(super) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature).is_ok_and(|signature| self.key.verify_strict(message, &signature).is_ok())
    }
}

impl<const TYPE: u8> fmt::Display for VerifierKey<TYPE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.id();
        let bytes = [&[TYPE][..], self.as_bytes()].concat();
        write!(f, "{}+{a:02x}{b:02x}{c:02x}{d:02x}+{}", self.name, text::encode(&bytes))
    }
}

impl<const TYPE: u8> fmt::Debug for VerifierKey<TYPE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifierKey({self})")
    }
}

impl<const TYPE: u8> FromStr for VerifierKey<TYPE> {
    type Err = BadKey;

    fn from_str(vkey: &str) -> Result<Self, BadKey> {
        let mut parts = vkey.splitn(3, '+');
        let (Some(name), Some(_), Some(base64)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(BadKey::Format);
        };
        let bytes = text::decode(base64).ok_or(BadKey::Format)?;
        let (kind, key) = bytes.split_first().ok_or(BadKey::Format)?;
        if *kind != TYPE {
            return Err(BadKey::Type);
        }
        let key = Self::new(name, key.try_into().map_err(|_| BadKey::Key)?)?;
        // Only the id is left to differ.
        if key.to_string() == vkey { Ok(key) } else { Err(BadKey::Id) }
    }
}

impl<const TYPE: u8> Signer<TYPE> {
    /// The signer with this name and secret seed (RFC 8032).
    ///
    /// # Errors
    /// When the name is not good.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, BadKey> {
        if !is_key_name(name) {
            return Err(BadKey::Name);
        }
        Ok(Self { name: name.into(), key: SigningKey::from_bytes(seed) })
    }

    /// The key that others verify with.
    pub fn verifier(&self) -> VerifierKey<TYPE> {
        VerifierKey { name: self.name.clone(), key: self.key.verifying_key() }
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.key.sign(message).to_bytes()
    }
}

/// The secret stays out of every print.
impl<const TYPE: u8> fmt::Debug for Signer<TYPE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({}, …)", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer() -> LogSigner {
        LogSigner::from_seed("draw960.local/0a0b0c0d", &[3; 32]).unwrap()
    }

    #[test]
    fn a_key_has_one_text() {
        let key = signer().verifier();
        let vkey = key.to_string();
        assert_eq!(vkey.parse(), Ok(key));
        assert_eq!(vkey.parse::<VerifierKey<COSIGNATURE>>(), Err(BadKey::Type));
        let (name, rest) = vkey.split_once('+').unwrap();
        let (id, base64) = rest.split_once('+').unwrap();
        let cases = [
            (format!("x{vkey}"), BadKey::Id),
            (format!("{name}+{}+{base64}", id.to_uppercase()), BadKey::Id),
            (format!("{name}+0{id}+{base64}"), BadKey::Id),
            (format!("{name}+{id}"), BadKey::Format),
            (format!("{vkey} "), BadKey::Format),
            (format!("+{id}+{base64}"), BadKey::Name),
            (format!("a b+{id}+{base64}"), BadKey::Name),
            (format!("{name}+{id}+AQ=="), BadKey::Key),
            (format!("{name}+{id}+{}", text::encode(&[&[1][..], &[0; 32]].concat())), BadKey::Key),
            (format!("{name}+{id}+"), BadKey::Format),
        ];
        for (text, why) in cases {
            assert_eq!(text.parse::<LogKey>(), Err(why), "{text}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(format!("{:?}", signer()), "Signer(draw960.local/0a0b0c0d, …)");
    }

    #[test]
    fn names() {
        for name in ["", "a b", "a+b", "a\u{a0}b", "a\nb", "a\u{0}b"] {
            assert_eq!(LogSigner::from_seed(name, &[3; 32]).unwrap_err(), BadKey::Name, "{name:?}");
        }
    }
}
