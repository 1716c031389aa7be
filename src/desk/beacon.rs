//! The beacon: which rounds are awaited, taking one when it comes, and what a move does to a draw that waits for it.

use super::{Act, Actor, Desk, draws::NewAttempt, sources::Drawn};
use crate::domain::{
    beacon::{BadBeacon, Beacon},
    derivation::{EntropyLine, Repeats, commitment, number, seed},
    draw::{Draw, VoidReason},
    fault::{Code, Fault},
    ids::{RoundNumber, TournamentId},
    number_set::NumberSet,
    round::Round,
};
use jiff::SignedDuration;
use serde::Deserialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Beacon rounds, and the tournaments that want them.
pub type Wanted = BTreeMap<Beacon, Vec<TournamentId>>;

/// After this a round that only voided draws named is asked for no more; whoever has it may still bring it.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The value of a beacon round, as a relay answers it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BeaconRequest {
    /// The beacon round.
    pub round: u64,
    /// Its signature, 96 lower-case hexadecimal digits.
    pub signature: String,
    /// What relays add: a hash of the signature. It is of no use.
    #[serde(rename = "randomness")]
    pub _randomness: Option<String>,
    /// What relays of other chains add. It is of no use.
    #[serde(rename = "previous_signature")]
    pub _previous_signature: Option<String>,
}

impl Desk {
    /// Takes the value of a beacon round from whoever brings it: it proves itself. Bringing it again changes nothing.
    ///
    /// # Errors
    /// `entropy-not-awaited` for another beacon round, `beacon-invalid` for what is not its value; nothing is recorded.
    pub async fn post_beacon(
        &self,
        tournament: &str,
        round: RoundNumber,
        request: &BeaconRequest,
    ) -> Result<(), Fault> {
        let beacon = self.beacon_named(tournament, round, request.round).await?;
        let line = beacon.accept(&request.signature).map_err(invalid)?;
        let mut act = self.act_in_open(tournament, &Actor::server()).await?;
        if act.take_beacon(beacon, line).await? == 0 {
            return Ok(());
        }
        act.finish().await
    }

    /// The beacon of that number that a draw of the round names. Asked before any signature is looked at.
    async fn beacon_named(&self, tournament: &str, round: RoundNumber, asked: u64) -> Result<Beacon, Fault> {
        let mut tx = self.store.read().await?;
        let tournament = self.tournament(&mut tx, tournament).await?;
        let unknown = || Fault::new(Code::RoundUnknown, format!("round {round} is not scheduled"));
        tx.round(tournament.id, round.get()).await?.ok_or_else(unknown)?;
        let first = round.block_start(tournament.policy.rounds_per_draw).get();
        let draws = tx.draws_of_round(tournament.id, first).await?;
        // Those of voided attempts too: what they would have given is shown when their beacon turns up.
        let named: Vec<Beacon> = draws.iter().filter_map(Draw::beacon).collect();
        named.iter().find(|beacon| beacon.round == asked).copied().ok_or_else(|| {
            let names: Vec<_> = named.iter().map(|beacon| beacon.round.to_string()).collect();
            let detail = match names.is_empty() {
                true => format!("no draw of round {round} waits for a beacon"),
                false => format!("round {round} was ordered with beacon round {}, not {asked}", names.join(", ")),
            };
            Fault::new(Code::EntropyNotAwaited, detail)
        })
    }

    /// Beacon rounds that live draws wait for, and the tournaments they belong to.
    ///
    /// # Errors
    /// Of the database.
    pub async fn awaited_beacons(&self) -> Result<Wanted, Fault> {
        Ok(wanted(&self.store.read().await?.draws_awaiting_beacon().await?))
    }

    /// Beacon rounds that fired not too long ago and that voided draws had waited for: what these would have given is shown
    /// beside what was used.
    ///
    /// # Errors
    /// Of the database.
    pub async fn abandoned_beacons(&self) -> Result<Wanted, Fault> {
        let now = self.clock.now();
        let mut abandoned = wanted(&self.store.read().await?.draws_with_abandoned_beacon().await?);
        abandoned.retain(|beacon, _| beacon.fires_at().is_some_and(|at| at < now && now.duration_since(at) < GIVEN_UP));
        Ok(abandoned)
    }

    /// Takes a beacon's value, already checked, into a tournament; an ended one takes no more.
    ///
    /// # Errors
    /// Of the database.
    pub async fn beacon_came(&self, tournament: TournamentId, beacon: Beacon, line: EntropyLine) -> Result<(), Fault> {
        let mut act = self.act(&tournament.to_string(), &Actor::server()).await?;
        if act.tournament.ended.is_some() || act.take_beacon(beacon, line).await? == 0 {
            return Ok(());
        }
        act.finish().await
    }
}

impl Act<'_> {
    /// Gives the value to every draw of the tournament that waits or, before it was voided, waited for it. Answers how
    /// many there were.
    async fn take_beacon(&mut self, beacon: Beacon, line: EntropyLine) -> Result<usize, Fault> {
        let waits = |draw: &Draw| draw.release.is_none() && draw.arrived.is_none() && draw.beacon() == Some(beacon);
        let draws = self.tx.draws_of(self.tournament.id).await?;
        let waiting: Vec<Draw> = draws.into_iter().filter(waits).collect();
        if let Some(slow) = beacon.fires_at().map(|at| at.duration_since(self.now)).filter(|slow| slow.as_secs() > 5) {
            tracing::warn!(
                round = beacon.round,
                seconds = slow.as_secs(),
                "the beacon came before its time by the server's clock, which is slow by at least as much: so late come its releases"
            );
        }
        for draw in &waiting {
            let lines = vec![line.clone()];
            self.arrive(draw, lines.clone()).await?;
            if let Some(void) = &draw.void {
                self.record_abandoned(draw, &lines, void.entry).await?;
            }
        }
        Ok(waiting.len())
    }

    /// Records what a draw voided at that entry would have given: its secret is revealed and its beacon known, so that
    /// anybody can reckon it.
    pub(super) async fn record_abandoned(
        &mut self,
        draw: &Draw,
        lines: &[EntropyLine],
        voided: u64,
    ) -> Result<(), Fault> {
        let used = match draw.terms.repeats {
            Repeats::Allowed => NumberSet::new(),
            Repeats::Never => self.tx.numbers_released_before(self.tournament.id, voided).await?,
        };
        let (slot, secret) = self.secret_of(draw)?;
        let seed = seed(&slot, &draw.terms, &commitment(&slot, &draw.terms, &secret), lines, &secret);
        let Ok(derived) = number(&seed, &draw.terms.excluded, &used) else { return Ok(()) };
        Ok(self.tx.insert_abandoned(draw.id, derived.number).await?)
    }

    /// Draws of a round just moved whose beacon round no longer fits are voided and ordered again: while that round is to
    /// come, nobody can know either outcome.
    pub(super) async fn reorder_moved(&mut self, round: &Round) -> Result<(), Fault> {
        let Some(times) = round.times else { return Ok(()) };
        for draw in self.waiting().await?.into_iter().filter(|draw| draw.serves_from == round.number) {
            let beacon = draw.beacon().filter(|_| draw.arrived.is_none());
            if !beacon.is_some_and(|beacon| beacon.misses(times.release_at.as_second(), self.now.as_second())) {
                continue;
            }
            self.void(&draw, VoidReason::Moved).await?;
            let Draw { round, board, serves_from, .. } = draw;
            let new = NewAttempt { from: Drawn::ByPolicy, round, board, attempt: draw.attempt + 1, serves_from, times };
            self.order(new).await?;
        }
        Ok(())
    }
}

/// The rounds that draws name, and the tournaments of these draws.
fn wanted(draws: &[Draw]) -> Wanted {
    let mut wanted = Wanted::new();
    for draw in draws {
        let Some(beacon) = draw.beacon() else { continue };
        let tournaments = wanted.entry(beacon).or_default();
        if !tournaments.contains(&draw.tournament) {
            tournaments.push(draw.tournament);
        }
    }
    wanted
}

fn invalid(why: BadBeacon) -> Fault {
    Fault::at(Code::BeaconInvalid, "/signature", why.to_string())
}
