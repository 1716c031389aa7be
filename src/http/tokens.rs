//! Access tokens of a tournament.

use super::{
    answer::{json, json_with, whole},
    extract::{Caller, Path, Payload},
    problem::Problem,
    state::AppState,
};
use crate::{
    desk::TokenRequest,
    domain::{
        fault::{Code, Fault},
        ids::TokenId,
        role::Role,
    },
    store::TokenRow,
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// A token, without its text.
#[derive(Serialize, ToSchema)]
pub struct TokenView {
    #[schema(value_type = String)]
    id: TokenId,
    /// `operator`, `arbiter`, `deputy`, `pairing`, `board` or `auditor`.
    #[schema(value_type = String)]
    role: Role,
    label: String,
    board: Option<u16>,
    #[schema(value_type = String)]
    created_at: Timestamp,
    #[schema(value_type = Option<String>)]
    revoked_at: Option<Timestamp>,
    /// The bearer token itself: shown once, when it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// The tokens of a tournament.
#[derive(Serialize, ToSchema)]
pub struct TokenList {
    tokens: Vec<TokenView>,
}

fn view(token: &TokenRow) -> TokenView {
    TokenView {
        id: token.id,
        role: token.role,
        label: token.label.clone(),
        board: token.board,
        created_at: whole(token.created_at),
        revoked_at: token.revoked_at.map(whole),
        token: None,
    }
}

/// Make a token for a person or a device; its text is shown once.
#[utoipa::path(post, path = "/tournaments/{t}/tokens", tag = "tokens", request_body = TokenRequest,
    params(("t" = String, Path, description = "id or slug")), security(("token" = [])),
    responses((status = 201, body = TokenView, description = "with the token, shown once")))]
pub async fn create_token(
    State(state): State<AppState>,
    caller: Caller,
    Path(t): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: TokenRequest = payload.json().await?;
    let token = state.desk.create_token(&t, actor, &request).await?;
    let shown = TokenView { token: Some(token.text), ..view(&token.row) };
    Ok(json_with(StatusCode::CREATED, &shown))
}

/// List the tokens of a tournament, without their texts.
#[utoipa::path(get, path = "/tournaments/{t}/tokens", tag = "tokens", params(("t" = String, Path, description = "id or slug")),
    security(("token" = [])),
    responses((status = 200, body = TokenList, description = "without their texts")))]
pub async fn list_tokens(
    State(state): State<AppState>,
    caller: Caller,
    Path(t): Path<String>,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    actor.must_be(&[Role::Arbiter, Role::Auditor, Role::Operator])?;
    let mut tx = state.desk.store.read().await?;
    let tournament = state.desk.tournament(&mut tx, &t).await?;
    actor.must_belong_to(tournament.id)?;
    let tokens = tx.tokens(Some(tournament.id)).await?.iter().map(view).collect();
    Ok(json(&TokenList { tokens }))
}

/// Take a token back.
#[utoipa::path(delete, path = "/tournaments/{t}/tokens/{k}", tag = "tokens",
    params(("t" = String, Path, description = "id or slug"), ("k" = String, Path, description = "id of the token")),
    security(("token" = [])),
    responses((status = 204, description = "taken back"), (status = 404, description = "token-unknown")))]
pub async fn revoke_token(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, id)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let id = id.parse().map_err(|_| Fault::new(Code::TokenUnknown, format!("there is no token {id:?}")))?;
    state.desk.revoke_token(&t, actor, id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
