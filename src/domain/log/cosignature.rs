//! The cosignature: another machine says when it saw a checkpoint, and that the log had only grown
//! (c2sp.org/tlog-cosignature, `cosignature/v1`).

use super::note::{BadNote, SignatureLine, SignedNote};
use super::note_key::{COSIGNATURE, Signer, VerifierKey};

/// The key that a witness's cosignatures are verified with.
pub type WitnessKey = VerifierKey<COSIGNATURE>;
/// The key that a witness cosigns with.
pub type WitnessSigner = Signer<COSIGNATURE>;

/// What a witness signs: the time in Unix seconds and the checkpoint's three lines.
fn message(time: u64, checkpoint: &str) -> String {
    format!("cosignature/v1\ntime {time}\n{checkpoint}")
}

impl WitnessSigner {
    /// Cosigns a checkpoint note at this time, Unix seconds. Whether the log had only grown is for the caller to have
    /// checked.
    pub fn cosign(&self, note: &SignedNote, time: u64) -> SignatureLine {
        let signature = self.sign(message(time, note.text()).as_bytes());
        SignatureLine::by(&self.verifier(), [&time.to_be_bytes()[..], &signature].concat())
    }
}

impl SignedNote {
    /// When this witness saw the checkpoint, Unix seconds; the earliest time if it cosigned more than once.
    ///
    /// # Errors
    /// When it has not cosigned, or one of its lines is wrong.
    pub fn cosigned_at(&self, witness: &WitnessKey) -> Result<u64, BadNote> {
        let mut earliest = Err(BadNote::NotSigned);
        for line in self.lines_of(witness) {
            let time = time_of(self.text(), line, witness).ok_or(BadNote::WrongSignature)?;
            earliest = Ok(earliest.map_or(time, |seen: u64| seen.min(time)));
        }
        earliest
    }
}

fn time_of(checkpoint: &str, line: &SignatureLine, witness: &WitnessKey) -> Option<u64> {
    let (time, signature) = line.signature.split_first_chunk()?;
    let time = u64::from_be_bytes(*time);
    // The specification bounds times so that they fit signed integers.
    let holds = i64::try_from(time).is_ok() && witness.has_signed(message(time, checkpoint).as_bytes(), signature);
    holds.then_some(time)
}

#[cfg(test)]
mod tests {
    use super::super::LogSigner;
    use super::*;

    #[test]
    fn a_witness_vouches_for_one_text_and_time() {
        let log = LogSigner::from_seed("log", &[1; 32]).unwrap();
        let witness = WitnessSigner::from_seed("witness", &[2; 32]).unwrap();
        let mut note = SignedNote::sign("log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", &log).unwrap();
        assert_eq!(note.cosigned_at(&witness.verifier()), Err(BadNote::NotSigned));
        note.add(witness.cosign(&note, 2000));
        note.add(witness.cosign(&note, 1000));
        assert_eq!(note.cosigned_at(&witness.verifier()), Ok(1000));
        assert_eq!(note.verify(&log.verifier()), Ok(()));

        let mut redated = note.clone();
        let mut line = witness.cosign(&note, 1000);
        line.signature[7] ^= 1;
        redated.add(line);
        assert_eq!(redated.cosigned_at(&witness.verifier()), Err(BadNote::WrongSignature));

        let mut other: SignedNote =
            SignedNote::sign("log\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", &log).unwrap();
        other.add(witness.cosign(&note, 1000));
        assert_eq!(other.cosigned_at(&witness.verifier()), Err(BadNote::WrongSignature));

        let mut short = note.clone();
        short.add(SignatureLine { signature: vec![0; 7], ..witness.cosign(&note, 1) });
        assert_eq!(short.cosigned_at(&witness.verifier()), Err(BadNote::WrongSignature));
        let mut late = note.clone();
        late.add(witness.cosign(&note, 1 << 63));
        assert_eq!(late.cosigned_at(&witness.verifier()), Err(BadNote::WrongSignature));
    }
}
