//! Scheduling, moving and postponing a round.

use super::{
    Act, Actor, Desk, draws::NewAttempt, guards::check_who_starts, pairings::check_text, sources::Drawn,
    voids::refuse_voided,
};
use crate::domain::{
    draw::{Draw, VoidReason, current},
    entry::Event,
    fault::{Code, Fault},
    ids::RoundNumber,
    policy::{Scope, TimeControl, check_lead},
    role::Role,
    round::Round,
    schedule::{self, Times, Warning},
    supervision::Supervision,
};
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

/// What becomes of a position that is public already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum IfReleased {
    /// It stays.
    Keep,
    /// It is voided.
    Void,
}

/// A schedule for a round. Absent fields of a round that exists keep their value.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"starts_at": "2026-12-05T14:30"}))]
pub struct RoundRequest {
    /// Start of play: civil time in the tournament's zone, or RFC 3339; null postpones without a date.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub starts_at: Option<Option<String>>,
    /// A name for people.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub label: Option<Option<String>>,
    /// The round's own lead.
    pub lead_minutes: Option<u16>,
    /// The round's own level of supervision.
    #[schema(value_type = Option<String>)]
    pub supervision: Option<Supervision>,
    /// The round's own kind of time control.
    pub time_control: Option<TimeControl>,
    /// Boards, where each has its own position.
    pub boards: Option<u16>,
    /// Repeats the release instant, which confirms a schedule that looked like a mistake. Another instant is refused.
    pub confirm_release_at: Option<String>,
    /// Confirms a move that releases at once.
    #[serde(default)]
    pub release_now: bool,
    /// What becomes of a position that is public already.
    pub if_released: Option<IfReleased>,
    /// The arbiter says that play has begun.
    #[serde(default)]
    pub started: bool,
    /// Free text, kept off the log and bound to it by a salted hash.
    pub note: Option<String>,
}

/// Tells a field that is null from one that is absent.
fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(d).map(Some)
}

impl Desk {
    /// Schedules, moves or postpones a round; orders its draw where the policy says so. Answers what looked like a
    /// mistake and was confirmed.
    ///
    /// # Errors
    /// The guards of the schedule, each with what to do about it.
    pub async fn put_round(
        &self,
        tournament: &str,
        number: RoundNumber,
        actor: &Actor,
        request: &RoundRequest,
    ) -> Result<Vec<Warning>, Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy, Role::Pairing])?;
        let mut act = self.act_in_open(tournament, actor).await?;
        let warnings = act.schedule(number, actor.role, request, "").await?;
        act.finish().await?;
        Ok(warnings)
    }
}

/// A round before and after a request.
pub(super) struct Change {
    pub old: Option<Round>,
    pub new: Round,
    pub draws: Vec<Draw>,
}

impl Change {
    pub fn moves(&self) -> bool {
        self.old.as_ref().is_none_or(|old| old.times != self.new.times)
    }

    pub fn released(&self) -> Vec<&Draw> {
        self.current().filter(|draw| draw.release.is_some()).collect()
    }

    /// Whether a position of this round is public.
    pub fn is_public(&self) -> bool {
        !self.released().is_empty()
    }

    /// Whether a draw waits for the release instant of this round: later rounds of a block have it with the first.
    pub fn waiting(&self) -> bool {
        self.current().any(|draw| draw.release.is_none() && draw.serves_from == self.new.number)
    }

    fn current(&self) -> impl Iterator<Item = &Draw> {
        self.draws.chunk_by(|a, b| a.board == b.board).filter_map(|slot| current(slot, self.new.number))
    }
}

impl Act<'_> {
    pub(super) fn zone(&self) -> Result<TimeZone, Fault> {
        schedule::zone(&self.tournament.time_zone, "/time_zone")
    }

    /// Carries out a request about one round; `at` is the pointer to it in the body.
    pub(super) async fn schedule(
        &mut self,
        number: RoundNumber,
        role: Role,
        request: &RoundRequest,
        at: &str,
    ) -> Result<Vec<Warning>, Fault> {
        let old = self.tx.round(self.tournament.id, number.get()).await?;
        let new = self.requested(number, old.as_ref(), request, at)?;
        let first = number.block_start(self.tournament.policy.rounds_per_draw).get();
        let draws = self.tx.draws_of_round(self.tournament.id, first).await?;
        let change = Change { old, new, draws };
        let mut warnings = Vec::new();
        check_who_starts(request, role)?;
        if change.moves() {
            self.check_who_moves(&change, role)?;
            self.check_not_started(&change).await?;
            warnings = self.check_times(&change, request, at).await?;
        }
        self.carry_out(change, request).await?;
        Ok(warnings)
    }

    /// The round as it would be.
    fn requested(
        &self,
        number: RoundNumber,
        old: Option<&Round>,
        request: &RoundRequest,
        at: &str,
    ) -> Result<Round, Fault> {
        let mut round = old.cloned().unwrap_or_else(|| Round::unscheduled(number.get()));
        self.take_terms(&mut round, request, at)?;
        let lead = round.lead(&self.tournament.policy);
        let zone = self.zone()?;
        let starts_at = match (&request.starts_at, old) {
            (Some(Some(text)), _) => Some(schedule::instant(text, &zone, &format!("{at}/starts_at"))?),
            (Some(None), _) => None,
            (None, Some(old)) => old.times.map(|times| times.starts_at),
            (None, None) => {
                return Err(Fault::field(
                    format!("{at}/starts_at"),
                    "a round needs a start of play, or null for no date",
                ));
            }
        };
        round.reschedule(starts_at.map(|starts_at| Times::new(starts_at, lead)), self.now);
        if request.started {
            round.started_at.get_or_insert(self.now);
        }
        round.civil_start = starts_at.map(|at| at.to_zoned_datetime(zone).datetime().to_string());
        Ok(round)
    }

    fn take_terms(&self, round: &mut Round, request: &RoundRequest, at: &str) -> Result<(), Fault> {
        let policy = &self.tournament.policy;
        if let Some(label) = &request.label {
            label.as_deref().map_or(Ok(()), |label| check_text(label, &format!("{at}/label")))?;
            round.label.clone_from(label);
        }
        round.lead_minutes = request.lead_minutes.or(round.lead_minutes);
        round.supervision = request.supervision.or(round.supervision);
        round.time_control = request.time_control.or(round.time_control);
        round.boards = request.boards.or(round.boards);
        check_lead(round.lead(policy), policy.custom_lead)
            .map_err(|why| Fault::at(Code::PolicyInvalid, format!("{at}/lead_minutes"), why))?;
        match (policy.scope, round.boards) {
            (Scope::Board, Some(1..=1000)) | (Scope::Round, None) => {}
            (Scope::Board, _) => {
                let why = "each board has its own position: say how many boards, 1 to 1000";
                return Err(Fault::field(format!("{at}/boards"), why));
            }
            (Scope::Round, Some(_)) => {
                let why = "one position serves all boards of this tournament: leave boards out";
                return Err(Fault::field(format!("{at}/boards"), why));
            }
        }
        Ok(())
    }

    async fn carry_out(&mut self, change: Change, request: &RoundRequest) -> Result<(), Fault> {
        let voided: Vec<Draw> = match request.if_released {
            Some(IfReleased::Void) if change.moves() => change.released().into_iter().cloned().collect(),
            _ => Vec::new(),
        };
        let postponed = change.new.times.is_none();
        let entry = self.store_round(&change).await?;
        if change.moves() {
            self.reorder_moved(&change.new).await?;
        }
        for draw in &voided {
            refuse_voided(draw)?;
            let reason = if postponed { VoidReason::PostponedAfterRelease } else { VoidReason::Moved };
            self.void(draw, reason).await?;
        }
        if let Some(entry) = entry {
            self.note(entry, request.note.as_deref()).await?;
        }
        self.void_unused(&change).await?;
        if self.tournament.policy.auto_draw {
            self.order_missing(&change).await?;
        }
        Ok(())
    }

    /// Voids what waits for boards that the round has no more.
    async fn void_unused(&mut self, change: &Change) -> Result<(), Fault> {
        let before = change.old.as_ref().and_then(|old| old.boards);
        let (Some(before), Some(now)) = (before, change.new.boards) else { return Ok(()) };
        for draw in change.current().filter(|draw| draw.release.is_none() && (now + 1..=before).contains(&draw.board)) {
            self.void(draw, VoidReason::BoardUnused).await?;
        }
        Ok(())
    }

    /// Stores the round; times and boards are also logged.
    pub(super) async fn store_round(&mut self, change: &Change) -> Result<Option<u64>, Fault> {
        let round = &change.new;
        self.tx.put_round(self.tournament.id, round).await?;
        let same_boards = change.old.as_ref().is_some_and(|old| old.boards == round.boards);
        if !change.moves() && same_boards {
            return Ok(None);
        }
        let event = Event::Round {
            round: round.number,
            starts_at: round.times.map(|times| times.starts_at.as_second()),
            release_at: round.times.map(|times| times.release_at.as_second()),
            boards: round.boards.unwrap_or(0),
        };
        self.append(&event).await.map(Some)
    }

    /// Orders what the round lacks: the first attempt of every slot that has none, and the next of a slot whose last was
    /// voided by an amendment while the round had no date. Any other voided slot waits for the arbiter.
    async fn order_missing(&mut self, change: &Change) -> Result<(), Fault> {
        let round = &change.new;
        let Some(times) = round.times else { return Ok(()) };
        let first = RoundNumber::try_from(round.number).map_err(|why| Fault::internal(why.to_string()))?;
        let first = first.block_start(self.tournament.policy.rounds_per_draw).get();
        for board in round.boards.map_or(0..=0, |boards| 1..=boards) {
            let attempts: Vec<Draw> = change.draws.iter().filter(|draw| draw.board == board).cloned().collect();
            let serves_from = match attempts.last().map(|draw| draw.void.as_ref()) {
                None => first,
                Some(Some(void)) if void.reason == VoidReason::PolicyAmended => void.from_round,
                Some(_) => continue,
            };
            if serves_from == round.number {
                // Boards added to a round that is under way may come too late, like any late order.
                times.check(self.now, self.tournament.policy.custom_lead)?;
                let attempt = self.next_attempt(&attempts).await?;
                self.order(NewAttempt { from: Drawn::ByPolicy, round: first, board, attempt, serves_from, times })
                    .await?;
            }
        }
        Ok(())
    }
}
