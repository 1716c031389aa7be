//! The witness on another machine: its protocol, and what a server makes of it.

use crate::support::{
    TestServer, Tournament,
    witness::{Running, WITHIN},
};
use draw960::{
    clock::ManualClock,
    cosign::Asked,
    domain::{
        log::{AddCheckpoint, Checkpoint, LogKey, LogSigner, Receipt, SignedNote, Tree, WitnessKey, leaf_hash},
        verify::{Bundle, Trust, Verdict, verify},
    },
    fetch,
};
use serde_json::{Value, json};
use std::path::Path;

const SEEN: i64 = 1_796_454_000;

fn running(folder: &Path, logs: Vec<LogKey>) -> Running {
    Running::start(folder, logs, ManualClock::new(jiff::Timestamp::from_second(SEEN).unwrap()))
}

fn log(seed: u8) -> LogSigner {
    LogSigner::from_seed("hall.example/0a0b0c0d", &[seed; 32]).unwrap()
}

fn tree(size: u64, world: &str) -> Tree {
    (0..size).map(|n| leaf_hash(format!("{world} {n}").as_bytes())).collect()
}

fn asked(old: u64, size: u64, world: &str, signer: &LogSigner) -> String {
    let tree = tree(size, world);
    let checkpoint = Checkpoint { origin: signer.verifier().name().into(), size, root: tree.root(size).unwrap() };
    let proof = tree.consistency(old.min(size), size).unwrap();
    AddCheckpoint { old, proof, checkpoint: checkpoint.sign(signer).unwrap() }.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_protocol_as_specified() {
    let folder = tempfile::tempdir().unwrap();
    let witness = running(folder.path(), vec![log(1).verifier()]);
    let key: WitnessKey = witness.vkey.parse().unwrap();
    assert_eq!(fetch::get(&format!("{}/vkey", witness.url), WITHIN).await.unwrap().text.trim(), witness.vkey);

    let (status, line) = witness.add(&asked(0, 5, "a", &log(1))).await;
    assert_eq!(status, 200, "{line}");
    let mut note: SignedNote = asked(0, 5, "a", &log(1)).split_once("\n\n").unwrap().1.parse().unwrap();
    note.add(line.trim_end().parse().unwrap());
    assert_eq!(note.cosigned_at(&key), Ok(SEEN as u64));

    for (what, body, expected) in [
        ("not the size it saw", asked(3, 9, "a", &log(1)), (409, "5\n")),
        ("from nothing again", asked(0, 9, "a", &log(1)), (409, "5\n")),
        ("another log of the same size", asked(5, 5, "b", &log(1)), (409, "5\n")),
        ("another log", asked(5, 9, "b", &log(1)), (422, "the log does not begin with what was cosigned\n")),
        ("another key", asked(5, 9, "a", &log(2)), (403, "not signed by the log's key\n")),
        ("a smaller log", asked(5, 4, "a", &log(1)), (400, "the old size exceeds the new one\n")),
        ("nonsense", "old 5".into(), (400, "no blank line before the checkpoint\n")),
    ] {
        assert_eq!(witness.add(&body).await, (expected.0, expected.1.into()), "{what}");
    }
    let foreign = LogSigner::from_seed("other.example/0a0b0c0d", &[1; 32]).unwrap();
    assert_eq!(witness.add(&asked(0, 5, "a", &foreign)).await.0, 404);
    assert_eq!(witness.add(&"x".repeat(70_000)).await.0, 413);

    // What it saw it remembers, with the same key.
    let again = running(folder.path(), vec![log(1).verifier()]);
    assert_eq!(again.vkey, witness.vkey);
    assert_eq!(again.add(&asked(0, 9, "a", &log(1))).await, (409, "5\n".into()));
    assert_eq!(again.add(&asked(5, 5, "a", &log(1))).await.0, 200);
    assert_eq!(again.add(&asked(5, 9, "a", &log(1))).await.0, 200);
}

async fn key(server: &TestServer) -> LogKey {
    server.get("/api/v1/log/vkey").await.text().trim_end().parse().unwrap()
}

async fn witnesses(server: &TestServer) -> Value {
    server.get("/api/v1/log/witnesses").await.done(200)["witnesses"][0].clone()
}

async fn position(server: &TestServer, t: &Tournament, round: u16) -> Value {
    server.get(&t.at(&format!("/rounds/{round}/position"))).await.done(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_shows_what_its_witness_saw() {
    let server = TestServer::new().await;
    let folder = tempfile::tempdir().unwrap();
    let witness = running(folder.path(), vec![key(&server).await]);
    let witness_key: WitnessKey = witness.vkey.parse().unwrap();
    let t = server.kaunas().await;
    let mut asked = Asked::new(&witness.url).unwrap();
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["draws"][0]["witnessed"], false);
    assert!(asked.ask(&server.desk).await.unwrap());
    assert!(!asked.ask(&server.desk).await.unwrap(), "nothing is new");
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["draws"][0]["witnessed"], true);
    let note: SignedNote = server.get("/api/v1/log/checkpoint").await.text().parse().unwrap();
    assert_eq!(note.cosigned_at(&witness_key), Ok(SEEN as u64));

    server.at("2026-12-05T07:45:00Z").await;
    let status = witnesses(&server).await;
    let said = json!({"witness": witness.vkey, "cosigned": 3, "behind": 1, "ahead": 0, "at": SEEN, "answers": true});
    assert_eq!(status, said);
    assert_eq!(position(&server, &t, 1).await["witnessed"], true);
    assert!(asked.ask(&server.desk).await.unwrap());

    // The receipt of the release is now in a cosigned checkpoint, here and after a restart.
    let server = server.restart(2).await;
    let released = position(&server, &t, 1).await;
    assert_eq!(released["witnessed"], true);
    let receipt: Receipt = released["draw"]["receipt"].as_str().unwrap().parse().unwrap();
    assert_eq!(receipt.checkpoint.cosigned_at(&witness_key), Ok(SEEN as u64));
    let entry = server.log().await[receipt.index as usize]["entry"].as_str().unwrap().to_owned();
    receipt.verify(entry.as_bytes(), &key(&server).await).unwrap();
    let history = server.get(&t.at("/rounds/1/history")).await.json();
    assert!(history["events"].as_array().unwrap().iter().all(|event| event["proof"] == "cosigned"), "{history}");

    let bundle: Bundle = serde_json::from_value(server.get(&t.at("/bundle")).await.done(200)).unwrap();
    assert_eq!(bundle.checkpoints.len(), 1);
    let trust = Trust { log_key: Some(key(&server).await), witnesses: vec![witness_key], kept: Vec::new() };
    let report = verify(&bundle, &trust);
    for check in &report.checks[..3] {
        assert_eq!(check.verdict(), Verdict::Pass, "{report}");
    }
    assert!(report.draws[0].witnessed, "{report}");
}

/// A log that changed its key is refused until the witness is told, and then still cannot be rewritten.
#[tokio::test(flavor = "multi_thread")]
async fn a_witness_follows_a_changed_key_once_it_is_told() {
    let server = TestServer::new().await;
    let folder = tempfile::tempdir().unwrap();
    let old = key(&server).await;
    let t = server.kaunas().await;
    let witness = running(folder.path(), vec![old.clone()]);
    assert!(Asked::new(&witness.url).unwrap().ask(&server.desk).await.unwrap());
    let new = server.desk.change_log_key().await.unwrap();
    let server = server.restart(8).await;
    let mut asked = Asked::new(&witness.url).unwrap();
    let refused = asked.ask(&server.desk).await.unwrap_err();
    assert!(refused.detail.contains("403"), "{}", refused.detail);
    let told = running(folder.path(), vec![new.clone()]);
    assert_eq!(told.vkey, witness.vkey);
    let mut asked = Asked::new(&told.url).unwrap();
    assert!(!asked.ask(&server.desk).await.unwrap(), "it remembers how far it was");
    assert!(asked.ask(&server.desk).await.unwrap());
    let bundle: Bundle = serde_json::from_value(server.get(&t.at("/bundle")).await.done(200)).unwrap();
    let trust = Trust { log_key: Some(old), witnesses: vec![told.vkey.parse().unwrap()], kept: Vec::new() };
    let report = verify(&bundle, &trust);
    assert!(report.checks[..2].iter().all(|check| check.verdict() == Verdict::Pass), "{report}");
}

/// A cosignature that comes after the release shows only that the record was not changed since.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_witness_makes_no_draw_witnessed() {
    let server = TestServer::new().await;
    let folder = tempfile::tempdir().unwrap();
    let witness = running(folder.path(), vec![key(&server).await]);
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    let mut asked = Asked::new(&format!("{} {}", witness.url, witness.vkey)).unwrap();
    assert!(asked.ask(&server.desk).await.unwrap());
    assert_eq!(position(&server, &t, 1).await["witnessed"], false);
}

/// A witness that has seen more than a server that was set back refuses it, and draws go on without any.
#[tokio::test(flavor = "multi_thread")]
async fn a_witness_that_does_not_answer_or_refuses_holds_up_nothing() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let mut dead = Asked::new("http://127.0.0.1:1").unwrap();
    assert!(dead.ask(&server.desk).await.is_err());
    let folder = tempfile::tempdir().unwrap();
    let other = running(folder.path(), vec![log(1).verifier()]);
    assert!(Asked::new(&other.url).unwrap().ask(&server.desk).await.is_err(), "the log is not one of its own");
    let wrong = format!("{} {}", other.url, running(folder.path(), Vec::new()).vkey.replace("deputy", "devious"));
    assert!(Asked::new(&wrong).is_err(), "a key whose id does not fit");
    server.at("2026-12-05T07:45:00Z").await;
    assert_eq!(position(&server, &t, 1).await["witnessed"], false);
    for setting in ["https://a", "nonsense", "http://a b"] {
        assert!(Asked::new(setting).is_err(), "{setting}");
    }
}

/// A server whose database was set back asks for what its witness has seen past; the witness says so and signs nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_witness_finds_a_forked_log() {
    let server = TestServer::new().await;
    let folder = tempfile::tempdir().unwrap();
    let witness = running(folder.path(), vec![key(&server).await]);
    let t = server.kaunas().await;
    server.desk.store.close().await;
    let copy = tempfile::tempdir().unwrap();
    let older = tempfile::tempdir().unwrap();
    for file in ["draw960.db", "draw960.key", "draw960.highwater"] {
        std::fs::copy(server.folder.path().join(file), copy.path().join(file)).unwrap();
        std::fs::copy(server.folder.path().join(file), older.path().join(file)).unwrap();
    }
    let server = server.restart(2).await;
    server.at("2026-12-05T07:45:00Z").await;
    assert!(Asked::new(&witness.url).unwrap().ask(&server.desk).await.unwrap());

    let forked = TestServer::open(copy, ManualClock::new("2026-12-05T06:30:00Z".parse().unwrap()), 3).await;
    forked.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": "2026-12-06T10:00"})).await.done(200);
    // As long as the copy is shorter, the witness is the only one to know.
    let shorter = TestServer::open(older, ManualClock::new("2026-12-05T06:30:00Z".parse().unwrap()), 3).await;
    assert!(!Asked::new(&witness.url).unwrap().ask(&shorter.desk).await.unwrap());
    let status = witnesses(&shorter).await;
    assert_eq!(json!([status["ahead"], status["answers"]]), json!([1, true]));
    let mut asked = Asked::new(&witness.url).unwrap();
    assert!(!asked.ask(&forked.desk).await.unwrap(), "it learns what the witness has seen");
    let refused = asked.ask(&forked.desk).await.unwrap_err();
    assert!(refused.detail.contains("422"), "{}", refused.detail);
    assert_eq!(position(&server, &t, 1).await["round"], 1);
}
