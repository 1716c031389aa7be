//! A round of a tournament: its times, its state towards the public, and whether it has started.

use super::{
    draw::{Draw, DrawState, current},
    policy::{Policy, TimeControl},
    schedule::Times,
    supervision::Supervision,
};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// State of a round: a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundState {
    /// It has a date, and nothing is ordered.
    Scheduled,
    /// Its draw waits for dice or a beacon.
    AwaitingEntropy,
    /// Its draw is ordered; no number exists.
    Sealed,
    /// Its release was missed: the arbiter decides.
    Overdue,
    /// It has no date.
    Postponed,
    /// Its position is public.
    Released,
    /// Its draw was voided and not ordered again.
    Voided,
}

/// A round as it is scheduled now.
#[derive(Clone, Debug)]
pub struct Round {
    /// Its number.
    pub number: u16,
    /// A name for people, such as "Tie-break 1".
    pub label: Option<String>,
    /// Its start as civil time in the tournament's zone, so that a change of zone keeps it.
    pub civil_start: Option<String>,
    /// Start and release; none while postponed without a date.
    pub times: Option<Times>,
    /// When its times were last set.
    pub scheduled_at: Option<Timestamp>,
    /// Its own lead.
    pub lead_minutes: Option<u16>,
    /// Its own level of supervision.
    pub supervision: Option<Supervision>,
    /// Its own kind of time control.
    pub time_control: Option<TimeControl>,
    /// Scope board: slots ordered with the round.
    pub boards: Option<u16>,
    /// When the release task found it overdue.
    pub overdue_since: Option<Timestamp>,
    /// When the arbiter said that play has begun.
    pub started_at: Option<Timestamp>,
}

impl Round {
    /// A round of which nothing is known yet.
    pub const fn unscheduled(number: u16) -> Self {
        Self {
            number,
            label: None,
            civil_start: None,
            times: None,
            scheduled_at: None,
            lead_minutes: None,
            supervision: None,
            time_control: None,
            boards: None,
            overdue_since: None,
            started_at: None,
        }
    }

    /// Minutes between release and start.
    pub fn lead(&self, policy: &Policy) -> u16 {
        self.lead_minutes.unwrap_or(policy.lead_minutes)
    }

    /// Sets its times at `now`. With other times it is not overdue any more, and has not started.
    pub fn reschedule(&mut self, times: Option<Times>, now: Timestamp) {
        if self.times != times {
            self.times = times;
            self.scheduled_at = Some(now);
            self.overdue_since = None;
            self.started_at = None;
        }
    }

    /// From when on a draw of this round can be released: a release brought forward is not one that was missed. None while
    /// its entropy is to come.
    pub fn ready_at(&self, draw: &Draw) -> Option<Timestamp> {
        let ready_at = draw.ready_at()?;
        Some(self.scheduled_at.map_or(ready_at, |at| at.max(ready_at)))
    }

    /// State of one slot of the round: `attempts` are the slot's.
    pub fn slot_state(&self, attempts: &[Draw]) -> RoundState {
        let live = current(attempts, self.number);
        match live.map(Draw::state) {
            // A void that applies only to later rounds of the block leaves this round's position public.
            Some(DrawState::Released | DrawState::Voided) => RoundState::Released,
            _ if self.times.is_none() => RoundState::Postponed,
            Some(_) if self.overdue_since.is_some() => RoundState::Overdue,
            Some(DrawState::Sealed) => RoundState::Sealed,
            Some(DrawState::AwaitingEntropy) => RoundState::AwaitingEntropy,
            None if attempts.iter().any(|draw| draw.void.is_some()) => RoundState::Voided,
            None => RoundState::Scheduled,
        }
    }

    /// State of the round: of its slots, the one furthest on its way to the public.
    pub fn state<'a>(&self, slots: impl Iterator<Item = &'a [Draw]>) -> RoundState {
        use RoundState::{AwaitingEntropy, Overdue, Postponed, Released, Scheduled, Sealed, Voided};
        let order = [Released, Overdue, Sealed, AwaitingEntropy, Postponed, Voided];
        let states: Vec<_> = slots.map(|attempts| self.slot_state(attempts)).collect();
        let nothing = if self.times.is_none() { Postponed } else { Scheduled };
        order.into_iter().find(|state| states.contains(state)).unwrap_or(nothing)
    }

    /// Whether the round has started: its draw is released, its start has passed, and a game is recorded or the arbiter
    /// said so.
    pub fn has_started(&self, released: bool, has_game: bool, now: Timestamp) -> bool {
        let begun = self.times.is_some_and(|times| times.starts_at <= now);
        released && begun && (has_game || self.started_at.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(dated: bool) -> Round {
        let times = dated.then(|| Times::new(Timestamp::from_second(10_000).unwrap(), 15));
        Round {
            number: 1,
            label: None,
            civil_start: None,
            times,
            scheduled_at: None,
            lead_minutes: None,
            supervision: None,
            time_control: None,
            boards: None,
            overdue_since: None,
            started_at: None,
        }
    }

    #[test]
    fn a_round_without_draws_is_scheduled_or_postponed() {
        assert_eq!(round(true).state(std::iter::empty()), RoundState::Scheduled);
        assert_eq!(round(false).state(std::iter::empty()), RoundState::Postponed);
    }

    #[test]
    fn other_times_begin_anew() {
        let at = |s| Timestamp::from_second(s).unwrap();
        let mut round = round(true);
        (round.overdue_since, round.started_at) = (Some(at(1)), Some(at(2)));
        let (same, other) = (round.times, Some(Times::new(at(20_000), 15)));
        round.reschedule(same, at(3));
        assert_eq!((round.scheduled_at, round.overdue_since, round.started_at), (None, Some(at(1)), Some(at(2))));
        round.reschedule(other, at(4));
        assert_eq!((round.scheduled_at, round.overdue_since, round.started_at), (Some(at(4)), None, None));
    }

    #[test]
    fn started_needs_release_start_and_a_sign_of_play() {
        let at = |s| Timestamp::from_second(s).unwrap();
        let mut round = round(true);
        assert!(!round.has_started(true, true, at(9_999)));
        assert!(round.has_started(true, true, at(10_000)));
        assert!(!round.has_started(true, false, at(20_000)));
        assert!(!round.has_started(false, true, at(20_000)));
        round.started_at = Some(at(10_005));
        assert!(round.has_started(true, false, at(20_000)));
    }
}
