//! What the ledger holds: the tree, what of it is published, and the receipts handed out.

use crate::domain::{
    derivation::Hash32,
    fault::{Code, Fault},
    log::{Checkpoint, LogSigner, Receipt, SignedNote, Tree},
};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// A checkpoint and the note it is signed in.
pub(super) type Signed = (Checkpoint, SignedNote);

/// Tree and publication. The tree may be ahead of what is published, never behind.
pub(super) struct State {
    pub tree: Tree,
    published: Option<Signed>,
    /// Receipts made before: a released position keeps its own, and a hall of boards asks for all of them again.
    receipts: Mutex<HashMap<u64, String>>,
}

impl State {
    pub fn new(tree: Tree) -> Self {
        Self { tree, published: None, receipts: Mutex::default() }
    }

    pub fn newest(&self) -> Option<&Signed> {
        self.published.as_ref()
    }

    /// The checkpoint over the whole tree, if it is not the published one.
    pub fn unpublished(&self, signer: &LogSigner) -> Option<Signed> {
        let size = self.tree.size();
        match &self.published {
            Some((newest, _)) if newest.size == size => None,
            _ => self.sign(size, signer),
        }
    }

    pub fn publish(&mut self, checkpoint: Checkpoint, note: SignedNote) {
        metrics::gauge!("d960_log_entries").set(checkpoint.size as f64);
        self.published = Some((checkpoint, note));
    }

    fn sign(&self, size: u64, signer: &LogSigner) -> Option<Signed> {
        let origin = signer.verifier().name().to_owned();
        let checkpoint = Checkpoint { origin, size, root: self.tree.root(size)? };
        let note = checkpoint.sign(signer).ok()?;
        Some((checkpoint, note))
    }

    /// The receipt of an entry, in the checkpoint that ends with it.
    pub fn receipt(&self, entry: u64, signer: &LogSigner) -> Option<String> {
        let published = self.published.as_ref().map_or(0, |(checkpoint, _)| checkpoint.size);
        if entry >= published {
            return None;
        }
        let mut receipts = self.receipts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = receipts.get(&entry) {
            return Some(made.clone());
        }
        let (_, checkpoint) = self.sign(entry + 1, signer)?;
        let receipt = Receipt { index: entry, proof: self.tree.inclusion(entry, entry + 1)?, checkpoint }.to_string();
        receipts.insert(entry, receipt.clone());
        Some(receipt)
    }

    pub fn consistency(&self, from: u64, to: u64) -> Option<Vec<Hash32>> {
        let published = self.published.as_ref().map_or(0, |(checkpoint, _)| checkpoint.size);
        if to > published { None } else { self.tree.consistency(from, to) }
    }
}

/// The published checkpoint, or why there is none.
pub(super) fn newest_or(newest: Option<Signed>, writable: impl FnOnce() -> Result<(), Fault>) -> Result<Signed, Fault> {
    if let Some(newest) = newest {
        return Ok(newest);
    }
    writable()?;
    Err(Fault::new(Code::Unavailable, "the log is not signed yet"))
}
