//! What witnesses said: cosignatures are verified, kept in the database, and shown with how far behind they are.

use super::{BadLog, Ledger};
use crate::{
    domain::{
        bracket::Bracket,
        fault::{Code, Fault},
        log::{AddCheckpoint, SignatureLine, SignedNote, WitnessKey},
    },
    store::{CosignatureRow, Store},
};
use jiff::Timestamp;
use serde::Serialize;
use std::sync::PoisonError;
use utoipa::ToSchema;

/// How a witness is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct WitnessStatus {
    /// Key of the witness; none until it was reached for the first time.
    pub witness: Option<String>,
    /// Entries under the newest checkpoint that it cosigned.
    pub cosigned: u64,
    /// Entries of the log that it has not cosigned yet.
    pub behind: u64,
    /// Entries that it says to have seen beyond this log: then the database is an older copy, or the witness is wrong.
    pub ahead: u64,
    /// When it cosigned that checkpoint, Unix seconds by its own clock.
    pub at: Option<u64>,
    /// Whether it answered when it was last asked.
    pub answers: bool,
}

impl Ledger {
    /// What to ask a witness that has cosigned `old` entries; none when it has seen all that is published.
    pub fn request(&self, old: u64) -> Option<(u64, String)> {
        let (newest, checkpoint) = self.checkpoint().filter(|(newest, _)| newest.size > old)?;
        let proof = self.consistency(old, newest.size)?;
        Some((newest.size, AddCheckpoint { old, proof, checkpoint }.to_string()))
    }

    /// Takes a witness's line under the checkpoint of a size, once its signature holds.
    ///
    /// # Errors
    /// When it does not, or the database does not answer.
    pub async fn take_cosignature(&self, store: &Store, size: u64, key: &WitnessKey, line: &str) -> Result<(), Fault> {
        let refused = |why: String| Fault::new(Code::Unavailable, format!("{} does not cosign: {why}", key.name()));
        let parsed: SignatureLine = line.parse().map_err(|why| refused(format!("{why}")))?;
        let at = self.cosigned_at(size, key, parsed.clone()).map_err(refused)?;
        let row = CosignatureRow { size, witness: key.to_string(), line: line.into() };
        let mut tx = store.write().await?;
        tx.insert_cosignature(&row).await?;
        tx.commit().await?;
        self.state_mut().cosign(size, (parsed, at));
        Ok(())
    }

    fn cosigned_at(&self, size: u64, key: &WitnessKey, line: SignatureLine) -> Result<u64, String> {
        let note: Option<SignedNote> = self.state().note(size, &self.signer);
        let mut note = note.ok_or_else(|| format!("there is no checkpoint of {size} entries"))?;
        note.add(line);
        note.cosigned_at(key).map_err(|why| why.to_string())
    }

    /// Takes up the cosignatures kept in the database; a line that no longer holds is left out.
    ///
    /// # Errors
    /// Of the database.
    pub async fn take_up_cosignatures(&self, store: &Store) -> Result<(), BadLog> {
        for row in store.read().await?.cosignatures().await? {
            let (Ok(key), Ok(line)) = (row.witness.parse::<WitnessKey>(), row.line.parse::<SignatureLine>()) else {
                continue;
            };
            if let Ok(at) = self.cosigned_at(row.size, &key, line.clone()) {
                self.state_mut().cosign(row.size, (line, at));
            }
        }
        self.take_up_former(store).await
    }

    /// Every cosigned checkpoint but the newest, for a bundle; those of former names first.
    pub fn cosigned_checkpoints(&self) -> Vec<String> {
        let state = self.state();
        let newest = state.newest().map_or(0, |(newest, _)| newest.size);
        let older = state.cosigned().keys().filter(|size| **size < newest);
        let older = older.filter_map(|size| state.note(*size, &self.signer)).map(|note| note.to_string());
        state.former.iter().map(|former| former.note.clone()).chain(older).collect()
    }

    /// Whether a checkpoint held elsewhere has the order of this entry and is older than its entropy.
    pub fn is_witnessed(&self, order: u64) -> bool {
        self.state().is_witnessed(order)
    }

    /// Which times of an entry are proven, that the server's clock dates `at`. Rests on what was taken up with each entry and
    /// cosignature, so that asking is cheap.
    pub fn bracket(&self, entry: u64, at: Timestamp) -> Bracket {
        self.state().bounds.bracket(entry, at)
    }

    /// Notes how the witness at a URL is doing.
    pub fn note_witness(&self, url: &str, key: Option<&WitnessKey>, cosigned: u64, answers: bool) {
        let mut all = self.witnesses.lock().unwrap_or_else(PoisonError::into_inner);
        let status = all.entry(url.to_owned()).or_default();
        status.witness = key.map(ToString::to_string).or_else(|| status.witness.take());
        status.cosigned = status.cosigned.max(cosigned);
        status.answers = answers;
    }

    /// Notes how many entries the witness at a URL says to have seen. Nobody signs that: it is shown, and halts nothing.
    pub fn note_seen(&self, url: &str, seen: u64) {
        let newest = self.state().newest().map_or(0, |(newest, _)| newest.size);
        let mut all = self.witnesses.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(url.to_owned()).or_default().ahead = seen.saturating_sub(newest);
    }

    /// How every witness that is asked is doing. Their addresses are the operator's business.
    pub fn witnesses(&self) -> Vec<WitnessStatus> {
        let state = self.state();
        let newest = state.newest().map_or(0, |(newest, _)| newest.size);
        let all = self.witnesses.lock().unwrap_or_else(PoisonError::into_inner);
        let with_lag = |status: &WitnessStatus| {
            let name = status.witness.as_deref().and_then(|key| key.split('+').next()).unwrap_or_default();
            let lines = state.cosigned().get(&status.cosigned).into_iter().flatten();
            let at = lines.filter(|(line, _)| line.name() == name).map(|(_, at)| *at).next();
            WitnessStatus { behind: newest.saturating_sub(status.cosigned), at, ..status.clone() }
        };
        all.values().map(with_lag).collect()
    }
}
