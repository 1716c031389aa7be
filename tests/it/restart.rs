//! Stopping and starting again: nothing is lost, nothing is drawn anew, nothing lay in the files before its time.

use crate::support::{NOW, TestServer, Tournament, evidence};
use draw960::clock::ManualClock;
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A copy of the data folder as it is on disk now.
fn copy(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for item in fs::read_dir(folder).unwrap() {
        let item = item.unwrap();
        fs::copy(item.path(), copy.path().join(item.file_name())).unwrap();
    }
    copy
}

fn clock() -> ManualClock {
    ManualClock::new(NOW.parse().unwrap())
}

async fn position(server: &TestServer, t: &Tournament) -> Value {
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    evidence::check(&position);
    position
}

#[tokio::test]
async fn a_restart_between_order_and_release_gives_the_same_number() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.desk.store.close().await;
    // Two copies go on with different chance: nothing after the order has a say.
    let mut seen = Vec::new();
    for chance in [50, 60] {
        let again = TestServer::open(copy(server.folder.path()), clock(), chance).await;
        again.at("2026-12-05T07:45:00Z").await;
        let position = position(&again, &t).await;
        seen.push((position["number"].clone(), position["draw"]["seed"].clone(), position["draw"]["secret"].clone()));
    }
    assert_eq!(seen[0], seen[1]);
}

/// Killed without a farewell: what was answered is there, from the write-ahead log alone.
#[tokio::test]
async fn a_copy_of_the_files_of_a_running_server_has_everything_that_was_answered() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    let (public, log) = (position(&server, &t).await, server.log().await);
    let again = TestServer::open(copy(server.folder.path()), clock(), 3).await;
    assert_eq!(position(&again, &t).await, public, "public without a look at the clock, which stands earlier");
    assert_eq!(again.log().await, log);
    again.get_as(&t.at("/tokens"), &t.arbiter).await.done(200);
}

#[tokio::test]
async fn everything_answers_alike_after_a_restart() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": "2026-12-05T15:00"})).await.done(200);
    server.put(&t.at("/rounds/3"), &t.arbiter, json!({"starts_at": null, "label": "Blitz"})).await.done(200);
    server.at("2026-12-05T07:45:00Z").await;
    let bodies = async |server: &TestServer| {
        let all = server.everything(&t, "1").await;
        all.into_iter().map(|(path, role, answer)| (path, role, answer.status, answer.bytes)).collect::<Vec<_>>()
    };
    let before = bodies(&server).await;
    let server = server.restart(2).await;
    for (before, after) in before.iter().zip(bodies(&server).await) {
        assert_eq!(*before, after);
    }
}

#[tokio::test]
async fn a_server_that_was_down_at_the_instant_asks_the_arbiter_and_the_number_is_the_same() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let punctual = TestServer::open(copy(server.folder.path()), clock(), 5).await;
    punctual.at("2026-12-05T07:45:00Z").await;
    let expected = position(&punctual, &t).await["number"].clone();
    let server = server.restart(6).await;
    server.at("2026-12-05T07:50:00Z").await;
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "overdue");
    let server = server.restart(7).await;
    server.call(axum::http::Method::POST, &t.at("/rounds/1/release"), &t.arbiter, None).await.done(200);
    assert_eq!(position(&server, &t).await["number"], expected);
}

#[tokio::test]
async fn keys_of_answers_survive_a_restart() {
    let server = TestServer::new().await;
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    let t = server.tournament("kaunas-2026-open", json!({"auto_draw": false}), rounds).await;
    let first = server.post_keyed(&t.at("/rounds/1/draws"), &t.arbiter, "k", json!({})).await.done(201);
    let server = server.restart(2).await;
    assert_eq!(server.post_keyed(&t.at("/rounds/1/draws"), &t.arbiter, "k", json!({})).await.done(201), first);
}

/// Every file of the folder as one sequence of bytes.
fn bytes_of(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for item in fs::read_dir(folder).unwrap() {
        all.extend(fs::read(item.unwrap().path()).unwrap());
    }
    all
}

fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// Neither database nor write-ahead log nor key file holds a number, seed, secret or master before its time, as bytes
/// or as hex.
#[tokio::test]
async fn the_files_hold_no_secret_before_its_release() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:44:59Z").await;
    let before = bytes_of(server.folder.path());
    server.at("2026-12-05T07:45:00Z").await;
    let public = position(&server, &t).await;
    let at_release = bytes_of(server.folder.path());
    server.call(axum::http::Method::POST, &t.at("/close"), &t.arbiter, None).await.done(200);
    let master = server.entries().await.last().unwrap()["master"].as_str().unwrap().to_owned();
    let (secret, seed) = (public["draw"]["secret"].as_str().unwrap(), public["draw"]["seed"].as_str().unwrap());
    for hidden in [secret, seed, &master] {
        assert!(!holds(&before, hidden.as_bytes()) && !holds(&before, hidden.to_uppercase().as_bytes()));
        assert!(!holds(&before, &unhex(hidden)));
    }
    assert!(
        holds(&at_release, secret.as_bytes()) && holds(&at_release, seed.as_bytes()),
        "the search finds what is there"
    );
    assert!(!holds(&at_release, &unhex(&master)) && !holds(&at_release, master.as_bytes()));
    let rank = public["rank"].as_str().unwrap().as_bytes();
    assert!(!holds(&before, rank));
    for token in [&t.arbiter, &t.pairing, &t.board, &t.auditor, &server.operator] {
        assert!(!holds(&at_release, token.as_bytes()), "tokens are kept as hashes");
    }
}

/// A tournament that cannot be released holds up no other.
#[tokio::test]
async fn a_damaged_tournament_keeps_no_other_from_its_release() {
    let server = TestServer::new().await;
    let broken =
        server.tournament("a-broken", json!({}), json!([{"number": 1, "starts_at": "2026-12-05T10:00"}])).await;
    let mut sound = Vec::new();
    for slug in ["b-sound", "c-sound"] {
        sound.push(server.tournament(slug, json!({}), json!([{"number": 1, "starts_at": "2026-12-05T10:00"}])).await);
    }
    crate::store::execute(&server, "update tournament set master_sealed = zeroblob(72) where slug = 'a-broken'")
        .await
        .unwrap();
    server.clock.set("2026-12-05T07:45:00Z".parse().unwrap());
    server.desk.release_due().await.unwrap_err();
    for t in &sound {
        position(&server, t).await;
    }
    server.get(&broken.at("/rounds/1/position")).await.refused(403, "position-sealed");
}

/// The entry and the row of a release are written together: without the one there is not the other.
#[tokio::test]
async fn a_release_that_cannot_be_logged_did_not_happen() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for table in ["leaf", "leaf_subject", "draw_release"] {
        let failing =
            format!("create trigger failing before insert on {table} begin select raise(fail, 'disk full'); end");
        crate::store::execute(&server, &failing).await.unwrap();
        server.clock.set("2026-12-05T07:45:00Z".parse().unwrap());
        server.desk.release_due().await.unwrap_err();
        server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
        assert_eq!(server.kinds().await, ["tournament", "round", "order"]);
        let order = server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await;
        order.refused(409, "draw-exists");
        crate::store::execute(&server, "drop trigger failing").await.unwrap();
    }
    let expected = TestServer::open(copy(server.folder.path()), server.clock.clone(), 9).await;
    expected.tick().await;
    server.tick().await;
    assert_eq!(position(&server, &t).await["number"], position(&expected, &t).await["number"]);
}

/// A write that fails is refused as unavailable, and the same request works afterwards.
#[tokio::test]
async fn an_order_that_cannot_be_written_is_unavailable_and_works_later() {
    let server = TestServer::new().await;
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    let t = server.tournament("kaunas-2026-open", json!({"auto_draw": false}), rounds).await;
    let failing = "create trigger failing before insert on draw begin select raise(fail, 'disk full'); end";
    crate::store::execute(&server, failing).await.unwrap();
    for _ in 0..3 {
        let refused = server.post_keyed(&t.at("/rounds/1/draws"), &t.arbiter, "k", json!({})).await;
        refused.refused(503, "unavailable");
        assert!(!refused.text().contains("disk full") && !refused.header("retry-after").is_empty());
    }
    assert_eq!(server.kinds().await, ["tournament", "round"]);
    crate::store::execute(&server, "drop trigger failing").await.unwrap();
    server.post_keyed(&t.at("/rounds/1/draws"), &t.arbiter, "k", json!({})).await.done(201);
}
