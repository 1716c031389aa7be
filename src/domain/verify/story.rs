//! The story of a tournament: its entries put together attempt by attempt, and what does not fit.

use crate::domain::{
    derivation::{EntropyLine, Hash32},
    log::skipped,
    record::{Declared, Fact, Order, Record, Release, SlotKey, Unread, Void},
};
use std::collections::BTreeMap;

/// Something that an entry says, with where, when and by whom.
#[derive(Clone, Debug)]
pub(super) struct Said<T> {
    pub index: u64,
    pub at: i64,
    pub by: String,
    pub what: T,
}

/// One attempt of one slot.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub order: Said<Order>,
    pub entropy: Option<Said<Vec<EntropyLine>>>,
    pub manual: Option<Said<Hash32>>,
    pub release: Option<Said<Release>>,
    pub void: Option<Said<Void>>,
}

/// A post of dice for a round.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    pub round: u16,
    pub digits: String,
}

/// All that a log says about one tournament.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub created: Option<Said<Hash32>>,
    pub policies: Vec<Said<Declared>>,
    /// Release instants of rounds as they were set; none: postponed.
    pub rounds: Vec<Said<(u16, Option<i64>)>>,
    pub attempts: BTreeMap<SlotKey, Attempt>,
    pub dice: Vec<Said<Dice>>,
    pub close: Option<Said<String>>,
    /// Where the server was restored from an older copy, and up to which number attempts are skipped since.
    pub restored: Vec<(u64, u16)>,
    /// Where the master left the server.
    pub exports: Vec<u64>,
    /// Entries that fit nothing before them.
    pub misfits: Vec<String>,
}

impl Story {
    /// Puts the entries of a tournament together.
    pub fn tell(slug: &str, records: &[Result<Record, Unread>]) -> Self {
        let (mut story, mut highest) = (Self::default(), 0);
        for record in records.iter().flatten() {
            if let Fact::Order(order) = &record.fact {
                highest = highest.max(order.slot.attempt);
            }
            match &record.fact {
                Fact::Restored(restored) => {
                    story.restore(record.index, restored.attempts, skipped(highest));
                    highest = highest.max(restored.attempts);
                }
                _ if record.is_of(slug) => story.add(record),
                _ => {}
            }
        }
        story
    }

    fn restore(&mut self, index: u64, attempts: u16, by_rule: u16) {
        if attempts != by_rule {
            // Whoever chooses it chooses among secrets.
            self.misfits
                .push(format!("entry {index}: attempts are skipped up to {attempts}, the rule gives {by_rule}"));
        }
        self.restored.push((index, attempts));
    }

    fn add(&mut self, record: &Record) {
        let misfit = self.ill_timed(record).or_else(|| self.place(record));
        self.misfits.extend(misfit.map(|why| format!("entry {}: {why}", record.index)));
    }

    /// Why nothing of the kind may stand here at all.
    fn ill_timed(&self, record: &Record) -> Option<String> {
        // Games, their overrides, notes and pairings may come after the close.
        let bears_on_draws = !matches!(
            record.fact,
            Fact::Game {} | Fact::Override {} | Fact::Note {} | Fact::Setup {} | Fact::Pairings {} | Fact::Export {}
        );
        let creates = matches!(record.fact, Fact::Tournament { .. });
        match (&self.created, &self.close) {
            (None, _) if !creates => Some("the tournament was not created yet".into()),
            (_, Some(_)) if bears_on_draws => Some("the tournament was closed before".into()),
            _ => None,
        }
    }

    /// Puts a record in its place; why it has none.
    fn place(&mut self, record: &Record) -> Option<String> {
        match &record.fact {
            Fact::Tournament { .. } if self.created.is_some() => Some("the tournament was created before".into()),
            Fact::Order(order) => self.order(record, order),
            Fact::Entropy { slot, entropy } => self.put(*slot, |a| fill(&mut a.entropy, record.said(entropy.clone()))),
            Fact::Manual { slot, throws_commit } => {
                self.put(*slot, |a| fill(&mut a.manual, record.said(*throws_commit)))
            }
            Fact::Release(release) => self.release(record, release),
            Fact::Void(void) => self.put(void.slot, |a| fill(&mut a.void, record.said(void.clone()))),
            _ => {
                self.place_what_concerns_all(record);
                None
            }
        }
    }

    fn place_what_concerns_all(&mut self, record: &Record) {
        match &record.fact {
            Fact::Tournament { master_commit, policy } => {
                self.created = Some(record.said(*master_commit));
                self.policies.push(record.said(policy.clone()));
            }
            Fact::Amend { policy } => self.policies.push(record.said(policy.clone())),
            Fact::Round { round, release_at, .. } => self.rounds.push(record.said((*round, *release_at))),
            Fact::Dice { round, digits } => {
                self.dice.push(record.said(Dice { round: *round, digits: digits.clone() }));
            }
            Fact::Export {} => self.exports.push(record.index),
            Fact::Close { master } => self.close = Some(record.said(master.clone())),
            _ => {}
        }
    }

    fn order(&mut self, record: &Record, order: &Order) -> Option<String> {
        if self.attempts.contains_key(&order.slot) {
            return Some(format!("{} is ordered a second time", order.slot));
        }
        let order = record.said(order.clone());
        let slot = order.what.slot;
        self.attempts.insert(slot, Attempt { order, entropy: None, manual: None, release: None, void: None });
        None
    }

    fn release(&mut self, record: &Record, release: &Release) -> Option<String> {
        self.put(release.slot, |attempt| match attempt.void {
            Some(_) => Some("released after it was voided"),
            None => fill(&mut attempt.release, record.said(release.clone())),
        })
    }

    fn put(&mut self, slot: SlotKey, fill: impl FnOnce(&mut Attempt) -> Option<&'static str>) -> Option<String> {
        match self.attempts.get_mut(&slot) {
            None => Some(format!("{slot} was not ordered before")),
            Some(attempt) => fill(attempt).map(|why| format!("{slot} is {why}")),
        }
    }

    /// The policy in force just before this entry.
    pub fn policy_at(&self, index: u64) -> Option<&Declared> {
        self.policies.iter().rev().find(|policy| policy.index < index).map(|policy| &policy.what)
    }

    /// The release instant of a round just before this entry; the inner none: postponed.
    pub fn release_instant(&self, round: u16, index: u64) -> Option<Option<i64>> {
        let set = self.rounds.iter().rev().find(|set| set.what.0 == round && set.index < index);
        set.map(|set| set.what.1)
    }

    /// The first round that an attempt serves: that of its slot, or where the void before it begins.
    pub fn serves_from(&self, slot: SlotKey) -> u16 {
        let before = self.before(slot).and_then(|attempt| attempt.void.as_ref());
        before.and_then(|void| void.what.from_round).unwrap_or(slot.round)
    }

    /// The attempt before this one at the same slot.
    pub fn before(&self, slot: SlotKey) -> Option<&Attempt> {
        let first = SlotKey { attempt: 0, ..slot };
        self.attempts.range(first..slot).next_back().map(|(_, attempt)| attempt)
    }

    /// Releases in the order of the log.
    pub fn releases(&self) -> Vec<&Said<Release>> {
        let mut releases: Vec<_> = self.attempts.values().filter_map(|attempt| attempt.release.as_ref()).collect();
        releases.sort_by_key(|release| release.index);
        releases
    }
}

/// Puts a value where none may be yet.
fn fill<T>(place: &mut Option<T>, value: T) -> Option<&'static str> {
    if place.is_some() {
        return Some("given this a second time");
    }
    *place = Some(value);
    None
}

impl Record {
    fn said<T>(&self, what: T) -> Said<T> {
        Said { index: self.index, at: self.at, by: self.by.clone(), what }
    }
}
