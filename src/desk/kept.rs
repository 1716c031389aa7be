//! A record as it is kept: exact bytes, and how they are read.

use super::games::{GameRequest, Notation};
use crate::domain::{
    derivation::Hash32,
    fault::Fault,
    game::{
        GameReport, GameResult, MoveNotation, Options, Record, Start, Submission, conclusion, livechess::LiveChessGame,
        validate, validate_list,
    },
};
use serde::{Deserialize, Serialize};

/// The game itself, as it is kept: exact bytes, and what they are.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub media_type: String,
    pub body: Vec<u8>,
}

/// What is kept of a list of moves.
#[derive(Serialize, Deserialize)]
struct MoveList {
    moves: Vec<String>,
    notation: Notation,
    result: Option<String>,
}

pub(super) const PGN: &str = "application/x-chess-pgn";
const MOVES: &str = "application/vnd.draw960.moves+json";
const LIVECHESS: &str = "application/vnd.livechess.game+json";

impl Kept {
    pub(super) fn of(request: &GameRequest) -> Result<Self, Fault> {
        let only_moves = request.notation.is_some() || request.result.is_some();
        match (&request.pgn, &request.moves, &request.livechess) {
            (Some(pgn), None, None) if !only_moves => {
                Ok(Self { media_type: PGN.into(), body: pgn.clone().into_bytes() })
            }
            (None, Some(moves), None) => {
                if let Some(result) = &request.result {
                    GameResult::read(result.as_bytes())
                        .ok_or_else(|| Fault::field("/result", "one of 1-0, 0-1, 1/2-1/2, *"))?;
                }
                let notation = request.notation.unwrap_or_default();
                let list = MoveList { moves: moves.clone(), notation, result: request.result.clone() };
                Ok(Self { media_type: MOVES.into(), body: json(&list)? })
            }
            (None, None, Some(game)) if !only_moves => Ok(Self { media_type: LIVECHESS.into(), body: json(game)? }),
            _ => Err(Fault::field("/pgn", "give exactly one of pgn, moves (with notation and result), livechess")),
        }
    }

    pub(super) fn hash(&self) -> String {
        Hash32::of([self.body.as_slice()]).to_string()
    }

    /// Validates off the threads that answer requests.
    pub(super) async fn validated(self, options: Options) -> Result<GameReport, Fault> {
        let done = tokio::task::spawn_blocking(move || self.validate(&options)).await;
        done.map_err(|why| Fault::internal(why.to_string()))?
    }

    fn validate(&self, options: &Options) -> Result<GameReport, Fault> {
        let broken =
            |why: &dyn std::fmt::Display| Fault::internal(format!("the drawn position cannot be played: {why}"));
        let start = Start::default();
        match self.media_type.as_str() {
            MOVES => {
                let list: MoveList = self.json()?;
                let result = list.result.as_deref().and_then(|text| GameResult::read(text.as_bytes()));
                let recorded = result.map(conclusion::Recorded::of_list).unwrap_or_default();
                let notation = match list.notation {
                    Notation::San => MoveNotation::San,
                    Notation::Uci => MoveNotation::Uci,
                };
                let submission = Submission { start, record: Record::Moves(&list.moves, notation) };
                validate_list(&submission, options, &recorded).map_err(|why| broken(&why))
            }
            LIVECHESS => {
                let game =
                    LiveChessGame::read(&self.body).map_err(|why| Fault::field("/livechess", why.to_string()))?;
                game.validate(options).map_err(|why| Fault::field("/livechess", why.to_string()))
            }
            _ => validate(&Submission { start, record: Record::Pgn(&self.body) }, options).map_err(|why| broken(&why)),
        }
    }

    fn json<T: for<'de> Deserialize<'de>>(&self) -> Result<T, Fault> {
        serde_json::from_slice(&self.body).map_err(|why| Fault::internal(why.to_string()))
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|why| Fault::internal(why.to_string()))
}
