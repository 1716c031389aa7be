//! Completing a draw without its server: what the master on a sheet, a bundle of the log and the public entropy give.
//!
//! The commitment makes any holder of the master as good as the server, and no better: the same number follows, and not
//! before the release instant. What happened after the bundle was taken cannot be known from it.

mod derive;

use super::{
    Bundle, Trust,
    log_checks::LogView,
    story::{Attempt, Story},
};
use crate::domain::{
    derivation::{Repeats, Source},
    ids::RoundNumber,
    record::{Record, SlotKey, Unread},
    sheet::Sheet,
    start_position::StartPosition,
};
use jiff::Timestamp;
use std::fmt;

/// Which draw is completed, and the entropy that is brought for it where the bundle lacks it.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Round.
    pub round: u16,
    /// Board, where each has its own draw.
    pub board: Option<u16>,
    /// Values of beacon rounds: signatures, or relays' answers. Each proves which round it is of.
    pub beacons: Vec<String>,
    /// The dice thrown for the round: twenty digits.
    pub dice: Option<String>,
}

/// A completed draw.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Round, board and attempt in words.
    pub slot: String,
    /// The position.
    pub start: StartPosition,
    /// What was checked.
    pub checked: Vec<String>,
    /// What cannot be known from what was brought.
    pub unknown: Vec<String>,
}

/// Why a draw is not completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotComplete(pub String);

impl fmt::Display for CannotComplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CannotComplete {}

fn no<T>(why: impl Into<String>) -> Result<T, CannotComplete> {
    Err(CannotComplete(why.into()))
}

/// Completes the draw of a slot whose release instant has passed by `now`.
///
/// # Errors
/// When anything that can be checked is wrong, something is missing, or the instant is not reached.
pub fn complete(
    mut bundle: Bundle,
    sheet: &Sheet,
    asked: &Asked,
    trust: &Trust,
    now: Timestamp,
) -> Result<Completion, CannotComplete> {
    // The bundle has the whole log: the tournament is that of the sheet.
    bundle.tournament.clone_from(&sheet.tournament);
    let records = Record::read_all(&bundle.entries);
    let mut case = Case::open(&bundle, sheet, asked, trust, &records)?;
    let (key, attempt) = case.live().map(|(key, attempt)| (key, attempt.clone()))?;
    case.instant_has_passed(key, now)?;
    let used = case.used_before(key, &attempt)?;
    let start = StartPosition::from_number(case.derive(key, &attempt, &used)?);
    case.tell(key, &attempt, &records);
    let Case { checked, unknown, .. } = case;
    Ok(Completion { slot: key.to_string(), start, checked, unknown })
}

/// What is brought, once the log is what its key signed and the sheet's master is the tournament's.
struct Case<'a> {
    story: Story,
    sheet: &'a Sheet,
    asked: &'a Asked,
    checked: Vec<String>,
    unknown: Vec<String>,
}

impl<'a> Case<'a> {
    fn open(
        bundle: &Bundle,
        sheet: &'a Sheet,
        asked: &'a Asked,
        trust: &Trust,
        records: &[Result<Record, Unread>],
    ) -> Result<Self, CannotComplete> {
        if bundle.origin != sheet.origin {
            return no(format!("the sheet is of the log {}, the bundle of {}", sheet.origin, bundle.origin));
        }
        let (_, v1, v2) = LogView::check(bundle, trust, records);
        if let Some(fault) = v1.faults.iter().chain(&v2.faults).next() {
            return no(format!("the bundle cannot be relied on: {fault}"));
        }
        let story = Story::tell(&bundle.tournament, records);
        if let Some(misfit) = story.misfits.first() {
            return no(format!("the log does not fit together: {misfit}"));
        }
        let opens = |committed| sheet.master.commitment(&sheet.origin, &sheet.tournament) == committed;
        let created = story.created.as_ref().filter(|created| opens(created.what)).map(|created| created.index);
        let Some(created) = created else {
            return no("the sheet's digits are not the master that the tournament was created with");
        };
        let checked = vec![
            format!(
                "all {} entries of the bundle are under the checkpoint that {} signed",
                records.len(),
                bundle.log_key
            ),
            format!("the sheet has the master that entry {created} committed to"),
        ];
        Ok(Self { story, sheet, asked, checked, unknown: v1.gaps })
    }

    /// The attempt that the round goes by.
    fn live(&self) -> Result<(SlotKey, &Attempt), CannotComplete> {
        let (round, board) = (self.asked.round, self.asked.board.unwrap_or(0));
        let first = self.first_of_block()?;
        let of_round = || self.story.attempts.iter().filter(|(key, _)| key.round == first);
        let mut of_slot = of_round().filter(|(key, _)| key.board == board).peekable();
        if of_slot.peek().is_none() {
            return match (self.asked.board, of_round().next()) {
                (None, Some(_)) => no(format!("round {round} is drawn board by board: name one with --board")),
                (Some(_), Some(_)) => no(format!("round {round} has no draw of its own for board {board}")),
                (_, None) => no(format!("the bundle has no order for round {round}")),
            };
        }
        let counts = |key: SlotKey, attempt: &Attempt| {
            let from = attempt.void.as_ref().map(|void| void.what.from_round.unwrap_or(key.round));
            self.story.serves_from(key) <= round && from.is_none_or(|from| from > round)
        };
        match of_slot.rfind(|(key, attempt)| counts(**key, attempt)) {
            None => no(format!("what was ordered for round {round} was voided, and nothing was ordered after it")),
            Some((key, Attempt { release: Some(release), .. })) => {
                no(format!("{key} was released as position {}: draw960 verify checks it", release.what.number))
            }
            Some((key, attempt)) => Ok((*key, attempt)),
        }
    }

    fn first_of_block(&self) -> Result<u16, CannotComplete> {
        let number = RoundNumber::try_from(self.asked.round).map_err(|why| CannotComplete(why.to_string()))?;
        let per_draw = self.story.policies.last().map_or(1, |policy| policy.what.rounds_per_draw);
        Ok(number.block_start(per_draw).get())
    }

    /// When a slot is released, as the log has it last.
    fn instant(&self, key: SlotKey) -> Option<i64> {
        self.story.release_instant(self.story.serves_from(key), u64::MAX).flatten()
    }

    fn instant_has_passed(&mut self, key: SlotKey, now: Timestamp) -> Result<(), CannotComplete> {
        let Some(instant) = self.instant(key).and_then(|second| Timestamp::from_second(second).ok()) else {
            return no(format!("round {} is postponed without a date: its draw has no release instant", key.round));
        };
        if now < instant {
            return no(format!(
                "{key} is released at {instant}, and this machine's clock says {now:.0}: no draw is completed before its \
                 release instant"
            ));
        }
        self.checked.push(format!("its release instant {instant} has passed by this machine's clock"));
        Ok(())
    }

    /// Puts into words what was checked of the draw, and what cannot be known.
    fn tell(&mut self, key: SlotKey, attempt: &Attempt, records: &[Result<Record, Unread>]) {
        let order = &attempt.order;
        self.checked
            .push(format!("the order of {key} is entry {}, and its commitment opens with the master", order.index));
        order.what.sources.iter().for_each(|source| self.tell_source(source, attempt));
        let waiting = self.waiting_before(key).len();
        if order.what.repeats == Repeats::Never && waiting > 0 {
            self.unknown.push(format!(
                "whether all {waiting} unreleased draws before it were to be released, in the order of their instants: their \
                 numbers were skipped, as numbers must not repeat"
            ));
        }
        self.tell_end(records);
    }

    fn tell_source(&mut self, source: &Source, attempt: &Attempt) {
        match source {
            Source::Drand { round, .. } => {
                self.checked.push(format!("the beacon's signature is the chain's for round {round}, as ordered"));
            }
            Source::Dice if attempt.entropy.is_some() => self.checked.push("the dice are those in the log".into()),
            Source::Dice => self.unknown.push("whether the dice fell so: the log has not confirmed them".into()),
            _ => self.checked.push("no entropy was ordered: the master alone decides".into()),
        }
    }

    fn tell_end(&mut self, records: &[Result<Record, Unread>]) {
        let newest = records.iter().flatten().last();
        let at = newest.and_then(|record| Timestamp::from_second(record.at).ok());
        self.unknown.push(format!(
            "whether the server released or voided this draw, or moved the round, after entry {} of {}, the last of the bundle",
            newest.map_or(0, |record| record.index),
            at.map_or_else(|| "?".to_owned(), |at| at.to_string())
        ));
    }
}
