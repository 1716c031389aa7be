//! Secrets at rest: sealed with the key file that lies beside the database, never in it.
//!
//! XChaCha20-Poly1305 with a random 24-byte nonce in front; what the secret is for is authenticated with it, so that
//! one sealed secret cannot be put in another's place.

use chacha20poly1305::{
    Key, KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of the nonce.
pub const NONCE: usize = 24;

/// The key of the key file.
pub struct SealKey([u8; 32]);

/// The sealed bytes were made with another key, for another purpose, or altered.
#[derive(Debug, PartialEq, Eq)]
pub struct CannotOpen;

impl std::fmt::Display for CannotOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a sealed secret cannot be opened with this key file")
    }
}

impl std::error::Error for CannotOpen {}

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey(…)")
    }
}

impl Drop for SealKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl SealKey {
    /// Takes 32 bytes as the key.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(self.0))
    }

    /// Seals 32 secret bytes for `purpose`.
    pub fn seal(&self, nonce: [u8; NONCE], purpose: &str, secret: &[u8; 32]) -> Vec<u8> {
        self.seal_bytes(nonce, purpose, secret)
    }

    /// Seals bytes of any length for `purpose`; the length shows.
    pub fn seal_bytes(&self, nonce: [u8; NONCE], purpose: &str, secret: &[u8]) -> Vec<u8> {
        let payload = Payload { msg: secret, aad: purpose.as_bytes() };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload).expect("rows are within the cipher's limit");
        [&nonce[..], &sealed].concat()
    }

    /// Opens what [`SealKey::seal_bytes`] sealed for `purpose`.
    ///
    /// # Errors
    /// [`CannotOpen`] for anything else.
    pub fn open_bytes(&self, purpose: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, CannotOpen> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>().ok_or(CannotOpen)?;
        let payload = Payload { msg: sealed, aad: purpose.as_bytes() };
        self.cipher().decrypt(&XNonce::from(*nonce), payload).map(Zeroizing::new).map_err(|_| CannotOpen)
    }

    /// Opens what was sealed for `purpose`.
    ///
    /// # Errors
    /// [`CannotOpen`] for anything else.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Zeroizing<[u8; 32]>, CannotOpen> {
        let opened = self.open_bytes(purpose, sealed)?;
        opened.as_slice().try_into().map(Zeroizing::new).map_err(|_| CannotOpen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_only_for_its_key_and_purpose() {
        let key = SealKey::new([1; 32]);
        let sealed = key.seal([2; NONCE], "master of kaunas", &[3; 32]);
        assert_eq!(*key.open("master of kaunas", &sealed).unwrap(), [3; 32]);
        assert_eq!(key.open("master of vilnius", &sealed).unwrap_err(), CannotOpen);
        assert!(SealKey::new([4; 32]).open("master of kaunas", &sealed).is_err());
        for i in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[i] ^= 1;
            assert!(key.open("master of kaunas", &altered).is_err(), "byte {i}");
        }
        assert!(key.open("master of kaunas", &sealed[..20]).is_err());
    }
}
