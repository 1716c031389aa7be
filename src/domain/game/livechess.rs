//! The game files of electronic boards: the JSON that DGT LiveChess writes for each board of a round.

use super::{
    Finding, FindingCode as C, GameReport, GameResult, MoveNotation, Options, Record, Start, Submission, Verdict,
    conclusion,
};
use crate::domain::{fen::ReadFenError, position_number::PositionNumber};
use serde::Deserialize;

/// A LiveChess game file, as far as a validation needs it.
#[derive(Clone, Debug, Deserialize)]
pub struct LiveChessGame {
    /// Position number, 518 for a classical game.
    #[serde(default)]
    pub chess960: Option<u16>,
    /// `WHITEWIN`, `BLACKWIN`, `DRAW`, or something else while the game is on.
    #[serde(default)]
    pub result: Option<String>,
    /// A move in SAN, then the seconds left and used: `Nf3 934+2`.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// Why a text is no LiveChess game.
#[derive(Debug)]
pub enum NotALiveChessGame {
    /// Not the JSON of a game file.
    Json(serde_json::Error),
    /// A position number beyond 959.
    Number(u16),
    /// The start that the submission gives is no position.
    Start(ReadFenError),
}

impl std::fmt::Display for NotALiveChessGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Json(why) => write!(f, "this is not a LiveChess game file: {why}"),
            Self::Number(n) => write!(f, "the game file has position number {n}; they run from 0 to 959"),
            Self::Start(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for NotALiveChessGame {}

impl LiveChessGame {
    /// Reads a game file.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(json: &[u8]) -> Result<Self, NotALiveChessGame> {
        let object: serde_json::Map<_, _> = serde_json::from_slice(json).map_err(NotALiveChessGame::Json)?;
        serde_json::from_value(object.into()).map_err(NotALiveChessGame::Json)
    }

    /// The position number of the board, if the file has one.
    ///
    /// # Errors
    /// When it is beyond 959.
    pub fn number(&self) -> Result<Option<PositionNumber>, NotALiveChessGame> {
        let number = |n| PositionNumber::try_from(n).map_err(|_| NotALiveChessGame::Number(n));
        self.chess960.map(number).transpose()
    }

    /// The result, if the game is over.
    pub fn result(&self) -> GameResult {
        match self.result.as_deref() {
            Some("WHITEWIN") => GameResult::WhiteWins,
            Some("BLACKWIN") => GameResult::BlackWins,
            Some("DRAW") => GameResult::Drawn,
            _ => GameResult::Unknown,
        }
    }

    /// Validates the game from the drawn position, else from the one whose number the file has.
    ///
    /// # Errors
    /// When the number is beyond 959.
    pub fn validate(&self, options: &Options) -> Result<GameReport, NotALiveChessGame> {
        let number = self.number()?;
        let start = number.map_or(Start::FromTags, Start::Number);
        let options = super::with_number(&start, options);
        let words: Vec<String> = self.moves.iter().map(|m| first_word(m).to_owned()).collect();
        let submission = Submission { start, record: Record::Moves(&words, MoveNotation::San) };
        let result = conclusion::Recorded::of_list(self.result());
        let mut report = super::validate_list(&submission, &options, &result).map_err(NotALiveChessGame::Start)?;
        if let (Some(number), Some(drawn)) = (number, &options.drawn)
            && drawn.position.number() != number
        {
            let message = format!("the board was set to position {number}, drawn was {}", drawn.position.number());
            report.findings.insert(0, Finding::new(C::NotTheDrawnPosition, message));
            report.verdict = Verdict::of(&report.findings, true);
        }
        Ok(report)
    }
}

fn first_word(text: &str) -> &str {
    text.split_ascii_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_ran_another_position_is_found() {
        let game = LiveChessGame::read(
            br#"{"live":false,"serialNr":"1","firstMove":0,"chess960":518,"result":"WHITEWIN","moves":["e4 934+2","e5","Nf3 1+1"]}"#,
        )
        .unwrap();
        let report = game.validate(&Options::default()).unwrap();
        assert_eq!((report.verdict, report.plies), (Verdict::LegalComplete, 3));
        let drawn =
            super::super::with_number(&Start::Number(PositionNumber::try_from(0).unwrap()), &Options::default());
        assert_eq!(game.validate(&drawn).unwrap().verdict, Verdict::NotTheDrawnPosition);
        assert!(LiveChessGame::read(b"[1, 2").is_err());
        assert!(LiveChessGame::read(b"[]").is_err());
        assert!(LiveChessGame::read(br#"{"chess960": 960}"#).unwrap().validate(&Options::default()).is_err());
    }
}
