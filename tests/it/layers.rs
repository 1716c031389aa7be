//! What every request goes through, whatever it asks for.

use crate::support::TestServer;
use axum::{
    Router,
    body::{Body, to_bytes},
    http::Request,
    response::Response,
    routing::{get, post},
};
use draw960::http::{AppState, layers::around};
use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tower::ServiceExt;
use tracing::{Level, subscriber::DefaultGuard};

async fn app(routes: Router<AppState>) -> (TestServer, Router) {
    let server = TestServer::new().await;
    let state = AppState { desk: Arc::clone(&server.desk), metrics: Arc::new(String::new) };
    let app = around(routes, &state).with_state(state);
    (server, app)
}

async fn send(app: &Router, request: Request<Body>) -> Response {
    app.clone().oneshot(request).await.unwrap()
}

async fn boom() {
    if true {
        panic!("number 518");
    }
}

#[tokio::test]
async fn a_panic_becomes_a_problem_with_the_request_id() {
    let (_server, app) = app(Router::new().route("/boom", get(boom))).await;
    let request = Request::get("/boom").header("x-request-id", "r-1").body(Body::empty()).unwrap();
    let response = send(&app, request).await;
    assert_eq!((response.status().as_u16(), &response.headers()["x-request-id"]), (500, &"r-1".parse().unwrap()));
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    let body = to_bytes(response.into_body(), 4096).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    assert!(body.contains("/problems/internal") && !body.contains("518"), "{body}");
}

/// What is written to the log of one test.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn listen(&self, level: Level) -> DefaultGuard {
        let lines = self.clone();
        let log = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(move || lines.clone());
        tracing::subscriber::set_default(log.finish())
    }

    /// The lines about the request of this id.
    fn about(&self, id: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().filter(|line| line.contains(&format!("id=\"{id}\""))).map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn refusals_and_writes_are_written_down_under_their_id_and_good_reads_only_for_who_looks_closely() {
    let routes = Router::new().route("/boom", get(boom)).route("/x", get(|| async {}).post(|| async {}));
    let (_server, app) = app(routes).await;
    for (level, lines) in [(Level::ERROR, [0, 0, 1]), (Level::INFO, [0, 1, 2]), (Level::DEBUG, [1, 1, 2])] {
        let log = Lines::default();
        let _listening = log.listen(level);
        for (method, path, id) in [("GET", "/x", "good"), ("POST", "/x", "write"), ("GET", "/boom", "bad")] {
            let request = Request::builder().method(method).uri(path).header("x-request-id", id);
            send(&app, request.body(Body::empty()).unwrap()).await;
        }
        let about = ["good", "write", "bad"].map(|id| log.about(id));
        assert_eq!(about.each_ref().map(Vec::len), lines, "{level}: {about:?}");
        assert!(about[2][0].contains("request failed") && about[2][0].contains("route=\"/boom\""), "{about:?}");
    }
}

/// Who sends no id gets one: unlike all others, whatever the route, and in order.
#[tokio::test]
async fn ids_are_in_order_and_none_comes_twice() {
    let routes = Router::new().route("/x", get(|| async {})).route("/y", get(|| async {}));
    let (_server, app) = app(routes).await;
    let mut ids = Vec::new();
    for path in ["/x", "/y", "/x", "/nowhere", "/y"] {
        let response = send(&app, Request::get(path).body(Body::empty()).unwrap()).await;
        ids.push(response.headers()["x-request-id"].to_str().unwrap().to_owned());
    }
    assert!(ids.is_sorted_by(|a, b| a < b) && ids.iter().all(|id| id.len() == 19), "{ids:?}");
}

/// The handler waits where a slow disk would; the client leaves meanwhile.
#[tokio::test]
async fn a_write_is_finished_although_the_client_left() {
    let done = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&done);
    let act = move || async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        flag.store(true, Ordering::SeqCst);
    };
    let (_server, app) = app(Router::new().route("/act", post(act))).await;
    let request = Request::post("/act").body(Body::empty()).unwrap();
    let cut = tokio::time::timeout(Duration::from_millis(5), send(&app, request)).await;
    assert!(cut.is_err() && !done.load(Ordering::SeqCst));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(done.load(Ordering::SeqCst));
}

#[tokio::test]
async fn every_web_page_may_read_and_none_may_write() {
    let (_server, app) = app(Router::new().route("/x", get(|| async {}).post(|| async {}))).await;
    let allowed = |response: &Response| response.headers().contains_key("access-control-allow-origin");
    let read = send(&app, Request::get("/x").body(Body::empty()).unwrap()).await;
    assert!(allowed(&read));
    let exposed = read.headers()["access-control-expose-headers"].to_str().unwrap();
    assert!(exposed.split(", ").any(|name| name == "date"), "a screen counts down by the server's clock: {exposed}");
    assert!(!allowed(&send(&app, Request::post("/x").body(Body::empty()).unwrap()).await));
    let preflight = Request::options("/x").header("access-control-request-method", "POST").body(Body::empty()).unwrap();
    assert!(!allowed(&send(&app, preflight).await));
}
