//! Keys that signed the log before, and how one hands over to the next.

use super::{BadLog, Ledger, state::Former};
use crate::{
    domain::{
        derivation::Hash32,
        fault::Fault,
        log::{Keys, LogKey, LogSigner, SignedNote, Succession, WitnessKey},
    },
    store::{CosignatureRow, Store, Tx},
};

impl Ledger {
    /// Every key of the log, the first one first.
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// How each key but the newest handed over: signed notes, in order.
    pub fn successions(&self) -> &[String] {
        &self.successions
    }

    /// Size and root of everything that was read of the log.
    pub fn whole(&self) -> (u64, Hash32) {
        let tree = &self.state().tree;
        let root = tree.root(tree.size()).expect("a tree has a root at its own size");
        (tree.size(), root)
    }

    /// Size and root of the first entries, if there are as many.
    pub fn root(&self, size: u64) -> Option<Hash32> {
        self.state().tree.root(size)
    }

    /// The log as it stands, handed over to another key.
    ///
    /// # Errors
    /// When no note can hold it.
    pub fn hand_over(&self, heir: &LogSigner) -> Result<String, Fault> {
        let (size, root) = self.whole();
        let succession = Succession { new: heir.verifier(), size, root };
        let note = succession.sign(&self.signer, heir).map_err(|why| Fault::internal(why.to_string()))?;
        Ok(note.to_string())
    }

    /// Every cosigned checkpoint under the present name, with its size.
    pub fn cosigned_notes(&self) -> Vec<(u64, String)> {
        let state = self.state();
        let note = |size: &u64| Some((*size, state.note(*size, &self.signer)?.to_string()));
        state.cosigned().keys().filter_map(note).collect()
    }

    /// Takes up what was cosigned under former names; a note that no longer holds is left out.
    pub(super) async fn take_up_former(&self, store: &Store) -> Result<(), BadLog> {
        let mut tx = store.read().await?;
        let rows = tx.cosignatures().await?;
        let notes = tx.former_checkpoints().await?;
        for former in notes.into_iter().filter_map(|note| self.former(note, &rows)) {
            self.state_mut().take_former(former);
        }
        Ok(())
    }

    fn former(&self, text: String, rows: &[CosignatureRow]) -> Option<Former> {
        let note: SignedNote = text.parse().ok()?;
        let (checkpoint, _) = self.keys.open(&note).ok()?;
        let size = checkpoint.size;
        self.root(size).filter(|root| *root == checkpoint.root)?;
        let witnesses = rows.iter().filter(|row| row.size == size).filter_map(|row| row.witness.parse().ok());
        let seen = |key: WitnessKey| Some((key.name().to_owned(), note.cosigned_at(&key).ok()?));
        let seen = witnesses.filter_map(seen).collect();
        Some(Former { size, note: text, seen })
    }
}

/// The keys that signed before, and how they handed over.
pub(super) async fn former(tx: &mut Tx) -> Result<(Vec<LogKey>, Vec<String>), BadLog> {
    let mut keys = Vec::new();
    let mut notes = Vec::new();
    for row in tx.successions().await? {
        let broken = |why: String| BadLog(format!("the succession at entry {} was altered: {why}", row.leaf));
        keys.push(row.old_key.parse().map_err(|why| broken(format!("{why}")))?);
        notes.push(row.note);
    }
    Ok((keys, notes))
}
