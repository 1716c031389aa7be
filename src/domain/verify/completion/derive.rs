//! From the sheet's master and the entropy to the number, as the server would have derived it.

use super::{CannotComplete, Case, no};
use crate::domain::{
    beacon::{Beacon, chain},
    derivation::{EntropyLine, Repeats, Slot, Source, commitment, number, seed},
    dice::{Digits, NotDigits},
    number_set::NumberSet,
    position_number::PositionNumber,
    record::SlotKey,
    verify::story::Attempt,
};

impl Case<'_> {
    /// Numbers that must not come again: those released, and those of slots that were to be released before.
    pub(super) fn used_before(&self, key: SlotKey, attempt: &Attempt) -> Result<NumberSet, CannotComplete> {
        let mut used = NumberSet::new();
        if attempt.order.what.repeats == Repeats::Allowed {
            return Ok(used);
        }
        let released = self.story.releases().into_iter().map(|release| release.what.number);
        used.extend(released.filter_map(|number| PositionNumber::try_from(number).ok()));
        for (earlier, attempt) in self.waiting_before(key) {
            let number = self.derive(earlier, attempt, &used).map_err(|why| {
                CannotComplete(format!("numbers must not repeat, and {earlier} comes before {key}: {why}"))
            })?;
            used.insert(number);
        }
        Ok(used)
    }

    /// Live, unreleased slots with an earlier instant, or the same and an earlier round or board.
    pub(super) fn waiting_before(&self, key: SlotKey) -> Vec<(SlotKey, &Attempt)> {
        let place = |key: SlotKey| self.instant(key).map(|instant| (instant, key));
        let Some(own) = place(key) else { return Vec::new() };
        let live = self.story.attempts.iter().filter(|(_, a)| a.release.is_none() && a.void.is_none());
        let mut before: Vec<_> =
            live.filter_map(|(key, a)| Some((place(*key)?, a))).filter(|(p, _)| *p < own).collect();
        before.sort_by_key(|(place, _)| *place);
        before.into_iter().map(|((_, key), attempt)| (key, attempt)).collect()
    }

    /// The number of an attempt, once its commitment opens.
    pub(super) fn derive(
        &self,
        key: SlotKey,
        attempt: &Attempt,
        used: &NumberSet,
    ) -> Result<PositionNumber, CannotComplete> {
        let (origin, event) = (self.sheet.origin.clone(), self.sheet.tournament.clone());
        let slot = Slot { origin, event, round: key.round, board: key.board, attempt: key.attempt }.checked();
        let slot = slot.map_err(|why| CannotComplete(why.to_string()))?;
        let terms = attempt.order.what.terms().checked().map_err(|why| CannotComplete(why.to_string()))?;
        let secret = self.sheet.master.slot_secret(&slot);
        let committed = commitment(&slot, &terms, &secret);
        if committed != attempt.order.what.commit {
            return no(format!("the commitment of {key} does not open with the sheet's master"));
        }
        let lines = self.entropy(key, attempt)?;
        let derived = number(&seed(&slot, &terms, &committed, &lines, &secret), &terms.excluded, used);
        derived.map(|derived| derived.number).map_err(|why| CannotComplete(why.to_string()))
    }

    /// What answers the sources of an attempt: from the log, or from what was brought.
    fn entropy(&self, key: SlotKey, attempt: &Attempt) -> Result<Vec<EntropyLine>, CannotComplete> {
        let sources = &attempt.order.what.sources;
        sources.iter().map(|source| self.answer(key, attempt, source)).collect()
    }

    fn answer(&self, key: SlotKey, attempt: &Attempt, source: &Source) -> Result<EntropyLine, CannotComplete> {
        match source {
            Source::None => Ok(EntropyLine::None),
            Source::Drand { chain: hash, round } => match chain(hash) {
                Some(chain) => self.beacon(key, attempt, Beacon { chain, round: *round }),
                None => no(format!("{key} names a beacon chain that is not known here")),
            },
            Source::Dice => self.dice(key, attempt),
            Source::Manual { .. } => {
                no(format!("{key} is drawn by hand: its number is that of the throws, not of the master"))
            }
        }
    }

    fn beacon(&self, key: SlotKey, attempt: &Attempt, beacon: Beacon) -> Result<EntropyLine, CannotComplete> {
        let in_log = lines(attempt).find_map(|line| match line {
            EntropyLine::Drand { signature } => Some(signature.clone()),
            _ => None,
        });
        let mut refused = None;
        for value in in_log.iter().chain(&self.asked.beacons) {
            match beacon.accept_answer(value) {
                Ok(line) => return Ok(line),
                Err(why) => refused = Some(why),
            }
        }
        let Beacon { chain, round } = beacon;
        match refused {
            Some(why) => no(format!("{key} waits for beacon round {round}: {why}")),
            None => no(format!(
                "{key} waits for beacon round {round}: bring its value with --beacon, from \
                 https://api.drand.sh/{}/public/{round} or any other relay",
                chain.hash
            )),
        }
    }

    fn dice(&self, key: SlotKey, attempt: &Attempt) -> Result<EntropyLine, CannotComplete> {
        let in_log = lines(attempt).find(|line| matches!(line, EntropyLine::Dice { .. }));
        let of_round = self.story.serves_from(key) == self.asked.round || key.round == self.asked.round;
        match (in_log, self.asked.dice.as_ref().filter(|_| of_round)) {
            (Some(EntropyLine::Dice { digits }), Some(brought)) if digits != brought => {
                no(format!("the log has other dice for {key} than those brought"))
            }
            (Some(line), _) => Ok(line.clone()),
            (None, None) => {
                no(format!("{key} waits for dice: bring the twenty digits thrown for its round with --dice"))
            }
            (None, Some(brought)) => self.brought_dice(key, attempt, brought),
        }
    }

    fn brought_dice(&self, key: SlotKey, attempt: &Attempt, brought: &str) -> Result<EntropyLine, CannotComplete> {
        let digits: Digits = brought.parse().map_err(|why: NotDigits| CannotComplete(format!("--dice: {why}")))?;
        let digits = digits.to_string();
        if self.story.dice_of(attempt).iter().any(|post| post.what.digits != digits) {
            return no(format!("the log has a post of other dice for {key} than those brought"));
        }
        Ok(EntropyLine::Dice { digits })
    }
}

/// What the log says answered the sources.
fn lines(attempt: &Attempt) -> impl Iterator<Item = &EntropyLine> {
    attempt.entropy.iter().flat_map(|said| &said.what)
}
