//! Entropy from outside: the dice of a round, and the beacon.

use super::{
    answer::{json, text, whole},
    extract::{Caller, Path, Payload},
    problem::Problem,
    rounds::{RoundView, view},
    state::AppState,
};
use crate::{
    desk::{Actor, BeaconRequest, DiceRequest, Relays, Tried},
    domain::{
        beacon::Beacon,
        derivation::Source,
        dice::{Post, Standing, standing},
        draw::{Draw, DrawState},
        fault::{Code, Fault},
        ids::RoundNumber,
        policy::Policy,
    },
    store::Tournament,
};
use axum::{extract::State, response::Response};
use jiff::Timestamp;
use qrcode::{QrCode, render::svg};
use serde::Serialize;
use utoipa::ToSchema;

/// How the dice of a round stand. The digits are in the log.
#[derive(Serialize, ToSchema)]
pub struct DiceView {
    standing: Standing,
    posts: Vec<PostView>,
}

/// One post of a throw.
#[derive(Serialize, ToSchema)]
pub struct PostView {
    #[schema(value_type = String)]
    posted_at: Timestamp,
    /// Token id.
    posted_by: String,
    /// Log index of the post.
    entry: u64,
}

impl DiceView {
    /// The present throw of a round: the posts since the orders that wait for it or, when none waits, of all that had
    /// one. `draws` are the attempts of the round or block.
    pub fn new(policy: &Policy, round: u16, draws: &[Draw], posts: &[Post]) -> Option<Self> {
        let asks = |draw: &&Draw| draw.void.is_none() && draw.terms.sources == [Source::Dice];
        let waits = |draw: &&Draw| draw.state() == DrawState::AwaitingEntropy;
        let asking = || draws.iter().filter(asks).filter(|draw| draw.serves_from == round);
        let since = match asking().filter(waits).map(|draw| draw.entry).max() {
            Some(ordered) => ordered,
            None => asking().map(|draw| draw.entry).min()?,
        };
        let of_throw = |post: &&Post| post.round == round && post.entry > since;
        let posts: Vec<Post> = posts.iter().filter(of_throw).cloned().collect();
        let view = |post: &Post| PostView { posted_at: whole(post.at), posted_by: post.by.clone(), entry: post.entry };
        Some(Self { standing: standing(&posts, policy.dice_confirm), posts: posts.iter().map(view).collect() })
    }
}

/// Post the dice thrown for a round. The second post, by another token, must be the same.
#[utoipa::path(post, path = "/tournaments/{t}/rounds/{r}/dice", tag = "draws", request_body = DiceRequest,
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    security(("token" = [])),
    responses((status = 200, body = RoundView, description = "recorded; dice says whether a second post is awaited"),
              (status = 409, description = "dice-mismatch (recorded all the same), second-token-required, entropy-not-awaited"),
              (status = 422, description = "invalid-field, dice-used")))]
pub async fn post_dice(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: DiceRequest = payload.json().await?;
    state.desk.post_dice(&t, round, actor, &request).await?;
    Ok(json(&view(&state, &t, round).await?))
}

/// The beacon round that the draws of a round name.
#[derive(Serialize, ToSchema)]
pub struct BeaconView {
    /// Hash of the drand chain.
    chain: &'static str,
    /// The beacon round.
    round: u64,
    /// When it fires: nobody can know its value before.
    #[schema(value_type = Option<String>)]
    fires_at: Option<Timestamp>,
    /// Whether its value is there.
    arrived: bool,
    /// Where anybody can fetch it; post what you get to `…/beacon`.
    urls: Vec<String>,
    /// Path of a QR code of the first of them, for a phone.
    qr: String,
    /// How the relays did when last asked, for arbiters.
    #[serde(skip_serializing_if = "Option::is_none")]
    relays: Option<Vec<RelayView>>,
}

/// How a relay did.
#[derive(Serialize, ToSchema)]
pub struct RelayView {
    host: String,
    #[schema(value_type = Option<String>)]
    tried_at: Option<Timestamp>,
    /// Null while it was not asked yet.
    reachable: Option<bool>,
    failure: Option<String>,
}

/// The draws of a round that count and name a beacon: first those that still wait for it.
fn named(round: u16, draws: &[Draw]) -> Option<(&Draw, Beacon)> {
    let counts = |draw: &&Draw| draw.void.is_none() && draw.serves_from <= round;
    let named = draws.iter().filter(counts).filter_map(|draw| Some((draw, draw.beacon()?)));
    named.min_by_key(|(draw, beacon)| (draw.state() != DrawState::AwaitingEntropy, *beacon))
}

impl BeaconView {
    /// The beacon of a round; `draws` are the attempts of the round or block.
    pub fn new(relays: &Relays, tournament: &Tournament, round: u16, draws: &[Draw]) -> Option<Self> {
        let (draw, beacon) = named(round, draws)?;
        Some(Self {
            chain: beacon.chain.hash,
            round: beacon.round,
            fires_at: beacon.fires_at(),
            arrived: draw.arrived.is_some(),
            urls: relays.urls(beacon.chain.hash, beacon.round),
            qr: format!("/api/v1/tournaments/{}/rounds/{round}/beacon.svg", tournament.slug),
            relays: None,
        })
    }

    /// When the beacon fires that a draw of the round still waits for.
    pub fn due_at(round: u16, draws: &[Draw]) -> Option<Timestamp> {
        let (draw, beacon) = named(round, draws)?;
        beacon.fires_at().filter(|_| draw.state() == DrawState::AwaitingEntropy)
    }

    /// Adds how the relays did, for an arbiter.
    pub fn show_relays(&mut self, relays: &Relays, actor: &Actor) {
        let view = |(host, tried): (String, Option<Tried>)| RelayView {
            host,
            tried_at: tried.as_ref().map(|tried| whole(tried.at)),
            reachable: tried.as_ref().map(|tried| tried.failure.is_none()),
            failure: tried.and_then(|tried| tried.failure),
        };
        self.relays = actor.role.is_arbiter().then(|| relays.report().into_iter().map(view).collect());
    }
}

/// Bring the value of the beacon round that a round waits for. Anybody may: it proves itself.
#[utoipa::path(post, path = "/tournaments/{t}/rounds/{r}/beacon", tag = "draws", request_body = BeaconRequest,
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    responses((status = 200, body = RoundView, description = "taken, now or before"),
              (status = 409, description = "entropy-not-awaited"), (status = 422, description = "beacon-invalid")))]
pub async fn post_beacon(
    State(state): State<AppState>,
    Path((t, round)): Path<(String, RoundNumber)>,
    payload: Payload,
) -> Result<Response, Problem> {
    let request: BeaconRequest = payload.json().await?;
    state.desk.post_beacon(&t, round, &request).await?;
    Ok(json(&view(&state, &t, round).await?))
}

/// A QR code of where the beacon round can be fetched, for a phone in a hall without internet.
#[utoipa::path(get, path = "/tournaments/{t}/rounds/{r}/beacon.svg", tag = "draws",
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round")),
    responses((status = 200, body = String, content_type = "image/svg+xml", description = "a picture"), (status = 409, description = "entropy-not-awaited")))]
pub async fn show_beacon_svg(
    State(state): State<AppState>,
    Path((t, round)): Path<(String, RoundNumber)>,
) -> Result<Response, Problem> {
    let beacon = view(&state, &t, round).await?.beacon;
    let url = beacon.and_then(|beacon| beacon.urls.into_iter().next()).ok_or_else(|| {
        Fault::new(Code::EntropyNotAwaited, format!("round {round} names no beacon, or this server knows no relay"))
    })?;
    let code = QrCode::new(url).map_err(|why| Fault::internal(why.to_string()))?;
    Ok(text("image/svg+xml", code.render::<svg::Color<'_>>().min_dimensions(240, 240).build()))
}
