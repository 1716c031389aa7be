//! The chunks after the first line: XChaCha20-Poly1305 by the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár,
//! 2015), which numbers the chunks and marks the last one. The first line is authenticated with every chunk.

use super::{BadCustody, CustodyKey, Header};
use aead_stream::{Key, NewStream, Nonce, StreamBE32, StreamPrimitive, aead::Payload};
use chacha20poly1305::XChaCha20Poly1305;
use zeroize::Zeroizing;

/// Bytes of a chunk before it is sealed; the last one may have fewer.
pub const CHUNK: usize = 64 << 10;
/// Bytes of a sealed chunk.
pub const SEALED_CHUNK: usize = CHUNK + 16;

/// Seals one chunk after the other.
pub struct Sealer(Stream);

/// Opens one chunk after the other.
pub struct Opener(Stream);

struct Stream {
    cipher: StreamBE32<XChaCha20Poly1305>,
    line: String,
    next: u32,
}

impl Stream {
    fn new(key: &CustodyKey, header: &Header) -> Self {
        let (key, nonce) = (key.stream_key(), Nonce::<XChaCha20Poly1305, StreamBE32<_>>::from(header.nonce));
        let cipher = StreamBE32::new(&Key::<XChaCha20Poly1305>::from(*key), &nonce);
        Self { cipher, line: header.to_string(), next: 0 }
    }

    fn step(&mut self) -> Result<u32, BadCustody> {
        let now = self.next;
        self.next = now.checked_add(1).ok_or(BadCustody::TooLong)?;
        Ok(now)
    }
}

impl Sealer {
    /// Begins the file with this first line.
    pub fn new(key: &CustodyKey, header: &Header) -> Self {
        Self(Stream::new(key, header))
    }

    /// The next chunk, [`CHUNK`] bytes or, if it is the last, at most that, as it stands in the file.
    ///
    /// # Errors
    /// [`BadCustody::TooLong`].
    pub fn seal(&mut self, chunk: &[u8], last: bool) -> Result<Vec<u8>, BadCustody> {
        let position = self.0.step()?;
        let payload = Payload { msg: chunk, aad: self.0.line.as_bytes() };
        self.0.cipher.encrypt(position, last, payload).map_err(|_| BadCustody::TooLong)
    }
}

impl Opener {
    /// Begins the file with this first line.
    pub fn new(key: &CustodyKey, header: &Header) -> Self {
        Self(Stream::new(key, header))
    }

    /// The bytes of the next sealed chunk; it is the last when the file ends with it.
    ///
    /// # Errors
    /// When it is not the chunk that was written there.
    pub fn open(&mut self, sealed: &[u8], last: bool) -> Result<Zeroizing<Vec<u8>>, BadCustody> {
        let position = self.0.step()?;
        let open = |last| {
            let payload = Payload { msg: sealed, aad: self.0.line.as_bytes() };
            self.0.cipher.decrypt(position, last, payload).map(Zeroizing::new)
        };
        match open(last) {
            Ok(chunk) => Ok(chunk),
            // Whole and in its place, only not the last.
            Err(_) if last && open(false).is_ok() => Err(BadCustody::Cut(position + 1)),
            Err(_) => Err(BadCustody::Damaged(position)),
        }
    }
}
