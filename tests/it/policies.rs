//! Policies: what is drawn from, what may be amended and until when, and the end of a tournament.

use crate::support::{TestServer, Tournament, evidence};
use axum::http::Method;
use draw960::domain::derivation::Master;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn days(n: u16) -> Value {
    (1..=n).map(|r| json!({"number": r, "starts_at": format!("2026-12-{:02}T10:00", r + 4)})).collect()
}

async fn release_days(server: &TestServer, n: u16) {
    for r in 1..=n {
        server.at(&format!("2026-12-{:02}T07:45:00Z", r + 4)).await;
    }
}

async fn position(server: &TestServer, t: &Tournament, round: u16) -> Value {
    server.get(&t.at(&format!("/rounds/{round}/position"))).await.done(200)
}

async fn act(server: &TestServer, t: &Tournament, what: &str) -> crate::support::Answer {
    server.call(Method::POST, &t.at(what), &t.arbiter, None).await
}

#[tokio::test]
async fn without_repeats_a_small_pool_is_used_up_and_then_exhausted() {
    let server = TestServer::new().await;
    let pool = json!({"repeats": "never", "pool": [0, 518, 959], "small_pool": true});
    let t = server.tournament("kaunas-2026", pool, days(3)).await;
    let fourth = json!({"starts_at": "2026-12-20T10:00"});
    server.put(&t.at("/rounds/4"), &t.arbiter, fourth.clone()).await.refused(409, "numbers-exhausted");
    server.get(&t.at("/rounds/4")).await.refused(404, "round-unknown");
    release_days(&server, 3).await;
    let mut numbers = BTreeSet::new();
    for round in 1..=3 {
        let position = position(&server, &t, round).await;
        evidence::check(&position);
        let used: Vec<u64> = serde_json::from_value(position["draw"]["used"].clone()).unwrap();
        assert_eq!(used, numbers.iter().copied().collect::<Vec<u64>>());
        numbers.insert(position["number"].as_u64().unwrap());
    }
    assert_eq!(numbers, BTreeSet::from([0, 518, 959]));
    // A number released stays used when its draw is voided.
    let draw = position(&server, &t, 3).await["draw"]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "leaked"})).await.done(200);
    server.put(&t.at("/rounds/3"), &t.arbiter, json!({"starts_at": "2026-12-21T10:00"})).await.done(200);
    server.post(&t.at("/rounds/3/draws"), &t.arbiter, json!({})).await.refused(409, "numbers-exhausted");
}

#[tokio::test]
async fn a_pool_that_lets_positions_be_guessed_is_declared_to_the_public() {
    let server = TestServer::new().await;
    let body = |small: bool| {
        let policy = json!({"repeats": "never", "pool": [1, 2, 3], "small_pool": small});
        json!({"name": "A", "slug": "a-2026", "time_zone": "Europe/Vilnius", "policy": policy, "rounds": days(2)})
    };
    server.post("/api/v1/tournaments", &server.operator, body(false)).await.refused(409, "small-pool");
    server.get("/api/v1/tournaments/a-2026").await.refused(404, "tournament-unknown");
    server.post("/api/v1/tournaments", &server.operator, body(true)).await.done(201);
    let told = server.get("/api/v1/tournaments/a-2026").await.json()["declarations"].to_string();
    assert!(told.contains("narrowed down"), "{told}");
}

#[tokio::test]
async fn an_excluded_number_is_never_drawn_and_stands_in_the_evidence() {
    let server = TestServer::new().await;
    // Only 517 and 519 are left beside the excluded one: no neighbour takes its place.
    let excluded: Vec<u16> = (0..960).filter(|n| ![517, 519].contains(n)).collect();
    let t = server.tournament("kaunas-2026", json!({"excluded": excluded}), days(20)).await;
    release_days(&server, 20).await;
    let mut seen = BTreeSet::new();
    for round in 1..=20 {
        let position = position(&server, &t, round).await;
        evidence::check(&position);
        assert_eq!(position["draw"]["excluded"], json!(excluded));
        seen.insert(position["number"].as_u64().unwrap());
    }
    assert_eq!(seen, BTreeSet::from([517, 519]));
}

/// Several sections drawn in the same second, and the same round of twin tournaments, have nothing in common.
#[tokio::test]
async fn draws_of_the_same_second_are_independent() {
    let server = TestServer::new().await;
    let mut secrets = BTreeSet::new();
    for section in ["a", "b", "c"] {
        let t = server.tournament(&format!("section-{section}"), json!({}), days(4)).await;
        server.clock.set("2026-12-05T06:00:00Z".parse().unwrap());
        for draw in server.get(&t.path).await.json()["rounds"].as_array().unwrap() {
            secrets.insert(draw["draws"][0]["commitment"].to_string());
        }
    }
    assert_eq!(secrets.len(), 12);
}

#[tokio::test]
async fn an_amendment_before_the_first_release_voids_and_orders_again() {
    let server = TestServer::new().await;
    let t = server.tournament("kaunas-2026", json!({}), days(2)).await;
    let before = server.get(&t.at("/rounds/1")).await.json()["draws"][0].clone();
    let amended = server.patch(&t.path, &t.arbiter, json!({"policy": {"excluded": [518], "repeats": "never"}})).await;
    let amended = amended.done(200);
    assert_eq!(amended["policy"]["excluded"], json!([518]));
    for round in amended["rounds"].as_array().unwrap() {
        let draws = &round["draws"];
        assert_eq!(
            json!([draws[0]["state"], draws[0]["void"]["reason"], draws[1]["state"], draws[1]["attempt"]]),
            json!(["voided", "policy-amended", "sealed", 2])
        );
        assert_eq!((&draws[1]["excluded"], &draws[1]["repeats"]), (&json!([518]), &json!("never")));
        assert_ne!(draws[1]["commitment"], before["commitment"]);
    }
    assert_eq!(
        server.kinds().await,
        ["tournament", "round", "order", "round", "order", "void", "void", "amend", "order", "order"]
    );
    release_days(&server, 1).await;
    evidence::check(&position(&server, &t, 1).await);
    let late = server.patch(&t.path, &t.arbiter, json!({"policy": {"excluded": []}})).await;
    late.refused(409, "policy-fixed");
    server.patch(&t.path, &t.arbiter, json!({"name": "Kaunas Open 2026"})).await.done(200);
}

#[tokio::test]
async fn an_amendment_that_changes_nothing_does_nothing() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let size = server.log().await.len();
    for body in [json!({}), json!({"policy": {}}), json!({"policy": {"repeats": "allowed", "lead_minutes": 15}})] {
        server.patch(&t.path, &t.arbiter, body).await.done(200);
    }
    assert_eq!(server.log().await.len(), size);
}

#[tokio::test]
async fn a_new_lead_moves_the_releases_and_a_round_keeps_its_own() {
    let server = TestServer::new().await;
    let t = server.tournament("kaunas-2026", json!({"custom_lead": true}), days(2)).await;
    let own = json!({"starts_at": "2026-12-06T10:00", "lead_minutes": 30});
    server.put(&t.at("/rounds/2"), &t.arbiter, own).await.done(200);
    let amended = server.patch(&t.path, &t.arbiter, json!({"policy": {"lead_minutes": 10}})).await.done(200);
    assert_eq!(amended["rounds"][0]["release_at"], "2026-12-05T07:50:00Z");
    assert_eq!(amended["rounds"][1]["release_at"], "2026-12-06T07:30:00Z");
    let problem = server.patch(&t.path, &t.arbiter, json!({"policy": {"custom_lead": false}})).await;
    problem.refused(422, "policy-invalid");
    server.at("2026-12-05T07:49:59Z").await;
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.at("2026-12-05T07:50:00Z").await;
    position(&server, &t, 1).await;
}

/// Amended while it has no date, a round gets its next attempt with its next date.
#[tokio::test]
async fn a_postponed_round_gets_its_amended_draw_with_its_date() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": null})).await.done(200);
    server.patch(&t.path, &t.arbiter, json!({"policy": {"excluded": [518]}})).await.done(200);
    let round = server.get(&t.at("/rounds/1")).await.json();
    assert_eq!((&round["state"], round["draws"].as_array().unwrap().len()), (&json!("postponed"), 1));
    let round = server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": "2026-12-07T10:00"})).await.done(200);
    assert_eq!((&round["state"], &round["draws"][1]["attempt"]), (&json!("sealed"), &json!(2)));
}

#[tokio::test]
async fn what_is_built_into_a_schedule_is_not_amended() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for policy in [json!({"scope": "board"}), json!({"rounds_per_draw": 2}), json!({"rehearsal": true})] {
        let field = policy.as_object().unwrap().keys().next().unwrap().clone();
        let problem = server.patch(&t.path, &t.arbiter, json!({"policy": policy})).await.refused(409, "policy-fixed");
        assert_eq!(problem["errors"][0]["pointer"], format!("/policy/{field}"));
    }
}

#[tokio::test]
async fn a_change_of_zone_keeps_civil_times_of_what_is_to_come() {
    let server = TestServer::new().await;
    let t = server.tournament("kaunas-2026", json!({}), days(3)).await;
    server.put(&t.at("/rounds/3"), &t.arbiter, json!({"starts_at": null})).await.done(200);
    server.at("2026-12-05T07:45:00Z").await;
    let public = position(&server, &t, 1).await;
    let changed = server.patch(&t.path, &t.arbiter, json!({"time_zone": "Europe/Berlin"})).await.done(200);
    let rounds = &changed["rounds"];
    assert_eq!(rounds[0]["starts_at"], "2026-12-05T08:00:00Z", "a public round stays");
    assert_eq!(
        json!([rounds[1]["starts_at"], rounds[1]["starts_at_local"], rounds[1]["release_at"]]),
        json!(["2026-12-06T09:00:00Z", "2026-12-06T10:00:00+01:00", "2026-12-06T08:45:00Z"])
    );
    assert_eq!(rounds[2]["starts_at"], Value::Null);
    assert_eq!(position(&server, &t, 1).await["number"], public["number"]);
    server.at("2026-12-06T07:45:00Z").await;
    server.get(&t.at("/rounds/2/position")).await.refused(403, "position-sealed");
    server.at("2026-12-06T08:45:00Z").await;
    position(&server, &t, 2).await;
}

/// What lies in the past stands in no change's way.
#[tokio::test]
async fn a_round_that_was_not_played_does_not_hold_the_zone() {
    let server = TestServer::new().await;
    let t = server.tournament("kaunas-2026", json!({}), days(2)).await;
    let draw = server.get(&t.at("/rounds/1")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "not-played"})).await.done(200);
    server.at("2026-12-05T20:00:00Z").await;
    let changed = server.patch(&t.path, &t.arbiter, json!({"time_zone": "Europe/Berlin"})).await.done(200);
    assert_eq!(changed["rounds"][0]["starts_at"], "2026-12-05T08:00:00Z");
    assert_eq!(changed["rounds"][1]["starts_at"], "2026-12-06T09:00:00Z");
}

#[tokio::test]
async fn a_change_of_zone_never_releases_at_once() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    // 10:00 in Nicosia too, but 10:00 in Moscow is 07:00 UTC.
    server.at("2026-12-05T06:46:00Z").await;
    let answer = server.patch(&t.path, &t.arbiter, json!({"time_zone": "Europe/Moscow"})).await;
    answer.refused(409, "confirm-release-now");
    let shown = server.get(&t.path).await.json();
    assert_eq!((&shown["time_zone"], &shown["rounds"][0]["state"]), (&json!("Europe/Vilnius"), &json!("sealed")));
}

#[tokio::test]
async fn cancelling_before_a_release_voids_what_waits_and_ends_everything() {
    let server = TestServer::new().await;
    let t = server.tournament("kaunas-2026", json!({}), days(2)).await;
    let ended = act(&server, &t, "/cancel").await.done(200);
    assert_eq!(ended["state"], "cancelled");
    for round in ended["rounds"].as_array().unwrap() {
        assert_eq!(round["draws"][0]["void"]["reason"], "not-played");
    }
    release_days(&server, 2).await;
    server.get(&t.at("/rounds/1/position")).await.refused(410, "draw-voided");
    refused_after_the_end(&server, &t).await;
}

async fn refused_after_the_end(server: &TestServer, t: &Tournament) {
    let size = server.log().await.len();
    let draw = server.get(&t.at("/rounds/1")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    let later = json!({"starts_at": "2026-12-30T10:00"});
    for answer in [
        server.put(&t.at("/rounds/1"), &t.arbiter, later.clone()).await,
        server.put(&t.at("/rounds/9"), &t.pairing, later).await,
        server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await,
        server.post(&t.at("/rounds/shift"), &t.arbiter, json!({"from": 1, "minutes": 5})).await,
        server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "leaked"})).await,
        server.patch(&t.path, &t.arbiter, json!({"name": "B"})).await,
        act(server, t, "/cancel").await,
        act(server, t, "/close").await,
        act(server, t, "/rounds/1/release").await,
    ] {
        answer.refused(409, "tournament-ended");
    }
    assert_eq!(server.log().await.len(), size);
}

#[tokio::test]
async fn a_tournament_with_a_release_is_closed_not_cancelled() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    act(&server, &t, "/cancel").await.refused(409, "round-released");
}

#[tokio::test]
async fn closing_reveals_the_master_and_every_secret_recomputes_from_it() {
    let server = TestServer::new().await;
    let t = server.tournament("kaunas-2026", json!({"repeats": "never"}), days(3)).await;
    release_days(&server, 2).await;
    let waiting = server.get(&t.at("/rounds/3")).await.json()["draws"][0]["id"].clone();
    let problem = act(&server, &t, "/close").await.refused(409, "draw-exists");
    assert_eq!(problem["draws"], json!([waiting]));
    let reason = json!({"reason": "not-played"});
    let path = format!("/api/v1/draws/{}/void", waiting.as_str().unwrap());
    let voided = server.post(&path, &t.arbiter, reason).await.done(200);
    assert_eq!(act(&server, &t, "/close").await.done(200)["state"], "closed");

    let entries = server.entries().await;
    let close = entries.last().unwrap();
    assert_eq!(close["t"], "close");
    let text = close["master"].as_str().unwrap();
    let master = Master::from_hex(text).unwrap();
    let first = position(&server, &t, 1).await;
    let origin = first["draw"]["origin"].as_str().unwrap();
    assert_eq!(master.commitment(origin, t.slug()).to_string(), entries[0]["master_commit"]);
    for round in [1, 2] {
        evidence::check_master(&position(&server, &t, round).await, text);
    }
    let mut slot = evidence::slot(&first["draw"]);
    slot.round = 3;
    assert_eq!(master.slot_secret(&slot).reveal_hex(), voided["void"]["secret"]);
    refused_after_the_end(&server, &t).await;
}

#[tokio::test]
async fn a_slug_is_taken_for_ever() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    act(&server, &t, "/cancel").await.done(200);
    let body = json!({"name": "Again", "slug": t.slug(), "time_zone": "Europe/Vilnius"});
    let problem = server.post("/api/v1/tournaments", &server.operator, body).await.refused(409, "slug-taken");
    assert_eq!(problem["errors"][0]["pointer"], "/slug");
}
