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
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tower::ServiceExt;

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
