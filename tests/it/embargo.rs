//! Nothing before the instant: every path, every role, before, at and after the release.

use crate::support::{Answer, TestServer, Tournament, evidence, twin};
use draw960::domain::{
    derivation::Hash32,
    entry::leaf_hash,
    log::{Tree, base64},
};
use serde_json::{Value, json};

type Everything = Vec<(String, &'static str, Answer)>;

fn spelled(answer: &Answer) -> String {
    // The request id counts requests, and what other pages may read depends on whether a token was sent.
    let own = |name: &str| name != "x-request-id" && !name.starts_with("access-control-");
    let headers = answer.headers.iter().filter(|(name, _)| own(name.as_str()));
    let headers: Vec<_> = headers.map(|(name, value)| format!("{name}: {value:?}")).collect();
    format!("{}\n{}\n{}", answer.status, headers.join("\n"), answer.text())
}

/// None of these answers holds what only the release of `position` makes public.
fn assert_sealed(before: &Everything, position: &Value) {
    assert!(before.len() > 100, "too few paths were read");
    for (path, role, answer) in before {
        let text = spelled(answer);
        for secret in evidence::released_only(position) {
            assert!(!text.contains(&secret), "{path} as {role} gives {secret} away:\n{text}");
        }
        assert!(!evidence::names_number(&text, &position["number"]), "{path} as {role} names the number:\n{text}");
    }
}

async fn position(server: &TestServer, t: &Tournament, round: &str) -> Value {
    let position = server.get(&t.at(&format!("/rounds/{round}/position"))).await.done(200);
    let number = position["number"].as_u64().unwrap();
    assert!(number > 99 && ![518, 960].contains(&number), "choose another chance: {number} is in other texts");
    evidence::check(&position);
    position
}

async fn sealed(server: &TestServer, t: &Tournament, round: &str) -> Everything {
    server.get(&t.at(&format!("/rounds/{round}/position"))).await.refused(403, "position-sealed");
    server.everything(t, round).await
}

#[tokio::test]
#[should_panic(expected = "away")]
async fn what_is_released_is_noticed() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    let at = position(&server, &t, "1").await;
    assert_sealed(&server.everything(&t, "1").await, &at);
}

#[tokio::test]
async fn nothing_is_known_one_second_before_and_everything_at_the_instant() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let mut before = sealed(&server, &t, "1").await;
    for instant in ["2026-12-05T07:44:59Z", "2026-12-05T07:44:59.999Z"] {
        server.at(instant).await;
        before.extend(sealed(&server, &t, "1").await);
    }
    server.at("2026-12-05T07:45:00Z").await;
    let at = position(&server, &t, "1").await;
    assert_sealed(&before, &at);
    assert_eq!(at["drawn_at"], "2026-12-05T07:45:00Z");
    server.at("2026-12-05T07:45:01Z").await;
    assert_eq!(position(&server, &t, "1").await, at);
}

/// No read path looks at the clock: before the release is committed nothing is public, however late it is.
#[tokio::test]
async fn the_passing_of_the_instant_alone_shows_nothing() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.clock.set("2026-12-05T07:46:00Z".parse().unwrap());
    let before = sealed(&server, &t, "1").await;
    server.tick().await;
    assert_sealed(&before, &position(&server, &t, "1").await);
}

#[tokio::test]
async fn a_released_position_stays_public_when_the_clock_is_set_back() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    let at = position(&server, &t, "1").await;
    server.at("2026-12-05T05:00:00Z").await;
    assert_eq!(position(&server, &t, "1").await, at);
}

#[tokio::test]
async fn a_round_moved_later_is_sealed_at_its_old_instant() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": "2026-12-05T11:30"})).await.done(200);
    let mut before = Vec::new();
    for instant in ["2026-12-05T07:45:00Z", "2026-12-05T08:00:00Z", "2026-12-05T09:14:59Z"] {
        server.at(instant).await;
        before.extend(sealed(&server, &t, "1").await);
    }
    server.at("2026-12-05T09:15:00Z").await;
    assert_sealed(&before, &position(&server, &t, "1").await);
}

#[tokio::test]
async fn a_postponed_round_is_sealed_until_its_new_instant() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": null})).await.done(200);
    server.at("2026-12-05T07:45:00Z").await;
    let answer = server.get(&t.at("/rounds/1/position")).await;
    let problem = answer.refused(403, "position-sealed");
    assert_eq!((&problem["release_at"], answer.header("retry-after")), (&Value::Null, ""));
    let mut before = sealed(&server, &t, "1").await;
    server.put(&t.at("/rounds/1"), &t.arbiter, json!({"starts_at": "2026-12-06T10:00"})).await.done(200);
    server.at("2026-12-06T07:44:59Z").await;
    before.extend(sealed(&server, &t, "1").await);
    server.at("2026-12-06T07:45:00Z").await;
    assert_sealed(&before, &position(&server, &t, "1").await);
}

#[tokio::test]
async fn an_overdue_round_is_sealed_until_the_arbiter_releases_it() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:47:01Z").await;
    assert_eq!(server.get(&t.at("/rounds/1")).await.json()["state"], "overdue");
    let mut before = sealed(&server, &t, "1").await;
    server.at("2026-12-05T09:00:00Z").await;
    before.extend(sealed(&server, &t, "1").await);
    server.call(axum::http::Method::POST, &t.at("/rounds/1/release"), &t.arbiter, None).await.done(200);
    assert_sealed(&before, &position(&server, &t, "1").await);
}

#[tokio::test]
async fn a_draw_after_a_void_is_as_sealed_as_the_first() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let draw = server.get(&t.at("/rounds/1")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    let reason = json!({"reason": "leaked"});
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, reason).await.done(200);
    server.get(&t.at("/rounds/1/position")).await.refused(410, "draw-voided");
    server.post(&t.at("/rounds/1/draws"), &t.arbiter, json!({})).await.done(201);
    server.at("2026-12-05T07:44:59Z").await;
    let before = sealed(&server, &t, "1").await;
    server.at("2026-12-05T07:45:00Z").await;
    let at = position(&server, &t, "1").await;
    assert_eq!(at["attempt"], 2);
    assert_sealed(&before, &at);
}

#[tokio::test]
async fn no_board_knows_another_boards_position_before_the_instant() {
    let server = TestServer::new().await;
    let rounds = json!([{"number": 1, "starts_at": "2026-12-05T10:00", "boards": 3}]);
    let t = server.tournament("boards-2026", json!({"scope": "board"}), rounds).await;
    server.at("2026-12-05T07:44:59Z").await;
    let before = server.everything(&t, "1").await;
    server.at("2026-12-05T07:45:00Z").await;
    for board in 1..=3 {
        let at = server.get(&t.at(&format!("/rounds/1/boards/{board}/position"))).await.done(200);
        for (path, role, answer) in &before {
            let text = spelled(answer);
            for secret in evidence::released_only(&at) {
                assert!(!text.contains(&secret), "{path} as {role} gives board {board} away:\n{text}");
            }
        }
    }
}

/// Every request about the sealed slot gets the same bytes, whoever asks and in whatever form.
#[tokio::test]
async fn the_refusal_is_the_same_for_everybody_and_every_form() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let first = spelled(&server.get(&t.at("/rounds/1/position")).await);
    for suffix in ["", ".svg", ".txt", ".pgn"] {
        for place in ["/rounds/1/position", "/rounds/1/boards/1/position", "/rounds/1/boards/77/position"] {
            for token in ["", &t.arbiter, &t.pairing, &t.board, &t.auditor, &server.operator] {
                let answer = server.get_as(&t.at(&format!("{place}{suffix}")), token).await;
                assert_eq!(spelled(&answer), first, "{place}{suffix}");
                assert_eq!((answer.header("cache-control"), answer.header("etag")), ("no-store", ""));
            }
        }
    }
}

/// The client's own clock and caches change nothing.
#[tokio::test]
async fn dates_tags_and_queries_of_the_client_open_nothing() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let request = axum::http::Request::get(t.at("/rounds/1/position"))
        .header("date", "Sat, 05 Dec 2026 09:00:00 GMT")
        .header("if-none-match", "*")
        .header("if-modified-since", "Sat, 05 Dec 2026 09:00:00 GMT")
        .body(axum::body::Body::empty());
    server.send(request.unwrap()).await.refused(403, "position-sealed");
    server.get(&t.at("/rounds/1/position?now=2026-12-05T09:00:00Z")).await.refused(403, "position-sealed");
}

/// What a world has published: commitments and the hashes of entries, which differ between twins and tell nothing.
async fn published(server: &TestServer) -> Vec<String> {
    let mut known = Vec::new();
    for leaf in server.log().await {
        let entry = leaf["entry"].as_str().unwrap();
        assert_eq!(leaf_hash(entry.as_bytes()).to_string(), leaf["leaf_hash"]);
        known.push(leaf["leaf_hash"].as_str().unwrap().to_owned());
        let entry: Value = serde_json::from_str(entry).unwrap();
        for key in ["master_commit", "commit"] {
            known.extend(entry[key].as_str().map(str::to_owned));
        }
    }
    assert!(known.iter().all(|hash| hash.parse::<Hash32>().is_ok()));
    known.extend(signed(server).await);
    known
}

/// What follows from published entries alone: roots, nodes of proofs, and the log's signatures over them.
async fn signed(server: &TestServer) -> Vec<String> {
    let leaves: Vec<Hash32> =
        server.log().await.iter().map(|leaf| leaf["leaf_hash"].as_str().unwrap().parse().unwrap()).collect();
    let tree: Tree = leaves.iter().copied().collect();
    let mut nodes = Vec::new();
    for size in 1..=tree.size() {
        nodes.push(tree.root(size).unwrap());
        (0..size).for_each(|index| nodes.extend(tree.inclusion(index, size).unwrap()));
    }
    let mut known: Vec<String> = nodes.iter().map(base64).collect();
    known.push(tree.root(tree.size()).unwrap().to_string()[..8].to_owned());
    let (mut paths, newest) = (vec!["/api/v1/log/checkpoint".to_owned()], tree.size());
    paths.extend((0..newest).map(|index| format!("/api/v1/log/receipt/{index}")));
    for path in paths {
        let answer = server.get(&path).await.text();
        known.push(answer.trim_end().rsplit(' ').next().unwrap().to_owned());
    }
    known
}

async fn twin_answers(twist: u8) -> (Vec<String>, Value) {
    let (server, entropy) = twin::world(twist).await;
    entropy.next_is_master();
    let t = server.kaunas().await;
    let mut seen = Vec::new();
    for instant in ["2026-12-05T07:00:00Z", "2026-12-05T07:44:59Z"] {
        server.at(instant).await;
        for (path, role, answer) in server.everything(&t, "1").await {
            let mut text = format!("{path} {role}\n{}", spelled(&answer));
            for (i, hash) in published(&server).await.iter().enumerate() {
                text = text.replace(hash, &format!("<published {i}>"));
            }
            seen.push(text);
        }
    }
    server.at("2026-12-05T07:45:00Z").await;
    (seen, server.get(&t.at("/rounds/1/position")).await.done(200))
}

/// Two worlds with different masters, and so different positions, answer alike to the byte until the release.
#[tokio::test]
async fn before_the_release_no_answer_depends_on_the_position() {
    let ((one, first), (two, second)) = (twin_answers(0).await, twin_answers(0x5a).await);
    assert_ne!(first["number"], second["number"]);
    assert_ne!(first["draw"]["secret"], second["draw"]["secret"]);
    assert_eq!(first["draw"]["id"], second["draw"]["id"], "the twins differ in more than the master");
    for (one, two) in one.iter().zip(&two) {
        assert_eq!(one, two);
    }
    assert_eq!(one.len(), two.len());
}
