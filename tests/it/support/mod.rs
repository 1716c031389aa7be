//! A server of one's own: temporary database, hand-moved clock, fixed chance, requests without a socket.
#![allow(dead_code, reason = "a test uses what it needs")]

pub mod evidence;
pub mod paths;
pub mod relay;
pub mod twin;
pub mod witness;

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use draw960::{
    clock::{Clock, ManualClock},
    desk::{Desk, KeyFile, Relays},
    entropy::{Entropy, FixedEntropy},
    http::{AppState, router},
    ledger::Missing,
    store::{OpenMode, Store},
};
use http_body_util::BodyExt;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::ServiceExt;

/// Saturday, two hours before the first round in most tests.
pub const NOW: &str = "2026-12-05T06:00:00Z";

pub struct TestServer {
    pub desk: Arc<Desk>,
    pub clock: ManualClock,
    pub operator: String,
    pub folder: tempfile::TempDir,
    router: Router,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Bytes,
}

impl TestServer {
    pub async fn new() -> Self {
        Self::open(tempfile::tempdir().unwrap(), ManualClock::new(NOW.parse().unwrap()), 1).await
    }

    /// Opens a server on a folder; a folder used before goes on with what is in it.
    pub async fn open(folder: tempfile::TempDir, clock: ManualClock, chance: u8) -> Self {
        Self::open_with(folder, clock, Arc::new(FixedEntropy::new([chance; 32]))).await
    }

    /// Opens a server on a folder with chance of one's own.
    pub async fn open_with(folder: tempfile::TempDir, clock: ManualClock, entropy: Arc<dyn Entropy>) -> Self {
        Self::open_as(folder, clock, entropy, Missing::Refuse, Relays::new(Vec::new())).await
    }

    /// Opens a server on a folder that may lack its high-water file.
    pub async fn open_accepting(
        folder: tempfile::TempDir,
        clock: ManualClock,
        entropy: Arc<dyn Entropy>,
        missing: Missing,
    ) -> Self {
        Self::open_as(folder, clock, entropy, missing, Relays::new(Vec::new())).await
    }

    /// Opens a server that fetches beacons from these relays, when a test lets it.
    pub async fn open_with_relays(
        folder: tempfile::TempDir,
        clock: ManualClock,
        entropy: Arc<dyn Entropy>,
        relays: Relays,
    ) -> Self {
        Self::open_as(folder, clock, entropy, Missing::Refuse, relays).await
    }

    async fn open_as(
        folder: tempfile::TempDir,
        clock: ManualClock,
        entropy: Arc<dyn Entropy>,
        missing: Missing,
        relays: Relays,
    ) -> Self {
        let store = Store::open(&folder.path().join("draw960.db"), OpenMode::Create).await.unwrap();
        let key = KeyFile(folder.path().join("draw960.key"));
        let clock_arc: Arc<dyn Clock> = Arc::new(clock.clone());
        let (mut desk, _) =
            Desk::open(store, clock_arc, entropy, &key, "draw960.test", Some("d960_opr_test")).await.unwrap();
        desk.begin(folder.path(), missing).await.unwrap();
        desk.relays = relays;
        let desk = Arc::new(desk);
        let router = router(AppState { desk: Arc::clone(&desk), metrics: Arc::new(String::new) });
        Self { desk, clock, operator: "d960_opr_test".into(), folder, router }
    }

    /// Stops and starts again on the same folder.
    pub async fn restart(self, chance: u8) -> Self {
        self.desk.store.close().await;
        Self::open(self.folder, self.clock, chance).await
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Moves the clock and lets the release task look once.
    pub async fn advance(&self, by: SignedDuration) {
        self.clock.advance(by);
        self.tick().await;
    }

    /// Sets the clock and lets the release task look once.
    pub async fn at(&self, instant: &str) {
        self.clock.set(instant.parse().unwrap());
        self.tick().await;
    }

    /// The log may grow.
    pub async fn ready(&self) {
        assert_eq!(self.get("/readyz").await.text(), "ready\n");
    }

    pub async fn tick(&self) {
        self.desk.release_due().await.unwrap();
    }

    pub async fn send(&self, mut request: Request<Body>) -> Answer {
        // An id of the caller's own, so that answers can be compared byte by byte.
        request.headers_mut().entry("x-request-id").or_insert(header::HeaderValue::from_static("test"));
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        Answer { status: parts.status, headers: parts.headers, bytes: body.collect().await.unwrap().to_bytes() }
    }

    pub async fn call(&self, method: Method, path: &str, token: &str, body: Option<Value>) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !token.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = match body {
            Some(body) => {
                let text = body.to_string();
                request =
                    request.header(header::CONTENT_TYPE, "application/json").header(header::CONTENT_LENGTH, text.len());
                Body::from(text)
            }
            None => Body::empty(),
        };
        self.send(request.body(body).unwrap()).await
    }

    /// A request whose body is sent as it stands.
    pub async fn raw(
        &self,
        method: Method,
        path: &str,
        token: &str,
        media_type: &str,
        body: impl Into<Bytes>,
    ) -> Answer {
        let body: Bytes = body.into();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::CONTENT_TYPE, media_type)
            .header(header::CONTENT_LENGTH, body.len());
        self.send(request.body(Body::from(body)).unwrap()).await
    }

    /// An order or another request under an Idempotency-Key.
    pub async fn post_keyed(&self, path: &str, token: &str, key: &str, body: Value) -> Answer {
        let text = body.to_string();
        let request = Request::post(path)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::CONTENT_LENGTH, text.len())
            .header("idempotency-key", key);
        self.send(request.body(Body::from(text)).unwrap()).await
    }

    pub async fn patch(&self, path: &str, token: &str, body: Value) -> Answer {
        self.call(Method::PATCH, path, token, Some(body)).await
    }

    pub async fn delete(&self, path: &str, token: &str) -> Answer {
        self.call(Method::DELETE, path, token, None).await
    }

    /// The log: each entry as it is served.
    pub async fn log(&self) -> Vec<Value> {
        let page = self.get("/api/v1/log/entries?limit=1000").await.json();
        page["entries"].as_array().unwrap().clone()
    }

    /// The entries of the log, parsed.
    pub async fn entries(&self) -> Vec<Value> {
        let parse = |leaf: &Value| serde_json::from_str(leaf["entry"].as_str().unwrap()).unwrap();
        self.log().await.iter().map(parse).collect()
    }

    /// The kinds of the log's entries in order.
    pub async fn kinds(&self) -> Vec<String> {
        self.entries().await.iter().map(|entry| entry["t"].as_str().unwrap().to_owned()).collect()
    }

    /// Takes a token of this role, made by the arbiter; answers its id and text.
    pub async fn token(&self, t: &Tournament, role: &str) -> (String, String) {
        let body = json!({"role": role, "label": format!("{role} Ona Petraitytė")});
        let made = self.post(&t.at("/tokens"), &t.arbiter, body).await.done(201);
        (made["id"].as_str().unwrap().to_owned(), made["token"].as_str().unwrap().to_owned())
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, "", None).await
    }

    pub async fn get_as(&self, path: &str, token: &str) -> Answer {
        self.call(Method::GET, path, token, None).await
    }

    pub async fn post(&self, path: &str, token: &str, body: Value) -> Answer {
        self.call(Method::POST, path, token, Some(body)).await
    }

    pub async fn put(&self, path: &str, token: &str, body: Value) -> Answer {
        self.call(Method::PUT, path, token, Some(body)).await
    }

    /// A tournament in Kaunas with this policy and these rounds; answers with its tokens.
    pub async fn tournament(&self, slug: &str, policy: Value, rounds: Value) -> Tournament {
        let body = json!({"name": "Kaunas Open", "slug": slug, "time_zone": "Europe/Vilnius", "policy": policy, "rounds": rounds});
        let answer = self.post("/api/v1/tournaments", &self.operator, body).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let json = answer.json();
        let token = |role: &str| json["tokens"][role].as_str().unwrap().to_owned();
        Tournament {
            path: format!("/api/v1/tournaments/{slug}"),
            arbiter: token("arbiter"),
            pairing: token("pairing"),
            board: token("board"),
            auditor: token("auditor"),
        }
    }

    /// A tournament with one round at 10:00 local time, 08:00 UTC, released at 07:45 UTC.
    pub async fn kaunas(&self) -> Tournament {
        self.tournament("kaunas-2026-open", json!({}), json!([{"number": 1, "starts_at": "2026-12-05T10:00"}])).await
    }
}

/// Opens a second desk on the folder of a server, as a start of the program would.
pub async fn try_open(server: &TestServer) -> Result<(), draw960::desk::StartError> {
    let store = Store::open(&server.folder.path().join("draw960.db"), OpenMode::Existing).await?;
    let key = KeyFile(server.folder.path().join("draw960.key"));
    let clock: Arc<dyn Clock> = Arc::new(server.clock.clone());
    Desk::open(store, clock, Arc::new(FixedEntropy::new([3; 32])), &key, "draw960.test", None).await.map(|_| ())
}

/// A tournament's path and tokens.
pub struct Tournament {
    pub path: String,
    pub arbiter: String,
    pub pairing: String,
    pub board: String,
    pub auditor: String,
}

impl Tournament {
    /// Its slug.
    pub fn slug(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// A path below the tournament.
    pub fn at(&self, rest: &str) -> String {
        format!("{}{rest}", self.path)
    }
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    /// The JSON of an answer that must have this status.
    #[track_caller]
    pub fn done(&self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self.json()
    }

    /// The problem document of a refusal that must have this status and code.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Value {
        assert_eq!((self.status.as_u16(), self.problem().as_str()), (status, code), "{}", self.text());
        self.json()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The code of a problem, after checking that it is a whole problem document.
    pub fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{} {}", self.status, self.text());
        let json = self.json();
        assert_eq!(json["status"], self.status.as_u16());
        json["type"].as_str().unwrap().strip_prefix("/problems/").unwrap().to_owned()
    }
}
