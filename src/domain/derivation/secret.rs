//! What nobody may see before its time: the master of a tournament, the secret of a slot, the seed of a draw.
//!
//! None of them prints itself, compares in variable time or stays in memory after use. The methods that give the
//! bytes away begin with `reveal`, so that a reader finds every place that does.

use super::{Hash32, SCHEME, SECRET_SALT, Slot, hkdf};
use crate::domain::hex;
use std::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

/// Not 64 lower-case hex digits. Says nothing about the text it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotASecret;

impl fmt::Display for NotASecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a secret is 64 lower-case hexadecimal digits")
    }
}

impl std::error::Error for NotASecret {}

macro_rules! secret {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name([u8; 32]);

        impl $name {
            /// Takes 32 bytes as the secret.
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// Reads the 64 lower-case hex digits of a revealed secret.
            ///
            /// # Errors
            /// When the text is anything else.
            pub fn from_hex(text: &str) -> Result<Self, NotASecret> {
                hex::decode(text).map(Self).ok_or(NotASecret)
            }

            /// Gives the secret away as bytes.
            pub const fn reveal_bytes(&self) -> &[u8; 32] {
                &self.0
            }

            /// Gives the secret away as 64 lower-case hex digits.
            pub fn reveal_hex(&self) -> String {
                hex::encode(&self.0)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.0.zeroize();
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.ct_eq(&other.0).into()
            }
        }

        impl Eq for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}

secret! {
    /// The secret of a tournament, 32 bytes from the operating system, made at its creation and revealed at its close.
    Master
}

secret! {
    /// The secret of one slot and attempt, derived from the master, revealed with the release or the void.
    SlotSecret
}

secret! {
    /// The key of the keystream that the number is read from, revealed with the release.
    Seed
}

impl Master {
    /// What is published at the tournament's creation, so that the master cannot be exchanged later.
    pub fn commitment(&self, origin: &str, event: &str) -> Hash32 {
        let text = format!("{SCHEME} master\nlog {origin}\nevent {event}\n");
        Hash32::of([text.as_bytes(), &self.0])
    }

    /// The secret of a slot.
    pub fn slot_secret(&self, slot: &Slot) -> SlotSecret {
        SlotSecret(hkdf(&self.0, &SECRET_SALT, &slot.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing() {
        let secrets = format!("{:?} {:?} {:?}", Master([1; 32]), SlotSecret([1; 32]), Seed([1; 32]));
        assert_eq!(secrets, "Master(…) SlotSecret(…) Seed(…)");
    }

    #[test]
    fn hex_is_exact() {
        let secret = SlotSecret::from_bytes(std::array::from_fn(|i| i as u8 * 8));
        assert_eq!(SlotSecret::from_hex(&secret.reveal_hex()), Ok(secret));
        for bad in ["", &"0".repeat(63), &"0".repeat(65), &"A".repeat(64), &"é".repeat(32)] {
            assert_eq!(SlotSecret::from_hex(bad), Err(NotASecret), "{bad}");
        }
    }
}
