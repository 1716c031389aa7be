//! The feed of a round for broadcasts.

use super::{answer::text, extract::Path, problem::Problem, rounds::find, state::AppState};
use crate::{
    bulletin::{Face, PublicPosition, ReleaseProof},
    desk::counting,
    domain::{
        fault::{Code, Fault},
        ids::RoundNumber,
        skeleton::Skeleton,
    },
    store::{GameRow, Pairing, Tournament, Tx},
};
use axum::{extract::State, response::Response};

/// The feed for broadcasts: empty before the release, then a head for each board, then the games.
#[utoipa::path(get, path = "/tournaments/{t}/rounds/{r}/games.pgn", tag = "games",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    responses((status = 200, body = String, content_type = "application/x-chess-pgn", description = "PGN")))]
pub async fn show_games_pgn(
    State(state): State<AppState>,
    Path((t, round)): Path<(String, RoundNumber)>,
) -> Result<Response, Problem> {
    let mut tx = state.desk.store.read().await?;
    let (tournament, _) = find(&state, &mut tx, &t, round).await?;
    let Some(sheet) = state.desk.bulletin.sheet(&t) else {
        return Err(Fault::new(Code::TournamentUnknown, format!("there is no tournament {t:?}")).into());
    };
    let pairings = tx.pairings(tournament.id, round.get()).await?;
    let games = tx.games(tournament.id, Some(round.get())).await?;
    let mut feed = Vec::new();
    for pairing in &pairings {
        let slot = if sheet.per_board { pairing.board } else { 0 };
        let of_board: Vec<_> = games.iter().filter(|game| game.board == pairing.board).cloned().collect();
        let game = match counting(&of_board) {
            Some(game) => Some(played(&mut tx, &tournament, round.get(), pairing, game).await?),
            None => match sheet.face(round.get(), slot) {
                Some(Face::Public(position)) => Some(position.game(&tournament, round.get(), pairing, None)),
                _ => None,
            },
        };
        feed.extend(game.map(|game| game.to_string()));
    }
    if pairings.is_empty() {
        feed.extend(
            sheet
                .public()
                .iter()
                .filter(|(r, ..)| *r == round.get())
                .map(|(.., position)| String::from_utf8_lossy(&position.pgn.body).into_owned()),
        );
    }
    Ok(text("application/x-chess-pgn; charset=utf-8", feed.join("\n")))
}

/// A game that counts, from the position it was judged by: its draw may have been voided since, and another one made.
async fn played(
    tx: &mut Tx,
    tournament: &Tournament,
    round: u16,
    pairing: &Pairing,
    game: &GameRow,
) -> Result<Skeleton, Fault> {
    let draw = tx.draw(game.draw).await?;
    let released = draw.as_ref().and_then(|draw| Some((draw, draw.release.as_ref()?)));
    let (draw, release) = released.ok_or_else(|| Fault::internal("a game without the draw it was judged by"))?;
    let report = tx.overrides(game.id).await?.pop().map_or_else(|| game.report.clone(), |last| last.report);
    let unproven = ReleaseProof { receipt: None, witnessed: false };
    let position = PublicPosition::new(tournament, round, draw, release, &unproven);
    Ok(position.game(tournament, round, pairing, Some(&report)))
}
