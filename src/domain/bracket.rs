//! The time bracket of a record: between which instants the log took it up, who proves that, and whether the clocks agree.
//!
//! The server's clock is only told. A beacon's signature in the log proves "not before": every root over a later entry
//! is made from it too, so no checkpoint with that entry is older than the beacon. A cosignature proves "not after", as
//! far as its witness's clock and key are believed. What a record says may have been known to somebody before all of it.

use super::beacon::Beacon;
use jiff::Timestamp;
use serde::Serialize;
use std::{collections::BTreeMap, fmt};
use utoipa::ToSchema;

/// Clocks that differ by no more than this are not said to contradict each other, in seconds.
const AGREE_WITHIN: i64 = 5;

/// The latest beacon whose signature the log has up to a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NotBefore {
    /// When the beacon fired.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Hash of the beacon's chain.
    #[schema(value_type = String)]
    pub chain: &'static str,
    /// Its round.
    pub round: u64,
    /// Log index of the entry that holds its signature.
    pub entry: u64,
}

/// The earliest cosignature on a checkpoint that has a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NotAfter {
    /// When the witness saw it, by its own clock.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Name of the witness.
    pub witness: String,
    /// Entries under the checkpoint.
    pub size: u64,
}

/// Which bounds of a record's time are proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Proven {
    /// Neither: there is the server's clock alone.
    None,
    /// It is not older.
    NotBefore,
    /// It is not younger.
    NotAfter,
    /// It lies between the two.
    Both,
}

impl Proven {
    /// The word used in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NotBefore => "not_before",
            Self::NotAfter => "not_after",
            Self::Both => "both",
        }
    }
}

/// Which clock is shown to be wrong, and by how many seconds at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// The server dates the record before a beacon that the log already had.
    ServerSlow(i64),
    /// The server dates the record after a witness had it.
    ServerFast(i64),
    /// The witness dates the record before a beacon that the log already had.
    WitnessSlow(i64),
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (by, rest) = match self {
            Self::ServerSlow(by) => (by, "s slow: the log already held a beacon that fired later"),
            Self::ServerFast(by) => (by, "s fast, or the witness's as slow: the witness had the record earlier"),
            Self::WitnessSlow(by) => (by, "s slow and proves nothing: the log already held a beacon that fired later"),
        };
        let whose = if matches!(self, Self::WitnessSlow(_)) { "witness" } else { "server" };
        write!(f, "the {whose}'s clock was at least {by} {rest}")
    }
}

/// The times of one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Bracket {
    /// The server's clock: told, never proven.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Null while the log has no beacon up to the record.
    pub not_before: Option<NotBefore>,
    /// Null while no witness has cosigned the record.
    pub not_after: Option<NotAfter>,
    /// Which of the two are proven.
    pub proven: Proven,
    /// Whether clocks contradict each other by more than five seconds.
    pub clock_contradicts: bool,
    /// Which clock is wrong, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

impl Bracket {
    fn new(at: Timestamp, not_before: Option<NotBefore>, not_after: Option<NotAfter>) -> Self {
        let mut bracket =
            Self { at, not_before, not_after, proven: Proven::None, clock_contradicts: false, remark: None };
        let contradiction = bracket.contradiction();
        bracket.proven = bracket.bounds_that_hold();
        bracket.clock_contradicts = contradiction.is_some();
        bracket.remark = contradiction.map(|clock| clock.to_string());
        bracket
    }

    /// A beacon is the work of many, so it is believed before a witness whose clock contradicts it.
    fn bounds_that_hold(&self) -> Proven {
        let after = self.not_after.is_some() && self.witness_slow_by().is_none();
        match (self.not_before.is_some(), after) {
            (false, false) => Proven::None,
            (true, false) => Proven::NotBefore,
            (false, true) => Proven::NotAfter,
            (true, true) => Proven::Both,
        }
    }

    fn witness_slow_by(&self) -> Option<i64> {
        lag(self.not_after.as_ref()?.at, self.not_before.as_ref()?.at)
    }

    /// Which clock is wrong, the server's before the witness's; none while all may be right.
    pub fn contradiction(&self) -> Option<Contradiction> {
        let slow = self.not_before.as_ref().and_then(|bound| lag(self.at, bound.at)).map(Contradiction::ServerSlow);
        let witness = || self.witness_slow_by().map(Contradiction::WitnessSlow);
        let fast = || self.not_after.as_ref().and_then(|bound| lag(bound.at, self.at)).map(Contradiction::ServerFast);
        slow.or_else(witness).or_else(fast)
    }
}

/// By how many seconds the first instant lies before the second, if that is too much for two good clocks.
fn lag(early: Timestamp, late: Timestamp) -> Option<i64> {
    let by = late.as_second() - early.as_second();
    (by > AGREE_WITHIN).then_some(by)
}

impl fmt::Display for Bracket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by the server's clock; proven: ", self.at)?;
        let before = self.not_before.as_ref();
        let after = self.not_after.as_ref().filter(|_| self.proven != Proven::NotBefore);
        let before = before.map(|bound| {
            let NotBefore { at, round, entry, .. } = bound;
            format!("not before {at} (beacon round {round}, entry {entry})")
        });
        let after = after.map(|bound| {
            let NotAfter { at, witness, size } = bound;
            format!("not after {at} ({witness}, {size} entries)")
        });
        match (before, after) {
            (None, None) => f.write_str("nothing")?,
            (before, after) => f.write_str(&before.into_iter().chain(after).collect::<Vec<_>>().join(", "))?,
        }
        self.remark.iter().try_for_each(|remark| write!(f, "; {remark}"))
    }
}

/// All bounds that a log and its witnesses give, taken up one by one; those that others imply are dropped.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Entries and instants both ascend.
    beacons: Vec<NotBefore>,
    /// By size; instants ascend with it.
    seen: BTreeMap<u64, NotAfter>,
}

impl Bounds {
    /// Takes up that an entry holds a signature as the value of this beacon. One that is not the beacon's proves nothing.
    /// Entries come in the order of the log.
    pub fn take_beacon(&mut self, entry: u64, beacon: Beacon, signature: &str) {
        let Some(at) = beacon.fires_at() else { return };
        // What is no later adds nothing: every further slot and the release repeat a signature that was looked at.
        let adds = self.beacons.last().is_none_or(|last| last.at < at);
        if adds && beacon.accept(signature).is_ok() {
            self.beacons.push(NotBefore { at, chain: beacon.chain.hash, round: beacon.round, entry });
        }
    }

    /// Takes up that a witness saw a checkpoint of this size, Unix seconds. Its signature was checked before.
    pub fn take_cosignature(&mut self, size: u64, at: u64, witness: &str) {
        let Some(at) = i64::try_from(at).ok().and_then(|at| Timestamp::from_second(at).ok()) else { return };
        let new = NotAfter { at, witness: witness.to_owned(), size };
        let implied = |old: &NotAfter| old.at < at || (old.at == at && (old.size > size || *old.witness <= *witness));
        if self.seen.range(size..).next().is_some_and(|(_, old)| implied(old)) {
            return;
        }
        self.seen.retain(|_, old| old.size > size || old.at < at);
        self.seen.insert(size, new);
    }

    /// The times of the record with this log index, which the server's clock dates `at`.
    pub fn bracket(&self, entry: u64, at: Timestamp) -> Bracket {
        let beacons = self.beacons.partition_point(|beacon| beacon.entry <= entry);
        let not_before = self.beacons[..beacons].last().cloned();
        let not_after = self.seen.range(entry.saturating_add(1)..).next().map(|(_, seen)| seen.clone());
        Bracket::new(at, not_before, not_after)
    }
}

#[cfg(test)]
mod tests {
    use super::super::beacon::{QUICKNET, recorded::*};
    use super::*;
    use proptest::prelude::*;

    const FIRED_123: i64 = 1_692_803_733;
    const FIRED_1000: i64 = 1_692_806_364;

    fn beacon(round: u64) -> Beacon {
        Beacon { chain: &QUICKNET, round }
    }

    fn second(at: i64) -> Timestamp {
        Timestamp::from_second(at).unwrap()
    }

    fn not_before(bounds: &Bounds, entry: u64) -> Option<(u64, i64, u64)> {
        let bound = bounds.bracket(entry, second(FIRED_1000)).not_before?;
        assert_eq!(bound.chain, QUICKNET.hash);
        Some((bound.round, bound.at.as_second(), bound.entry))
    }

    #[test]
    fn the_latest_beacon_up_to_a_record_bounds_it_from_below() {
        let mut bounds = Bounds::default();
        bounds.take_beacon(4, beacon(123), ROUND_123);
        bounds.take_beacon(6, beacon(123), ROUND_123);
        bounds.take_beacon(9, beacon(1000), ROUND_1000);
        // An older beacon that comes late takes nothing away.
        bounds.take_beacon(12, beacon(123), ROUND_123);
        for (entry, round) in [(0, None), (3, None), (4, Some(123)), (8, Some(123)), (9, Some(1000)), (99, Some(1000))]
        {
            assert_eq!(not_before(&bounds, entry).map(|bound| bound.0), round, "entry {entry}");
        }
        assert_eq!(not_before(&bounds, 8), Some((123, FIRED_123, 4)));
        assert_eq!(not_before(&bounds, u64::MAX), Some((1000, FIRED_1000, 9)));
    }

    #[test]
    fn a_signature_that_is_not_the_beacons_proves_nothing() {
        let mut bounds = Bounds::default();
        for (round, signature) in
            [(124, ROUND_123), (123, ROUND_1000), (1000, ""), (u64::MAX, ROUND_123), (0, ROUND_123)]
        {
            bounds.take_beacon(1, beacon(round), signature);
        }
        assert_eq!(not_before(&bounds, 5), None);
        // And does not stand in the way of one that is.
        bounds.take_beacon(2, beacon(123), ROUND_123);
        assert_eq!(not_before(&bounds, 5), Some((123, FIRED_123, 2)));
    }

    fn not_after(bounds: &Bounds, entry: u64) -> Option<(i64, String, u64)> {
        let bound = bounds.bracket(entry, second(0)).not_after?;
        Some((bound.at.as_second(), bound.witness, bound.size))
    }

    #[test]
    fn the_earliest_cosignature_over_a_record_bounds_it_from_above() {
        let mut bounds = Bounds::default();
        bounds.take_cosignature(4, 100, "a");
        bounds.take_cosignature(9, 200, "a");
        assert_eq!(not_after(&bounds, 3), Some((100, "a".into(), 4)));
        assert_eq!(not_after(&bounds, 4), Some((200, "a".into(), 9)));
        assert_eq!((not_after(&bounds, 9), not_after(&bounds, u64::MAX)), (None, None));
        // A witness that saw more, and earlier.
        bounds.take_cosignature(7, 90, "b");
        assert_eq!(not_after(&bounds, 0), Some((90, "b".into(), 7)));
        assert_eq!(not_after(&bounds, 7), Some((200, "a".into(), 9)));
        // What is later or beyond all time changes nothing.
        bounds.take_cosignature(5, 95, "c");
        bounds.take_cosignature(99, u64::MAX, "c");
        assert_eq!((not_after(&bounds, 0), not_after(&bounds, 98)), (Some((90, "b".into(), 7)), None));
    }

    #[test]
    fn what_is_proven_is_told_from_what_is_only_said() {
        let mut bounds = Bounds::default();
        let proven = |bounds: &Bounds| bounds.bracket(4, second(FIRED_123 + 3)).proven;
        assert_eq!(proven(&bounds), Proven::None);
        let mut witnessed = Bounds::default();
        witnessed.take_cosignature(5, FIRED_123 as u64 + 4, "a");
        assert_eq!(proven(&witnessed), Proven::NotAfter);
        bounds.take_beacon(4, beacon(123), ROUND_123);
        assert_eq!(proven(&bounds), Proven::NotBefore);
        bounds.take_cosignature(5, FIRED_123 as u64 + 4, "deputy.example");
        assert_eq!(proven(&bounds), Proven::Both);
        assert_eq!(
            bounds.bracket(4, second(FIRED_123 + 3)).to_string(),
            "2023-08-23T15:15:36Z by the server's clock; proven: not before 2023-08-23T15:15:33Z (beacon round 123, entry 4), \
             not after 2023-08-23T15:15:37Z (deputy.example, 5 entries)"
        );
        assert!(bounds.bracket(5, second(FIRED_123 + 9)).to_string().ends_with("(beacon round 123, entry 4)"));
        assert!(Bounds::default().bracket(4, second(0)).to_string().ends_with("proven: nothing"));
        for word in [Proven::None, Proven::NotBefore, Proven::NotAfter, Proven::Both] {
            assert_eq!(serde_json::to_value(word).unwrap(), word.as_str());
        }
    }

    #[test]
    fn clocks_that_contradict_are_named() {
        let mut bounds = Bounds::default();
        bounds.take_beacon(4, beacon(123), ROUND_123);
        bounds.take_cosignature(5, FIRED_123 as u64 + 100, "a");
        let said = |bounds: &Bounds, after: i64| bounds.bracket(4, second(FIRED_123 + after)).contradiction();
        for fine in [-5, 0, 50, 105] {
            let bracket = bounds.bracket(4, second(FIRED_123 + fine));
            assert_eq!((bracket.clock_contradicts, bracket.remark), (false, None), "{fine}");
        }
        assert_eq!(said(&bounds, -6), Some(Contradiction::ServerSlow(6)));
        assert_eq!(said(&bounds, 106), Some(Contradiction::ServerFast(6)));
        let bracket = bounds.bracket(4, second(FIRED_123 - 6));
        assert!(bracket.clock_contradicts && bracket.remark.is_some_and(|said| said.contains("6 s slow")));
        // A witness before the beacon proves nothing, whatever the server's clock says.
        bounds.take_cosignature(5, FIRED_123 as u64 - 60, "slow");
        let bracket = bounds.bracket(4, second(FIRED_123 + 2));
        assert_eq!(bracket.contradiction(), Some(Contradiction::WitnessSlow(60)));
        assert_eq!(bracket.proven, Proven::NotBefore);
        assert!(!bracket.to_string().contains("not after"), "{bracket}");
        assert_eq!(said(&bounds, -90), Some(Contradiction::ServerSlow(90)));
        assert_eq!(bounds.bracket(4, second(FIRED_123 - 90)).proven, Proven::NotBefore);
    }

    proptest! {
        /// What is kept answers as all cosignatures would, in whatever order they came.
        #[test]
        fn nothing_is_lost_with_what_is_dropped(seen in proptest::collection::vec((0u64..20, 0u64..20, "[ab]"), 0..20), entry in 0u64..22) {
            let mut bounds = Bounds::default();
            let mut backwards = Bounds::default();
            seen.iter().for_each(|(size, at, witness)| bounds.take_cosignature(*size, *at, witness));
            seen.iter().rev().for_each(|(size, at, witness)| backwards.take_cosignature(*size, *at, witness));
            let earliest = seen.iter().filter(|(size, ..)| *size > entry).map(|(_, at, _)| *at as i64).min();
            prop_assert_eq!(not_after(&bounds, entry).map(|bound| bound.0), earliest);
            prop_assert_eq!(not_after(&bounds, entry), not_after(&backwards, entry));
        }
    }
}
