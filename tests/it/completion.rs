//! A tournament's master as a sheet, and draws completed from it without the server: what comes out is what the server
//! releases, not a second earlier, and nothing that was not bound by the log.

use crate::support::{TestServer, Tournament, relay::ROUND_123, relay::ROUND_1000};
use draw960::{
    clock::ManualClock,
    domain::{
        log::LogSigner,
        sheet::Sheet,
        verify::{Asked, Bundle, CannotComplete, Trust, complete, verify},
    },
};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const TWO: [(&str, &str); 2] =
    [("2026-12-05T10:00", "2026-12-05T07:45:00Z"), ("2026-12-05T14:00", "2026-12-05T11:45:00Z")];

async fn bundle(server: &TestServer, t: &Tournament) -> Bundle {
    serde_json::from_value(server.get(&t.at("/bundle")).await.done(200)).unwrap()
}

async fn sheet(server: &TestServer, t: &Tournament) -> Sheet {
    server.desk.export_sheet(t.slug()).await.unwrap().reveal().parse().unwrap()
}

fn round(round: u16) -> Asked {
    Asked { round, ..Asked::default() }
}

/// The number, or why there is none.
fn completed(bundle: &Bundle, sheet: &Sheet, asked: &Asked, now: &str) -> Result<u16, String> {
    complete(bundle.clone(), sheet, asked, &Trust::default(), now.parse().unwrap())
        .map(|done| done.start.number().get())
        .map_err(|CannotComplete(why)| why)
}

#[track_caller]
fn refused(bundle: &Bundle, sheet: &Sheet, asked: &Asked, now: &str, why: &str) {
    let said = completed(bundle, sheet, asked, now).unwrap_err();
    assert!(said.contains(why), "{said}");
}

async fn number(server: &TestServer, t: &Tournament, path: &str) -> u16 {
    let position = server.get(&t.at(path)).await.done(200);
    position["number"].as_u64().unwrap().try_into().unwrap()
}

async fn two_rounds(server: &TestServer, policy: Value) -> Tournament {
    let rounds = json!([{"number": 1, "starts_at": TWO[0].0}, {"number": 2, "starts_at": TWO[1].0}]);
    server.tournament("kaunas-2026-open", policy, rounds).await
}

#[tokio::test]
async fn the_sheet_and_the_bundle_give_what_the_server_would_have_given() {
    let server = TestServer::new().await;
    // A pool of three, so that a number skipped as used shows.
    let excluded: Vec<u16> = (3..960).collect();
    let t = two_rounds(&server, json!({"repeats": "never", "excluded": excluded, "small_pool": true})).await;
    let sheet = sheet(&server, &t).await;
    server.desk.ledger.publish(&server.desk.store).await.unwrap();
    let before = bundle(&server, &t).await;
    refused(&before, &sheet, &round(1), "2026-12-05T07:44:59.999Z", "no draw is completed before its release instant");
    let first = completed(&before, &sheet, &round(1), TWO[0].1).unwrap();
    let second = completed(&before, &sheet, &round(2), TWO[1].1).unwrap();
    server.at(TWO[0].1).await;
    assert_eq!(number(&server, &t, "/rounds/1/position").await, first);
    let between = bundle(&server, &t).await;
    assert_eq!(completed(&between, &sheet, &round(2), TWO[1].1), Ok(second));
    refused(&between, &sheet, &round(1), TWO[1].1, &format!("was released as position {first}"));
    server.at(TWO[1].1).await;
    assert_eq!(number(&server, &t, "/rounds/2/position").await, second);
    refused(&before, &sheet, &round(3), TWO[1].1, "no order for round 3");
    refused(&before, &sheet, &round(0), TWO[1].1, "1 to 9999");

    // What is not known is said, with the place where the bundle ends.
    let done = complete(before, &sheet, &round(2), &Trust::default(), TWO[1].1.parse().unwrap()).unwrap();
    let unknown = done.unknown.join("\n");
    assert!(
        unknown.contains("released or voided this draw") && unknown.contains("numbers must not repeat"),
        "{unknown}"
    );
    assert!(unknown.contains("no log key was brought") && done.checked.len() == 5, "{done:?}");
}

#[tokio::test]
async fn what_was_moved_voided_or_postponed_is_completed_as_the_log_has_it() {
    let server = TestServer::new().await;
    let t = two_rounds(&server, json!({})).await;
    let sheet = sheet(&server, &t).await;
    let draw = server.get(&t.at("/rounds/2")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "leaked"})).await.done(200);
    let later = json!({"starts_at": "2026-12-05T10:30", "confirm_release_at": "2026-12-05T08:15:00Z"});
    server.put(&t.at("/rounds/1"), &t.arbiter, later).await.done(200);
    let voided = bundle(&server, &t).await;
    refused(&voided, &sheet, &round(2), TWO[1].1, "was voided, and nothing was ordered after it");
    refused(&voided, &sheet, &round(1), TWO[0].1, "is released at 2026-12-05T08:15:00Z");
    server.post(&t.at("/rounds/2/draws"), &t.arbiter, json!({})).await.done(201);
    let first = completed(&voided, &sheet, &round(1), "2026-12-05T08:15:00Z").unwrap();
    let second = completed(&bundle(&server, &t).await, &sheet, &round(2), TWO[1].1).unwrap();
    server.at("2026-12-05T08:15:00Z").await;
    server.at(TWO[1].1).await;
    assert_eq!(number(&server, &t, "/rounds/1/position").await, first);
    assert_eq!(number(&server, &t, "/rounds/2/position").await, second);

    let t = server.tournament("riga-2026", json!({}), json!([{"number": 1, "starts_at": "2026-12-06T10:00"}])).await;
    let sheet = self::sheet(&server, &t).await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": null})).await.done(200);
    refused(&bundle(&server, &t).await, &sheet, &round(1), "2026-12-07T00:00:00Z", "postponed without a date");
}

#[tokio::test]
async fn boards_and_blocks_are_found() {
    let server = TestServer::new().await;
    let policy =
        json!({"scope": "board", "repeats": "never", "excluded": (5..960).collect::<Vec<u16>>(), "small_pool": true});
    let rounds = json!([{"number": 1, "starts_at": TWO[0].0, "boards": 3}]);
    let t = server.tournament("kaunas-2026-open", policy, rounds).await;
    let own = sheet(&server, &t).await;
    let blocks = server
        .tournament(
            "minis-2026",
            json!({"rounds_per_draw": 2}),
            json!([{"number": 1, "starts_at": TWO[0].0},
        {"number": 2, "starts_at": TWO[1].0}]),
        )
        .await;
    let of_blocks = sheet(&server, &blocks).await;
    let before = bundle(&server, &t).await;
    refused(&before, &own, &round(1), TWO[0].1, "name one with --board");
    refused(&before, &own, &Asked { board: Some(4), ..round(1) }, TWO[0].1, "no draw of its own for board 4");
    let boards = [1, 2, 3].map(|board| completed(&before, &own, &Asked { board: Some(board), ..round(1) }, TWO[0].1));
    let mini = completed(&bundle(&server, &blocks).await, &of_blocks, &round(2), TWO[0].1).unwrap();
    server.at(TWO[0].1).await;
    for (board, number) in (1..).zip(boards) {
        assert_eq!(
            number,
            Ok(self::number(&server, &t, &format!("/rounds/1/boards/{board}/position")).await),
            "{board}"
        );
    }
    assert_eq!(self::number(&server, &blocks, "/rounds/2/position").await, mini);
}

/// A championship whose round waits for beacon round 123, and its sheet.
async fn championship() -> (TestServer, Tournament, Sheet) {
    let clock = ManualClock::new("2023-08-23T12:00:00Z".parse().unwrap());
    let server = TestServer::open(tempfile::tempdir().unwrap(), clock, 1).await;
    let policy = json!({"entropy": "drand", "entropy_fallback": ["dice"]});
    let rounds = json!([{"number": 1, "starts_at": "2023-08-23T15:31:03Z"}]);
    let t = server.tournament("kaunas-2023-open", policy, rounds).await;
    let sheet = sheet(&server, &t).await;
    (server, t, sheet)
}

const RELEASE: &str = "2023-08-23T15:16:03Z";

fn with_beacon(value: &str) -> Asked {
    Asked { beacons: vec![value.to_owned()], ..round(1) }
}

#[tokio::test]
async fn the_beacon_proves_itself_wherever_it_comes_from() {
    let (server, t, sheet) = championship().await;
    let before = bundle(&server, &t).await;
    refused(&before, &sheet, &round(1), RELEASE, "waits for beacon round 123: bring its value with --beacon");
    for wrong in [ROUND_1000, "", "hello"] {
        refused(&before, &sheet, &with_beacon(wrong), RELEASE, "waits for beacon round 123: ");
    }
    refused(&before, &sheet, &with_beacon(ROUND_123), "2023-08-23T15:16:02Z", "before its release instant");
    let brought = completed(&before, &sheet, &with_beacon(ROUND_123), RELEASE).unwrap();
    let several = Asked { beacons: vec![ROUND_1000.into(), ROUND_123.into()], ..round(1) };
    assert_eq!(completed(&before, &sheet, &several, RELEASE), Ok(brought));
    let body = json!({"round": 123, "signature": ROUND_123});
    server.at("2023-08-23T15:15:40Z").await;
    server.post(&t.at("/rounds/1/beacon"), "", body).await.done(200);
    assert_eq!(completed(&bundle(&server, &t).await, &sheet, &round(1), RELEASE), Ok(brought));
    server.at(RELEASE).await;
    assert_eq!(number(&server, &t, "/rounds/1/position").await, brought);
}

#[tokio::test]
async fn dice_are_those_of_the_log_or_the_word_of_whoever_brings_them() {
    let (server, t, sheet) = championship().await;
    let draw = server.get(&t.at("/rounds/1")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "beacon-unavailable"});
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.done(200);
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({"entropy": "dice"})).await.done(201);
    let thrown = |digits: &str| Asked { dice: Some(digits.to_owned()), ..round(1) };
    let (dice, other) = ("63454660390103169462", "63454660390103169463");
    let before = bundle(&server, &t).await;
    refused(&before, &sheet, &round(1), RELEASE, "waits for dice");
    refused(&before, &sheet, &thrown("6345"), RELEASE, "20 digits");
    let brought = completed(&before, &sheet, &thrown(dice), RELEASE).unwrap();
    let deputy = server.token(&t, "deputy").await.1;
    server.post(&t.at("/rounds/1/dice"), &t.arbiter, json!({"digits": dice})).await.done(200);
    let once = bundle(&server, &t).await;
    refused(&once, &sheet, &thrown(other), RELEASE, "a post of other dice");
    let done = complete(once, &sheet, &thrown(dice), &Trust::default(), RELEASE.parse().unwrap()).unwrap();
    assert!(done.unknown.iter().any(|line| line.contains("whether the dice fell so")), "{done:?}");
    server.post(&t.at("/rounds/1/dice"), &deputy, json!({"digits": dice})).await.done(200);
    let confirmed = bundle(&server, &t).await;
    refused(&confirmed, &sheet, &thrown(other), RELEASE, "the log has other dice");
    assert_eq!(completed(&confirmed, &sheet, &round(1), RELEASE), Ok(brought));
    server.at(RELEASE).await;
    assert_eq!(number(&server, &t, "/rounds/1/position").await, brought);
}

#[tokio::test]
async fn a_wrong_sheet_and_an_altered_bundle_complete_nothing() {
    let server = TestServer::new().await;
    let t = two_rounds(&server, json!({})).await;
    let other = server.tournament("riga-2026", json!({}), json!([])).await;
    let (own, foreign) = (sheet(&server, &t).await, sheet(&server, &other).await);
    let honest = bundle(&server, &t).await;
    let forged =
        Sheet { tournament: own.tournament.clone(), origin: own.origin.clone(), master: foreign.master.clone() };
    refused(&honest, &forged, &round(1), TWO[0].1, "not the master that the tournament was created with");
    let elsewhere = Sheet { origin: "draw960.local/00000000".into(), ..own };
    refused(&honest, &elsewhere, &round(1), TWO[0].1, "the sheet is of the log");
    let own = sheet(&server, &t).await;
    let mut rewritten = honest.clone();
    for entry in &mut rewritten.entries {
        *entry = entry.replace("\"release_at\":", "\"release_at\":1");
    }
    refused(&rewritten, &own, &round(1), TWO[0].1, "the bundle cannot be relied on");
    let mut cut = honest.clone();
    cut.entries.pop();
    refused(&cut, &own, &round(1), TWO[0].1, "the bundle cannot be relied on");
    let stranger = LogSigner::from_seed(&honest.origin, &[7; 32]).unwrap().verifier();
    let trust = Trust { log_key: Some(stranger), ..Trust::default() };
    let CannotComplete(why) = complete(honest, &own, &round(1), &trust, TWO[0].1.parse().unwrap()).unwrap_err();
    assert!(why.contains("not the pinned one"), "{why}");
    let by_hand = server.get(&t.at("/rounds/2")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    server
        .post(&format!("/api/v1/draws/{by_hand}/void"), &t.arbiter, json!({"reason": "organiser-decision"}))
        .await
        .done(200);
    let order = json!({"method": "manual", "procedure": "d6"});
    server.post(&t.at("/rounds/2/draws"), &t.arbiter, order).await.done(201);
    refused(&bundle(&server, &t).await, &own, &round(2), TWO[1].1, "is drawn by hand");
}

fn run(command: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_draw960")).arg(command).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap()
}

fn export(server: &TestServer, slug: &str, file: &Path) -> Output {
    run("export", &["--data", server.folder.path().to_str().unwrap(), "--tournament", slug, file.to_str().unwrap()])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sheet_is_exported_beside_the_server_and_completes_its_draw() {
    let (server, t, _) = championship().await;
    let size = server.log().await.len();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kaunas.sheet");
    let done = export(&server, t.slug(), &file);
    assert!(done.status.success(), "{}", said(&done));
    let text = fs::read_to_string(&file).unwrap();
    assert!(!said(&done).contains(text.lines().find(|line| line.starts_with("1  ")).unwrap()));
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions()) & 0o777, 0o600);
    let entry = server.entries().await.pop().unwrap();
    assert_eq!(
        json!([entry["t"], entry["to"], entry["event"], entry["by"]]),
        json!(["export", "sheet", t.slug(), "server"])
    );
    // Neither a second time to the same file, nor of a tournament that there is not: the log is as it was.
    for (slug, place, why) in
        [(t.slug(), "kaunas.sheet", "never overwrites"), ("riga-2026", "riga.sheet", "no tournament")]
    {
        let refused = export(&server, slug, &folder.path().join(place));
        assert!(refused.status.code() == Some(1) && said(&refused).contains(why), "{}", said(&refused));
    }
    assert_eq!((server.log().await.len(), fs::read_dir(folder.path()).unwrap().count()), (size + 1, 1));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);

    // The running server goes on from there.
    server.at("2023-08-23T15:15:40Z").await;
    let body = json!({"round": 123, "signature": ROUND_123});
    server.post(&t.at("/rounds/1/beacon"), "", body).await.done(200);
    let place = folder.path().join("bundle.json");
    fs::write(&place, server.get(&t.at("/bundle")).await.text()).unwrap();
    let bring = ["--sheet", file.to_str().unwrap(), "--bundle", place.to_str().unwrap(), "--round", "1"];
    let done = run("complete", &bring);
    assert!(done.status.success(), "{}", said(&done));
    server.at(RELEASE).await;
    let number = number(&server, &t, "/rounds/1/position").await;
    assert!(said(&done).contains(&format!("\nposition number  {number}\n")), "{}", said(&done));
    assert!(said(&done).contains("cannot be known here\n"), "{}", said(&done));
    fs::write(&file, text.replacen("\n2  ", "\n2  0", 1)).unwrap();
    let slip = run("complete", &bring);
    assert!(slip.status.code() == Some(1) && said(&slip).contains("row 2 is not 16"), "{}", said(&slip));

    server.post(&t.at("/close"), &t.arbiter, json!({})).await.done(200);
    let ended = export(&server, t.slug(), &folder.path().join("late.sheet"));
    assert!(ended.status.code() == Some(1) && said(&ended).contains("its master is public"), "{}", said(&ended));
    assert!(!folder.path().join("late.sheet").exists());
}

/// The clock of the machine counts, not a word on the command line.
#[tokio::test(flavor = "multi_thread")]
async fn the_command_completes_nothing_before_its_time() {
    let clock = ManualClock::new("2098-12-05T06:00:00Z".parse().unwrap());
    let server = TestServer::open(tempfile::tempdir().unwrap(), clock, 1).await;
    let t =
        server.tournament("kaunas-2099-open", json!({}), json!([{"number": 1, "starts_at": "2099-12-05T10:00"}])).await;
    let sheet = sheet(&server, &t).await;
    let (file, place) = (server.folder.path().join("a.sheet"), server.folder.path().join("bundle.json"));
    fs::write(&file, sheet.reveal().as_bytes()).unwrap();
    fs::write(&place, server.get(&t.at("/bundle")).await.text()).unwrap();
    let bring = ["--sheet", file.to_str().unwrap(), "--bundle", place.to_str().unwrap(), "--round", "1"];
    let early = run("complete", &bring);
    assert!(early.status.code() == Some(1) && said(&early).contains("before its release instant"), "{}", said(&early));
}

/// A log that its server would not go on with is not written to by a command beside it.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_log_takes_no_export() {
    let server = TestServer::new().await;
    let t = two_rounds(&server, json!({})).await;
    let size = server.log().await.len();
    fs::remove_file(server.folder.path().join("draw960.highwater")).unwrap();
    let file = server.folder.path().join("a.sheet");
    let refused = export(&server, t.slug(), &file);
    assert!(
        refused.status.code() == Some(1) && said(&refused).contains("draw960.highwater is missing"),
        "{}",
        said(&refused)
    );
    assert_eq!((server.log().await.len(), file.exists()), (size, false));
}

#[tokio::test]
async fn every_draw_released_since_says_that_the_master_had_left() {
    let server = TestServer::new().await;
    let t = two_rounds(&server, json!({})).await;
    server.at(TWO[0].1).await;
    server.clock.set("2026-12-05T09:00:00Z".parse().unwrap());
    sheet(&server, &t).await;
    server.clock.set("2026-12-05T09:30:00Z".parse().unwrap());
    sheet(&server, &t).await;
    let other = server.tournament("riga-2026", json!({}), json!([{"number": 1, "starts_at": TWO[1].0}])).await;
    let sealed = server.get(&t.at("/rounds/2")).await.done(200);
    assert_eq!(sealed["draws"][0]["master_exported_at"], "2026-12-05T09:00:00Z");
    // The answer to an order says it at once, and the same as ever after.
    let void = json!({"reason": "wrong-entry"});
    let path = format!("/api/v1/draws/{}/void", sealed["draws"][0]["id"].as_str().unwrap());
    server.post(&path, &t.arbiter, void).await.done(200);
    let order = server.post_keyed(&t.at("/rounds/2/draws"), &t.arbiter, "again", json!({})).await;
    assert_eq!(order.done(201)["master_exported_at"], "2026-12-05T09:00:00Z");
    let repeated = server.post_keyed(&t.at("/rounds/2/draws"), &t.arbiter, "again", json!({})).await;
    assert_eq!((repeated.text(), server.get(order.header("location")).await.done(200)), (order.text(), order.json()));
    server.at(TWO[1].1).await;
    let exported = async |t: &Tournament, round: u16| {
        let position = server.get(&t.at(&format!("/rounds/{round}/position"))).await.done(200);
        let draw = server.get(&format!("/api/v1/draws/{}", position["draw"]["id"].as_str().unwrap())).await.done(200);
        assert_eq!(position.get("master_exported_at"), draw.get("master_exported_at"));
        position.get("master_exported_at").cloned()
    };
    assert_eq!(exported(&t, 1).await, None, "released before");
    assert_eq!(exported(&t, 2).await, Some(json!("2026-12-05T09:00:00Z")));
    assert_eq!(exported(&other, 1).await, None, "another tournament's");
    let report = verify(&bundle(&server, &t).await, &Trust::default());
    let told: Vec<&String> =
        report.checks[9].remarks.iter().filter(|remark| remark.contains("the master left")).collect();
    assert!(told.len() == 1 && told[0].ends_with("there are 2, the first round 2 attempt 1"), "{told:?}");
    assert!(report.checks[3..].iter().all(|check| check.faults.is_empty()), "{report}");
}
