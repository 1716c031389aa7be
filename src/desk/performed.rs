//! A draw by hand that was made while the server was down, recorded afterwards.

use super::{
    Act,
    draws::{Method, OrderRequest, draw},
};
use crate::domain::{
    draw::{Draw, VoidReason},
    fault::Fault,
    schedule::instant,
};
use jiff::Timestamp;

impl Act<'_> {
    /// When a draw by hand was made that is recorded now.
    pub(super) fn performed_at(&self, request: &OrderRequest) -> Result<Option<Timestamp>, Fault> {
        let Some(text) = &request.performed_at else {
            let why = "throws are posted to the draw once it is ordered; here only with performed_at";
            return if request.throws.is_empty() { Ok(None) } else { Err(Fault::field("/throws", why)) };
        };
        if request.method != Method::Manual {
            return Err(Fault::field("/performed_at", "only a draw by hand can be recorded afterwards"));
        }
        let at = instant(text, &self.zone()?, "/performed_at")?;
        if at > self.now || at < self.tournament.created_at {
            return Err(Fault::field("/performed_at", "it was done after the tournament was created, and before now"));
        }
        Ok(Some(at))
    }

    /// Voids the attempt that the server could not release.
    pub(super) async fn void_unreleased(&mut self, round: u16, board: u16) -> Result<(), Fault> {
        let attempts = self.attempts(round, board).await?;
        if let Some(live) = attempts.iter().find(|draw| draw.is_live()) {
            self.void(live, VoidReason::ServerUnavailable).await?;
        }
        Ok(())
    }

    /// Records a draw by hand that is done already; it is public at once if its instant has passed.
    pub(super) async fn record_performed(
        &mut self,
        ordered: &Draw,
        at: Timestamp,
        throws: &[String],
    ) -> Result<Draw, Fault> {
        if self.throw(ordered, throws).await?.finished().is_none() {
            return Err(Fault::field("/throws", "these throws do not finish the procedure"));
        }
        self.tx.insert_performed(ordered.id, at).await?;
        let thrown = draw(&mut self.tx, ordered.id).await?;
        if self.times_of(thrown.serves_from).await?.release_at <= self.now {
            self.release(&thrown).await?;
        }
        draw(&mut self.tx, ordered.id).await
    }
}
