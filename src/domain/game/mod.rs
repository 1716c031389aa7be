//! A submitted game: read it, replay it, say everything that is wrong with it.
//!
//! [`validate`] answers for one game, [`Validator`] for many. The words, each with a file:
//!
//! * [`options`]: what a game is validated against; [`header`]: where it starts and what its tags say.
//! * [`pgn`]: text to tokens; [`livechess`]: the game files of electronic boards.
//! * [`notation`], [`liberal`], [`letters`]: a word to what it says; [`board`]: to the one legal move; [`spelled`]: back;
//!   [`spelling`]: what is not canonical about it.
//! * [`replay`], [`repetition`], [`numbering`], [`ends`], [`dead`]: move by move; [`conclusion`]: the end against the result.
//! * [`refusal`], [`mod@array`], [`fault`]: why not; [`forced`]: what stands all the same.
//! * [`termination`], [`dated`]: what the tags of these names claim.
//! * [`finding`], [`finding_code`], [`findings`], [`verdict`], [`report`], [`result`]: the answer.
//! * [`pairing`]: games of a round to its boards.

pub mod array;
pub mod board;
pub mod conclusion;
pub mod dated;
pub mod dead;
pub mod ends;
pub mod fault;
pub mod finding;
pub mod finding_code;
pub mod findings;
pub mod forced;
pub mod header;
pub mod letters;
pub mod liberal;
pub mod livechess;
pub mod notation;
pub mod numbering;
pub mod options;
pub mod pairing;
pub mod pgn;
pub mod refusal;
pub mod repetition;
pub mod replay;
pub mod report;
pub mod result;
pub mod spelled;
pub mod spelling;
pub mod termination;
pub mod validator;
pub mod verdict;

pub use finding::{Acceptance, Finding, FindingCode, Severity};
pub use letters::Language;
pub use options::{Drawn, Options, Override, Start};
pub use report::{GameReport, GameTags, MoveTexts};
pub use result::GameResult;
pub use validator::Validator;
pub use verdict::Verdict;

pub use super::{policy::TimeControl, supervision::Supervision};

use super::fen::ReadFenError;
use conclusion::Recorded;

/// How a list of moves is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoveNotation {
    /// Algebraic, in the notation language.
    #[default]
    San,
    /// Squares; castling is king takes rook.
    Uci,
}

/// What is submitted.
#[derive(Clone, Copy, Debug)]
pub enum Record<'a> {
    /// A text in PGN, with whatever bytes it has.
    Pgn(&'a [u8]),
    /// A list of moves, one word each.
    Moves(&'a [String], MoveNotation),
}

/// One game and where it starts.
#[derive(Clone, Debug)]
pub struct Submission<'a> {
    /// Where it starts, if that is given.
    pub start: Start,
    /// The game.
    pub record: Record<'a>,
}

/// Validates one game. A text with more than one is an error; its first is reported.
///
/// # Errors
/// When the submission gives a start that is no position: nothing can be said about the game then.
pub fn validate(submission: &Submission<'_>, options: &Options) -> Result<GameReport, ReadFenError> {
    validate_list(submission, options, &Recorded::default())
}

/// Validates one game; `recorded` is the result that stands beside a list of moves.
///
/// # Errors
/// When the submission gives a start that is no position.
pub fn validate_list(
    submission: &Submission<'_>,
    options: &Options,
    recorded: &Recorded,
) -> Result<GameReport, ReadFenError> {
    let options = with_number(&submission.start, options);
    let mut validator = Validator::new(&submission.start, &options)?;
    Ok(match submission.record {
        Record::Pgn(text) => validator.only_game(text),
        Record::Moves(moves, notation) => validator.moves(moves, notation, recorded),
    })
}

/// Validates all games of a text, in their order.
///
/// # Errors
/// When the submission gives a start that is no position.
pub fn validate_all(text: &[u8], start: &Start, options: &Options) -> Result<Vec<GameReport>, ReadFenError> {
    let options = with_number(start, options);
    let mut validator = Validator::new(start, &options)?;
    let mut reports = Vec::new();
    validator.each_game(text, 1, |report| reports.push(report));
    Ok(reports)
}

/// A start given by number measures a record as a draw does.
pub fn with_number(start: &Start, options: &Options) -> Options {
    let mut options = options.clone();
    if let (Start::Number(number), None) = (start, &options.drawn) {
        let position = super::start_position::StartPosition::from_number(*number);
        options.drawn = Some(Drawn { position, others: Vec::new() });
    }
    options
}

#[cfg(test)]
mod tests;
