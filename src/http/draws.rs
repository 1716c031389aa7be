//! Draws: ordering, voiding, and the record of each attempt with all its evidence.

use super::{
    answer::{json, json_with},
    draw_view::DrawDocument,
    extract::{Caller, Path, Payload},
    problem::Problem,
    state::AppState,
};
use crate::{
    desk::{OrderRequest, VoidRequest},
    domain::{
        derivation::Hash32,
        draw::Draw,
        fault::{Code, Fault},
        ids::{DrawId, RoundNumber},
    },
    store::{Tournament, Tx},
};
use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

/// Order the draw of a slot: its commitment is fixed and published.
#[utoipa::path(post, path = "/tournaments/{t}/rounds/{r}/draws", tag = "draws", request_body = OrderRequest,
    params(("t" = String, Path, description = "id or slug"), ("r" = u16, Path, description = "round"),
           ("Idempotency-Key" = Option<String>, Header, description = "a repeated request with the same key gets the same draw")),
    security(("token" = [])),
    responses((status = 201, body = DrawDocument, description = "ordered now, or before with the same key"),
              (status = 409, description = "draw-exists, too-late, numbers-exhausted, small-pool, round-postponed")))]
pub async fn create_draw(
    State(state): State<AppState>,
    caller: Caller,
    Path((t, round)): Path<(String, RoundNumber)>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let key = payload.text_header("idempotency-key")?;
    let (request, body) = payload.json_or_default::<OrderRequest>().await?;
    let request_hash = Hash32::of([format!("draws {round}\n").as_bytes(), &body]).to_string();
    let key = key.as_deref().map(|key| (key, request_hash.as_str()));
    let draw = state.desk.order_draw(&t, round, actor, &request, key).await?;
    let mut response =
        json_with(StatusCode::CREATED, &document(&state, &mut state.desk.store.read().await?, &draw).await?);
    if let Ok(location) = HeaderValue::from_str(&format!("/api/v1/draws/{}", draw.id)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Void a draw, with a reason. The next attempt waits for an arbiter's order.
#[utoipa::path(post, path = "/draws/{d}/void", tag = "draws", request_body = VoidRequest,
    params(("d" = String, Path, description = "id of the draw")),
    security(("token" = [])),
    responses((status = 200, body = DrawDocument), (status = 409, description = "draw-already-voided")))]
pub async fn void_draw(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let actor = caller.actor()?;
    let request: VoidRequest = payload.json().await?;
    let draw = state.desk.void_draw(draw_id(&id)?, actor, &request).await?;
    Ok(json(&document(&state, &mut state.desk.store.read().await?, &draw).await?))
}

/// Show one attempt with all its evidence, also after a void.
#[utoipa::path(get, path = "/draws/{d}", tag = "draws", params(("d" = String, Path, description = "id of the draw")),
    responses((status = 200, body = DrawDocument), (status = 404, description = "draw-unknown")))]
pub async fn show_draw(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, Problem> {
    let mut tx = state.desk.store.read().await?;
    let id = draw_id(&id)?;
    let draw = tx.draw(id).await?.ok_or_else(|| unknown(&id.to_string()))?;
    Ok(json(&document(&state, &mut tx, &draw).await?))
}

pub fn draw_id(text: &str) -> Result<DrawId, Fault> {
    text.parse().map_err(|_| unknown(text))
}

fn unknown(id: &str) -> Fault {
    Fault::new(Code::DrawUnknown, format!("there is no draw {id:?}"))
}

async fn document(state: &AppState, tx: &mut Tx, draw: &Draw) -> Result<DrawDocument, Fault> {
    Ok(DrawDocument::new(state, &tournament_of(tx, draw).await?, draw))
}

/// The tournament of a draw.
///
/// # Errors
/// Of the database.
pub async fn tournament_of(tx: &mut Tx, draw: &Draw) -> Result<Tournament, Fault> {
    let tournament = tx.tournament(&draw.tournament.to_string()).await?;
    tournament.ok_or_else(|| Fault::internal("a draw without its tournament"))
}
