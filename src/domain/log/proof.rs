//! Proofs: that an entry is in a tree, that a tree begins with an older one. Checking needs no tree.

use super::{Hash32, empty_root, node_hash};
use std::fmt;

/// Why a proof proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadProof {
    /// The entry's index is not below the size, or the old size exceeds the new one.
    OutOfRange,
    /// Too few or too many hashes for these sizes.
    Length,
    /// The hashes do not lead to the old root.
    OldRoot,
    /// The hashes do not lead to the root.
    Root,
}

impl fmt::Display for BadProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfRange => "the proof is for an entry or size beyond the tree",
            Self::Length => "the proof has too few or too many hashes for the size of the tree",
            Self::OldRoot => "the proof does not lead to the older root: the log was rewritten",
            Self::Root => "the proof does not lead to the root",
        })
    }
}

impl std::error::Error for BadProof {}

/// Checks that the entry with this leaf hash is number `index` of `size` under `root` (RFC 9162, section 2.1.3.2).
///
/// # Errors
/// Why it is not shown.
pub fn verify_inclusion(leaf: &Hash32, index: u64, size: u64, proof: &[Hash32], root: &Hash32) -> Result<(), BadProof> {
    if index >= size {
        return Err(BadProof::OutOfRange);
    }
    let (mut place, mut last, mut node) = (index, size - 1, *leaf);
    for beside in proof {
        if last == 0 {
            return Err(BadProof::Length);
        }
        if place & 1 == 1 || place == last {
            node = node_hash(beside, &node);
            skip_lone_levels(&mut place, &mut last);
        } else {
            node = node_hash(&node, beside);
        }
        place >>= 1;
        last >>= 1;
    }
    match last {
        0 if node == *root => Ok(()),
        0 => Err(BadProof::Root),
        _ => Err(BadProof::Length),
    }
}

/// A last node without a sibling moves up unhashed until it is a right child.
fn skip_lone_levels(place: &mut u64, last: &mut u64) {
    if *place & 1 == 0 {
        let lone = place.trailing_zeros().min(63);
        *place >>= lone;
        *last >>= lone;
    }
}

/// Checks that the tree of `new` entries under `new_root` begins with the `old` ones under `old_root` (RFC 9162,
/// section 2.1.4.2). From 0 entries, or to the same size, the proof is empty.
///
/// # Errors
/// Why it is not shown.
pub fn verify_consistency(
    old: u64,
    old_root: &Hash32,
    new: u64,
    new_root: &Hash32,
    proof: &[Hash32],
) -> Result<(), BadProof> {
    match (old, proof) {
        _ if old > new => Err(BadProof::OutOfRange),
        (0, []) if *old_root != empty_root() => Err(BadProof::OldRoot),
        (0, []) if new == 0 && *new_root != empty_root() => Err(BadProof::Root),
        (0, []) => Ok(()),
        (_, []) if old == new && old_root != new_root => Err(BadProof::OldRoot),
        (_, []) if old == new => Ok(()),
        _ if old == 0 || old == new => Err(BadProof::Length),
        _ => {
            let (from_old, from_new) = climb(old, new, old_root, proof)?;
            match (from_old == *old_root, from_new == *new_root) {
                (false, _) => Err(BadProof::OldRoot),
                (_, false) => Err(BadProof::Root),
                _ => Ok(()),
            }
        }
    }
}

/// The roots of the old and of the new tree that a consistency proof leads to, for 0 < old < new.
fn climb(old: u64, new: u64, old_root: &Hash32, proof: &[Hash32]) -> Result<(Hash32, Hash32), BadProof> {
    // A complete old tree is itself the first hash, which the proof then leaves out.
    let (first, rest) =
        if old.is_power_of_two() { (old_root, proof) } else { proof.split_first().ok_or(BadProof::Length)? };
    let whole = (old - 1).trailing_ones();
    let (mut place, mut last) = ((old - 1) >> whole, (new - 1) >> whole);
    let (mut from_old, mut from_new) = (*first, *first);
    for beside in rest {
        if last == 0 {
            return Err(BadProof::Length);
        }
        if place & 1 == 1 || place == last {
            from_old = node_hash(beside, &from_old);
            from_new = node_hash(beside, &from_new);
            skip_lone_levels(&mut place, &mut last);
        } else {
            from_new = node_hash(&from_new, beside);
        }
        place >>= 1;
        last >>= 1;
    }
    if last == 0 { Ok((from_old, from_new)) } else { Err(BadProof::Length) }
}

#[cfg(test)]
mod tests {
    use super::super::{Tree, leaf_hash};
    use super::*;
    use proptest::prelude::*;

    fn hash(byte: u8) -> Hash32 {
        Hash32::from_bytes([byte; 32])
    }

    fn tree(size: u64) -> Tree {
        (0..size).map(|n| leaf_hash(&n.to_be_bytes())).collect()
    }

    #[test]
    fn edge_sizes() {
        let empty = empty_root();
        assert_eq!(verify_consistency(0, &empty, 0, &empty, &[]), Ok(()));
        assert_eq!(verify_consistency(0, &empty, 9, &hash(1), &[]), Ok(()));
        assert_eq!(verify_consistency(0, &hash(1), 9, &hash(1), &[]), Err(BadProof::OldRoot));
        assert_eq!(verify_consistency(0, &empty, 0, &hash(1), &[]), Err(BadProof::Root));
        assert_eq!(verify_consistency(0, &empty, 9, &hash(1), &[hash(2)]), Err(BadProof::Length));
        assert_eq!(verify_consistency(9, &hash(1), 9, &hash(1), &[]), Ok(()));
        assert_eq!(verify_consistency(9, &hash(1), 9, &hash(2), &[]), Err(BadProof::OldRoot));
        assert_eq!(verify_consistency(9, &hash(1), 8, &hash(1), &[]), Err(BadProof::OutOfRange));
        assert_eq!(verify_consistency(3, &hash(1), 9, &hash(1), &[]), Err(BadProof::Length));
        assert_eq!(verify_inclusion(&hash(1), 0, 0, &[], &hash(1)), Err(BadProof::OutOfRange));
        assert_eq!(verify_inclusion(&hash(1), 0, 1, &[], &hash(1)), Ok(()));
        assert_eq!(verify_inclusion(&hash(1), 0, 1, &[hash(2)], &hash(1)), Err(BadProof::Length));
        assert_eq!(verify_inclusion(&hash(1), 0, 2, &[], &hash(1)), Err(BadProof::Length));
    }

    proptest! {
        /// Any single flipped bit in a proof breaks it.
        #[test]
        fn a_flipped_bit_breaks_a_proof(new in 2u64..60, part: u64, line: usize, bit in 0usize..256) {
            let tree = tree(new);
            let root = tree.root(new).unwrap();
            let flip = |proof: &mut Vec<Hash32>| {
                let line = line % proof.len();
                let mut bytes = *proof[line].as_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                proof[line] = Hash32::from_bytes(bytes);
            };
            let mut inclusion = tree.inclusion(part % new, new).unwrap();
            flip(&mut inclusion);
            prop_assert!(verify_inclusion(&tree.leaf(part % new).unwrap(), part % new, new, &inclusion, &root).is_err());
            let old = part % (new - 1) + 1;
            let mut consistency = tree.consistency(old, new).unwrap();
            flip(&mut consistency);
            prop_assert!(verify_consistency(old, &tree.root(old).unwrap(), new, &root, &consistency).is_err());
        }

        /// No numbers and hashes whatever make the checks panic.
        #[test]
        fn checks_are_total(old: u64, new: u64, index: u64, hashes in proptest::collection::vec(any::<[u8; 32]>(), 0..70)) {
            let proof: Vec<_> = hashes.into_iter().map(Hash32::from_bytes).collect();
            prop_assert!(verify_inclusion(&hash(1), index, new, &proof, &hash(1)).is_err());
            let _ = verify_consistency(old, &hash(1), new, &hash(2), &proof);
        }
    }
}
