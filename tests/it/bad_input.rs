//! What makes no sense is refused by name, and nothing is stored.

use crate::support::{NOW, TestServer, Tournament};
use axum::http::Method;
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

fn new(change: impl FnOnce(&mut Value)) -> Value {
    let mut body = json!({
        "name": "Vilnius Open", "slug": "vilnius-2026", "time_zone": "Europe/Vilnius",
        "rounds": [{"number": 1, "starts_at": "2026-12-06T10:00"}],
    });
    change(&mut body);
    body
}

#[tokio::test]
async fn a_tournament_that_makes_no_sense_is_refused_by_the_place_of_the_fault() {
    let server = TestServer::new().await;
    for (body, code, pointer) in [
        (new(|b| b["name"] = " ".into()), "invalid-field", "/name"),
        (new(|b| b["name"] = "a\u{1b}[2J".into()), "invalid-field", "/name"),
        (new(|b| b["name"] = 5.into()), "invalid-field", "/name"),
        (new(|b| b["slug"] = "Vilnius 2026".into()), "invalid-field", "/slug"),
        (new(|b| b["slug"] = "ab".into()), "invalid-field", "/slug"),
        (new(|b| b["time_zone"] = "Europe/Kaunas".into()), "time-zone-unknown", "/time_zone"),
        (new(|b| b["time_zone"] = "../../etc/passwd".into()), "time-zone-unknown", "/time_zone"),
        (new(|b| b["preset"] = "casino".into()), "invalid-field", "/preset"),
        (new(|b| b["policy"] = json!({"excluded": [960]})), "not-a-position-number", "/policy/excluded/0"),
        (new(|b| b["policy"] = json!({"excluded": [-1]})), "invalid-field", "/policy/excluded/0"),
        (new(|b| b["policy"] = json!({"excluded": [518.5]})), "invalid-field", "/policy/excluded/0"),
        (new(|b| b["policy"] = json!({"excluded": ["518"]})), "invalid-field", "/policy/excluded/0"),
        (new(|b| b["policy"] = json!({"pool": []})), "policy-invalid", "/policy/excluded"),
        (new(|b| b["policy"] = json!({"lead_minutes": 9})), "policy-invalid", "/policy/lead_minutes"),
        (new(|b| b["policy"] = json!({"lead_minutes": 16})), "policy-invalid", "/policy/lead_minutes"),
        (new(|b| b["policy"] = json!({"lead_minutes": 70_000})), "invalid-field", "/policy/lead_minutes"),
        (new(|b| b["policy"] = json!({"leed_minutes": 15})), "invalid-field", "/policy/leed_minutes"),
        (new(|b| b["colour"] = "red".into()), "invalid-field", "/colour"),
        (new(|b| b["rounds"] = json!([{"number": 0, "starts_at": null}])), "invalid-field", "/rounds/0/number"),
        (new(|b| b["rounds"] = json!([{"number": 10_000, "starts_at": null}])), "invalid-field", "/rounds/0/number"),
        (
            new(|b| b["rounds"] = json!([{"number": 1, "starts_at": null}, {"number": 1, "starts_at": null}])),
            "invalid-field",
            "/rounds/1/number",
        ),
        (
            new(|b| b["rounds"] = json!([{"number": 1, "starts_at": null}, {"number": 2, "start": 1}])),
            "invalid-field",
            "/rounds/1",
        ),
        (new(|b| b["rounds"][0]["starts_at"] = "2026-12-05T05:00".into()), "start-in-past", "/rounds/0/starts_at"),
        (new(|b| b["rounds"][0]["starts_at"] = "2026-12-05T06:05:00Z".into()), "too-late", "/rounds/0/starts_at"),
        (new(|b| b["rounds"][0]["starts_at"] = "next Saturday".into()), "invalid-field", "/rounds/0/starts_at"),
        (
            new(|b| b["rounds"][0]["starts_at"] = "2027-03-28T03:30".into()),
            "local-time-nonexistent",
            "/rounds/0/starts_at",
        ),
        (new(|b| b["rounds"][0]["label"] = "".into()), "invalid-field", "/rounds/0/label"),
    ] {
        let answer = server.post("/api/v1/tournaments", &server.operator, body.clone()).await;
        assert!(answer.status.is_client_error(), "{body}: {}", answer.text());
        let problem = answer.json();
        assert_eq!(
            (answer.problem().as_str(), problem["errors"][0]["pointer"].as_str()),
            (code, Some(pointer)),
            "{problem}"
        );
    }
    assert_eq!(server.log().await.len(), 0);
    assert_eq!(server.get("/api/v1/tournaments").await.json()["tournaments"], json!([]));
    server.post("/api/v1/tournaments", &server.operator, new(|_| ())).await.done(201);
}

#[tokio::test]
async fn missing_fields_are_named() {
    let server = TestServer::new().await;
    for field in ["name", "slug", "time_zone"] {
        let body = new(|body| drop(body.as_object_mut().unwrap().remove(field)));
        let answer = server.post("/api/v1/tournaments", &server.operator, body).await;
        let problem = answer.refused(422, "invalid-field");
        assert!(problem["detail"].as_str().unwrap().contains(field), "{problem}");
    }
}

#[tokio::test]
async fn nights_of_clock_changes_name_the_candidates_and_these_work() {
    let server = TestServer::new().await;
    server.clock.set("2026-03-20T12:00:00Z".parse().unwrap());
    let t = server.tournament("kaunas-2026", json!({}), json!([])).await;
    for (text, code, candidates) in [
        ("2026-03-29T03:30", "local-time-nonexistent", ["2026-03-29T02:30:00+02:00", "2026-03-29T04:30:00+03:00"]),
        ("2026-10-25T03:50", "local-time-ambiguous", ["2026-10-25T03:50:00+03:00", "2026-10-25T03:50:00+02:00"]),
    ] {
        let problem = server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": text})).await.refused(422, code);
        assert_eq!(problem["candidates"], json!(candidates));
        server.get(&t.at("/rounds/1")).await.refused(404, "round-unknown");
    }
    for (n, candidate) in
        [(1, "2026-03-29T02:30:00+02:00"), (2, "2026-10-25T03:50:00+03:00"), (3, "2026-10-25T03:50:00+02:00")]
    {
        let path = t.at(&format!("/rounds/{n}"));
        let confirm =
            server.put(&path, &t.arbiter, json!({"starts_at": candidate})).await.refused(409, "confirm-schedule");
        let said = json!({"starts_at": candidate, "confirm_release_at": confirm["release_at"]});
        assert_eq!(server.put(&path, &t.arbiter, said).await.done(200)["starts_at_local"], candidate);
    }
}

/// The offset in force on the day of the round counts, and the release is reckoned on the UTC axis.
#[tokio::test]
async fn rounds_after_a_change_of_clocks_start_and_release_when_they_should() {
    let server = TestServer::new().await;
    server.clock.set("2026-03-20T12:00:00Z".parse().unwrap());
    let t = server.tournament("kaunas-2026", json!({}), json!([])).await;
    for (n, text, starts_at, release_at, local) in [
        (1, "2026-03-29T04:05", "2026-03-29T01:05:00Z", "2026-03-29T00:50:00Z", "2026-03-29T02:50:00+02:00"),
        (2, "2026-04-04T15:00", "2026-04-04T12:00:00Z", "2026-04-04T11:45:00Z", "2026-04-04T14:45:00+03:00"),
        (3, "2026-10-25T04:05", "2026-10-25T02:05:00Z", "2026-10-25T01:50:00Z", "2026-10-25T03:50:00+02:00"),
    ] {
        let body = json!({"starts_at": text, "confirm_release_at": release_at});
        let round = server.put(&t.at(&format!("/rounds/{n}")), &t.arbiter, body).await.done(200);
        assert_eq!(
            json!([round["starts_at"], round["release_at"], round["release_at_local"]]),
            json!([starts_at, release_at, local])
        );
    }
    server.at("2026-10-25T00:50:00Z").await; // 03:50 local, for the first time that night.
    server.get(&t.at("/rounds/3/position")).await.refused(403, "position-sealed");
    server.at("2026-10-25T01:50:00Z").await;
    server.get(&t.at("/rounds/3/position")).await.done(200);
}

#[tokio::test]
async fn times_at_the_ends_of_the_calendar_are_refused() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for text in [
        "-009999-01-02T01:59:59Z",
        "9999-12-30T22:00:00Z",
        "9999-12-31T23:59",
        "-009999-01-01T00:00",
        "2026-13-01T10:00",
        "2026-12-05T25:00",
        "2026-02-30T10:00",
        "2026-12-06T10:00:00.5Z",
        "",
        "null",
        "1796457600",
    ] {
        let answer = server.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": text})).await;
        answer.refused(422, "invalid-field");
    }
    for body in [json!({"starts_at": 1_796_457_600}), json!({"starts_at": ["2026-12-06T10:00"]}), json!({})] {
        server.put(&t.at("/rounds/2"), &t.arbiter, body).await.refused(422, "invalid-field");
    }
    let far = json!({"starts_at": "2999-12-31T20:00", "confirm_release_at": "2999-12-31T19:45"});
    server.put(&t.at("/rounds/2"), &t.arbiter, far).await.done(200);
    server.post(&t.at("/rounds/shift"), &t.arbiter, json!({"from": 2, "minutes": 1440})).await.done(200);
}

#[tokio::test]
async fn bodies_that_are_no_json_are_refused_without_a_trace() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let size = server.log().await.len();
    let paths = [
        (Method::POST, "/api/v1/tournaments".to_owned(), server.operator.clone()),
        (Method::PATCH, t.path.clone(), t.arbiter.clone()),
        (Method::PUT, t.at("/rounds/2"), t.arbiter.clone()),
        (Method::POST, t.at("/rounds/shift"), t.arbiter.clone()),
        (Method::PUT, t.at("/rounds/1/pairings"), t.pairing.clone()),
        (Method::POST, t.at("/rounds/1/draws"), t.arbiter.clone()),
        (Method::POST, t.at("/tokens"), t.arbiter.clone()),
        (Method::POST, "/api/v1/draws/drw_0/void".to_owned(), t.arbiter.clone()),
    ];
    for (method, path, token) in paths {
        let send =
            async |media_type: &str, body: Vec<u8>| server.raw(method.clone(), &path, &token, media_type, body).await;
        for body in
            [&b"{\"name\": \"a"[..], b"{", b"nonsense", b"{} {}", b"{\"a\": \xff\xfe}", b"\xef\xbb\xbf{}", b"{\"a\" 1}"]
        {
            let answer = send("application/json", body.to_vec()).await;
            assert!([400, 422].contains(&answer.status.as_u16()), "{path}: {}", answer.text());
            assert!(["malformed-json", "invalid-field"].contains(&answer.problem().as_str()), "{path}");
        }
        for body in ["[]", "1", "\"x\"", "true"] {
            send("application/json", body.into()).await.refused(422, "invalid-field");
        }
        send("application/json", vec![b' '; 10 << 20]).await.refused(413, "body-too-large");
        send("text/plain", b"{}".to_vec()).await.refused(415, "unsupported-media-type");
        send("application/json", [vec![b'['; 100_000], vec![b']'; 100_000]].concat()).await.problem();
    }
    assert_eq!(server.log().await.len(), size);
}

#[tokio::test]
async fn a_long_body_without_a_length_is_cut_off() {
    let server = TestServer::new().await;
    let request = axum::http::Request::post("/api/v1/tournaments")
        .header("authorization", format!("Bearer {}", server.operator))
        .header("content-type", "application/json");
    let answer = server.send(request.body(axum::body::Body::from(vec![b' '; 2 << 20])).unwrap()).await;
    answer.refused(413, "body-too-large");
}

#[tokio::test]
async fn strange_paths_are_problems() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    for round in ["0", "-1", "1.0", "10000", "99999999999", "one", "%31%20", "%00", "%D9%A1"] {
        let answer = server.get(&t.at(&format!("/rounds/{round}/position"))).await;
        answer.refused(422, "invalid-field");
    }
    let long = "a".repeat(5000);
    for path in [
        format!("/api/v1/tournaments/{long}"),
        "/api/v1/tournaments/%2e%2e%2f".to_owned(),
        "/api/v1/tournaments/%27%20or%201=1--".to_owned(),
        format!("/api/v1/tournaments/{long}/rounds/1/position"),
    ] {
        server.get(&path).await.refused(404, "tournament-unknown");
    }
    assert_eq!(server.get("/api/v1/tournaments/%ff").await.status, 422);
    for id in [long.as_str(), "%F0%9F%91%BE", "drw_x", "trn_00000000000000000000000000000000"] {
        server.get(&format!("/api/v1/draws/{id}")).await.refused(404, "draw-unknown");
    }
    for board in ["0", "10000", "x"] {
        server.get(&t.at(&format!("/rounds/1/boards/{board}/position"))).await.refused(422, "invalid-field");
    }
    // The same path spelled with escapes is the same path.
    let plain = server.get(&t.at("/rounds/1/position")).await;
    let escaped = server.get("/api/v1/tournaments/kaunas%2d2026%2Dopen/rounds/%31/position").await;
    assert_eq!(plain.bytes, escaped.bytes);
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "2026-12-06T10:00",
            "2026-12-05T06:12:00Z",
            "-009999-01-02T01:59:59Z",
            "never",
            "board",
            "round",
            "local",
            "Europe/Vilnius",
            "wrong-entry",
            "keep",
            "void",
            "kaunas-2027",
            "UTC",
            "9999-12-30T22:00:00Z",
            "csprng",
            "arbiter",
        ])
        .prop_map(Value::from),
        prop::sample::select(vec![0u64, 1, 2, 9, 15, 16, 518, 959, 960, 1000, 65535, 65536]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((field(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

fn field() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "name",
        "slug",
        "time_zone",
        "preset",
        "policy",
        "rounds",
        "number",
        "starts_at",
        "label",
        "lead_minutes",
        "boards",
        "confirm_release_at",
        "release_now",
        "if_released",
        "started",
        "note",
        "scope",
        "rounds_per_draw",
        "excluded",
        "pool",
        "repeats",
        "entropy",
        "custom_lead",
        "small_pool",
        "rehearsal",
        "overdue",
        "auto_draw",
        "board",
        "method",
        "reason",
        "from",
        "minutes",
        "role",
        "white",
        "black",
        "byes",
        "player",
        "fide_id",
        "round",
        "pgn",
        "moves",
        "notation",
        "result",
    ])
}

/// A body of known fields, more often accepted at the first level than chance would have it.
fn body() -> impl Strategy<Value = Value> {
    let fields = prop::collection::vec((field(), json_value()), 0..8);
    fields.prop_map(|fields| Value::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()))
}

/// Random bodies never meet a mistake of ours, and what answers is a problem or JSON.
#[test]
fn no_body_gives_an_internal_error() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (server, t) = runtime.block_on(async {
        let server = TestServer::new().await;
        let t = server.kaunas().await;
        (server, t)
    });
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let result =
        runner.run(&body(), |body| runtime.block_on(try_everywhere(&server, &t, &body)).map_err(TestCaseError::fail));
    result.unwrap();
}

async fn try_everywhere(server: &TestServer, t: &Tournament, body: &Value) -> Result<(), String> {
    server.clock.set(NOW.parse().unwrap());
    let draw = server.get(&t.at("/rounds/1")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    for (method, path, token) in [
        (Method::POST, "/api/v1/tournaments".to_owned(), &server.operator),
        (Method::PATCH, t.path.clone(), &t.arbiter),
        (Method::PUT, t.at("/rounds/2"), &t.arbiter),
        (Method::POST, t.at("/rounds/shift"), &t.arbiter),
        (Method::PUT, t.at("/rounds/1/pairings"), &t.pairing),
        (Method::POST, t.at("/rounds/1/draws"), &t.arbiter),
        (Method::POST, t.at("/tokens"), &t.arbiter),
        (Method::POST, t.at("/games"), &t.arbiter),
        (Method::POST, format!("/api/v1/draws/{draw}/void"), &t.arbiter),
    ] {
        let answer = server.call(method.clone(), &path, token, Some(body.clone())).await;
        if answer.status.is_server_error() {
            return Err(format!("{method} {path} {body}: {}", answer.text()));
        }
        if !answer.status.is_success() {
            answer.problem();
        }
    }
    Ok(())
}
