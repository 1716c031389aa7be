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
        role::Role,
    },
    store::TokenRow,
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

fn view(token: &TokenRow) -> Value {
    json!({
        "id": token.id,
        "role": token.role,
        "label": token.label,
        "board": token.board,
        "created_at": whole(token.created_at),
        "revoked_at": token.revoked_at.map(whole),
    })
}

/// Make a token for a person or a device; its text is shown once.
#[utoipa::path(post, path = "/tournaments/{t}/tokens", tag = "tokens", request_body = TokenRequest,
    params(("t" = String, Path, description = "id or slug")), responses((status = 201, description = "with the token, shown once")))]
pub async fn create_token(
    State(state): State<AppState>,
    caller: Caller,
    Path(t): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: TokenRequest = payload.json().await?;
    let token = state.desk.create_token(&t, actor, &request).await?;
    let mut shown = view(&token.row);
    shown["token"] = token.text.into();
    Ok(json_with(StatusCode::CREATED, &shown))
}

/// List the tokens of a tournament, without their texts.
#[utoipa::path(get, path = "/tournaments/{t}/tokens", tag = "tokens", params(("t" = String, Path, description = "id or slug")),
    responses((status = 200, description = "id, role, label, board, times")))]
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
    let tokens: Vec<_> = tx.tokens(Some(tournament.id)).await?.iter().map(view).collect();
    Ok(json(&json!({"tokens": tokens})))
}

/// Take a token back.
#[utoipa::path(delete, path = "/tournaments/{t}/tokens/{k}", tag = "tokens",
    params(("t" = String, Path, description = "id or slug"), ("k" = String, Path, description = "id of the token")),
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
