//! A witness: on another machine than the server's, it cosigns checkpoints of logs that only grew (c2sp.org/tlog-witness).
//!
//! It keeps the newest checkpoint of each log in a file of its own, durable before it answers, and never cosigns one that
//! does not begin with it. So a server cannot show two histories to two halls that trust the same witness.

pub mod http;
mod keys;

pub use keys::signer;

use crate::{
    clock::Clock,
    domain::{
        derivation::Hash32,
        log::{
            AddCheckpoint, BadCheckpoint, Checkpoint, LogKey, SignatureLine, SignedNote, WitnessSigner, empty_root,
            verify_consistency,
        },
    },
    ledger::HighWater,
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// A witness of some logs.
pub struct Witness {
    signer: WitnessSigner,
    logs: Vec<LogKey>,
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    /// One checkpoint at a time: two that arrive together must not both follow the same old one.
    turn: Mutex<()>,
}

/// Why a checkpoint is not cosigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The body is unreadable, or its numbers contradict themselves.
    Malformed(String),
    /// The log is not one of ours.
    UnknownLog,
    /// The log's key has not signed it.
    NotSigned,
    /// It does not follow the newest checkpoint we cosigned, which has this size.
    Conflict(u64),
    /// The proof does not lead from the newest checkpoint to this one: the log was rewritten.
    Inconsistent,
    /// What we keep cannot be read or written.
    Disk(String),
}

impl Witness {
    /// A witness with this key, of these logs, that keeps what it saw in a folder.
    pub fn new(signer: WitnessSigner, logs: Vec<LogKey>, folder: PathBuf, clock: Arc<dyn Clock>) -> Self {
        Self { signer, logs, folder, clock, turn: Mutex::default() }
    }

    /// The key that its cosignatures are verified with.
    pub fn vkey(&self) -> String {
        self.signer.verifier().to_string()
    }

    /// Answers `add-checkpoint`.
    ///
    /// # Errors
    /// Why nothing is cosigned.
    pub fn add_checkpoint(&self, body: &str) -> Result<SignatureLine, Refusal> {
        let asked: AddCheckpoint = body.parse().map_err(|why| Refusal::Malformed(format!("{why}")))?;
        let (key, checkpoint) = self.open(&asked.checkpoint)?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.file(&key);
        let (size, root) = self.newest(&file, &key)?;
        follows(&asked, &checkpoint, size, &root)?;
        let time = u64::try_from(self.clock.now().as_second()).map_err(|why| Refusal::Disk(why.to_string()))?;
        let line = self.signer.cosign(&asked.checkpoint, time);
        let mut kept = asked.checkpoint;
        kept.add(line.clone());
        file.write(&kept.to_string()).map_err(|why| Refusal::Disk(why.to_string()))?;
        Ok(line)
    }

    /// The log's key and the checkpoint that it signed. A log that changed its key has several.
    fn open(&self, note: &SignedNote) -> Result<(LogKey, Checkpoint), Refusal> {
        let origin = note.text().split('\n').next().unwrap_or_default();
        let mut refusal = Refusal::UnknownLog;
        for key in self.logs.iter().filter(|key| key.name() == origin) {
            match Checkpoint::open(note, key) {
                Ok(checkpoint) => return Ok((key.clone(), checkpoint)),
                Err(BadCheckpoint::Note(_)) => refusal = Refusal::NotSigned,
                Err(why) => refusal = Refusal::Malformed(why.to_string()),
            }
        }
        Err(refusal)
    }

    /// Size and root of the newest checkpoint kept; those of the empty log when there is none. It is ours by our own
    /// cosignature: the log may have changed its key since.
    fn newest(&self, file: &HighWater, key: &LogKey) -> Result<(u64, Hash32), Refusal> {
        let Some(text) = file.read().map_err(|why| Refusal::Disk(why.to_string()))? else {
            return Ok((0, empty_root()));
        };
        let note = text.parse::<SignedNote>().map_err(|why| Refusal::Disk(why.to_string()))?;
        note.cosigned_at(&self.signer.verifier()).map_err(|why| Refusal::Disk(why.to_string()))?;
        match note.text().parse::<Checkpoint>() {
            Ok(kept) if kept.origin == key.name() => Ok((kept.size, kept.root)),
            Ok(_) => Err(Refusal::Disk("the kept checkpoint is of another log".into())),
            Err(why) => Err(Refusal::Disk(why.to_string())),
        }
    }

    fn file(&self, key: &LogKey) -> HighWater {
        let name = Hash32::of([key.name().as_bytes()]).to_string();
        HighWater::at(self.folder.join(format!("{}.checkpoint", &name[..16])))
    }
}

/// Whether the checkpoint begins with what was cosigned before.
fn follows(asked: &AddCheckpoint, new: &Checkpoint, size: u64, root: &Hash32) -> Result<(), Refusal> {
    match asked.old {
        old if old > new.size => Err(Refusal::Malformed("the old size exceeds the new one".into())),
        old if old != size => Err(Refusal::Conflict(size)),
        old if old == new.size && *root != new.root => Err(Refusal::Conflict(size)),
        old => verify_consistency(old, root, new.size, &new.root, &asked.proof).map_err(|_| Refusal::Inconsistent),
    }
}
