//! Each board its own position.

use crate::support::{TestServer, Tournament, evidence};
use serde_json::{Value, json};
use std::collections::BTreeSet;

async fn hall(server: &TestServer, boards: u16) -> Tournament {
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00", "boards": boards}]);
    server.tournament("boards-2026", json!({"scope": "board"}), rounds).await
}

async fn draws(server: &TestServer, t: &Tournament) -> Vec<Value> {
    server.get(&t.at("/rounds/1")).await.done(200)["draws"].as_array().unwrap().clone()
}

fn at(t: &Tournament, board: u16) -> String {
    t.at(&format!("/rounds/1/boards/{board}/position"))
}

#[tokio::test]
async fn every_board_has_a_slot_and_a_position_of_its_own() {
    let server = TestServer::new().await;
    let t = hall(&server, 8).await;
    let boards: Vec<_> = draws(&server, &t).await.iter().map(|draw| draw["board"].clone()).collect();
    assert_eq!(json!(boards), json!([1, 2, 3, 4, 5, 6, 7, 8]));
    server.get(&t.at("/rounds/1/position")).await.refused(409, "position-per-board");
    server.get(&at(&t, 3)).await.refused(403, "position-sealed");
    server.get(&at(&t, 9)).await.refused(404, "board-unknown");

    server.at("2026-12-05T07:45:00Z").await;
    server.get(&t.at("/rounds/1/position")).await.refused(409, "position-per-board");
    let mut commitments = BTreeSet::new();
    let mut numbers = BTreeSet::new();
    for board in 1..=8 {
        let position = server.get(&at(&t, board)).await.done(200);
        evidence::check(&position);
        assert_eq!((&position["board"], &position["draw"]["slot"]["board"]), (&json!(board), &json!(board)));
        commitments.insert(position["draw"]["commitment"].to_string());
        numbers.insert(position["number"].to_string());
    }
    assert_eq!(commitments.len(), 8);
    assert!(numbers.len() > 4, "eight draws from 960 are hardly ever so alike");
    let listed = server.get(&t.at("/positions.csv")).await.text();
    assert_eq!(listed.lines().count(), 9);
    assert!(server.get(&t.at("/positions.txt")).await.text().starts_with("1.1 "));
}

#[tokio::test]
async fn scope_and_boards_belong_together() {
    let server = TestServer::new().await;
    let t = hall(&server, 2).await;
    let kaunas = server.kaunas().await;
    let body = json!({"starts_at": "2026-12-06T10:00"});
    let problem = server.put(&t.at("/rounds/2"), &t.arbiter, body).await.refused(422, "invalid-field");
    assert_eq!(problem["errors"][0]["pointer"], "/boards");
    for (t, boards) in [(&t, 0), (&t, 1001), (&kaunas, 3)] {
        let body = json!({"starts_at": "2026-12-06T10:00", "boards": boards});
        server.put(&t.at("/rounds/2"), &t.arbiter, body).await.refused(422, "invalid-field");
    }
    for body in [json!({}), json!({"board": 0}), json!({"board": 10_000})] {
        server.post(&t.at("/rounds/1/draws"), &t.arbiter, body).await.refused(422, "invalid-field");
    }
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({"board": 1})).await.refused(409, "draw-exists");
}

#[tokio::test]
async fn a_late_board_is_ordered_by_itself_or_with_the_round() {
    let server = TestServer::new().await;
    let t = hall(&server, 2).await;
    server.at("2026-12-05T07:45:00Z").await;
    let two = server.get(&at(&t, 2)).await.json();
    server.at("2026-12-05T07:48:00Z").await;
    let late = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({"board": 7})).await.done(201);
    assert_eq!((&late["board"], &late["attempt"]), (&json!(7), &json!(1)));
    server.get(&at(&t, 7)).await.refused(403, "position-sealed");
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"boards": 3})).await.done(200);
    server.tick().await;
    for board in [3, 7] {
        let position = server.get(&at(&t, board)).await.done(200);
        assert_eq!(position["drawn_at"], "2026-12-05T07:48:00Z");
    }
    assert_eq!(server.get(&at(&t, 2)).await.json(), two);
    server.at("2026-12-05T07:50:01Z").await;
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({"board": 8})).await.refused(409, "too-late");
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"boards": 4})).await.refused(409, "too-late");
}

#[tokio::test]
async fn boards_without_a_pairing_are_voided_as_unused_at_the_release() {
    let server = TestServer::new().await;
    let t = hall(&server, 3).await;
    let pairing = |board: u16| json!({"board": board, "white": {"name": "A"}, "black": {"name": "B"}});
    let body = json!({"boards": [pairing(1), pairing(3)]});
    server.put(&t.at("/rounds/1/pairings"), &t.pairing, body).await.done(200);
    server.at("2026-12-05T07:45:00Z").await;
    let states: Vec<_> = draws(&server, &t).await.iter().map(|draw| draw["state"].clone()).collect();
    assert_eq!(json!(states), json!(["released", "voided", "released"]));
    assert_eq!(draws(&server, &t).await[1]["void"]["reason"], "board-unused");
    server.get(&at(&t, 2)).await.refused(410, "draw-voided");
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "released");
}

#[tokio::test]
async fn fewer_boards_void_the_draws_of_those_that_are_gone() {
    let server = TestServer::new().await;
    let t = hall(&server, 4).await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"boards": 2})).await.done(200);
    let draws = draws(&server, &t).await;
    let seen: Vec<_> = draws.iter().map(|draw| (draw["state"].clone(), draw["void"]["reason"].clone())).collect();
    let (live, gone) = ((json!("sealed"), Value::Null), (json!("voided"), json!("board-unused")));
    assert_eq!(seen, [live.clone(), live, gone.clone(), gone]);
    server.at("2026-12-05T07:45:00Z").await;
    server.get(&at(&t, 2)).await.done(200);
    server.get(&at(&t, 3)).await.refused(410, "draw-voided");
}

#[tokio::test]
async fn without_repeats_boards_released_together_differ() {
    let server = TestServer::new().await;
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00", "boards": 5}]);
    let pool = json!({"scope": "board", "repeats": "never", "pool": [3, 5, 7, 11, 13], "small_pool": true});
    let t = server.tournament("boards-2026", pool, rounds).await;
    server.at("2026-12-05T07:45:00Z").await;
    let mut numbers = BTreeSet::new();
    for board in 1..=5 {
        let position = server.get(&at(&t, board)).await.done(200);
        evidence::check(&position);
        assert_eq!(position["draw"]["used"].as_array().unwrap().len(), usize::from(board) - 1, "in order of boards");
        numbers.insert(position["number"].as_u64().unwrap());
    }
    assert_eq!(numbers, BTreeSet::from([3, 5, 7, 11, 13]));
}

#[tokio::test]
async fn an_overdue_round_is_released_for_the_boards_that_are_played_on() {
    let server = TestServer::new().await;
    let t = hall(&server, 2).await;
    let pairings = json!({"boards": [{"board": 2, "white": {"name": "A"}, "black": {"name": "B"}}]});
    server.put(&t.at("/rounds/1/pairings"), &t.pairing, pairings).await.done(200);
    server.at("2026-12-05T07:50:00Z").await;
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "overdue");
    server.call(axum::http::Method::POST, &t.at("/rounds/1/release"), &t.arbiter, None).await.done(200);
    server.get(&at(&t, 1)).await.refused(410, "draw-voided");
    evidence::check(&server.get(&at(&t, 2)).await.done(200));
}
