//! What a game is validated against.

use super::{
    finding::{Acceptance, FindingCode},
    letters::Language,
};
use crate::domain::{
    policy::TimeControl, position_number::PositionNumber, start_position::StartPosition, supervision::Supervision,
};
use jiff::civil::Date;

/// Where a game starts, when the submission says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The tags of the record say it.
    #[default]
    FromTags,
    /// One of the 960.
    Number(PositionNumber),
    /// Any legal position.
    Fen(String),
}

/// The position that was drawn for a game: what a record in a tournament is measured by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The drawn position.
    pub position: StartPosition,
    /// Positions of other rounds or boards with what they are called, such as `round 3`.
    pub others: Vec<(String, StartPosition)>,
}

/// What an arbiter lets stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Half-move of the finding; none for findings that have none.
    pub ply: Option<u32>,
    /// Code of the finding; none for whatever is found at that half-move.
    pub code: Option<FindingCode>,
    /// Article and reason.
    pub acceptance: Acceptance,
    /// The position from which play went on, when it is not the position as moved.
    pub position: Option<String>,
}

/// What a game is validated against, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The drawn position; the game is replayed from it, whatever the tags say.
    pub drawn: Option<Drawn>,
    /// Supervision of the event.
    pub supervision: Supervision,
    /// Class of its time control.
    pub time_control: TimeControl,
    /// Language of the piece letters.
    pub language: Language,
    /// The day on which the position was released, in the hall: no game from it was played before.
    pub released_on: Option<Date>,
    /// What an arbiter let stand.
    pub overrides: Vec<Override>,
}

impl Options {
    /// Supervision as the Laws apply it: standard games are always supervised in full.
    pub fn supervision_in_force(&self) -> Supervision {
        if self.lets_unclaimed_stand() { Supervision::Basic } else { Supervision::Full }
    }

    /// Whether rapid or blitz is played without full supervision, so that irregularities not claimed in time stand
    /// (A.5.1.2, A.5.2; B.3).
    pub fn lets_unclaimed_stand(&self) -> bool {
        self.supervision == Supervision::Basic && self.time_control != TimeControl::Standard
    }
}
