//! The slot: what one draw serves.

use super::SCHEME;
use std::fmt::{self, Write};

/// What one draw serves: a round of a tournament, all its boards or one, and which attempt at it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// Origin of the log that the tournament was created on.
    pub origin: String,
    /// Slug of the tournament, the one printed in its regulations.
    pub event: String,
    /// Round, or first round of its block, from 1.
    pub round: u16,
    /// Board, or 0 for all boards of the round.
    pub board: u16,
    /// Attempt, from 1; every one after the first follows a void.
    pub attempt: u16,
}

/// Room for the text of most slots.
const SLOT_ROOM: usize = 160;

/// Why there is no such slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadSlot {
    /// Not an origin.
    Origin,
    /// Not a slug.
    Event,
    /// Not a round number.
    Round,
    /// Not a board number.
    Board,
    /// Not an attempt number.
    Attempt,
}

impl fmt::Display for BadSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Origin => "an origin is 1 to 128 printable ASCII characters without blanks and plus signs",
            Self::Event => "a slug is 3 to 63 of a-z, 0-9 and hyphens, beginning with a letter or digit",
            Self::Round => "rounds are numbered 1 to 9999",
            Self::Board => "boards are numbered 1 to 9999; 0 stands for all boards",
            Self::Attempt => "attempts are numbered 1 to 99",
        })
    }
}

impl std::error::Error for BadSlot {}

/// Whether `text` can be the origin of a log: also the name of its key in signed notes, hence no blank and no `+`.
pub fn is_origin(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic() && b != b'+')
}

/// Whether `text` can be the slug of a tournament: `[a-z0-9][a-z0-9-]{2,62}`.
pub fn is_slug(text: &str) -> bool {
    (3..=63).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

impl Slot {
    /// This slot, if its fields keep their grammar; only then is [`Slot::text`] the text of no other slot.
    ///
    /// # Errors
    /// The first field that does not.
    pub fn checked(self) -> Result<Self, BadSlot> {
        self.check().map(|()| self)
    }

    fn check(&self) -> Result<(), BadSlot> {
        let claims = [
            (is_origin(&self.origin), BadSlot::Origin),
            (is_slug(&self.event), BadSlot::Event),
            ((1..=9999).contains(&self.round), BadSlot::Round),
            (self.board <= 9999, BadSlot::Board),
            ((1..=99).contains(&self.attempt), BadSlot::Attempt),
        ];
        claims.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, why)| Err(why))
    }

    /// The slot's lines in `draw960/v1`.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(SLOT_ROOM);
        self.push_text(&mut text);
        text
    }

    /// Appends those lines.
    pub(super) fn push_text(&self, text: &mut String) {
        debug_assert_eq!(self.check(), Ok(()), "a slot is checked before its text is used");
        let Self { origin, event, round, board, attempt } = self;
        for part in [SCHEME, "\nlog ", origin, "\nevent ", event] {
            text.push_str(part);
        }
        let _ = write!(text, "\nround {round}\nboard {board}\nattempt {attempt}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot() -> Slot {
        Slot { origin: "draw960.local/3f1c9a20".into(), event: "open".into(), round: 1, board: 0, attempt: 1 }
    }

    #[test]
    fn fields_keep_their_grammar() {
        assert_eq!(slot().checked(), Ok(slot()));
        for origin in ["", "a b", "a+b", "a\nb", "é", &"a".repeat(129)] {
            assert_eq!(Slot { origin: origin.into(), ..slot() }.checked(), Err(BadSlot::Origin));
        }
        for event in ["", "ab", "-abc", "Abc", "a_c", "a\nb", "a b", "žal", &"a".repeat(64)] {
            assert_eq!(Slot { event: event.into(), ..slot() }.checked(), Err(BadSlot::Event), "{event}");
        }
        assert_eq!(Slot { round: 0, ..slot() }.checked(), Err(BadSlot::Round));
        assert_eq!(Slot { round: 10_000, ..slot() }.checked(), Err(BadSlot::Round));
        assert_eq!(Slot { board: 10_000, ..slot() }.checked(), Err(BadSlot::Board));
        assert_eq!(Slot { attempt: 0, ..slot() }.checked(), Err(BadSlot::Attempt));
        assert_eq!(Slot { attempt: 100, ..slot() }.checked(), Err(BadSlot::Attempt));
        assert!(is_slug(&"a".repeat(63)) && is_slug("2026-open"));
    }
}
