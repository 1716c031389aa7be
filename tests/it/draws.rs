//! The life of a draw: ordered, sealed, released, voided, ordered again.

use crate::support::{TestServer, Tournament, evidence};
use axum::http::Method;
use draw960::domain::draw::VoidReason;
use serde_json::{Value, json};

/// A tournament whose draws the arbiter orders.
async fn by_hand(server: &TestServer) -> Tournament {
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    server.tournament("kaunas-2026-open", json!({"auto_draw": false}), rounds).await
}

async fn live(server: &TestServer, t: &Tournament, round: u16) -> Value {
    let round = server.get(&t.at(&format!("/rounds/{round}"))).await.done(200);
    round["draws"].as_array().unwrap().last().unwrap().clone()
}

async fn void(server: &TestServer, t: &Tournament, draw: &Value, reason: &str) -> Value {
    let path = format!("/api/v1/draws/{}/void", draw["id"].as_str().unwrap());
    server.post(&path, &t.arbiter, json!({"reason": reason})).await.done(200)
}

#[tokio::test]
async fn an_order_publishes_the_commitment_and_nothing_else() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    let round = server.get(&t.at("/rounds/1")).await.json();
    assert_eq!((&round["state"], &round["draws"]), (&json!("scheduled"), &json!([])));
    let answer = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await;
    let draw = answer.done(201);
    assert_eq!(answer.header("location"), format!("/api/v1/draws/{}", draw["id"].as_str().unwrap()));
    assert_eq!(
        json!([draw["state"], draw["attempt"], draw["grade"], draw["sources"], draw["repeats"]]),
        json!(["sealed", 1, "C", ["none"], "allowed"])
    );
    assert_eq!(draw["commitment"].as_str().unwrap().len(), 64);
    assert!(draw.get("release").is_none() && draw.get("void").is_none() && draw.get("secret").is_none());
    assert!(draw["draw"].get("secret").is_none() && draw["draw"].get("seed").is_none());
    assert_eq!(server.get(answer.header("location")).await.done(200), draw);
    let mut listed = draw.clone();
    listed.as_object_mut().unwrap().remove("draw");
    assert_eq!(live(&server, &t, 1).await, listed);
}

#[tokio::test]
async fn a_second_order_is_refused_with_the_winner() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    let winner = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    let size = server.log().await.len();
    let problem = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.refused(409, "draw-exists");
    for (member, field) in [("draw", "id"), ("attempt", "attempt"), ("commitment", "commitment")] {
        assert_eq!(problem[member], winner[field]);
    }
    assert_eq!(server.log().await.len(), size);
}

#[tokio::test]
async fn an_order_needs_no_body_and_takes_defaults_only_from_none() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    let path = t.at("/rounds/1/draws");
    for (body, code) in [("{", "malformed-json"), ("[]", "invalid-field"), ("{\"bord\": 1}", "invalid-field")] {
        // Without a content length, as in a chunked body.
        let request = axum::http::Request::post(&path)
            .header("authorization", format!("Bearer {}", t.arbiter))
            .header("content-type", "application/json");
        let answer = server.send(request.body(axum::body::Body::from(body)).unwrap()).await;
        assert_eq!(answer.problem(), code, "{body}");
    }
    server.raw(Method::POST, &path, &t.arbiter, "text/plain", "{}").await.refused(415, "unsupported-media-type");
    server.call(Method::POST, &path, &t.arbiter, None).await.done(201);
}

#[tokio::test]
async fn the_same_idempotency_key_gets_the_same_answer() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    let path = t.at("/rounds/1/draws");
    let first = server.post_keyed(&path, &t.arbiter, "round-1", json!({})).await;
    let size = server.log().await.len();
    for _ in 0..3 {
        let again = server.post_keyed(&path, &t.arbiter, "round-1", json!({})).await;
        assert_eq!((again.status, again.text()), (first.status, first.text()));
        assert_eq!(again.header("location"), first.header("location"));
    }
    let other = server.post_keyed(&path, &t.arbiter, "round-1", json!({"method": "csprng"})).await;
    other.refused(422, "idempotency-key-reused");
    server.post_keyed(&path, &t.arbiter, "another", json!({})).await.refused(409, "draw-exists");
    assert_eq!(server.log().await.len(), size);
}

/// The key still names its draw after that was voided: a retry that arrives late is no new order.
#[tokio::test]
async fn a_late_retry_under_a_key_orders_nothing() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    let path = t.at("/rounds/1/draws");
    let first = server.post_keyed(&path, &t.arbiter, "k", json!({})).await.json();
    void(&server, &t, &first, "wrong-entry").await;
    let late = server.post_keyed(&path, &t.arbiter, "k", json!({})).await.json();
    assert_eq!((&late["id"], &late["state"]), (&first["id"], &json!("voided")));
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "voided");
}

#[tokio::test]
async fn a_key_has_its_answer_after_the_end_of_the_tournament_too() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    let path = t.at("/rounds/1/draws");
    let first = server.post_keyed(&path, &t.arbiter, "k", json!({})).await.done(201);
    server.call(Method::POST, &t.at("/cancel"), &t.arbiter, None).await.done(200);
    assert_eq!(server.post_keyed(&path, &t.arbiter, "k", json!({})).await.done(201)["id"], first["id"]);
    server.post_keyed(&path, &t.arbiter, "l", json!({})).await.refused(409, "tournament-ended");
}

#[tokio::test]
async fn a_key_that_failed_can_be_used_again_and_keys_belong_to_a_tournament() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    server.post_keyed(&t.at("/rounds/9/draws"), &t.arbiter, "k", json!({})).await.refused(404, "round-unknown");
    server.post_keyed(&t.at("/rounds/1/draws"), &t.arbiter, "k", json!({})).await.done(201);
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    let other = server.tournament("vilnius-2026", json!({"auto_draw": false}), rounds).await;
    server.post_keyed(&other.at("/rounds/1/draws"), &other.arbiter, "k", json!({})).await.done(201);
    for key in ["", &"k".repeat(256)] {
        server.post_keyed(&t.at("/rounds/1/draws"), &t.arbiter, key, json!({})).await.refused(422, "invalid-field");
    }
}

#[tokio::test]
async fn every_reason_voids_and_the_secret_is_revealed() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    let reasons = VoidReason::ALL.into_iter().filter(|reason| *reason != VoidReason::Restored);
    for (i, reason) in reasons.enumerate() {
        let draw = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
        assert_eq!(draw["attempt"], i + 1);
        let voided = void(&server, &t, &draw, reason.as_str()).await;
        assert_eq!(
            json!([
                voided["state"],
                voided["void"]["reason"],
                voided["void"]["knowable"],
                voided["void"]["from_round"]
            ]),
            json!(["voided", reason.as_str(), true, 1])
        );
        assert_eq!(voided["void"]["secret"].as_str().unwrap().len(), 64);
        assert!(voided.get("release").is_none());
    }
    let bad = json!({"reason": "did-not-like-it"});
    let draw = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    let path = format!("/api/v1/draws/{}/void", draw["id"].as_str().unwrap());
    let problem = server.post(&path, &t.arbiter, bad).await.refused(422, "invalid-field");
    assert_eq!(problem["errors"][0]["pointer"], "/reason");
}

#[tokio::test]
async fn a_voided_draw_cannot_be_voided_again() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let draw = live(&server, &t, 1).await;
    void(&server, &t, &draw, "wrong-entry").await;
    let size = server.log().await.len();
    let path = format!("/api/v1/draws/{}/void", draw["id"].as_str().unwrap());
    server.post(&path, &t.arbiter, json!({"reason": "leaked"})).await.refused(409, "draw-already-voided");
    server
        .post("/api/v1/draws/drw_00000000000000000000000000000000/void", &t.arbiter, json!({"reason": "leaked"}))
        .await
        .refused(404, "draw-unknown");
    assert_eq!(server.log().await.len(), size);
}

#[tokio::test]
async fn after_a_void_nothing_is_ordered_by_itself_and_the_next_attempt_is_the_second() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let first = live(&server, &t, 1).await;
    void(&server, &t, &first, "leaked").await;
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "voided");
    let problem = server.get(&t.at("/rounds/1/position")).await.refused(410, "draw-voided");
    assert_eq!(problem["draw"], first["id"]);
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": "2026-12-05T10:05"})).await.done(200);
    server.at("2026-12-05T07:00:00Z").await;
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "voided");

    let second = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    assert_eq!(second["attempt"], 2);
    assert_ne!(second["commitment"], first["commitment"]);
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.at("2026-12-05T07:50:00Z").await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    evidence::check(&position);
    assert_eq!((&position["attempt"], &position["draw"]["id"]), (&json!(2), &second["id"]));
    assert_eq!(live(&server, &t, 1).await["release"]["number"], position["number"]);
}

#[tokio::test]
async fn a_released_position_is_gone_after_a_void_and_its_evidence_stays() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    let draw = live(&server, &t, 1).await;
    void(&server, &t, &draw, "organiser-decision").await;
    server.get(&t.at("/rounds/1/position")).await.refused(410, "draw-voided");
    assert_eq!(server.get(&t.at("/positions")).await.json(), json!({"positions": []}));
    let kept = server.get(&format!("/api/v1/draws/{}", draw["id"].as_str().unwrap())).await.done(200);
    assert_eq!(
        (&kept["release"]["number"], &kept["release"]["seed"]),
        (&position["number"], &position["draw"]["seed"])
    );
    assert_eq!(kept["state"], "voided");
}

/// Ordered after the release instant, a draw is released as soon as it is ready, with ten minutes left.
#[tokio::test]
async fn a_redraw_after_the_instant_is_released_at_once_or_is_too_late() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    void(&server, &t, &live(&server, &t, 1).await, "leaked").await;
    server.at("2026-12-05T07:50:00Z").await;
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.tick().await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    assert_eq!(position["drawn_at"], "2026-12-05T07:50:00Z");

    void(&server, &t, &live(&server, &t, 1).await, "leaked").await;
    server.at("2026-12-05T07:50:01Z").await;
    let problem = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.refused(409, "too-late");
    assert_eq!(problem["earliest_starts_at"], "2026-12-05T08:00:01Z");
    let earliest = json!({"starts_at": problem["earliest_starts_at"]});
    server.put(&t.at("/rounds/1"), &t.arbiter, earliest.clone()).await.refused(409, "confirm-schedule");
    let confirmed = json!({"starts_at": problem["earliest_starts_at"], "confirm_release_at": "2026-12-05T07:45:01Z"});
    server.put(&t.at("/rounds/1"), &t.arbiter, confirmed).await.done(200);
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    server.tick().await;
    assert_eq!(server.get(&t.at("/rounds/1/position")).await.done(200)["attempt"], 3);
}

#[tokio::test]
async fn orders_that_this_server_cannot_carry_out_are_refused() {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    let path = t.at("/rounds/1/draws");
    for (body, status, code, pointer) in [
        (json!({"method": "manual"}), 422, "invalid-field", "/procedure"),
        (json!({"entropy": "drand"}), 422, "policy-invalid", "/entropy"),
        (json!({"board": 3}), 422, "invalid-field", "/board"),
        (json!({"method": "roulette"}), 422, "invalid-field", "/method"),
    ] {
        let problem = server.post(&path, &t.arbiter, body).await.refused(status, code);
        assert_eq!(problem["errors"][0]["pointer"], pointer);
    }
    server.post(&t.at("/rounds/7/draws"), &t.arbiter, json!({})).await.refused(404, "round-unknown");
    server.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": null})).await.done(200);
    server.post(&t.at("/rounds/2/draws"), &t.arbiter, json!({})).await.refused(409, "round-postponed");
    server.post(&path, &t.arbiter, json!({"board": 0, "entropy": "local"})).await.done(201);
}

#[tokio::test]
async fn past_draws_are_found_by_filters_and_pages() {
    let server = TestServer::new().await;
    let rounds: Vec<_> =
        (1..=5).map(|n| json!({"number": n, "starts_at": format!("2026-12-{:02}T10:00", n + 4)})).collect();
    let t = server.tournament("kaunas-2026-open", json!({}), json!(rounds)).await;
    server.tournament("vilnius-2026", json!({}), json!([rounds[0].clone()])).await;
    server.at("2026-12-05T07:45:00Z").await;
    void(&server, &t, &live(&server, &t, 5).await, "not-played").await;
    let number = server.get(&t.at("/rounds/1/position")).await.json()["number"].clone();
    let count = async |query: &str| {
        server.get(&format!("/api/v1/draws?{query}")).await.done(200)["draws"].as_array().unwrap().len()
    };
    assert_eq!(count("").await, 6);
    assert_eq!(count("tournament=vilnius-2026").await, 1);
    assert_eq!(count("tournament=kaunas-2026-open&round=3").await, 1);
    assert_eq!(count("state=released").await, 2);
    assert_eq!(count("state=voided").await, 1);
    assert_eq!(count("state=sealed").await, 3);
    assert!(count(&format!("number={number}")).await >= 1);
    assert_eq!(count("board=0&from=2026-12-05T06:00:00Z&to=2026-12-05T06:00:01Z").await, 6);
    assert_eq!(count("from=2026-12-05T06:00:01Z").await, 0);
    for bad in ["state=open", "limit=0", "limit=201", "number=960", "from=yesterday", "cursor=x", "rond=1"] {
        assert_eq!(server.get(&format!("/api/v1/draws?{bad}")).await.status, 422, "{bad}");
    }
    server.get("/api/v1/draws?tournament=riga").await.refused(404, "tournament-unknown");

    let (mut path, mut rounds) = ("/api/v1/draws?limit=2&tournament=kaunas-2026-open".to_owned(), Vec::new());
    loop {
        let page = server.get(&path).await;
        let json = page.done(200);
        rounds.extend(json["draws"].as_array().unwrap().iter().map(|draw| draw["round"].as_u64().unwrap()));
        let Some(link) = page.header("link").strip_prefix('<').and_then(|link| link.split_once('>')) else { break };
        path = link.0.to_owned();
        assert!(rounds.len() <= 5, "the next page forgot the filter");
    }
    assert_eq!(rounds, [1, 2, 3, 4, 5], "in the order of the orders");
}

#[tokio::test]
async fn past_draws_as_csv_and_ndjson_say_the_same_and_labels_are_for_insiders() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let draw = live(&server, &t, 1).await;
    void(&server, &t, &draw, "wrong-entry").await;
    let (_, deputy) = server.token(&t, "deputy").await;
    server.post(&t.at("/rounds/1/draws"), &deputy, json!({})).await.done(201);
    server.at("2026-12-05T07:45:00Z").await;
    let json = server.get("/api/v1/draws").await.done(200);
    let lines = server.get("/api/v1/draws.ndjson").await;
    let lines: Vec<Value> = lines.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json["draws"], json!(lines));
    let csv = server.get("/api/v1/draws.csv").await;
    assert_eq!((csv.header("content-type"), csv.text().lines().count()), ("text/csv; charset=utf-8", 3));
    assert!(csv.text().contains(lines[1]["release"]["fen"].as_str().unwrap()));

    let label = "deputy Ona Petraitytė";
    for (token, insider) in
        [("", false), (&t.pairing, false), (&t.board, false), (&t.auditor, true), (&t.arbiter, true), (&deputy, true)]
    {
        for path in ["/api/v1/draws", "/api/v1/draws.csv", "/api/v1/draws.ndjson"] {
            assert_eq!(server.get_as(path, token).await.text().contains(label), insider, "{path}");
        }
    }
    let other = server.tournament("vilnius-2026", json!({}), json!([])).await;
    assert!(!server.get_as("/api/v1/draws", &other.auditor).await.text().contains(label));
}

#[tokio::test]
async fn a_released_draw_is_recomputed_from_its_own_document_and_from_the_positions() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    let draw = server.get(&format!("/api/v1/draws/{}", position["draw"]["id"].as_str().unwrap())).await.done(200);
    evidence::check(&draw);
    for field in ["number", "rank", "fen", "draw"] {
        assert_eq!(draw[field], position[field], "{field}");
    }
    let listed = server.get("/api/v1/draws").await.done(200);
    assert_eq!(listed["draws"][0]["draw"], draw["draw"]);
}

#[tokio::test]
async fn a_draw_voided_before_its_release_opens_its_commitment_and_has_no_number() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let draw = live(&server, &t, 1).await;
    let voided = void(&server, &t, &draw, "leaked").await;
    assert_eq!(voided["draw"]["secret"], voided["void"]["secret"]);
    assert!(voided["draw"].get("seed").is_none() && voided.get("number").is_none());
}
