//! What the log says about masters that leave the server: once for each tournament, before they leave.

use super::{Actor, Desk};
use crate::domain::{
    entry::{Event, ExportTo},
    fault::Fault,
};

impl Desk {
    /// Logs that the master of every tournament that goes on leaves the server, where the log does not say so yet. Answers for
    /// how many.
    ///
    /// # Errors
    /// `server-read-only`, or of the database; then nothing may leave.
    pub async fn log_exports(&self, to: ExportTo) -> Result<usize, Fault> {
        self.ledger.writable()?;
        let tournaments = self.store.read().await?.tournaments_not_exported().await?;
        for tournament in &tournaments {
            let mut act = self.act(&tournament.to_string(), &Actor::server()).await?;
            // Ended or exported meanwhile: said by somebody who was first.
            if act.tx.tournaments_not_exported().await?.contains(tournament) {
                act.append(&Event::Export { to }).await?;
                act.finish().await?;
            }
        }
        Ok(tournaments.len())
    }
}
