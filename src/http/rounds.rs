//! Rounds: scheduling, moving, showing, releasing an overdue one.

use super::{
    answer::{json, local, whole},
    draw_view::DrawView,
    entropy::{BeaconView, DiceView},
    extract::{Caller, Path, Payload},
    problem::Problem,
    state::AppState,
};
use crate::{
    desk::{RoundRequest, ShiftRequest},
    domain::{
        dice::Post,
        draw::Draw,
        fault::{Code, Fault},
        ids::RoundNumber,
        policy::TimeControl,
        round::{Round, RoundState},
        schedule::{self, Warning},
        supervision::Supervision,
    },
    ledger::Ledger,
    store::{Tournament, Tx},
};
use axum::{extract::State, response::Response};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// What everybody may read of a round; never a number before its release.
#[derive(Serialize, ToSchema)]
pub struct RoundView {
    number: u16,
    label: Option<String>,
    state: RoundState,
    #[schema(value_type = Option<String>)]
    starts_at: Option<Timestamp>,
    starts_at_local: Option<String>,
    #[schema(value_type = Option<String>)]
    release_at: Option<Timestamp>,
    release_at_local: Option<String>,
    lead_minutes: u16,
    /// Whether the lead lies outside 10 to 15 minutes.
    custom_window: bool,
    #[schema(value_type = String)]
    supervision: Supervision,
    time_control: TimeControl,
    boards: Option<u16>,
    /// First round of the block that shares the draw.
    block_start: u16,
    #[schema(value_type = Option<String>)]
    overdue_since: Option<Timestamp>,
    #[schema(value_type = Option<String>)]
    started_at: Option<Timestamp>,
    rehearsal: bool,
    draws: Vec<DrawView>,
    /// Dice of the round, where its draws ask for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    dice: Option<DiceView>,
    /// The beacon round that its draws name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beacon: Option<BeaconView>,
    /// When the beacon round fires that a draw still waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    entropy_due_at: Option<Timestamp>,
    /// Answers to a change: seconds until the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    releases_in_s: Option<i64>,
    /// Answers to a change: what looked like a mistake and was confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<&'static str>>,
}

impl RoundView {
    /// The round as everybody sees it; `draws` and `posts` of dice are all of the tournament's, or all of the block's.
    pub fn new(
        tournament: &Tournament,
        round: &Round,
        draws: &[Draw],
        posts: &[Post],
        ledger: &Ledger,
    ) -> Result<Self, Fault> {
        let policy = &tournament.policy;
        let zone = schedule::zone(&tournament.time_zone, "/time_zone")?;
        let block_start = block_start(round.number, policy.rounds_per_draw)?;
        let own: Vec<Draw> = draws.iter().filter(|draw| draw.round == block_start).cloned().collect();
        let (starts_at, release_at) = (round.times.map(|t| t.starts_at), round.times.map(|t| t.release_at));
        let lead_minutes = round.lead(policy);
        Ok(Self {
            number: round.number,
            label: round.label.clone(),
            state: round.state(own.chunk_by(|a, b| a.board == b.board)),
            starts_at,
            starts_at_local: starts_at.map(|at| local(at, &zone)),
            release_at,
            release_at_local: release_at.map(|at| local(at, &zone)),
            lead_minutes,
            custom_window: !(10..=15).contains(&lead_minutes),
            supervision: round.supervision.unwrap_or(policy.supervision),
            time_control: round.time_control.unwrap_or(policy.time_control),
            boards: round.boards,
            block_start,
            overdue_since: round.overdue_since.map(whole),
            started_at: round.started_at.map(whole),
            rehearsal: policy.rehearsal,
            draws: own.iter().map(|draw| DrawView::new(draw, tournament.created_at, ledger)).collect(),
            entropy_due_at: BeaconView::due_at(round.number, &own),
            beacon: None,
            dice: DiceView::new(policy, round.number, &own, posts),
            releases_in_s: None,
            warnings: None,
        })
    }

    fn changed(mut self, now: Timestamp, warnings: &[Warning]) -> Self {
        self.releases_in_s = self.release_at.map(|at| (at.as_second() - now.as_second()).max(0));
        self.warnings = Some(warnings.iter().map(|warning| warning.as_str()).collect());
        self
    }
}

/// First round of the block of a round.
///
/// # Errors
/// When the stored number is no round number.
pub fn block_start(round: u16, rounds_per_draw: u16) -> Result<u16, Fault> {
    let number = RoundNumber::try_from(round).map_err(|why| Fault::internal(why.to_string()))?;
    Ok(number.block_start(rounds_per_draw).get())
}

/// Tournament and round of a path.
///
/// # Errors
/// `tournament-unknown`, `round-unknown`.
pub async fn find(state: &AppState, tx: &mut Tx, t: &str, round: RoundNumber) -> Result<(Tournament, Round), Fault> {
    let tournament = state.desk.tournament(tx, t).await?;
    let row = tx.round(tournament.id, round.get()).await?;
    let row = row.ok_or_else(|| Fault::new(Code::RoundUnknown, format!("round {round} is not scheduled")))?;
    Ok((tournament, row))
}

/// The round of a path as everybody sees it now.
///
/// # Errors
/// `tournament-unknown`, `round-unknown`.
pub async fn view(state: &AppState, t: &str, round: RoundNumber) -> Result<RoundView, Fault> {
    let mut tx = state.desk.store.read().await?;
    let (tournament, row) = find(state, &mut tx, t, round).await?;
    let first = block_start(row.number, tournament.policy.rounds_per_draw)?;
    let draws = tx.draws_of_round(tournament.id, first).await?;
    let posts = tx.dice_posts(tournament.id).await?;
    let mut view = RoundView::new(&tournament, &row, &draws, &posts, &state.desk.ledger)?;
    view.beacon = BeaconView::new(&state.desk.relays, &tournament, row.number, &draws);
    Ok(view)
}

/// Show a round.
#[utoipa::path(get, path = "/tournaments/{t}/rounds/{r}", tag = "rounds",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security((), ("token" = [])),
    responses((status = 200, body = RoundView), (status = 404, description = "tournament-unknown, round-unknown")))]
pub async fn show_round(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
) -> Result<Response, Problem> {
    let mut view = view(&state, &t, round).await?;
    if let (Some(beacon), Some(actor)) = (&mut view.beacon, &caller.0) {
        beacon.show_relays(&state.desk.relays, actor);
    }
    Ok(json(&view))
}

/// Schedule, move or postpone a round.
#[utoipa::path(put, path = "/tournaments/{t}/rounds/{r}", tag = "rounds", request_body = RoundRequest,
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security(("token" = [])),
    responses((status = 200, body = RoundView),
              (status = 409, description = "confirm-schedule, confirm-release-now, too-late, round-released, round-started and others")))]
pub async fn put_round(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: RoundRequest = payload.json().await?;
    let warnings = state.desk.put_round(&t, round, actor, &request).await?;
    Ok(json(&view(&state, &t, round).await?.changed(state.desk.clock.now(), &warnings)))
}

/// What a shift answers.
#[derive(Serialize, ToSchema)]
struct Shifted {
    rounds: Vec<RoundView>,
}

/// Move every unreleased round of the day from one on.
#[utoipa::path(post, path = "/tournaments/{t}/rounds/shift", tag = "rounds", request_body = ShiftRequest,
    params(("t" = String, Path, description = "id or slug")),
    security(("token" = [])),
    responses((status = 200, body = Shifted, description = "the rounds that moved"), (status = 409, description = "as for moving each of them")))]
pub async fn shift_rounds(
    State(state): State<AppState>,
    caller: Caller,
    Path(t): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: ShiftRequest = payload.json().await?;
    let moved = state.desk.shift(&t, actor, &request).await?;
    let mut rounds = Vec::new();
    for number in moved {
        let number = RoundNumber::try_from(number).map_err(|why| Fault::internal(why.to_string()))?;
        rounds.push(view(&state, &t, number).await?.changed(state.desk.clock.now(), &[]));
    }
    Ok(json(&Shifted { rounds }))
}

/// Release an overdue round.
#[utoipa::path(post, path = "/tournaments/{t}/rounds/{r}/release", tag = "rounds",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security(("token" = [])),
    responses((status = 200, body = RoundView), (status = 409, description = "not-overdue")))]
pub async fn release_round(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
) -> Result<Response, Problem> {
    state.desk.release_overdue(&t, round, caller.actor()?).await?;
    Ok(json(&view(&state, &t, round).await?))
}
