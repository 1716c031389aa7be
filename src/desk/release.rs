//! Releasing: derive, record and reveal, in one transaction.

use super::{Act, Actor, Desk, draws::postponed, throws::procedure_of};
use crate::domain::{
    derivation::{answers, commitment, number, seed},
    draw::{Draw, Release, VoidReason},
    entry::{Event, SlotRef},
    fault::{Code, Fault},
    ids::{RoundNumber, TournamentId},
    policy::{Overdue, Scope},
    role::Role,
    round::RoundState,
    schedule::{Due, due, due_without_entropy},
};
use jiff::SignedDuration;

/// What one pass over the due draws did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// Draws released.
    pub draws: usize,
    /// Rounds found overdue.
    pub overdue: usize,
    /// The longest time that a draw of this pass was due before the pass began.
    pub waited: SignedDuration,
}

impl Desk {
    /// Releases what is due, and marks as overdue what the arbiter must decide about.
    ///
    /// # Errors
    /// The first failure. What cannot be released in one tournament keeps no other from its release.
    pub async fn release_due(&self) -> Result<Released, Fault> {
        let mut total = Released::default();
        if self.ledger.writable().is_err() {
            // Said at the start and by /readyz; four times a second would drown it.
            return Ok(total);
        }
        let mut failure = None;
        let due = self.store.read().await?.tournaments_with_due_draws(self.clock.now()).await?;
        for tournament in due {
            match self.release_due_in(tournament).await {
                Ok(released) => {
                    total.draws += released.draws;
                    total.overdue += released.overdue;
                    total.waited = total.waited.max(released.waited);
                }
                Err(fault) => failure = failure.or(Some(fault)),
            }
        }
        failure.map_or(Ok(total), Err)
    }

    async fn release_due_in(&self, tournament: TournamentId) -> Result<Released, Fault> {
        let mut act = self.act(&tournament.to_string(), &Actor::server()).await?;
        let released = act.release_due().await?;
        // A draw that became due too late to count for this pass changes nothing: no empty commit.
        if released != Released::default() {
            act.finish().await?;
        }
        Ok(released)
    }

    /// Releases an overdue round by the arbiter's decision.
    ///
    /// # Errors
    /// `not-overdue`.
    pub async fn release_overdue(&self, tournament: &str, round: RoundNumber, actor: &Actor) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy])?;
        let mut act = self.act_in_open(tournament, actor).await?;
        let mut row = act.round(round.get()).await?;
        let waiting = act.waiting().await?.into_iter().filter(|draw| draw.serves_from == row.number);
        let waiting: Vec<Draw> = waiting.collect();
        let slots = waiting.iter().map(std::slice::from_ref);
        if waiting.is_empty() || row.state(slots) != RoundState::Overdue {
            let detail = format!("round {round} is not overdue: it is released by itself at its instant");
            return Err(Fault::new(Code::NotOverdue, detail));
        }
        if waiting.iter().any(|draw| draw.ready_at().is_none()) {
            let detail = format!("a draw of round {round} waits for its entropy: post it, or void the draw");
            return Err(Fault::new(Code::EntropyAwaited, detail));
        }
        for draw in &waiting {
            act.release_or_void(draw).await?;
        }
        row.overdue_since = None;
        act.tx.put_round(act.tournament.id, &row).await?;
        act.finish().await
    }
}

fn number_taken() -> Fault {
    let detail = "the number thrown by hand was released elsewhere meanwhile and must not repeat: void the draw, order it \
                  again and throw again";
    Fault::new(Code::NumbersExhausted, detail)
}

impl Act<'_> {
    /// Live, unreleased draws in the order in which a transaction releases them: ascending round, board.
    pub(super) async fn waiting(&mut self) -> Result<Vec<Draw>, Fault> {
        let draws = self.tx.draws_of(self.tournament.id).await?;
        Ok(draws.into_iter().filter(Draw::is_live).collect())
    }

    async fn release_due(&mut self) -> Result<Released, Fault> {
        let mut done = Released::default();
        for draw in self.waiting().await? {
            match self.due(&draw).await? {
                Due::NotYet => {}
                Due::Release => {
                    self.release_or_void(&draw).await?;
                    done.draws += 1;
                    let round = self.round(draw.serves_from).await?;
                    let times = round.times.ok_or_else(|| postponed(round.number))?;
                    let due_since = times.release_at.max(round.ready_at(&draw).unwrap_or(self.now));
                    done.waited = done.waited.max(self.now.duration_since(due_since));
                }
                Due::Overdue => {
                    let mut round = self.round(draw.serves_from).await?;
                    round.overdue_since.get_or_insert(self.now);
                    self.tx.put_round(self.tournament.id, &round).await?;
                    done.overdue += 1;
                }
            }
        }
        Ok(done)
    }

    async fn due(&mut self, draw: &Draw) -> Result<Due, Fault> {
        let round = self.round(draw.serves_from).await?;
        let Some(times) = round.times else { return Ok(Due::NotYet) };
        let policy = &self.tournament.policy;
        let hold = policy.overdue == Overdue::Hold;
        if round.overdue_since.is_some() {
            return Ok(Due::NotYet);
        }
        let Some(ready_at) = round.ready_at(draw) else {
            return Ok(due_without_entropy(times, self.now, policy.custom_lead, hold));
        };
        match due(times, ready_at, self.now, policy.custom_lead, hold) {
            Due::Release if self.is_taken(draw).await? => Ok(Due::Overdue),
            due => Ok(due),
        }
    }

    /// Releases a draw, or voids it when nobody plays on its board.
    async fn release_or_void(&mut self, draw: &Draw) -> Result<(), Fault> {
        if self.unused(draw).await? {
            return self.void(draw, VoidReason::BoardUnused).await.map(|_| ());
        }
        self.release(draw).await
    }

    /// A board's own draw is not released for a board that nobody plays on, once the pairings are known.
    async fn unused(&mut self, draw: &Draw) -> Result<bool, Fault> {
        if self.tournament.policy.scope == Scope::Round {
            return Ok(false);
        }
        let pairings = self.tx.pairings(self.tournament.id, draw.serves_from).await?;
        Ok(!pairings.is_empty() && pairings.iter().all(|pairing| pairing.board != draw.board))
    }

    /// Derives the number, records and reveals it. Until this transaction commits the number exists nowhere else.
    pub(super) async fn release(&mut self, draw: &Draw) -> Result<(), Fault> {
        let (slot, secret) = self.secret_of(draw)?;
        let committed = commitment(&slot, &draw.terms, &secret);
        if committed.to_string() != draw.commitment {
            return Err(Fault::internal(format!(
                "the commitment of {} does not open: the database was altered",
                draw.id
            )));
        }
        if procedure_of(draw).is_some() {
            return self.release_by_hand(draw, secret.reveal_hex()).await;
        }
        let used = self.used(draw).await?;
        let entropy = draw.entropy().unwrap_or_default();
        answers(&draw.terms.sources, &entropy).map_err(|why| Fault::internal(format!("{}: {why}", draw.id)))?;
        let seed = seed(&slot, &draw.terms, &committed, &entropy, &secret);
        let derived = number(&seed, &draw.terms.excluded, &used)
            .map_err(|why| Fault::new(Code::NumbersExhausted, why.to_string()))?;
        let (secret, seed) = (secret.reveal_hex(), seed.reveal_hex());
        let entry = self
            .append(&Event::Release {
                slot: SlotRef { round: draw.round, board: draw.board, attempt: draw.attempt },
                secret: secret.clone(),
                entropy: entropy.clone(),
                used: used.clone(),
                seed: seed.clone(),
                number: derived.number.get(),
            })
            .await?;
        let release = Release {
            at: self.now,
            by: self.by.clone(),
            number: derived.number,
            secret,
            entropy,
            used,
            seed,
            throws: None,
            words_used: derived.words_used,
            entry,
        };
        Ok(self.tx.insert_release(draw.id, &release).await?)
    }

    /// Reveals the throws of a draw by hand, and the number that they give.
    async fn release_by_hand(&mut self, draw: &Draw, secret: String) -> Result<(), Fault> {
        let walk = self.walk(draw).await?;
        let number = walk.finished().ok_or_else(number_taken)?;
        let (throws, used) = (walk.throws(), self.used(draw).await?);
        let entry = self
            .append(&Event::ManualRelease {
                slot: SlotRef { round: draw.round, board: draw.board, attempt: draw.attempt },
                secret: secret.clone(),
                entropy: Vec::new(),
                used: used.clone(),
                throws: throws.clone(),
                number: number.get(),
            })
            .await?;
        let release = Release {
            at: self.now,
            by: self.by.clone(),
            number,
            secret,
            entropy: Vec::new(),
            used,
            seed: String::new(),
            throws: Some(throws),
            words_used: 0,
            entry,
        };
        Ok(self.tx.insert_release(draw.id, &release).await?)
    }

    /// Whether a number thrown by hand was released elsewhere meanwhile, though it must not repeat.
    async fn is_taken(&mut self, draw: &Draw) -> Result<bool, Fault> {
        Ok(procedure_of(draw).is_some() && self.walk(draw).await?.finished().is_none())
    }

    /// The instant from which the round's own start counts, for a release that needs a date.
    pub(super) async fn times_of(&mut self, round: u16) -> Result<crate::domain::schedule::Times, Fault> {
        self.round(round).await?.times.ok_or_else(|| postponed(round))
    }
}
