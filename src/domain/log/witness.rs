//! What a log asks of a witness: cosign this checkpoint, which begins with the one you saw (c2sp.org/tlog-witness).

use super::{Hash32, SignedNote, text};
use std::{fmt, str::FromStr};

/// The specification's limit; a tree of 2^63 entries has no longer proofs.
const MOST_HASHES: usize = 63;

/// The body of `add-checkpoint`. That it parses proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// Size of the newest checkpoint that the witness cosigned, as far as the log knows.
    pub old: u64,
    /// Consistency proof from there.
    pub proof: Vec<Hash32>,
    /// The checkpoint to cosign.
    pub checkpoint: SignedNote,
}

/// Why a text is no such body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadRequest(&'static str);

impl fmt::Display for BadRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for BadRequest {}

impl fmt::Display for AddCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old)?;
        self.proof.iter().try_for_each(|hash| writeln!(f, "{}", text::encode(hash.as_bytes())))?;
        write!(f, "\n{}", self.checkpoint)
    }
}

impl FromStr for AddCheckpoint {
    type Err = BadRequest;

    fn from_str(body: &str) -> Result<Self, BadRequest> {
        let (head, note) = body.split_once("\n\n").ok_or(BadRequest("no blank line before the checkpoint"))?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| line.strip_prefix("old ")).and_then(text::decimal);
        let old = old.ok_or(BadRequest("the first line is \"old\" and a decimal number"))?;
        let proof: Option<Vec<_>> = lines.map(text::decode_hash).collect();
        let proof = proof.filter(|proof| proof.len() <= MOST_HASHES);
        let proof = proof.ok_or(BadRequest("the proof is at most 63 lines of 32 bytes in base64"))?;
        let checkpoint = note.parse().map_err(|_| BadRequest("the checkpoint is no signed note"))?;
        Ok(Self { old, proof, checkpoint })
    }
}

#[cfg(test)]
mod tests {
    use super::super::LogSigner;
    use super::*;

    #[test]
    fn one_spelling_only() {
        let log = LogSigner::from_seed("log", &[1; 32]).unwrap();
        let checkpoint = SignedNote::sign("log\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", &log).unwrap();
        for proof in [vec![], vec![Hash32::of([])], vec![Hash32::of([]); 63]] {
            let asked = AddCheckpoint { old: 7, proof, checkpoint: checkpoint.clone() };
            assert_eq!(asked.to_string().parse(), Ok(asked));
        }
        let long = AddCheckpoint { old: 7, proof: vec![Hash32::of([]); 64], checkpoint: checkpoint.clone() };
        let good = AddCheckpoint { old: 7, proof: vec![Hash32::of([])], checkpoint }.to_string();
        let bad = [
            long.to_string(),
            good.replace("old 7", "old 07"),
            good.replace("old 7", "size 7"),
            good.replace("\n\n", "\n"),
        ];
        for body in bad.iter().chain([&good.replace("=\n\nlog", " =\n\nlog"), &String::new()]) {
            assert!(body.parse::<AddCheckpoint>().is_err(), "{body:?}");
        }
    }
}
