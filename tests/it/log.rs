//! The log: exact bytes, leaf hashes, kinds and order, nothing personal; and the dossier made from it.

use crate::support::{TestServer, Tournament};
use draw960::domain::{
    derivation::Hash32,
    entry::{leaf_hash, salted_hash},
};
use serde_json::{Value, json};

/// Text that must never be in the log.
const NAMES: [&str; 5] = ["Aistė", "Ona Petraitytė", "Kaunas Open", "flat battery", "12800012"];

/// A tournament with a bit of everything.
async fn eventful(server: &TestServer) -> Tournament {
    let rounds =
        json!([{"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T15:00"}]);
    let t = server.tournament("kaunas-2026-open", json!({}), rounds).await;
    let pairings =
        json!({"boards": [{"board": 1, "white": {"name": "Aistė", "fide_id": "12800012"}, "black": {"name": "B"}}]});
    server.put(&t.at("/rounds/1/pairings"), &t.pairing, pairings).await.done(200);
    server.patch(&t.path, &t.arbiter, json!({"policy": {"excluded": [518]}})).await.done(200);
    let (_, deputy) = server.token(&t, "deputy").await;
    let later = json!({"starts_at": "2026-12-05T10:05", "note": "flat battery"});
    server.put(&t.at("/rounds/1"), &deputy, later).await.done(200);
    server.at("2026-12-05T07:50:00Z").await;
    let draw = server.get(&t.at("/rounds/2")).await.json()["draws"][1]["id"].as_str().unwrap().to_owned();
    let void = json!({"reason": "wrong-entry", "note": "flat battery again"});
    server.post(&format!("/api/v1/draws/{draw}/void"), &deputy, void).await.done(200);
    server.call(axum::http::Method::POST, &t.at("/close"), &t.arbiter, None).await.done(200);
    t
}

#[tokio::test]
async fn the_log_tells_the_story_in_order_and_in_exact_bytes() {
    let server = TestServer::new().await;
    let t = eventful(&server).await;
    assert_eq!(
        server.kinds().await,
        [
            "tournament",
            "round",
            "order",
            "round",
            "order",
            "pairings",
            "void",
            "void",
            "amend",
            "order",
            "order",
            "round",
            "note",
            "release",
            "void",
            "note",
            "close"
        ]
    );
    let log = server.log().await;
    for (i, leaf) in log.iter().enumerate() {
        let entry = leaf["entry"].as_str().unwrap();
        assert_eq!(leaf["index"], i);
        assert_eq!(leaf["leaf_hash"], leaf_hash(entry.as_bytes()).to_string());
        assert_eq!(entry, serde_json::from_str::<Value>(entry).unwrap().to_string(), "compact, keys as written");
        let heading = format!("{{\"t\":\"{}\",\"v\":1,\"event\":\"kaunas-2026-open\",\"at\":", server.kinds().await[i]);
        assert!(entry.starts_with(&heading), "{entry}");
        assert!(!entry.contains('.'), "integers only: {entry}");
    }
    let round = server.get(&t.at("/rounds/1")).await.json();
    let order = log[2]["entry"].as_str().unwrap();
    let commit = round["draws"][0]["commitment"].as_str().unwrap();
    let token = round["draws"][0]["ordered_by"].as_str().unwrap();
    assert_eq!(
        order,
        format!(
            "{{\"t\":\"order\",\"v\":1,\"event\":\"kaunas-2026-open\",\"at\":1796450400,\"by\":\"{token}\",\"round\":1,\
             \"board\":0,\"attempt\":1,\"commit\":\"{commit}\",\"sources\":[\"none\"],\"exclude\":[],\
             \"repeats\":\"allowed\",\"release_at\":1796456700}}"
        )
    );
    let release = &round["draws"][1]["release"];
    let text = |field: &str| release[field].as_str().unwrap();
    assert_eq!(
        log[13]["entry"].as_str().unwrap(),
        format!(
            "{{\"t\":\"release\",\"v\":1,\"event\":\"kaunas-2026-open\",\"at\":1796457000,\"by\":\"server\",\"round\":1,\
             \"board\":0,\"attempt\":2,\"secret\":\"{}\",\"entropy\":[\"none\"],\"used\":[],\"seed\":\"{}\",\"number\":{}}}",
            text("secret"),
            text("seed"),
            release["number"]
        )
    );
}

#[tokio::test]
async fn the_log_holds_no_names_and_no_free_text() {
    let server = TestServer::new().await;
    eventful(&server).await;
    let log = server.get("/api/v1/log/entries?limit=1000").await.text();
    for name in NAMES {
        assert!(!log.contains(name), "{name}");
    }
}

#[tokio::test]
async fn entries_are_read_by_range() {
    let server = TestServer::new().await;
    eventful(&server).await;
    let all = server.log().await;
    let page = server.get("/api/v1/log/entries?from=3&limit=2").await.done(200);
    assert_eq!((&page["size"], &page["entries"]), (&json!(all.len()), &json!(all[3..5])));
    assert!(page["origin"].as_str().unwrap().starts_with("draw960.test/"));
    assert_eq!(server.get("/api/v1/log/entries?from=99999").await.done(200)["entries"], json!([]));
    server.get("/api/v1/log/entries?from=18446744073709551615").await.done(200);
    for bad in ["limit=0", "limit=1001", "from=-1", "from=18446744073709551616", "form=1"] {
        server.get(&format!("/api/v1/log/entries?{bad}")).await.refused(422, "invalid-field");
    }
}

#[tokio::test]
async fn the_dossier_shows_every_event_of_a_round_and_insiders_see_who_and_why() {
    let server = TestServer::new().await;
    let t = eventful(&server).await;
    let public = server.get(&t.at("/rounds/1/history")).await.done(200);
    let kinds: Vec<_> = public["events"].as_array().unwrap().iter().map(|event| event["kind"].clone()).collect();
    assert_eq!(
        json!(kinds),
        json!([
            "tournament",
            "round",
            "order",
            "pairings",
            "void",
            "amend",
            "order",
            "round",
            "note",
            "release",
            "close"
        ])
    );
    let release = public["events"].as_array().unwrap().iter().find(|event| event["kind"] == "release").unwrap();
    assert_eq!(
        json!([release["at"], release["at_local"], release["by"], release["entry"]]),
        json!(["2026-12-05T07:50:00Z", "2026-12-05T09:50:00+02:00", "server", 13])
    );
    let log = server.log().await;
    for event in public["events"].as_array().unwrap() {
        let leaf = &log[event["entry"].as_u64().unwrap() as usize];
        assert_eq!(event["leaf_hash"], leaf["leaf_hash"]);
        assert_eq!(event["record"].to_string(), leaf["entry"].as_str().unwrap());
        assert!(event["what"].as_str().unwrap().ends_with('.'));
    }
    for token in ["", &t.pairing, &t.board, &server.operator] {
        for path in ["/rounds/1/history", "/rounds/1/history.csv"] {
            let text = server.get_as(&t.at(path), token).await.text();
            assert!(!NAMES.iter().any(|name| text.contains(name)), "{text}");
        }
    }
    let other = server.tournament("vilnius-2026", json!({}), json!([])).await;
    let foreign = server.get_as(&t.at("/rounds/1/history"), &other.auditor).await.text();
    assert!(!NAMES.iter().any(|name| foreign.contains(name)));

    for token in [&t.auditor, &t.arbiter] {
        let inside = server.get_as(&t.at("/rounds/1/history"), token).await.done(200);
        let moved = inside["events"].as_array().unwrap().iter().find(|event| event["entry"] == 11).unwrap();
        assert_eq!(
            (&moved["by_label"], &moved["notes"][0]["text"]),
            (&json!("deputy Ona Petraitytė"), &json!("flat battery"))
        );
        assert!(server.get_as(&t.at("/rounds/1/history.csv"), token).await.text().contains("flat battery"));
    }
}

/// A note's salt and text give the hash that stands in the log, and so does the pairing sheet.
#[tokio::test]
async fn notes_and_pairings_are_bound_to_the_log_by_salted_hashes() {
    let server = TestServer::new().await;
    let t = eventful(&server).await;
    let entries = server.entries().await;
    let inside = server.get_as(&t.at("/rounds/1/history"), &t.auditor).await.done(200);
    let mut bound = 0;
    for event in inside["events"].as_array().unwrap() {
        for note in event["notes"].as_array().into_iter().flatten() {
            let hash = salted_hash(note["salt"].as_str().unwrap(), note["text"].as_str().unwrap()).to_string();
            let in_log = entries.iter().any(|entry| {
                let about = entry["about"] == event["entry"] || entry == &event["record"];
                about && entry["hash"].as_str() == Some(&hash)
            });
            assert!(in_log, "{note}");
            bound += 1;
        }
    }
    assert_eq!(bound, 2);
    let salts: std::collections::BTreeSet<_> = inside["events"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|e| e["notes"].as_array().cloned().unwrap_or_default())
        .map(|n| n["salt"].to_string())
        .collect();
    assert_eq!(salts.len(), 2, "each note has a salt of its own");
}

/// Published hashes tell what they should: entries are chained to nothing that can be edited afterwards.
#[tokio::test]
async fn an_entry_served_again_has_the_same_bytes() {
    let server = TestServer::new().await;
    eventful(&server).await;
    let before = server.get("/api/v1/log/entries?limit=1000").await.text();
    let server = server.restart(9).await;
    assert_eq!(server.get("/api/v1/log/entries?limit=1000").await.text(), before);
    let hash = Hash32::of([before.as_bytes()]);
    assert_ne!(hash, Hash32::of([b"".as_slice()]));
}
