//! Custody: a copy under a passphrase, kept up to date on a stick that comes and goes, and another machine that goes on from it.

use crate::support::{NOW, TestServer, Tournament, evidence, witness};
use draw960::{
    clock::ManualClock,
    config::Config,
    custody::{Beyond, Elsewhere, Keeper, Settings, TakenOver, Takeover, UNDER_WAY},
    demo::client::Client,
    desk::Replayed,
    domain::{
        custody::{Costs, Passphrase},
        log::{Checkpoint, LogKey, SignedNote},
        verify::{Bundle, Trust, Verdict, verify},
    },
    entropy::FixedEntropy,
    ledger::Missing,
    server,
    store::OpenMode,
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::{sync::oneshot, task::JoinHandle};
use zeroize::Zeroizing;

const PHRASE: &str = "correct horse battery";
/// As little as Argon2 allows: what a passphrase costs is not what is tested here.
const CHEAP: Costs = Costs { memory: 8, passes: 1, lanes: 1 };

fn phrase() -> Passphrase {
    Passphrase::new(Zeroizing::new(PHRASE.into())).unwrap()
}

fn clock() -> ManualClock {
    ManualClock::new(NOW.parse().unwrap())
}

async fn keeper(server: &TestServer, folder: &Path) -> Keeper {
    let settings = Settings { folder: folder.to_owned(), passphrase: phrase() };
    Keeper::begin(&server.desk, server.folder.path().to_owned(), settings, CHEAP).await.unwrap()
}

/// Where the copy of a server is put.
fn placed(server: &TestServer, folder: &Path) -> PathBuf {
    let digits = server.desk.origin.rsplit('/').next().unwrap();
    folder.join(format!("draw960-{digits}.custody"))
}

/// A custody file of the server as it is now.
async fn custody_file(server: &TestServer, folder: &Path) -> PathBuf {
    assert!(keeper(server, folder).await.copy_if_changed(&server.desk).await.unwrap());
    placed(server, folder)
}

fn takeover(file: &Path, folder: &Path) -> Takeover {
    Takeover {
        file: file.to_owned(),
        passphrase: phrase(),
        folder: folder.to_owned(),
        elsewhere: Elsewhere::default(),
        beyond: Beyond::Nothing,
        // Another machine's clock, some hours slow.
        clock: Arc::new(ManualClock::new("2026-12-05T01:00:00Z".parse().unwrap())),
        entropy: Arc::new(FixedEntropy::new([9; 32])),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

async fn checkpoint(server: &TestServer) -> String {
    server.get("/api/v1/log/checkpoint").await.text()
}

async fn number(server: &TestServer, t: &Tournament) -> u64 {
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    evidence::check(&position);
    position["number"].as_u64().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_draw960"));
    command.args(arguments).stdin(Stdio::null()).env_remove("DRAW960_PASSPHRASE").output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The passphrase in a file of its own, outside every folder that is looked into.
fn phrase_file(folder: &TempDir, text: &str) -> PathBuf {
    let file = folder.path().join("passphrase");
    fs::write(&file, format!("{text}\n")).unwrap();
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draw_ordered_on_one_machine_is_released_on_another_with_the_same_number() {
    let first = TestServer::new().await;
    let t = first.kaunas().await;
    let (stick, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = custody_file(&first, stick.path()).await;
    let log = first.log().await;

    let taken = takeover(&file, second.path()).run().await.unwrap();
    let newest = taken.newest.clone().unwrap();
    assert!(newest.1.starts_with(", kaunas-2026-open: A draw was ordered for round 1"), "{newest:?}");
    let (origin, replayed) = (first.desk.origin.clone(), Replayed::default());
    assert_eq!(taken, TakenOver { origin, size: 3, replayed, renamed: None, newest: Some(newest), asked: 0 });
    assert_eq!(names(second.path()), ["draw960.db", "draw960.highwater", "draw960.key"]);
    let second = TestServer::open(second, clock(), 77).await;
    assert_eq!(second.log().await[..3], log);
    let entry = second.entries().await[3].clone();
    // A copy that does not say that the masters left says it now.
    assert_eq!(second.kinds().await[4..], ["export"]);
    let at_copy: SignedNote = checkpoint(&first).await.parse().unwrap();
    let root = at_copy.text().parse::<Checkpoint>().unwrap().root.to_string();
    let at = "2026-12-05T01:00:00Z".parse::<jiff::Timestamp>().unwrap().as_second();
    let expected = json!({"t": "takeover", "v": 1, "at": at, "by": "server", "size": 3, "root": root, "replayed": 0});
    assert_eq!(entry, expected);

    for server in [&first, &second] {
        server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
        server.at("2026-12-05T07:45:00Z").await;
    }
    assert_eq!(number(&first, &t).await, number(&second, &t).await);
    second.get_as(&t.at("/tokens"), &t.arbiter).await.done(200);
    let next = second.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": "2026-12-06T10:00"})).await;
    assert_eq!(next.done(200)["draws"][0]["attempt"], 1);
    let consistent = second.get("/api/v1/log/consistency?from=3").await.done(200);
    assert_eq!(consistent["from"], 3, "it is the same log, only longer");
}

/// The address of something that gives this answer to whatever it is asked.
async fn portal(answer: &'static str) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = axum::Router::new().fallback(async move || answer);
    tokio::spawn(async move { axum::serve(listener, app).await });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_saw_beyond_the_copy_is_missed() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (stick, witness_folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = custody_file(&server, stick.path()).await;
    let key: LogKey = server.desk.ledger.vkey().parse().unwrap();
    let witness = witness::Running::start(witness_folder.path(), vec![key], clock());
    let url = witness.url.clone();
    let older = checkpoint(&server).await;
    assert!(draw960::cosign::Asked::new(&url).unwrap().ask(&server.desk).await.unwrap());
    let refused = async |checkpoints: &[&str], witnesses: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let mut asked = takeover(&file, folder.path());
        asked.elsewhere.checkpoints = checkpoints.iter().map(|text| ("kept.txt".into(), (*text).to_owned())).collect();
        asked.elsewhere.witnesses = witnesses.iter().map(|url| (*url).to_owned()).collect();
        let why = asked.run().await.err().unwrap_or_default();
        assert!(why.is_empty() || names(folder.path()).is_empty(), "{why}: {:?}", names(folder.path()));
        why
    };
    assert_eq!(refused(&[&older], &[&url]).await, "", "the copy has all that they saw");

    server.at("2026-12-05T07:45:00Z").await;
    let newer = checkpoint(&server).await;
    assert!(draw960::cosign::Asked::new(&url).unwrap().ask(&server.desk).await.is_ok());
    let mut asked = draw960::cosign::Asked::new(&url).unwrap();
    while !asked.ask(&server.desk).await.unwrap() {}
    for why in [refused(&[&older, &newer], &[]).await, refused(&[], &[&url]).await] {
        assert!(why.contains("1 missing") && why.contains("--bundle"), "{why}");
    }

    let foreign = TestServer::open(tempfile::tempdir().unwrap(), clock(), 5).await;
    let why = refused(&[&checkpoint(&foreign).await], &[]).await;
    assert!(why.starts_with("kept.txt is no checkpoint of the log"), "{why}");
    // Without it the log goes on under another name, and nobody is deceived.
    let folder = tempfile::tempdir().unwrap();
    let mut asked = takeover(&file, folder.path());
    asked.beyond = Beyond::Lost("hall2.example".into());
    let taken = asked.run().await.unwrap();
    let renamed = taken.renamed.unwrap();
    assert!(taken.origin.starts_with("hall2.example/") && renamed.new.starts_with(&taken.origin), "{renamed:?}");
    assert_eq!((taken.size, renamed.voided), (3, vec![(t.slug().to_owned(), 1, 0)]));
    assert_eq!(names(folder.path()), ["draw960.db", "draw960.highwater", "draw960.key"]);
    let third = TestServer::open(folder, clock(), 78).await;
    third.ready().await;
    assert_eq!(third.kinds().await[3..], ["restored", "void", "export"]);
    assert_eq!(third.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201)["attempt"], 11);
    // Whoever has the bundle has what is missing.
    let folder = tempfile::tempdir().unwrap();
    let mut asked = takeover(&file, folder.path());
    asked.elsewhere.checkpoints = vec![("kept.txt".into(), newer)];
    asked.elsewhere.witnesses = vec![url];
    asked.beyond = Beyond::Bundle(serde_json::from_value(server.get(&t.at("/bundle")).await.done(200)).unwrap());
    let taken = asked.run().await.unwrap();
    assert_eq!((taken.size, taken.replayed.from, taken.replayed.replayed), (3, 3, 1));
    let second = TestServer::open(folder, clock(), 77).await;
    assert_eq!(number(&second, &t).await, number(&server, &t).await, "released already");
    assert_eq!(second.kinds().await[3..], ["release", "takeover", "export"]);

    assert!(refused(&["nonsense"], &[]).await.starts_with("kept.txt: "));
    let why = refused(&[], &["http://127.0.0.1:1"]).await;
    assert!(why.contains("does not say how much it has seen"), "{why}");
    // A portal of the network says 200 to everybody, and has seen nothing.
    for answer in ["<html>Log in first</html>", ""] {
        let why = refused(&[], &[&portal(answer).await]).await;
        assert!(why.contains("no cosignature") && why.contains("Nothing was changed"), "{why}");
    }
    assert_eq!(number(&server, &t).await, number(&server, &t).await);
}

/// What the second machine itself logs must not be taken for what the first one had beyond the bundle. And what witnesses said
/// of entries that the copy lacks is kept with them.
#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_that_ends_before_what_a_witness_saw_is_not_enough() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (stick, witness_folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key: LogKey = server.desk.ledger.vkey().parse().unwrap();
    let witness = witness::Running::start(witness_folder.path(), vec![key], clock());
    let mut asked = draw960::cosign::Asked::new(&witness.url).unwrap();
    while !asked.ask(&server.desk).await.unwrap() {}
    let file = custody_file(&server, stick.path()).await;
    let pairings = json!({"boards": [{"board": 1, "white": {"name": "Anand"}, "black": {"name": "Carlsen"}}]});
    server.put(&t.at("/rounds/1/pairings"), &t.pairing, pairings).await.done(200);
    while !asked.ask(&server.desk).await.unwrap() {}
    let mut bundle = server.get(&t.at("/bundle")).await.done(200);
    // A line that a mirror forged would be said to be the server's.
    let forged = bundle["checkpoint"].as_str().unwrap().replace("deputy.example", "mayor.example");
    bundle["checkpoints"].as_array_mut().unwrap().insert(0, forged.into());
    let with_bundle = |folder: &Path| {
        let mut with_bundle = takeover(&file, folder);
        with_bundle.beyond = Beyond::Bundle(serde_json::from_value(bundle.clone()).unwrap());
        with_bundle.elsewhere.witnesses = vec![witness.url.clone()];
        with_bundle
    };
    let folder = tempfile::tempdir().unwrap();
    let taken = with_bundle(folder.path()).run().await.unwrap();
    assert_eq!(
        taken.newest.map(|(at, _)| at),
        Some(NOW.parse().unwrap()),
        "the last entry of the old machine, not the own one"
    );
    let second = TestServer::open(folder, clock(), 77).await;
    let told = second.get(&t.at("/bundle")).await.done(200);
    let name = witness.vkey.split('+').next().unwrap();
    let kept: Vec<&str> = told["checkpoints"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let of_size = |size: &str| kept.iter().filter(|note| note.lines().nth(1) == Some(size)).count();
    assert_eq!((of_size("3"), of_size("4"), kept.len()), (1, 1, 2), "{told}");
    assert!(kept.iter().all(|note| note.contains(name)) && !told.to_string().contains("mayor"), "{told}");

    server.at("2026-12-05T07:45:00Z").await;
    while !asked.ask(&server.desk).await.unwrap() {}
    let why = with_bundle(tempfile::tempdir().unwrap().path()).run().await.unwrap_err();
    assert!(why.contains("has 5 entries of the log, and here are 4: 1 missing"), "{why}");
}

/// The log that another server signed with the same key, from the same copy, is seen as another history.
#[tokio::test(flavor = "multi_thread")]
async fn a_fork_is_not_taken_for_a_newer_copy() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (stick, fork) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let older = custody_file(&server, stick.path()).await;
    takeover(&older, fork.path()).run().await.unwrap();
    let fork = TestServer::open(fork, clock(), 5).await;
    server.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": "2026-12-06T10:00"})).await.done(200);
    server.at("2026-12-05T07:45:00Z").await;
    let file = custody_file(&server, stick.path()).await;
    let folder = tempfile::tempdir().unwrap();
    let mut asked = takeover(&file, folder.path());
    asked.elsewhere.checkpoints = vec![("kept.txt".into(), checkpoint(&fork).await)];
    let why = asked.run().await.unwrap_err();
    assert!(why.contains("another history"), "{why}");
    assert!(names(folder.path()).is_empty());
    // Whoever kept what the first machine signed after the copy sees it, and sees why it may be.
    let told: Bundle = serde_json::from_value(fork.get(&t.at("/bundle")).await.done(200)).unwrap();
    let kept = vec![checkpoint(&server).await.parse().unwrap()];
    let log_key = Some(server.desk.ledger.vkey().parse().unwrap());
    let report = verify(&told, &Trust { log_key, kept, ..Trust::default() });
    let v2 = report.checks.iter().find(|check| check.id == "V2").unwrap();
    assert_eq!(v2.verdict(), Verdict::Fail, "{report}");
    assert!(v2.to_string().contains("went on from a copy of 3 entries; whatever"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_wrong_leaves_no_server_behind() {
    let server = TestServer::new().await;
    server.kaunas().await;
    let stick = tempfile::tempdir().unwrap();
    let file = custody_file(&server, stick.path()).await;
    let folder = tempfile::tempdir().unwrap();
    let mut asked = takeover(&file, folder.path());
    asked.passphrase = Passphrase::new(Zeroizing::new("another passphrase".into())).unwrap();
    let why = asked.run().await.unwrap_err();
    assert!(why.contains("the passphrase is not the one") && !why.contains("another"), "{why}");

    let whole = fs::read(&file).unwrap();
    let cut = stick.path().join("cut");
    let mut altered = whole.clone();
    altered[150_000] ^= 1;
    for (bytes, expected) in [
        (&whole[..whole.len() - 1], "damaged or cut short"),
        (&whole[..100], "first line of the custody file is damaged"),
        (&altered, "damaged or cut short at chunk 2"),
        (b"SQLite format 3\0", "no custody file"),
    ] {
        fs::write(&cut, bytes).unwrap();
        let why = takeover(&cut, folder.path()).run().await.unwrap_err();
        assert!(why.contains(expected), "{why}");
        assert!(names(folder.path()).is_empty(), "{why}");
    }
    let why = takeover(&file, server.folder.path()).run().await.unwrap_err();
    assert!(why.contains("has a server's files already"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_copied_once_and_a_copy_is_no_change() {
    let server = TestServer::new().await;
    let stick = tempfile::tempdir().unwrap();
    let file = placed(&server, stick.path());
    let mut keeper = keeper(&server, stick.path()).await;
    assert!(keeper.copy_if_changed(&server.desk).await.unwrap());
    let empty = fs::read(&file).unwrap();
    let t = server.kaunas().await;
    assert!(keeper.copy_if_changed(&server.desk).await.unwrap());
    for _ in 0..3 {
        server.tick().await;
        assert!(!keeper.copy_if_changed(&server.desk).await.unwrap());
    }
    // A token is no entry of the log, and still has to be there tomorrow.
    server.token(&t, "deputy").await;
    let before = fs::read(&file).unwrap();
    assert!(keeper.copy_if_changed(&server.desk).await.unwrap());
    let after = fs::read(&file).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    assert_eq!(names(stick.path()), [name.to_owned(), format!("{name}.previous")]);
    assert_eq!(fs::read(stick.path().join(format!("{name}.previous"))).unwrap(), before);
    let line = |file: &[u8]| String::from_utf8_lossy(file).lines().next().unwrap().to_owned();
    assert!(line(&before) != line(&after) && line(&empty) != line(&before), "a fresh nonce for every file");
    let key = fs::read_to_string(server.folder.path().join("draw960.key")).unwrap();
    for plain in [b"SQLite format 3".as_slice(), b"kaunas", key.trim().as_bytes(), PHRASE.as_bytes()] {
        assert!(!after.windows(plain.len()).any(|window| window == plain));
    }
    assert!(!names(server.folder.path()).contains(&"draw960.custody-copy".to_owned()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stick_may_be_missing_come_back_and_be_exchanged() {
    let server = TestServer::new().await;
    let stick = tempfile::tempdir().unwrap();
    let (folder, file) = (stick.path().join("mounted"), placed(&server, &stick.path().join("mounted")));
    let mut keeper = keeper(&server, &folder).await;
    let why = keeper.copy_if_changed(&server.desk).await.unwrap_err();
    assert!(why.contains("is not there") && !folder.exists(), "{why}");
    let t = server.kaunas().await;
    assert!(keeper.copy_if_changed(&server.desk).await.is_err());
    fs::create_dir(&folder).unwrap();
    assert!(keeper.copy_if_changed(&server.desk).await.unwrap());

    // Pulled out, while nothing changes: noticed too.
    fs::rename(&folder, stick.path().join("pocket")).unwrap();
    assert!(keeper.copy_if_changed(&server.desk).await.is_err());
    server.at("2026-12-05T07:45:00Z").await;
    number(&server, &t).await;
    // Another stick, and then the first again, with an old copy and a rest of one.
    fs::create_dir(&folder).unwrap();
    assert!(keeper.copy_if_changed(&server.desk).await.unwrap());
    fs::remove_dir_all(&folder).unwrap();
    fs::rename(stick.path().join("pocket"), &folder).unwrap();
    fs::write(file.with_extension("custody.partial"), "half a copy").unwrap();
    assert!(keeper.copy_if_changed(&server.desk).await.unwrap());
    assert!(!keeper.copy_if_changed(&server.desk).await.unwrap());
    let second = tempfile::tempdir().unwrap();
    assert_eq!(takeover(&file, second.path()).run().await.unwrap().size, 4);
    let previous = tempfile::tempdir().unwrap();
    let kept = file.with_extension("custody.previous");
    assert_eq!(takeover(&kept, previous.path()).run().await.unwrap().size, 3);
}

/// A server that was set back, or an old machine after a takeover, does not replace the copy that knows more.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_longer_log_is_not_replaced() {
    let server = TestServer::new().await;
    server.kaunas().await;
    server.desk.store.close().await;
    let back = tempfile::tempdir().unwrap();
    for file in ["draw960.db", "draw960.key"] {
        fs::copy(server.folder.path().join(file), back.path().join(file)).unwrap();
    }
    let server = server.restart(2).await;
    server.at("2026-12-05T07:45:00Z").await;
    let stick = tempfile::tempdir().unwrap();
    let file = custody_file(&server, stick.path()).await;
    let good = fs::read(&file).unwrap();
    let chance = Arc::new(FixedEntropy::new([3; 32]));
    let back = TestServer::open_accepting(back, clock(), chance, Missing::Accept).await;
    let why = keeper(&back, stick.path()).await.copy_if_changed(&back.desk).await.unwrap_err();
    assert!(why.contains("has 4 entries of this log, and this server 3"), "{why}");
    assert_eq!(fs::read(&file).unwrap(), good);
    // Nor when the log's key was changed since, which this machine cannot know.
    server.desk.change_log_key().await.unwrap();
    let server = server.restart(4).await;
    let file = custody_file(&server, stick.path()).await;
    let good = fs::read(&file).unwrap();
    let why = keeper(&back, stick.path()).await.copy_if_changed(&back.desk).await.unwrap_err();
    assert!(why.contains("has 5 entries of this log, and this server 3"), "{why}");
    assert_eq!(fs::read(&file).unwrap(), good);
    // Nor is one that is as short, or shorter, and went another way.
    for slug in ["alytus-2026", "klaipeda-2026"] {
        back.tournament(slug, json!({}), json!([{"number": 1, "starts_at": "2026-12-05T10:00"}])).await;
    }
    let why = keeper(&back, stick.path()).await.copy_if_changed(&back.desk).await.unwrap_err();
    assert!(why.contains("is of another history of this log, of 5 entries"), "{why}");
    assert_eq!(fs::read(&file).unwrap(), good);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_server_replaces_no_copy() {
    let server = TestServer::new().await;
    server.kaunas().await;
    server.desk.store.close().await;
    let folder = tempfile::tempdir().unwrap();
    for file in ["draw960.db", "draw960.key"] {
        fs::copy(server.folder.path().join(file), folder.path().join(file)).unwrap();
    }
    let halted = TestServer::open(folder, clock(), 3).await;
    let stick = tempfile::tempdir().unwrap();
    assert!(!keeper(&halted, stick.path()).await.copy_if_changed(&halted.desk).await.unwrap());
    assert!(names(stick.path()).is_empty());

    let phrase = tempfile::tempdir().unwrap();
    let phrase = phrase_file(&phrase, PHRASE);
    let target = stick.path().join("copy");
    let data = path(halted.folder.path());
    let done = run(&["backup", "--data", data, "--with-keys", "--passphrase-file", path(&phrase), path(&target)]);
    assert!(!done.status.success() && said(&done).contains("draw960.highwater is missing"), "{}", said(&done));
    assert!(names(stick.path()).is_empty());
}

/// A full stick: a file system of its own, where the tests may mount one.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_stick_keeps_the_copy_it_has() {
    let stick = tempfile::tempdir().unwrap();
    let Some(_mounted) = Mounted::new(stick.path(), "size=768k") else {
        return eprintln!("not tested: mounting a small file system needs root");
    };
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let mut keeper = keeper(&server, stick.path()).await;
    assert!(keeper.copy_if_changed(&server.desk).await.unwrap());
    let file = placed(&server, stick.path());
    let good = fs::read(&file).unwrap();
    let ballast = stick.path().join("holiday.jpg");
    let fill: Vec<u8> = vec![0; 768 * 1024 - good.len() - 8192];
    fs::write(&ballast, fill).unwrap();
    server.at("2026-12-05T07:45:00Z").await;
    for _ in 0..2 {
        let why = keeper.copy_if_changed(&server.desk).await.unwrap_err();
        assert!(why.contains("No space left"), "{why}");
        assert_eq!(fs::read(&file).unwrap(), good);
    }
    number(&server, &t).await;
    fs::remove_file(ballast).unwrap();
    assert!(keeper.copy_if_changed(&server.desk).await.unwrap());
    assert_eq!(takeover(&file, tempfile::tempdir().unwrap().path()).run().await.unwrap().size, 4);
}

/// A small file system in memory, until it is dropped.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: &Path, options: &str) -> Option<Self> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs", path(at)]).output().ok()?;
        mounted.status.success().then(|| Self(at.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l", path(&self.0)]).status();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_makes_a_copy_beside_a_running_server() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (stick, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let phrase = phrase_file(&secret, PHRASE);
    let (data, target) = (path(server.folder.path()), stick.path().join("copy"));
    let arguments = ["backup", "--data", data, "--with-keys", "--passphrase-file", path(&phrase), path(&target)];
    let done = run(&arguments);
    assert!(done.status.success() && !said(&done).contains(PHRASE), "{}", said(&done));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let again = run(&arguments);
    assert!(!again.status.success() && said(&again).contains("a backup never overwrites"), "{}", said(&again));
    let second = stick.path().join("second");
    let done = run(&["backup", "--data", data, "--with-keys", "--passphrase-file", path(&phrase), path(&second)]);
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(names(stick.path()), ["copy", "second"]);

    // The server goes on after the entry that the command wrote, of which there is one.
    server.at("2026-12-05T07:45:00Z").await;
    assert_eq!(server.kinds().await, ["tournament", "round", "order", "export", "release"]);
    let data = stick.path().join("hall2");
    let file = path(&target);
    let wrong = phrase_file(&secret, "another passphrase");
    let done = run(&["takeover", "--data", path(&data), "--passphrase-file", path(&wrong), file]);
    assert!(!done.status.success() && said(&done).contains("the passphrase is not the one"), "{}", said(&done));
    let phrase = phrase_file(&secret, PHRASE);
    let newer = stick.path().join("kept.txt");
    fs::write(&newer, checkpoint(&server).await).unwrap();
    let taken = |more: &[&str]| {
        let arguments = ["takeover", "--data", path(&data), "--passphrase-file", path(&phrase), file];
        run(&[&arguments[..], more].concat())
    };
    let done = taken(&["--checkpoint", path(&newer)]);
    assert!(!done.status.success() && said(&done).contains("1 missing"), "{}", said(&done));
    let done = taken(&[]);
    let text = said(&done);
    for part in ["old machine never serves again", "draw960 serve --data", &server.desk.origin, "from 4 entries"] {
        assert!(done.status.success() && text.contains(part), "{part} is missing: {text}");
    }
    let done = taken(&[]);
    assert!(!done.status.success() && said(&done).contains("has a server's files already"), "{}", said(&done));
    let copied = tempfile::tempdir().unwrap();
    for name in ["draw960.db", "draw960.highwater", "draw960.key"] {
        fs::copy(data.join(name), copied.path().join(name)).unwrap();
    }
    let second = TestServer::open(copied, clock(), 50).await;
    second.at("2026-12-05T07:45:00Z").await;
    assert_eq!(second.kinds().await, ["tournament", "round", "order", "export", "takeover", "release"]);
    assert_eq!(number(&second, &t).await, number(&server, &t).await);
}

#[test]
fn a_passphrase_is_never_asked_for_in_vain() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("file"));
    fs::write(&file, "SQLite format 3").unwrap();
    let done = run(&["takeover", "--data", path(&data), path(&file)]);
    assert!(said(&done).contains("no custody file"), "{}", said(&done));
    let done = run(&["backup", "--data", path(&data), "--passphrase-file", path(&file), path(&file.join("x"))]);
    assert!(said(&done).contains("a passphrase belongs to --with-keys"), "{}", said(&done));
    let done = run(&["backup", "--passphrase", PHRASE, "x"]);
    assert_eq!(done.status.code(), Some(2), "there is no such flag");
}

/// Killed at any moment: no server, and the command can be given again; or a whole one.
#[tokio::test(flavor = "multi_thread")]
async fn a_takeover_killed_at_any_moment_leaves_all_or_nothing() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (stick, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = custody_file(&server, stick.path()).await;
    let phrase = phrase_file(&secret, PHRASE);
    let command = |data: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_draw960"));
        command.args(["takeover", "--data", path(data), "--passphrase-file", path(&phrase), path(&file)]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let whole = stick.path().join("whole");
    let began = Instant::now();
    assert!(command(&whole).status().unwrap().success());
    let takes = began.elapsed();
    let mut cut_short = 0;
    for part in 1..=16 {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let mut child = command(&data).spawn().unwrap();
        tokio::time::sleep(takes * part / 16).await;
        child.kill().unwrap();
        child.wait().unwrap();
        if !data.join("draw960.db").exists() {
            cut_short += 1;
            refuses_to_begin_anew(&data).await;
            assert!(command(&data).status().unwrap().success(), "after {:?}", names(folder.path()));
        }
        let opened = tempfile::tempdir().unwrap();
        for name in ["draw960.db", "draw960.highwater", "draw960.key"] {
            fs::copy(data.join(name), opened.path().join(name)).unwrap();
        }
        let second = TestServer::open(opened, clock(), 50).await;
        assert_eq!(second.kinds().await, ["tournament", "round", "order", "takeover", "export"]);
        second.get_as(&t.at("/tokens"), &t.arbiter).await.done(200);
    }
    assert!(cut_short > 0, "it was always faster");
}

/// What is left of a takeover is not taken for an empty folder.
async fn refuses_to_begin_anew(data: &Path) {
    if data.join(UNDER_WAY).exists() {
        let config = Config { data: data.to_owned(), ..Config::default() };
        let refused = server::open(&config, OpenMode::Create, None).await.err().unwrap();
        assert!(refused.0.contains("was cut short: run draw960 takeover again"), "{refused}");
    }
}

/// Between the moves at the end: each state that a power cut can leave.
#[tokio::test(flavor = "multi_thread")]
async fn a_takeover_cut_short_between_its_last_moves_is_repeated() {
    let server = TestServer::new().await;
    server.kaunas().await;
    let stick = tempfile::tempdir().unwrap();
    let file = custody_file(&server, stick.path()).await;
    for moved in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        takeover(&file, folder.path()).run().await.unwrap();
        let work = folder.path().join(UNDER_WAY);
        fs::create_dir(&work).unwrap();
        for name in ["draw960.key", "draw960.highwater", "draw960.db"].into_iter().skip(moved) {
            fs::rename(folder.path().join(name), work.join(name)).unwrap();
        }
        refuses_to_begin_anew(folder.path()).await;
        fs::remove_file(folder.path().join("draw960.lock")).unwrap();
        assert_eq!(takeover(&file, folder.path()).run().await.unwrap().size, 3, "{moved}");
        assert_eq!(names(folder.path()), ["draw960.db", "draw960.highwater", "draw960.key"]);
    }
}

/// The server as a whole: the log says that secrets leave before they do, and a stop brings what was changed last.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_custody_folder() {
    let (folder, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut config = Config { data: folder.path().join("data"), ..Config::default() };
    let before = Running::start(&config).await;
    before.tournament("before").await;
    before.stop().await;
    config.custody_folder = folder.path().join("stick");
    let refused = server::open(&config, OpenMode::Existing, None).await.err().unwrap();
    assert!(refused.0.contains("custody_folder needs custody_passphrase_file"), "{refused}");
    config.custody_passphrase_file = phrase_file(&secret, "short");
    let refused = server::open(&config, OpenMode::Existing, None).await.err().unwrap();
    assert!(refused.0.contains("at least 12 characters") && !refused.0.contains("short"), "{refused}");
    config.custody_passphrase_file = phrase_file(&secret, PHRASE);

    let server = Running::start(&config).await;
    // The stick comes while the server runs.
    fs::create_dir(&config.custody_folder).unwrap();
    while !names(&config.custody_folder).first().is_some_and(|name| name.ends_with(".custody")) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let log = server.tournament("with").await;
    let metrics = server.client.get("/metrics").await.unwrap().text;
    for metric in ["d960_custody_current ", "d960_custody_last_copy_seconds ", "d960_custody_failures_total "] {
        assert!(metrics.contains(metric), "{metric} is missing:\n{metrics}");
    }
    server.stop().await;
    let said = |entry: &Value| (entry["t"].as_str().unwrap().to_owned(), entry["event"].as_str().unwrap().to_owned());
    let kinds: Vec<_> = log.iter().map(said).collect();
    let expected = [("tournament", "before"), ("export", "before"), ("tournament", "with"), ("export", "with")];
    assert_eq!(kinds, expected.map(|(kind, event)| (kind.to_owned(), event.to_owned())));

    let again = server::open(&config, OpenMode::Existing, None).await.unwrap();
    assert_eq!(again.desk.ledger.published().unwrap().0.size, 4, "said once for each");
    again.desk.store.close().await;
    let file = config.custody_folder.join(&names(&config.custody_folder)[0]);
    let second = tempfile::tempdir().unwrap();
    assert_eq!(takeover(&file, second.path()).run().await.unwrap().size, 4);
}

/// A stick that never answers: a pipe that nobody writes to stands where the copy would be.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_stick_that_hangs_holds_up_neither_requests_nor_the_stop() {
    use std::os::unix::fs::OpenOptionsExt;
    const NONBLOCKING: i32 = 0o4000;
    let (folder, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let config = Config {
        data: folder.path().join("data"),
        custody_folder: folder.path().to_owned(),
        custody_passphrase_file: phrase_file(&secret, PHRASE),
        ..Config::default()
    };
    let first = server::open(&config, OpenMode::Create, None).await.unwrap();
    let digits = first.desk.origin.rsplit('/').next().unwrap().to_owned();
    first.desk.store.close().await;
    drop(first);
    let pipe = folder.path().join(format!("draw960-{digits}.custody"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let server = Running::start(&config).await;
    // It can be opened once the server waits for what it says.
    let mute = loop {
        match fs::OpenOptions::new().write(true).custom_flags(NONBLOCKING).open(&pipe) {
            Ok(opened) => break opened,
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    assert_eq!(server.tournament("with").await.len(), 2);
    let began = Instant::now();
    server.stop().await;
    assert!(began.elapsed() < Duration::from_secs(7), "{:?}", began.elapsed());
    drop(mute);
}

/// A server over TCP until it is stopped.
struct Running {
    client: Client,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

const OPERATOR: &str = "d960_opr_0123456789012345678901234567890123456789";

impl Running {
    async fn start(config: &Config) -> Self {
        let opened = server::open(config, OpenMode::Create, Some(OPERATOR)).await.unwrap();
        let listener = server::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let client = Client::new(listener.local_addr().unwrap());
        let ((stop, stopped), config) = (oneshot::channel::<()>(), config.clone());
        let task =
            tokio::spawn(async move { server::run(&config, opened, listener, async { drop(stopped.await) }).await });
        Self { client, stop, task }
    }

    /// Creates a tournament; answers with the log.
    async fn tournament(&self, slug: &str) -> Vec<Value> {
        let body = json!({"name": "Open", "slug": slug, "time_zone": "UTC"});
        let made = self.client.send("POST", "/api/v1/tournaments", Some(OPERATOR), Some(&body)).await.unwrap();
        assert_eq!(made.status, 201, "{}", made.text);
        let log = self.client.get("/api/v1/log/entries").await.unwrap().json();
        let parse = |leaf: &Value| serde_json::from_str(leaf["entry"].as_str().unwrap()).unwrap();
        log["entries"].as_array().unwrap().iter().map(parse).collect()
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }
}
