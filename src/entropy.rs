//! The only source of chance.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::sync::{Mutex, PoisonError};

/// Where fresh random bytes come from.
pub trait Entropy: Send + Sync + 'static {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// When the source fails: nothing may then be drawn, ordered or named.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyUnavailable>;
}

/// The operating system gave no random bytes.
#[derive(Debug)]
pub struct EntropyUnavailable;

impl std::fmt::Display for EntropyUnavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the operating system gave no random bytes")
    }
}

impl std::error::Error for EntropyUnavailable {}

impl dyn Entropy {
    /// `N` fresh bytes.
    ///
    /// # Errors
    /// As [`Entropy::fill`].
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], EntropyUnavailable> {
        let mut bytes = [0; N];
        self.fill(&mut bytes).map(|()| bytes)
    }
}

/// The kernel's generator.
#[derive(Debug, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the operating system for chance")]
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyUnavailable> {
        getrandom::fill(bytes).map_err(|_| EntropyUnavailable)
    }
}

/// A fixed stream: the same bytes in the same order, for tests.
#[derive(Debug)]
pub struct FixedEntropy(Mutex<ChaCha20Rng>);

impl FixedEntropy {
    /// The stream of this seed.
    pub fn new(seed: [u8; 32]) -> Self {
        Self(Mutex::new(ChaCha20Rng::from_seed(seed)))
    }
}

impl Entropy for FixedEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyUnavailable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(bytes);
        Ok(())
    }
}
