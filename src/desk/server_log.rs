//! Entries that concern the whole server.

use super::{Actor, Desk};
use crate::{
    domain::{
        entry::{Entry, Event},
        fault::Fault,
    },
    store::{LeafSubject, Tx},
};

impl Desk {
    /// Appends an entry of the server, which names no tournament, and answers its index.
    pub(super) async fn append_of_server(&self, tx: &mut Tx, body: &Event) -> Result<u64, Fault> {
        let by = Actor::server().by();
        let entry = Entry::of_server(self.clock.now().as_second(), &by, body);
        Ok(tx.append(&entry, LeafSubject { tournament: None, body }).await?)
    }

    /// Logs and signs that the server goes on from a copy, and answers how many entries the copy has.
    ///
    /// # Errors
    /// `server-read-only`, or of database and disk; in the last case the entry may be there, unsigned until the next one.
    pub async fn log_takeover(&self) -> Result<u64, Fault> {
        self.ledger.writable()?;
        let (size, root) = self.ledger.whole();
        let mut tx = self.store.write().await?;
        self.append_of_server(&mut tx, &Event::Takeover { size, root: root.to_string(), replayed: 0 }).await?;
        tx.commit().await?;
        self.ledger.publish(&self.store).await?;
        Ok(size)
    }
}
