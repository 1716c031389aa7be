//! Draws by the server's secret and twenty dice thrown in public.

use crate::support::{Answer, TestServer, Tournament, evidence};
use serde_json::{Value, json};

const DICE: &str = "63454660390103169462";
const OTHER: &str = "63454660390103169463";

async fn dice(server: &TestServer, policy: Value) -> (Tournament, String) {
    let mut policy = policy;
    policy["entropy"] = json!("dice");
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    let t = server.tournament("kaunas-2026-open", policy, rounds).await;
    let deputy = server.token(&t, "deputy").await.1;
    (t, deputy)
}

async fn throw(server: &TestServer, t: &Tournament, token: &str, digits: &str) -> Answer {
    server.post(&t.at("/rounds/1/dice"), token, json!({"digits": digits})).await
}

async fn round(server: &TestServer, t: &Tournament) -> Value {
    server.get(&t.at("/rounds/1")).await.done(200)
}

async fn void_last(server: &TestServer, t: &Tournament) -> Value {
    let draw = round(server, t).await["draws"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "wrong-entry"})).await.done(200)
}

#[tokio::test]
async fn an_order_waits_until_two_tokens_posted_the_same() {
    let server = TestServer::new().await;
    let (t, deputy) = dice(&server, json!({})).await;
    let before = round(&server, &t).await;
    let draw = &before["draws"][0];
    assert_eq!(
        json!([before["state"], draw["state"], draw["grade"], draw["sources"], draw["knowable_since"]]),
        json!(["awaiting_entropy", "awaiting_entropy", "B", ["dice d10"], null])
    );
    assert_eq!(before["dice"], json!({"standing": "awaited", "posts": []}));
    server.at("2026-12-05T07:00:00Z").await;
    let once = throw(&server, &t, &t.arbiter, DICE).await.done(200);
    assert_eq!(json!([once["state"], once["dice"]["standing"]]), json!(["awaiting_entropy", "posted_once"]));
    server.at("2026-12-05T07:01:00Z").await;
    let twice = throw(&server, &t, &deputy, DICE).await.done(200);
    assert_eq!(json!([twice["state"], twice["dice"]["standing"]]), json!(["sealed", "complete"]));
    let draw = &twice["draws"][0];
    assert_eq!(
        json!([draw["state"], draw["knowable_since"], draw["arrived"]["arrived_at"]]),
        json!(["sealed", "2026-12-05T07:00:00Z", "2026-12-05T07:01:00Z"])
    );
    assert!(!twice.to_string().contains(DICE), "the round repeats the digits");

    server.at("2026-12-05T07:44:59Z").await;
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.at("2026-12-05T07:45:00Z").await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    evidence::check(&position);
    assert_eq!((&position["grade"], &position["draw"]["entropy"]), (&json!("B"), &json!([format!("dice {DICE}")])));
    let kinds = server.kinds().await;
    assert_eq!(kinds[kinds.len() - 4..], ["dice", "dice", "entropy", "release"]);
    assert_eq!(round(&server, &t).await["draws"][0]["release"]["knowable_for_s"], 45 * 60);
}

#[tokio::test]
async fn what_is_no_throw_is_refused_and_not_recorded() {
    let server = TestServer::new().await;
    let (t, deputy) = dice(&server, json!({})).await;
    let size = server.log().await.len();
    for digits in ["", "6345466039010316946", "634546603901031694620", "6345466039010316946x", "6345 660390103169462"] {
        let problem = throw(&server, &t, &t.arbiter, digits).await.refused(422, "invalid-field");
        assert_eq!(problem["errors"][0]["pointer"], "/digits");
    }
    for token in [&t.pairing, &t.board, &t.auditor] {
        throw(&server, &t, token, DICE).await.refused(403, "role-not-allowed");
    }
    throw(&server, &t, "", DICE).await.refused(401, "unauthenticated");
    let elsewhere = json!({"digits": DICE});
    server.post(&t.at("/rounds/2/dice"), &t.arbiter, elsewhere).await.refused(404, "round-unknown");
    throw(&server, &t, &t.arbiter, DICE).await.done(200);
    throw(&server, &t, &t.arbiter, DICE).await.refused(409, "second-token-required");
    throw(&server, &t, &t.arbiter, OTHER).await.refused(409, "second-token-required");
    throw(&server, &t, &deputy, DICE).await.done(200);
    throw(&server, &t, &deputy, DICE).await.refused(409, "entropy-not-awaited");
    throw(&server, &t, &t.arbiter, OTHER).await.refused(409, "entropy-not-awaited");
    assert_eq!(server.log().await.len(), size + 3);
}

#[tokio::test]
async fn a_differing_second_post_stays_on_record_and_leaves_only_a_void() {
    let server = TestServer::new().await;
    let (t, deputy) = dice(&server, json!({})).await;
    throw(&server, &t, &t.arbiter, DICE).await.done(200);
    throw(&server, &t, &deputy, OTHER).await.refused(409, "dice-mismatch");
    let third = server.token(&t, "deputy").await.1;
    for token in [&t.arbiter, &deputy, &third] {
        throw(&server, &t, token, DICE).await.refused(409, "dice-mismatch");
    }
    let posts: Vec<_> = server.entries().await.into_iter().filter(|entry| entry["t"] == "dice").collect();
    assert_eq!(json!([posts[0]["digits"], posts[1]["digits"]]), json!([DICE, OTHER]));
    assert_eq!((posts.len(), &round(&server, &t).await["dice"]["standing"]), (2, &json!("mismatch")));
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.refused(409, "draw-exists");

    assert_eq!(void_last(&server, &t).await["void"]["knowable"], true);
    throw(&server, &t, &third, DICE).await.refused(409, "entropy-not-awaited");
    let second = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    assert_eq!((&second["attempt"], &second["state"]), (&json!(2), &json!("awaiting_entropy")));
    for digits in [DICE, OTHER] {
        throw(&server, &t, &t.arbiter, digits).await.refused(422, "dice-used");
    }
    let fresh = "00000000000000000001";
    throw(&server, &t, &t.arbiter, fresh).await.done(200);
    throw(&server, &t, &deputy, fresh).await.done(200);
    server.at("2026-12-05T07:45:00Z").await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    evidence::check(&position);
    assert_eq!(position["draw"]["entropy"], json!([format!("dice {fresh}")]));
}

#[tokio::test]
async fn a_void_before_the_throw_was_not_knowable_and_after_it_was() {
    let server = TestServer::new().await;
    let (t, _) = dice(&server, json!({})).await;
    assert_eq!(void_last(&server, &t).await["void"]["knowable"], false);
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    throw(&server, &t, &t.arbiter, DICE).await.done(200);
    assert_eq!(void_last(&server, &t).await["void"]["knowable"], true);
}

#[tokio::test]
async fn late_dice_release_at_once_while_ten_minutes_are_left() {
    let server = TestServer::new().await;
    let (t, deputy) = dice(&server, json!({})).await;
    server.at("2026-12-05T07:49:00Z").await;
    assert_eq!(round(&server, &t).await["state"], "awaiting_entropy");
    throw(&server, &t, &t.arbiter, DICE).await.done(200);
    server.at("2026-12-05T07:50:00Z").await;
    throw(&server, &t, &deputy, DICE).await.done(200);
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.tick().await;
    assert_eq!(server.get(&t.at("/rounds/1/position")).await.done(200)["drawn_at"], "2026-12-05T07:50:00Z");
}

#[tokio::test]
async fn dice_that_come_too_late_are_left_to_the_arbiter() {
    let server = TestServer::new().await;
    let (t, deputy) = dice(&server, json!({})).await;
    throw(&server, &t, &t.arbiter, DICE).await.done(200);
    server.at("2026-12-05T07:50:00Z").await;
    assert_eq!(round(&server, &t).await["state"], "awaiting_entropy");
    server.at("2026-12-05T07:50:01Z").await;
    assert_eq!(round(&server, &t).await["state"], "overdue");
    server.post(&t.at("/rounds/1/release"), &t.arbiter, json!({})).await.refused(409, "entropy-awaited");
    throw(&server, &t, &deputy, DICE).await.done(200);
    server.tick().await;
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.post(&t.at("/rounds/1/release"), &t.arbiter, json!({})).await.done(200);
    evidence::check(&server.get(&t.at("/rounds/1/position")).await.done(200));
}

/// Where the policy asks nobody to confirm, one post makes the entropy, and the public is told so.
#[tokio::test]
async fn one_post_is_enough_where_that_was_declared() {
    let server = TestServer::new().await;
    let (t, _) = dice(&server, json!({"dice_confirm": false})).await;
    let declared = server.get(&t.path).await.json()["declarations"].to_string();
    assert!(declared.contains("posted by one person"), "{declared}");
    assert_eq!(throw(&server, &t, &t.arbiter, DICE).await.done(200)["state"], "sealed");
    server.at("2026-12-05T07:45:00Z").await;
    evidence::check(&server.get(&t.at("/rounds/1/position")).await.done(200));
}

#[tokio::test]
async fn a_restart_between_every_two_steps_changes_no_number() {
    let run = async |restarts: bool| {
        let mut server = TestServer::new().await;
        let (t, deputy) = dice(&server, json!({})).await;
        for token in [&t.arbiter, &deputy] {
            throw(&server, &t, token, DICE).await.done(200);
            server = if restarts { server.restart(9).await } else { server };
        }
        server.at("2026-12-05T07:45:00Z").await;
        server.get(&t.at("/rounds/1/position")).await.done(200)
    };
    let (straight, restarted) = (run(false).await, run(true).await);
    assert_eq!(straight["number"], restarted["number"]);
    assert_eq!(straight["draw"]["seed"], restarted["draw"]["seed"]);
}

#[tokio::test]
async fn the_dice_of_a_round_serve_all_its_boards() {
    let server = TestServer::new().await;
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00", "boards": 3}]);
    let t = server.tournament("kaunas-2026-open", json!({"entropy": "dice", "scope": "board"}), rounds).await;
    let deputy = server.token(&t, "deputy").await.1;
    let boards = |boards: u16| json!({"starts_at": "2026-12-05T10:00", "boards": boards});
    throw(&server, &t, &t.arbiter, DICE).await.done(200);
    // A board ordered now would have a commitment younger than the throw.
    server.put(&t.at("/rounds/1"), &t.arbiter, boards(4)).await.refused(409, "dice-under-way");
    let round1 = throw(&server, &t, &deputy, DICE).await.done(200);
    assert!(round1["draws"].as_array().unwrap().iter().all(|draw| draw["state"] == "sealed"));
    server.put(&t.at("/rounds/1"), &t.arbiter, boards(4)).await.done(200);
    throw(&server, &t, &t.arbiter, DICE).await.refused(422, "dice-used");
    throw(&server, &t, &t.arbiter, OTHER).await.done(200);
    throw(&server, &t, &deputy, OTHER).await.done(200);
    server.at("2026-12-05T07:45:00Z").await;
    for (board, digits) in [(1, DICE), (2, DICE), (3, DICE), (4, OTHER)] {
        let position = server.get(&t.at(&format!("/rounds/1/boards/{board}/position"))).await.done(200);
        evidence::check(&position);
        assert_eq!(position["draw"]["entropy"], json!([format!("dice {digits}")]));
    }
}

#[tokio::test]
async fn other_entropy_is_for_attempts_after_a_void() {
    let server = TestServer::new().await;
    let policy = json!({"entropy_fallback": ["local"], "auto_draw": false});
    let (t, _) = dice(&server, policy).await;
    let path = t.at("/rounds/1/draws");
    let local = json!({"entropy": "local"});
    let problem = server.post(&path, &t.arbiter, local.clone()).await.refused(422, "policy-invalid");
    assert_eq!(problem["errors"][0]["pointer"], "/entropy");
    server.post(&path, &t.arbiter, json!({})).await.done(201);
    void_last(&server, &t).await;
    let second = server.post(&path, &t.arbiter, local).await.done(201);
    assert_eq!(json!([second["grade"], second["state"]]), json!(["C", "sealed"]));
    server.at("2026-12-05T07:45:00Z").await;
    assert_eq!(server.get(&t.at("/rounds/1/position")).await.done(200)["grade"], "C");
}

#[tokio::test]
async fn waiting_draws_are_found_by_their_state() {
    let server = TestServer::new().await;
    let (t, deputy) = dice(&server, json!({})).await;
    let count = async |state: &str| {
        server.get(&format!("/api/v1/draws?state={state}")).await.done(200)["draws"].as_array().unwrap().len()
    };
    assert_eq!((count("awaiting_entropy").await, count("sealed").await), (1, 0));
    throw(&server, &t, &t.arbiter, DICE).await.done(200);
    throw(&server, &t, &deputy, DICE).await.done(200);
    assert_eq!((count("awaiting_entropy").await, count("sealed").await), (0, 1));
}
