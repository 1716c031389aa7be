//! Masters leave the server: the log says so before anybody holds them.

use super::{Actor, Desk};
use crate::domain::{
    entry::{Event, ExportTo},
    fault::{Code, Fault},
    sheet::Sheet,
};

impl Desk {
    /// Records that the tournament's master is exported as a sheet, and then gives it. By whoever holds the data folder.
    ///
    /// # Errors
    /// `tournament-unknown`; `tournament-ended`: then the master is public. Nothing is given that is not recorded.
    pub async fn export_sheet(&self, tournament: &str) -> Result<Sheet, Fault> {
        let mut act = self.act(tournament, &Actor::server()).await?;
        if let Some((at, how)) = &act.tournament.ended {
            let detail =
                format!("the tournament was {how} at {at}: its master is public, in the last entry of its log");
            return Err(Fault::new(Code::TournamentEnded, detail));
        }
        let master = act.master()?;
        let (slug, origin) = (act.tournament.slug.to_string(), act.tournament.origin.clone());
        if master.commitment(&origin, &slug).to_string() != act.tournament.master_commit {
            return Err(Fault::internal("the master does not open its commitment: the database was altered"));
        }
        act.append(&Event::Export { to: ExportTo::Sheet }).await?;
        act.finish().await?;
        Ok(Sheet { tournament: slug, origin, master })
    }

    /// Logs, once for each, that the master of every tournament that goes on leaves the server. Answers for how many the log
    /// did not say so yet.
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
