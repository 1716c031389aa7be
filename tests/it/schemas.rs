//! Answers have the shapes that the description of the API gives them.

use crate::support::{Answer, TestServer, Tournament};
use axum::http::Method;
use serde_json::{Value, json};

/// The description, and how answers are compared with it.
struct Spec(Value);

impl Spec {
    /// Every field of the answer is described, every required one is there, and each has its type.
    #[track_caller]
    fn describes(&self, method: &str, path: &str, answer: &Answer) {
        let status = answer.status.as_u16();
        let responses = &self.0["paths"][path][method]["responses"];
        let content = &responses[status.to_string()]["content"];
        let media_type = answer.header("content-type").split(';').next().unwrap_or_default();
        let schema = &content[media_type]["schema"];
        assert!(schema.is_object(), "{method} {path} {status} {media_type} is not described: {content}");
        if media_type.ends_with("json") {
            self.fits(schema, &answer.json()).unwrap_or_else(|why| panic!("{method} {path} {status}: {why}"));
        }
    }

    fn fits(&self, schema: &Value, value: &Value) -> Result<(), String> {
        if let Some(name) = schema["$ref"].as_str() {
            return self.fits(self.0.pointer(&name[1..]).unwrap(), value);
        }
        if let Some(ways) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            let tried: Vec<_> = ways.iter().map(|way| self.fits(way, value)).collect();
            let first = tried.iter().find_map(|way| way.clone().err());
            return if tried.iter().any(Result::is_ok) { Ok(()) } else { Err(first.unwrap_or_default()) };
        }
        typed(schema, value)?;
        match value {
            Value::Object(fields) => self.members(schema, fields),
            Value::Array(items) => items.iter().try_for_each(|item| self.fits(&schema["items"], item)),
            _ => Ok(()),
        }
    }

    fn members(&self, schema: &Value, fields: &serde_json::Map<String, Value>) -> Result<(), String> {
        let parts = self.parts(schema);
        for name in parts.iter().flat_map(|part| part["required"].as_array().into_iter().flatten()) {
            fields.get(name.as_str().unwrap()).ok_or_else(|| format!("{name} is missing"))?;
        }
        let open = parts.iter().all(|part| part.get("properties").is_none());
        let free = parts.iter().map(|part| &part["additionalProperties"]).find(|more| more.is_object());
        for (name, field) in fields {
            match parts.iter().find_map(|part| part["properties"].get(name)).or(free) {
                Some(schema) => self.fits(schema, field).map_err(|why| format!("{name}: {why}"))?,
                None if open || parts.iter().any(|part| part["additionalProperties"] == true) => {}
                None => return Err(format!("{name} is not described")),
            }
        }
        Ok(())
    }

    /// The schema itself, or the parts that it is put together from.
    fn parts<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        let resolve = |part: &'a Value| match part["$ref"].as_str() {
            Some(name) => self.0.pointer(&name[1..]).unwrap(),
            None => part,
        };
        match schema["allOf"].as_array() {
            // A part that may be null may be absent too.
            Some(parts) => parts.iter().flat_map(|part| self.parts(resolve(alternative(part)))).collect(),
            None => vec![schema],
        }
    }
}

fn alternative(part: &Value) -> &Value {
    let optional = part["oneOf"].as_array().and_then(|ways| ways.iter().find(|way| way.get("$ref").is_some()));
    optional.unwrap_or(part)
}

fn typed(schema: &Value, value: &Value) -> Result<(), String> {
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = match &schema["type"] {
        Value::String(one) => one == is,
        Value::Array(several) => several.contains(&json!(is)),
        _ => true,
    };
    let listed = schema["enum"].as_array().is_none_or(|values| values.contains(value));
    if allowed && listed { Ok(()) } else { Err(format!("{value} is not of {schema}")) }
}

async fn started() -> (TestServer, Spec, Tournament) {
    let server = TestServer::new().await;
    let spec = Spec(server.get("/api/openapi.json").await.done(200));
    let t = server.kaunas().await;
    (server, spec, t)
}

#[tokio::test]
async fn what_the_public_reads_is_described() {
    let (server, spec, t) = started().await;
    let paths = [
        ("/tournaments", "/tournaments"),
        ("/tournaments/{t}", &t.at("")),
        ("/tournaments/{t}/rounds/{r}", &t.at("/rounds/1")),
        ("/tournaments/{t}/rounds/{r}/position", &t.at("/rounds/1/position")),
        ("/tournaments/{t}/rounds/{r}/position.svg", &t.at("/rounds/1/position.svg")),
        ("/tournaments/{t}/rounds/{r}/history", &t.at("/rounds/1/history")),
        ("/tournaments/{t}/rounds/{r}/history.html", &t.at("/rounds/1/history.html")),
        ("/tournaments/{t}/positions", &t.at("/positions")),
        ("/tournaments/{t}/games", &t.at("/games")),
        ("/tournaments/{t}/bundle", &t.at("/bundle")),
        ("/draws", "/draws?limit=1"),
        ("/draws.csv", "/draws.csv"),
        ("/positions/{n}", "/positions/518"),
        ("/log/entries", "/log/entries"),
        ("/log/consistency", "/log/consistency?from=1"),
        ("/log/checkpoint", "/log/checkpoint"),
        ("/findings", "/findings"),
    ];
    for instant in ["2026-12-05T07:00:00Z", "2026-12-05T07:45:00Z"] {
        server.at(instant).await;
        for (described, path) in paths {
            let path = if path.starts_with("/api") { path.to_owned() } else { format!("/api/v1{path}") };
            spec.describes("get", described, &server.get(&path).await);
        }
        let round = server.get(&t.at("/rounds/1")).await.json();
        let draw = server.get(&format!("/api/v1/draws/{}", round["draws"][0]["id"].as_str().unwrap())).await;
        spec.describes("get", "/draws/{d}", &draw);
    }
}

#[tokio::test]
async fn what_changes_answer_is_described() {
    let (server, spec, t) = started().await;
    let pairings = json!({"boards": [{"board": 1, "white": {"name": "A"}, "black": {"name": "B"}}]});
    let paired = server.put(&t.at("/rounds/1/pairings"), &t.pairing, pairings).await;
    spec.describes("put", "/tournaments/{t}/rounds/{r}/pairings", &paired);
    let token = server.post(&t.at("/tokens"), &t.arbiter, json!({"role": "deputy", "label": "Ona"})).await;
    spec.describes("post", "/tournaments/{t}/tokens", &token);
    spec.describes("get", "/tournaments/{t}/tokens", &server.get_as(&t.at("/tokens"), &t.arbiter).await);
    let round = server.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": "2026-12-05T15:00"})).await;
    spec.describes("put", "/tournaments/{t}/rounds/{r}", &round);
    let draw = format!("/api/v1/draws/{}/void", round.json()["draws"][0]["id"].as_str().unwrap());
    let void = server.post(&draw, &t.arbiter, json!({"reason": "leaked"})).await;
    spec.describes("post", "/draws/{d}/void", &void);

    server.at("2026-12-05T07:45:00Z").await;
    for moves in [json!(["e4", "e5", "Ke3"]), json!(["e4"])] {
        let game = json!({"round": 1, "board": 1, "moves": moves, "result": "1-0"});
        let game = server.post(&t.at("/games"), &t.pairing, game).await;
        spec.describes("post", "/tournaments/{t}/games", &game);
    }
    let pgn = "[White \"A\"]\n[Black \"B\"]\n[Round \"1\"]\n\n1. e4 e5 1-0\n\n[White \"C\"]\n\n1. e5 *\n";
    let upload = &t.at("/games?round=1");
    let uploaded = server.raw(Method::POST, upload, &t.pairing, "application/x-chess-pgn", pgn.as_bytes()).await;
    spec.describes("post", "/tournaments/{t}/games", &uploaded);
    spec.describes("get", "/tournaments/{t}/games", &server.get(&t.at("/games")).await);
    let validated = server.post("/api/v1/validate", "", json!({"start": {"number": 0}, "moves": ["e4", "Ke3"]})).await;
    spec.describes("post", "/validate", &validated);
    spec.describes("post", "/castling", &server.post("/api/v1/castling", "", json!({"number": 0})).await);
}

/// Operations that need a token say so, refuse without one, and describe what they then answer.
#[tokio::test]
async fn what_needs_a_token_says_so() {
    let (server, spec, _) = started().await;
    let scheme = &spec.0["components"]["securitySchemes"]["token"];
    assert_eq!((&scheme["type"], &scheme["scheme"]), (&json!("http"), &json!("bearer")));
    for (path, item) in spec.0["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for (status, answer) in operation["responses"].as_object().unwrap() {
                assert!(answer["description"].is_string(), "{method} {path} {status}");
            }
            let ways = operation["security"].as_array().cloned().unwrap_or_else(|| vec![json!({})]);
            let asked = path.replace(['{', '}'], "").replace("/rounds/r", "/rounds/1");
            let method_name: Method = method.to_uppercase().parse().unwrap();
            let answer = server.call(method_name, &format!("/api/v1{asked}"), "", Some(json!({}))).await;
            assert_eq!(answer.status == 401, !ways.contains(&json!({})), "{method} {path}: {}", answer.text());
            if answer.status == 401 {
                spec.describes(method, path, &answer);
            }
        }
    }
}
