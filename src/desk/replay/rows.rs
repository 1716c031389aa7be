//! The rows that an entry of the log gives again.

use crate::{
    desk::Act,
    domain::{
        derivation::{EntropyLine, Source, commitment, number, seed},
        dice::Post,
        draw::{Arrived, Draw, Release, Void},
        entry::SlotRef,
        fault::Fault,
        policy::Policy,
        position_number::PositionNumber,
        record::{self, Fact, Record, SlotKey},
        round::Round,
        schedule::Times,
    },
};
use jiff::Timestamp;
use serde::Deserialize;

#[derive(Deserialize)]
struct Amended {
    policy: Policy,
}

impl Act<'_> {
    /// Writes an entry's rows again; false when their content is kept off the log.
    pub(super) async fn replay(&mut self, record: &Record, text: &str) -> Result<bool, Fault> {
        match &record.fact {
            Fact::Amend { .. } => self.replay_amend(text).await?,
            Fact::Round { round, starts_at, release_at, boards } => {
                self.replay_round(*round, starts_at.zip(*release_at), *boards).await?;
            }
            Fact::Order(order) => self.replay_order(order, record.index).await?,
            Fact::Dice { round, digits } => self.replay_dice(*round, digits, record.index).await?,
            Fact::Entropy { slot, entropy } => self.replay_arrival(*slot, entropy, record.index).await?,
            Fact::Manual { slot, .. } => self.replay_arrival(*slot, &[], record.index).await?,
            Fact::Release(release) => self.replay_release(release, record.index).await?,
            Fact::Void(void) => self.replay_void(void, record.index).await?,
            Fact::Close { .. } => self.replay_close().await?,
            Fact::Pairings {} | Fact::Setup {} | Fact::Game {} | Fact::Override {} | Fact::Note {} => return Ok(false),
            Fact::Export {} => {}
            Fact::Tournament { .. } | Fact::Restored(_) | Fact::Key { .. } | Fact::Takeover { .. } | Fact::Unknown => {
                return Err(Fault::internal(format!("{} fits nothing here", record.kind)));
            }
        }
        Ok(true)
    }

    async fn replay_amend(&mut self, text: &str) -> Result<(), Fault> {
        let amended: Amended = serde_json::from_str(text).map_err(|why| Fault::internal(why.to_string()))?;
        self.tournament.policy = amended.policy;
        Ok(self.tx.update_tournament(&self.tournament).await?)
    }

    async fn replay_close(&mut self) -> Result<(), Fault> {
        let how = if self.anything_released().await? { "closed" } else { "cancelled" };
        self.tournament.ended = Some((self.now, how.into()));
        Ok(self.tx.update_tournament(&self.tournament).await?)
    }

    async fn replay_dice(&mut self, round: u16, digits: &str, entry: u64) -> Result<(), Fault> {
        let digits = digits.parse().map_err(|why| Fault::internal(format!("{why}")))?;
        let post = Post { round, at: self.now, by: self.by.clone(), digits, entry };
        Ok(self.tx.insert_dice_post(self.tournament.id, &post).await?)
    }

    /// Entropy, or throws, of which the log has no lines. A voided draw takes what it had waited for, to show what it would
    /// have given.
    async fn replay_arrival(&mut self, slot: SlotKey, lines: &[EntropyLine], entry: u64) -> Result<(), Fault> {
        let draw = self.drawn(slot).await?;
        let arrived = Arrived { at: self.now, lines: lines.to_vec(), entry };
        self.tx.insert_arrived(draw.id, &arrived).await?;
        match draw.void.as_ref().filter(|_| !lines.is_empty()) {
            Some(void) => self.record_abandoned(&draw, lines, void.entry).await,
            None => Ok(()),
        }
    }

    /// The label, and levels of the round's own, are not in the log: they stay as the copy has them.
    async fn replay_round(&mut self, number: u16, times: Option<(i64, i64)>, boards: u16) -> Result<(), Fault> {
        let mut row = self.tx.round(self.tournament.id, number).await?.unwrap_or_else(|| Round::unscheduled(number));
        let second = |at: i64| Timestamp::from_second(at).map_err(|why| Fault::internal(why.to_string()));
        let times = match times {
            Some((start, release)) => Some(Times { starts_at: second(start)?, release_at: second(release)? }),
            None => None,
        };
        if let Some(times) = times {
            let lead = times.starts_at.duration_since(times.release_at).as_mins() as u16;
            row.lead_minutes = (lead != self.tournament.policy.lead_minutes).then_some(lead);
            row.civil_start = Some(times.starts_at.to_zoned_datetime(self.zone()?).datetime().to_string());
        }
        row.reschedule(times, self.now);
        row.boards = (boards > 0).then_some(boards);
        Ok(self.tx.put_round(self.tournament.id, &row).await?)
    }

    async fn replay_order(&mut self, order: &record::Order, entry: u64) -> Result<(), Fault> {
        let SlotKey { round, board, attempt } = order.slot;
        let before = self.attempts(round, board).await?;
        let serves_from = before.last().and_then(|draw| draw.void.as_ref()).map_or(round, |void| void.from_round);
        let slot = SlotRef { round, board, attempt };
        let draw = self.ordered(slot, serves_from, order.terms(), order.commit.to_string(), entry)?;
        let (slot, secret) = self.secret_of(&draw)?;
        if commitment(&slot, &draw.terms, &secret) != order.commit {
            return Err(Fault::internal("the commitment is not of this server's secret"));
        }
        Ok(self.tx.insert_draw(&draw).await?)
    }

    async fn replay_release(&mut self, said: &record::Release, entry: u64) -> Result<(), Fault> {
        let draw = self.drawn(said.slot).await?;
        let drawn = PositionNumber::try_from(said.number).map_err(|why| Fault::internal(why.to_string()))?;
        let release = Release {
            at: self.now,
            by: self.by.clone(),
            number: drawn,
            secret: said.secret.clone(),
            entropy: said.entropy.clone(),
            used: said.used.clone(),
            seed: said.seed.clone().unwrap_or_default(),
            throws: said.throws.clone(),
            words_used: self.words_used(&draw, said)?,
            entry,
        };
        self.tx.insert_release(draw.id, &release).await?;
        self.decided(draw.serves_from).await
    }

    /// How many words of the keystream the number took; none by hand.
    fn words_used(&self, draw: &Draw, said: &record::Release) -> Result<u32, Fault> {
        if said.throws.is_some() {
            return Ok(0);
        }
        let (slot, secret) = self.secret_of(draw)?;
        let seed = seed(&slot, &draw.terms, &commitment(&slot, &draw.terms, &secret), &said.entropy, &secret);
        let derived =
            number(&seed, &draw.terms.excluded, &said.used).map_err(|why| Fault::internal(why.to_string()))?;
        if derived.number.get() == said.number {
            return Ok(derived.words_used);
        }
        Err(Fault::internal("the number does not follow from what was published: keep the bundle as evidence"))
    }

    async fn replay_void(&mut self, said: &record::Void, entry: u64) -> Result<(), Fault> {
        let draw = self.drawn(said.slot).await?;
        let from_round = said.from_round.unwrap_or(draw.round);
        let after_start = self.reach_of_void(&draw).await? == (from_round, true);
        let reason =
            serde_json::from_value(said.reason.clone().into()).map_err(|why| Fault::internal(why.to_string()))?;
        let (at, by, secret) = (self.now, self.by.clone(), said.secret.clone());
        let knowable = said.knowable;
        let void = Void { at, by, reason, knowable, from_round, after_start, secret, abandoned: None, entry };
        self.tx.insert_void(draw.id, &void).await?;
        self.decided(draw.serves_from).await?;
        match draw.entropy().filter(|_| draw.is_live() && draw.beacon().is_some()) {
            Some(lines) => self.record_abandoned(&draw, &lines, entry).await,
            None => Ok(()),
        }
    }

    async fn drawn(&mut self, slot: SlotKey) -> Result<Draw, Fault> {
        let draws = self.attempts(slot.round, slot.board).await?;
        let draw = draws.into_iter().find(|draw| draw.attempt == slot.attempt);
        draw.ok_or_else(|| Fault::internal(format!("{slot} was not ordered")))
    }

    /// Draws by hand that are bound to throws which this database does not have.
    pub(super) async fn without_throws(&mut self) -> Result<Vec<Draw>, Fault> {
        let mut lost = Vec::new();
        for draw in self.waiting().await? {
            let by_hand = matches!(draw.terms.sources.as_slice(), [Source::Manual { .. }]);
            if by_hand && draw.arrived.is_some() && self.walk(&draw).await?.finished().is_none() {
                lost.push(draw);
            }
        }
        Ok(lost)
    }
}
