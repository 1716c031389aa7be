//! The Termination tag against board and result.

use super::{
    conclusion::End,
    fault::end_in_words,
    finding::{Finding, FindingCode as C},
    replay::Replay,
    result::GameResult,
};
use crate::domain::rules::{Color, Position};

/// What a Termination tag claims, as far as a board or a result can contradict it. The PGN standard names eight values;
/// servers write sentences such as "Ona won on time".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// Mate on the board.
    Checkmate,
    /// Stalemate on the board.
    Stalemate,
    /// A player resigned or overstepped the time.
    GivenUp,
    /// Somebody decided the game.
    Decided,
    /// The game was not finished.
    Unterminated,
}

impl Termination {
    /// What a tag claims, if it claims anything that can be checked.
    pub fn read(tag: &str) -> Option<Self> {
        let tag = tag.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| tag.contains(word));
        match () {
            () if says(&["unterminated"]) => Some(Self::Unterminated),
            () if says(&["stalemate"]) => Some(Self::Stalemate),
            () if says(&["checkmate"]) => Some(Self::Checkmate),
            // "timeout vs insufficient material" and "draw by agreement" claim nothing that the board shows.
            () if says(&["insufficient", "draw"]) => None,
            () if says(&["time forfeit", "on time", "timeout", "resign"]) => Some(Self::GivenUp),
            () if says(&["adjudication", "rules infraction"]) => Some(Self::Decided),
            () => None,
        }
    }

    /// Why the claim cannot be right.
    fn contradicted(self, end: Option<End>, result: GameResult, either_cannot_mate: bool) -> Option<String> {
        let by = end.map(|end| end.by);
        match (self, end) {
            (Self::Checkmate, _) if by != Some(C::Checkmate) => Some("the final position is no checkmate".into()),
            (Self::Stalemate, _) if by != Some(C::Stalemate) => Some("the final position is no stalemate".into()),
            (Self::GivenUp, Some(end)) => {
                Some(format!("the game had ended at half-move {}: {}", end.ply, end_in_words(end.by)))
            }
            (Self::GivenUp | Self::Decided, _) if result == GameResult::Unknown => {
                Some("the record leaves the result open".into())
            }
            (Self::GivenUp, None) if result == GameResult::Drawn && !either_cannot_mate => {
                Some("the record says 1/2-1/2, and both players could still checkmate".into())
            }
            (Self::Unterminated, _) if result != GameResult::Unknown => Some(format!("the record says {result}")),
            _ => None,
        }
    }
}

/// Says what in board or result contradicts the tag.
pub fn look(replay: &mut Replay<'_>, tag: Option<(Termination, usize)>, result: Option<GameResult>) {
    let Some((claim, at)) = tag else { return };
    let cannot_mate = Color::ALL.iter().any(|colour| replay.position.has_insufficient_material(*colour));
    let result = result.unwrap_or(GameResult::Unknown);
    if let Some(why) = claim.contradicted(replay.end, result, cannot_mate) {
        replay.find(Finding::new(C::TerminationTag, format!("the Termination tag does not fit: {why}")).at(at));
    }
}
