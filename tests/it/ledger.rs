//! The signed log through HTTP: checkpoints, receipts, consistency, bundles, and the high-water file.

use crate::support::{TestServer, Tournament};
use draw960::{
    domain::{
        log::{Checkpoint, LogKey, Receipt, SignedNote, hash_from_base64, verify_consistency},
        verify::{Bundle, Trust, Verdict, verify},
    },
    entropy::FixedEntropy,
    ledger::Missing,
};
use serde_json::{Value, json};
use std::{fs, sync::Arc};

const RELEASE: &str = "2026-12-05T07:45:00Z";

async fn key(server: &TestServer) -> LogKey {
    server.get("/api/v1/log/vkey").await.text().trim_end().parse().unwrap()
}

async fn checkpoint(server: &TestServer) -> Checkpoint {
    let answer = server.get("/api/v1/log/checkpoint").await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, "no-store"), "{}", answer.text());
    assert!(answer.header("content-type").starts_with("text/plain"));
    let note: SignedNote = answer.text().parse().unwrap();
    Checkpoint::open(&note, &key(server).await).unwrap()
}

async fn position(server: &TestServer, t: &Tournament) -> Value {
    server.get(&t.at("/rounds/1/position")).await.done(200)
}

#[tokio::test]
async fn a_released_position_carries_its_receipt() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at(RELEASE).await;
    let position = position(&server, &t).await;
    let receipt: Receipt = position["draw"]["receipt"].as_str().unwrap().parse().unwrap();
    assert_eq!(receipt.index, position["draw"]["release_entry"]);
    let entry = server.log().await[receipt.index as usize]["entry"].as_str().unwrap().to_owned();
    let shown = receipt.verify(entry.as_bytes(), &key(&server).await).unwrap();
    assert!(shown.size <= checkpoint(&server).await.size);
    assert!(receipt.verify(entry.replace("release", "rigged!").as_bytes(), &key(&server).await).is_err());
    assert_eq!(server.get(&format!("/api/v1/log/receipt/{}", receipt.index)).await.text(), receipt.to_string());
    server.get("/api/v1/log/receipt/4").await.refused(404, "entry-unknown");
}

#[tokio::test]
async fn positions_name_the_newest_checkpoint() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at(RELEASE).await;
    let answer = server.get(&t.at("/rounds/1/position")).await;
    let newest = checkpoint(&server).await;
    let short = format!("{}/{}", newest.size, &newest.root.to_string()[..8]);
    assert_eq!((newest.size, answer.header("x-draw960-checkpoint")), (4, short.as_str()));
}

#[tokio::test]
async fn the_log_only_grows_and_shows_it() {
    let server = TestServer::new().await;
    let empty = checkpoint(&server).await;
    assert_eq!(empty.size, 0);
    let t = server.kaunas().await;
    let older = checkpoint(&server).await;
    server.at(RELEASE).await;
    let newer = checkpoint(&server).await;
    assert_eq!((older.size, newer.size), (3, 4));
    let answer = server.get("/api/v1/log/consistency?from=3").await.done(200);
    assert_eq!((&answer["from"], &answer["to"]), (&json!(3), &json!(4)));
    let proof: Vec<_> = answer["proof"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hash| hash_from_base64(hash.as_str().unwrap()).unwrap())
        .collect();
    assert_eq!(verify_consistency(3, &older.root, 4, &newer.root, &proof), Ok(()));
    for (query, status, code) in [
        ("", 422, "invalid-field"),
        ("?from=4&to=3", 422, "invalid-field"),
        ("?from=-1", 422, "invalid-field"),
        ("?from=1&to=5", 404, "entry-unknown"),
    ] {
        server.get(&format!("/api/v1/log/consistency{query}")).await.refused(status, code);
    }
    drop(t);
}

#[tokio::test]
async fn a_bundle_verifies_offline() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at(RELEASE).await;
    let bundle: Bundle = serde_json::from_value(server.get(&t.at("/bundle")).await.done(200)).unwrap();
    assert_eq!((bundle.tournament.as_str(), bundle.entries.len()), ("kaunas-2026-open", 4));
    let trust = Trust { log_key: Some(key(&server).await), ..Trust::default() };
    let report = verify(&bundle, &trust);
    assert_eq!(report.checks[0].verdict(), Verdict::Pass, "{report}");
    assert!(report.checks.iter().all(|check| check.verdict() != Verdict::Fail), "{report}");
    assert_eq!(report.draws[0].number, position(&server, &t).await["number"].as_u64().map(|n| n as u16));
    server.get("/api/v1/tournaments/no-such-open/bundle").await.refused(404, "tournament-unknown");
}

/// What one entry's receipt was, it stays: neither later entries nor a restart change a position's document.
#[tokio::test]
async fn a_restart_changes_no_position() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at(RELEASE).await;
    let before = server.get(&t.at("/rounds/1/position")).await;
    let later = json!({"starts_at": "2026-12-06T10:00"});
    server.put(&t.at("/rounds/2"), &t.arbiter, later).await.done(200);
    let server = server.restart(2).await;
    let after = server.get(&t.at("/rounds/1/position")).await;
    assert_eq!((before.bytes, before.headers["etag"].clone()), (after.bytes, after.headers["etag"].clone()));
    assert_eq!(checkpoint(&server).await.size, 6);
}

/// A crash after the commit and before the file: the file is behind, and that is no reason to stop.
#[tokio::test]
async fn a_file_behind_the_database_is_brought_up_to_date() {
    let server = TestServer::new().await;
    let file = server.folder.path().join("draw960.highwater");
    let empty = fs::read(&file).unwrap();
    let t = server.kaunas().await;
    fs::write(&file, empty).unwrap();
    let server = server.restart(2).await;
    assert_eq!(checkpoint(&server).await.size, 3);
    server.at(RELEASE).await;
    position(&server, &t).await;
    let kept: SignedNote = fs::read_to_string(&file).unwrap().parse().unwrap();
    assert_eq!(Checkpoint::open(&kept, &key(&server).await).unwrap(), checkpoint(&server).await);
}

#[tokio::test]
async fn a_lost_file_halts_the_server_until_the_operator_accepts_it() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    fs::remove_file(server.folder.path().join("draw960.highwater")).unwrap();
    let server = server.restart(2).await;
    let why = server.get("/readyz").await.refused(503, "server-read-only")["detail"].as_str().unwrap().to_owned();
    assert!(why.contains("--accept-missing-high-water"), "{why}");
    server.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": null})).await.refused(503, "server-read-only");
    server.get("/api/v1/log/checkpoint").await.refused(503, "server-read-only");
    server.get(&t.at("/rounds/1")).await.done(200);

    server.desk.store.close().await;
    let chance = Arc::new(FixedEntropy::new([3; 32]));
    let server = TestServer::open_accepting(server.folder, server.clock, chance, Missing::Accept).await;
    server.at(RELEASE).await;
    position(&server, &t).await;
    assert_eq!(server.restart(4).await.get("/readyz").await.status, 200);
}

/// The dossier for an appeals committee: every line with its place in the log and its receipt, names escaped.
#[tokio::test]
async fn the_dossier_links_every_line_to_its_receipt() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let draw = server.get(&t.at("/rounds/1")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "leaked", "note": "Seen on <b>a phone</b>"});
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.done(200);
    let answer = server.get_as(&t.at("/rounds/1/history.html"), &t.auditor).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "text/html; charset=utf-8"));
    let page = answer.text();
    let events = server.get(&t.at("/rounds/1/history")).await.json()["events"].as_array().unwrap().clone();
    assert!(events.len() >= 4);
    for event in events {
        assert_eq!(event["proof"], "signed");
        let link = format!("href=\"/api/v1/log/receipt/{}\"", event["entry"]);
        assert!(page.contains(&link), "{link} is missing:\n{page}");
    }
    assert!(page.contains("@media print") && page.contains("2026-12-05T08:00:00+02:00"), "{page}");
    assert!(page.contains("a phone") && !page.contains("<b>a phone"), "a note is not escaped:\n{page}");
    assert!(!server.get(&t.at("/rounds/1/history.html")).await.text().contains("a phone"), "notes are for insiders");
    let csv = server.get(&t.at("/rounds/1/history.csv")).await.text();
    let ends = [",proof,not_before,not_before_local,not_after,not_after_local,proven,remark", ",signed,,,,,none,"];
    assert!(csv.lines().zip(ends).all(|(line, end)| line.ends_with(end)), "{csv}");
}
