//! The signed log in memory: the tree over all entries, the newest checkpoint, receipts.
//!
//! After each commit the new entries are read back from the database and hashed, the checkpoint over them is signed, the
//! high-water file takes it, and only then it is published: nobody ever holds a checkpoint that this server could forget.
//! A database that is behind the high-water file, or different, halts the ledger: nothing is signed or written any more.

mod guard;
mod high_water;
mod orders;
mod state;
mod succession;
mod witnesses;

pub use high_water::HighWater;
pub use witnesses::WitnessStatus;

use crate::{
    domain::{
        derivation::Hash32,
        fault::Fault,
        log::{Checkpoint, Keys, LogSigner, SignedNote, leaf_hash},
    },
    store::{Leaf, Store, StoreError, Tx},
};
use guard::{LOST, RESTORE};
use serde::Serialize;
use state::{State, newest_or};
use std::{
    collections::BTreeMap,
    fmt,
    path::Path,
    sync::{Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// How many entries are read at a time.
const PAGE: u32 = 1000;

/// Whether a log with entries may go on without its high-water file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// The server starts read-only.
    #[default]
    Refuse,
    /// The operator knows why it is missing; it is made anew from the database.
    Accept,
}

/// Why the log cannot be taken up; the sentence says what to do.
#[derive(Debug)]
pub struct BadLog(pub String);

impl fmt::Display for BadLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadLog {}

impl From<StoreError> for BadLog {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

/// How an entry is shown to be what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// It is on this server's disk.
    Committed,
    /// It is in a published checkpoint, and has a receipt.
    Signed,
    /// And a witness has cosigned such a checkpoint.
    Cosigned,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Committed => "committed",
            Self::Signed => "signed",
            Self::Cosigned => "cosigned",
        })
    }
}

/// The log of this server.
pub struct Ledger {
    signer: LogSigner,
    /// Those that signed before, and the signer's own.
    keys: Keys,
    /// How each of them handed over.
    successions: Vec<String>,
    state: RwLock<State>,
    /// Set once the server serves; without it nothing is signed.
    file: OnceLock<HighWater>,
    /// Why nothing is written any more.
    halted: Mutex<Option<String>>,
    /// One publication at a time, so that the high-water file only rises.
    turn: tokio::sync::Mutex<()>,
    /// How each witness that is asked is doing.
    witnesses: Mutex<BTreeMap<String, WitnessStatus>>,
}

impl Ledger {
    /// Takes up the log of the database: every entry is hashed again, because SQLite's own checks do not see a changed
    /// byte inside a value.
    ///
    /// # Errors
    /// When an entry was altered.
    pub async fn load(store: &Store, signer: LogSigner) -> Result<Self, BadLog> {
        let mut state = State::new();
        let mut tx = store.read().await?;
        let (former, successions) = succession::former(&mut tx).await?;
        while let Some(leaves) = next_page(&mut tx, state.tree.size()).await? {
            for leaf in leaves {
                if leaf.idx != state.tree.size() || leaf_hash(&leaf.entry).as_bytes() != &leaf.leaf_hash {
                    return Err(BadLog(format!(
                        "entry {} of the log was altered: restore a backup, and keep this file as evidence",
                        state.tree.size()
                    )));
                }
                state.push(&leaf.entry);
            }
        }
        Ok(Self {
            keys: Keys::new(former, signer.verifier()),
            signer,
            successions,
            state: RwLock::new(state),
            file: OnceLock::new(),
            halted: Mutex::new(None),
            turn: tokio::sync::Mutex::default(),
            witnesses: Mutex::default(),
        })
    }

    /// Compares the log with the high-water file of the data folder, then signs it for the first time. A log that is
    /// behind or different halts the ledger instead.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub async fn begin(&self, store: &Store, folder: &Path, missing: Missing) -> Result<(), BadLog> {
        let file = HighWater::in_folder(folder);
        let kept = file.read().map_err(|why| BadLog(format!("draw960.highwater cannot be read: {why}")))?;
        match (kept, missing) {
            (Some(kept), _) => {
                if let Some(why) = self.contradicts(&kept) {
                    self.halt(why);
                }
            }
            (None, Missing::Refuse) if self.state().tree.size() > 0 => self.halt(LOST.into()),
            (None, Missing::Accept) if self.state().tree.size() > 0 => {
                tracing::warn!(
                    entries = self.state().tree.size(),
                    "draw960.highwater is missing and accepted as missing: whether entries were lost cannot be told"
                );
            }
            (None, _) => {}
        }
        let _ = self.file.set(file);
        self.take_up_cosignatures(store).await?;
        self.publish(store).await.map_err(|fault| BadLog(fault.told()))
    }

    /// Takes up what was committed, signs it, keeps the checkpoint in the high-water file, and only then publishes it.
    ///
    /// # Errors
    /// When database or disk do not answer: what was published stays, and the next call tries again.
    pub async fn publish(&self, store: &Store) -> Result<(), Fault> {
        let Some(file) = self.file.get() else { return Ok(()) };
        let _turn = self.turn.lock().await;
        self.grow(&mut store.read().await?).await?;
        if self.writable().is_err() {
            return Ok(());
        }
        let Some((checkpoint, note)) = self.state().unpublished(&self.signer) else { return Ok(()) };
        let (file, text) = (file.clone(), note.to_string());
        let written = tokio::task::spawn_blocking(move || file.write(&text)).await;
        let failed = |why: String| Fault::internal(format!("draw960.highwater cannot be written: {why}"));
        written.map_err(|why| failed(why.to_string()))?.map_err(|why| failed(why.to_string()))?;
        self.state_mut().publish(checkpoint, note);
        Ok(())
    }

    /// Reads what is new, and the newest entry known once more: a database exchanged under a running server is noticed.
    async fn grow(&self, tx: &mut Tx) -> Result<(), Fault> {
        loop {
            let known = self.state().tree.size();
            let leaves = tx.leaves(known.saturating_sub(1), PAGE).await?;
            let (old, new) = leaves.split_at(leaves.len().min(usize::from(known > 0)));
            if known > 0 && old.first().map(|leaf| leaf_hash(&leaf.entry)) != self.state().tree.leaf(known - 1) {
                self.halt(format!("The database was exchanged while the server ran. {RESTORE}"));
                return Ok(());
            }
            if new.is_empty() {
                return Ok(());
            }
            let mut state = self.state_mut();
            for leaf in new {
                state.push(&leaf.entry);
            }
        }
    }

    /// The newest published checkpoint.
    pub fn checkpoint(&self) -> Option<(Checkpoint, SignedNote)> {
        let state = self.state();
        let (checkpoint, note) = state.newest().cloned()?;
        let note = state.with_cosignatures(checkpoint.size, note);
        Some((checkpoint, note))
    }

    /// The newest published checkpoint.
    ///
    /// # Errors
    /// `server-read-only` while there is none.
    pub fn published(&self) -> Result<(Checkpoint, SignedNote), Fault> {
        newest_or(self.checkpoint(), || self.writable())
    }

    /// Size and the first eight hexadecimal digits of the root, for sheets, screens and headers.
    pub fn short(&self) -> Option<String> {
        self.state().short.clone()
    }

    /// The key that checkpoints are verified with, as people pin it.
    pub fn vkey(&self) -> String {
        self.signer.verifier().to_string()
    }

    /// Shows that an entry is in the published log; none beyond it. Entry and proof never change, so the same entry has
    /// the same receipt after a restart.
    pub fn receipt(&self, entry: u64) -> Option<String> {
        self.state().receipt(entry, &self.signer)
    }

    /// How the entry is shown.
    pub fn proof(&self, entry: u64) -> Proof {
        match self.state().newest() {
            Some((newest, _)) if entry < newest.size && self.state().is_cosigned(entry) => Proof::Cosigned,
            Some((newest, _)) if entry < newest.size => Proof::Signed,
            _ => Proof::Committed,
        }
    }

    /// Shows that the log of `to` entries begins with that of `from`; none beyond what is published.
    pub fn consistency(&self, from: u64, to: u64) -> Option<Vec<Hash32>> {
        self.state().consistency(from, to)
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn next_page(tx: &mut Tx, from: u64) -> Result<Option<Vec<Leaf>>, StoreError> {
    let leaves = tx.leaves(from, PAGE).await?;
    Ok(Some(leaves).filter(|leaves| !leaves.is_empty()))
}
