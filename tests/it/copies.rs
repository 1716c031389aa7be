//! A bundle brings copies of every age up to date: what the public can read afterwards is what the lost server showed.

use crate::support::{
    TestServer, Tournament,
    relay::{ROUND_123, ROUND_1000},
};
use axum::http::Method;
use draw960::{
    clock::ManualClock,
    domain::verify::{Bundle, Trust, verify},
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

const MORNING: &str = "2023-08-23T12:00:00Z";
const DICE: &str = "63454660390103169462";

/// A server with one tournament of each kind, and copies of its database on the way.
struct Season {
    server: TestServer,
    copies: Vec<TempDir>,
    beacon: Tournament,
    blocks: Tournament,
    boards: Tournament,
    by_hand: Tournament,
    ended: Tournament,
}

fn round(number: u16, time: &str) -> Value {
    let starts_at: Timestamp = format!("2023-08-23T{time}Z").parse().unwrap();
    let confirm_release_at = starts_at - SignedDuration::from_mins(15);
    json!({"number": number, "starts_at": starts_at.to_string(), "confirm_release_at": confirm_release_at.to_string()})
}

async fn season() -> Season {
    let clock = ManualClock::new(MORNING.parse().unwrap());
    let server = TestServer::open(tempfile::tempdir().unwrap(), clock, 1).await;
    let policy = json!({"entropy": "drand", "entropy_fallback": ["dice"]});
    // Beacon rounds 123 and 1000.
    let beacon = server.tournament("beacon-2023", policy, json!([round(1, "15:31:03"), round(2, "16:14:54")])).await;
    let policy =
        json!({"rounds_per_draw": 2, "repeats": "never", "pool": [1, 2, 3, 4, 5, 6, 7, 8, 9], "small_pool": true});
    let times = (1..).zip(["14:00:00", "15:00:00", "15:30:00", "15:45:00", "16:30:00", "17:00:00"]);
    let blocks =
        server.tournament("blocks-2023", policy, times.map(|(number, time)| round(number, time)).collect()).await;
    let mut three = round(1, "15:30:00");
    three["boards"] = json!(3);
    let boards = server.tournament("boards-2023", json!({"scope": "board", "repeats": "never"}), json!([three])).await;
    let by_hand = server.tournament("by-hand-2023", json!({"auto_draw": false}), json!([round(1, "14:00:00")])).await;
    let ended = server.tournament("ended-2023", json!({}), json!([round(1, "14:30:00"), round(2, "18:00:00")])).await;
    Season { server, copies: Vec::new(), beacon, blocks, boards, by_hand, ended }
}

impl Season {
    async fn copy(&mut self) {
        let (folder, source) = (tempfile::tempdir().unwrap(), self.server.folder.path());
        self.server.desk.store.backup(folder.path().join("draw960.db").to_str().unwrap()).await.unwrap();
        fs::copy(source.join("draw960.key"), folder.path().join("draw960.key")).unwrap();
        self.copies.push(folder);
    }

    async fn void(&self, t: &Tournament, round: u16, board: u16) {
        let shown = self.server.get(&t.at(&format!("/rounds/{round}"))).await.done(200);
        let draw =
            shown["draws"].as_array().unwrap().iter().rfind(|draw| draw["board"] == board).unwrap()["id"].clone();
        let path = format!("/api/v1/draws/{}/void", draw.as_str().unwrap());
        self.server.post(&path, &t.arbiter, json!({"reason": "organiser-decision"})).await.done(200);
    }

    async fn order(&self, t: &Tournament, round: u16, body: Value) -> Value {
        self.server.post(&t.at(&format!("/rounds/{round}/draws")), &t.arbiter, body).await.done(201)
    }

    async fn pair_and_play(&self, t: &Tournament, time: &str) {
        let board = |board| json!({"board": board, "white": {"name": format!("A{board}")}, "black": {"name": format!("B{board}")}});
        let pairings = json!({"boards": (1..=3).map(board).collect::<Vec<_>>(), "reason": "late entries"});
        self.server.put(&t.at("/rounds/1/pairings"), &t.pairing, pairings).await.done(200);
        self.server.at(&format!("2023-08-23T{time}Z")).await;
        let game = json!({"round": 1, "board": 1, "moves": [], "result": "1/2-1/2"});
        self.server.post(&t.at("/games"), &t.pairing, game).await.done(201);
    }

    async fn at(&self, time: &str) {
        self.server.at(&format!("2023-08-23T{time}Z")).await;
    }

    async fn release(&self, t: &Tournament, round: u16) {
        self.server.post(&t.at(&format!("/rounds/{round}/release")), &t.arbiter, json!({})).await.done(200);
    }

    async fn beacon_comes(&self, round: u16, value: u64, signature: &str) {
        let path = self.beacon.at(&format!("/rounds/{round}/beacon"));
        self.server.post(&path, "", json!({"round": value, "signature": signature})).await.done(200);
    }

    /// Before noon: schedules and policies.
    async fn prepare(&mut self) {
        self.copy().await;
        let amended = json!({"policy": {"excluded": [518, 534], "lead_minutes": 12}});
        self.server.patch(&self.boards.path, &self.boards.arbiter, amended).await.done(200);
        self.server.put(&self.blocks.at("/rounds/5"), &self.blocks.arbiter, round(5, "16:40:00")).await;
        self.server.put(&self.blocks.at("/rounds/6"), &self.blocks.arbiter, json!({"starts_at": null})).await.done(200);
        let draw = self.order(&self.by_hand, 1, json!({"method": "manual", "procedure": "d6"})).await["id"].clone();
        let path = format!("/api/v1/draws/{}/throws", draw.as_str().unwrap());
        self.copy().await;
        for throw in ["3", "5", "1", "4", "6", "2", "1"] {
            self.server.post(&path, &self.by_hand.arbiter, json!({"throws": [throw]})).await.done(200);
        }
    }

    /// Blocks, a draw by hand, and a tournament that ends.
    async fn first_half(&mut self) {
        self.at("13:45:00").await;
        self.pair_and_play(&self.blocks, "14:05:00").await;
        self.server.desk.export_sheet("blocks-2023").await.unwrap();
        self.void(&self.blocks, 1, 0).await;
        self.copy().await;
        self.order(&self.blocks, 2, json!({})).await;
        self.at("14:15:00").await;
        self.at("14:45:00").await;
        self.void(&self.ended, 2, 0).await;
        self.server.call(Method::POST, &self.ended.at("/close"), &self.ended.arbiter, None).await.done(200);
    }

    /// Beacons that come, and one that is not waited for; boards, one of them void after it was played.
    async fn second_half(&mut self) {
        self.void(&self.beacon, 1, 0).await;
        self.order(&self.beacon, 1, json!({"entropy": "dice"})).await;
        let (_, deputy) = self.server.token(&self.beacon, "deputy").await;
        self.server
            .post(&self.beacon.at("/rounds/1/dice"), &self.beacon.arbiter, json!({"digits": DICE}))
            .await
            .done(200);
        self.copy().await;
        self.server.post(&self.beacon.at("/rounds/1/dice"), &deputy, json!({"digits": DICE})).await.done(200);
        self.at("15:15:34").await;
        self.beacon_comes(1, 123, ROUND_123).await;
        self.at("15:18:00").await;
        self.void(&self.boards, 1, 2).await;
        self.order(&self.boards, 1, json!({"board": 2})).await;
        self.pair_and_play(&self.boards, "15:40:00").await;
        // Overdue: the copy waits for a decision that the log has.
        self.copy().await;
        self.release(&self.boards, 1).await;
        self.void(&self.boards, 1, 1).await;
        self.at("15:59:26").await;
        self.beacon_comes(2, 1000, ROUND_1000).await;
        self.at("15:59:54").await;
        self.copy().await;
        self.void(&self.beacon, 2, 0).await;
    }

    fn tournaments(&self) -> [&Tournament; 5] {
        [&self.beacon, &self.blocks, &self.boards, &self.by_hand, &self.ended]
    }
}

/// What the public can read of all rounds, without ids of draws and what rests on the length of the log.
async fn shown(server: &TestServer, tournaments: [&Tournament; 5]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for t in tournaments {
        let rounds = server.get(&t.path).await.done(200)["rounds"].as_array().unwrap().len();
        let of_round =
            |round| ["", "/history", "/position", "/boards/1/position"].map(|what| format!("/rounds/{round}{what}"));
        for path in (1..=rounds).flat_map(of_round).chain(["/positions".into(), String::new()]) {
            let mut json = server.get(&t.at(&path)).await.json();
            strip(&mut json);
            all.push((t.at(&path), serde_json::to_string_pretty(&json).unwrap()));
        }
    }
    all
}

fn strip(json: &mut Value) {
    match json {
        Value::String(text) if text.contains("drw_") => text.clear(),
        Value::Array(items) => {
            items.retain(|item| item["kind"] != "takeover");
            items.iter_mut().for_each(strip);
        }
        Value::Object(members) => {
            members.remove("receipt");
            members.values_mut().for_each(strip);
        }
        _ => {}
    }
}

async fn bundle(server: &TestServer, t: &Tournament) -> Bundle {
    serde_json::from_value(server.get(&t.at("/bundle")).await.done(200)).unwrap()
}

async fn nothing_is_wrong(server: &TestServer, tournaments: [&Tournament; 5]) {
    for t in tournaments {
        let report = verify(&bundle(server, t).await, &Trust::default());
        assert!(report.checks.iter().all(|check| check.faults.is_empty()), "{report}");
    }
}

#[tokio::test]
async fn a_copy_of_any_age_is_brought_up_to_date() {
    let mut season = season().await;
    season.prepare().await;
    season.first_half().await;
    season.second_half().await;
    nothing_is_wrong(&season.server, season.tournaments()).await;
    let (bundle, expected) =
        (bundle(&season.server, &season.beacon).await, shown(&season.server, season.tournaments()).await);
    for folder in std::mem::take(&mut season.copies) {
        fs::copy(season.server.folder.path().join("draw960.highwater"), folder.path().join("draw960.highwater"))
            .unwrap();
        let copy = TestServer::open(folder, season.server.clock.clone(), 20).await;
        let done = copy.desk.replay(&bundle, copy.folder.path()).await.unwrap();
        let copy = copy.restart(21).await;
        copy.ready().await;
        for ((path, was), (_, is)) in expected.iter().zip(shown(&copy, season.tournaments()).await) {
            similar(&format!("{path}, from a copy of {}", done.from), was, &is);
        }
        nothing_is_wrong(&copy, season.tournaments()).await;
    }
}

#[track_caller]
fn similar(what: &str, was: &str, is: &str) {
    let other: Vec<_> = was.lines().zip(is.lines()).filter(|(was, is)| was != is).collect();
    assert!(was.lines().count() == is.lines().count() && other.is_empty(), "{what}: {other:?}");
}
