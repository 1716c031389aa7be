//! Ordering a draw.

use super::{
    Act, Actor, Desk,
    sources::{Drawn, drawn},
};
use crate::{
    domain::{
        derivation::{Repeats, Slot, SlotSecret, Terms, commitment},
        draw::Draw,
        entry::{Event, SlotRef},
        fault::{Code, Fault},
        ids::{DrawId, RoundNumber},
        policy::{EntropyKind, Scope},
        role::Role,
        round::Round,
        schedule::Times,
    },
    store::Tx,
};
use serde::Deserialize;
use utoipa::ToSchema;

/// How a position is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// By the server's generator.
    #[default]
    Csprng,
    /// By hand, before witnesses.
    Manual,
}

/// An order.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderRequest {
    /// The board, where each board has its own position.
    pub board: Option<u16>,
    /// `csprng` or `manual`.
    #[serde(default)]
    pub method: Method,
    /// Entropy instead of the policy's, where the policy's fallback allows it.
    pub entropy: Option<EntropyKind>,
    /// By hand: how, such as `d6`.
    pub procedure: Option<String>,
    /// By hand, recorded afterwards because this server was down: when it was done, RFC 3339. The attempt that was never
    /// released is voided as `server-unavailable`.
    pub performed_at: Option<String>,
    /// With `performed_at`: every throw in its order, the rejected ones too.
    #[serde(default)]
    pub throws: Vec<String>,
}

/// A slot before its attempt is ordered.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewAttempt {
    /// What its number is drawn from.
    pub from: Drawn,
    pub round: u16,
    pub board: u16,
    pub attempt: u16,
    pub serves_from: u16,
    pub times: Times,
}

impl Desk {
    /// Orders the draw of a slot: fixes and publishes the commitment. `request_hash` tells a repeated request with the
    /// same `key` from another one: it gets the draw that was ordered then.
    ///
    /// # Errors
    /// `draw-exists` with the winner, `too-late`, `numbers-exhausted` and others.
    pub async fn order_draw(
        &self,
        tournament: &str,
        round: RoundNumber,
        actor: &Actor,
        request: &OrderRequest,
        idempotency: Option<(&str, &str)>,
    ) -> Result<Draw, Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy])?;
        let mut act = self.act(tournament, actor).await?;
        if let Some(draw) = act.already_answered(idempotency).await? {
            return Ok(draw);
        }
        act.must_be_open()?;
        let performed_at = act.performed_at(request)?;
        let new = act.attempt_for(round, request).await?;
        let mut draw = act.order(new).await?;
        if let Some(performed_at) = performed_at {
            draw = act.record_performed(&draw, performed_at, &request.throws).await?;
        }
        if let Some((key, request_hash)) = idempotency {
            act.tx.remember(act.tournament.id, key, request_hash, &[draw.id]).await?;
        }
        // As it is shown from now on, also to a repeated request: the log may say more of the tournament than the order does.
        let draw = self::draw(&mut act.tx, draw.id).await?;
        act.finish().await?;
        Ok(draw)
    }
}

/// The draw of this id.
///
/// # Errors
/// `draw-unknown`.
pub(super) async fn draw(tx: &mut Tx, id: DrawId) -> Result<Draw, Fault> {
    tx.draw(id).await?.ok_or_else(|| Fault::new(Code::DrawUnknown, format!("there is no draw {id}")))
}

impl Act<'_> {
    async fn already_answered(&mut self, idempotency: Option<(&str, &str)>) -> Result<Option<Draw>, Fault> {
        let Some((key, request_hash)) = idempotency else { return Ok(None) };
        match self.tx.idempotent(self.tournament.id, key).await? {
            None => Ok(None),
            Some((hash, ids)) if hash == request_hash => {
                let id = ids.first().ok_or_else(|| Fault::internal("an Idempotency-Key without a draw"))?;
                draw(&mut self.tx, *id).await.map(Some)
            }
            Some(_) => {
                let detail = "this Idempotency-Key was used for another request: take a new one for a new request";
                Err(Fault::new(Code::IdempotencyKeyReused, detail))
            }
        }
    }

    /// The slot that an order for `round` is about, and the attempt it would be.
    async fn attempt_for(&mut self, round: RoundNumber, request: &OrderRequest) -> Result<NewAttempt, Fault> {
        let from = drawn(request)?;
        let asked = self.round(round.get()).await?;
        let board = self.board_of(request.board)?;
        let first = round.block_start(self.tournament.policy.rounds_per_draw).get();
        if request.performed_at.is_some() {
            self.void_unreleased(first, board).await?;
        }
        let attempts = self.attempts(first, board).await?;
        if let Some(live) = attempts.iter().find(|draw| draw.void.is_none()) {
            return Err(draw_exists(live));
        }
        let serves_from = attempts.last().and_then(|draw| draw.void.as_ref()).map_or(first, |void| void.from_round);
        let governing = if serves_from == asked.number { asked } else { self.round(serves_from).await? };
        let times = governing.times.ok_or_else(|| postponed(serves_from))?;
        if request.performed_at.is_none() {
            times.check(self.now, self.tournament.policy.custom_lead)?;
        }
        let attempt = self.next_attempt(&attempts).await?;
        self.check_fallback(request.entropy, attempt)?;
        Ok(NewAttempt { from, round: first, board, attempt, serves_from, times })
    }

    /// The number of the next attempt of a slot. After a restoration numbers are skipped that a lost part of the log may
    /// have used: their secrets may be public.
    pub(super) async fn next_attempt(&mut self, attempts: &[Draw]) -> Result<u16, Fault> {
        let skipped = self.tx.skipped_attempts(self.tournament.id).await?;
        Ok(attempts.last().map_or(0, |last| last.attempt).max(skipped) + 1)
    }

    fn board_of(&self, asked: Option<u16>) -> Result<u16, Fault> {
        match (self.tournament.policy.scope, asked) {
            (Scope::Round, None | Some(0)) => Ok(0),
            (Scope::Round, Some(_)) => {
                Err(Fault::field("/board", "one position serves all boards of this tournament: name no board"))
            }
            (Scope::Board, Some(board @ 1..=9999)) => Ok(board),
            (Scope::Board, _) => {
                Err(Fault::field("/board", "each board has its own position: name one from 1 to 9999"))
            }
        }
    }

    pub(super) async fn round(&mut self, number: u16) -> Result<Round, Fault> {
        let round = self.tx.round(self.tournament.id, number).await?;
        round.ok_or_else(|| Fault::new(Code::RoundUnknown, format!("round {number} is not scheduled")))
    }

    pub(super) async fn attempts(&mut self, round: u16, board: u16) -> Result<Vec<Draw>, Fault> {
        let draws = self.tx.draws_of_round(self.tournament.id, round).await?;
        Ok(draws.into_iter().filter(|draw| draw.board == board).collect())
    }

    /// Orders an attempt by the tournament's policy.
    pub(super) async fn order(&mut self, new: NewAttempt) -> Result<Draw, Fault> {
        self.check_pool().await?;
        self.check_no_dice_under_way(new.round).await?;
        let policy = &self.tournament.policy;
        let terms = Terms { sources: self.sources(&new)?, excluded: policy.excluded.clone(), repeats: policy.repeats };
        let slot = self.slot(new.round, new.board, new.attempt)?;
        let commit = commitment(&slot, &terms, &self.master()?.slot_secret(&slot)).to_string();
        let slot = SlotRef { round: new.round, board: new.board, attempt: new.attempt };
        let entry = self
            .append(&Event::Order {
                slot,
                commit: commit.clone(),
                sources: terms.sources.clone(),
                exclude: terms.excluded.clone(),
                repeats: terms.repeats,
                release_at: new.times.release_at.as_second(),
            })
            .await?;
        let draw = self.ordered(slot, new.serves_from, terms, commit, entry)?;
        self.tx.insert_draw(&draw).await?;
        Ok(draw)
    }

    /// An attempt as its order leaves it, at log index `entry`.
    pub(super) fn ordered(
        &self,
        slot: SlotRef,
        serves_from: u16,
        terms: Terms,
        commitment: String,
        entry: u64,
    ) -> Result<Draw, Fault> {
        Ok(Draw {
            id: DrawId::new(self.now, self.desk.entropy.bytes()?),
            tournament: self.tournament.id,
            round: slot.round,
            board: slot.board,
            attempt: slot.attempt,
            serves_from,
            ordered_at: self.now,
            ordered_by: self.by.clone(),
            terms,
            commitment,
            entry,
            arrived: None,
            performed_at: None,
            thrown_at: None,
            exported_at: None,
            restored_at: None,
            release: None,
            void: None,
        })
    }

    /// Without repeats: a number must be left for one more draw, and a pool that lets later positions be narrowed down
    /// must have been declared.
    async fn check_pool(&mut self) -> Result<(), Fault> {
        let policy = self.tournament.policy.clone();
        if policy.repeats == Repeats::Allowed {
            return Ok(());
        }
        let draws = self.tx.draws_of(self.tournament.id).await?;
        let live = draws.iter().filter(|draw| draw.is_live()).count();
        let released = self.tx.released_numbers(self.tournament.id).await?;
        let taken = released.iter().filter(|number| !policy.excluded.contains(*number)).count();
        if policy.allowed() < taken + live + 1 {
            let detail = format!(
                "of {} allowed numbers {taken} were released and {live} draws wait for one: none is left",
                policy.allowed()
            );
            return Err(Fault::new(Code::NumbersExhausted, detail));
        }
        let slots: std::collections::BTreeSet<_> = draws.iter().map(|draw| (draw.round, draw.board)).collect();
        if policy.pool_is_small_for(slots.len() + 1) {
            let detail = format!(
                "{} allowed numbers for {} draws without repeats: later positions can be narrowed down. Declare \
                 small_pool in the policy if that is meant",
                policy.allowed(),
                slots.len() + 1
            );
            return Err(Fault::new(Code::SmallPool, detail));
        }
        Ok(())
    }

    pub(super) fn slot(&self, round: u16, board: u16, attempt: u16) -> Result<Slot, Fault> {
        let (origin, event) = (self.tournament.origin.clone(), self.tournament.slug.to_string());
        let slot = Slot { origin, event, round, board, attempt };
        slot.checked().map_err(|why| Fault::new(Code::NumbersExhausted, why.to_string()))
    }

    pub(super) fn secret_of(&self, draw: &Draw) -> Result<(Slot, SlotSecret), Fault> {
        let slot = self.slot(draw.round, draw.board, draw.attempt)?;
        let secret = self.master()?.slot_secret(&slot);
        Ok((slot, secret))
    }
}

fn draw_exists(live: &Draw) -> Fault {
    let detail = format!("this slot has a live draw, attempt {}: void it before another is ordered", live.attempt);
    Fault::new(Code::DrawExists, detail)
        .with("draw", live.id.to_string())
        .with("attempt", live.attempt)
        .with("commitment", live.commitment.clone())
}

pub(super) fn postponed(round: u16) -> Fault {
    Fault::new(Code::RoundPostponed, format!("round {round} has no date: schedule it first"))
}
