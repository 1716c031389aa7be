//! Voiding a draw.

use super::{Act, Actor, Desk, draws::draw};
use crate::domain::{
    draw::{Draw, Void, VoidReason},
    entry::{Event, SlotRef},
    fault::{Code, Fault},
    ids::{DrawId, RoundNumber},
    role::Role,
    round::Round,
};
use serde::Deserialize;
use utoipa::ToSchema;

/// What voids a draw.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"reason": "leaked", "note": "seen on a phone in the foyer"}))]
pub struct VoidRequest {
    /// Reason code.
    pub reason: VoidReason,
    /// Free text, kept off the log and bound to it by a salted hash.
    pub note: Option<String>,
}

impl Desk {
    /// Voids a draw.
    ///
    /// # Errors
    /// `draw-unknown`, `draw-already-voided`; `invalid-field` for a reason that is the server's own.
    pub async fn void_draw(&self, id: DrawId, actor: &Actor, request: &VoidRequest) -> Result<Draw, Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy])?;
        if request.reason == VoidReason::Restored {
            let why = "restored is the server's own reason, after it was restored from an older copy";
            return Err(Fault::field("/reason", why));
        }
        let tournament = draw(&mut self.store.read().await?, id).await?.tournament.to_string();
        let mut act = self.act_in_open(&tournament, actor).await?;
        let voided = draw(&mut act.tx, id).await?;
        refuse_voided(&voided)?;
        let entry = act.void(&voided, request.reason).await?;
        act.note(entry, request.note.as_deref()).await?;
        act.finish().await?;
        draw(&mut self.store.read().await?, id).await
    }
}

impl Act<'_> {
    /// Voids a live draw from the first round of its block on that has not started, and reveals its secret.
    pub(super) async fn void(&mut self, draw: &Draw, reason: VoidReason) -> Result<u64, Fault> {
        let (from_round, after_start) = self.reach_of_void(draw).await?;
        let secret = self.secret_of(draw)?.1.reveal_hex();
        // What was lost with the log may have had its release.
        let lost = reason == VoidReason::Restored;
        let knowable = lost || draw.is_knowable(self.tournament.created_at, self.now);
        let slot = SlotRef { round: draw.round, board: draw.board, attempt: draw.attempt };
        let entry = self.append(&Event::Void { slot, reason, secret: secret.clone(), knowable, from_round }).await?;
        let (at, by) = (self.now, self.by.clone());
        let void = Void { at, by, reason, knowable, from_round, after_start, secret, abandoned: None, entry };
        self.tx.insert_void(draw.id, &void).await?;
        if draw.is_live()
            && draw.beacon().is_some()
            && let Some(lines) = draw.entropy()
        {
            self.record_abandoned(draw, &lines, entry).await?;
        }
        self.decided(draw.serves_from).await?;
        Ok(entry)
    }

    /// Released or voided, a round waits for nobody's decision.
    pub(super) async fn decided(&mut self, round: u16) -> Result<(), Fault> {
        let mut round = self.round(round).await?;
        if round.overdue_since.take().is_some() {
            self.tx.put_round(self.tournament.id, &round).await?;
        }
        Ok(())
    }

    /// The round from which on a void counts: the first of the draw's block that has not started, or the last one, and then
    /// whether all had.
    pub(super) async fn reach_of_void(&mut self, draw: &Draw) -> Result<(u16, bool), Fault> {
        let per_draw = self.tournament.policy.rounds_per_draw;
        let played = self.tx.rounds_with_games(self.tournament.id).await?;
        let rounds = self.tx.rounds(self.tournament.id).await?;
        let in_block = |round: &&Round| {
            let first = RoundNumber::try_from(round.number).map(|n| n.block_start(per_draw).get());
            first == Ok(draw.round) && round.number >= draw.serves_from
        };
        let block: Vec<&Round> = rounds.iter().filter(in_block).collect();
        let started =
            |round: &Round| round.has_started(draw.release.is_some(), played.contains(&round.number), self.now);
        let first_unstarted = block.iter().find(|round| !started(round)).map(|round| (round.number, false));
        let last = block.last().map_or(draw.serves_from, |round| round.number);
        Ok(first_unstarted.unwrap_or((last, true)))
    }
}

/// A draw is voided once.
pub(super) fn refuse_voided(draw: &Draw) -> Result<(), Fault> {
    match draw.void {
        None => Ok(()),
        Some(_) => Err(Fault::new(Code::DrawAlreadyVoided, format!("the draw {} is voided already", draw.id))),
    }
}
