//! Who may do what: every operation, every role.

use crate::support::{Answer, TestServer, Tournament};
use axum::http::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const NO_GAME: &str = "gam_00000000000000000000000000000000";
const NOBODY: &str = "tok_00000000000000000000000000000000";

/// An operation that is refused for another reason when the role may ask for it, so that trying it changes nothing
/// that the next try depends on.
struct Try {
    method: Method,
    /// As in the description.
    described: &'static str,
    path: String,
    body: Option<Value>,
    roles: &'static [&'static str],
}

fn tries(t: &Tournament, voided: &str) -> Vec<Try> {
    let of = |method, described, path, body: Value, roles| Try {
        method,
        described,
        path,
        body: (!body.is_null()).then_some(body),
        roles,
    };
    let (post, put, get) = (Method::POST, Method::PUT, Method::GET);
    let new = json!({"name": "Again", "slug": t.slug(), "time_zone": "Europe/Vilnius"});
    let past = json!({"starts_at": "2020-01-01T10:00"});
    let token = json!({"role": "board", "label": "board 7"});
    let game = json!({"round": 99, "board": 1, "pgn": "*"});
    let (annul, over) =
        (json!({"article": "7.2", "reason": "x"}), json!({"finding": "x", "article": "7.2", "reason": "x"}));
    let path = |what: &str| format!("/api/v1/games/{NO_GAME}/{what}");
    vec![
        of(post.clone(), "/tournaments", "/api/v1/tournaments".into(), new, &["operator"]),
        of(Method::PATCH, "/tournaments/{t}", t.at(""), json!({"name": " "}), &["arbiter"]),
        of(post.clone(), "/tournaments/{t}/cancel", t.at("/cancel"), Value::Null, &["arbiter"]),
        of(post.clone(), "/tournaments/{t}/close", t.at("/close"), Value::Null, &["arbiter"]),
        of(put.clone(), "/tournaments/{t}/rounds/{r}", t.at("/rounds/3"), past, &["arbiter", "deputy", "pairing"]),
        of(
            post.clone(),
            "/tournaments/{t}/rounds/shift",
            t.at("/rounds/shift"),
            json!({"from": 99, "minutes": 5}),
            &["arbiter", "deputy", "pairing"],
        ),
        of(
            post.clone(),
            "/tournaments/{t}/rounds/{r}/release",
            t.at("/rounds/2/release"),
            Value::Null,
            &["arbiter", "deputy"],
        ),
        of(
            put,
            "/tournaments/{t}/rounds/{r}/pairings",
            t.at("/rounds/99/pairings"),
            json!({"boards": []}),
            &["arbiter", "deputy", "pairing"],
        ),
        of(
            get.clone(),
            "/tournaments/{t}/rounds/{r}/pairings",
            t.at("/rounds/1/pairings"),
            Value::Null,
            &["arbiter", "deputy", "pairing", "board", "auditor"],
        ),
        of(
            post.clone(),
            "/tournaments/{t}/rounds/{r}/draws",
            t.at("/rounds/2/draws"),
            json!({}),
            &["arbiter", "deputy"],
        ),
        of(
            post.clone(),
            "/tournaments/{t}/rounds/{r}/dice",
            t.at("/rounds/2/dice"),
            json!({"digits": "63454660390103169462"}),
            &["arbiter", "deputy"],
        ),
        of(
            post.clone(),
            "/draws/{d}/throws",
            format!("/api/v1/draws/{voided}/throws"),
            json!({"throws": []}),
            &["arbiter", "deputy"],
        ),
        of(
            post.clone(),
            "/draws/{d}/void",
            format!("/api/v1/draws/{voided}/void"),
            json!({"reason": "wrong-entry"}),
            &["arbiter", "deputy"],
        ),
        of(post.clone(), "/tournaments/{t}/games", t.at("/games"), game, &["arbiter", "deputy", "pairing"]),
        of(post.clone(), "/games/{g}/annul", path("annul"), annul, &["arbiter", "deputy"]),
        of(post.clone(), "/games/{g}/override", path("override"), over, &["arbiter", "deputy"]),
        of(post, "/tournaments/{t}/tokens", t.at("/tokens"), token, &["arbiter", "operator"]),
        of(get, "/tournaments/{t}/tokens", t.at("/tokens"), Value::Null, &["arbiter", "auditor", "operator"]),
        of(
            Method::DELETE,
            "/tournaments/{t}/tokens/{k}",
            t.at(&format!("/tokens/{NOBODY}")),
            Value::Null,
            &["arbiter", "operator"],
        ),
    ]
}

/// A tournament with a released round 1, a sealed round 2 and a voided draw of round 3.
async fn hall(server: &TestServer) -> (Tournament, String) {
    let rounds = json!([
        {"number": 1, "starts_at": "2026-12-05T10:00"},
        {"number": 2, "starts_at": "2026-12-05T15:00"},
        {"number": 3, "starts_at": "2026-12-06T10:00"},
    ]);
    let t = server.tournament("kaunas-2026-open", json!({}), rounds).await;
    server.at("2026-12-05T07:45:00Z").await;
    let round = server.get(&t.at("/rounds/3")).await.json();
    let voided = round["draws"][0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{voided}/void"), &t.arbiter, json!({"reason": "wrong-entry"})).await.done(200);
    (t, voided)
}

fn code(answer: &Answer) -> String {
    if answer.status.is_success() { "done".into() } else { answer.problem() }
}

#[tokio::test]
async fn every_operation_asks_for_its_roles_and_no_others() {
    let server = TestServer::new().await;
    let (t, voided) = hall(&server).await;
    let deputy = server.token(&t, "deputy").await.1;
    let roles = [
        ("arbiter", t.arbiter.clone()),
        ("deputy", deputy),
        ("pairing", t.pairing.clone()),
        ("board", t.board.clone()),
        ("auditor", t.auditor.clone()),
        ("operator", server.operator.clone()),
    ];
    // A game that is not there is unknown to everybody.
    for one in tries(&t, &voided).into_iter().filter(|one| !one.path.contains(NO_GAME)) {
        for (role, token) in &roles {
            let answer = server.call(one.method.clone(), &one.path, token, one.body.clone()).await;
            let found = code(&answer);
            if one.roles.contains(role) {
                let stranger = ["unauthenticated", "role-not-allowed", "outside-token-scope"];
                assert!(!stranger.contains(&found.as_str()), "{} {} as {role}: {found}", one.method, one.path);
            } else {
                answer.refused(403, "role-not-allowed");
            }
        }
    }
}

#[tokio::test]
async fn every_operation_refuses_nobody_strangers_and_tokens_taken_back() {
    let server = TestServer::new().await;
    let (t, voided) = hall(&server).await;
    let other = server.tournament("vilnius-2026", json!({}), json!([])).await;
    let foreign_deputy = server.token(&other, "deputy").await.1;
    let (id, revoked) = server.token(&t, "arbiter").await;
    server.delete(&t.at(&format!("/tokens/{id}")), &t.arbiter).await;
    let size = server.log().await.len();
    for one in tries(&t, &voided) {
        for token in ["", "d960_arb_0000", &revoked] {
            let answer = server.call(one.method.clone(), &one.path, token, one.body.clone()).await;
            answer.refused(401, "unauthenticated");
            assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"draw960\"");
        }
        let foreign = [("arbiter", &other.arbiter), ("deputy", &foreign_deputy), ("pairing", &other.pairing)];
        for (role, token) in foreign.into_iter().chain([("board", &other.board), ("auditor", &other.auditor)]) {
            let bound = one.path.contains(t.slug()) || one.described.starts_with("/draws/");
            if bound && one.roles.contains(&role) {
                let answer = server.call(one.method.clone(), &one.path, token, one.body.clone()).await;
                answer.refused(403, "outside-token-scope");
            }
        }
    }
    assert_eq!(server.log().await.len(), size);
}

/// Operations added later must be tried here too.
#[tokio::test]
async fn every_operation_that_changes_something_is_tried() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let tried: BTreeSet<(String, String)> =
        tries(&t, "").iter().map(|one| (one.method.to_string(), one.described.to_owned())).collect();
    let public_posts =
        ["/validate", "/castling", "/manual-procedures/{id}/replay", "/tournaments/{t}/rounds/{r}/beacon"];
    let missing: Vec<_> = server
        .operations()
        .await
        .into_iter()
        .filter(|(method, path)| method != "GET" && !public_posts.contains(&path.as_str()))
        .filter(|operation| !tried.contains(operation))
        .collect();
    assert!(missing.is_empty(), "add these to tests/it/tokens.rs: {missing:?}");
}

#[tokio::test]
async fn a_token_is_shown_once_and_ends_when_taken_back() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (id, text) = server.token(&t, "deputy").await;
    assert!(text.starts_with("d960_dep_") && text.len() == 9 + 64, "{text}");
    let list = server.get_as(&t.at("/tokens"), &t.auditor).await.done(200);
    let listed = list["tokens"].as_array().unwrap().iter().find(|token| token["id"] == id).unwrap().clone();
    assert_eq!(
        (&listed["role"], &listed["label"], &listed["revoked_at"]),
        (&json!("deputy"), &json!("deputy Ona Petraitytė"), &Value::Null)
    );
    assert!(!list.to_string().contains("d960_"), "a list shows no token");
    let draws = server.get_as("/api/v1/draws", &text).await;
    assert_eq!(draws.status, 200);

    assert_eq!(server.delete(&t.at(&format!("/tokens/{id}")), &t.arbiter).await.status, 204);
    server.get_as("/api/v1/draws", &text).await.refused(401, "unauthenticated");
    server.delete(&t.at(&format!("/tokens/{id}")), &t.arbiter).await.refused(404, "token-unknown");
    server.delete(&t.at("/tokens/nonsense"), &t.arbiter).await.refused(404, "token-unknown");
}

#[tokio::test]
async fn a_token_of_another_tournament_cannot_be_taken_back() {
    let server = TestServer::new().await;
    let (kaunas, vilnius) = (server.kaunas().await, server.tournament("vilnius-2026", json!({}), json!([])).await);
    let (id, text) = server.token(&vilnius, "auditor").await;
    server.delete(&kaunas.at(&format!("/tokens/{id}")), &kaunas.arbiter).await.refused(404, "token-unknown");
    server.get_as(&vilnius.at("/tokens"), &text).await.done(200);
}

#[tokio::test]
async fn requests_for_tokens_that_make_no_sense_are_refused() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for (body, pointer) in [
        (json!({"role": "operator", "label": "me"}), "/role"),
        (json!({"role": "king", "label": "me"}), "/role"),
        (json!({"role": "board", "label": " "}), "/label"),
        (json!({"role": "board", "label": "a\u{202e}b"}), "/label"),
        (json!({"role": "board", "label": "b", "board": 0}), "/board"),
    ] {
        let problem = server.post(&t.at("/tokens"), &t.arbiter, body).await.refused(422, "invalid-field");
        assert_eq!(problem["errors"][0]["pointer"], pointer);
    }
}

#[tokio::test]
async fn other_schemes_than_bearer_are_refused_and_the_scheme_has_no_case() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for (value, status) in [
        (format!("bearer {}", t.auditor), 200),
        (format!("BEARER {}", t.auditor), 200),
        (format!("Basic {}", t.auditor), 401),
        (t.auditor.clone(), 401),
        (String::new(), 401),
    ] {
        let request = axum::http::Request::get(t.at("/tokens")).header("authorization", &value);
        let answer = server.send(request.body(axum::body::Body::empty()).unwrap()).await;
        assert_eq!(answer.status, status, "{value}");
    }
}
