//! Draws by hand: the procedures, replaying throws without a draw, posting those of one.

use super::{
    answer::json,
    draws::draw_id,
    extract::{Caller, Path, Payload},
    problem::Problem,
    state::AppState,
};
use crate::{
    desk::{ThrowsRequest, procedure_named, throw_all},
    domain::{
        manual::{Outcome, PROCEDURES, Procedure, Question, REFUSED, Walk},
        number_set::NumberSet,
    },
};
use axum::{extract::State, response::Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

/// How a procedure stands.
#[derive(Serialize, ToSchema)]
pub struct WalkView {
    /// What to throw next; null when finished.
    question: Option<QuestionView>,
    /// The back rank as it grows, a dot for each free square.
    rank: String,
    /// Every throw, the rejected ones too.
    record: Vec<ThrowView>,
    /// The number, once the last throw is made.
    number: Option<u16>,
}

/// A throw to be made.
#[derive(Serialize, ToSchema)]
struct QuestionView {
    text: &'static str,
    /// Which throw of the procedure this is, from 1.
    throw: usize,
    of: usize,
    /// How the throws are written; for a number 0 to 959 the list is left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<String>,
}

/// A throw and what came of it.
#[derive(Serialize, ToSchema)]
struct ThrowView {
    throw: String,
    counts: bool,
    /// Why it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl QuestionView {
    fn new(question: Question) -> Self {
        let answers = question.means.tokens();
        let answers = if answers.len() > 20 { Vec::new() } else { answers };
        Self { text: question.text, throw: question.number, of: question.of, answers }
    }
}

impl From<&Walk> for WalkView {
    fn from(walk: &Walk) -> Self {
        let throw = |throw: &crate::domain::manual::Throw| {
            let why = match throw.outcome {
                Outcome::Rejected(why) => Some(why.to_string()),
                Outcome::Accepted | Outcome::Finished(_) => None,
            };
            ThrowView { throw: throw.token.clone(), counts: why.is_none(), why }
        };
        Self {
            question: walk.next_question().map(QuestionView::new),
            rank: walk.rank(),
            record: walk.record().iter().map(throw).collect(),
            number: walk.finished().map(|number| number.get()),
        }
    }
}

fn about(procedure: &'static Procedure) -> serde_json::Value {
    let questions: Vec<_> = procedure.questions().map(QuestionView::new).collect();
    json!({"id": procedure.name, "title": procedure.title, "needs": procedure.needs, "throws": questions})
}

/// List the uniform methods by hand, and those that are refused, with how uneven they are.
#[utoipa::path(get, path = "/manual-procedures", tag = "draws",
    responses((status = 200, body = Object, description = "{procedures, refused}")))]
pub async fn list_procedures() -> Response {
    let procedures: Vec<_> = PROCEDURES.iter().map(about).collect();
    let refused = REFUSED.iter().map(|refused| {
        let range = refused.bias.range();
        json!({"id": refused.name, "title": refused.title, "remark": refused.remark,
            "least_chance_of_960th": range.map(|(least, _)| least), "most_chance_of_960th": range.map(|(_, most)| most)})
    });
    json(&json!({"procedures": procedures, "refused": refused.collect::<Vec<_>>()}))
}

/// Throws to be replayed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// In their order, the rejected ones too.
    #[serde(default)]
    throws: Vec<String>,
    /// Numbers that the policy excludes.
    #[serde(default)]
    #[schema(value_type = Vec<u16>)]
    excluded: NumberSet,
    /// Numbers that were drawn before and may not come again.
    #[serde(default)]
    #[schema(value_type = Vec<u16>)]
    used: NumberSet,
}

/// Replay throws of a procedure and ask for the next one. Nothing is kept.
#[utoipa::path(post, path = "/manual-procedures/{id}/replay", tag = "draws", request_body = ReplayRequest,
    params(("id" = String, Path, description = "such as d6")),
    responses((status = 200, body = WalkView), (status = 422, description = "procedure-refused, invalid-field")))]
pub async fn replay(Path(id): Path<String>, payload: Payload) -> Result<Response, Problem> {
    let procedure = procedure_named(&id, "id")?;
    let (request, _) = payload.json_or_default::<ReplayRequest>().await?;
    let mut walk = Walk::start(procedure, request.excluded, request.used);
    throw_all(&mut walk, &request.throws)?;
    Ok(json(&WalkView::from(&walk)))
}

/// Post throws of a draw by hand, one by one or as a list; they are public from the release on.
#[utoipa::path(post, path = "/draws/{d}/throws", tag = "draws", request_body = ThrowsRequest,
    params(("d" = String, Path, description = "id of the draw")),
    security(("token" = [])),
    responses((status = 200, body = WalkView, description = "how the procedure stands, for the one who posts only"),
              (status = 403, description = "position-sealed: another token posts the throws of this draw"),
              (status = 409, description = "entropy-not-awaited, throws-too-early, draw-already-voided")))]
pub async fn post_throws(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    payload: Payload,
) -> Result<Response, Problem> {
    let (actor, id) = (caller.actor()?, draw_id(&id)?);
    state.desk.check_thrower(id, actor).await?;
    let request: ThrowsRequest = payload.json().await?;
    let walk = state.desk.post_throws(id, actor, &request).await?;
    Ok(json(&WalkView::from(&walk)))
}
