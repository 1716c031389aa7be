//! Changing a tournament: its name, its zone, and its policy before the first release.

use super::{Act, Actor, Desk, draws::NewAttempt, pairings::check_text, rounds::Change, sources::Drawn};
use crate::domain::{
    draw::{Draw, VoidReason},
    entry::Event,
    fault::{Code, Fault},
    ids::RoundNumber,
    policy::{Policy, PolicyPatch, check_lead},
    role::Role,
    round::Round,
    schedule::{self, Times},
};
use serde::Deserialize;
use utoipa::ToSchema;

/// Changes to a tournament.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AmendRequest {
    /// New name.
    pub name: Option<String>,
    /// New zone: civil starts stay.
    pub time_zone: Option<String>,
    /// Changes to the policy, before the first release only.
    pub policy: Option<PolicyPatch>,
}

impl Desk {
    /// Changes name, zone or policy.
    ///
    /// # Errors
    /// `policy-fixed` after the first release.
    pub async fn amend_tournament(&self, key: &str, actor: &Actor, request: &AmendRequest) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter])?;
        let mut act = self.act_in_open(key, actor).await?;
        if let Some(name) = &request.name {
            check_text(name, "/name")?;
            name.trim().clone_into(&mut act.tournament.name);
        }
        if let Some(zone) = &request.time_zone {
            act.change_zone(zone).await?;
        }
        if let Some(patch) = &request.policy {
            act.amend_policy(patch.clone()).await?;
        }
        act.tx.update_tournament(&act.tournament).await?;
        act.finish().await
    }
}

impl Act<'_> {
    /// A new zone keeps the civil starts of rounds that are still to come and not public, and moves their instants.
    async fn change_zone(&mut self, name: &str) -> Result<(), Fault> {
        let zone = schedule::zone(name, "/time_zone")?;
        name.clone_into(&mut self.tournament.time_zone);
        for old in self.tx.rounds(self.tournament.id).await? {
            let to_come = old.times.is_some_and(|times| times.starts_at > self.now);
            let (Some(civil), true) = (old.civil_start.clone(), to_come) else { continue };
            let starts_at = schedule::instant(&civil, &zone, "/time_zone")?;
            let times = Times::new(starts_at, old.lead(&self.tournament.policy));
            let change = self.change_times(old, times).await?;
            if !change.moves() || change.is_public() {
                continue;
            }
            times.check(self.now, self.tournament.policy.custom_lead)?;
            self.check_release_now(&change, times, false)?;
            self.store_round(&change).await?;
            self.reorder_moved(&change.new).await?;
        }
        Ok(())
    }

    async fn change_times(&mut self, old: Round, times: Times) -> Result<Change, Fault> {
        let first = RoundNumber::try_from(old.number).map_err(|why| Fault::internal(why.to_string()))?;
        let first = first.block_start(self.tournament.policy.rounds_per_draw).get();
        let draws = self.tx.draws_of_round(self.tournament.id, first).await?;
        let mut new = old.clone();
        new.reschedule(Some(times), self.now);
        Ok(Change { old: Some(old), new, draws })
    }

    /// The policy can be amended before the first release; every live draw is voided and ordered again under it.
    async fn amend_policy(&mut self, patch: PolicyPatch) -> Result<(), Fault> {
        if self.anything_released().await? {
            return Err(Fault::new(Code::PolicyFixed, "a position was released: the policy is fixed"));
        }
        let old = self.tournament.policy.clone();
        let new = old.clone().with(patch, "/policy")?;
        self.check_amendment(&old, &new).await?;
        if new == old {
            return Ok(());
        }
        let waiting = self.waiting().await?;
        for draw in &waiting {
            self.void(draw, VoidReason::PolicyAmended).await?;
        }
        self.tournament.policy = new.clone();
        self.append(&Event::Amend { policy: new }).await?;
        self.retime(&old).await?;
        for draw in &waiting {
            self.order_again(draw).await?;
        }
        Ok(())
    }

    /// Some of a policy is fixed once rounds are scheduled by it.
    async fn check_amendment(&mut self, old: &Policy, new: &Policy) -> Result<(), Fault> {
        let rounds = self.tx.rounds(self.tournament.id).await?;
        for (field, changed) in [
            ("rehearsal", new.rehearsal != old.rehearsal),
            ("scope", new.scope != old.scope && !rounds.is_empty()),
            ("rounds_per_draw", new.rounds_per_draw != old.rounds_per_draw && !self.waiting().await?.is_empty()),
        ] {
            if changed {
                let why = "this cannot be changed once rounds are scheduled by it (a rehearsal never becomes real)";
                return Err(Fault::at(Code::PolicyFixed, format!("/policy/{field}"), why));
            }
        }
        for round in rounds {
            check_lead(round.lead(new), new.custom_lead).map_err(|why| {
                Fault::at(Code::PolicyInvalid, "/policy/custom_lead", format!("round {}: {why}", round.number))
            })?;
        }
        Ok(())
    }

    /// A new lead moves the release of every round that has none of its own.
    async fn retime(&mut self, old: &Policy) -> Result<(), Fault> {
        if self.tournament.policy.lead_minutes == old.lead_minutes {
            return Ok(());
        }
        for old in self.tx.rounds(self.tournament.id).await? {
            let (Some(times), None) = (old.times, old.lead_minutes) else { continue };
            let times = Times::new(times.starts_at, self.tournament.policy.lead_minutes);
            let change = self.change_times(old, times).await?;
            self.store_round(&change).await?;
        }
        Ok(())
    }

    /// Orders the next attempt of a slot just voided by an amendment; that of a round without a date follows with its date.
    async fn order_again(&mut self, draw: &Draw) -> Result<(), Fault> {
        let round = self.round(draw.serves_from).await?;
        let Some(times) = round.times else { return Ok(()) };
        times.check(self.now, self.tournament.policy.custom_lead)?;
        let (attempt, serves_from) = (draw.attempt + 1, draw.serves_from);
        self.order(NewAttempt {
            from: Drawn::ByPolicy,
            round: draw.round,
            board: draw.board,
            attempt,
            serves_from,
            times,
        })
        .await?;
        Ok(())
    }
}
