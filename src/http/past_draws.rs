//! Past draws: filters, pages, CSV and NDJSON.

use super::{
    answer::{csv, json, text},
    draw_view::DrawDocument,
    draws::tournament_of,
    extract::{Caller, Query},
    problem::Problem,
    state::AppState,
};
use crate::{
    desk::Actor,
    domain::{
        draw::DrawState,
        fault::{Code, Fault},
        ids::{TokenId, TournamentId},
        position_number::PositionNumber,
        role::Role,
    },
    store::{DrawFilter, Tournament, Tx},
};
use axum::{
    extract::State,
    http::{HeaderValue, Uri, header},
    response::Response,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{HashMap, hash_map::Entry};
use utoipa::ToSchema;

/// Which past draws.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DrawsQuery {
    /// Id or slug.
    tournament: Option<String>,
    /// Round, or first round of a block.
    round: Option<u16>,
    /// Board; 0 for draws that serve all boards.
    board: Option<u16>,
    /// `awaiting_entropy`, `sealed`, `released` or `voided`.
    state: Option<String>,
    /// Released with this position number.
    number: Option<u16>,
    /// Ordered at or after, RFC 3339.
    from: Option<String>,
    /// Ordered before, RFC 3339.
    to: Option<String>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// 1 to 200, 50 by default; up to 10000 as CSV or NDJSON.
    limit: Option<u32>,
}

impl DrawsQuery {
    async fn filter(&self, tx: &mut Tx) -> Result<DrawFilter, Fault> {
        let instant = |name: &str, text: &Option<String>| -> Result<Option<Timestamp>, Fault> {
            let parse = |text: &String| text.parse().map_err(|_| Fault::field(name, "RFC 3339, 2026-12-05T08:00:00Z"));
            text.as_ref().map(parse).transpose()
        };
        let tournament = match &self.tournament {
            None => None,
            Some(key) => {
                let unknown = || Fault::new(Code::TournamentUnknown, format!("there is no tournament {key:?}"));
                Some(tx.tournament(key).await?.ok_or_else(unknown)?.id)
            }
        };
        let number = self.number.map(PositionNumber::try_from).transpose();
        let after = self.cursor.as_ref().map(|cursor| cursor.parse()).transpose();
        Ok(DrawFilter {
            tournament,
            round: self.round,
            board: self.board,
            state: self.state.as_deref().map(state_of).transpose()?,
            number: number.map_err(|why| Fault::at(Code::NotAPositionNumber, "number", why.to_string()))?,
            ordered_from: instant("from", &self.from)?,
            ordered_before: instant("to", &self.to)?,
            after: after.map_err(|_| Fault::field("cursor", "not a cursor of this list"))?,
        })
    }

    fn limit(&self, most: u32, default: u32) -> Result<u32, Fault> {
        match self.limit {
            None => Ok(default),
            Some(limit) if (1..=most).contains(&limit) => Ok(limit),
            Some(_) => Err(Fault::field("limit", format!("1 to {most}"))),
        }
    }
}

fn state_of(text: &str) -> Result<DrawState, Fault> {
    match text {
        "awaiting_entropy" => Ok(DrawState::AwaitingEntropy),
        "sealed" => Ok(DrawState::Sealed),
        "released" => Ok(DrawState::Released),
        "voided" => Ok(DrawState::Voided),
        _ => Err(Fault::field("state", "one of awaiting_entropy, sealed, released, voided")),
    }
}

/// Where the next page is: the same question, from `cursor` on.
fn next_page(uri: &Uri, cursor: &str) -> String {
    let asked = uri.query().unwrap_or_default().split('&');
    let kept = asked.filter(|part| !part.is_empty() && !part.starts_with("cursor="));
    let query: Vec<String> = kept.map(str::to_owned).chain([format!("cursor={cursor}")]).collect();
    format!("/api/v1/draws?{}", query.join("&"))
}

/// A draw in a list over tournaments.
#[derive(Serialize, ToSchema)]
struct Listed {
    tournament: String,
    rehearsal: bool,
    #[serde(flatten)]
    document: DrawDocument,
    /// Who ordered it, for auditors and arbiters of the tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    ordered_by_label: Option<String>,
}

/// A page of the list of draws.
#[derive(Serialize, ToSchema)]
struct DrawPage {
    draws: Vec<Listed>,
    /// Where the next page begins; null on the last.
    next_cursor: Option<String>,
}

/// Find past draws.
#[utoipa::path(get, path = "/draws", tag = "draws", params(DrawsQuery),
    security((), ("token" = [])),
    responses((status = 200, body = DrawPage, description = "a page", headers(("Link" = String, description = "the next page, rel=next")))))]
pub async fn list_draws(
    State(state): State<AppState>,
    caller: Caller,
    uri: Uri,
    Query(query): Query<DrawsQuery>,
) -> Result<Response, Problem> {
    let limit = query.limit(200, 50)?;
    let mut listed = find(&state, &caller, &query, limit + 1).await?;
    let more = listed.len() > limit as usize;
    listed.truncate(limit as usize);
    let next = listed.last().filter(|_| more).map(|last| last.document.view.id.to_string());
    let link = next.as_ref().map(|next| format!("<{}>; rel=\"next\"", next_page(&uri, next)));
    let link = link.and_then(|link| HeaderValue::from_str(&link).ok());
    let mut response = json(&DrawPage { draws: listed, next_cursor: next });
    if let Some(link) = link {
        response.headers_mut().insert(header::LINK, link);
    }
    Ok(response)
}

/// Find past draws, as CSV.
#[utoipa::path(get, path = "/draws.csv", tag = "draws", params(DrawsQuery), security((), ("token" = [])),
    responses((status = 200, body = String, content_type = "text/csv", description = "one line a draw")))]
pub async fn list_draws_csv(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<DrawsQuery>,
) -> Result<Response, Problem> {
    let listed = find(&state, &caller, &query, query.limit(10_000, 10_000)?).await?;
    let header = [
        "id",
        "tournament",
        "rehearsal",
        "round",
        "board",
        "attempt",
        "state",
        "grade",
        "ordered_at",
        "ordered_by",
        "released_at",
        "number",
        "rank",
        "fen",
        "voided_at",
        "reason",
        "commitment",
        "secret",
        "seed",
        "entry",
    ];
    Ok(csv(&header, listed.into_iter().map(Listed::cells)))
}

/// Find past draws, as one JSON document a line.
#[utoipa::path(get, path = "/draws.ndjson", tag = "draws", params(DrawsQuery), security((), ("token" = [])),
    responses((status = 200, body = DrawDocument, content_type = "application/x-ndjson", description = "one draw a line")))]
pub async fn list_draws_ndjson(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<DrawsQuery>,
) -> Result<Response, Problem> {
    let listed = find(&state, &caller, &query, query.limit(10_000, 10_000)?).await?;
    let lines: Result<String, _> =
        listed.iter().map(|draw| serde_json::to_string(draw).map(|line| line + "\n")).collect();
    Ok(text("application/x-ndjson", lines.map_err(|why| Fault::internal(why.to_string()))?))
}

impl Listed {
    fn cells(self) -> Vec<String> {
        let draw = self.document.view;
        let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let release = draw.release.as_ref();
        let void = draw.void.as_ref();
        let secret = release.map(|r| &r.secret).or(void.map(|v| &v.secret));
        vec![
            draw.id.to_string(),
            self.tournament,
            self.rehearsal.to_string(),
            draw.round.to_string(),
            draw.board.to_string(),
            draw.attempt.to_string(),
            word(json!(draw.state)),
            word(json!(draw.grade)),
            draw.ordered_at.to_string(),
            self.ordered_by_label.unwrap_or(draw.ordered_by),
            release.map(|r| r.released_at.to_string()).unwrap_or_default(),
            release.map(|r| r.number.to_string()).unwrap_or_default(),
            release.map(|r| r.rank.clone()).unwrap_or_default(),
            release.map(|r| r.fen.clone()).unwrap_or_default(),
            void.map(|v| v.voided_at.to_string()).unwrap_or_default(),
            void.map(|v| v.reason.as_str().to_owned()).unwrap_or_default(),
            draw.commitment,
            secret.cloned().unwrap_or_default(),
            release.map(|r| r.seed.clone()).unwrap_or_default(),
            draw.entry.to_string(),
        ]
    }
}

async fn find(state: &AppState, caller: &Caller, query: &DrawsQuery, limit: u32) -> Result<Vec<Listed>, Fault> {
    let mut tx = state.desk.store.read().await?;
    let filter = query.filter(&mut tx).await?;
    let labels = labels(&mut tx, caller.0.as_ref()).await?;
    let mut tournaments: HashMap<TournamentId, Tournament> = HashMap::new();
    let mut listed = Vec::new();
    for draw in tx.find_draws(&filter, limit).await? {
        let tournament = match tournaments.entry(draw.tournament) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(tournament_of(&mut tx, &draw).await?),
        };
        listed.push(Listed {
            tournament: tournament.slug.to_string(),
            rehearsal: tournament.policy.rehearsal,
            ordered_by_label: labels.get(&draw.ordered_by).cloned(),
            document: DrawDocument::new(state, tournament, &draw),
        });
    }
    Ok(listed)
}

/// Labels of the tokens of the caller's tournament, for those who may see who acted.
pub async fn labels(tx: &mut Tx, caller: Option<&Actor>) -> Result<HashMap<String, String>, Fault> {
    let insider = |actor: &&Actor| matches!(actor.role, Role::Auditor | Role::Arbiter | Role::Deputy);
    let Some(tournament) = caller.filter(insider).and_then(|actor| actor.tournament) else {
        return Ok(HashMap::new());
    };
    let tokens = tx.tokens(Some(tournament)).await?;
    let named = |id: TokenId, label: String| (id.to_string(), label);
    Ok(tokens.into_iter().map(|token| named(token.id, token.label)).collect())
}
