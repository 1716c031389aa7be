//! The order of the middlewares, decided once.

use super::{harden, slow_body, state::AppState, trace};
use axum::{Router, middleware};
use tower_http::catch_panic::CatchPanicLayer;

/// Puts every route of `router` inside the middlewares, the outermost last. To be called when all routes are there.
pub fn around(router: Router<AppState>, state: &AppState) -> Router<AppState> {
    router
        .layer(middleware::from_fn(slow_body::deadline))
        .layer(CatchPanicLayer::custom(harden::panicked))
        .layer(middleware::from_fn(harden::headers))
        .layer(middleware::from_fn_with_state(state.clone(), trace::request))
        // Outermost, so that a write whose client left is also written down.
        .layer(middleware::from_fn(harden::unbroken))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clock::ManualClock,
        desk::{Desk, KeyFile},
        entropy::FixedEntropy,
        store::{OpenMode, Store},
    };
    use axum::{
        body::{Body, to_bytes},
        http::Request,
        response::Response,
        routing::{get, post},
    };
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };
    use tower::ServiceExt;

    async fn state(folder: &std::path::Path) -> AppState {
        let store = Store::open(&folder.join("draw960.db"), OpenMode::Create).await.unwrap();
        let clock = Arc::new(ManualClock::new("2026-12-05T07:00:00Z".parse().unwrap()));
        let key = KeyFile(folder.join("draw960.key"));
        let entropy = Arc::new(FixedEntropy::new([7; 32]));
        let (desk, _) = Desk::open(store, clock, entropy, &key, "test", None).await.unwrap();
        AppState { desk: Arc::new(desk), metrics: Arc::new(String::new) }
    }

    async fn send(app: &Router, request: Request<Body>) -> Response {
        app.clone().oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn a_panic_becomes_a_problem_with_the_request_id() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let boom = || async {
            if true {
                panic!("number 518")
            }
        };
        let app = around(Router::new().route("/boom", get(boom)), &state).with_state(state);
        let request = Request::get("/boom").header("x-request-id", "r-1").body(Body::empty()).unwrap();
        let response = send(&app, request).await;
        assert_eq!((response.status().as_u16(), &response.headers()["x-request-id"]), (500, &"r-1".parse().unwrap()));
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        let body = to_bytes(response.into_body(), 4096).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains("/problems/internal") && !body.contains("518"), "{body}");
    }

    #[tokio::test]
    async fn a_write_is_finished_although_the_client_left() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let done = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&done);
        let act = move || async move {
            tokio::task::yield_now().await;
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            flag.store(true, Ordering::SeqCst);
        };
        let app = around(Router::new().route("/act", post(act)), &state).with_state(state);
        let request = Request::post("/act").body(Body::empty()).unwrap();
        let cut = tokio::time::timeout(std::time::Duration::from_millis(5), send(&app, request)).await;
        assert!(cut.is_err() && !done.load(Ordering::SeqCst));
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        assert!(done.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn every_page_may_read_what_is_public_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let app = around(Router::new().route("/x", get(|| async {}).post(|| async {})), &state).with_state(state);
        let allowed = |response: &Response| response.headers().contains_key("access-control-allow-origin");
        let plain = send(&app, Request::get("/x").body(Body::empty()).unwrap()).await;
        assert!(allowed(&plain));
        let with_token = Request::get("/x").header("authorization", "Bearer x").body(Body::empty()).unwrap();
        assert!(!allowed(&send(&app, with_token).await));
        assert!(!allowed(&send(&app, Request::post("/x").body(Body::empty()).unwrap()).await));
    }
}
