//! V8 to V10: attempts are whole, the policy is kept, grades and voids are told.

use super::{
    Check,
    log_checks::LogView,
    order_checks::{beacon_of, entropy_known},
    story::{Attempt, Story},
};
use crate::domain::{
    derivation::{Repeats, Source},
    draw::Grade,
    number_set::NumberSet,
    position_number::PositionNumber,
    record::{Declared, SlotKey},
};
use std::collections::BTreeMap;

/// Reason of the voids of a restoration.
const RESTORED: &str = "restored";

/// V8.
pub(super) fn attempts_are_whole(story: &Story) -> Check {
    let mut check = Check::new("V8", "every attempt is there, each but the last of a slot is voided, none is unopened");
    story.misfits.iter().for_each(|misfit| check.fault(misfit.clone()));
    for (slot, attempt) in &story.attempts {
        follows_a_void(&mut check, story, *slot, attempt);
        if story.close.is_some() && attempt.release.is_none() && attempt.void.is_none() {
            check.fault(format!("{slot} was neither released nor voided before the close: its commitment is unopened"));
        }
    }
    one_scope_per_round(&mut check, story);
    check.remark("the slug must be the one printed in the regulations: nobody can tell from a log what was announced");
    check
}

fn follows_a_void(check: &mut Check, story: &Story, slot: SlotKey, attempt: &Attempt) {
    let previous = story.before(slot);
    let last = previous.map_or(0, |before| before.order.what.slot.attempt);
    // A server restored from an older copy skips numbers, since it cannot know which were used, and says so.
    let ordered = attempt.order.index;
    let created = story.created.as_ref().map_or(u64::MAX, |created| created.index);
    let restored = story.restored.iter().filter(|(index, _)| created < *index && *index < ordered).max();
    let skipped = restored.map_or(0, |(_, attempts)| *attempts);
    let first = last.max(skipped) + 1;
    if slot.attempt == first && first != last + 1 {
        check.gap(format!("{slot}: attempts before it may be lost, the server was restored from a backup"));
    } else {
        check.demand(slot.attempt == first, || format!("{slot}: the attempt before it is missing"));
    }
    let Some(before) = previous else { return };
    let voided = before.void.as_ref().is_some_and(|void| void.index < attempt.order.index);
    check.demand(voided, || format!("{slot} was ordered while the attempt before it was not voided"));
}

fn one_scope_per_round(check: &mut Check, story: &Story) {
    let mut scopes: BTreeMap<u16, [bool; 2]> = BTreeMap::new();
    for slot in story.attempts.keys() {
        scopes.entry(slot.round).or_default()[usize::from(slot.board > 0)] = true;
    }
    for (round, _) in scopes.into_iter().filter(|(_, scope)| *scope == [true, true]) {
        check.fault(format!("round {round} has a draw for all boards and draws for single ones"));
    }
}

/// V9.
pub(super) fn policy_is_kept(story: &Story) -> Check {
    let mut check = Check::new("V9", "sources, exclusions and used numbers are those of the declared policy");
    let mut used = NumberSet::new();
    for release in story.releases() {
        let Some(attempt) = story.attempts.get(&release.what.slot) else { continue };
        let slot = release.what.slot;
        let skips = if attempt.order.what.repeats == Repeats::Never { used.clone() } else { NumberSet::new() };
        check.demand(release.what.used == skips, || format!("{slot}: the used numbers are not those released before"));
        used.extend(PositionNumber::try_from(release.what.number).ok());
        let policy = story.policy_at(release.index);
        check.demand(policy.is_some_and(|policy| has_terms_of(attempt, policy)), || {
            format!("{slot} was released under another policy than it was ordered under")
        });
    }
    for (slot, attempt) in &story.attempts {
        let policy = story.policy_at(attempt.order.index);
        let kept = policy.is_some_and(|policy| has_terms_of(attempt, policy) && has_source_of(attempt, policy, *slot));
        check.demand(kept, || format!("{slot} was not ordered by the policy then in force"));
    }
    amended_in_time(&mut check, story);
    check
}

fn amended_in_time(check: &mut Check, story: &Story) {
    let Some(first_release) = story.releases().first().map(|release| release.index) else { return };
    for amended in story.policies.iter().filter(|policy| policy.index > first_release) {
        check.fault(format!("entry {} amends the policy after a release", amended.index));
    }
}

fn has_terms_of(attempt: &Attempt, policy: &Declared) -> bool {
    attempt.order.what.exclude == policy.excluded && attempt.order.what.repeats == policy.repeats
}

/// A manual draw may be ordered in any tournament; it is shown with its own grade.
fn has_source_of(attempt: &Attempt, policy: &Declared, slot: SlotKey) -> bool {
    let kinds = attempt.order.what.sources.iter().map(|source| match source {
        Source::None => "local",
        Source::Drand { .. } => "drand",
        Source::Dice => "dice",
        Source::Manual { .. } => "manual",
    });
    let fallback = |kind: &str| slot.attempt > 1 && policy.entropy_fallback.iter().any(|allowed| allowed == kind);
    kinds.into_iter().all(|kind| kind == "manual" || kind == policy.entropy || fallback(kind))
}

/// V10.
pub(super) fn grades_and_voids(story: &Story, log: &LogView) -> Check {
    let mut check = Check::new("V10", "grades and voids whose outcome could be known are told");
    for (slot, attempt) in &story.attempts {
        let unwitnessed = if is_witnessed(story, log, attempt) { "" } else { ", unwitnessed" };
        check.remark(format!("{slot}: grade {:?}{unwitnessed}", grade(attempt)));
        let Some(void) = &attempt.void else { continue };
        if void.what.reason == RESTORED {
            voided_by_restoration(&mut check, *slot, void.what.knowable);
            continue;
        }
        let Some(knowable) = was_knowable(story, attempt) else {
            check.gap(format!("{slot} was voided; whether its outcome could be known depends on an unknown chain"));
            continue;
        };
        check.demand(void.what.knowable || !knowable, || {
            format!("{slot} was voided when its outcome could be known, and the void denies it")
        });
        let known = if knowable { "its outcome could be known" } else { "before its outcome could be known" };
        check.remark(format!("{slot} was voided ({}), {known}", void.what.reason));
    }
    tell_of_export(&mut check, story);
    check
}

fn voided_by_restoration(check: &mut Check, slot: SlotKey, knowable: bool) {
    check.gap(format!(
        "{slot} was voided because the server was restored from an older copy: whether it had been released or its outcome \
         known cannot be told, and the next attempt gives another number"
    ));
    check.demand(knowable, || format!("{slot}: what was lost may have had its release, and the void denies it"));
}

/// Since the master first left the server, others than the operator could know what the operator could know.
fn tell_of_export(check: &mut Check, story: &Story) {
    let Some(entry) = story.exports.first() else { return };
    let ends = |attempt: &&Attempt| {
        let (release, void) = (attempt.release.as_ref(), attempt.void.as_ref());
        release.map(|said| said.index).or(void.map(|said| said.index)).is_none_or(|end| end > *entry)
    };
    let later: Vec<_> = story.attempts.values().filter(ends).map(|attempt| attempt.order.what.slot).collect();
    if let Some(first) = later.first() {
        check.remark(format!(
            "the master left the server with entry {entry}: its holder could know since then what the operator could know; of draws not \
             over by then there are {}, the first {first}",
            later.len()
        ));
    }
}

/// Whether a checkpoint held elsewhere has the order and is older than the entropy.
pub(super) fn is_witnessed(story: &Story, log: &LogView, attempt: &Attempt) -> bool {
    let (known, fires) = entropy_known(story, attempt);
    log.witness(attempt.order.index, known.unwrap_or(u64::MAX), fires).is_some()
}

/// What an attempt's sources protect against.
pub(super) fn grade(attempt: &Attempt) -> Grade {
    let sources = &attempt.order.what.sources;
    match () {
        () if beacon_of(attempt).is_some() => Grade::A,
        () if sources.contains(&Source::Dice) => Grade::B,
        () if sources.contains(&Source::None) => Grade::C,
        () => Grade::M,
    }
}

/// Whether somebody could know the outcome when it was voided; none if that depends on a chain that is not known here.
/// With local entropy the holder of the master always can.
fn was_knowable(story: &Story, attempt: &Attempt) -> Option<bool> {
    let void = attempt.void.as_ref()?;
    let sources = &attempt.order.what.sources;
    let (entry, fires) = entropy_known(story, attempt);
    let arrived = entry.is_some_and(|entry| entry < void.index);
    match beacon_of(attempt) {
        // With both, dice and beacon are needed.
        Some(_) if sources.contains(&Source::Dice) && !arrived => Some(false),
        Some(_) => Some(fires? <= void.at),
        None => Some(sources.contains(&Source::None) || arrived),
    }
}
