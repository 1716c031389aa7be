//! Which times of a log's entries are proven, by beacons in it and by the witnesses that the verifier trusts.

use super::{
    Check, Trust,
    log_checks::LogView,
    order_checks::beacon_of,
    story::{Attempt, Story},
};
use crate::domain::{
    beacon::Beacon,
    bracket::{Bounds, Bracket, Contradiction},
    derivation::EntropyLine,
    record::{Fact, Record, SlotKey, Unread},
};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// The minute between an order and its beacon round covers a clock that is wrong by as much. Beyond it, instants of the
/// server show nothing.
const CLOCK_MARGIN: i64 = 60;

/// Bounds from the whole log, other tournaments' beacons too. A kept checkpoint has no time and bounds nothing.
pub(super) fn bounds(records: &[Result<Record, Unread>], log: &LogView, trust: &Trust) -> Bounds {
    let (mut bounds, mut named) = (Bounds::default(), BTreeMap::new());
    records.iter().flatten().for_each(|record| take_beacon(&mut bounds, &mut named, record));
    for (size, (witness, at)) in log.held.iter().filter_map(|held| Some((held.size, held.seen?))) {
        bounds.take_cosignature(size, at, trust.witnesses[witness].name());
    }
    bounds
}

/// The beacons that orders name, by tournament and slot.
type Named<'a> = BTreeMap<(Option<&'a str>, SlotKey), Beacon>;

fn take_beacon<'a>(bounds: &mut Bounds, named: &mut Named<'a>, record: &'a Record) {
    let event = record.event.as_deref();
    let (slot, lines) = match &record.fact {
        Fact::Order(order) => {
            return named.extend(Beacon::named_in(&order.sources).map(|beacon| ((event, order.slot), beacon)));
        }
        Fact::Entropy { slot, entropy } => (*slot, entropy),
        Fact::Release(release) => (release.slot, &release.entropy),
        _ => return,
    };
    let Some(beacon) = named.get(&(event, slot)) else { return };
    for line in lines {
        if let EntropyLine::Drand { signature } = line {
            bounds.take_beacon(record.index, *beacon, signature);
        }
    }
}

/// The bracket of an entry dated `at`, Unix seconds; an instant beyond all calendars is taken for the last or first in one.
pub(super) fn bracket(bounds: &Bounds, index: u64, at: i64) -> Bracket {
    let end = if at < 0 { Timestamp::MIN } else { Timestamp::MAX };
    bounds.bracket(index, Timestamp::from_second(at).unwrap_or(end))
}

/// What the proven times say against the server's, for V4.
pub(super) fn clock_is_possible(check: &mut Check, story: &Story, bounds: &Bounds, slot: SlotKey, attempt: &Attempt) {
    for (what, index, at) in instants(attempt) {
        let Some(clock) = bracket(bounds, index, at).contradiction() else { continue };
        let said = format!("{slot}, {what} (entry {index}): {clock}");
        match clock {
            Contradiction::ServerSlow(by) if by > CLOCK_MARGIN => check.fault(said),
            _ => check.remark(said),
        }
    }
    not_after_its_beacon(check, bounds, slot, attempt);
    not_seen_early(check, story, bounds, slot, attempt);
}

/// Kind, index and instant of the entries of an attempt.
fn instants(attempt: &Attempt) -> impl Iterator<Item = (&'static str, u64, i64)> {
    let said = [
        Some(("order", attempt.order.index, attempt.order.at)),
        attempt.entropy.as_ref().map(|said| ("entropy", said.index, said.at)),
        attempt.release.as_ref().map(|said| ("release", said.index, said.at)),
        attempt.void.as_ref().map(|said| ("void", said.index, said.at)),
    ];
    said.into_iter().flatten()
}

/// Whatever instant the order gives itself: beacons before it in the log are older than it.
fn not_after_its_beacon(check: &mut Check, bounds: &Bounds, slot: SlotKey, attempt: &Attempt) {
    let fires = beacon_of(attempt).and_then(|(round, chain)| chain?.time_of(round));
    let proven = bracket(bounds, attempt.order.index, attempt.order.at).not_before;
    let (Some(fires), Some(proven)) = (fires, proven) else { return };
    check.demand(proven.at.as_second() < fires, || {
        format!(
            "{slot} was ordered after its beacon round had fired: entry {} before it holds beacon round {}",
            proven.entry, proven.round
        )
    });
}

/// A witness that had the release before its instant shows that it was out early, unless that witness's clock is wrong.
fn not_seen_early(check: &mut Check, story: &Story, bounds: &Bounds, slot: SlotKey, attempt: &Attempt) {
    let Some(release) = &attempt.release else { return };
    let bracket = bracket(bounds, release.index, release.at);
    let witness_is_slow = matches!(bracket.contradiction(), Some(Contradiction::WitnessSlow(_)));
    let instant = story.release_instant(story.serves_from(slot), release.index).flatten();
    let (Some(seen), Some(instant)) = (bracket.not_after.filter(|_| !witness_is_slow), instant) else { return };
    let early = i128::from(instant) - i128::from(seen.at.as_second());
    if early > i128::from(CLOCK_MARGIN) {
        check.gap(format!(
            "{slot}: {} had the release {early} s before its instant by its own clock: that clock is slow, or it was out early",
            seen.witness
        ));
    }
}
