//! Positions in every representation, and the 960 by number, back rank and FEN.

use crate::support::{Answer, TestServer};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};

async fn released() -> (TestServer, crate::support::Tournament) {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.at("2026-12-05T07:45:00Z").await;
    (server, t)
}

async fn with_header(server: &TestServer, path: &str, name: &str, value: &str) -> Answer {
    server.send(Request::get(path).header(name, value).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_position_has_the_promised_shape() {
    let (server, t) = released().await;
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    for field in
        ["round", "board", "number", "rank", "fen", "fen_shredder", "attempt", "grade", "ordered_at", "drawn_at"]
    {
        assert!(position.get(field).is_some(), "{field}");
    }
    assert_eq!(json!([position["round"], position["board"], position["grade"]]), json!([1, null, "C"]));
    let fen = position["fen"].as_str().unwrap();
    assert!(fen.ends_with(" w KQkq - 0 1") && fen.contains(position["rank"].as_str().unwrap()));
    for side in ["white", "black"] {
        for wing in ["h_side", "a_side"] {
            for field in ["rook", "king_to", "rook_to", "kind", "must_be_empty", "must_not_be_attacked"] {
                assert!(position["castling"][side][wing].get(field).is_some(), "{side} {wing} {field}");
            }
        }
    }
    for field in
        ["id", "origin", "slot", "sources", "excluded", "repeats", "commitment", "secret", "entropy", "used", "seed"]
    {
        assert!(position["draw"].get(field).is_some(), "{field}");
    }
    assert_eq!(position["draw"]["slot"], json!({"event": t.slug(), "round": 1, "board": 0, "attempt": 1}));
    assert_eq!(server.get(&t.at("/rounds/1/boards/12/position")).await.done(200), position);
}

#[tokio::test]
async fn every_representation_comes_by_suffix_or_accept_and_is_revalidated() {
    let (server, t) = released().await;
    let path = t.at("/rounds/1/position");
    let number = server.get(&path).await.json()["number"].to_string();
    let mut tags = std::collections::BTreeSet::new();
    for (suffix, accept, media_type) in [
        ("", "application/json", "application/json"),
        (".svg", "image/svg+xml", "image/svg+xml"),
        (".txt", "text/plain", "text/plain; charset=utf-8"),
        (".pgn", "application/x-chess-pgn", "application/x-chess-pgn; charset=utf-8"),
    ] {
        let by_suffix = server.get(&format!("{path}{suffix}")).await;
        let by_accept = with_header(&server, &path, "accept", accept).await;
        assert_eq!((by_suffix.status.as_u16(), by_suffix.header("content-type")), (200, media_type));
        assert_eq!(by_suffix.bytes, by_accept.bytes);
        assert_eq!(by_suffix.header("cache-control"), "no-cache");
        assert!(by_accept.header("vary").to_lowercase().contains("accept"));
        assert!(by_suffix.text().contains(&number) || suffix == ".pgn");
        let tag = by_suffix.header("etag").to_owned();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}")] {
            let same = with_header(&server, &format!("{path}{suffix}"), "if-none-match", &known).await;
            assert_eq!((same.status.as_u16(), same.bytes.len(), same.header("etag")), (304, 0, tag.as_str()));
        }
        let other = with_header(&server, &format!("{path}{suffix}"), "if-none-match", "\"x\"").await;
        assert_eq!(other.status, 200);
        tags.insert(tag);
    }
    assert_eq!(tags.len(), 4, "each representation has a tag of its own");
    let strange = with_header(&server, &path, "accept", "text/html;q=0.9, audio/ogg").await;
    assert_eq!((strange.status.as_u16(), strange.header("content-type")), (200, "application/json"));
}

#[tokio::test]
async fn the_positions_of_a_tournament_are_listed_in_every_form() {
    let (server, t) = released().await;
    let position = server.get(&t.at("/rounds/1/position")).await.json();
    assert_eq!(server.get(&t.at("/positions")).await.json(), json!({"positions": [position]}));
    let (number, rank, fen) =
        (&position["number"], position["rank"].as_str().unwrap(), position["fen"].as_str().unwrap());
    assert_eq!(server.get(&t.at("/positions.txt")).await.text(), format!("1 {number} {rank} {fen}\n"));
    let csv = server.get(&t.at("/positions.csv")).await;
    assert_eq!(csv.text().lines().next(), Some("round,board,number,rank,fen,fen_shredder"));
    assert!(csv.text().contains(&format!("1,0,{number},{rank},{fen},")));
    let pgn = server.get(&t.at("/positions.pgn")).await.text();
    for tag in [
        "[Round \"1\"]",
        "[SetUp \"1\"]",
        "[Variant \"Chess960\"]",
        "[Date \"2026.12.05\"]",
        &format!("[FEN \"{fen}\"]"),
    ] {
        assert!(pgn.contains(tag), "{pgn}");
    }
}

#[tokio::test]
async fn the_960_are_found_by_number_rank_and_fen_and_lead_back() {
    let server = TestServer::new().await;
    for (number, rank) in [(0, "BBQNNRKR"), (518, "RNBQKBNR"), (534, "RNBKQBNR"), (959, "RKRNNQBB"), (122, "NQRNBBKR")]
    {
        let by_number = server.get(&format!("/api/v1/positions/{number}")).await.done(200);
        assert_eq!((&by_number["number"], &by_number["rank"]), (&json!(number), &json!(rank)));
        let fen = by_number["fen"].as_str().unwrap().replace(' ', "%20");
        let shredder = by_number["fen_shredder"].as_str().unwrap().replace(' ', "%20");
        let dgt = by_number["dgt960"].as_u64().unwrap();
        for query in [
            format!("rank={rank}"),
            format!("fen={fen}"),
            format!("fen={shredder}"),
            format!("number={number}"),
            format!("scheme=dgt960&number={dgt}"),
        ] {
            assert_eq!(server.get(&format!("/api/v1/positions?{query}")).await.done(200), by_number, "{query}");
        }
        let svg = server.get(&format!("/api/v1/positions/{number}.svg")).await;
        assert_eq!((svg.status.as_u16(), svg.header("content-type")), (200, "image/svg+xml"));
    }
    assert_eq!(server.get("/api/v1/positions?scheme=dgt960&number=960").await.done(200)["number"], 0);
}

#[tokio::test]
async fn what_is_no_position_number_is_refused_and_never_wrapped() {
    let server = TestServer::new().await;
    for number in ["-1", "960", "1000", "518.5", "abc", "%20", "0x10", "+5", "99999999999999999999"] {
        server.get(&format!("/api/v1/positions/{number}")).await.refused(422, "not-a-position-number");
        server.get(&format!("/api/v1/positions?number={number}")).await.refused(422, "not-a-position-number");
    }
    for number in ["0", "961"] {
        let path = format!("/api/v1/positions?scheme=dgt960&number={number}");
        server.get(&path).await.refused(422, "not-a-position-number");
    }
    server.get("/api/v1/positions?scheme=chessbase&number=5").await.refused(422, "invalid-field");
    server.get("/api/v1/positions?scheme=dgt960&rank=RNBQKBNR").await.refused(422, "invalid-field");
    server.get("/api/v1/positions").await.refused(422, "invalid-field");
    server.get("/api/v1/positions?number=1&rank=RNBQKBNR").await.refused(422, "invalid-field");
}

#[tokio::test]
async fn spellings_of_a_start_position_are_read_and_others_refused_with_the_rule() {
    let server = TestServer::new().await;
    let find = async |fen: &str| {
        let fen = fen.replace(' ', "%20").replace('+', "%2B");
        server.get(&format!("/api/v1/positions?fen={fen}")).await
    };
    let array = "nqrnbbkr/pppppppp/8/8/8/8/PPPPPPPP/NQRNBBKR";
    for castling in ["w KQkq - 0 1", "w HChc - 0 1", "w KQhc - 0 1", "w KQkq -"] {
        assert_eq!(find(&format!("{array} {castling}")).await.done(200)["number"], 122, "{castling}");
    }
    for fen in [
        "rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w Kkq - 0 1",
        "rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KQkq - 1 1",
        "bbqnnkrr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNKRR w KQkq - 0 1",
        "nqrnbbkr/pppppppp/8/8/8/8/PPPPPPPP/NQRNBBKR b KQkq - 0 1",
        "nqrnbbkr/pppppppp/8/8/4P3/8/PPPP1PPP/NQRNBBKR b KQkq e3 0 1",
        "nonsense",
    ] {
        let problem = find(fen).await.refused(422, "not-a-start-position");
        assert!(problem["detail"].as_str().unwrap().len() > 20, "{problem}");
    }
    for rank in ["RNBQKBN", "RNBQKBNRR", "RRNBQKBN", "rnbqkbnx", ""] {
        server.get(&format!("/api/v1/positions?rank={rank}")).await.refused(422, "not-a-start-position");
    }
}

#[tokio::test]
async fn tournaments_are_listed_in_pages() {
    let server = TestServer::new().await;
    for n in 0..5 {
        server.tournament(&format!("open-{n}"), json!({}), json!([])).await;
        server.clock.advance(jiff::SignedDuration::from_secs(1));
    }
    let (mut path, mut slugs) = ("/api/v1/tournaments?limit=2".to_owned(), Vec::new());
    loop {
        let page = server.get(&path).await.done(200);
        slugs.extend(page["tournaments"].as_array().unwrap().iter().map(|t| t["slug"].as_str().unwrap().to_owned()));
        let Value::String(next) = &page["next_cursor"] else { break };
        path = format!("/api/v1/tournaments?limit=2&cursor={next}");
    }
    assert_eq!(slugs, ["open-4", "open-3", "open-2", "open-1", "open-0"]);
    for bad in ["limit=0", "limit=201", "limit=x", "cursor=x", "page=2"] {
        server.get(&format!("/api/v1/tournaments?{bad}")).await.refused(422, "invalid-field");
    }
}
