//! Tournaments: creating, listing, showing, amending, ending.

use super::{
    answer::{json, json_with, whole},
    extract::{Caller, Path, Payload, Query},
    problem::Problem,
    rounds::RoundView,
    state::AppState,
};
use crate::{
    desk::{AmendRequest, CreateRequest, Created},
    domain::{
        fault::Fault,
        ids::{Slug, TournamentId},
        policy::{EntropyKind, Policy},
    },
    store::Tournament,
};
use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What everybody may read of a tournament.
#[derive(Serialize, ToSchema)]
pub struct TournamentView {
    #[schema(value_type = String)]
    id: TournamentId,
    #[schema(value_type = String)]
    slug: Slug,
    name: String,
    time_zone: String,
    /// `open`, `closed` or `cancelled`.
    state: String,
    rehearsal: bool,
    policy: Policy,
    /// The policy in words, as shown to the public.
    declarations: Vec<&'static str>,
    origin: String,
    master_commitment: String,
    #[schema(value_type = String)]
    created_at: Timestamp,
    #[schema(value_type = Option<String>)]
    ended_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<Vec<RoundView>>,
    /// Shown once, to the one who created the tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    tokens: Option<Map<String, Value>>,
    /// Answers to the creation: what looked like a mistake and was confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<String>>,
}

impl TournamentView {
    fn new(tournament: Tournament) -> Self {
        let (ended_at, how) = tournament.ended.clone().map_or((None, "open".to_owned()), |(at, how)| (Some(at), how));
        Self {
            id: tournament.id,
            slug: tournament.slug,
            name: tournament.name,
            time_zone: tournament.time_zone,
            state: how,
            rehearsal: tournament.policy.rehearsal,
            declarations: declarations(&tournament.policy),
            policy: tournament.policy,
            origin: tournament.origin,
            master_commitment: tournament.master_commit,
            created_at: whole(tournament.created_at),
            ended_at: ended_at.map(whole),
            rounds: None,
            tokens: None,
            warnings: None,
        }
    }
}

/// What the public must be told about a policy.
fn declarations(policy: &Policy) -> Vec<&'static str> {
    let uses = |kind| policy.entropy == kind || policy.entropy_fallback.contains(&kind);
    let said = [
        (policy.rehearsal, "This is a rehearsal: nothing in it counts."),
        (policy.custom_lead, "The window between release and start of play may lie outside 10 to 15 minutes."),
        (policy.small_pool, "Few numbers are allowed: later positions can be narrowed down."),
        (uses(EntropyKind::Dice) && !policy.dice_confirm, "Dice are posted by one person: nobody has to confirm them."),
        (
            policy.entropy == EntropyKind::Dice,
            "Grade B: dice thrown in public decide together with the server's secret. Whoever holds that secret knows a \
             position from the throw on; nobody can know or choose it before, if the throw is seen to be fair.",
        ),
        (
            policy.entropy == EntropyKind::Drand,
            "Grade A: a round of the public drand beacon decides together with the server's secret. Nobody can know or \
             choose a position before that beacon round, half a minute before the release.",
        ),
        (
            policy.entropy == EntropyKind::Local,
            "Grade C: the server's secret alone decides. Whoever holds it could know a position from the creation of \
             the tournament on; nobody can change it after its commitment was published.",
        ),
    ];
    said.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect()
}

async fn view(state: &AppState, t: &str) -> Result<TournamentView, Fault> {
    let mut tx = state.desk.store.read().await?;
    let tournament = state.desk.tournament(&mut tx, t).await?;
    let draws = tx.draws_of(tournament.id).await?;
    let rounds = tx.rounds(tournament.id).await?;
    let posts = tx.dice_posts(tournament.id).await?;
    let seen = |round| RoundView::new(&tournament, round, &draws, &posts, &state.desk.ledger);
    let rounds: Result<Vec<_>, _> = rounds.iter().map(seen).collect();
    Ok(TournamentView { rounds: Some(rounds?), ..TournamentView::new(tournament) })
}

/// Create a tournament.
#[utoipa::path(post, path = "/tournaments", tag = "tournaments", request_body = CreateRequest,
    security(("token" = [])),
    responses((status = 201, body = TournamentView, description = "with its tokens, shown once"),
              (status = 409, description = "slug-taken, confirm-schedule, too-late and others")))]
pub async fn create_tournament(
    State(state): State<AppState>,
    caller: Caller,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: CreateRequest = payload.json().await?;
    let created = state.desk.create_tournament(actor, &request).await?;
    let mut view = view(&state, &created.id.to_string()).await?;
    view.warnings = Some(created.warnings.iter().map(|(round, w)| format!("round {round}: {}", w.as_str())).collect());
    view.tokens = Some(tokens(&created));
    let mut response = json_with(StatusCode::CREATED, &view);
    if let Ok(location) = HeaderValue::from_str(&format!("/api/v1/tournaments/{}", view.slug)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

fn tokens(created: &Created) -> Map<String, Value> {
    created.tokens.iter().map(|token| (token.row.role.to_string(), token.text.clone().into())).collect()
}

/// A page of a list.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// 1 to 200, 50 by default.
    limit: Option<u32>,
}

/// A page of the list of tournaments.
#[derive(Serialize, ToSchema)]
pub struct TournamentPage {
    tournaments: Vec<TournamentView>,
    /// Where the next page begins; null on the last.
    #[schema(value_type = Option<String>)]
    next_cursor: Option<TournamentId>,
}

/// List tournaments, newest first.
#[utoipa::path(get, path = "/tournaments", tag = "tournaments", params(PageQuery),
    responses((status = 200, body = TournamentPage, description = "a page"), (status = 422, description = "invalid-field")))]
pub async fn list_tournaments(
    State(state): State<AppState>,
    Query(page): Query<PageQuery>,
) -> Result<Response, Problem> {
    let limit = page.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(Fault::field("limit", "1 to 200").into());
    }
    let before = page.cursor.map(|cursor| cursor.parse()).transpose();
    let before = before.map_err(|_| Fault::field("cursor", "not a cursor of this list"))?;
    let mut found = state.desk.store.read().await?.tournaments(before, limit + 1).await?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let next_cursor = found.last().filter(|_| more).map(|last| last.id);
    let tournaments = found.into_iter().map(TournamentView::new).collect();
    Ok(json(&TournamentPage { tournaments, next_cursor }))
}

/// Show a tournament with policy, rounds and states.
#[utoipa::path(get, path = "/tournaments/{t}", tag = "tournaments", params(("t" = String, Path, description = "id or slug")),
    responses((status = 200, body = TournamentView), (status = 404, description = "tournament-unknown")))]
pub async fn show_tournament(State(state): State<AppState>, Path(t): Path<String>) -> Result<Response, Problem> {
    Ok(json(&view(&state, &t).await?))
}

/// Change name, time zone or, before the first release, policy.
#[utoipa::path(patch, path = "/tournaments/{t}", tag = "tournaments", request_body = AmendRequest,
    params(("t" = String, Path, description = "id or slug")),
    security(("token" = [])),
    responses((status = 200, body = TournamentView), (status = 409, description = "policy-fixed, too-late and others")))]
pub async fn amend_tournament(
    State(state): State<AppState>,
    caller: Caller,
    Path(t): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: AmendRequest = payload.json().await?;
    state.desk.amend_tournament(&t, actor, &request).await?;
    Ok(json(&view(&state, &t).await?))
}

/// End a tournament before any release.
#[utoipa::path(post, path = "/tournaments/{t}/cancel", tag = "tournaments", params(("t" = String, Path, description = "id or slug")),
    security(("token" = [])),
    responses((status = 200, body = TournamentView), (status = 409, description = "round-released, tournament-ended")))]
pub async fn cancel_tournament(
    State(state): State<AppState>,
    caller: Caller,
    Path(t): Path<String>,
) -> Result<Response, Problem> {
    state.desk.cancel_tournament(&t, caller.actor()?).await?;
    Ok(json(&view(&state, &t).await?))
}

/// End a tournament after its last round and reveal its master.
#[utoipa::path(post, path = "/tournaments/{t}/close", tag = "tournaments", params(("t" = String, Path, description = "id or slug")),
    security(("token" = [])),
    responses((status = 200, body = TournamentView), (status = 409, description = "draw-exists with the list, tournament-ended")))]
pub async fn close_tournament(
    State(state): State<AppState>,
    caller: Caller,
    Path(t): Path<String>,
) -> Result<Response, Problem> {
    state.desk.close_tournament(&t, caller.actor()?).await?;
    Ok(json(&view(&state, &t).await?))
}
