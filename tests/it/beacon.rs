//! Draws by the server's secret and a round of the drand beacon, with two real rounds and a relay on this machine.

use crate::support::{
    TestServer, Tournament, evidence,
    relay::{ROUND_123, ROUND_1000, Relay, answer},
};
use draw960::{
    clock::ManualClock,
    desk::Relays,
    domain::{
        beacon::QUICKNET,
        derivation::{EntropyLine, Repeats, SlotSecret, Terms, commitment, number, seed},
        number_set::NumberSet,
        verify::{BUNDLE_FORMAT, Bundle, Trust, Verdict, verify},
    },
    entropy::FixedEntropy,
    relays::{Memory, pass, pass_abandoned},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Long before everything.
const MORNING: &str = "2023-08-23T12:00:00Z";
/// Beacon round 123 is current 30 s before the release that belongs to this start; it fires at 15:15:33.
const START: &str = "2023-08-23T15:31:03Z";
const RELEASE: &str = "2023-08-23T15:16:03Z";

async fn server(hosts: &[String]) -> TestServer {
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::new(MORNING.parse().unwrap()));
    let chance = Arc::new(FixedEntropy::new([1; 32]));
    TestServer::open_with_relays(folder, clock, chance, Relays::new(hosts.to_vec())).await
}

/// A server with one relay, and a championship whose round names beacon round 123.
async fn championship() -> (TestServer, Relay, Tournament) {
    let (relay, host) = Relay::start().await;
    let server = server(&[host]).await;
    let t = open(&server, START).await;
    (server, relay, t)
}

async fn open(server: &TestServer, start: &str) -> Tournament {
    let body = json!({"name": "Kaunas Open", "slug": "kaunas-2023-open", "time_zone": "Europe/Vilnius",
        "preset": "championship", "rounds": [{"number": 1, "starts_at": start}]});
    let made = server.post("/api/v1/tournaments", &server.operator, body).await.done(201);
    let token = |role: &str| made["tokens"][role].as_str().unwrap().to_owned();
    Tournament {
        path: "/api/v1/tournaments/kaunas-2023-open".into(),
        arbiter: token("arbiter"),
        pairing: token("pairing"),
        board: token("board"),
        auditor: token("auditor"),
    }
}

async fn round(server: &TestServer, t: &Tournament) -> Value {
    server.get(&t.at("/rounds/1")).await.done(200)
}

async fn post(server: &TestServer, t: &Tournament, round: u64, signature: &str) -> crate::support::Answer {
    server.post(&t.at("/rounds/1/beacon"), "", json!({"round": round, "signature": signature})).await
}

async fn move_to(server: &TestServer, t: &Tournament, start: &str) -> Value {
    let release = (start.parse::<jiff::Timestamp>().unwrap() - jiff::SignedDuration::from_mins(15)).to_string();
    let body = json!({"starts_at": start, "confirm_release_at": release, "release_now": true});
    server.put(&t.at("/rounds/1"), &t.arbiter, body).await.done(200)
}

fn beacon_round(draw: &Value) -> u64 {
    draw["sources"][0].as_str().unwrap().rsplit(' ').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn an_order_names_its_beacon_round_and_is_released_with_it() {
    let (server, relay, t) = championship().await;
    let ordered = round(&server, &t).await;
    let draw = &ordered["draws"][0];
    assert_eq!(draw["sources"], json!([format!("drand {} 123", QUICKNET.hash)]));
    assert_eq!(
        json!([ordered["state"], draw["grade"], draw["knowable_since"], ordered["entropy_due_at"]]),
        json!(["awaiting_entropy", "A", "2023-08-23T15:15:33Z", "2023-08-23T15:15:33Z"])
    );
    let beacon = &ordered["beacon"];
    assert_eq!(json!([beacon["round"], beacon["arrived"]]), json!([123, false]));
    assert!(beacon["urls"][0].as_str().unwrap().ends_with(&format!("/{}/public/123", QUICKNET.hash)));
    let code = server.get(beacon["qr"].as_str().unwrap()).await;
    assert_eq!((code.status.as_u16(), code.header("content-type")), (200, "image/svg+xml"));
    assert!(code.text().contains("<svg"));

    relay.gives(123, answer(123, ROUND_123));
    let mut memory = Memory::default();
    for early in [MORNING, "2023-08-23T15:15:33Z", "2023-08-23T15:15:33.999Z"] {
        server.at(early).await;
        pass(&server.desk, &mut memory).await.unwrap();
        assert_eq!(relay.asked(123), 0, "asked before its time: {early}");
    }
    server.at("2023-08-23T15:15:34Z").await;
    pass(&server.desk, &mut memory).await.unwrap();
    let ready = round(&server, &t).await;
    assert_eq!(json!([ready["state"], ready["beacon"]["arrived"]]), json!(["sealed", true]));
    assert_eq!(ready.get("entropy_due_at"), None);

    server.at("2023-08-23T15:16:02Z").await;
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.at(RELEASE).await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    evidence::check(&position);
    assert_eq!(json!([position["grade"], position["draw"]["entropy"]]), json!(["A", [format!("drand {ROUND_123}")]]));
    assert_eq!(round(&server, &t).await["draws"][0]["release"]["knowable_for_s"], 30);
    let kinds = server.kinds().await;
    assert_eq!(kinds[kinds.len() - 3..], ["order", "entropy", "release"]);
    pass(&server.desk, &mut memory).await.unwrap();
    assert!(relay.paths().iter().all(|path| !path.contains("latest")), "{:?}", relay.paths());
    assert_eq!(relay.asked(123), 1);
}

/// A relay that answers for another round, with a bad signature, with a page or not at all changes nothing; the first one
/// that proves itself does.
#[tokio::test]
async fn only_the_value_of_the_round_counts() {
    let bad = [
        answer(124, ROUND_123),
        answer(123, ROUND_1000),
        answer(1000, ROUND_1000),
        answer(123, &ROUND_123.replacen('b', "9", 1)),
        "<html>captive portal</html>".into(),
        String::new(),
    ];
    let (mut relays, mut hosts) = (Vec::new(), vec!["http://127.0.0.1:9".to_owned()]);
    for answer in bad {
        let (relay, host) = Relay::start().await;
        relay.gives(123, answer);
        relays.push(relay);
        hosts.push(host);
    }
    let server = server(&hosts).await;
    let t = open(&server, START).await;
    let size = server.log().await.len();
    let mut memory = Memory::default();
    server.at("2023-08-23T15:15:34Z").await;
    pass(&server.desk, &mut memory).await.unwrap();
    assert_eq!(round(&server, &t).await["state"], "awaiting_entropy");
    assert_eq!(server.log().await.len(), size);
    assert!(relays.iter().all(|relay| relay.asked(123) == 1));

    // Tried again after a second, not at once.
    relays[0].gives(123, answer(123, ROUND_123));
    pass(&server.desk, &mut memory).await.unwrap();
    assert_eq!(round(&server, &t).await["state"], "awaiting_entropy");
    server.at("2023-08-23T15:15:35Z").await;
    pass(&server.desk, &mut memory).await.unwrap();
    assert_eq!(round(&server, &t).await["state"], "sealed");
}

#[tokio::test]
async fn without_any_relay_anybody_brings_the_beacon() {
    let server = server(&["http://127.0.0.1:9".to_owned()]).await;
    let t = open(&server, START).await;
    server.at("2023-08-23T15:15:34Z").await;
    pass(&server.desk, &mut Memory::default()).await.unwrap();
    let size = server.log().await.len();
    for (round, signature, status, code) in [
        (1000, ROUND_1000, 409, "entropy-not-awaited"),
        (124, ROUND_123, 409, "entropy-not-awaited"),
        (123, ROUND_1000, 422, "beacon-invalid"),
        (123, "", 422, "beacon-invalid"),
        (123, &ROUND_123.to_uppercase(), 422, "beacon-invalid"),
    ] {
        post(&server, &t, round, signature).await.refused(status, code);
    }
    assert_eq!((server.log().await.len(), &round(&server, &t).await["state"]), (size, &json!("awaiting_entropy")));
    // As a relay shows it on a phone.
    let pasted: Value = serde_json::from_str(&answer(123, ROUND_123)).unwrap();
    assert_eq!(server.post(&t.at("/rounds/1/beacon"), "", pasted).await.done(200)["state"], "sealed");
    post(&server, &t, 123, ROUND_123).await.done(200);
    assert_eq!(server.log().await.len(), size + 1);
    server.at(RELEASE).await;
    evidence::check(&server.get(&t.at("/rounds/1/position")).await.done(200));
}

#[tokio::test]
async fn a_late_beacon_releases_at_once_and_one_too_late_waits_for_the_arbiter() {
    let (server, _, t) = championship().await;
    server.at("2023-08-23T15:20:00Z").await;
    assert_eq!(round(&server, &t).await["state"], "awaiting_entropy");
    post(&server, &t, 123, ROUND_123).await.done(200);
    server.tick().await;
    assert_eq!(server.get(&t.at("/rounds/1/position")).await.done(200)["drawn_at"], "2023-08-23T15:20:00Z");

    let (server, _, t) = championship().await;
    server.at("2023-08-23T15:21:04Z").await;
    assert_eq!(round(&server, &t).await["state"], "overdue");
    server.post(&t.at("/rounds/1/release"), &t.arbiter, json!({})).await.refused(409, "entropy-awaited");
    post(&server, &t, 123, ROUND_123).await.done(200);
    server.tick().await;
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.post(&t.at("/rounds/1/release"), &t.arbiter, json!({})).await.done(200);
    evidence::check(&server.get(&t.at("/rounds/1/position")).await.done(200));
}

#[tokio::test]
async fn a_short_move_keeps_the_beacon_round_and_a_long_one_is_rescheduled() {
    let (server, _, t) = championship().await;
    for start in ["2023-08-23T16:31:03Z", "2023-08-23T16:01:03Z", START] {
        let moved = move_to(&server, &t, start).await;
        assert_eq!((moved["draws"].as_array().unwrap().len(), beacon_round(&moved["draws"][0])), (1, 123), "{start}");
    }
    // An hour and a second later, and then earlier than that beacon round fires.
    for (start, attempt) in [("2023-08-23T16:31:04Z", 2), (START, 3)] {
        let moved = move_to(&server, &t, start).await;
        let draws = moved["draws"].as_array().unwrap();
        let (old, new) = (&draws[draws.len() - 2], &draws[draws.len() - 1]);
        assert_eq!(json!([old["void"]["reason"], old["void"]["rescheduled"]]), json!(["moved", true]));
        assert_eq!(
            json!([old["void"]["knowable"], new["attempt"], new["state"]]),
            json!([false, attempt, "awaiting_entropy"])
        );
        let release = moved["release_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        assert_eq!(beacon_round(new), QUICKNET.round_at(release.as_second() - 30));
    }
    assert_eq!(beacon_round(round(&server, &t).await["draws"].as_array().unwrap().last().unwrap()), 123);
    let kinds = server.kinds().await;
    assert_eq!(kinds[kinds.len() - 3..], ["round", "void", "order"]);
}

#[tokio::test]
async fn once_the_beacon_is_near_a_move_only_releases_later() {
    let (server, _, t) = championship().await;
    server.at("2023-08-23T15:14:34Z").await;
    let moved = move_to(&server, &t, "2023-08-23T18:31:03Z").await;
    assert_eq!((moved["draws"].as_array().unwrap().len(), beacon_round(&moved["draws"][0])), (1, 123));
    post(&server, &t, 123, ROUND_123).await.done(200);
    server.at(RELEASE).await;
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.at("2023-08-23T18:16:03Z").await;
    assert_eq!(server.get(&t.at("/rounds/1/position")).await.done(200)["attempt"], 1);
}

/// Ordered late, a draw names a beacon round a minute ahead, and that minute counts.
#[tokio::test]
async fn an_order_that_leaves_no_time_for_the_beacon_is_too_late() {
    let server = server(&[]).await;
    let t = open(&server, "2023-08-24T12:00:00Z").await;
    server.at("2023-08-23T15:20:05Z").await;
    let body = json!({"starts_at": START, "confirm_release_at": RELEASE});
    let path = t.at("/rounds/2");
    let problem = server.put(&path, &t.arbiter, body).await;
    assert_eq!(problem.refused(409, "too-late")["earliest_starts_at"], "2023-08-23T15:31:06Z");
}

#[tokio::test]
async fn dice_take_the_place_of_a_beacon_that_does_not_come() {
    let (server, _, t) = championship().await;
    let path = t.at("/rounds/1/draws");
    server.at("2023-08-23T15:17:00Z").await;
    let draw = round(&server, &t).await["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "beacon-unavailable"});
    let voided = server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.done(200);
    // Anybody who has internet could know that beacon round by now.
    assert_eq!(json!([voided["void"]["knowable"], voided["void"]["rescheduled"]]), json!([true, false]));
    let second = server.post(&path, &t.arbiter, json!({"entropy": "dice"})).await.done(201);
    assert_eq!(json!([second["attempt"], second["grade"], second["sources"]]), json!([2, "B", ["dice d10"]]));
    let deputy = server.token(&t, "deputy").await.1;
    for token in [&t.arbiter, &deputy] {
        server.post(&t.at("/rounds/1/dice"), token, json!({"digits": "63454660390103169462"})).await.done(200);
    }
    server.tick().await;
    let used = server.get(&t.at("/rounds/1/position")).await.done(200);
    evidence::check(&used);

    // The beacon turns up: what it would have given stands beside what was used, and both are proven.
    let before = round(&server, &t).await;
    assert!(before["draws"][0]["void"].get("abandoned_number").is_none());
    post(&server, &t, 123, ROUND_1000).await.refused(422, "beacon-invalid");
    let after = post(&server, &t, 123, ROUND_123).await.done(200);
    let abandoned = &after["draws"][0];
    assert_eq!(abandoned["state"], "voided");
    assert_eq!(abandoned["void"]["abandoned_number"], would_have_been(abandoned, &used));
    assert_eq!(after["draws"][1]["release"]["number"], used["number"]);
    let size = server.log().await.len();
    post(&server, &t, 123, ROUND_123).await.done(200);
    assert_eq!(server.log().await.len(), size);
    verified(&server).await;
}

/// What a voided draw would have given is looked up in the background, for a week, and holds up nothing.
#[tokio::test]
async fn the_beacon_of_a_voided_draw_is_fetched_without_hurry() {
    let (server, relay, t) = championship().await;
    let draw = round(&server, &t).await["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "organiser-decision"});
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.done(200);
    let size = server.log().await.len();
    let mut memory = Memory::default();
    for (instant, asked) in [
        ("2023-08-23T15:15:32Z", 0),
        ("2023-08-23T15:15:34Z", 1),
        ("2023-08-23T15:16:33Z", 1),
        ("2023-08-23T15:16:34Z", 2),
        ("2023-08-23T15:18:33Z", 2),
        ("2023-08-23T15:18:34Z", 3),
    ] {
        server.at(instant).await;
        pass(&server.desk, &mut Memory::default()).await.unwrap();
        pass_abandoned(&server.desk, &mut memory).await.unwrap();
        assert_eq!(relay.asked(123), asked, "{instant}");
    }
    assert_eq!(server.log().await.len(), size);
    relay.gives(123, answer(123, ROUND_1000));
    server.at("2023-08-30T15:15:32Z").await;
    pass_abandoned(&server.desk, &mut Memory::default()).await.unwrap();
    assert_eq!((relay.asked(123), server.log().await.len()), (4, size));
    server.at("2023-08-30T15:15:33Z").await;
    pass_abandoned(&server.desk, &mut Memory::default()).await.unwrap();
    assert_eq!(relay.asked(123), 4, "given up after a week");

    relay.gives(123, answer(123, ROUND_123));
    server.at("2023-08-30T12:00:00Z").await;
    pass_abandoned(&server.desk, &mut Memory::default()).await.unwrap();
    let shown = round(&server, &t).await;
    assert!(shown["draws"][0]["void"]["abandoned_number"].is_u64(), "{shown}");
    assert_eq!(server.kinds().await[size..], ["entropy"]);
    pass_abandoned(&server.desk, &mut Memory::default()).await.unwrap();
    assert_eq!((relay.asked(123), server.log().await.len()), (5, size + 1));
    verified(&server).await;
}

/// An ended tournament takes nothing more, and a server without relays asks nobody.
#[tokio::test]
async fn the_beacon_of_an_ended_tournament_is_let_be() {
    let (server, relay, t) = championship().await;
    relay.gives(123, answer(123, ROUND_123));
    server.post(&t.at("/cancel"), &t.arbiter, json!({})).await.done(200);
    server.at("2023-08-23T15:20:00Z").await;
    pass_abandoned(&server.desk, &mut Memory::default()).await.unwrap();
    assert_eq!(relay.asked(123), 0);
    let line = QUICKNET.accept(123, ROUND_123).unwrap();
    let beacon = draw960::domain::beacon::Beacon { chain: &QUICKNET, round: 123 };
    let id = server.get(&t.path).await.done(200)["id"].as_str().unwrap().parse().unwrap();
    let size = server.log().await.len();
    server.desk.beacon_came(id, beacon, line).await.unwrap();
    assert_eq!(server.log().await.len(), size);
    verified(&server).await;
}

/// The number of an abandoned draw from what is published of it.
fn would_have_been(draw: &Value, other: &Value) -> u16 {
    let slot = draw960::domain::derivation::Slot { attempt: 1, ..evidence::slot(&other["draw"]) };
    let terms = Terms {
        sources: serde_json::from_value(draw["sources"].clone()).unwrap(),
        excluded: serde_json::from_value(draw["excluded"].clone()).unwrap(),
        repeats: Repeats::Never,
    };
    let secret = SlotSecret::from_hex(draw["void"]["secret"].as_str().unwrap()).unwrap();
    let committed = commitment(&slot, &terms, &secret);
    assert_eq!(draw["commitment"], committed.to_string());
    let line = EntropyLine::Drand { signature: ROUND_123.into() };
    let seed = seed(&slot, &terms, &committed, &[line], &secret);
    number(&seed, &terms.excluded, &NumberSet::new()).unwrap().number.get()
}

/// What a verifier says about the log besides its signatures.
async fn verified(server: &TestServer) {
    let entries = server.log().await.iter().map(|leaf| leaf["entry"].as_str().unwrap().to_owned()).collect();
    let bundle = Bundle {
        format: BUNDLE_FORMAT.into(),
        tournament: "kaunas-2023-open".into(),
        origin: server.desk.origin.clone(),
        log_key: String::new(),
        checkpoint: String::new(),
        checkpoints: Vec::new(),
        successions: Vec::new(),
        entries,
    };
    for check in verify(&bundle, &Trust::default()).checks.iter().filter(|check| !["V1", "V2"].contains(&check.id)) {
        assert_ne!(check.verdict(), Verdict::Fail, "{check:?}");
    }
}

/// A draw voided when its beacon was known shows at once what it would have given.
#[tokio::test]
async fn a_void_after_the_beacon_shows_what_was_given_up() {
    let (server, _, t) = championship().await;
    server.at("2023-08-23T15:15:40Z").await;
    let draw = post(&server, &t, 123, ROUND_123).await.done(200)["draws"][0]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "organiser-decision"});
    let voided = server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, void).await.done(200);
    assert_eq!(voided["void"]["knowable"], true);
    assert!(voided["void"]["abandoned_number"].is_u64());
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    verified(&server).await;
}

/// Beacon, dice, a move, throws and a draw recorded afterwards: a verifier finds everything in order.
#[tokio::test]
async fn a_verifier_agrees_with_everything() {
    let (server, _, t) = championship().await;
    let deputy = server.token(&t, "deputy").await.1;
    move_to(&server, &t, "2023-08-23T16:31:04Z").await;
    move_to(&server, &t, START).await;
    for number in [2, 3] {
        let body = json!({"starts_at": format!("2023-08-2{}T08:00:00Z", number + 2)});
        server.put(&t.at(&format!("/rounds/{number}")), &t.arbiter, body).await.done(200);
    }
    server.at("2023-08-23T15:15:40Z").await;
    post(&server, &t, 123, ROUND_123).await.done(200);
    server.at(RELEASE).await;
    server.get(&t.at("/rounds/1/position")).await.done(200);
    let void = async |round: u16| {
        let shown = server.get(&t.at(&format!("/rounds/{round}"))).await.json();
        let draw = shown["draws"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
        let body = json!({"reason": "beacon-unavailable"});
        server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, body).await.done(200);
    };
    void(2).await;
    server.post(&t.at("/rounds/2/draws"), &t.arbiter, json!({"entropy": "dice"})).await.done(201);
    for token in [&t.arbiter, &deputy] {
        server.post(&t.at("/rounds/2/dice"), token, json!({"digits": "63454660390103169462"})).await.done(200);
    }
    server.at("2023-08-24T07:45:00Z").await;
    server.get(&t.at("/rounds/2/position")).await.done(200);
    server.clock.set("2023-08-25T08:30:00Z".parse().unwrap());
    let by_hand = json!({"method": "manual", "procedure": "d6", "performed_at": "2023-08-25T07:45:00Z",
        "throws": ["3", "5", "1", "4", "6", "2", "1"]});
    server.post(&t.at("/rounds/3/draws"), &t.arbiter, by_hand).await.done(201);
    verified(&server).await;
    server.post(&t.at("/close"), &t.arbiter, json!({})).await.done(200);
    verified(&server).await;
    post(&server, &t, 123, ROUND_123).await.refused(409, "tournament-ended");
}

#[tokio::test]
async fn relays_are_tried_an_hour_ahead_and_arbiters_see_how_they_did() {
    let (relay, host) = Relay::start().await;
    relay.gives(1000, answer(1000, ROUND_1000));
    let server = server(&["http://127.0.0.1:9".to_owned(), host]).await;
    let t = open(&server, START).await;
    let mut memory = Memory::default();
    server.at("2023-08-23T14:15:32Z").await;
    pass(&server.desk, &mut memory).await.unwrap();
    assert_eq!(relay.paths(), Vec::<String>::new());
    server.at("2023-08-23T14:15:33Z").await;
    pass(&server.desk, &mut memory).await.unwrap();
    pass(&server.desk, &mut memory).await.unwrap();
    assert_eq!(relay.paths().len(), 1);
    let seen = server.get_as(&t.at("/rounds/1"), &t.arbiter).await.done(200)["beacon"]["relays"].clone();
    assert_eq!(json!([seen[0]["reachable"], seen[1]["reachable"]]), json!([false, true]));
    assert_eq!(seen[1]["tried_at"], "2023-08-23T14:15:33Z");
    assert!(round(&server, &t).await["beacon"].get("relays").is_none());
}

#[tokio::test]
async fn a_restart_between_every_two_steps_changes_no_number() {
    let run = async |restarts: bool| {
        let (mut server, _, t) = championship().await;
        for instant in ["2023-08-23T15:15:34Z", "2023-08-23T15:15:50Z", RELEASE] {
            server = if restarts { server.restart(9).await } else { server };
            server.at(instant).await;
            post(&server, &t, 123, ROUND_123).await.done(200);
        }
        server.get(&t.at("/rounds/1/position")).await.done(200)
    };
    let (straight, restarted) = (run(false).await, run(true).await);
    assert_eq!(straight["draw"]["seed"], restarted["draw"]["seed"]);
    assert_eq!(straight["number"], restarted["number"]);
}
