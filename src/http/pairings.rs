//! Pairings of a round.

use super::{
    answer::json,
    extract::{Caller, Path, Payload},
    problem::Problem,
    rounds::find,
    state::AppState,
};
use crate::{
    desk::PairingsRequest,
    domain::{ids::RoundNumber, role::Role},
    store::{Bye, Pairing},
};
use axum::{extract::State, response::Response};
use serde::Serialize;
use utoipa::ToSchema;

/// The pairings of a round.
#[derive(Serialize, ToSchema)]
pub struct PairingsView {
    round: u16,
    boards: Vec<Pairing>,
    byes: Vec<Bye>,
}

async fn view(state: &AppState, t: &str, round: RoundNumber) -> Result<PairingsView, Problem> {
    let mut tx = state.desk.store.read().await?;
    let (tournament, row) = find(state, &mut tx, t, round).await?;
    let boards = tx.pairings(tournament.id, row.number).await?;
    let byes = tx.byes(tournament.id, row.number).await?;
    Ok(PairingsView { round: row.number, boards, byes })
}

/// Replace the pairings of a round.
#[utoipa::path(put, path = "/tournaments/{t}/rounds/{r}/pairings", tag = "rounds", request_body = PairingsRequest,
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security(("token" = [])),
    responses((status = 200, body = PairingsView), (status = 409, description = "board-has-game, pairings-frozen")))]
pub async fn put_pairings(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: PairingsRequest = payload.json().await?;
    state.desk.put_pairings(&t, round, actor, &request).await?;
    Ok(json(&view(&state, &t, round).await?))
}

/// Show the pairings of a round.
#[utoipa::path(get, path = "/tournaments/{t}/rounds/{r}/pairings", tag = "rounds",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security(("token" = [])),
    responses((status = 200, body = PairingsView)))]
pub async fn show_pairings(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    actor.must_be(&[Role::Arbiter, Role::Deputy, Role::Pairing, Role::Board, Role::Auditor])?;
    {
        let mut tx = state.desk.store.read().await?;
        actor.must_belong_to(state.desk.tournament(&mut tx, &t).await?.id)?;
    }
    Ok(json(&view(&state, &t, round).await?))
}
