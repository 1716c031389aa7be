//! Blocks of rounds that share a draw.

use crate::support::{TestServer, Tournament, evidence};
use serde_json::{Value, json};

/// Rounds 1 to 5 and a tie-break on two days.
async fn match_of(server: &TestServer, rounds_per_draw: u16) -> Tournament {
    let rounds = json!([
        {"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T12:00"},
        {"number": 3, "starts_at": "2026-12-05T14:00"}, {"number": 4, "starts_at": "2026-12-05T16:00"},
        {"number": 5, "starts_at": "2026-12-06T10:00"}, {"number": 1001, "starts_at": "2026-12-06T18:00"},
    ]);
    server.tournament("match-2026", json!({"rounds_per_draw": rounds_per_draw}), rounds).await
}

async fn number(server: &TestServer, t: &Tournament, round: u16) -> Value {
    server.get(&t.at(&format!("/rounds/{round}/position"))).await.done(200)["number"].clone()
}

async fn round(server: &TestServer, t: &Tournament, round: u16) -> Value {
    server.get(&t.at(&format!("/rounds/{round}"))).await.done(200)
}

#[tokio::test]
async fn the_rounds_of_a_block_share_one_draw_and_tie_breaks_have_their_own() {
    for (per_draw, starts) in [(2, [1, 1, 3, 3, 5]), (4, [1, 1, 1, 1, 5])] {
        let server = TestServer::new().await;
        let t = match_of(&server, per_draw).await;
        for (r, start) in (1..).zip(starts) {
            let round = round(&server, &t, r).await;
            assert_eq!((&round["block_start"], &round["draws"][0]["round"]), (&json!(start), &json!(start)));
        }
        assert_eq!(round(&server, &t, 1001).await["block_start"], 1001);
        let orders = server.kinds().await.iter().filter(|kind| *kind == "order").count();
        assert_eq!(orders, if per_draw == 2 { 4 } else { 3 });
    }
}

#[tokio::test]
async fn the_second_round_shows_the_position_from_the_release_of_the_block_on() {
    let server = TestServer::new().await;
    let t = match_of(&server, 2).await;
    server.at("2026-12-05T07:44:59Z").await;
    let sealed = server.get(&t.at("/rounds/2/position")).await.refused(403, "position-sealed");
    assert_eq!(sealed["release_at"], "2026-12-05T07:45:00Z", "public with the block, not before its own round");
    let game = json!({"round": 2, "board": 1, "moves": ["e4"], "notation": "san"});
    let refused = server.post(&t.at("/games"), &t.pairing, game).await.refused(403, "position-sealed");
    assert_eq!(refused, sealed, "a game is refused with the same answer");
    server.at("2026-12-05T07:45:00Z").await;
    assert_eq!(number(&server, &t, 2).await, number(&server, &t, 1).await);
    let second = server.get(&t.at("/rounds/2/position")).await.json();
    evidence::check(&second);
    assert_eq!((&second["round"], &second["draw"]["slot"]["round"]), (&json!(2), &json!(1)));
    server.get(&t.at("/rounds/3/position")).await.refused(403, "position-sealed");
    let listed = server.get(&t.at("/positions")).await.json();
    assert_eq!(listed["positions"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_void_between_the_rounds_leaves_the_played_one_alone() {
    let server = TestServer::new().await;
    let t = match_of(&server, 2).await;
    server.at("2026-12-05T07:45:00Z").await;
    let first = number(&server, &t, 1).await;
    server.at("2026-12-05T08:30:00Z").await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"started": true})).await.done(200);
    let draw = round(&server, &t, 1).await["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "leaked"});
    let voided = server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.done(200);
    assert_eq!((&voided["void"]["from_round"], &voided["void"]["after_start"]), (&json!(2), &json!(false)));
    assert_eq!(number(&server, &t, 1).await, first);
    assert_eq!(round(&server, &t, 1).await["state"], "released");
    server.get(&t.at("/rounds/2/position")).await.refused(410, "draw-voided");
    assert_eq!(round(&server, &t, 2).await["state"], "voided");

    let second = server.post(&t.at("/rounds/2/draws"), &t.arbiter, json!({})).await.done(201);
    assert_eq!(json!([second["round"], second["attempt"], second["serves_from"]]), json!([1, 2, 2]));
    let sealed = server.get(&t.at("/rounds/2/position")).await.refused(403, "position-sealed");
    assert_eq!(sealed["release_at"], "2026-12-05T09:45:00Z");
    server.at("2026-12-05T09:45:00Z").await;
    let position = server.get(&t.at("/rounds/2/position")).await.done(200);
    evidence::check(&position);
    assert_eq!(position["attempt"], 2);
    assert_eq!(number(&server, &t, 1).await, first);
}

/// The first round stays public by its draw, though that is voided for the rounds after it: it has started and stays.
#[tokio::test]
async fn a_played_round_cannot_be_moved_after_a_void_for_the_rest_of_its_block() {
    let server = TestServer::new().await;
    let t = match_of(&server, 2).await;
    server.at("2026-12-05T07:45:00Z").await;
    server.at("2026-12-05T08:30:00Z").await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"started": true})).await.done(200);
    let draw = round(&server, &t, 1).await["draws"][0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "leaked"})).await.done(200);
    let move_it = json!({"starts_at": "2026-12-05T13:00", "if_released": "void"});
    server.put(&t.at("/rounds/1"), &t.arbiter, move_it).await.refused(409, "round-started");
}

#[tokio::test]
async fn moving_a_later_round_of_a_sealed_block_releases_nothing() {
    let server = TestServer::new().await;
    let t = match_of(&server, 2).await;
    let soon = json!({"starts_at": "2026-12-05T06:12:00Z"});
    let problem = server.put(&t.at("/rounds/2"), &t.arbiter, soon).await.refused(409, "confirm-schedule");
    let said = json!({"starts_at": "2026-12-05T06:12:00Z", "confirm_release_at": problem["release_at"]});
    server.put(&t.at("/rounds/2"), &t.arbiter, said).await.done(200);
    server.tick().await;
    server.get(&t.at("/rounds/2/position")).await.refused(403, "position-sealed");
}

#[tokio::test]
async fn blocks_have_one_to_nine_rounds_and_one_board_scope_has_none() {
    let server = TestServer::new().await;
    for policy in
        [json!({"rounds_per_draw": 0}), json!({"rounds_per_draw": 10}), json!({"rounds_per_draw": 2, "scope": "board"})]
    {
        let body = json!({"name": "A", "slug": "a-2026", "time_zone": "UTC", "policy": policy});
        let problem = server.post("/api/v1/tournaments", &server.operator, body).await.refused(422, "policy-invalid");
        assert_eq!(problem["errors"][0]["pointer"], "/policy/rounds_per_draw");
    }
}
