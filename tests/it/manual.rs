//! Draws by hand: ordered first, thrown before witnesses, sealed until the release.

use crate::support::{Answer, TestServer, Tournament, evidence};
use draw960::domain::{
    derivation::{SlotSecret, throws_commitment},
    manual::replay,
    number_set::NumberSet,
};
use serde_json::{Value, json};

/// The worked example: 5 and 6 are thrown again; position 56.
const THROWS: [&str; 7] = ["3", "5", "1", "4", "6", "2", "1"];

async fn hall(server: &TestServer, policy: Value) -> Tournament {
    let mut policy = policy;
    policy["auto_draw"] = json!(false);
    let rounds =
        json!([{"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T15:00"}]);
    server.tournament("kaunas-2026-open", policy, rounds).await
}

async fn order(server: &TestServer, t: &Tournament, round: u16, body: Value) -> Answer {
    server.post(&t.at(&format!("/rounds/{round}/draws")), &t.arbiter, body).await
}

async fn by_hand(server: &TestServer, t: &Tournament, round: u16) -> String {
    let draw = order(server, t, round, json!({"method": "manual", "procedure": "d6"})).await.done(201);
    assert_eq!(json!([draw["state"], draw["grade"], draw["sources"]]), json!(["awaiting_entropy", "M", ["manual d6"]]));
    draw["id"].as_str().unwrap().to_owned()
}

async fn throw(server: &TestServer, draw: &str, token: &str, throws: &[&str]) -> Answer {
    server.post(&format!("/api/v1/draws/{draw}/throws"), token, json!({"throws": throws})).await
}

async fn position(server: &TestServer, t: &Tournament, round: u16) -> Answer {
    server.get(&t.at(&format!("/rounds/{round}/position"))).await
}

/// Secret, throws and number against commitment and log.
async fn check(server: &TestServer, position: &Value, procedure: &str) {
    let draw = &position["draw"];
    let slot = evidence::slot(draw);
    let secret = SlotSecret::from_hex(draw["secret"].as_str().unwrap()).unwrap();
    let (throws, commitment) = (draw["throws"].as_str().unwrap(), draw["commitment"].as_str().unwrap());
    let bound = throws_commitment(&slot, &commitment.parse().unwrap(), throws, &secret).to_string();
    let entries = server.entries().await;
    let manual =
        entries.iter().find(|entry| entry["t"] == "manual" && entry["attempt"] == position["attempt"]).unwrap();
    assert_eq!(manual["throws_commit"], bound);
    let excluded: NumberSet = serde_json::from_value(draw["excluded"].clone()).unwrap();
    let used: NumberSet = serde_json::from_value(draw["used"].clone()).unwrap();
    let number = replay(procedure, throws, &excluded, &used).unwrap().finished().unwrap();
    assert_eq!(position["number"], number.get());
}

#[tokio::test]
async fn throws_are_led_one_by_one_and_public_from_the_release_on() {
    let server = TestServer::new().await;
    let t = hall(&server, json!({})).await;
    let draw = by_hand(&server, &t, 1).await;
    let mut ranks = Vec::new();
    for token in THROWS {
        let state = throw(&server, &draw, &t.arbiter, &[token]).await.done(200);
        ranks.push(state["rank"].as_str().unwrap().to_owned());
        let last = state["record"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&last["throw"], last["counts"] == json!(true)), (&json!(token), !["5", "6"].contains(&token)));
    }
    assert_eq!(ranks[..3], ["....B...", "....B...", ".B..B..."]);
    assert_eq!(ranks[6], "NBNRBQKR");
    let done = throw(&server, &draw, &t.arbiter, &[]).await.done(200);
    assert_eq!(json!([done["question"], done["number"]]), json!([null, 56]));
    let problem = throw(&server, &draw, &t.arbiter, &["1"]).await.refused(422, "invalid-field");
    assert_eq!(problem["errors"][0]["pointer"], "/throws/0");
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "sealed");

    server.at("2026-12-05T07:44:59Z").await;
    let mut seen = server.everything(&t, "1").await;
    seen.retain(|(path, ..)| !path.contains("manual-procedures") && !path.contains("/positions/0"));
    for (path, role, answer) in &seen {
        for secret in ["NBNRBQKR", "nbnrbqkr", "3,5,1,4,6,2,1"] {
            assert!(!answer.text().contains(secret), "{path} as {role} gives {secret} away");
        }
    }
    server.at("2026-12-05T07:45:00Z").await;
    let position = position(&server, &t, 1).await.done(200);
    assert_eq!(
        json!([position["number"], position["grade"], position["draw"]["throws"]]),
        json!([56, "M", THROWS.join(",")])
    );
    assert!(position["draw"].get("seed").is_none());
    check(&server, &position, "d6").await;
    let kinds = server.kinds().await;
    assert_eq!(kinds[kinds.len() - 3..], ["order", "manual", "release"]);
    throw(&server, &draw, &t.arbiter, &[]).await.refused(409, "entropy-not-awaited");
}

#[tokio::test]
async fn only_the_one_who_posts_sees_how_it_stands() {
    let server = TestServer::new().await;
    let t = hall(&server, json!({})).await;
    let draw = by_hand(&server, &t, 1).await;
    let deputy = server.token(&t, "deputy").await.1;
    throw(&server, &draw, &deputy, &THROWS[..3]).await.done(200);
    for token in [&t.arbiter, &server.token(&t, "deputy").await.1] {
        for throws in [&[][..], &["9"], &["4"]] {
            throw(&server, &draw, token, throws).await.refused(403, "position-sealed");
        }
        let path = format!("/api/v1/draws/{draw}/throws");
        server
            .raw(axum::http::Method::POST, &path, token, "application/json", "{")
            .await
            .refused(403, "position-sealed");
    }
    for token in [&t.pairing, &t.board, &t.auditor, &server.operator] {
        throw(&server, &draw, token, &[]).await.refused(403, "role-not-allowed");
    }
    let server = server.restart(9).await;
    assert_eq!(throw(&server, &draw, &deputy, &THROWS[3..]).await.done(200)["number"], 56);
}

#[tokio::test]
async fn what_cannot_be_thrown_is_not_recorded() {
    let server = TestServer::new().await;
    let t = hall(&server, json!({})).await;
    let draw = by_hand(&server, &t, 1).await;
    for (throws, place) in [(&["7"][..], "/throws/0"), (&["3", "x"], "/throws/1"), (&["3", "1", "0"], "/throws/2")] {
        let problem = throw(&server, &draw, &t.arbiter, throws).await.refused(422, "invalid-field");
        assert_eq!(problem["errors"][0]["pointer"], place);
    }
    assert_eq!(throw(&server, &draw, &t.arbiter, &[]).await.done(200)["record"], json!([]));
    let other = order(&server, &t, 2, json!({})).await.done(201)["id"].as_str().unwrap().to_owned();
    throw(&server, &other, &t.arbiter, &["1"]).await.refused(409, "entropy-not-awaited");
    throw(&server, "drw_00000000000000000000000000000000", &t.arbiter, &["1"]).await.refused(404, "draw-unknown");
}

#[tokio::test]
async fn an_excluded_or_used_result_starts_again_on_record() {
    let server = TestServer::new().await;
    let t = hall(&server, json!({"excluded": [518], "repeats": "never"})).await;
    let first = by_hand(&server, &t, 1).await;
    let again = throw(&server, &first, &t.arbiter, &["2", "3", "3", "2", "3"]).await.done(200);
    assert_eq!(json!([again["number"], again["rank"], again["question"]["throw"]]), json!([null, "........", 1]));
    throw(&server, &first, &t.arbiter, &THROWS).await.done(200);
    let second = by_hand(&server, &t, 2).await;
    throw(&server, &second, &t.arbiter, &["1"]).await.refused(409, "throws-too-early");
    server.at("2026-12-05T07:45:00Z").await;
    let one = position(&server, &t, 1).await.done(200);
    assert_eq!(one["draw"]["throws"], format!("2,3,3,2,3,{}", THROWS.join(",")));
    check(&server, &one, "d6").await;
    assert_eq!(throw(&server, &second, &t.arbiter, &THROWS).await.done(200)["number"], json!(null));
    throw(&server, &second, &t.arbiter, &["1", "1", "1", "1", "1"]).await.done(200);
    server.at("2026-12-05T12:45:00Z").await;
    let two = position(&server, &t, 2).await.done(200);
    assert_eq!(two["draw"]["used"], json!([56]));
    assert_ne!(two["number"], 56);
}

/// A round brought forward is released with the number that was thrown for another: the other one is left to the arbiter.
#[tokio::test]
async fn a_thrown_number_that_was_released_meanwhile_is_not_released_again() {
    let server = TestServer::new().await;
    let t = hall(&server, json!({"repeats": "never"})).await;
    let first = by_hand(&server, &t, 1).await;
    throw(&server, &first, &t.arbiter, &THROWS).await.done(200);
    let earlier = json!({"starts_at": "2026-12-05T06:40:00Z", "confirm_release_at": "2026-12-05T06:25:00Z"});
    server.put(&t.at("/rounds/2"), &t.arbiter, earlier).await.done(200);
    let second = by_hand(&server, &t, 2).await;
    throw(&server, &second, &t.arbiter, &THROWS).await.done(200);
    server.at("2026-12-05T06:25:00Z").await;
    assert_eq!(position(&server, &t, 2).await.done(200)["number"], 56);
    server.at("2026-12-05T07:45:00Z").await;
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "overdue");
    server.post(&t.at("/rounds/1/release"), &t.arbiter, json!({})).await.refused(409, "numbers-exhausted");
}

#[tokio::test]
async fn a_draw_made_while_the_server_was_down_is_recorded_afterwards() {
    let server = TestServer::new().await;
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    let t = server.tournament("kaunas-2026-open", json!({}), rounds).await;
    server.clock.set("2026-12-05T08:30:00Z".parse().unwrap());
    let mut body = json!({"method": "manual", "procedure": "d6", "performed_at": "2026-12-05T09:50", "throws": ["3"]});
    let problem = order(&server, &t, 1, body.clone()).await.refused(422, "invalid-field");
    assert_eq!(problem["errors"][0]["pointer"], "/throws");
    body["throws"] = json!(THROWS);
    let draw = order(&server, &t, 1, body).await.done(201);
    assert_eq!(
        json!([draw["attempt"], draw["state"], draw["performed_at"], draw["recorded_minutes_later"]]),
        json!([2, "released", "2026-12-05T07:50:00Z", 40])
    );
    let kinds = server.kinds().await;
    assert_eq!(kinds[kinds.len() - 4..], ["void", "order", "manual", "release"]);
    let draws = server.get(&t.at("/rounds/1")).await.json()["draws"].clone();
    assert_eq!(draws[0]["void"]["reason"], "server-unavailable");
    check(&server, &position(&server, &t, 1).await.done(200), "d6").await;
    server.tick().await;
    let late = json!({"method": "manual", "procedure": "d6", "performed_at": "2026-12-05T09:50", "throws": THROWS});
    order(&server, &t, 1, late).await.refused(409, "draw-exists");
}

#[tokio::test]
async fn orders_by_hand_name_a_uniform_procedure() {
    let server = TestServer::new().await;
    let t = hall(&server, json!({})).await;
    for (body, code, pointer) in [
        (json!({"method": "manual"}), "invalid-field", "/procedure"),
        (json!({"method": "manual", "procedure": "d7"}), "invalid-field", "/procedure"),
        (json!({"method": "manual", "procedure": "digits-second-redrawn"}), "procedure-refused", "/procedure"),
        (json!({"procedure": "d6"}), "invalid-field", "/procedure"),
        (json!({"method": "manual", "procedure": "d6", "entropy": "local"}), "invalid-field", "/entropy"),
        (json!({"method": "manual", "procedure": "d6", "throws": ["1"]}), "invalid-field", "/throws"),
        (json!({"performed_at": "2026-12-05T07:50"}), "invalid-field", "/performed_at"),
        (
            json!({"method": "manual", "procedure": "d6", "performed_at": "2026-12-05T09:50"}),
            "invalid-field",
            "/performed_at",
        ),
    ] {
        let problem = order(&server, &t, 1, body.clone()).await.refused(422, code);
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{body}");
    }
}

#[tokio::test]
async fn anybody_can_replay_throws() {
    let server = TestServer::new().await;
    let listed = server.get("/api/v1/manual-procedures").await.done(200);
    assert_eq!((listed["procedures"].as_array().unwrap().len(), listed["refused"].as_array().unwrap().len()), (7, 17));
    assert_eq!(listed["procedures"][0]["throws"].as_array().unwrap().len(), 5);
    for id in ["d6", "coin10", "cards8", "platonic", "digits", "balls960", "external"] {
        let state = server.post(&format!("/api/v1/manual-procedures/{id}/replay"), "", json!({})).await.done(200);
        assert_eq!((&state["question"]["throw"], &state["number"]), (&json!(1), &json!(null)), "{id}");
    }
    let path = "/api/v1/manual-procedures/d6/replay";
    assert_eq!(server.post(path, "", json!({"throws": THROWS})).await.done(200)["number"], 56);
    let excluded = json!({"throws": THROWS, "excluded": [56]});
    let again = server.post(path, "", excluded).await.done(200);
    assert_eq!(again["record"][6]["why"], "56 is excluded: start again with the first throw");
    server.post(path, "", json!({"throws": ["7"]})).await.refused(422, "invalid-field");
    server.post("/api/v1/manual-procedures/bag/replay", "", json!({})).await.refused(422, "procedure-refused");
    server.post("/api/v1/manual-procedures/d7/replay", "", json!({})).await.refused(422, "invalid-field");
}
