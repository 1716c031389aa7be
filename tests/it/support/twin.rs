//! Two worlds that differ in nothing but the master of one tournament.

use super::{NOW, TestServer};
use draw960::{
    clock::ManualClock,
    entropy::{Entropy, EntropyUnavailable, FixedEntropy},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A fixed stream in which one 32-byte fill, the first after [`TwinEntropy::next_is_master`], differs between the twins.
pub struct TwinEntropy {
    stream: FixedEntropy,
    twist: u8,
    armed: AtomicBool,
}

impl TwinEntropy {
    /// The next 32 bytes asked for are a master.
    pub fn next_is_master(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }
}

impl Entropy for TwinEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyUnavailable> {
        self.stream.fill(bytes)?;
        if bytes.len() == 32 && self.armed.swap(false, Ordering::SeqCst) {
            bytes.iter_mut().for_each(|byte| *byte ^= self.twist);
        }
        Ok(())
    }
}

/// A server of the world with this twist.
pub async fn world(twist: u8) -> (TestServer, Arc<TwinEntropy>) {
    let entropy = Arc::new(TwinEntropy { stream: FixedEntropy::new([7; 32]), twist, armed: AtomicBool::new(false) });
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::new(NOW.parse().unwrap()));
    let chance: Arc<dyn Entropy> = Arc::clone(&entropy) as Arc<dyn Entropy>;
    (TestServer::open_with(folder, clock, chance).await, entropy)
}
