//! The Date tag against the day on which the position was released.

use super::{
    finding::{Finding, FindingCode as C},
    pgn::tags::Tags,
    replay::Replay,
};
use jiff::civil::Date;

/// A game cannot have been played before its position was public: the tag is wrong, or somebody knew the position.
pub fn look(replay: &mut Replay<'_>, tags: &Tags<'_>, released_on: Date) {
    if let Some(tag) = tags.get("Date").filter(|tag| is_before(&tag.value(), released_on)) {
        let message = format!("the game is dated {}, its position was released on {released_on}", tag.value());
        replay.find(Finding::new(C::DatedBeforeRelease, message).at(tag.at).about(tag.raw));
    }
}

/// Whether a Date tag, `2026.12.05` with `??` for what is not known, is certainly an earlier day.
fn is_before(tag: &str, day: Date) -> bool {
    let parts = [i32::from(day.year()), i32::from(day.month()), i32::from(day.day())];
    for (part, of_day) in tag.trim().split(['.', '-', '/']).zip(parts) {
        match part.parse::<i32>() {
            // A day or month in front is another country's order.
            Ok(_) if of_day == parts[0] && part.len() != 4 => return false,
            Ok(part) if part == of_day => {}
            Ok(part) => return part < of_day,
            Err(_) => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_day_that_is_certainly_earlier_is_before() {
        let day = jiff::civil::date(2026, 12, 5);
        for earlier in ["2026.12.04", "2026.11.30", "2025.12.31", "2026-12-04", "2026.11.??", "2025.??.??"] {
            assert!(is_before(earlier, day), "{earlier}");
        }
        for other in
            ["2026.12.05", "2026.12.06", "2027.01.01", "2026.??.01", "2026.12.??", "????.??.??", "", "04.12.2026"]
        {
            assert!(!is_before(other, day), "{other}");
        }
    }
}
