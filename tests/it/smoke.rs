//! The main job, once through.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn a_round_is_drawn_sealed_released_and_audited() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let round = server.get(&t.at("/rounds/1")).await.json();
    assert_eq!(round["state"], "sealed");
    assert_eq!(round["release_at"], "2026-12-05T07:45:00Z");
    assert_eq!(round["release_at_local"], "2026-12-05T09:45:00+02:00");
    let commitment = round["draws"][0]["commitment"].clone();

    server.at("2026-12-05T07:44:59.999Z").await;
    let sealed = server.get(&t.at("/rounds/1/position")).await;
    assert_eq!((sealed.status.as_u16(), sealed.problem().as_str()), (403, "position-sealed"));
    assert_eq!(sealed.header("retry-after"), "Sat, 05 Dec 2026 07:45:00 GMT");

    server.at("2026-12-05T07:45:00Z").await;
    let public = server.get(&t.at("/rounds/1/position")).await;
    assert_eq!(public.status, 200, "{}", public.text());
    let position = public.json();
    assert_eq!(position["draw"]["commitment"], commitment);
    assert_eq!(position["fen"].as_str().unwrap().len(), 56);
    assert_eq!(position["castling"]["white"]["h_side"]["king_to"], "g1");

    let history = server.get_as(&t.at("/rounds/1/history"), &t.auditor).await.json();
    let kinds: Vec<_> = history["events"].as_array().unwrap().iter().map(|e| e["kind"].clone()).collect();
    assert_eq!(json!(kinds), json!(["tournament", "round", "order", "release"]));
}
