//! A database older than what the server signed: a bundle brings it up to date, or the log goes on under another name.
//! And another key for the log.

use crate::support::{NOW, TestServer, Tournament, evidence};
use draw960::{
    clock::ManualClock,
    domain::{
        log::LogKey,
        verify::{Bundle, Report, Trust, Verdict, verify},
    },
    entropy::FixedEntropy,
    ledger::Missing,
};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command, sync::Arc};
use tempfile::TempDir;

const DICE: &str = "63454660390103169462";
const RELEASE: &str = "2026-12-05T07:45:00Z";

fn copy(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for item in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        fs::copy(item.path(), copy.path().join(item.file_name())).unwrap();
    }
    copy
}

fn clock_at(instant: &str) -> ManualClock {
    ManualClock::new(instant.parse().unwrap())
}

async fn bundle(server: &TestServer, t: &Tournament) -> Bundle {
    serde_json::from_value(server.get(&t.at("/bundle")).await.done(200)).unwrap()
}

/// Three rounds by dice or local secret, none released yet.
async fn open(server: &TestServer) -> Tournament {
    let starts = ["2026-12-05T10:00", "2026-12-05T15:00", "2026-12-06T10:00"];
    let rounds: Vec<_> = (1..).zip(starts).map(|(number, at)| json!({"number": number, "starts_at": at})).collect();
    let policy = json!({"repeats": "never", "entropy": "dice", "entropy_fallback": ["local"]});
    server.tournament("kaunas-2026-open", policy, json!(rounds)).await
}

/// What happens after the copy: every kind of act.
async fn go_on(server: &TestServer, t: &Tournament) {
    let (_, deputy) = server.token(t, "deputy").await;
    for token in [&t.arbiter, &deputy] {
        server.post(&t.at("/rounds/1/dice"), token, json!({"digits": DICE})).await.done(200);
    }
    let second = server.get(&t.at("/rounds/2")).await.done(200)["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "organiser-decision", "note": "no dice at hand"});
    server.post(&format!("/api/v1/draws/{second}/void"), &t.arbiter, void).await.done(200);
    server.post(&t.at("/rounds/2/draws"), &t.arbiter, json!({"entropy": "local"})).await.done(201);
    server.put(&t.at("/rounds/4"), &t.pairing, json!({"starts_at": "2026-12-06T15:00"})).await.done(200);
    let pairings = json!({"boards": [{"board": 1, "white": {"name": "Anand"}, "black": {"name": "Carlsen"}}]});
    server.put(&t.at("/rounds/1/pairings"), &t.pairing, pairings).await.done(200);
    server.at(RELEASE).await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    evidence::check(&position);
    server.put(&t.at("/rounds/3"), &t.arbiter, json!({"starts_at": "2026-12-06T10:30"})).await.done(200);
    server.at("2026-12-05T08:05:00Z").await;
    let game = json!({"round": 1, "board": 1, "moves": [], "result": "1/2-1/2"});
    server.post(&t.at("/games"), &t.pairing, game).await;
}

/// An older copy of the server's folder, its bundle and its folder as they are when it dies.
struct Dead {
    copy: TempDir,
    folder: TempDir,
    bundle: Bundle,
    t: Tournament,
    rounds: Vec<Value>,
    position: Value,
    vkey: LogKey,
}

async fn dead() -> Dead {
    let server = TestServer::new().await;
    let t = open(&server).await;
    server.desk.store.close().await;
    let copied = copy(server.folder.path());
    let server = server.restart(7).await;
    go_on(&server, &t).await;
    let bundle = bundle(&server, &t).await;
    let (rounds, position) = (rounds(&server, &t).await, server.get(&t.at("/rounds/1/position")).await.json());
    let vkey = server.desk.ledger.vkey().parse().unwrap();
    server.desk.store.close().await;
    fs::copy(server.folder.path().join("draw960.highwater"), copied.path().join("draw960.highwater")).unwrap();
    Dead { copy: copied, folder: server.folder, bundle, t, rounds, position, vkey }
}

/// What the public may read of every round, without what only the lost database had: ids of draws and microseconds.
async fn rounds(server: &TestServer, t: &Tournament) -> Vec<Value> {
    let mut all = Vec::new();
    for round in 1..=4 {
        let mut shown = server.get(&t.at(&format!("/rounds/{round}"))).await.done(200);
        for draw in shown["draws"].as_array_mut().unwrap() {
            draw["id"] = Value::Null;
        }
        all.push(shown);
    }
    all
}

fn without_ids(mut position: Value) -> Value {
    position["draw"]["id"] = Value::Null;
    position
}

#[tokio::test]
async fn a_bundle_brings_an_older_copy_up_to_date() {
    let dead = dead().await;
    let t = &dead.t;
    let server = TestServer::open(dead.copy, clock_at("2026-12-05T08:10:00Z"), 20).await;
    let refused = server.get("/readyz").await.refused(503, "server-read-only");
    assert!(refused["detail"].as_str().unwrap().contains("draw960 recover"), "{refused}");

    let done = server.desk.replay(&dead.bundle, server.folder.path()).await.unwrap();
    assert_eq!(done.from + done.replayed, dead.bundle.entries.len() as u64);
    assert_eq!((done.lost.len(), done.voided.len()), (0, 0));
    let lost: Vec<_> = done.without_content.keys().map(|(_, kind)| kind.as_str()).collect();
    assert_eq!(lost, ["game", "note", "pairings"]);

    let server = server.restart(21).await;
    server.ready().await;
    assert_eq!(rounds(&server, t).await, dead.rounds);
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    assert_eq!(without_ids(position), without_ids(dead.position));
    let entries = server.entries().await;
    let same: Vec<_> = dead.bundle.entries.iter().map(|entry| serde_json::from_str::<Value>(entry).unwrap()).collect();
    assert_eq!(entries[..same.len()], same);
    assert_eq!((&entries[same.len()]["t"], entries.len()), (&json!("takeover"), same.len() + 1));

    // The lost machine would have released the same.
    let twin = TestServer::open(dead.folder, clock_at("2026-12-05T08:10:00Z"), 30).await;
    for server in [&server, &twin] {
        server.at("2026-12-05T12:45:00Z").await;
    }
    let of = async |server: &TestServer| {
        let position = server.get(&t.at("/rounds/2/position")).await.done(200);
        json!([position["number"], position["draw"]["seed"], position["draw"]["secret"], position["draw"]["used"]])
    };
    assert_eq!(of(&server).await, of(&twin).await);
    let report = verify(&bundle(&server, t).await, &Trust { log_key: Some(dead.vkey), ..Trust::default() });
    assert!(report.checks.iter().all(|check| check.faults.is_empty()), "{report}");
    assert!(report.to_string().contains("went on from a copy of"), "{report}");
    // Content comes again, under the hash that is in the log already or a new one.
    let pairings = json!({"boards": [{"board": 1, "white": {"name": "Anand"}, "black": {"name": "Carlsen"}}]});
    server.put(&t.at("/rounds/3/pairings"), &t.pairing, pairings).await.done(200);
}

#[tokio::test]
async fn a_bundle_that_is_not_the_rest_of_this_log_changes_nothing() {
    let dead = dead().await;
    let stranger = TestServer::open(tempfile::tempdir().unwrap(), clock_at(NOW), 99).await;
    let other = open(&stranger).await;
    let foreign = bundle(&stranger, &other).await;
    let server = TestServer::open(dead.copy, clock_at(RELEASE), 20).await;
    let size = server.log().await.len();
    let mut cut = dead.bundle.clone();
    cut.entries.pop();
    let mut edited = dead.bundle.clone();
    let last = edited.entries.len() - 1;
    edited.entries[last] = edited.entries[last].replace("\"board\":1", "\"board\":2");
    for (bundle, says) in [(foreign, "not of this log"), (cut, "not those"), (edited, "not those")] {
        let why = server.desk.replay(&bundle, server.folder.path()).await.unwrap_err().to_string();
        assert!(why.contains(says), "{why}");
    }
    assert_eq!(server.log().await.len(), size);
    // A bundle from before the last checkpoint would make the server contradict itself.
    let before = TestServer::open(copy(dead.folder.path()), clock_at(RELEASE), 22).await;
    before.put(&dead.t.at("/rounds/4"), &dead.t.arbiter, json!({"starts_at": null})).await.done(200);
    before.desk.store.close().await;
    let newer = before.folder.path().join("draw960.highwater");
    fs::copy(newer, server.folder.path().join("draw960.highwater")).unwrap();
    let why = server.desk.replay(&dead.bundle, server.folder.path()).await.unwrap_err().to_string();
    assert!(why.contains("but the server signed") && why.contains("newer bundle"), "{why}");
    assert_eq!(server.log().await.len(), size);
}

#[tokio::test]
async fn a_tournament_younger_than_the_copy_is_lost_and_its_slug_stays_taken() {
    let server = TestServer::new().await;
    let t = open(&server).await;
    server.desk.store.close().await;
    let copied = copy(server.folder.path());
    let server = server.restart(7).await;
    server.tournament("vilnius-2026-open", json!({}), json!([{"number": 1, "starts_at": "2026-12-05T10:00"}])).await;
    let bundle = bundle(&server, &t).await;
    let old = TestServer::open(copied, clock_at(NOW), 20).await;
    let done = old.desk.replay(&bundle, old.folder.path()).await.unwrap();
    assert_eq!(done.lost, ["vilnius-2026-open"]);
    let old = old.restart(21).await;
    let again = json!({"name": "V", "slug": "vilnius-2026-open", "time_zone": "UTC"});
    old.post("/api/v1/tournaments", &old.operator, again).await.refused(409, "slug-taken");
    old.get("/api/v1/tournaments/vilnius-2026-open").await.refused(404, "tournament-unknown");
    // Nor does it turn up in another's dossier.
    let history = old.get(&t.at("/rounds/1/history")).await.done(200);
    assert!(!history.to_string().contains("vilnius"), "{history}");
}

/// Runs the command on a folder, and says whether it succeeded and what it told.
fn recover(folder: &Path, way: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_draw960"));
    let done = command.args(["recover", "--data", folder.to_str().unwrap()]).args(way).output().unwrap();
    (done.status.success(), String::from_utf8([done.stdout, done.stderr].concat()).unwrap())
}

/// The disk that was lost had the high-water file too: the bundle's checkpoint is then the newest there is.
#[tokio::test]
async fn a_bundle_stands_in_for_a_high_water_file_that_went_with_the_disk() {
    let dead = dead().await;
    let high_water = dead.copy.path().join("draw960.highwater");
    fs::remove_file(&high_water).unwrap();
    let mut edited = dead.bundle.clone();
    edited.entries.pop();
    let mut old = dead.bundle.clone();
    old.entries.truncate(1);
    let file = dead.folder.path().join("bundle.json");
    for bundle in [edited, old] {
        fs::write(&file, serde_json::to_vec(&bundle).unwrap()).unwrap();
        let (done, said) = recover(dead.copy.path(), &["--bundle", file.to_str().unwrap()]);
        assert!(!done && !high_water.exists(), "{said}");
    }
    fs::write(&file, serde_json::to_vec(&dead.bundle).unwrap()).unwrap();
    let (done, said) = recover(dead.copy.path(), &["--bundle", file.to_str().unwrap()]);
    assert!(done && said.contains("There was no draw960.highwater"), "{said}");
    let server = TestServer::open(dead.copy, clock_at("2026-12-05T08:10:00Z"), 20).await;
    server.ready().await;
    assert_eq!(rounds(&server, &dead.t).await, dead.rounds);
}

/// A whole folder from yesterday agrees with itself: only its owner knows that there was more.
#[tokio::test]
async fn yesterdays_folder_is_told_how_to_go_on_under_another_name() {
    let server = TestServer::new().await;
    open(&server).await;
    server.desk.store.close().await;
    let yesterday = copy(server.folder.path());
    let (done, said) = recover(yesterday.path(), &["--new-origin"]);
    assert!(!done && said.contains("take the file away"), "{said}");
    fs::remove_file(yesterday.path().join("draw960.highwater")).unwrap();
    let (done, said) = recover(yesterday.path(), &["--new-origin"]);
    assert!(done && said.contains("under a new key"), "{said}");
}

fn pinned(key: &LogKey) -> Trust {
    Trust { log_key: Some(key.clone()), ..Trust::default() }
}

fn verdict(report: &Report, id: &str) -> Verdict {
    report.checks.iter().find(|check| check.id == id).unwrap().verdict()
}

#[tokio::test]
async fn without_a_bundle_every_live_draw_is_voided_and_verifiers_are_told() {
    let dead = dead().await;
    let t = &dead.t;
    let server = TestServer::open(dead.copy, clock_at("2026-12-05T08:10:00Z"), 20).await;
    let done = server.desk.restore_under_new_name("draw960.test").await.unwrap();
    assert_eq!(done.skipped, 10);
    assert_eq!(done.voided.iter().map(|(_, round, _)| *round).collect::<Vec<_>>(), [1, 2, 3]);
    assert_ne!(done.old, done.new);
    fs::remove_file(server.folder.path().join("draw960.highwater")).unwrap();
    let (folder, clock) = (server.folder, server.clock);
    let server =
        TestServer::open_accepting(folder, clock, Arc::new(FixedEntropy::new([21; 32])), Missing::Accept).await;
    server.ready().await;

    for round in 1..=3 {
        let shown = server.get(&t.at(&format!("/rounds/{round}"))).await.done(200);
        let void = &shown["draws"][0]["void"];
        assert_eq!(json!([void["reason"], void["knowable"]]), json!(["restored", true]), "{shown}");
    }
    server.get(&t.at("/rounds/2/position")).await.refused(410, "draw-voided");
    let order = json!({"entropy": "local"});
    let again = server.post(&t.at("/rounds/2/draws"), &t.arbiter, order).await.done(201);
    assert_eq!(json!([again["attempt"], again["log_restored_at"]]), json!([11, "2026-12-05T08:10:00Z"]));
    let fresh = server.put(&t.at("/rounds/9"), &t.arbiter, json!({"starts_at": "2026-12-07T15:00"})).await.done(200);
    assert_eq!(fresh["draws"][0]["attempt"], 11, "an attempt that the lost log may have used");
    server.at("2026-12-05T12:45:00Z").await;
    let position = server.get(&t.at("/rounds/2/position")).await.done(200);
    evidence::check(&position);
    let origin = position["draw"]["origin"].as_str().unwrap();
    assert_eq!(Some(origin), done.old.split('+').next(), "a tournament keeps the origin of its creation");
    assert_eq!(position["log_restored_at"], "2026-12-05T08:10:00Z", "nobody needs to look into the log to see it");

    let told = bundle(&server, t).await;
    let report = verify(&told, &pinned(&dead.vkey));
    assert!(report.checks.iter().all(|check| check.faults.is_empty()), "{report}");
    assert_eq!((verdict(&report, "V1"), verdict(&report, "V8")), (Verdict::NotCheckable, Verdict::NotCheckable));
    // Whoever kept a checkpoint from the lost part learns how much is missing.
    let kept = dead.bundle.checkpoint.parse().unwrap();
    let report = verify(&told, &Trust { kept: vec![kept], ..pinned(&dead.vkey) });
    assert!(report.to_string().contains("the others are lost"), "{report}");
    // A tournament created afterwards has nothing to explain.
    let new = json!({"name": "N", "slug": "new-open", "time_zone": "UTC", "rounds": [{"number": 1, "starts_at": "2026-12-05T20:00"}]});
    let made = server.post("/api/v1/tournaments", &server.operator, new).await.done(201);
    assert_eq!(made["rounds"][0]["draws"][0]["attempt"], 1);
    assert_eq!(made["rounds"][0]["draws"][0].get("log_restored_at"), None);
    server.at("2026-12-05T19:45:00Z").await;
    let bundle: Bundle =
        serde_json::from_value(server.get("/api/v1/tournaments/new-open/bundle").await.done(200)).unwrap();
    let key: LogKey = done.new.parse().unwrap();
    let report = verify(&bundle, &pinned(&key));
    assert_eq!((verdict(&report, "V1"), verdict(&report, "V8")), (Verdict::Pass, Verdict::Pass), "{report}");
    // And the server starts again.
    let server = server.restart(22).await;
    server.ready().await;
}

/// What stood only in the lost database: the throws of a draw by hand. Its number could be released by nobody.
#[tokio::test]
async fn a_draw_by_hand_whose_throws_are_lost_is_voided() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.desk.store.close().await;
    let copied = copy(server.folder.path());
    let server = server.restart(7).await;
    let draw = server.get(&t.at("/rounds/1")).await.done(200)["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "organiser-decision"});
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.done(200);
    let by_hand = json!({"method": "manual", "procedure": "d6"});
    let draw = server.post(&t.at("/rounds/1/draws"), &t.arbiter, by_hand).await.done(201)["id"].clone();
    let throws = json!({"throws": ["3", "5", "1", "4", "6", "2", "1", "1", "1", "1"]});
    let path = format!("/api/v1/draws/{}/throws", draw.as_str().unwrap());
    let mut thrown = 0;
    for throw in throws["throws"].as_array().unwrap() {
        thrown += u32::from(server.post(&path, &t.arbiter, json!({"throws": [throw]})).await.status == 200);
    }
    assert!(thrown >= 5 && server.kinds().await.contains(&"manual".to_owned()), "{thrown}");
    let bundle = bundle(&server, &t).await;
    let old = TestServer::open(copied, clock_at(NOW), 20).await;
    let done = old.desk.replay(&bundle, old.folder.path()).await.unwrap();
    assert_eq!(done.voided, [("kaunas-2026-open".to_owned(), 1, 0)]);
    let old = old.restart(21).await;
    let last = old.get(&t.at("/rounds/1")).await.done(200)["draws"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(json!([last["attempt"], last["void"]["reason"]]), json!([2, "restored"]));
    assert_eq!(old.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201)["attempt"], 3);
}

#[tokio::test]
async fn restored_is_no_reason_for_an_arbiter() {
    let server = TestServer::new().await;
    let t = open(&server).await;
    let draw = server.get(&t.at("/rounds/1")).await.done(200)["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "restored"});
    let refused =
        server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.refused(422, "invalid-field");
    assert_eq!(refused["errors"][0]["pointer"], "/reason");
}

#[tokio::test]
async fn another_key_signs_and_the_old_one_leads_to_it() {
    let server = TestServer::new().await;
    let t = open(&server).await;
    let old: LogKey = server.desk.ledger.vkey().parse().unwrap();
    let before = bundle(&server, &t).await;
    let new = server.desk.change_log_key().await.unwrap();
    let server = server.restart(8).await;
    server.ready().await;
    assert_eq!(server.get("/api/v1/log/vkey").await.text().trim_end(), new.to_string());
    assert_eq!((new.name(), new != old), (old.name(), true));
    go_on(&server, &t).await;
    let after = bundle(&server, &t).await;
    for key in [&old, &new] {
        let kept = before.checkpoint.parse().unwrap();
        let report = verify(&after, &Trust { kept: vec![kept], ..pinned(key) });
        assert_eq!((verdict(&report, "V1"), verdict(&report, "V2")), (Verdict::Pass, Verdict::Pass), "{report}");
    }
    let history = server.get(&t.at("/rounds/1/history")).await.done(200);
    assert!(history.to_string().contains("The log is signed by another key from here on: "));
    // A thief of the old key, or of an old backup, cannot go on.
    let (folder, clock) = (server.folder, server.clock);
    let again = TestServer::open(folder, clock, 9).await;
    again.ready().await;
}

/// Goes on under another name, as after a restoration at this instant.
async fn restored(server: TestServer, at: &str, chance: u8) -> TestServer {
    server.clock.set(at.parse().unwrap());
    server.desk.restore_under_new_name("draw960.test").await.unwrap();
    server.desk.store.close().await;
    fs::remove_file(server.folder.path().join("draw960.highwater")).unwrap();
    let (folder, clock) = (server.folder, server.clock);
    let chance = Arc::new(FixedEntropy::new([chance; 32]));
    TestServer::open_accepting(folder, clock, chance, Missing::Accept).await
}

/// Every draw says which restoration came last before it was over, wherever it is shown; what was over before says nothing.
#[tokio::test]
async fn a_draw_names_the_last_restoration_before_it_was_over() {
    let server = TestServer::new().await;
    let board = |number: u16, at: &str| json!({"number": number, "starts_at": at, "boards": 2});
    let rounds = json!([board(1, "2026-12-05T10:00"), board(2, "2026-12-05T15:00")]);
    let boards = server.tournament("boards-2026", json!({"scope": "board"}), rounds).await;
    let round = |number: u16, at: &str| json!({"number": number, "starts_at": at});
    let rounds = json!([round(1, "2026-12-05T10:00"), round(2, "2026-12-05T12:00"), round(3, "2026-12-05T15:00")]);
    let blocks = server.tournament("blocks-2026", json!({"rounds_per_draw": 2}), rounds).await;
    server.at(RELEASE).await;
    let server = restored(server, "2026-12-05T08:10:00Z", 20).await;
    let order = async |server: &TestServer, t: &Tournament, round: u16, body: Value| {
        server.post(&t.at(&format!("/rounds/{round}/draws")), &t.arbiter, body).await.done(201)
    };
    order(&server, &boards, 2, json!({"board": 1})).await;
    order(&server, &blocks, 3, json!({})).await;
    let server = restored(server, "2026-12-05T08:20:00Z", 21).await;
    order(&server, &boards, 2, json!({"board": 1})).await;
    order(&server, &blocks, 3, json!({})).await;
    server.at("2026-12-05T12:45:00Z").await;
    let place = boards.at("/rounds/2/boards/1/position");
    let before = server.get(&place).await;
    let server = restored(server, "2026-12-05T13:10:00Z", 22).await;

    let (first, second) = (json!("2026-12-05T08:10:00Z"), json!("2026-12-05T08:20:00Z"));
    let shown = server.get("/api/v1/draws.ndjson").await.text();
    let shown: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(shown.len(), 2 + 2 + 2 + 1 + 1 + 2, "both tournaments, every attempt");
    for draw in &shown {
        let (round, attempt) = (draw["round"].as_u64().unwrap(), draw["attempt"].as_u64().unwrap());
        let expected = match (round, attempt) {
            (1, _) => None,
            (_, 1) => Some(&first),
            _ => Some(&second),
        };
        assert_eq!(draw.get("log_restored_at"), expected, "{draw}");
        let alone = server.get(&format!("/api/v1/draws/{}", draw["id"].as_str().unwrap())).await.done(200);
        assert_eq!(alone.get("log_restored_at"), expected);
    }
    for (t, place, expected) in [
        (&boards, "/rounds/1/boards/2/position", None),
        (&boards, "/rounds/2/boards/1/position", Some(&second)),
        (&blocks, "/rounds/2/position", None),
        (&blocks, "/rounds/3/position", Some(&second)),
    ] {
        assert_eq!(server.get(&t.at(place)).await.done(200).get("log_restored_at"), expected, "{place}");
    }
    // Its receipt is signed by another key now.
    let after = server.get(&place).await;
    assert_ne!(before.text(), after.text());
    assert_ne!(before.header("etag"), after.header("etag"));
}
