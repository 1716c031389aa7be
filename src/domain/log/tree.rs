//! The tree: all leaf hashes in memory, with every complete subtree's root beside them.

use super::{Hash32, empty_root, node_hash};
use std::ops::Range;

/// An RFC 6962 tree in memory. Appending costs one hash on average, a root or proof of any past size O(log n).
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// `levels[k][i]` is the root of the complete subtree over leaves i * 2^k to (i + 1) * 2^k.
    levels: Vec<Vec<Hash32>>,
}

impl Tree {
    /// The tree without entries.
    pub const fn new() -> Self {
        Self { levels: Vec::new() }
    }

    /// Number of entries.
    pub fn size(&self) -> u64 {
        self.levels.first().map_or(0, Vec::len) as u64
    }

    /// The leaf hash of an entry.
    pub fn leaf(&self, index: u64) -> Option<Hash32> {
        self.levels.first()?.get(usize::try_from(index).ok()?).copied()
    }

    /// Appends an entry by its leaf hash; its index.
    pub fn push(&mut self, leaf: Hash32) -> u64 {
        let index = self.size();
        let mut node = leaf;
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(node);
            match self.levels[level].as_slice() {
                [.., left, right] if self.levels[level].len().is_multiple_of(2) => node = node_hash(left, right),
                _ => break,
            }
        }
        index
    }

    /// The root over the first `size` entries; none if there are fewer.
    pub fn root(&self, size: u64) -> Option<Hash32> {
        match self.within(size)? {
            0 => Some(empty_root()),
            size => Some(self.subtree(0..size)),
        }
    }

    /// Proof that entry `index` is among the first `size`, from its sibling up; none if it is not.
    pub fn inclusion(&self, index: u64, size: u64) -> Option<Vec<Hash32>> {
        let (size, index) = (self.within(size)?, usize::try_from(index).ok()?);
        let mut proof = Vec::new();
        if index < size {
            self.path(index, 0..size, &mut proof);
            Some(proof)
        } else {
            None
        }
    }

    /// Proof that the first `new` entries begin with the first `old`; none if there are fewer, or `old` exceeds `new`.
    /// Empty when `old` is 0 or `new`, as there is nothing to show.
    pub fn consistency(&self, old: u64, new: u64) -> Option<Vec<Hash32>> {
        let (old, new) = (self.within(old)?, self.within(new)?);
        let mut proof = Vec::new();
        match old {
            _ if old > new => return None,
            0 => {}
            _ => self.subproof(old, 0..new, true, &mut proof),
        }
        Some(proof)
    }

    fn within(&self, size: u64) -> Option<usize> {
        if size <= self.size() { usize::try_from(size).ok() } else { None }
    }

    /// Root over a range that RFC 6962 makes a node of; one side of each split is complete and so at hand.
    fn subtree(&self, range: Range<usize>) -> Hash32 {
        let level = range.len().trailing_zeros() as usize;
        if range.len().is_power_of_two() {
            return self.levels[level][range.start >> level];
        }
        let middle = split(&range);
        node_hash(&self.subtree(range.start..middle), &self.subtree(middle..range.end))
    }

    /// PATH of RFC 6962 section 2.1.1.
    fn path(&self, index: usize, range: Range<usize>, proof: &mut Vec<Hash32>) {
        if range.len() == 1 {
            return;
        }
        let middle = split(&range);
        let (left, right) = (range.start..middle, middle..range.end);
        let (inside, beside) = if index < middle { (left, right) } else { (right, left) };
        self.path(index, inside, proof);
        proof.push(self.subtree(beside));
    }

    /// SUBPROOF of RFC 6962 section 2.1.2; `known` says that the verifier has the root of `range` up to `old` itself.
    fn subproof(&self, old: usize, range: Range<usize>, known: bool, proof: &mut Vec<Hash32>) {
        if old == range.end {
            if !known {
                proof.push(self.subtree(range));
            }
            return;
        }
        let middle = split(&range);
        let (left, right) = (range.start..middle, middle..range.end);
        if old <= middle {
            self.subproof(old, left, known, proof);
            proof.push(self.subtree(right));
        } else {
            self.subproof(old, right, false, proof);
            proof.push(self.subtree(left));
        }
    }
}

impl FromIterator<Hash32> for Tree {
    fn from_iter<I: IntoIterator<Item = Hash32>>(leaves: I) -> Self {
        let mut tree = Self::new();
        for leaf in leaves {
            tree.push(leaf);
        }
        tree
    }
}

/// Where RFC 6962 splits a range of two or more: after the largest power of two smaller than its length.
fn split(range: &Range<usize>) -> usize {
    range.start + (1 << (range.len() - 1).ilog2())
}

#[cfg(test)]
mod tests {
    use super::super::{Frontier, leaf_hash, verify_consistency, verify_inclusion};
    use super::*;
    use ct_merkle::mem_backed_tree::MemoryBackedTree;
    use sha2::Sha256;

    const MOST: u64 = 70;

    fn leaf(index: u64) -> Hash32 {
        leaf_hash(&index.to_be_bytes())
    }

    fn joined(proof: &[Hash32]) -> Vec<u8> {
        proof.iter().flat_map(|hash| hash.as_bytes().iter().copied()).collect()
    }

    /// Roots and proofs of all small trees, byte by byte as another crate makes them.
    #[test]
    fn agrees_with_another_implementation() {
        let tree: Tree = (0..MOST).map(leaf).collect();
        let (mut theirs, mut frontier) = (MemoryBackedTree::<Sha256, [u8; 8]>::new(), Frontier::new());
        for size in 0..=MOST {
            let root = tree.root(size).unwrap();
            assert_eq!(root.as_bytes()[..], theirs.root().as_bytes()[..]);
            assert_eq!((frontier.root(), frontier.size()), (root, size));
            for index in 0..size {
                let proof = tree.inclusion(index, size).unwrap();
                assert_eq!(joined(&proof), theirs.prove_inclusion(index as usize).as_bytes());
            }
            for old in 1..size {
                let proof = tree.consistency(old, size).unwrap();
                assert_eq!(joined(&proof), theirs.prove_consistency((size - old) as usize).as_bytes());
            }
            theirs.push(size.to_be_bytes());
            frontier.push(leaf(size));
        }
    }

    #[test]
    fn every_proof_holds_for_its_place_only() {
        let tree: Tree = (0..MOST).map(leaf).collect();
        for size in 1..=MOST {
            let root = tree.root(size).unwrap();
            for index in 0..size {
                let proof = tree.inclusion(index, size).unwrap();
                for place in 0..size {
                    let held = verify_inclusion(&leaf(index), place, size, &proof, &root).is_ok();
                    assert_eq!(held, place == index, "{index} as {place} of {size}");
                }
            }
            for old in 0..=size {
                let (proof, old_root) = (tree.consistency(old, size).unwrap(), tree.root(old).unwrap());
                assert_eq!(verify_consistency(old, &old_root, size, &root, &proof), Ok(()), "{old} {size}");
            }
        }
    }

    #[test]
    fn there_is_no_proof_beyond_the_tree() {
        let tree: Tree = (0..5).map(leaf).collect();
        assert_eq!((tree.root(6), tree.inclusion(5, 5), tree.inclusion(0, 6)), (None, None, None));
        assert_eq!((tree.consistency(4, 3), tree.consistency(1, 6), tree.leaf(5)), (None, None, None));
        assert_eq!((tree.leaf(4), tree.size()), (Some(leaf(4)), 5));
        assert_eq!(Tree::new().root(0), Some(empty_root()));
    }
}
