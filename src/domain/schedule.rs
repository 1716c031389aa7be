//! When: start of play, lead, release instant, and what a schedule or a move may not do.
//!
//! Instants are whole UTC seconds; the release instant is the start minus the lead, reckoned on the UTC axis, so that a
//! change of clocks in between does not shift it.

use super::fault::{Code, Fault};
use jiff::{
    SignedDuration, Timestamp,
    civil::DateTime,
    tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase},
};
use serde_json::json;
use std::sync::LazyLock;

/// The zones built into the program: a hall's laptop may have none, or old ones.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// From 1970 to 2999: far from the ends of what can be reckoned with.
const YEARS: std::ops::Range<i64> = 0..32_503_680_000;
/// Least time a player has to look at the position before play (10 to 15 minutes by the rules).
pub const LEAST_WINDOW: SignedDuration = SignedDuration::from_mins(10);
/// A release missed by more than this is overdue.
pub const GRACE: SignedDuration = SignedDuration::from_secs(120);
/// A move that would release within this needs `release_now`.
pub const AT_ONCE: SignedDuration = SignedDuration::from_secs(60);
/// Pairing software may postpone a start until this long before the release.
pub const PAIRING_CLOSES: SignedDuration = SignedDuration::from_mins(30);

/// Start of play and release instant of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Start of play.
    pub starts_at: Timestamp,
    /// Start minus lead.
    pub release_at: Timestamp,
}

impl Times {
    /// The times of a round with this start and lead.
    pub fn new(starts_at: Timestamp, lead_minutes: u16) -> Self {
        Self { starts_at, release_at: starts_at - SignedDuration::from_mins(i64::from(lead_minutes)) }
    }

    /// Refuses a draw whose entropy can be there only at `ready`, too late for ten minutes with the position.
    ///
    /// # Errors
    /// `too-late` with `earliest_starts_at`.
    pub fn check_ready(&self, ready: Timestamp, custom: bool) -> Result<(), Fault> {
        if custom || self.starts_at.duration_since(self.release_at.max(ready)) >= LEAST_WINDOW {
            return Ok(());
        }
        let earliest = whole_second_after(ready) + LEAST_WINDOW;
        let detail = format!(
            "the entropy can be there at {ready}, and players need 10 minutes with the position: the earliest start of \
             play is now {earliest}"
        );
        Err(Fault::new(Code::TooLate, detail).with("earliest_starts_at", earliest.to_string()))
    }

    /// Refuses what lies in the past or leaves players less than ten minutes; `custom` windows only the past.
    ///
    /// # Errors
    /// `start-in-past`, or `too-late` with `earliest_starts_at`.
    pub fn check(&self, now: Timestamp, custom: bool) -> Result<(), Fault> {
        if self.starts_at <= now {
            return Err(Fault::new(
                Code::StartInPast,
                format!("the start of play, {}, lies in the past", self.starts_at),
            ));
        }
        let ready = self.release_at.max(whole_second_after(now));
        if custom || self.starts_at.duration_since(ready) >= LEAST_WINDOW {
            return Ok(());
        }
        let earliest = whole_second_after(now) + LEAST_WINDOW;
        let detail = format!("players need 10 minutes with the position: the earliest start of play is now {earliest}");
        Err(Fault::new(Code::TooLate, detail).with("earliest_starts_at", earliest.to_string()))
    }
}

fn whole_second_after(at: Timestamp) -> Timestamp {
    let whole = Timestamp::from_second(at.as_second()).unwrap_or(at);
    if whole < at { whole + SignedDuration::from_secs(1) } else { whole }
}

/// What the release task does with a sealed draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Its instant has not come.
    NotYet,
    /// It is released now.
    Release,
    /// It was missed, or too little time is left: the arbiter decides.
    Overdue,
}

/// Whether a draw is due. It is released at its instant, or when it became ready if that is later, while at least ten
/// minutes remain (any time in a custom window); after more than two minutes' delay it is overdue.
pub fn due(times: Times, ready_at: Timestamp, now: Timestamp, custom: bool, hold: bool) -> Due {
    let at = times.release_at.max(ready_at);
    let too_short = !custom && times.starts_at.duration_since(at) < LEAST_WINDOW;
    match now.duration_since(at) {
        late if late.is_negative() => Due::NotYet,
        late if hold && (late > GRACE || too_short) => Due::Overdue,
        _ => Due::Release,
    }
}

/// Whether a draw whose entropy is still to come is left to the arbiter: once too little time is left, whatever comes.
pub fn due_without_entropy(times: Times, now: Timestamp, custom: bool, hold: bool) -> Due {
    let least = if custom { SignedDuration::ZERO } else { LEAST_WINDOW };
    if hold && times.starts_at.duration_since(now) < least { Due::Overdue } else { Due::NotYet }
}

/// The IANA zone of this name, from the data built into the program.
///
/// # Errors
/// `time-zone-unknown`.
pub fn zone(name: &str, at: &str) -> Result<TimeZone, Fault> {
    let unknown = || {
        let why = format!("{name:?} is not an IANA time zone such as Europe/Vilnius");
        Fault::at(Code::TimeZoneUnknown, at, why)
    };
    ZONES.get(name).ok().filter(|zone| zone.iana_name() == Some(name)).ok_or_else(unknown)
}

/// An instant as given: civil time in the zone (`2026-12-05T10:00`) or RFC 3339 with an offset. Whole seconds only.
///
/// # Errors
/// `invalid-field`, `local-time-nonexistent` or `local-time-ambiguous`, the latter two with the candidates.
pub fn instant(text: &str, zone: &TimeZone, at: &str) -> Result<Timestamp, Fault> {
    let instant = match (text.parse::<Timestamp>(), text.parse::<DateTime>()) {
        (Ok(instant), _) => instant,
        (Err(_), Ok(civil)) => civil_instant(civil, zone, at)?,
        _ => {
            let why = "a time is civil, 2026-12-05T10:00, or RFC 3339, 2026-12-05T08:00:00Z";
            return Err(Fault::field(at, why));
        }
    };
    match instant {
        _ if instant.subsec_nanosecond() != 0 => Err(Fault::field(at, "times are whole seconds")),
        _ if !YEARS.contains(&instant.as_second()) => Err(Fault::field(at, "a round is played in 1970 to 2999")),
        _ => Ok(instant),
    }
}

fn civil_instant(civil: DateTime, zone: &TimeZone, at: &str) -> Result<Timestamp, Fault> {
    let ambiguous = zone.to_ambiguous_timestamp(civil);
    let (code, what, offsets) = match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { .. } => {
            return ambiguous.unambiguous().map_err(|_| Fault::field(at, "this time is out of range"));
        }
        AmbiguousOffset::Gap { before, after } => (Code::LocalTimeNonexistent, "does not exist", [after, before]),
        AmbiguousOffset::Fold { before, after } => (Code::LocalTimeAmbiguous, "comes twice", [before, after]),
    };
    let candidates = offsets.map(|offset| offset.to_timestamp(civil).map(|t| local(t, zone)).unwrap_or_default());
    let name = zone.iana_name().unwrap_or("its zone");
    let why = format!(
        "{civil} {what} in {name}, where the clocks change that night: say which is meant, {} or {}",
        candidates[0], candidates[1]
    );
    Err(Fault::at(code, at, why).with("candidates", json!(candidates)))
}

/// The instant in the zone, RFC 3339 with offset.
pub fn local(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// What looks like a mistake in a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Play would start between 22:00 and 08:00 local time.
    NightStart,
    /// A round of a lower number starts later, or one of a higher number earlier.
    OutOfOrder,
    /// Another round starts within an hour.
    OverlapsRound,
    /// The release is less than an hour away.
    ReleaseWithin60Min,
}

impl Warning {
    /// Its code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NightStart => "night-start",
            Self::OutOfOrder => "out-of-order",
            Self::OverlapsRound => "overlaps-round",
            Self::ReleaseWithin60Min => "release-within-60-min",
        }
    }
}

/// What looks like a mistake when `round` gets these times beside the `others` (number and start of play).
pub fn warnings(
    round: u16,
    times: Times,
    zone: &TimeZone,
    now: Timestamp,
    others: &[(u16, Timestamp)],
) -> Vec<Warning> {
    let hour = times.starts_at.to_zoned_datetime(zone.clone()).hour();
    let apart = |at: Timestamp| times.starts_at.duration_since(at).abs();
    let mixed = |(number, at): &(u16, Timestamp)| (*number < round) != (*at < times.starts_at);
    let found = [
        (!(8..22).contains(&hour), Warning::NightStart),
        (others.iter().any(mixed), Warning::OutOfOrder),
        (others.iter().any(|(_, at)| apart(*at) < SignedDuration::from_hours(1)), Warning::OverlapsRound),
        (times.release_at.duration_since(now) < SignedDuration::from_hours(1), Warning::ReleaseWithin60Min),
    ];
    found.into_iter().filter(|(holds, _)| *holds).map(|(_, warning)| warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn vilnius() -> TimeZone {
        zone("Europe/Vilnius", "/time_zone").unwrap()
    }

    #[test]
    fn local_times_of_a_night_of_change() {
        let missing = instant("2026-03-29T03:30", &vilnius(), "/s").unwrap_err();
        assert_eq!(missing.code, Code::LocalTimeNonexistent);
        assert_eq!(missing.members["candidates"], json!(["2026-03-29T02:30:00+02:00", "2026-03-29T04:30:00+03:00"]));
        let twice = instant("2026-10-25T03:50", &vilnius(), "/s").unwrap_err();
        assert_eq!(twice.code, Code::LocalTimeAmbiguous);
        assert_eq!(twice.members["candidates"], json!(["2026-10-25T03:50:00+03:00", "2026-10-25T03:50:00+02:00"]));
        for candidate in twice.members["candidates"].as_array().unwrap() {
            assert!(instant(candidate.as_str().unwrap(), &vilnius(), "/s").is_ok());
        }
    }

    #[test]
    fn the_release_is_reckoned_on_the_utc_axis() {
        for (start, utc, release) in [
            ("2026-03-29T04:05", "2026-03-29T01:05:00Z", "2026-03-29T00:50:00Z"),
            ("2026-10-25T04:05", "2026-10-25T02:05:00Z", "2026-10-25T01:50:00Z"),
        ] {
            let times = Times::new(instant(start, &vilnius(), "/s").unwrap(), 15);
            assert_eq!((times.starts_at, times.release_at), (at(utc), at(release)));
        }
        assert_eq!(local(at("2026-03-29T00:50:00Z"), &vilnius()), "2026-03-29T02:50:00+02:00");
        let bucharest = zone("Europe/Bucharest", "/z").unwrap();
        assert_eq!(instant("2026-04-04T15:00", &bucharest, "/s").unwrap(), at("2026-04-04T12:00:00Z"));
    }

    #[test]
    fn zones_have_their_iana_names() {
        for bad in ["Europe/Kaunas", "EET+3", "", "vilnius", "europe/vilnius", "../etc/passwd"] {
            assert_eq!(zone(bad, "/time_zone").unwrap_err().code, Code::TimeZoneUnknown, "{bad}");
        }
        assert!(zone("UTC", "/z").is_ok() && zone("America/Argentina/Buenos_Aires", "/z").is_ok());
    }

    #[test]
    fn instants_are_whole_seconds() {
        assert!(instant("2026-12-05T10:00:00.5", &vilnius(), "/s").is_err());
        for bad in
            ["tomorrow", "-009999-01-02T01:59:59Z", "9999-12-30T22:00:00Z", "3000-01-01T00:00:00Z", "99999-01-01T10:00"]
        {
            assert_eq!(instant(bad, &vilnius(), "/s").unwrap_err().code, Code::InvalidField, "{bad}");
        }
        assert_eq!(instant("2026-12-05T10:00", &vilnius(), "/s").unwrap(), at("2026-12-05T08:00:00Z"));
        assert_eq!(instant("2026-12-05T10:00:00+01:00", &vilnius(), "/s").unwrap(), at("2026-12-05T09:00:00Z"));
    }

    #[test]
    fn too_late_names_the_earliest_start() {
        let now = at("2026-12-05T08:00:00.25Z");
        let check = |start: &str, custom| Times::new(at(start), 15).check(now, custom);
        assert!(check("2026-12-05T08:11:00Z", false).is_ok());
        assert!(check("2026-12-05T08:10:01Z", false).is_ok());
        let fault = check("2026-12-05T08:10:00Z", false).unwrap_err();
        assert_eq!(
            (fault.code, fault.members["earliest_starts_at"].as_str()),
            (Code::TooLate, Some("2026-12-05T08:10:01Z"))
        );
        assert!(check("2026-12-05T08:00:05Z", true).is_ok());
        assert_eq!(check("2026-12-05T08:00:00Z", true).unwrap_err().code, Code::StartInPast);
    }

    #[test]
    fn due_at_the_instant_and_overdue_after_two_minutes() {
        let times = Times::new(at("2026-12-05T10:00:00Z"), 10);
        let ordered = at("2026-12-01T00:00:00Z");
        let due = |now: &str, custom, hold| due(times, ordered, at(now), custom, hold);
        assert_eq!(due("2026-12-05T09:49:59.999Z", false, true), Due::NotYet);
        assert_eq!(due("2026-12-05T09:50:00Z", false, true), Due::Release);
        assert_eq!(due("2026-12-05T09:52:00Z", false, true), Due::Release);
        assert_eq!(due("2026-12-05T09:52:01Z", false, true), Due::Overdue);
        assert_eq!(due("2026-12-05T09:52:01Z", true, true), Due::Overdue);
        assert_eq!(due("2026-12-05T11:00:00Z", false, false), Due::Release);
    }

    #[test]
    fn a_draw_ready_too_late_waits_for_the_arbiter() {
        let times = Times::new(at("2026-12-05T10:00:00Z"), 15);
        let ready = at("2026-12-05T09:50:01Z");
        assert_eq!(due(times, ready, ready, false, true), Due::Overdue);
        assert_eq!(due(times, ready, ready, true, true), Due::Release);
        assert_eq!(due(times, at("2026-12-05T09:50:00Z"), ready, false, true), Due::Release);
    }

    #[test]
    fn a_draw_without_entropy_waits_until_too_little_time_is_left() {
        let times = Times::new(at("2026-12-05T10:00:00Z"), 15);
        let due = |now: &str, custom, hold| due_without_entropy(times, at(now), custom, hold);
        assert_eq!(due("2026-12-05T09:50:00Z", false, true), Due::NotYet);
        assert_eq!(due("2026-12-05T09:50:01Z", false, true), Due::Overdue);
        assert_eq!(due("2026-12-05T10:00:00Z", true, true), Due::NotYet);
        assert_eq!(due("2026-12-05T10:00:01Z", true, true), Due::Overdue);
        assert_eq!(due("2026-12-05T11:00:00Z", false, false), Due::NotYet);
    }

    #[test]
    fn mistakes_are_noticed() {
        let now = at("2026-12-05T06:00:00Z");
        let found = |round, start: &str, others: &[(u16, Timestamp)]| {
            warnings(round, Times::new(at(start), 15), &vilnius(), now, others)
        };
        let others = [(1, at("2026-12-05T08:00:00Z")), (3, at("2026-12-05T14:00:00Z"))];
        assert_eq!(found(2, "2026-12-05T11:00:00Z", &others), []);
        assert_eq!(found(2, "2026-12-05T15:30:00Z", &others), [Warning::OutOfOrder]);
        assert_eq!(found(2, "2026-12-05T08:30:00Z", &others), [Warning::OverlapsRound]);
        assert_eq!(found(4, "2026-12-05T23:00:00Z", &others), [Warning::NightStart]);
        assert_eq!(found(1, "2026-12-05T06:30:00Z", &[]), [Warning::ReleaseWithin60Min]);
    }
}
