//! V3 to V5: orders come before entropy, instants and beacon rounds are by the rule, entropy is genuine.

use super::{
    Check,
    log_checks::LogView,
    story::{Attempt, Said, Story},
    times::clock_is_possible,
};
use crate::domain::{
    beacon::{Chain, chain},
    bracket::Bounds,
    derivation::{EntropyLine, Source, answers},
    record::SlotKey,
};
use jiff::Timestamp;

/// The beacon round that an attempt names, and its chain if it is a known one.
pub(super) fn beacon_of(attempt: &Attempt) -> Option<(u64, Option<&'static Chain>)> {
    attempt.order.what.sources.iter().find_map(|source| match source {
        Source::Drand { chain: hash, round } => Some((*round, chain(hash))),
        _ => None,
    })
}

/// Entry and instant from which the outcome could be known by somebody who had waited for the entropy.
pub(super) fn entropy_known(story: &Story, attempt: &Attempt) -> (Option<u64>, Option<i64>) {
    let fires = beacon_of(attempt).and_then(|(round, chain)| chain?.time_of(round));
    let dice = story.dice_of(attempt).first().map(|post| post.index);
    let entries = [
        dice,
        attempt.entropy.as_ref().map(|said| said.index),
        attempt.manual.as_ref().map(|said| said.index),
        attempt.release.as_ref().map(|said| said.index),
    ];
    (entries.into_iter().flatten().min(), fires)
}

/// V3.
pub(super) fn order_comes_first(story: &Story, log: &LogView) -> Check {
    let mut check = Check::new("V3", "every order was out before its entropy, and others held it");
    for (slot, attempt) in &story.attempts {
        let (known, fires) = entropy_known(story, attempt);
        let Some(known) = known.or_else(|| fires.map(|_| u64::MAX)) else { continue };
        match log.witness(attempt.order.index, known, fires) {
            Some(held) => check.remark(match held.seen {
                Some((_, at)) => format!("{slot}: witnessed at {}", instant(at)),
                None => format!("{slot}: in a kept checkpoint of {} entries", held.size),
            }),
            None => check.gap(format!("{slot} is unwitnessed: no checkpoint held elsewhere is older than its entropy")),
        }
    }
    check
}

fn instant(seconds: u64) -> Timestamp {
    i64::try_from(seconds).ok().and_then(|at| Timestamp::from_second(at).ok()).unwrap_or(Timestamp::MAX)
}

/// V4.
pub(super) fn schedule_is_kept(story: &Story, bounds: &Bounds) -> Check {
    let mut check = Check::new("V4", "instants and beacon rounds are by the rule, nothing was released early");
    for (slot, attempt) in &story.attempts {
        ordered_for_its_round(&mut check, story, *slot, attempt);
        beacon_by_the_rule(&mut check, *slot, attempt);
        if let Some(release) = &attempt.release {
            not_early(&mut check, story, *slot, release);
        }
        clock_is_possible(&mut check, story, bounds, *slot, attempt);
    }
    check
}

fn ordered_for_its_round(check: &mut Check, story: &Story, slot: SlotKey, attempt: &Attempt) {
    let round = story.serves_from(slot);
    match story.release_instant(round, attempt.order.index) {
        Some(Some(instant)) => check.demand(instant == attempt.order.what.release_at, || {
            format!("{slot} is ordered for another release instant than that of round {round}")
        }),
        _ => check.fault(format!("{slot} is ordered although round {round} has no release instant")),
    }
}

fn beacon_by_the_rule(check: &mut Check, slot: SlotKey, attempt: &Attempt) {
    match beacon_of(attempt) {
        None => {}
        Some((_, None)) => check.gap(format!("{slot} names a beacon chain that is not known here")),
        Some((round, Some(chain))) => {
            let ordered_at = attempt.order.at;
            let by_rule = chain.round_for(attempt.order.what.release_at, ordered_at);
            check.demand(round == by_rule, || format!("{slot} names beacon round {round}; the rule gives {by_rule}"));
            check.demand(chain.fires_after_order(round, ordered_at), || {
                format!("{slot}: beacon round {round} fires less than 60 s after the order")
            });
        }
    }
}

fn not_early<T>(check: &mut Check, story: &Story, slot: SlotKey, release: &Said<T>) {
    match story.release_instant(story.serves_from(slot), release.index) {
        Some(Some(instant)) => check.demand(release.at >= instant, || {
            format!("{slot} was released {} s before its instant", instant - release.at)
        }),
        _ => check.fault(format!("{slot} was released while its round had no date")),
    }
}

/// V5.
pub(super) fn entropy_is_genuine(story: &Story) -> Check {
    let mut check = Check::new("V5", "beacon signatures are the chain's, dice are what two tokens posted");
    for (slot, attempt) in &story.attempts {
        let released = attempt.release.as_ref().map(|said| &said.what.entropy);
        let announced = attempt.entropy.as_ref().map(|said| &said.what);
        if let (Some(released), Some(announced)) = (released, announced) {
            check.demand(released == announced, || format!("{slot} was released with other entropy than had come in"));
        }
        let Some(lines) = released.or(announced) else { continue };
        if let Err(why) = answers(&attempt.order.what.sources, lines) {
            check.fault(format!("{slot}: {why}"));
            continue;
        }
        for line in lines {
            genuine(&mut check, story, *slot, attempt, line);
        }
    }
    check
}

fn genuine(check: &mut Check, story: &Story, slot: SlotKey, attempt: &Attempt, line: &EntropyLine) {
    match (line, beacon_of(attempt)) {
        (EntropyLine::Drand { signature }, Some((round, Some(chain)))) => {
            if let Err(why) = chain.verify(round, signature) {
                check.fault(format!("{slot}: {why}"));
            }
        }
        (EntropyLine::Drand { .. }, _) => check.gap(format!("{slot} names a beacon chain that is not known here")),
        (EntropyLine::Dice { digits }, _) => dice_posted(check, story, slot, attempt, digits),
        (EntropyLine::None, _) => {}
    }
}

fn dice_posted(check: &mut Check, story: &Story, slot: SlotKey, attempt: &Attempt, digits: &str) {
    let posts = story.dice_of(attempt);
    let mut posters: Vec<_> = posts.iter().filter(|post| post.what.digits == digits).map(|post| &post.by).collect();
    posters.sort();
    posters.dedup();
    let confirmed = story.policy_at(attempt.order.index).is_none_or(|policy| policy.dice_confirm);
    let needed = if confirmed { 2 } else { 1 };
    check.demand(posters.len() >= needed, || format!("{slot}: its dice were posted by {} tokens", posters.len()));
    for other in posts.iter().filter(|post| post.what.digits != digits) {
        check.fault(format!("{slot}: entry {} posts other dice for the same round", other.index));
    }
}

impl Story {
    /// Posts of dice for the round of an attempt, from its order to its entropy, release or void.
    pub(super) fn dice_of(&self, attempt: &Attempt) -> Vec<&Said<super::story::Dice>> {
        // A throw after its entropy is for slots ordered later.
        let ends = [
            attempt.entropy.as_ref().map(|said| said.index),
            attempt.release.as_ref().map(|said| said.index),
            attempt.void.as_ref().map(|said| said.index),
        ];
        let end = ends.into_iter().flatten().min().unwrap_or(u64::MAX);
        let asked = attempt.order.what.sources.contains(&Source::Dice);
        let round = self.serves_from(attempt.order.what.slot);
        let ours = |post: &&Said<super::story::Dice>| {
            let served = post.what.round == round || post.what.round == attempt.order.what.slot.round;
            asked && served && post.index > attempt.order.index && post.index < end
        };
        self.dice.iter().filter(ours).collect()
    }
}
