//! The frontier: as much of a tree as is needed to go on appending and to name its root.

use super::{Hash32, empty_root, node_hash};

/// The roots of the complete subtrees that make up a tree, largest first: never more than 64 hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Hash32>,
}

impl Frontier {
    /// The frontier of the tree without entries.
    pub const fn new() -> Self {
        Self { size: 0, peaks: Vec::new() }
    }

    /// Number of entries.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Appends an entry by its leaf hash.
    pub fn push(&mut self, leaf: Hash32) {
        let mut peak = leaf;
        // Every low one bit of the old size is a complete subtree that the new one grows together with.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                peak = node_hash(&left, &peak);
            }
        }
        self.peaks.push(peak);
        self.size += 1;
    }

    /// The root, RFC 6962 section 2.1.
    pub fn root(&self) -> Hash32 {
        let from_the_right = self.peaks.iter().rev().copied();
        from_the_right.reduce(|right, left| node_hash(&left, &right)).unwrap_or_else(empty_root)
    }
}
