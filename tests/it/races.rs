//! Many at once: one draw wins, one release happens, and nobody sees half of it.

use crate::support::{TestServer, Tournament, evidence};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinSet;

async fn by_hand(server: &TestServer) -> Tournament {
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    server.tournament("kaunas-2026-open", json!({"auto_draw": false}), rounds).await
}

async fn hall() -> (Arc<TestServer>, Arc<Tournament>) {
    let server = TestServer::new().await;
    let t = by_hand(&server).await;
    (Arc::new(server), Arc::new(t))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_orders_at_once_one_wins_and_all_learn_which() {
    let (server, t) = hall().await;
    let mut orders = JoinSet::new();
    for _ in 0..64 {
        let (server, t) = (Arc::clone(&server), Arc::clone(&t));
        orders.spawn(async move { server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await });
    }
    let (mut winners, mut losers) = (Vec::new(), Vec::new());
    while let Some(answer) = orders.join_next().await {
        let answer = answer.unwrap();
        match answer.status.as_u16() {
            201 => winners.push(answer.json()["id"].clone()),
            _ => losers.push(answer.refused(409, "draw-exists")["draw"].clone()),
        }
    }
    assert_eq!((winners.len(), losers.len()), (1, 63));
    assert!(losers.iter().all(|named| *named == winners[0]));
    assert_eq!(server.kinds().await, ["tournament", "round", "order"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_orders_under_one_key_all_get_the_same_draw() {
    let (server, t) = hall().await;
    let mut orders = JoinSet::new();
    for _ in 0..64 {
        let (server, t) = (Arc::clone(&server), Arc::clone(&t));
        orders.spawn(async move { server.post_keyed(&t.at("/rounds/1/draws"), &t.arbiter, "k", json!({})).await });
    }
    let mut answers = Vec::new();
    while let Some(answer) = orders.join_next().await {
        answers.push(answer.unwrap().done(201));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(server.kinds().await, ["tournament", "round", "order"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_voids_one_counts() {
    let (server, t) = hall().await;
    let draw = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    let path = format!("/api/v1/draws/{}/void", draw["id"].as_str().unwrap());
    let mut voids = JoinSet::new();
    for _ in 0..16 {
        let (server, t, path) = (Arc::clone(&server), Arc::clone(&t), path.clone());
        voids.spawn(async move { server.post(&path, &t.arbiter, json!({"reason": "wrong-entry"})).await });
    }
    let mut statuses = Vec::new();
    while let Some(answer) = voids.join_next().await {
        statuses.push(answer.unwrap().status.as_u16());
    }
    statuses.sort_unstable();
    assert_eq!((statuses[0], statuses[1], statuses[15]), (200, 409, 409));
    assert_eq!(server.kinds().await.iter().filter(|kind| *kind == "void").count(), 1);
}

/// A void, a move and many release passes at the same instant: whatever comes first, the record is whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_void_and_a_release_at_the_same_instant_leave_one_story() {
    for _ in 0..8 {
        let (server, t) = hall().await;
        let draw = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
        server.clock.set("2026-12-05T07:45:00Z".parse().unwrap());
        let mut acts = JoinSet::new();
        for _ in 0..4 {
            let server = Arc::clone(&server);
            acts.spawn(async move { server.tick().await });
        }
        let path = format!("/api/v1/draws/{}/void", draw["id"].as_str().unwrap());
        let (one, two) = (Arc::clone(&server), Arc::clone(&t));
        acts.spawn(async move {
            one.post(&path, &two.arbiter, json!({"reason": "leaked"})).await.done(200);
        });
        acts.join_all().await;
        server.get(&t.at("/rounds/1/position")).await.refused(410, "draw-voided");
        let released = server.kinds().await.iter().filter(|kind| *kind == "release").count();
        let kept = server.get(&format!("/api/v1/draws/{}", draw["id"].as_str().unwrap())).await.json();
        assert_eq!(released == 1, kept.get("release").is_some(), "{kept}");
        assert!(released <= 1);
    }
}

/// A position without its receipt, which follows once the log is signed over the release.
fn unproven(mut position: Value) -> Value {
    position["draw"]["receipt"] = Value::Null;
    position
}

/// While releases happen, a reader sees the seal or the whole position, never anything between.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_see_the_seal_or_the_whole_position() {
    let server = Arc::new(TestServer::new().await);
    let t = Arc::new(server.kaunas().await);
    server.clock.set("2026-12-05T07:45:00Z".parse().unwrap());
    let mut readers = JoinSet::new();
    for _ in 0..8 {
        let (server, t) = (Arc::clone(&server), Arc::clone(&t));
        readers.spawn(async move {
            let mut seen: Option<Value> = None;
            for _ in 0..40 {
                let answer = server.get(&t.at("/rounds/1/position")).await;
                match (answer.status.as_u16(), &seen) {
                    (200, None) => seen = Some(unproven(answer.json())),
                    (200, Some(before)) => assert_eq!(unproven(answer.json()), *before),
                    (_, seen) => assert!(seen.is_none() && answer.problem() == "position-sealed"),
                }
                tokio::task::yield_now().await;
            }
            seen
        });
    }
    server.tick().await;
    while let Some(seen) = readers.join_next().await {
        seen.unwrap().iter().for_each(evidence::check);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_slug_is_taken_once() {
    let server = Arc::new(TestServer::new().await);
    let mut posts = JoinSet::new();
    for _ in 0..16 {
        let server = Arc::clone(&server);
        posts.spawn(async move {
            let body = json!({"name": "A", "slug": "a-2026", "time_zone": "UTC"});
            server.post("/api/v1/tournaments", &server.operator, body).await.status.as_u16()
        });
    }
    let mut statuses = posts.join_all().await;
    statuses.sort_unstable();
    assert_eq!((statuses[0], statuses[1], statuses[15]), (201, 409, 409));
}

/// A client that hangs up in the middle of an order leaves an order that is whole, or none.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_client_that_hangs_up_leaves_no_half_order() {
    let (server, t) = hall().await;
    let path = t.at("/rounds/1/draws");
    let mut order = Box::pin(server.post(&path, &t.arbiter, json!({})));
    tokio::select! {
        biased;
        _ = &mut order => {}
        () = tokio::task::yield_now() => {}
    }
    drop(order);
    // The next order waits for the writer, and so until the one that was left is through.
    let second = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await;
    assert!([201, 409].contains(&second.status.as_u16()), "{}", second.text());
    let round = server.get(&t.at("/rounds/1")).await.json();
    assert_eq!((&round["state"], round["draws"].as_array().unwrap().len()), (&json!("sealed"), 1));
    assert_eq!(server.kinds().await, ["tournament", "round", "order"]);
}
