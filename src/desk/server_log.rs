//! Entries that concern the whole server.

use super::Desk;
use crate::{
    domain::{
        entry::{Entry, Event},
        fault::Fault,
    },
    store::LeafSubject,
};

impl Desk {
    /// Appends an entry of the server, which names no tournament, signs it, and answers its index.
    ///
    /// # Errors
    /// `server-read-only`, or of database and disk; in the last case the entry may be there, unsigned until the next one.
    pub async fn append_of_server(&self, body: &Event) -> Result<u64, Fault> {
        self.ledger.writable()?;
        let mut tx = self.store.write().await?;
        let entry = Entry::of_server(self.clock.now().as_second(), "server", body);
        let index = tx.append(&entry, LeafSubject { tournament: None, body }).await?;
        tx.commit().await?;
        self.ledger.publish(&self.store).await?;
        Ok(index)
    }
}
