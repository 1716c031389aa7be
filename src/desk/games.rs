//! Games: submitting the record of one board.

use super::{Act, Actor, Desk, kept::Kept, measure::Measure};
use crate::{
    domain::{
        draw::Draw,
        entry::Event,
        fault::{Code, Fault},
        game::{GameReport, Language},
        ids::GameId,
        role::Role,
    },
    store::GameRow,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// As what a record takes another's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplaceAs {
    /// The same game, written down better.
    Correction,
    /// The game that was played instead.
    Replay,
}

impl ReplaceAs {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Replay => "replay",
        }
    }
}

/// How a list of moves is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// Algebraic.
    #[default]
    San,
    /// Squares; castling is king takes rook.
    Uci,
}

/// The record of one game: exactly one of pgn, moves, livechess.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"round": 1, "board": 1, "moves": ["e4", "e5", "d3", "d6", "a3", "a6"], "notation": "san",
    "result": "1/2-1/2"}))]
pub struct GameRequest {
    /// Round.
    pub round: u16,
    /// Board.
    pub board: u16,
    /// The game in PGN.
    pub pgn: Option<String>,
    /// The game as a list of moves.
    pub moves: Option<Vec<String>>,
    /// How the moves are written: `san` or `uci`.
    pub notation: Option<Notation>,
    /// The result beside a list of moves: `1-0`, `0-1`, `1/2-1/2`, `*`.
    pub result: Option<String>,
    /// The game file of an electronic board.
    #[schema(value_type = Option<Object>)]
    pub livechess: Option<Value>,
    /// Language of the piece letters, `en` by default.
    pub notation_language: Option<String>,
    /// The record that this one replaces.
    pub replaces: Option<String>,
    /// As what it replaces it.
    #[serde(rename = "as")]
    pub replaces_as: Option<ReplaceAs>,
}

/// A record after its submission.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The record.
    pub game: GameRow,
    /// Whether it was recorded now; false for the same bytes again.
    pub new: bool,
}

impl Desk {
    /// Refuses what cannot be submitted whatever it contains: wrong token, unknown round, unreleased position.
    ///
    /// # Errors
    /// `position-sealed` and the like, before the game itself is looked at.
    pub async fn may_submit(&self, t: &str, actor: &Actor, round: u16, board: Option<u16>) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy, Role::Pairing])?;
        let mut tx = self.store.read().await?;
        let measure = self.measure(&mut tx, t, round, actor).await?;
        board.map_or_else(|| measure.any_draw(), |board| measure.draw(board)).map(|_| ())
    }

    /// Validates a game against the position drawn for its board, and records it.
    ///
    /// # Errors
    /// `board-unpaired`, `game-exists` and others; nothing is recorded then.
    pub async fn submit_game(&self, t: &str, actor: &Actor, request: &GameRequest) -> Result<Recorded, Fault> {
        self.may_submit(t, actor, request.round, Some(request.board)).await?;
        let kept = Kept::of(request)?;
        let language = language(request.notation_language.as_deref())?;
        let (draw, report) = {
            let mut tx = self.store.read().await?;
            let measure = self.measure(&mut tx, t, request.round, actor).await?;
            let draw = measure.draw(request.board)?.clone();
            let report = measure.judge(request.board, &draw, kept.clone(), language, Vec::new()).await?;
            (draw, report)
        };
        let replaces = replaces(request)?;
        let mut act = self.act(t, actor).await?;
        let measure = Measure::load(self, &mut act.tx, act.tournament.clone(), request.round).await?;
        let recorded = act.record(&measure, request.board, &draw, kept, language, &report, replaces).await?;
        act.finish().await?;
        Ok(recorded)
    }
}

/// The language of the piece letters; English where none is named.
///
/// # Errors
/// `invalid-field` for a language that is not known here.
pub fn language(code: Option<&str>) -> Result<Language, Fault> {
    let code = code.unwrap_or("en");
    code.parse().map_err(|_| Fault::field("/notation_language", format!("{code:?} is not a language known here")))
}

fn replaces(request: &GameRequest) -> Result<Option<(GameId, ReplaceAs)>, Fault> {
    match (&request.replaces, request.replaces_as) {
        (None, None) => Ok(None),
        (Some(id), Some(how)) => {
            let id = id.parse().map_err(|_| Fault::new(Code::GameUnknown, format!("there is no game {id:?}")))?;
            Ok(Some((id, how)))
        }
        _ => Err(Fault::field("/as", "replaces and as go together: name the record, and correction or replay")),
    }
}

impl Act<'_> {
    /// Records a validated game, unless it is there already or another is. `measure` is the round as this act sees it.
    #[expect(clippy::too_many_arguments, reason = "each is a column of the row; a struct would only name them twice")]
    pub(super) async fn record(
        &mut self,
        measure: &Measure,
        board: u16,
        draw: &Draw,
        kept: Kept,
        language: Language,
        report: &GameReport,
        replaces: Option<(GameId, ReplaceAs)>,
    ) -> Result<Recorded, Fault> {
        let round = measure.round.number;
        check_judge(measure, board, draw)?;
        let games = self.tx.games_of_board(self.tournament.id, round, board).await?;
        let body_hash = kept.hash();
        let replaces_row = replaces.map(|(id, how)| (id, how.as_str().to_owned()));
        if let Some(same) = same(&games, &body_hash, language, replaces_row.as_ref()) {
            return Ok(Recorded { game: same.clone(), new: false });
        }
        check_place(&games, replaces)?;
        let id = GameId::new(self.now, self.desk.entropy.bytes()?);
        let verdict = report.verdict.as_str().to_owned();
        let entry = self
            .append(&Event::Game {
                game: id.to_string(),
                round,
                board,
                attempt: draw.attempt,
                hash: body_hash.clone(),
                verdict: verdict.clone(),
                counts: true,
            })
            .await?;
        let game = GameRow {
            id,
            tournament: self.tournament.id,
            round,
            board,
            draw: draw.id,
            submitted_at: self.now,
            submitted_by: self.by.clone(),
            media_type: kept.media_type,
            language: language.code.to_owned(),
            body: kept.body,
            body_hash,
            verdict,
            report: serde_json::to_value(report).map_err(|why| Fault::internal(why.to_string()))?,
            replaces: replaces_row,
            entry,
            annulled: None,
        };
        self.tx.insert_game(&game).await?;
        Ok(Recorded { game, new: true })
    }
}

/// The draw may have been voided while the game was being validated.
fn check_judge(measure: &Measure, board: u16, draw: &Draw) -> Result<(), Fault> {
    measure.pairing(board)?;
    if measure.draw(board)?.id == draw.id {
        return Ok(());
    }
    let detail = "the draw of this round changed while the game was being validated: submit it again";
    Err(Fault::new(Code::DrawVoided, detail))
}

/// The record that an earlier, equal submission made. A replay may have the moves of the game it replaces, and a correction
/// may go back to an earlier record or only change the language: those are submissions of their own.
fn same<'g>(
    games: &'g [GameRow],
    body_hash: &str,
    language: Language,
    replaces: Option<&(GameId, String)>,
) -> Option<&'g GameRow> {
    let equal = |game: &&GameRow| game.body_hash == body_hash && game.language == language.code;
    let mut equals = games.iter().filter(equal);
    equals.find(|game| replaces.is_none() || game.replaces.as_ref() == replaces)
}

/// The record of a board that counts: the newest that was neither replaced nor annulled.
pub fn counting(games: &[GameRow]) -> Option<&GameRow> {
    let replaced = |id| games.iter().any(|game| game.replaces.as_ref().is_some_and(|(old, _)| *old == id));
    games.iter().rev().find(|game| game.annulled.is_none() && !replaced(game.id))
}

fn check_place(games: &[GameRow], replaces: Option<(GameId, ReplaceAs)>) -> Result<(), Fault> {
    match (counting(games), replaces) {
        (None, None) => Ok(()),
        (Some(old), Some((id, _))) if old.id == id => Ok(()),
        (Some(old), None) => {
            let detail = "this board has a record of its game: say replaces and as to put this one in its place";
            Err(Fault::new(Code::GameExists, detail).with("game", old.id.to_string()))
        }
        (None, Some((id, ReplaceAs::Replay))) if games.iter().any(|game| game.id == id && game.annulled.is_some()) => {
            Ok(())
        }
        (_, Some((id, _))) if games.iter().any(|game| game.id == id) => {
            Err(Fault::new(Code::GameAnnulled, format!("the game {id} was annulled or replaced before")))
        }
        (_, Some((id, _))) => Err(Fault::new(Code::GameUnknown, format!("this board has no game {id}"))),
    }
}
