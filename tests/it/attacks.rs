//! What somebody with the server's disk, a token, or patience can try, and what then happens.

use crate::support::{TestServer, Tournament, evidence};
use draw960::{
    clock::ManualClock,
    config::Config,
    desk::{Desk, KeyFile},
    entropy::FixedEntropy,
    server,
    store::{OpenMode, Store},
};
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};
use std::{fs, path::Path, sync::Arc};
use tempfile::TempDir;

const BEFORE: &str = "2026-12-05T07:30:00Z";
const RELEASE: &str = "2026-12-05T07:45:00Z";

/// Runs SQL as the sqlite3 shell would: its own connection, its own pragmas.
async fn sql(folder: &Path, statements: &[&'static str]) -> Result<(), String> {
    let url = format!("sqlite://{}", folder.join("draw960.db").display());
    let mut conn = SqliteConnection::connect(&url).await.unwrap();
    sqlx::query("pragma foreign_keys = off").execute(&mut conn).await.unwrap();
    for statement in statements {
        sqlx::query(*statement).execute(&mut conn).await.map_err(|why| why.to_string())?;
    }
    conn.close().await.map_err(|why| why.to_string())
}

/// The folder of a server that was stopped.
async fn stopped(server: TestServer) -> (TempDir, ManualClock) {
    server.desk.store.close().await;
    (server.folder, server.clock)
}

async fn started(folder: TempDir, clock: &ManualClock) -> TestServer {
    TestServer::open(folder, clock.clone(), 9).await
}

/// Why the server does not start on a folder.
async fn refused_start(folder: &Path, clock: &ManualClock) -> String {
    let store = Store::open(&folder.join("draw960.db"), OpenMode::Existing).await.unwrap();
    let (key, chance) = (KeyFile(folder.join("draw960.key")), Arc::new(FixedEntropy::new([9; 32])));
    let opened = Desk::open(store, Arc::new(clock.clone()), chance, &key, "draw960.test", None).await;
    opened.err().expect("the server started").to_string()
}

/// A copy of a data folder, as a crash at this moment would leave it.
fn copied(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        match fs::copy(file.path(), copy.path().join(file.file_name())) {
            // SQLite takes its journal away when the last connection closes.
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => {}
            copied => drop(copied.unwrap()),
        }
    }
    copy
}

async fn released(server: &TestServer, t: &Tournament, round: u16) -> Value {
    let position = server.get(&t.at(&format!("/rounds/{round}/position"))).await.done(200);
    evidence::check(&position);
    position
}

fn first_draw(round: &Value) -> String {
    round["draws"][0]["id"].as_str().unwrap().to_owned()
}

/// Everything that would change the log is refused, everything else is read, and the server says what to do.
async fn assert_read_only(server: &TestServer, t: &Tournament, says: &str) {
    let refused = server.get("/readyz").await.refused(503, "server-read-only");
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains(says) && detail.contains("backup"), "{detail}");
    let round = server.get(&t.at("/rounds/1")).await.done(200);
    let void = format!("/api/v1/draws/{}/void", first_draw(&round));
    for (path, body) in [
        (void, json!({"reason": "leaked"})),
        (t.at("/rounds/1/draws"), json!({})),
        (t.at("/close"), json!({})),
        (t.at("/rounds/1/release"), json!({})),
    ] {
        server.post(&path, &t.arbiter, body).await.refused(503, "server-read-only");
    }
    server.put(&t.at("/rounds/3"), &t.arbiter, json!({"starts_at": null})).await.refused(503, "server-read-only");
    let made = json!({"name": "X", "slug": "another-open", "time_zone": "UTC"});
    server.post("/api/v1/tournaments", &server.operator, made).await.refused(503, "server-read-only");
    for signed in ["/api/v1/log/checkpoint", "/api/v1/log/receipt/0"] {
        server.get(signed).await.refused(503, "server-read-only");
    }
    let size = server.log().await.len();
    server.at("2026-12-05T09:00:00Z").await;
    assert_eq!(server.log().await.len(), size, "a read-only server wrote");
}

#[tokio::test]
async fn an_edited_entry_keeps_the_server_from_starting() {
    let server = TestServer::new().await;
    server.kaunas().await;
    let (folder, clock) = stopped(server).await;
    let edit = "update leaf set entry = cast(replace(cast(entry as text), '\"attempt\":1', '\"attempt\":2') as blob) where idx = 2";
    let refused = sql(folder.path(), &[edit]).await.unwrap_err();
    assert!(refused.contains("append-only"), "{refused}");
    sql(folder.path(), &["drop trigger leaf_no_update", edit]).await.unwrap();
    let why = refused_start(folder.path(), &clock).await;
    assert!(why.contains("entry 2") && why.contains("altered"), "{why}");
}

/// Whoever edits an entry together with its stored hash still has no signature under it.
#[tokio::test]
async fn an_entry_edited_with_its_hash_makes_the_server_read_only() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (folder, clock) = stopped(server).await;
    let pairs = [
        "drop trigger leaf_no_update",
        // The first entry again, under its own hash: every entry fits its hash, and the log is another.
        "update leaf set (entry, leaf_hash) = (select entry, leaf_hash from leaf where idx = 0) where idx = 1",
    ];
    sql(folder.path(), &pairs).await.unwrap();
    assert_read_only(&started(folder, &clock).await, &t, "not those that were signed").await;
}

#[tokio::test]
async fn yesterdays_database_beside_todays_high_water_file() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let yesterday = server.folder.path().join("yesterday.db");
    server.desk.store.backup(yesterday.to_str().unwrap()).await.unwrap();
    server.at(RELEASE).await;
    let drawn = released(&server, &t, 1).await;
    let (folder, clock) = stopped(server).await;
    let (live, today) = (folder.path().join("draw960.db"), folder.path().join("today.db"));
    fs::rename(&live, &today).unwrap();
    fs::copy(&yesterday, &live).unwrap();
    let old = started(folder, &clock).await;
    assert_read_only(&old, &t, "3 entries, but 4 were signed").await;
    old.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");

    let (folder, clock) = stopped(old).await;
    fs::rename(&today, &live).unwrap();
    let new = started(folder, &clock).await;
    assert_eq!((new.get("/readyz").await.status.as_u16(), released(&new, &t, 1).await), (200, drawn));
}

#[tokio::test]
async fn a_log_that_was_cut() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": "2026-12-05T10:30"})).await.done(200);
    let (folder, clock) = stopped(server).await;
    let cut = "delete from leaf where idx = (select max(idx) from leaf)";
    assert!(sql(folder.path(), &[cut]).await.unwrap_err().contains("append-only"));
    sql(folder.path(), &["drop trigger leaf_no_delete", cut]).await.unwrap();
    assert_read_only(&started(folder, &clock).await, &t, "older copy, or was cut").await;
}

#[tokio::test]
async fn a_log_without_its_high_water_file() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (folder, clock) = stopped(server).await;
    fs::remove_file(folder.path().join("draw960.highwater")).unwrap();
    assert_read_only(&started(folder, &clock).await, &t, "highwater is missing").await;
}

/// SQLite's own way round append-only triggers, with the pragmas of the sqlite3 shell.
#[tokio::test]
async fn insert_or_replace_and_dropped_triggers() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at(RELEASE).await;
    released(&server, &t, 1).await;
    let (folder, clock) = stopped(server).await;
    for replace in [
        "insert or replace into leaf select 1, entry, leaf_hash from leaf where idx = 0",
        "insert or replace into draw select * from draw",
        "insert or replace into draw_release select draw_id, released_at, released_by, 518, secret, entropy, used, seed, words_used, leaf from draw_release",
        "insert or replace into tournament select * from tournament",
        "update draw_release set number = 518",
        "delete from draw_release",
        "delete from draw",
    ] {
        assert!(sql(folder.path(), &[replace]).await.is_err(), "{replace}");
    }
    let copy = copied(folder.path());
    let replaced =
        ["drop trigger leaf_next", "insert or replace into leaf select 1, entry, leaf_hash from leaf where idx = 0"];
    sql(copy.path(), &replaced).await.unwrap();
    assert_read_only(&started(copy, &clock).await, &t, "not those that were signed").await;

    let number = ["drop trigger draw_release_no_update", "update draw_release set number = (number + 1) % 960"];
    sql(folder.path(), &number).await.unwrap();
    let why = refused_start(folder.path(), &clock).await;
    assert!(why.contains("the release of drw_") && why.contains("not what the log says"), "{why}");
}

/// The database of another hour under a running server is noticed with the next change.
#[tokio::test]
async fn a_log_edited_under_a_running_server() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let edit = "update leaf set (entry, leaf_hash) = (select entry, leaf_hash from leaf where idx = 0) where idx = 2";
    sql(server.folder.path(), &["drop trigger leaf_no_update", edit]).await.unwrap();
    server.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": "2026-12-06T10:00"})).await.done(200);
    let why = server.get("/readyz").await.refused(503, "server-read-only");
    assert!(why["detail"].as_str().unwrap().contains("while the server ran"), "{why}");
    let checkpoint = server.get("/api/v1/log/checkpoint").await.text();
    assert!(checkpoint.contains("\n3\n"), "what was edited is not signed: {checkpoint}");
}

#[tokio::test]
async fn two_servers_on_one_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().into(), ..Config::default() };
    let first = server::open(&config, OpenMode::Create, None).await.unwrap();
    let elsewhere = Config { listen: "127.0.0.1:9601".parse().unwrap(), ..config };
    let refused = server::open(&elsewhere, OpenMode::Existing, None).await.err().unwrap();
    assert!(refused.0.contains("another draw960"), "{refused}");
    assert!(first.desk.ledger.writable().is_ok());
}

/// Terms exchanged after the order: the commitment no longer opens, so nothing is released, running or started anew.
#[tokio::test]
async fn rewritten_terms_of_an_order() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let rewrite = ["drop trigger draw_no_update", "update draw set excluded = '[0,1,2]'"];
    sql(server.folder.path(), &rewrite).await.unwrap();
    server.clock.set(RELEASE.parse().unwrap());
    let fault = server.desk.release_due().await.unwrap_err();
    assert!(fault.cause.unwrap().contains("does not open"));
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    let (folder, clock) = stopped(server).await;
    let why = refused_start(folder.path(), &clock).await;
    assert!(why.contains("the order of drw_") && why.contains("not what the log says"), "{why}");
}

#[tokio::test]
async fn a_void_whose_outcome_could_be_known_is_shown_as_one() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let draw = first_draw(&server.get(&t.at("/rounds/1")).await.json());
    server.at(BEFORE).await;
    let voided = server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "wrong-entry"})).await;
    assert_eq!(voided.done(200)["void"]["knowable"], true);
    let entry = server.entries().await.pop().unwrap();
    assert_eq!((&entry["t"], &entry["knowable"]), (&json!("void"), &json!(true)));
    let history = server.get(&t.at("/rounds/1/history")).await.json();
    let last = history["events"].as_array().unwrap().last().unwrap();
    assert!(last["what"].as_str().unwrap().contains("its outcome could be known by then"), "{last}");
}

/// One world releases one slot more than the other, before: the other slots' numbers do not care.
#[tokio::test]
async fn an_extra_release_changes_no_other_number() {
    let server = TestServer::new().await;
    let rounds =
        json!([{"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T14:00"}]);
    let t = server.tournament("kaunas-2026-open", json!({"repeats": "never"}), rounds).await;
    let (folder, clock) = stopped(server).await;
    let (plain, extra) = (copied(folder.path()), folder);

    let plain = TestServer::open(plain, ManualClock::new(BEFORE.parse().unwrap()), 2).await;
    let extra = TestServer::open(extra, clock, 3).await;
    extra
        .put(
            &t.at("/rounds/1001"),
            &t.arbiter,
            json!({"starts_at": "2026-12-05T07:00:00Z", "confirm_release_at": "2026-12-05T06:45:00Z"}),
        )
        .await
        .done(200);
    extra.at("2026-12-05T06:45:00Z").await;
    for server in [&plain, &extra] {
        server.at(RELEASE).await;
        server.at("2026-12-05T11:45:00Z").await;
    }
    released(&extra, &t, 1001).await;
    for round in [1, 2] {
        let (one, two) = (released(&plain, &t, round).await, released(&extra, &t, round).await);
        assert_eq!(one["draw"]["seed"], two["draw"]["seed"], "the seed depends on other slots");
        assert_eq!(one["number"], two["number"]);
    }
}

/// The data folder as a kill between any two steps leaves it: the same attempt gives the same number.
#[tokio::test]
async fn a_kill_between_steps_changes_no_number() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let mut images = vec![copied(server.folder.path())];
    server.at("2026-12-05T07:44:59Z").await;
    images.push(copied(server.folder.path()));
    let file = server.folder.path().join("draw960.highwater");
    let before = fs::read(&file).unwrap();
    server.at(RELEASE).await;
    images.push(copied(server.folder.path()));
    // Committed, and killed before the high-water file was written.
    let unsigned = copied(server.folder.path());
    fs::write(unsigned.path().join("draw960.highwater"), before).unwrap();
    images.push(unsigned);
    let drawn = released(&server, &t, 1).await;
    for (n, image) in images.into_iter().enumerate() {
        let again = TestServer::open(image, ManualClock::new(RELEASE.parse().unwrap()), 77 + n as u8).await;
        again.tick().await;
        assert_eq!(released(&again, &t, 1).await, drawn, "image {n}");
    }
}
