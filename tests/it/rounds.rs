//! Scheduling, moving, postponing, shifting; overdue rounds.

use crate::support::{Answer, TestServer, Tournament, evidence};
use axum::http::Method;
use serde_json::{Value, json};

async fn put(server: &TestServer, t: &Tournament, round: u16, body: Value) -> Answer {
    server.put(&t.at(&format!("/rounds/{round}")), &t.arbiter, body).await
}

async fn put_as(server: &TestServer, t: &Tournament, token: &str, body: Value) -> Answer {
    server.put(&t.at("/rounds/1"), token, body).await
}

async fn state(server: &TestServer, t: &Tournament, round: u16) -> Value {
    server.get(&t.at(&format!("/rounds/{round}"))).await.done(200)["state"].clone()
}

async fn release(server: &TestServer, t: &Tournament, round: u16) -> Answer {
    server.call(Method::POST, &t.at(&format!("/rounds/{round}/release")), &t.arbiter, None).await
}

#[tokio::test]
async fn an_unknown_round_is_unknown_on_every_path() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for path in ["", "/position", "/position.svg", "/boards/1/position", "/history", "/history.csv"] {
        server.get(&t.at(&format!("/rounds/2{path}"))).await.refused(404, "round-unknown");
    }
    server.get_as(&t.at("/rounds/2/pairings"), &t.board).await.refused(404, "round-unknown");
    let no_pairings = json!({"boards": []});
    server.put(&t.at("/rounds/2/pairings"), &t.arbiter, no_pairings).await.refused(404, "round-unknown");
    server.post(&t.at("/rounds/2/draws"), &t.arbiter, json!({})).await.refused(404, "round-unknown");
    release(&server, &t, 2).await.refused(404, "round-unknown");
    for path in ["", "/rounds/1", "/rounds/1/position", "/positions", "/positions.csv", "/rounds/1/history"] {
        server.get(&format!("/api/v1/tournaments/riga{path}")).await.refused(404, "tournament-unknown");
    }
}

#[tokio::test]
async fn a_schedule_answers_with_local_times_and_seconds() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let round = put(&server, &t, 2, json!({"starts_at": "2026-12-05T15:00", "label": "Round 2, evening"})).await;
    let round = round.done(200);
    assert_eq!(
        json!([round["starts_at"], round["starts_at_local"], round["release_at"], round["release_at_local"]]),
        json!([
            "2026-12-05T13:00:00Z",
            "2026-12-05T15:00:00+02:00",
            "2026-12-05T12:45:00Z",
            "2026-12-05T14:45:00+02:00"
        ])
    );
    assert_eq!(
        json!([round["releases_in_s"], round["warnings"], round["label"], round["state"]]),
        json!([24_300, [], "Round 2, evening", "sealed"])
    );
}

#[tokio::test]
async fn the_same_schedule_twice_is_logged_once() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let size = server.log().await.len();
    for text in ["2026-12-05T10:00", "2026-12-05T08:00:00Z", "2026-12-05T10:00:00+02:00"] {
        put(&server, &t, 1, json!({"starts_at": text})).await.done(200);
    }
    put(&server, &t, 1, json!({})).await.done(200);
    put(&server, &t, 1, json!({"label": "First"})).await.done(200);
    assert_eq!(server.log().await.len(), size);
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["label"], "First");
    put(&server, &t, 1, json!({"label": null})).await.done(200);
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["label"], Value::Null);
}

/// At one second past the minute and within it, players still need ten whole minutes.
#[tokio::test]
async fn too_late_names_the_earliest_start_and_that_one_works() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T06:00:00.25Z").await;
    let late = put(&server, &t, 2, json!({"starts_at": "2026-12-05T06:10:00Z"})).await;
    let problem = late.refused(409, "too-late");
    assert_eq!(problem["earliest_starts_at"], "2026-12-05T06:10:01Z");
    let earliest = json!({"starts_at": problem["earliest_starts_at"]});
    let confirm = put(&server, &t, 2, earliest).await.refused(409, "confirm-schedule");
    let again = json!({"starts_at": problem["earliest_starts_at"], "confirm_release_at": confirm["release_at"]});
    put(&server, &t, 2, again).await.done(200);
    server.tick().await;
    let position = server.get(&t.at("/rounds/2/position")).await.done(200);
    evidence::check(&position);
}

#[tokio::test]
async fn a_start_in_the_past_is_refused() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for text in ["2026-12-05T06:00:00Z", "2026-12-04T10:00", "2020-01-01T00:00:00Z"] {
        put(&server, &t, 2, json!({"starts_at": text})).await.refused(422, "start-in-past");
        put(&server, &t, 1, json!({"starts_at": text})).await.refused(422, "start-in-past");
    }
    server.get(&t.at("/rounds/2")).await.refused(404, "round-unknown");
    assert_eq!(state(&server, &t, 1).await, "sealed");
}

#[tokio::test]
async fn a_custom_window_may_be_short_and_says_so() {
    let server = TestServer::new().await;
    let policy = json!({"custom_lead": true, "lead_minutes": 0});
    let t = server.tournament("blitz-2026", policy, json!([])).await;
    let body = json!({"starts_at": "2026-12-05T06:00:30Z", "confirm_release_at": "2026-12-05T06:00:30Z"});
    let round = put(&server, &t, 1, body).await.done(200);
    assert_eq!(json!([round["lead_minutes"], round["custom_window"], round["releases_in_s"]]), json!([0, true, 30]));
    let own = json!({"starts_at": "2026-12-05T12:00", "lead_minutes": 60});
    assert_eq!(put(&server, &t, 2, own).await.done(200)["release_at"], "2026-12-05T09:00:00Z");
    let told = server.get(&t.path).await.json()["declarations"].to_string();
    assert!(told.contains("outside 10 to 15 minutes"), "{told}");
    server.at("2026-12-05T06:00:30Z").await;
    server.get(&t.at("/rounds/1/position")).await.done(200);
}

#[tokio::test]
async fn leads_outside_ten_to_fifteen_need_the_declaration() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for lead in [0, 9, 16, 60, 61] {
        let own = put(&server, &t, 2, json!({"starts_at": "2026-12-06T10:00", "lead_minutes": lead})).await;
        assert_eq!(own.refused(422, "policy-invalid")["errors"][0]["pointer"], "/lead_minutes");
        let body = json!({"name": "A", "slug": "a-2026", "time_zone": "UTC", "policy": {"lead_minutes": lead}});
        let policy = server.post("/api/v1/tournaments", &server.operator, body).await;
        assert_eq!(policy.refused(422, "policy-invalid")["errors"][0]["pointer"], "/policy/lead_minutes");
    }
    for lead in [10, 15] {
        let body = json!({"starts_at": "2026-12-06T10:00", "lead_minutes": lead});
        put(&server, &t, 2, body).await.done(200);
    }
}

#[tokio::test]
async fn unusual_schedules_need_the_release_instant_repeated() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for (round, start, warnings, release_at) in [
        (2, "2026-12-05T23:30", json!(["night-start"]), "2026-12-05T21:15:00Z"),
        (2, "2026-12-05T09:50", json!(["out-of-order", "overlaps-round"]), "2026-12-05T07:35:00Z"),
        (2, "2026-12-05T10:30", json!(["overlaps-round"]), "2026-12-05T08:15:00Z"),
        (2, "2026-12-05T08:30", json!(["out-of-order", "release-within-60-min"]), "2026-12-05T06:15:00Z"),
    ] {
        let problem = put(&server, &t, round, json!({"starts_at": start})).await.refused(409, "confirm-schedule");
        assert_eq!((&problem["warnings"], &problem["release_at"]), (&warnings, &json!(release_at)));
        assert!(problem["release_at_local"].as_str().unwrap().ends_with("+02:00"));
        let wrong = json!({"starts_at": start, "confirm_release_at": "2026-12-05T20:00:00Z"});
        put(&server, &t, round, wrong).await.refused(409, "confirm-schedule");
        server.get(&t.at("/rounds/2")).await.refused(404, "round-unknown");
    }
    let said = json!({"starts_at": "2026-12-05T23:30", "confirm_release_at": "2026-12-05T23:15"});
    assert_eq!(put(&server, &t, 2, said).await.done(200)["warnings"], json!(["night-start"]));
}

#[tokio::test]
async fn a_release_instant_that_is_sent_must_be_the_one_of_the_start() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let (path, start) = (t.at("/rounds/2"), "2026-12-05T15:00");
    let wrong = json!({"starts_at": start, "confirm_release_at": "2026-12-05T12:46:00Z"});
    let problem = server.put(&path, &t.arbiter, wrong).await.refused(422, "invalid-field");
    assert_eq!(problem["errors"][0]["pointer"], "/confirm_release_at");
    assert!(
        problem["detail"].as_str().unwrap().contains("released at 2026-12-05T12:45:00Z, not at 2026-12-05T12:46:00Z")
    );
    server.get(&path).await.refused(404, "round-unknown");
    let right = json!({"starts_at": start, "confirm_release_at": "2026-12-05T12:45:00Z"});
    assert_eq!(server.put(&path, &t.arbiter, right).await.done(200)["warnings"], json!([]));
}

#[tokio::test]
async fn rehearsals_are_free_of_guards_and_stamped() {
    let server = TestServer::new().await;
    let policy = json!({"rehearsal": true, "custom_lead": true, "lead_minutes": 0});
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T06:00:05Z"}]);
    let t = server.tournament("rehearsal-kaunas", policy, rounds).await;
    server.at("2026-12-05T06:00:05Z").await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    assert_eq!(position["rehearsal"], true);
    for suffix in [".svg", ".txt", ".pgn"] {
        let text = server.get(&t.at(&format!("/rounds/1/position{suffix}"))).await.text();
        assert!(text.contains("REHEARSAL"), "{text}");
    }
    server.patch(&t.path, &t.arbiter, json!({"policy": {"rehearsal": false}})).await.refused(409, "policy-fixed");
}

#[tokio::test]
async fn a_real_tournament_has_no_rehearsal_slug_and_a_rehearsal_no_other() {
    let server = TestServer::new().await;
    for (slug, rehearsal) in [("rehearsal-kaunas", false), ("kaunas-2026", true)] {
        let body = json!({"name": "A", "slug": slug, "time_zone": "UTC", "policy": {"rehearsal": rehearsal}});
        let problem = server.post("/api/v1/tournaments", &server.operator, body).await.refused(422, "invalid-field");
        assert_eq!(problem["errors"][0]["pointer"], "/slug");
    }
}

#[tokio::test]
async fn a_move_forward_into_the_window_needs_release_now_and_is_released_at_once() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T06:10:00Z").await;
    let soon = json!({"starts_at": "2026-12-05T06:22:00Z"});
    let problem = put(&server, &t, 1, soon).await.refused(409, "confirm-release-now");
    assert_eq!(problem["release_at"], "2026-12-05T06:07:00Z");
    let said = json!({
        "starts_at": "2026-12-05T06:22:00Z", "release_now": true, "confirm_release_at": "2026-12-05T06:07:00Z"
    });
    put(&server, &t, 1, said).await.done(200);
    server.get(&t.at("/rounds/1/position")).await.refused(403, "position-sealed");
    server.tick().await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    assert_eq!(position["drawn_at"], "2026-12-05T06:10:00Z");
}

#[tokio::test]
async fn a_move_keeps_the_attempt_and_its_commitment() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let before = server.get(&t.at("/rounds/1")).await.json()["draws"].clone();
    for start in ["2026-12-05T10:45", "2026-12-05T20:00", "2026-12-12T10:00"] {
        let moved = put(&server, &t, 1, json!({"starts_at": start})).await.done(200);
        assert_eq!(moved["draws"], before, "{start}");
    }
    assert_eq!(server.kinds().await, ["tournament", "round", "order", "round", "round", "round"]);
}

#[tokio::test]
async fn pairing_software_may_only_postpone_and_not_in_the_last_half_hour() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    put_as(&server, &t, &t.pairing, json!({"starts_at": "2026-12-05T10:20"})).await.done(200);
    for body in [
        json!({"starts_at": "2026-12-05T10:10"}),
        json!({"starts_at": null}),
        json!({"starts_at": "2026-12-05T10:21", "lead_minutes": 10, "started": true}),
    ] {
        let answer = put_as(&server, &t, &t.pairing, body.clone()).await;
        answer.refused(403, "arbiter-required");
    }
    server.at("2026-12-05T07:35:00Z").await; // Exactly 30 minutes before 08:05.
    let later = json!({"starts_at": "2026-12-05T10:25", "confirm_release_at": "2026-12-05T08:10:00Z"});
    put_as(&server, &t, &t.pairing, later).await.done(200);
    server.at("2026-12-05T07:40:00.001Z").await;
    let later = json!({"starts_at": "2026-12-05T10:35", "confirm_release_at": "2026-12-05T08:20:00Z"});
    put_as(&server, &t, &t.pairing, later.clone()).await.refused(403, "arbiter-required");
    put_as(&server, &t, &t.arbiter, later).await.done(200);
    let second = json!({"starts_at": "2026-12-05T15:00"});
    server.put(&t.at("/rounds/2"), &t.pairing, second).await.done(200);
}

/// Whether play has begun is for an arbiter to say.
#[tokio::test]
async fn pairing_software_does_not_say_that_play_has_begun() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    put_as(&server, &t, &t.pairing, json!({"started": true})).await.refused(403, "arbiter-required");
    put_as(&server, &t, &t.arbiter, json!({"started": true})).await.done(200);
}

/// Not even by way of a round without a date.
#[tokio::test]
async fn pairing_software_touches_no_public_position() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    put(&server, &t, 1, json!({"starts_at": null, "if_released": "keep"})).await.done(200);
    let body = json!({"starts_at": "2026-12-06T10:00", "if_released": "void"});
    put_as(&server, &t, &t.pairing, body).await.refused(403, "arbiter-required");
    server.get(&t.at("/rounds/1/position")).await.done(200);
}

#[tokio::test]
async fn a_public_position_is_kept_or_voided_when_its_round_moves() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    let public = server.get(&t.at("/rounds/1/position")).await.json();
    let later = json!({"starts_at": "2026-12-05T10:30"});
    put(&server, &t, 1, later).await.refused(409, "round-released");
    put(&server, &t, 1, json!({"starts_at": "2026-12-05T10:30", "if_released": "keep"})).await.done(200);
    assert_eq!(server.get(&t.at("/rounds/1/position")).await.json(), public);
    put(&server, &t, 1, json!({"starts_at": "2026-12-05T11:00", "if_released": "void"})).await.done(200);
    server.get(&t.at("/rounds/1/position")).await.refused(410, "draw-voided");
    let round = server.get(&t.at("/rounds/1")).await.json();
    assert_eq!((&round["state"], &round["draws"][0]["void"]["reason"]), (&json!("voided"), &json!("moved")));
}

#[tokio::test]
async fn a_round_postponed_after_its_release_says_so_in_its_void() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    put(&server, &t, 1, json!({"starts_at": null})).await.refused(409, "round-released");
    let round = put(&server, &t, 1, json!({"starts_at": null, "if_released": "void"})).await.done(200);
    assert_eq!(round["draws"][0]["void"]["reason"], "postponed-after-release");
    server.get(&t.at("/rounds/1/position")).await.refused(410, "draw-voided");
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.refused(409, "round-postponed");
}

#[tokio::test]
async fn a_round_that_has_started_cannot_be_moved() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    put(&server, &t, 1, json!({"started": true})).await.done(200);
    // Its start has not come yet: said too early, it is no start.
    put(&server, &t, 1, json!({"starts_at": "2026-12-05T10:05", "if_released": "keep"})).await.done(200);
    server.at("2026-12-05T08:05:00Z").await;
    put(&server, &t, 1, json!({"starts_at": "2026-12-05T11:05", "if_released": "keep"})).await.done(200);
    server.at("2026-12-05T09:05:00Z").await;
    put(&server, &t, 1, json!({"started": true})).await.done(200);
    for if_released in ["keep", "void"] {
        let body = json!({"starts_at": "2026-12-05T12:30", "if_released": if_released});
        put(&server, &t, 1, body).await.refused(409, "round-started");
    }
    server.get(&t.at("/rounds/1/position")).await.done(200);
}

#[tokio::test]
async fn a_round_postponed_and_scheduled_again_keeps_its_draw() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let before = server.get(&t.at("/rounds/1")).await.json()["draws"].clone();
    let postponed = put(&server, &t, 1, json!({"starts_at": null})).await.done(200);
    assert_eq!(
        json!([postponed["state"], postponed["starts_at"], postponed["release_at"]]),
        json!(["postponed", null, null])
    );
    server.at("2026-12-06T07:45:00Z").await;
    assert_eq!(state(&server, &t, 1).await, "postponed");
    let again = put(&server, &t, 1, json!({"starts_at": "2026-12-07T10:00"})).await.done(200);
    assert_eq!((&again["state"], &again["draws"]), (&json!("sealed"), &before));
    server.at("2026-12-07T07:45:00Z").await;
    assert_eq!(state(&server, &t, 1).await, "released");
}

#[tokio::test]
async fn a_shift_moves_the_unreleased_rest_of_the_day_and_nothing_else() {
    let server = TestServer::new().await;
    let rounds = json!([
        {"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T12:00"},
        {"number": 3, "starts_at": "2026-12-05T14:00"}, {"number": 4, "starts_at": "2026-12-06T10:00"},
        {"number": 5, "starts_at": null},
    ]);
    let t = server.tournament("kaunas-2026-open", json!({}), rounds).await;
    server.at("2026-12-05T07:45:00Z").await;
    let shift = async |token: &str, body: Value| server.post(&t.at("/rounds/shift"), token, body).await;
    let moved = shift(&t.arbiter, json!({"from": 1, "minutes": 50})).await.done(200);
    let numbers: Vec<_> = moved["rounds"].as_array().unwrap().iter().map(|round| &round["number"]).collect();
    assert_eq!(json!(numbers), json!([2, 3]));
    let starts = async |round: u16| server.get(&t.at(&format!("/rounds/{round}"))).await.json()["starts_at"].clone();
    assert_eq!(starts(1).await, "2026-12-05T08:00:00Z");
    assert_eq!(starts(2).await, "2026-12-05T10:50:00Z");
    assert_eq!(starts(3).await, "2026-12-05T12:50:00Z");
    assert_eq!(starts(4).await, "2026-12-06T08:00:00Z");

    shift(&t.pairing, json!({"from": 2, "minutes": -10})).await.refused(403, "arbiter-required");
    shift(&t.pairing, json!({"from": 2, "minutes": 10})).await.done(200);
    for minutes in [0, 1441, -1441] {
        shift(&t.arbiter, json!({"from": 2, "minutes": minutes})).await.refused(422, "invalid-field");
    }
    shift(&t.arbiter, json!({"from": 9, "minutes": 5})).await.refused(404, "round-unknown");
    shift(&t.arbiter, json!({"from": 5, "minutes": 5})).await.refused(409, "round-postponed");
    shift(&t.arbiter, json!({"from": 2, "minutes": -1440})).await.refused(422, "start-in-past");
    assert_eq!(starts(2).await, "2026-12-05T11:00:00Z");
    assert_eq!(starts(3).await, "2026-12-05T13:00:00Z");
}

#[tokio::test]
async fn a_shift_that_one_round_cannot_follow_moves_none() {
    let server = TestServer::new().await;
    let rounds = json!([
        {"number": 1, "starts_at": "2026-12-05T12:00"}, {"number": 2, "starts_at": "2026-12-05T16:00"},
    ]);
    let t = server.tournament("kaunas-2026-open", json!({}), rounds).await;
    server.at("2026-12-05T06:10:00Z").await;
    let forward = json!({"from": 1, "minutes": -225});
    server.post(&t.at("/rounds/shift"), &t.arbiter, forward).await.refused(409, "too-late");
    let size = server.log().await.len();
    let now = json!({"from": 1, "minutes": -218});
    server.post(&t.at("/rounds/shift"), &t.arbiter, now).await.refused(409, "confirm-release-now");
    assert_eq!(server.log().await.len(), size);
    let said = json!({"from": 1, "minutes": -218, "release_now": true});
    server.post(&t.at("/rounds/shift"), &t.arbiter, said).await.done(200);
    server.tick().await;
    assert_eq!(state(&server, &t, 1).await, "released");
    assert_eq!(state(&server, &t, 2).await, "sealed");
}

#[tokio::test]
async fn a_release_missed_by_two_minutes_is_still_sent_and_by_more_it_waits() {
    for (instant, expected) in [("2026-12-05T07:47:00Z", "released"), ("2026-12-05T07:47:00.001Z", "overdue")] {
        let server = TestServer::new().await;
        let t = server.kaunas().await;
        server.at(instant).await;
        assert_eq!(state(&server, &t, 1).await, expected, "{instant}");
    }
}

#[tokio::test]
async fn an_overdue_round_is_released_moved_or_voided_by_the_arbiter() {
    let server = TestServer::new().await;
    let rounds = json!([
        {"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T11:00"},
        {"number": 3, "starts_at": "2026-12-05T12:00"},
    ]);
    let t = server.tournament("kaunas-2026-open", json!({}), rounds).await;
    release(&server, &t, 1).await.refused(409, "not-overdue");
    server.at("2026-12-05T10:30:00Z").await;
    server.at("2026-12-05T10:31:00Z").await;
    for round in [1, 2, 3] {
        assert_eq!(state(&server, &t, round).await, "overdue");
        assert_eq!(
            server.get(&t.at(&format!("/rounds/{round}"))).await.json()["overdue_since"],
            "2026-12-05T10:30:00Z"
        );
    }
    assert_eq!(release(&server, &t, 1).await.done(200)["state"], "released");
    release(&server, &t, 1).await.refused(409, "not-overdue");
    let moved = put(&server, &t, 2, json!({"starts_at": "2026-12-05T15:00"})).await;
    let moved = if moved.status == 409 {
        put(&server, &t, 2, json!({"starts_at": "2026-12-05T15:00", "confirm_release_at": "2026-12-05T12:45:00Z"}))
            .await
    } else {
        moved
    };
    assert_eq!(moved.done(200)["state"], "sealed");
    server.at("2026-12-05T12:45:00Z").await;
    assert_eq!(state(&server, &t, 2).await, "released");
    let draw = server.get(&t.at("/rounds/3")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "not-played"})).await.done(200);
    assert_eq!(state(&server, &t, 3).await, "voided");
}

#[tokio::test]
async fn with_overdue_release_a_missed_position_is_sent_by_itself() {
    let server = TestServer::new().await;
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00"}]);
    let t = server.tournament("kaunas-2026-open", json!({"overdue": "release"}), rounds).await;
    server.at("2026-12-05T11:00:00Z").await;
    assert_eq!(state(&server, &t, 1).await, "released");
}

#[tokio::test]
async fn a_round_keeps_its_draw_when_the_arbiter_postpones_it_overdue() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T09:00:00Z").await;
    put(&server, &t, 1, json!({"starts_at": null})).await.done(200);
    assert_eq!(state(&server, &t, 1).await, "postponed");
    put(&server, &t, 1, json!({"starts_at": "2026-12-06T10:00"})).await.done(200);
    server.at("2026-12-06T07:45:00Z").await;
    assert_eq!(state(&server, &t, 1).await, "released");
}
