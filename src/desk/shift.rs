//! Moving the rest of a day: every unreleased round from one on, by the same minutes.

use super::{Act, Actor, Desk, rounds::Change};
use crate::domain::{
    fault::Fault,
    ids::RoundNumber,
    role::Role,
    round::{Round, RoundState},
    schedule::Times,
};
use jiff::{SignedDuration, civil::Date, tz::TimeZone};
use serde::Deserialize;
use utoipa::ToSchema;

/// Moves the rest of the day.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShiftRequest {
    /// The first round that moves.
    pub from: u16,
    /// By how much; negative brings forward.
    pub minutes: i32,
    /// Confirms that a round is released at once.
    #[serde(default)]
    pub release_now: bool,
    /// Free text, kept off the log and bound to it by a salted hash.
    pub note: Option<String>,
}

impl Desk {
    /// Moves every unreleased round of the same local day from one on. Answers the numbers of the rounds that moved.
    ///
    /// # Errors
    /// As for moving each of them; then none moves.
    pub async fn shift(&self, tournament: &str, actor: &Actor, request: &ShiftRequest) -> Result<Vec<u16>, Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy, Role::Pairing])?;
        if !(-1440..=1440).contains(&request.minutes) || request.minutes == 0 {
            return Err(Fault::field("/minutes", "a shift is 1 to 1440 minutes, either way"));
        }
        let from = RoundNumber::try_from(request.from).map_err(|why| Fault::field("/from", why.to_string()))?;
        let mut act = self.act_in_open(tournament, actor).await?;
        let moved = act.shift(from, actor.role, request).await?;
        act.finish().await?;
        Ok(moved)
    }
}

impl Act<'_> {
    async fn shift(&mut self, from: RoundNumber, role: Role, request: &ShiftRequest) -> Result<Vec<u16>, Fault> {
        let zone = self.zone()?;
        let times = self.times_of(from.get()).await?;
        let day = local_date(times, &zone);
        let mut moved = Vec::new();
        for old in self.tx.rounds(self.tournament.id).await? {
            let same_day = old.times.is_some_and(|times| local_date(times, &zone) == day);
            if old.number < from.get() || !same_day {
                continue;
            }
            let number = old.number;
            if self.shift_one(old, role, request, &zone).await? {
                moved.push(number);
            }
        }
        Ok(moved)
    }

    /// Moves one round, unless its position is public.
    async fn shift_one(
        &mut self,
        old: Round,
        role: Role,
        request: &ShiftRequest,
        zone: &TimeZone,
    ) -> Result<bool, Fault> {
        let Some(times) = old.times else { return Ok(false) };
        let number = RoundNumber::try_from(old.number).map_err(|why| Fault::internal(why.to_string()))?;
        let first = number.block_start(self.tournament.policy.rounds_per_draw).get();
        let draws = self.tx.draws_of_round(self.tournament.id, first).await?;
        let slots = draws.chunk_by(|a, b| a.board == b.board);
        if old.state(slots) == RoundState::Released {
            return Ok(false);
        }
        let by = SignedDuration::from_mins(i64::from(request.minutes));
        let shifted = Times { starts_at: times.starts_at + by, release_at: times.release_at + by };
        let mut new = old.clone();
        new.reschedule(Some(shifted), self.now);
        new.civil_start = Some(shifted.starts_at.to_zoned_datetime(zone.clone()).datetime().to_string());
        let change = Change { old: Some(old), new, draws };
        self.check_who_moves(&change, role)?;
        shifted.check(self.now, self.tournament.policy.custom_lead).map_err(|fault| about(fault, number))?;
        self.check_release_now(&change, shifted, request.release_now)?;
        if let Some(entry) = self.store_round(&change).await? {
            self.note(entry, request.note.as_deref()).await?;
        }
        self.reorder_moved(&change.new).await?;
        Ok(true)
    }
}

fn local_date(times: Times, zone: &TimeZone) -> Date {
    times.starts_at.to_zoned_datetime(zone.clone()).date()
}

fn about(mut fault: Fault, round: RoundNumber) -> Fault {
    fault.detail = format!("round {round}: {}", fault.detail);
    fault
}
