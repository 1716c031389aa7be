//! When nothing is signed or written any more: the log is behind what was signed, or different.

use super::Ledger;
use crate::domain::{
    fault::{Code, Fault},
    log::SignedNote,
};
use std::sync::PoisonError;

impl Ledger {
    /// Compares the log with a checkpoint that was kept, and signs nothing: for commands beside a running server, which read
    /// it before they load the log. A log that is behind it or different, or has entries and no such checkpoint, halts the ledger.
    ///
    /// # Errors
    /// `server-read-only`, with what the operator has to do.
    pub fn agrees_with(&self, kept: Option<&str>) -> Result<(), Fault> {
        let lost = || (self.state().tree.size() > 0).then(|| LOST.into());
        if let Some(why) = kept.map_or_else(lost, |kept| self.contradicts(kept)) {
            self.halt(why);
        }
        self.writable()
    }

    /// What a kept checkpoint says against the log of the database.
    pub(super) fn contradicts(&self, kept: &str) -> Option<String> {
        let note = kept.parse::<SignedNote>().ok();
        let opened = note.as_ref().and_then(|note| self.keys.open(note).ok());
        // A former name ended with a copy that was behind: what it signed beyond that says nothing about this log.
        let ours = opened.filter(|(kept, _)| kept.origin == self.signer.verifier().name());
        let Some((kept, _)) = ours else { return Some(FOREIGN.into()) };
        let state = self.state();
        match state.tree.root(kept.size) {
            Some(root) if root == kept.root => None,
            Some(_) => {
                Some(format!("The first {} entries of the log are not those that were signed. {RESTORE}", kept.size))
            }
            None => Some(format!(
                "The database has {} entries, but {} were signed: it is an older copy, or was cut. {RESTORE}",
                state.tree.size(),
                kept.size
            )),
        }
    }

    pub(super) fn halt(&self, why: String) {
        tracing::error!(why, "the server is read-only");
        self.halted.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    /// Whether the log may grow.
    ///
    /// # Errors
    /// `server-read-only`, with what the operator has to do.
    pub fn writable(&self) -> Result<(), Fault> {
        match &*self.halted.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(why) => Err(Fault::new(Code::ServerReadOnly, why.clone())),
        }
    }
}

pub(super) const RESTORE: &str = "Nothing is signed, ordered, voided or released. Stop the server, keep a copy of this database as evidence, put the \
                       newest backup in its place and start again. If there is none as new: draw960 recover --bundle takes up what a \
                       bundle of this log has, and draw960 recover --new-origin goes on without it, voiding every live draw.";
pub(super) const LOST: &str = "The file draw960.highwater is missing although the log has entries: whether some were lost cannot be told. \
                    Nothing is signed, ordered, voided or released. Put the file back from a backup; or, if you know that this database is the \
                    newest, start once with --accept-missing-high-water. Never do that with an older copy: draw960 recover is for those.";
const FOREIGN: &str = "The file draw960.highwater holds no checkpoint of this log: database and file are not of the same server, or \
                       the file was altered, or the log's key was changed after this copy of the database was made. Nothing is signed, \
                       ordered, voided or released. Put the right file back, or a backup from after the change of key; if there is none, \
                       draw960 recover --new-origin goes on, voiding every live draw.";
