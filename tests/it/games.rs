//! Games: records and their successors, uploads of a round, arbiters' decisions, the feed.

use crate::support::{Answer, TestServer, Tournament};
use axum::http::Method;
use serde_json::{Value, json};

/// A hall after the release of its first round, from the classical array, with these boards paired.
async fn hall(server: &TestServer, boards: u16) -> Tournament {
    let policy = json!({"pool": [518], "small_pool": true});
    let rounds =
        json!([{"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T15:00"}]);
    let t = server.tournament("kaunas-2026-open", policy, rounds).await;
    pair(server, &t, boards).await;
    server.at("2026-12-05T07:45:00Z").await;
    t
}

async fn pair(server: &TestServer, t: &Tournament, boards: u16) {
    let board = |n: u16| json!({"board": n, "white": {"name": format!("Wise{n}, Ann")}, "black": {"name": format!("Black{n}, Bob")}});
    let boards: Vec<Value> = (1..=boards).map(board).collect();
    server.put(&t.at("/rounds/1/pairings"), &t.pairing, json!({"boards": boards})).await.done(200);
}

async fn submit(server: &TestServer, t: &Tournament, board: u16, pgn: &str, more: Value) -> Answer {
    let mut body = json!({"round": 1, "board": board, "pgn": pgn});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.post(&t.at("/games"), &t.pairing, body).await
}

async fn upload(server: &TestServer, t: &Tournament, text: impl Into<axum::body::Bytes>) -> Answer {
    server.raw(Method::POST, &t.at("/games?round=1"), &t.pairing, "application/x-chess-pgn", text).await
}

fn statuses(answer: &Value) -> Vec<&str> {
    answer["games"].as_array().unwrap().iter().map(|game| game["status"].as_str().unwrap()).collect()
}

fn codes(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

async fn counting(server: &TestServer, t: &Tournament) -> Vec<Value> {
    let games = server.get(&t.at("/games")).await.done(200)["games"].as_array().unwrap().clone();
    games.into_iter().filter(|game| game["counts"] == true).map(|game| game["id"].clone()).collect()
}

#[tokio::test]
async fn a_correction_may_go_back_and_a_replay_may_be_the_same_moves() {
    let server = TestServer::new().await;
    let t = hall(&server, 1).await;
    let (first, second) = ("1. e4 e5 1-0", "1. e4 e5 0-1");
    let id = |answer: Answer, status| answer.done(status)["id"].clone();
    let a = id(submit(&server, &t, 1, first, json!({})).await, 201);
    assert_eq!(id(submit(&server, &t, 1, first, json!({})).await, 200), a);
    let b = id(submit(&server, &t, 1, second, json!({"replaces": a, "as": "correction"})).await, 201);
    let back = json!({"replaces": b, "as": "correction"});
    let c = id(submit(&server, &t, 1, first, back.clone()).await, 201);
    assert_ne!(c, a);
    assert_eq!(id(submit(&server, &t, 1, first, back).await, 200), c, "a retry is no record of its own");
    assert_eq!(counting(&server, &t).await, std::slice::from_ref(&c));

    let annul = json!({"article": "7.2.1", "reason": "wrong-position"});
    server.post(&format!("/api/v1/games/{}/annul", c.as_str().unwrap()), &t.arbiter, annul).await.done(200);
    assert!(counting(&server, &t).await.is_empty());
    let replay = json!({"replaces": c, "as": "replay"});
    let d = id(submit(&server, &t, 1, first, replay.clone()).await, 201);
    assert_eq!(id(submit(&server, &t, 1, first, replay).await, 200), d);
    assert_eq!(counting(&server, &t).await, [d]);
}

#[tokio::test]
async fn the_language_is_part_of_a_submission() {
    let server = TestServer::new().await;
    let t = hall(&server, 1).await;
    let english = submit(&server, &t, 1, "1. Žf3 *", json!({})).await.done(201);
    assert_eq!(english["verdict"], "unreadable");
    let lithuanian = json!({"notation_language": "lt"});
    submit(&server, &t, 1, "1. Žf3 *", lithuanian.clone()).await.refused(409, "game-exists");
    let mut better = lithuanian;
    better["replaces"] = english["id"].clone();
    better["as"] = "correction".into();
    assert_eq!(submit(&server, &t, 1, "1. Žf3 *", better).await.done(201)["verdict"], "legal-incomplete");
}

#[tokio::test]
async fn a_parameter_that_would_mean_nothing_is_refused() {
    let server = TestServer::new().await;
    let t = hall(&server, 1).await;
    for (media_type, parameter) in [
        ("application/json", "notation_language=lt"),
        ("application/json", "round=1"),
        ("application/x-ndjson", "round=1"),
    ] {
        let body = "{\"round\":1,\"board\":1,\"pgn\":\"1. e4 *\"}";
        let path = t.at(&format!("/games?{parameter}"));
        server.raw(Method::POST, &path, &t.pairing, media_type, body).await.refused(422, "invalid-field");
    }
    assert!(counting(&server, &t).await.is_empty());
}

#[tokio::test]
async fn a_round_may_be_uploaded_as_it_grows() {
    let server = TestServer::new().await;
    let t = hall(&server, 2).await;
    let game = |board: u16| format!("[Round \"1.{board}\"]\n\n1. e4 e5 1-0");
    assert_eq!(statuses(&upload(&server, &t, game(1)).await.done(200)), ["recorded"]);
    let both = format!("{}\n\n{}\n", game(1), game(2));
    assert_eq!(statuses(&upload(&server, &t, both).await.done(200)), ["same", "recorded"]);
    let again = format!("\u{feff}{}\n\n\n{}", game(2), game(1));
    assert_eq!(statuses(&upload(&server, &t, again).await.done(200)), ["same", "same"]);
}

#[tokio::test]
async fn an_upload_has_ten_thousand_games_at_most() {
    let server = TestServer::new().await;
    let t = hall(&server, 1).await;
    let games = |n: usize| "[Event \"x\"]\n\n*\n\n".repeat(n);
    upload(&server, &t, games(10_001)).await.refused(413, "body-too-large");
    let answer = upload(&server, &t, games(10_000)).await.done(200);
    assert_eq!(answer["summary"]["refused"], 10_000);
    let lines = "{\"round\":1,\"board\":1,\"pgn\":\"*\"}\n".to_owned() + &"{}\n".repeat(10_000);
    let upload = server.raw(Method::POST, &t.at("/games"), &t.pairing, "application/x-ndjson", lines).await;
    upload.refused(413, "body-too-large");
    assert!(counting(&server, &t).await.is_empty(), "nothing of it is recorded");
}

/// What a game in JSON or in a PGN upload says about its players is compared with the pairing.
#[tokio::test]
async fn reversed_colours_and_other_players_are_found() {
    let server = TestServer::new().await;
    let t = hall(&server, 4).await;
    let game = |board: u16, white: &str, black: &str| {
        format!("[Round \"1.{board}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 e5 1-0")
    };
    let reversed = submit(&server, &t, 1, &game(1, "Bob Black1", "Ann Wise1"), json!({})).await.done(201);
    assert_eq!(codes(&reversed["report"]), ["colours-reversed"]);
    let text = game(2, "Bob Black2", "Ann Wise2") + "\n\n" + &game(3, "Somebody", "Else") + "\n\n" + &game(4, "?", "?");
    let answer = upload(&server, &t, text).await.done(200);
    let of = |n: usize| codes(&answer["games"][n]["report"]);
    assert_eq!((of(0), of(1), of(2)), (vec!["colours-reversed"], vec!["players-differ"], vec![]));
    assert_eq!(answer["summary"]["with_errors"], 1);

    // The arbiter lets it stand like any other error.
    let path = format!("/api/v1/games/{}/override", reversed["id"].as_str().unwrap());
    let decision = json!({"finding": "colours-reversed", "article": "7.3", "reason": "ten-moves-made"});
    let after = server.post(&path, &t.arbiter, decision).await.done(200);
    assert_eq!(after["verdict"], "legal-with-accepted-irregularities");
    assert_eq!(codes(&after["report"]), ["colours-reversed"]);
}

#[tokio::test]
async fn a_decision_decides_something_and_the_newest_holds() {
    let server = TestServer::new().await;
    let t = hall(&server, 1).await;
    let game = submit(&server, &t, 1, "1. e4 e5 2. Ke3 Nc6 1-0", json!({})).await.done(201);
    let path = format!("/api/v1/games/{}/override", game["id"].as_str().unwrap());
    let decide = async |ply: Value, position: Value| {
        let body = json!({"ply": ply, "finding": "illegal-move", "article": "A.5.2", "reason": "not-claimed", "position": position});
        server.post(&path, &t.arbiter, body).await
    };
    let position = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 1 2";
    decide(json!(4), Value::Null).await.refused(422, "invalid-field");
    let moved = decide(json!(3), Value::Null).await.done(200)["report"]["final_fen"].clone();
    decide(json!(3), Value::Null).await.refused(422, "invalid-field");
    decide(Value::Null, Value::Null).await.refused(422, "invalid-field");
    let corrected = decide(json!(3), json!(position)).await.done(200);
    assert_ne!(corrected["report"]["final_fen"], moved);
    assert_eq!(codes(&corrected["report"]), ["illegal-move"]);
    assert_eq!(corrected["overrides"].as_array().unwrap().len(), 2, "the first decision stays on record");
}

#[tokio::test]
async fn the_feed_shows_a_game_from_the_position_it_was_played_from() {
    let server = TestServer::new().await;
    let policy = json!({"pool": [518, 0], "repeats": "never", "small_pool": true});
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    let t = server.tournament("kaunas-2026-open", policy, rounds).await;
    pair(&server, &t, 2).await;
    assert_eq!(server.get(&t.at("/rounds/1/games.pgn")).await.text(), "");
    server.at("2026-12-05T07:45:00Z").await;
    let fen = server.get(&t.at("/rounds/1/position")).await.done(200)["fen"].as_str().unwrap().to_owned();
    submit(&server, &t, 1, "1. e4 e5 1-0", json!({})).await.done(201);
    let feed = async || server.get(&t.at("/rounds/1/games.pgn")).await.text();
    assert_eq!(feed().await.matches(&fen).count(), 2);

    let draw = server.get(&t.at("/rounds/1")).await.done(200)["draws"][0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "leaked"})).await.done(200);
    let voided = feed().await;
    assert_eq!((voided.matches("[Event ").count(), voided.matches(&fen).count()), (1, 1), "{voided}");
    assert!(voided.contains("1. e4 e5 1-0"));
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    server.at("2026-12-05T07:46:00Z").await;
    let second = server.get(&t.at("/rounds/1/position")).await.done(200)["fen"].as_str().unwrap().to_owned();
    let feed = feed().await;
    let (first, other) = feed.split_once("[Round \"1.2\"]").unwrap();
    assert!(first.contains(&fen) && first.contains("1. e4 e5 1-0") && other.contains(&second), "{feed}");
}

#[tokio::test]
async fn one_voided_board_does_not_keep_the_others_out() {
    let server = TestServer::new().await;
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00", "boards": 2}]);
    let t = server.tournament("boards-2026", json!({"scope": "board"}), rounds).await;
    pair(&server, &t, 2).await;
    server.at("2026-12-05T07:45:00Z").await;
    let draw = server.get(&t.at("/rounds/1")).await.done(200)["draws"][0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "leaked"})).await.done(200);
    let answer = upload(&server, &t, "[Round \"1.1\"]\n\n*\n\n[Round \"1.2\"]\n\n*\n").await.done(200);
    assert_eq!(statuses(&answer), ["refused", "recorded"]);
    assert_eq!(answer["games"][0]["problem"]["type"], "/problems/draw-voided");
}

#[tokio::test]
async fn a_sealed_round_answers_the_same_whatever_is_submitted() {
    let server = TestServer::new().await;
    let t = hall(&server, 1).await;
    let send = async |body: &str| {
        server.raw(Method::POST, &t.at("/games"), &t.pairing, "application/json", body.to_owned()).await
    };
    let good = send("{\"round\":2,\"board\":1,\"pgn\":\"1. e4 *\"}").await;
    good.refused(403, "position-sealed");
    for other in
        ["{\"round\":2}", "{\"round\":2,\"board\":\"x\"}", "{\"round\":2,\"board\":70000,\"pgn\":3,\"zzz\":[]}"]
    {
        assert_eq!(send(other).await.bytes, good.bytes, "{other}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_submissions_at_once_one_is_recorded() {
    let server = std::sync::Arc::new(TestServer::new().await);
    let t = std::sync::Arc::new(hall(&server, 1).await);
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..64 {
        let (server, t) = (std::sync::Arc::clone(&server), std::sync::Arc::clone(&t));
        tasks.spawn(async move {
            submit(&server, &t, 1, &format!("1. e4 {{{}}} *", n % 2), json!({})).await.status.as_u16()
        });
    }
    let mut statuses = tasks.join_all().await;
    statuses.sort_unstable();
    assert_eq!((statuses.iter().filter(|s| **s == 201).count(), statuses.len()), (1, 64));
    assert_eq!((statuses[0], statuses[63]), (200, 409));
    assert_eq!(counting(&server, &t).await.len(), 1);
}

#[tokio::test]
async fn a_game_without_a_board_is_found_by_its_players() {
    let server = TestServer::new().await;
    let t = hall(&server, 3).await;
    let game = |more: Value| {
        let mut body = json!({"round": 1, "moves": ["e4", "e5"], "result": "1-0"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let by_name = game(json!({"white": "Ann Wise2", "black": "Black2, Bob"}));
    let recorded = server.post(&t.at("/games"), &t.pairing, by_name).await.done(201);
    assert_eq!((&recorded["board"], &recorded["verdict"]), (&json!(2), &json!("legal-complete")));
    let pgn = "[White \"Wise3, Ann\"]\n[Black \"Black3, Bob\"]\n[Result \"*\"]\n\n1. e4 *\n";
    let by_tags = json!({"round": 1, "pgn": pgn});
    assert_eq!(server.post(&t.at("/games"), &t.pairing, by_tags).await.done(201)["board"], 3);
    let line = game(json!({"white": "Wise1, Ann", "black": "Bob Black1"})).to_string();
    let upload = server.raw(Method::POST, &t.at("/games"), &t.pairing, "application/x-ndjson", line).await.done(200);
    let id = upload["games"][0]["id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/api/v1/games/{id}")).await.json()["board"], 1);
    let stranger = game(json!({"white": "Nobody", "black": "Black2, Bob"}));
    server.post(&t.at("/games"), &t.pairing, stranger).await.refused(409, "board-unpaired");
}
