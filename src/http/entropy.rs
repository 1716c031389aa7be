//! Entropy from outside: the dice of a round.

use super::{
    answer::{json, whole},
    extract::{Caller, Path, Payload},
    problem::Problem,
    rounds::{RoundView, view},
    state::AppState,
};
use crate::{
    desk::DiceRequest,
    domain::{
        derivation::Source,
        dice::{Post, Standing, standing},
        draw::{Draw, DrawState},
        ids::RoundNumber,
        policy::Policy,
    },
};
use axum::{extract::State, response::Response};
use jiff::Timestamp;
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
