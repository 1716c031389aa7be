//! What stands before the database in the first chunk: the key file's bytes and the newest signed checkpoint.

use super::{BadCustody, CHUNK};
use std::fmt;
use zeroize::Zeroizing;

/// A checkpoint with all its cosignatures is much shorter.
const MOST_NOTE: usize = 32 << 10;

/// What a custody file holds besides the database.
#[derive(Clone, PartialEq, Eq)]
pub struct Contents {
    /// The 32 bytes of the key file.
    pub key: Zeroizing<[u8; 32]>,
    /// The high-water file: the newest checkpoint that the log's key had signed, not newer than the database.
    pub checkpoint: String,
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Contents(…)")
    }
}

impl Contents {
    /// Key, length of the checkpoint as four bytes, big end first, and the checkpoint. The database follows at once.
    ///
    /// # Errors
    /// When the checkpoint is longer than any.
    pub fn bytes(&self) -> Result<Zeroizing<Vec<u8>>, BadCustody> {
        let length = u32::try_from(self.checkpoint.len()).ok().filter(|length| *length as usize <= MOST_NOTE);
        let length = length.ok_or(BadCustody::Contents)?.to_be_bytes();
        let mut bytes = Zeroizing::new(Vec::with_capacity(CHUNK));
        bytes.extend_from_slice(&*self.key);
        bytes.extend_from_slice(&length);
        bytes.extend_from_slice(self.checkpoint.as_bytes());
        Ok(bytes)
    }

    /// Splits the first chunk into the contents and the beginning of the database.
    ///
    /// # Errors
    /// When it holds something else.
    pub fn split(chunk: &[u8]) -> Result<(Self, &[u8]), BadCustody> {
        let (key, rest) = chunk.split_first_chunk::<32>().ok_or(BadCustody::Contents)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or(BadCustody::Contents)?;
        let length = u32::from_be_bytes(*length) as usize;
        let (checkpoint, database) = rest.split_at_checked(length).ok_or(BadCustody::Contents)?;
        let checkpoint = String::from_utf8(checkpoint.to_vec()).map_err(|_| BadCustody::Contents)?;
        Ok((Self { key: Zeroizing::new(*key), checkpoint }, database))
    }
}
