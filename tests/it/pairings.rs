//! Pairings of a round: published, replaced, frozen.

use crate::support::{TestServer, Tournament};
use serde_json::{Value, json};

fn sheet() -> Value {
    json!({
        "boards": [
            {"board": 1, "white": {"name": "Ždanovičius, Aistė", "fide_id": "12800012", "team": "Kaunas"}, "black": {"name": "Roe, Jane"}},
            {"board": 2, "label": "1.2", "white": {"name": "Doe, John"}, "black": {"name": "Poe, Edgar"}},
        ],
        "byes": [{"player": {"name": "Alone, Ona"}}],
    })
}

async fn put(server: &TestServer, t: &Tournament, body: Value) -> crate::support::Answer {
    server.put(&t.at("/rounds/1/pairings"), &t.pairing, body).await
}

#[tokio::test]
async fn pairings_replace_all_and_are_shown_as_they_came() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let shown = put(&server, &t, sheet()).await.done(200);
    assert_eq!((&shown["boards"], &shown["byes"]), (&sheet()["boards"], &sheet()["byes"]));
    assert_eq!(server.get_as(&t.at("/rounds/1/pairings"), &t.board).await.done(200), shown);
    let one = json!({"boards": [{"board": 5, "white": {"name": "A"}, "black": {"name": "B"}}]});
    put(&server, &t, one.clone()).await.done(200);
    let shown = server.get_as(&t.at("/rounds/1/pairings"), &t.auditor).await.done(200);
    assert_eq!((&shown["boards"], &shown["byes"]), (&one["boards"], &json!([])));
}

#[tokio::test]
async fn names_are_for_the_hall_and_not_for_the_public() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    put(&server, &t, sheet()).await.done(200);
    server.get(&t.at("/rounds/1/pairings")).await.refused(401, "unauthenticated");
    for (path, _, answer) in server.everything(&t, "1").await.iter().filter(|(_, role, _)| *role == "public") {
        assert!(!answer.text().contains("Aistė"), "{path}");
    }
}

#[tokio::test]
async fn pairings_freeze_at_the_release() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    put(&server, &t, sheet()).await.done(200);
    server.at("2026-12-05T07:45:00Z").await;
    let size = server.log().await.len();
    put(&server, &t, sheet()).await.refused(409, "pairings-frozen");
    let with = |reason: &str| {
        let mut body = sheet();
        body["reason"] = reason.into();
        body
    };
    put(&server, &t, with(" ")).await.refused(409, "pairings-frozen");
    assert_eq!(server.log().await.len(), size);
    put(&server, &t, with("Doe did not come")).await.done(200);
    assert_eq!(server.kinds().await[size..], ["pairings", "note"]);
    assert!(!server.get("/api/v1/log/entries").await.text().contains("did not come"));
}

#[tokio::test]
async fn pairings_that_make_no_sense_are_refused_whole() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    put(&server, &t, sheet()).await.done(200);
    let size = server.log().await.len();
    let board = |board: u16, white: &str| json!({"board": board, "white": {"name": white}, "black": {"name": "B"}});
    for (body, pointer) in [
        (json!({"boards": [board(1, "A"), board(1, "C")]}), "/boards/1/board"),
        (json!({"boards": [board(0, "A")]}), "/boards/0/board"),
        (json!({"boards": [board(10_000, "A")]}), "/boards/0/board"),
        (json!({"boards": [board(1, "")]}), "/boards/0/white/name"),
        (json!({"boards": [board(1, "A\u{0}")]}), "/boards/0/white/name"),
        (json!({"boards": [board(1, &"A".repeat(201))]}), "/boards/0/white/name"),
        (
            json!({"boards": [{"board": 1, "white": {"name": "A", "team": "\n"}, "black": {"name": "B"}}]}),
            "/boards/0/white/team",
        ),
        (
            json!({"boards": [{"board": 1, "white": {"name": "A"}, "black": {"name": "B", "fide_id": "\u{202e}1"}}]}),
            "/boards/0/black/fide_id",
        ),
        (
            json!({"boards": [{"board": 1, "label": "", "white": {"name": "A"}, "black": {"name": "B"}}]}),
            "/boards/0/label",
        ),
        (json!({"boards": [], "byes": [{"player": {"name": ""}}]}), "/byes/0/player/name"),
        (
            json!({"boards": [{"board": 1, "white": {"name": "A", "elo": 2000}, "black": {"name": "B"}}]}),
            "/boards/0/white/elo",
        ),
    ] {
        let problem = put(&server, &t, body).await.refused(422, "invalid-field");
        assert_eq!(problem["errors"][0]["pointer"], pointer);
    }
    assert_eq!(server.log().await.len(), size);
    let shown = server.get_as(&t.at("/rounds/1/pairings"), &t.board).await.done(200);
    assert_eq!(shown["boards"], sheet()["boards"]);
}
