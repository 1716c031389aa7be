//! What a schedule or a move may not do, and who may do it: checked before anything is changed.

use super::{
    Act,
    rounds::{Change, RoundRequest},
};
use crate::domain::{
    fault::{Code, Fault},
    role::Role,
    schedule::{self, AT_ONCE, PAIRING_CLOSES, Times, Warning},
};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::json;

impl Act<'_> {
    /// Pairing software may schedule, and postpone a start until 30 minutes before the release; the rest needs an arbiter.
    pub(super) fn check_who_moves(&self, change: &Change, role: Role) -> Result<(), Fault> {
        if role != Role::Pairing {
            return Ok(());
        }
        let later = |old: Times| {
            let later =
                change.new.times.is_some_and(|new| new.starts_at >= old.starts_at && new.release_at >= old.release_at);
            later && self.now + PAIRING_CLOSES <= old.release_at
        };
        let old = change.old.as_ref().and_then(|old| old.times);
        if !change.is_public() && old.is_none_or(later) {
            return Ok(());
        }
        let detail =
            "pairing software may only move a start later, until 30 minutes before its release; this needs an arbiter";
        Err(Fault::new(Code::ArbiterRequired, detail))
    }

    pub(super) async fn check_not_started(&mut self, change: &Change) -> Result<(), Fault> {
        let Some(old) = &change.old else { return Ok(()) };
        let played = self.tx.rounds_with_games(self.tournament.id).await?.contains(&old.number);
        if old.has_started(change.is_public(), played, self.now) {
            let detail = format!("round {} has started: it cannot be moved", old.number);
            return Err(Fault::new(Code::RoundStarted, detail));
        }
        Ok(())
    }

    pub(super) async fn check_times(
        &mut self,
        change: &Change,
        request: &RoundRequest,
        at: &str,
    ) -> Result<Vec<Warning>, Fault> {
        let public = change.is_public();
        if public && request.if_released.is_none() {
            let detail = "the position of this round is public: say if_released, \"keep\" or \"void\"";
            return Err(Fault::new(Code::RoundReleased, detail));
        }
        let Some(times) = change.new.times else { return Ok(Vec::new()) };
        let policy = &self.tournament.policy;
        times.check(self.now, policy.custom_lead || public).map_err(|fault| in_field(fault, at))?;
        if policy.rehearsal || public {
            return Ok(Vec::new());
        }
        self.check_release_now(change, times, request.release_now)?;
        self.confirmed_warnings(change.new.number, times, request, at).await
    }

    /// A move that would release within a minute must say so.
    pub(super) fn check_release_now(&self, change: &Change, times: Times, said: bool) -> Result<(), Fault> {
        let at_once = change.waiting() && times.release_at.duration_since(self.now) < AT_ONCE;
        if !at_once || said || self.tournament.policy.rehearsal {
            return Ok(());
        }
        let detail =
            format!("this would release the position at {}, within a minute: say release_now", times.release_at);
        Err(Fault::new(Code::ConfirmReleaseNow, detail).with("release_at", times.release_at.to_string()))
    }

    async fn confirmed_warnings(
        &mut self,
        number: u16,
        times: Times,
        request: &RoundRequest,
        at: &str,
    ) -> Result<Vec<Warning>, Fault> {
        let zone = self.zone()?;
        let warnings = self.warnings(number, times, &zone).await?;
        let pointer = format!("{at}/confirm_release_at");
        let confirmed = request.confirm_release_at.as_deref();
        let confirmed = confirmed.map(|text| schedule::instant(text, &zone, &pointer)).transpose()?;
        match confirmed {
            Some(instant) if instant == times.release_at => Ok(warnings),
            None if warnings.is_empty() => Ok(warnings),
            // Whoever repeats an instant expects the release then, asked or not.
            Some(instant) if warnings.is_empty() => Err(another_release(pointer, instant, times)),
            _ => Err(unconfirmed(number, &warnings, times, &zone)),
        }
    }

    pub(super) async fn warnings(&mut self, number: u16, times: Times, zone: &TimeZone) -> Result<Vec<Warning>, Fault> {
        let rounds = self.tx.rounds(self.tournament.id).await?;
        let others: Vec<_> = rounds
            .iter()
            .filter(|round| round.number != number)
            .filter_map(|round| Some((round.number, round.times?.starts_at)))
            .collect();
        Ok(schedule::warnings(number, times, zone, self.now, &others))
    }
}

/// What looks unusual, with the instant that confirms it.
fn unconfirmed(number: u16, warnings: &[Warning], times: Times, zone: &TimeZone) -> Fault {
    let codes: Vec<_> = warnings.iter().map(|warning| warning.as_str()).collect();
    let detail = format!(
        "the schedule of round {number} looks unusual ({}): if it is meant, send it again with confirm_release_at {}",
        codes.join(", "),
        times.release_at
    );
    Fault::new(Code::ConfirmSchedule, detail)
        .with("warnings", json!(codes))
        .with("starts_at", times.starts_at.to_string())
        .with("starts_at_local", schedule::local(times.starts_at, zone))
        .with("release_at", times.release_at.to_string())
        .with("release_at_local", schedule::local(times.release_at, zone))
}

fn another_release(pointer: String, confirmed: Timestamp, times: Times) -> Fault {
    Fault::field(pointer, format!("this start is released at {}, not at {confirmed}", times.release_at))
}

/// Only an arbiter says that play has begun.
pub(super) fn check_who_starts(request: &RoundRequest, role: Role) -> Result<(), Fault> {
    if request.started && role == Role::Pairing {
        return Err(Fault::new(Code::ArbiterRequired, "whether play has begun is for an arbiter to say"));
    }
    Ok(())
}

fn in_field(mut fault: Fault, at: &str) -> Fault {
    fault.fields.push((format!("{at}/starts_at"), fault.detail.clone()));
    fault
}
