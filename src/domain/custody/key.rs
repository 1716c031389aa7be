//! From a passphrase to the key of a file.

use super::{BadCustody, Costs, Header};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use hkdf::Hkdf;
use sha2::Sha256;
use std::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// A passphrase in characters.
const SHORTEST: usize = 12;
/// No passphrase is longer, in bytes.
pub const LONGEST_PASSPHRASE: usize = 1024;
/// Salt of both values that come from the key.
const SALT: &[u8] = b"draw960-custody/v1";

/// What people type to open a custody file. Shown nowhere.
#[derive(Clone)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Takes a text as passphrase.
    ///
    /// # Errors
    /// When it is short, or could not be typed again from paper.
    pub fn new(text: Zeroizing<String>) -> Result<Self, BadCustody> {
        if text.trim() != text.as_str() || text.chars().any(char::is_control) {
            return Err(BadCustody::OddPassphrase);
        }
        if text.len() > LONGEST_PASSPHRASE {
            return Err(BadCustody::LongPassphrase);
        }
        if text.chars().count() < SHORTEST { Err(BadCustody::ShortPassphrase) } else { Ok(Self(text)) }
    }

    /// Whether both are the same.
    pub fn is(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

/// The key of a passphrase under a salt. Slow to make; any number of files can be sealed with it.
#[derive(Clone)]
pub struct CustodyKey {
    secret: Zeroizing<[u8; 32]>,
    costs: Costs,
    salt: [u8; 16],
}

impl fmt::Debug for CustodyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CustodyKey(…)")
    }
}

impl CustodyKey {
    /// Makes the key, which takes the time and memory of `costs`.
    ///
    /// # Errors
    /// When the costs are not bearable, or the machine has not the memory.
    pub fn derive(passphrase: &Passphrase, costs: Costs, salt: [u8; 16]) -> Result<Self, BadCustody> {
        if !costs.are_bearable() {
            return Err(BadCustody::Costs);
        }
        let params = Params::new(costs.memory, costs.passes, costs.lanes, Some(32)).map_err(|_| BadCustody::Costs)?;
        let mut blocks = Zeroizing::new(Vec::<Block>::new());
        blocks.try_reserve_exact(params.block_count()).map_err(|_| BadCustody::Memory)?;
        blocks.resize(params.block_count(), Block::new());
        let mut secret = Zeroizing::new([0; 32]);
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon2
            .hash_password_into_with_memory(passphrase.0.as_bytes(), &salt, &mut *secret, blocks.as_mut_slice())
            .map_err(|_| BadCustody::Costs)?;
        Ok(Self { secret, costs, salt })
    }

    /// The key that opens a file with this first line.
    ///
    /// # Errors
    /// [`BadCustody::WrongPassphrase`], or as [`CustodyKey::derive`].
    pub fn of(header: &Header, passphrase: &Passphrase) -> Result<Self, BadCustody> {
        let key = Self::derive(passphrase, header.costs, header.salt)?;
        if bool::from(key.check().ct_eq(&header.check)) { Ok(key) } else { Err(BadCustody::WrongPassphrase) }
    }

    /// The first line of a new file; the nonce is fresh.
    pub fn header(&self, nonce: [u8; 19]) -> Header {
        Header { costs: self.costs, salt: self.salt, check: self.check(), nonce }
    }

    fn check(&self) -> [u8; 16] {
        *self.expand(b"check")
    }

    pub(super) fn stream_key(&self) -> Zeroizing<[u8; 32]> {
        self.expand(b"stream")
    }

    fn expand<const N: usize>(&self, info: &[u8]) -> Zeroizing<[u8; N]> {
        let mut bytes = Zeroizing::new([0; N]);
        let hkdf = Hkdf::<Sha256>::new(Some(SALT), &*self.secret);
        hkdf.expand(info, &mut *bytes).expect("16 and 32 bytes are within the limit of HKDF");
        bytes
    }
}
