//! Which times of a record are proven: by a real beacon round and a witness, shown by the server and by the verifier.

use crate::support::{TestServer, Tournament, relay::ROUND_123, witness::Running};
use draw960::{
    clock::ManualClock,
    cosign::Asked,
    domain::{
        beacon::QUICKNET,
        log::LogKey,
        verify::{Bundle, Report, Trust, Verdict, verify},
    },
};
use serde_json::{Value, json};

/// Beacon round 123 belongs to this start and fires here.
const START: &str = "2023-08-23T15:31:03Z";
const FIRED: &str = "2023-08-23T15:15:33Z";
const RELEASE: &str = "2023-08-23T15:16:03Z";

async fn championship() -> (TestServer, Tournament) {
    let clock = ManualClock::new("2023-08-23T12:00:00Z".parse().unwrap());
    let server = TestServer::open(tempfile::tempdir().unwrap(), clock, 1).await;
    let policy = json!({"entropy": "drand", "entropy_fallback": ["dice"], "repeats": "never"});
    let t = server.tournament("kaunas-2023-open", policy, json!([{"number": 1, "starts_at": START}])).await;
    (server, t)
}

async fn beacon_comes(server: &TestServer, t: &Tournament) {
    let body = json!({"round": 123, "signature": ROUND_123});
    server.post(&t.at("/rounds/1/beacon"), "", body).await.done(200);
}

async fn draw(server: &TestServer, t: &Tournament) -> Value {
    server.get(&t.at("/rounds/1")).await.done(200)["draws"][0].clone()
}

async fn key(server: &TestServer) -> LogKey {
    server.get("/api/v1/log/vkey").await.text().trim_end().parse().unwrap()
}

/// What an offline verifier says who trusts this witness, or none.
async fn report(server: &TestServer, t: &Tournament, witness: Option<&Running>) -> Report {
    let bundle: Bundle = serde_json::from_value(server.get(&t.at("/bundle")).await.done(200)).unwrap();
    let witnesses = witness.iter().map(|witness| witness.vkey.parse().unwrap()).collect();
    verify(&bundle, &Trust { log_key: Some(key(server).await), witnesses, kept: Vec::new() })
}

fn witness_name(witness: &Running) -> &str {
    witness.vkey.split('+').next().unwrap()
}

fn times(bracket: &Value) -> Value {
    json!([bracket["not_before"]["at"], bracket["not_after"]["at"], bracket["proven"], bracket["clock_contradicts"]])
}

/// The whole life of a beacon draw; the witness's clock is right, like the server's.
#[tokio::test(flavor = "multi_thread")]
async fn every_record_says_which_of_its_times_are_proven() {
    let (server, t) = championship().await;
    let folder = tempfile::tempdir().unwrap();
    let witness = Running::start(folder.path(), vec![key(&server).await], server.clock.clone());
    let mut asked = Asked::new(&witness.url).unwrap();
    let ordered = draw(&server, &t).await;
    assert_eq!(ordered["bracket"]["at"], ordered["ordered_at"]);
    assert_eq!(times(&ordered["bracket"]), json!([null, null, "none", false]));
    server.clock.set("2023-08-23T12:00:02Z".parse().unwrap());
    assert!(asked.ask(&server.desk).await.unwrap());
    let seen = json!({"at": "2023-08-23T12:00:02Z", "witness": witness_name(&witness), "size": 3});
    assert_eq!(draw(&server, &t).await["bracket"]["not_after"], seen);

    server.at("2023-08-23T15:15:34Z").await;
    beacon_comes(&server, &t).await;
    let ready = draw(&server, &t).await;
    let fired = json!({"at": FIRED, "chain": QUICKNET.hash, "round": 123, "entry": ready["arrived"]["entry"]});
    assert_eq!(ready["arrived"]["bracket"]["not_before"], fired);
    assert_eq!(times(&ready["arrived"]["bracket"]), json!([FIRED, null, "not_before", false]));
    // What was recorded before the beacon is not bounded by it.
    assert_eq!(times(&ready["bracket"]), json!([null, "2023-08-23T12:00:02Z", "not_after", false]));

    server.at(RELEASE).await;
    assert_eq!(times(&draw(&server, &t).await["release"]["bracket"]), json!([FIRED, null, "not_before", false]));
    let position = server.get(&t.at("/rounds/1/position")).await;
    server.clock.set("2023-08-23T15:16:05Z".parse().unwrap());
    assert!(asked.ask(&server.desk).await.unwrap());
    let released = draw(&server, &t).await;
    let both = json!([FIRED, "2023-08-23T15:16:05Z", "both", false]);
    assert_eq!(times(&released["release"]["bracket"]), both);
    assert_eq!(times(&released["arrived"]["bracket"]), both);
    // The position keeps its size; its tag changes exactly with its bytes.
    let cosigned = server.get(&t.at("/rounds/1/position")).await;
    assert!(!cosigned.text().contains("bracket"));
    assert_ne!((position.header("etag"), &position.bytes), (cosigned.header("etag"), &cosigned.bytes));
    assert_eq!(position.header("etag") == cosigned.header("etag"), position.bytes == cosigned.bytes);

    let path = format!("/api/v1/draws/{}", released["id"].as_str().unwrap());
    let void = json!({"reason": "leaked"});
    let voided = server.post(&format!("{path}/void"), &t.arbiter, void).await.done(200);
    assert_eq!(times(&voided["void"]["bracket"]), json!([FIRED, null, "not_before", false]));

    // The same after a restart, and from the bundle alone.
    let server = server.restart(2).await;
    let again = server.get(&path).await.done(200);
    assert_eq!((&again["bracket"], &again["release"]), (&released["bracket"], &released["release"]));
    let trusting = report(&server, &t, Some(&witness)).await;
    assert_eq!(serde_json::to_value(&trusting.draws[0].order).unwrap(), released["bracket"]);
    assert_eq!(serde_json::to_value(&trusting.draws[0].release).unwrap(), released["release"]["bracket"]);
    let alone = serde_json::to_value(report(&server, &t, None).await.draws).unwrap();
    assert_eq!(times(&alone[0]["order"]), json!([null, null, "none", false]));
    assert_eq!(times(&alone[0]["release"]), json!([FIRED, null, "not_before", false]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dossier_tells_a_committee_what_is_proven() {
    let (server, t) = championship().await;
    let folder = tempfile::tempdir().unwrap();
    let witness = Running::start(folder.path(), vec![key(&server).await], server.clock.clone());
    server.at("2023-08-23T15:15:34Z").await;
    beacon_comes(&server, &t).await;
    server.at(RELEASE).await;
    assert!(Asked::new(&witness.url).unwrap().ask(&server.desk).await.unwrap());
    server.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": "2023-08-24T12:00:00Z"})).await.done(200);
    server.get(&t.at("/rounds/2/history")).await.done(200);

    let events = server.get(&t.at("/rounds/1/history")).await.done(200)["events"].clone();
    let of = |kind: &str| events.as_array().unwrap().iter().find(|event| event["kind"] == kind).unwrap().clone();
    assert_eq!(times(&of("order")["bracket"]), json!([null, RELEASE, "not_after", false]));
    assert_eq!(times(&of("release")["bracket"]), json!([FIRED, RELEASE, "both", false]));
    assert_eq!(
        json!([of("release")["not_before_local"], of("release")["not_after_local"], of("order")["not_before_local"]]),
        json!(["2023-08-23T18:15:33+03:00", "2023-08-23T18:16:03+03:00", null])
    );
    let page = server.get(&t.at("/rounds/1/history.html")).await.text();
    for part in ["not before 2023-08-23T18:15:33+03:00", FIRED, "not after 2023-08-23T18:16:03+03:00", "deputy.example"]
    {
        assert!(page.contains(part), "{part} is missing:\n{page}");
    }
    let later = server.get(&t.at("/rounds/2/history.html")).await.text();
    assert!(later.contains("not before 2023-08-23T18:15:33+03:00"), "{later}");
    let csv = server.get(&t.at("/rounds/1/history.csv")).await.text();
    let end = format!(",{FIRED},2023-08-23T18:15:33+03:00,{RELEASE},2023-08-23T18:16:03+03:00,both,\n");
    assert!(csv.contains(&end), "{csv}");
}

/// A server whose clock is slow takes the beacon before it can have fired: the record says so, the verifier too.
#[tokio::test]
async fn a_clock_that_contradicts_the_beacon_is_told() {
    for (at, slow, expected) in [
        ("2023-08-23T15:15:28Z", 5, Verdict::Pass),
        ("2023-08-23T15:14:33Z", 60, Verdict::Pass),
        ("2023-08-23T15:14:32Z", 61, Verdict::Fail),
    ] {
        let (server, t) = championship().await;
        server.at(at).await;
        beacon_comes(&server, &t).await;
        let arrived = draw(&server, &t).await["arrived"]["bracket"].clone();
        assert_eq!(times(&arrived), json!([FIRED, null, "not_before", slow > 5]));
        let said = format!("the server's clock was at least {slow} s slow");
        assert_eq!(arrived["remark"].as_str().is_some_and(|remark| remark.contains(&said)), slow > 5, "{arrived}");
        let report = report(&server, &t, None).await;
        assert_eq!(report.checks[3].verdict(), expected, "{report}");
        assert_eq!(report.to_string().contains(&said), slow > 5, "{report}");
        let page = server.get(&t.at("/rounds/1/history.html")).await.text();
        assert_eq!(page.contains("Clocks differ"), slow > 5, "{page}");
    }
}
