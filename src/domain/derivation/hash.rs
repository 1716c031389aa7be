//! A SHA-256 value that is meant to be seen: commitments, leaf hashes, roots.

use crate::domain::hex;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};
use std::{fmt, str::FromStr};

/// 32 public bytes, written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash32([u8; 32]);

/// Not 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAHash;

impl fmt::Display for NotAHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hash is 64 lower-case hexadecimal digits")
    }
}

impl std::error::Error for NotAHash {}

impl Hash32 {
    /// These bytes as a hash.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// SHA-256 of the parts, one after the other.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let digest = parts.into_iter().fold(Sha256::new(), |sha, part| sha.chain_update(part));
        Self(digest.finalize().into())
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Hash32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for Hash32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash32({self})")
    }
}

impl FromStr for Hash32 {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        hex::decode(text).map(Self).ok_or(NotAHash)
    }
}

impl Serialize for Hash32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_only() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Hash32::of([]).to_string(), empty);
        assert_eq!(empty.parse(), Ok(Hash32::of([])));
        assert_eq!(Hash32::of([&b"ab"[..], b"c"]), Hash32::of([&b"abc"[..]]));
        let upper = empty.to_uppercase();
        let wide = format!("{}é", &empty[..62]);
        for bad in [&upper, &wide, &empty[1..], "", &format!("{empty}0"), &format!(" {}", &empty[1..])] {
            assert_eq!(bad.parse::<Hash32>(), Err(NotAHash), "{bad}");
        }
    }
}
