//! The published vectors of the log: tree, note, receipt and cosignature, byte by byte.

use super::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    origin: String,
    log_key_seed: Hash32,
    witness_key_seed: Hash32,
    cosigned_at: u64,
    leaf_hashes: Vec<Hash32>,
    entries: Vec<String>,
    vkey: String,
    wvkey: String,
    note: String,
    proof: String,
    roots: Vec<Hash32>,
    incl: Vec<String>,
    cons1: Vec<String>,
}

impl File {
    fn read() -> Self {
        serde_json::from_str(include_str!("../../../tests/vectors/log.json")).unwrap()
    }

    fn tree(&self) -> Tree {
        self.entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect()
    }

    fn log(&self) -> LogSigner {
        LogSigner::from_seed(&self.origin, self.log_key_seed.as_bytes()).unwrap()
    }

    fn witness(&self) -> WitnessSigner {
        WitnessSigner::from_seed("witness.example.org/w1", self.witness_key_seed.as_bytes()).unwrap()
    }
}

fn base64(hashes: &[Hash32]) -> Vec<String> {
    hashes.iter().map(|hash| text::encode(hash.as_bytes())).collect()
}

#[test]
fn tree_and_proofs() {
    let (file, tree) = (File::read(), File::read().tree());
    let leaves: Vec<_> = (0..3).map(|index| tree.leaf(index).unwrap()).collect();
    assert_eq!(leaves, file.leaf_hashes);
    let roots: Vec<_> = (0..=3).map(|size| tree.root(size).unwrap()).collect();
    assert_eq!(roots, file.roots);
    assert_eq!(base64(&tree.inclusion(1, 3).unwrap()), file.incl);
    assert_eq!(base64(&tree.consistency(1, 3).unwrap()), file.cons1);
}

#[test]
fn keys() {
    let file = File::read();
    assert_eq!(file.log().verifier().to_string(), file.vkey);
    assert_eq!(file.witness().verifier().to_string(), file.wvkey);
    assert_eq!(file.vkey.parse(), Ok(file.log().verifier()));
    assert_eq!(file.wvkey.parse(), Ok(file.witness().verifier()));
}

#[test]
fn checkpoint_cosignature_and_receipt() {
    let file = File::read();
    let checkpoint = Checkpoint { origin: file.origin.clone(), size: 3, root: file.roots[3] };
    let mut note = checkpoint.sign(&file.log()).unwrap();
    note.add(file.witness().cosign(&note, file.cosigned_at));
    assert_eq!(note.to_string(), file.note);
    assert_eq!(note.cosigned_at(&file.wvkey.parse().unwrap()), Ok(file.cosigned_at));
    let receipt = Receipt { index: 1, proof: file.tree().inclusion(1, 3).unwrap(), checkpoint: note };
    assert_eq!(receipt.to_string(), file.proof);
    let read: Receipt = file.proof.parse().unwrap();
    assert_eq!(read.verify(file.entries[1].as_bytes(), &file.vkey.parse().unwrap()), Ok(checkpoint));
}
