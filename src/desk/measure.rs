//! What the games of a round are measured by: the attempt released when the round started, and the round's terms.

use super::{Actor, Desk, kept::Kept};
use crate::{
    bulletin::sealed,
    domain::{
        draw::{Draw, current, judging},
        fault::{Code, Fault},
        game::{
            Drawn, GameReport, Language, Options, Override,
            pairing::{PairedBoard, PairedPlayer, add_findings, seated_at},
        },
        ids::{DrawId, RoundNumber},
        policy::Scope,
        round::Round,
        schedule,
        start_position::StartPosition,
    },
    store::{Pairing, Player, Tournament, Tx},
};
use jiff::tz::TimeZone;

use jiff::Timestamp;

/// A round with everything its games are measured by.
pub(super) struct Measure {
    pub tournament: Tournament,
    pub round: Round,
    pub pairings: Vec<Pairing>,
    /// When the position becomes public, as the bulletin board says it.
    release_at: Option<Timestamp>,
    /// Attempts of all slots of the round's block.
    draws: Vec<Draw>,
    /// Public positions of the tournament, by what they are called.
    others: Vec<(String, StartPosition)>,
}

impl Desk {
    /// What games of this round are measured by, for a token of the tournament.
    ///
    /// # Errors
    /// `tournament-unknown`, `round-unknown`, `outside-token-scope`.
    pub(super) async fn measure(&self, tx: &mut Tx, t: &str, round: u16, actor: &Actor) -> Result<Measure, Fault> {
        let tournament = self.tournament(tx, t).await?;
        actor.must_belong_to(tournament.id)?;
        Measure::load(self, tx, tournament, round).await
    }
}

impl Measure {
    pub(super) async fn load(desk: &Desk, tx: &mut Tx, tournament: Tournament, round: u16) -> Result<Self, Fault> {
        let number = RoundNumber::try_from(round).map_err(|why| Fault::field("/round", why.to_string()))?;
        let row = tx.round(tournament.id, round).await?;
        let row = row.ok_or_else(|| Fault::new(Code::RoundUnknown, format!("round {round} is not scheduled")))?;
        let first = number.block_start(tournament.policy.rounds_per_draw).get();
        let all = tx.draws_of(tournament.id).await?;
        let others = all.iter().filter(|draw| draw.round != first).filter_map(called).collect();
        let draws = all.into_iter().filter(|draw| draw.round == first).collect();
        let pairings = tx.pairings(tournament.id, round).await?;
        let sheet = desk.bulletin.sheet(tournament.slug.as_str());
        let release_at = sheet.and_then(|sheet| sheet.release_at(round));
        Ok(Self { tournament, round: row, pairings, release_at, draws, others })
    }

    /// Whether each board has its own position.
    pub(super) fn per_board(&self) -> bool {
        self.tournament.policy.scope == Scope::Board
    }

    /// The draw that a game on this board is judged by.
    ///
    /// # Errors
    /// `position-sealed` or `draw-voided`: the same for whatever was submitted.
    pub(super) fn draw(&self, board: u16) -> Result<&Draw, Fault> {
        let slot = if self.tournament.policy.scope == Scope::Round { 0 } else { board };
        let start = self.draws.iter().position(|draw| draw.board == slot).unwrap_or(self.draws.len());
        let attempts = self.draws[start..].split(|draw| draw.board != slot).next().unwrap_or_default();
        if let Some(draw) = judging(attempts, self.round.number) {
            return Ok(draw);
        }
        match (current(attempts, self.round.number), attempts.last()) {
            (None, Some(voided)) => {
                let detail = "the draw of this round was voided and not ordered again";
                Err(Fault::new(Code::DrawVoided, detail).with("draw", voided.id.to_string()))
            }
            _ => Err(sealed(self.release_at)),
        }
    }

    /// A draw by which some game of the round is judged: where each board has its own, one voided board does not keep the
    /// games of the others out.
    ///
    /// # Errors
    /// As [`Measure::draw`], of the first board, when there is none.
    pub(super) fn any_draw(&self) -> Result<&Draw, Fault> {
        let boards = self.pairings.iter().map(|pairing| pairing.board);
        let first = self.pairings.first().map_or(1, |pairing| pairing.board);
        boards.map(|board| self.draw(board)).find(Result::is_ok).unwrap_or_else(|| self.draw(first))
    }

    /// The draw of this id, if it is one of the round's.
    pub(super) fn draw_of(&self, id: DrawId) -> Option<&Draw> {
        self.draws.iter().find(|draw| draw.id == id)
    }

    /// The board's pairing.
    ///
    /// # Errors
    /// `board-unpaired`.
    pub(super) fn pairing(&self, board: u16) -> Result<&Pairing, Fault> {
        let unpaired = || {
            let detail = format!("nobody is paired on board {board} in round {}", self.round.number);
            Fault::new(Code::BoardUnpaired, detail)
        };
        self.pairings.iter().find(|pairing| pairing.board == board).ok_or_else(unpaired)
    }

    /// The report on a game of this board: replayed from the draw, its players compared with the pairing.
    ///
    /// # Errors
    /// `board-unpaired`, and what keeps the record from being read.
    pub(super) async fn judge(
        &self,
        board: u16,
        draw: &Draw,
        kept: Kept,
        language: Language,
        overrides: Vec<Override>,
    ) -> Result<GameReport, Fault> {
        let paired = paired(self.pairing(board)?);
        let options = Options { overrides: overrides.clone(), ..self.options(draw, language)? };
        let mut report = kept.validated(options).await?;
        let found = seated_at(&report.tags, &paired);
        add_findings(&mut report, &found, &overrides);
        Ok(report)
    }

    /// What a game judged by `draw` is validated against.
    ///
    /// # Errors
    /// When the draw has no number, which a judging one always has.
    pub(super) fn options(&self, draw: &Draw, language: Language) -> Result<Options, Fault> {
        let release = draw.release.as_ref().ok_or_else(|| Fault::internal("a judging draw without a release"))?;
        let policy = &self.tournament.policy;
        let same_round = self.draws.iter().filter(|other| other.id != draw.id).filter_map(called);
        let drawn = Drawn {
            position: StartPosition::from_number(release.number),
            others: self.others.iter().cloned().chain(same_round).collect(),
        };
        let zone = schedule::zone(&self.tournament.time_zone, "").unwrap_or(TimeZone::UTC);
        Ok(Options {
            drawn: Some(drawn),
            released_on: Some(release.at.to_zoned_datetime(zone).date()),
            supervision: self.round.supervision.unwrap_or(policy.supervision),
            time_control: self.round.time_control.unwrap_or(policy.time_control),
            language,
            overrides: Vec::new(),
        })
    }
}

/// A pairing, as records are compared with it.
pub(super) fn paired(pairing: &Pairing) -> PairedBoard {
    let player = |player: &Player| PairedPlayer { name: player.name.clone(), fide_id: player.fide_id.clone() };
    PairedBoard { board: u32::from(pairing.board), white: player(&pairing.white), black: player(&pairing.black) }
}

/// A public position by what people call it.
fn called(draw: &Draw) -> Option<(String, StartPosition)> {
    let release = draw.release.as_ref()?;
    let board = if draw.board == 0 { String::new() } else { format!(" board {}", draw.board) };
    let attempt = if draw.void.is_some() { format!(" (voided attempt {})", draw.attempt) } else { String::new() };
    Some((format!("round {}{board}{attempt}", draw.round), StartPosition::from_number(release.number)))
}
