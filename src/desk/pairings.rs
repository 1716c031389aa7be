//! Publishing the pairings of a round.

use super::{Act, Actor, Desk};
use crate::{
    domain::{
        entry::{Event, salted_hash},
        fault::{Code, Fault},
        ids::{BoardNumber, RoundNumber},
        role::Role,
        round::RoundState,
    },
    store::{Bye, Pairing, Player},
};
use serde::Deserialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// The pairings of a round; they replace all.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"boards": [{"board": 1, "white": {"name": "Jankauskas, Ona"}, "black": {"name": "Petraitis, Jonas"}}]}))]
pub struct PairingsRequest {
    /// Boards.
    pub boards: Vec<Pairing>,
    /// Players without an opponent.
    #[serde(default)]
    pub byes: Vec<Bye>,
    /// Why pairings change after the release; required then, and shown.
    pub reason: Option<String>,
}

impl Desk {
    /// Replaces the pairings of a round.
    ///
    /// # Errors
    /// `board-has-game` when a board with a game would be dropped, `pairings-frozen` after the release without a reason.
    pub async fn put_pairings(
        &self,
        tournament: &str,
        round: RoundNumber,
        actor: &Actor,
        request: &PairingsRequest,
    ) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy, Role::Pairing])?;
        check_boards(&request.boards)?;
        for (i, bye) in request.byes.iter().enumerate() {
            check_player(&bye.player, &format!("/byes/{i}/player"))?;
        }
        let mut act = self.act_in_open(tournament, actor).await?;
        act.check_change(round, request).await?;
        let (id, number) = (act.tournament.id, round.get());
        act.tx.replace_pairings(id, number, &request.boards, &request.byes).await?;
        let text =
            serde_json::to_string(&(&request.boards, &request.byes)).map_err(|why| Fault::internal(why.to_string()))?;
        let salt = self.chance_hex::<16>()?;
        let hash = salted_hash(&salt, &text).to_string();
        let entry = act.append(&Event::Pairings { round: number, hash }).await?;
        act.tx.insert_note(entry, entry, &salt, &text).await?;
        act.note(entry, request.reason.as_deref()).await?;
        act.finish().await
    }
}

fn check_boards(boards: &[Pairing]) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    for (i, pairing) in boards.iter().enumerate() {
        let at = |field: &str| format!("/boards/{i}/{field}");
        BoardNumber::try_from(pairing.board).map_err(|why| Fault::field(at("board"), why.to_string()))?;
        if !seen.insert(pairing.board) {
            return Err(Fault::field(at("board"), format!("board {} is paired twice", pairing.board)));
        }
        pairing.label.as_deref().map_or(Ok(()), |label| check_text(label, &at("label")))?;
        check_player(&pairing.white, &at("white"))?;
        check_player(&pairing.black, &at("black"))?;
    }
    Ok(())
}

fn check_player(player: &Player, at: &str) -> Result<(), Fault> {
    check_text(&player.name, &format!("{at}/name"))?;
    for (field, text) in [("fide_id", &player.fide_id), ("team", &player.team)] {
        text.as_deref().map_or(Ok(()), |text| check_text(text, &format!("{at}/{field}")))?;
    }
    Ok(())
}

/// A name for people: not empty, not endless, and nothing that could overwrite what stands beside it.
pub(super) fn check_text(text: &str, at: &str) -> Result<(), Fault> {
    let harmful = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    match text {
        _ if text.trim().is_empty() => Err(Fault::field(at, "a name may not be empty")),
        _ if text.chars().count() > 200 => Err(Fault::field(at, "a name has at most 200 characters")),
        _ if text.contains(harmful) => Err(Fault::field(at, "a name has no control or direction characters")),
        _ => Ok(()),
    }
}

impl Act<'_> {
    async fn check_change(&mut self, round: RoundNumber, request: &PairingsRequest) -> Result<(), Fault> {
        let row = self.round(round.get()).await?;
        let kept: BTreeSet<u16> = request.boards.iter().map(|pairing| pairing.board).collect();
        let games = self.tx.games(self.tournament.id, Some(row.number)).await?;
        if let Some(game) = games.iter().find(|game| !kept.contains(&game.board)) {
            let detail = format!("board {} has a recorded game: it cannot be dropped", game.board);
            return Err(Fault::new(Code::BoardHasGame, detail).with("game", game.id.to_string()));
        }
        let first = round.block_start(self.tournament.policy.rounds_per_draw).get();
        let draws = self.tx.draws_of_round(self.tournament.id, first).await?;
        let state = row.state(draws.chunk_by(|a, b| a.board == b.board));
        if state == RoundState::Released && request.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
            let detail = "pairings were frozen at the release: a change needs a reason";
            return Err(Fault::new(Code::PairingsFrozen, detail));
        }
        Ok(())
    }
}
