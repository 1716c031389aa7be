//! What the ledger holds: the tree, what of it is published, and the receipts handed out.

use super::orders::Orders;
use crate::domain::{
    bracket::Bounds,
    derivation::Hash32,
    fault::{Code, Fault},
    log::{Checkpoint, LogSigner, Receipt, SignatureLine, SignedNote, Tree, leaf_hash},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
};

/// A witness's line under a checkpoint, and when it saw it, Unix seconds.
pub(super) type Cosigned = (SignatureLine, u64);

/// A cosigned checkpoint of a former name of the log.
pub(super) struct Former {
    pub size: u64,
    pub note: String,
    /// Which witnesses saw it, and when, Unix seconds.
    pub seen: Vec<(String, u64)>,
}

/// A checkpoint and the note it is signed in.
pub(super) type Signed = (Checkpoint, SignedNote);

/// Tree and publication. The tree may be ahead of what is published, never behind.
pub(super) struct State {
    pub tree: Tree,
    orders: Orders,
    /// What beacons and witnesses prove about the times of entries.
    pub bounds: Bounds,
    published: Option<Signed>,
    /// Size and root of what is published, in short: every answer with a position names it.
    pub short: Option<String>,
    /// By size of the checkpoint.
    cosigned: BTreeMap<u64, Vec<Cosigned>>,
    /// What witnesses cosigned while the log had another name.
    pub former: Vec<Former>,
    /// Receipts made before: a released position keeps its own, and a hall of boards asks for all of them again.
    receipts: Mutex<HashMap<u64, String>>,
}

impl State {
    pub fn new() -> Self {
        Self {
            tree: Tree::new(),
            orders: Orders::default(),
            bounds: Bounds::default(),
            published: None,
            short: None,
            cosigned: BTreeMap::new(),
            former: Vec::new(),
            receipts: Mutex::default(),
        }
    }

    /// Takes up the next entry.
    pub fn push(&mut self, entry: &[u8]) {
        let index = self.tree.push(leaf_hash(entry));
        if let Some((beacon, signature)) = self.orders.note(index, entry) {
            self.bounds.take_beacon(index, beacon, &signature);
        }
    }

    /// Takes up a cosignature. Receipts made before may now be better.
    pub fn cosign(&mut self, size: u64, cosigned: Cosigned) {
        self.bounds.take_cosignature(size, cosigned.1, cosigned.0.name());
        let lines = self.cosigned.entry(size).or_default();
        if !lines.contains(&cosigned) {
            lines.push(cosigned);
        }
        self.receipts.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Takes up what was cosigned under a former name.
    pub fn take_former(&mut self, former: Former) {
        former.seen.iter().for_each(|(name, at)| self.bounds.take_cosignature(former.size, *at, name));
        self.former.push(former);
    }

    /// The newest checkpoints that were cosigned, with their lines.
    pub fn cosigned(&self) -> &BTreeMap<u64, Vec<Cosigned>> {
        &self.cosigned
    }

    /// A checkpoint's note with what witnesses said about it.
    pub fn with_cosignatures(&self, size: u64, mut note: SignedNote) -> SignedNote {
        let lines = self.cosigned.get(&size).into_iter().flatten();
        lines.for_each(|(line, _)| note.add(line.clone()));
        note
    }

    /// The note of a published size, signed and cosigned.
    pub fn note(&self, size: u64, signer: &LogSigner) -> Option<SignedNote> {
        let (_, note) = self.sign(size, signer)?;
        Some(self.with_cosignatures(size, note))
    }

    /// Whether a checkpoint held elsewhere has this order and is older than its entropy.
    pub fn is_witnessed(&self, order: u64) -> bool {
        let Some(known) = self.orders.known(order) else { return false };
        let in_time = |size: u64, at: u64| match known.fires() {
            Some(fires) => i64::try_from(at).is_ok_and(|at| at < fires),
            None => known.before.is_none_or(|before| size <= before),
        };
        self.seen(order).any(|(size, at)| in_time(size, at))
    }

    /// Size and time of every cosignature over an entry, under whatever name the log had.
    fn seen(&self, entry: u64) -> impl Iterator<Item = (u64, u64)> {
        let former = self.former.iter().filter(move |former| former.size > entry);
        let former = former.flat_map(|former| former.seen.iter().map(|(_, at)| (former.size, *at)));
        let now = self.cosigned.range(entry + 1..);
        former.chain(now.flat_map(|(size, lines)| lines.iter().map(|(_, at)| (*size, *at))))
    }

    /// The first cosigned checkpoint that has an entry.
    fn cosigned_with(&self, entry: u64) -> Option<u64> {
        self.cosigned.range(entry + 1..).next().map(|(size, _)| *size)
    }

    /// Whether a witness has cosigned the entry.
    pub fn is_cosigned(&self, entry: u64) -> bool {
        self.seen(entry).next().is_some()
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
        self.short = Some(format!("{}/{}", checkpoint.size, &checkpoint.root.to_string()[..8]));
        self.published = Some((checkpoint, note));
    }

    fn sign(&self, size: u64, signer: &LogSigner) -> Option<Signed> {
        let origin = signer.verifier().name().to_owned();
        let checkpoint = Checkpoint { origin, size, root: self.tree.root(size)? };
        let note = checkpoint.sign(signer).ok()?;
        Some((checkpoint, note))
    }

    /// The receipt of an entry: in the first checkpoint that a witness cosigned with it, else in the one that ends with it.
    pub fn receipt(&self, entry: u64, signer: &LogSigner) -> Option<String> {
        let published = self.published.as_ref().map_or(0, |(checkpoint, _)| checkpoint.size);
        if entry >= published {
            return None;
        }
        let mut receipts = self.receipts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = receipts.get(&entry) {
            return Some(made.clone());
        }
        let size = self.cosigned_with(entry).filter(|size| *size <= published).unwrap_or(entry + 1);
        let (proof, checkpoint) = (self.tree.inclusion(entry, size)?, self.note(size, signer)?);
        let receipt = Receipt { index: entry, proof, checkpoint }.to_string();
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
