//! Pages for people: the front page, the API from its OpenAPI document, and what each problem means.

use super::{
    describe,
    problem::{self, Problem},
};
use crate::domain::fault::{Code, Fault};
use askama::Template;
use axum::{
    body::Body,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::Value;
use std::{future::Ready, sync::Arc};
use utoipa::openapi::OpenApi;

/// The API's documents, rendered once.
#[derive(Clone)]
pub struct Docs {
    openapi: Arc<str>,
    page: Arc<str>,
}

/// A body: its media type, and the name of its schema where it has one of its own.
struct Content {
    media_type: String,
    schema: Option<String>,
}

/// An operation on the page.
struct Operation {
    method: String,
    path: String,
    summary: String,
    parameters: Vec<(String, String, String)>,
    /// Whether a token is needed, or lets one see more.
    token: Option<&'static str>,
    bodies: Vec<Content>,
    answers: Vec<(String, String, Vec<Content>)>,
    anchor: String,
}

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage {
    version: &'static str,
    tags: Vec<(String, Vec<Operation>)>,
    schemas: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "index.html")]
struct IndexPage {
    version: &'static str,
}

#[derive(Template)]
#[template(path = "problems.html")]
struct ProblemsPage {
    problems: Vec<ProblemLine>,
    single: bool,
}

struct ProblemLine {
    code: &'static str,
    status: u16,
    title: &'static str,
    about: &'static str,
}

impl Docs {
    /// Renders the documents of `spec`.
    pub fn new(spec: &OpenApi) -> Self {
        let spec = describe::complete(spec);
        let page = DocsPage { version: env!("CARGO_PKG_VERSION"), tags: tags(&spec), schemas: schemas(&spec) };
        let page = page.render().unwrap_or_default();
        Self { openapi: spec.to_string().into(), page: page.into() }
    }

    /// Handler of the OpenAPI document.
    pub fn openapi(self) -> impl Fn() -> Ready<Response> + Clone + Send + Sync + 'static {
        move || {
            let body = Body::from(self.openapi.to_string());
            std::future::ready(([(header::CONTENT_TYPE, "application/json")], body).into_response())
        }
    }

    /// Handler of the page.
    pub fn page(self) -> impl Fn() -> Ready<Response> + Clone + Send + Sync + 'static {
        move || std::future::ready(html(self.page.to_string()))
    }
}

fn html(page: String) -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], Body::from(page)).into_response()
}

fn render(page: &impl Template) -> Result<Response, Problem> {
    page.render().map(html).map_err(|why| Fault::internal(why.to_string()).into())
}

/// Sections of the page in reading order; others follow.
const READING_ORDER: [&str; 9] =
    ["tournaments", "rounds", "draws", "positions", "games", "validation", "audit", "log", "tokens"];

fn tags(spec: &Value) -> Vec<(String, Vec<Operation>)> {
    let mut tags: Vec<(String, Vec<Operation>)> = Vec::new();
    for (path, item) in spec["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let tag = operation["tags"][0].as_str().unwrap_or("other").to_owned();
            let operation = Operation::new(method, path, operation);
            match tags.iter_mut().find(|(known, _)| *known == tag) {
                Some((_, operations)) => operations.push(operation),
                None => tags.push((tag, vec![operation])),
            }
        }
    }
    let place = |tag: &str| READING_ORDER.iter().position(|known| *known == tag).unwrap_or(READING_ORDER.len());
    tags.sort_by_key(|(tag, _)| place(tag));
    tags
}

impl Operation {
    fn new(method: &str, path: &str, operation: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().replace('`', "");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let answers = operation["responses"].as_object().into_iter().flatten();
        Self {
            method: method.to_uppercase(),
            path: format!("/api/v1{path}"),
            summary: text(&operation["summary"]),
            parameters: parameters.map(|p| (text(&p["name"]), text(&p["in"]), text(&p["description"]))).collect(),
            token: token(operation),
            bodies: contents(&operation["requestBody"]),
            answers: answers
                .filter(|(status, _)| *status != "default")
                .map(|(status, answer)| (status.clone(), text(&answer["description"]), contents(answer)))
                .collect(),
            anchor: text(&operation["operationId"]),
        }
    }
}

fn token(operation: &Value) -> Option<&'static str> {
    let ways = operation["security"].as_array()?;
    Some(if ways.iter().any(|way| *way == serde_json::json!({})) { "shows more with a token" } else { "needs a token" })
}

/// What a request or an answer can be. That problems are problems is said once, at the top of the page.
fn contents(holder: &Value) -> Vec<Content> {
    let content = holder["content"].as_object().into_iter().flatten();
    let described = content.filter(|(media_type, _)| !media_type.starts_with("application/problem"));
    let name = |body: &Value| body["schema"]["$ref"].as_str()?.rsplit('/').next().map(str::to_owned);
    described.map(|(media_type, body)| Content { media_type: media_type.clone(), schema: name(body) }).collect()
}

fn schemas(spec: &Value) -> Vec<(String, String)> {
    let schemas = spec.pointer("/components/schemas").and_then(Value::as_object).into_iter().flatten();
    schemas.map(|(name, schema)| (name.clone(), serde_json::to_string_pretty(schema).unwrap_or_default())).collect()
}

/// The front page.
pub async fn index() -> Result<Response, Problem> {
    render(&IndexPage { version: env!("CARGO_PKG_VERSION") })
}

/// Every problem type.
pub async fn list_problems() -> Result<Response, Problem> {
    render(&ProblemsPage { problems: Code::ALL.iter().map(|code| line(*code)).collect(), single: false })
}

/// One problem type: the page behind the `type` of a problem document.
pub async fn show_problem(super::extract::Path(code): super::extract::Path<String>) -> Result<Response, Problem> {
    let known = Code::ALL.iter().find(|known| known.as_str() == code);
    let unknown = || Fault::new(Code::RouteUnknown, format!("there is no problem type {code:?}"));
    render(&ProblemsPage { problems: vec![line(*known.ok_or_else(unknown)?)], single: true })
}

fn line(code: Code) -> ProblemLine {
    let problem::Kind { status, title, about } = problem::kind(code);
    ProblemLine { code: code.as_str(), status: status.as_u16(), title, about }
}
