//! At the start: what the rows of draws say is what the log says. The log is signed, the rows are what the hall is shown.

use super::{Desk, StartError};
use crate::{
    domain::{draw::Draw, ids::TournamentId},
    store::{StoreError, Tx},
};
use serde_json::{Value, json};

impl Desk {
    /// Compares the row of every order, release and void with its entry.
    pub(super) async fn check_rows(&self) -> Result<(), StartError> {
        let mut before = None;
        loop {
            let page = self.store.read().await?.tournaments(before, 100).await?;
            let Some(last) = page.last() else { return Ok(()) };
            before = Some(last.id);
            for tournament in page {
                self.check_rows_of(tournament.id).await?;
            }
        }
    }

    async fn check_rows_of(&self, tournament: TournamentId) -> Result<(), StartError> {
        let mut tx = self.store.read().await?;
        for draw in tx.draws_of(tournament).await? {
            if let Some(what) = altered(&mut tx, &draw).await? {
                return Err(StartError(format!(
                    "the {what} of {} in the database is not what the log says: it was altered. Restore a backup, and keep \
                     this file as evidence",
                    draw.id
                )));
            }
        }
        Ok(())
    }
}

/// Which of a draw's rows its entries contradict.
async fn altered(tx: &mut Tx, draw: &Draw) -> Result<Option<&'static str>, StoreError> {
    let terms = json!({"commit": draw.commitment, "exclude": draw.terms.excluded, "repeats": draw.terms.repeats});
    if !says(tx, draw.entry, &terms).await? {
        return Ok(Some("order"));
    }
    if let Some(release) = &draw.release {
        let row = json!({"number": release.number.get(), "secret": release.secret, "used": release.used});
        if !says(tx, release.entry, &row).await? {
            return Ok(Some("release"));
        }
    }
    match &draw.void {
        Some(void) if !says(tx, void.entry, &json!({"secret": void.secret, "knowable": void.knowable})).await? => {
            Ok(Some("void"))
        }
        _ => Ok(None),
    }
}

/// Whether an entry has all these members.
async fn says(tx: &mut Tx, entry: u64, row: &Value) -> Result<bool, StoreError> {
    let leaves = tx.leaves(entry, 1).await?;
    let said: Value = leaves.first().and_then(|leaf| serde_json::from_slice(&leaf.entry).ok()).unwrap_or_default();
    Ok(row.as_object().is_some_and(|row| row.iter().all(|(key, value)| said.get(key) == Some(value))))
}
