//! The description of the API: its heading, and what holds for every operation alike.

use serde_json::{Value, json};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder,
    security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
};

const PROBLEM: &str = "application/problem+json";

/// The heading of the OpenAPI document.
pub fn heading() -> OpenApi {
    let license = LicenseBuilder::new().name("GPL-3.0-or-later").identifier(Some("GPL-3.0-or-later")).build();
    let info = InfoBuilder::new()
        .title("draw960")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Start positions for Chess960 tournaments: drawn by lot, sealed until the release instant, provable afterwards. \
             Times are RFC 3339 in UTC. Errors are problem documents (RFC 9457) from one closed list, see /problems.",
        ))
        .license(Some(license))
        .build();
    let components = ComponentsBuilder::new().security_scheme("token", SecurityScheme::Http(token())).build();
    OpenApiBuilder::new().info(info).components(Some(components)).build()
}

fn token() -> utoipa::openapi::security::Http {
    let about = "A token of this server: `d960_opr_…` of the operator, who creates tournaments; or of a role in one tournament: \
                 `d960_arb_…`, `d960_pai_…`, `d960_brd_…`, `d960_aud_…`, answered once by `POST /tournaments`.";
    HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("d960").description(Some(about)).build()
}

/// The document as it is served: with the place of the API, and the body of every refusal.
pub fn complete(spec: &OpenApi) -> Value {
    let mut spec = serde_json::to_value(spec).unwrap_or_default();
    spec["servers"] = json!([{"url": super::PLACE}]);
    spec["components"]["schemas"]["Problem"] = problem();
    let items = spec["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    let operations = items.filter_map(Value::as_object_mut).flat_map(|item| item.values_mut());
    operations.for_each(answers_of);
    spec
}

/// Every refusal has the same body, and whatever is not listed is a refusal too; every answer has a description.
fn answers_of(operation: &mut Value) {
    let anonymous = operation["security"].as_array().is_none_or(|ways| ways.contains(&json!({})));
    let Some(answers) = operation["responses"].as_object_mut() else { return };
    if !anonymous {
        answers.entry("401").or_insert_with(|| json!({"description": "unauthenticated"}));
        answers.entry("403").or_insert_with(|| json!({"description": "role-not-allowed, outside-token-scope"}));
    }
    answers.entry("default").or_insert_with(|| json!({"description": "any other problem"}));
    answers.sort_keys();
    for answer in answers.values_mut().filter(|answer| answer.get("description").is_none()) {
        answer["description"] = "done".into();
    }
    let refused = answers.iter_mut().filter(|(status, _)| status.starts_with(['4', '5', 'd']));
    for (_, answer) in refused {
        answer["content"] = json!({PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}});
    }
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "Why a request was refused (RFC 9457). Some types have further members, such as release_at.",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": {"type": "string", "description": "/problems/<code>: a page about it; the code never changes its meaning"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "errors": {
                "type": "array",
                "description": "the fields at fault",
                "items": {
                    "type": "object",
                    "required": ["pointer", "detail"],
                    "properties": {
                        "pointer": {"type": "string", "description": "JSON pointer into the body, or name of a parameter"},
                        "detail": {"type": "string"},
                    },
                },
            },
            "release_at": {"type": ["string", "null"], "description": "when a sealed position is public; to confirm a schedule send it as confirm_release_at"},
            "warnings": {"type": "array", "items": {"type": "string"}, "description": "what looks like a mistake"},
            "candidates": {"type": "array", "items": {"type": "string"}, "description": "the instants that a civil time can mean"},
            "earliest_starts_at": {"type": "string", "description": "the first start that is not too late"},
            "draw": {"type": "string", "description": "id of the draw in the way"},
            "draws": {"type": "array", "items": {"type": "string"}, "description": "ids of the draws in the way"},
            "game": {"type": "string", "description": "id of the record in the way"},
        },
        "additionalProperties": true,
        "example": {
            "type": "/problems/position-sealed", "title": "Position sealed", "status": 403,
            "detail": "the position is not released yet", "release_at": "2026-12-05T07:45:00Z",
        },
    })
}
