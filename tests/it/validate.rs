//! Validation and castling without a tournament, over HTTP.

use crate::support::{Answer, TestServer};
use axum::http::Method;
use draw960::domain::game::{FindingCode, Verdict};
use serde_json::{Value, json};

const VALIDATE: &str = "/api/v1/validate";
const CASTLING: &str = "/api/v1/castling";
const TWO_GAMES: &str = "[White \"A\"]\n\n1. e4 e5 1-0\n\n[White \"B\"]\n\n1. e4 e5 2. Ke3 *\n";

async fn validated(body: Value) -> Value {
    TestServer::new().await.post(VALIDATE, "", body).await.done(200)
}

async fn send_pgn(server: &TestServer, path: &str, pgn: &str) -> Answer {
    server.raw(Method::POST, path, "", "application/x-chess-pgn", pgn.to_owned()).await
}

fn codes(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_list_of_moves_gets_the_promised_fields() {
    let moves = ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "0-0"];
    let report = validated(json!({"start": {"number": 518}, "moves": moves})).await;
    let fields: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let promised =
        ["verdict", "plies", "moves_san", "moves_uci", "final_fen", "final_fen_shredder", "result", "findings"];
    assert_eq!(fields, promised);
    assert_eq!((&report["verdict"], &report["plies"]), (&json!("legal-incomplete"), &json!(7)));
    assert_eq!((&report["moves_san"][6], &report["moves_uci"][6]), (&json!("O-O"), &json!("e1h1")));
    assert_eq!(report["final_fen"], "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4");
    assert!(report["final_fen_shredder"].as_str().unwrap().contains(" b ha "));
    assert_eq!(codes(&report), ["spelling-castling"]);
}

#[tokio::test]
async fn a_finding_has_code_place_squares_article_and_sentence() {
    let report = validated(json!({"start": {"number": 518}, "pgn": "[Result \"*\"]\n\n1. e4 e5\n2. Ke3 *\n"})).await;
    assert_eq!(report["verdict"], "illegal-move");
    let finding = report["findings"].as_array().unwrap().iter().find(|f| f["severity"] == "error").unwrap();
    let fields: Vec<_> = finding.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(&fields[..9], ["code", "severity", "ply", "move", "line", "column", "squares", "article", "message"]);
    assert_eq!(
        (&finding["ply"], &finding["line"], &finding["column"], &finding["move"]),
        (&json!(3), &json!(4), &json!(4), &json!("Ke3"))
    );
    assert_eq!((&finding["reason"], &finding["article"]), (&json!("king-cannot-reach"), &json!("3.8.1")));
    assert!(finding["message"].as_str().unwrap().contains("e3"));
}

#[tokio::test]
async fn a_start_is_a_number_a_fen_or_what_the_tags_say() {
    let fen = "4k3/8/8/8/8/8/8/rR2K1N1 w B - 0 1";
    let castled = validated(json!({"start": {"fen": fen}, "moves": ["O-O-O"]})).await;
    assert_eq!(castled["findings"][0]["reason"], "castling-unshields-king");
    let tagged = validated(json!({"pgn": format!("[FEN \"{fen}\"]\n\n1. Nf3 *")})).await;
    assert_eq!(tagged["plies"], 1);
    let other = validated(json!({"start": {"number": 0}, "pgn": format!("[FEN \"{fen}\"]\n\n1. Nf3 *")})).await;
    assert_eq!(other["verdict"], "wrong-start-array");
    let classical = validated(json!({"start": null, "moves": ["e2e4"], "notation": "uci", "result": "1-0"})).await;
    assert_eq!((&classical["verdict"], &classical["result"]), (&json!("legal-complete"), &json!("1-0")));
}

#[tokio::test]
async fn language_and_supervision_are_named() {
    let moves = json!(["e4", "e5", "Žf3", "Žc6"]);
    let lithuanian = validated(json!({"moves": moves, "notation_language": "lt"})).await;
    assert_eq!(lithuanian["moves_san"], json!(["e4", "e5", "Nf3", "Nc6"]));
    assert_eq!(validated(json!({"moves": moves})).await["plies"], 2);
    let basic = json!({"moves": ["e5"], "supervision": "basic", "time_control": "rapid"});
    let report = validated(basic).await;
    let illegal = report["findings"].as_array().unwrap().iter().find(|f| f["code"] == "illegal-move").unwrap();
    assert!(illegal["message"].as_str().unwrap().contains("A.5.2"), "{illegal}");
}

#[tokio::test]
async fn what_has_no_meaning_is_refused_with_its_place() {
    let server = TestServer::new().await;
    let nine_sixty = json!({"start": {"number": 960}, "moves": []});
    let both = json!({"start": {"number": 1, "fen": "x"}, "moves": []});
    for (body, code, pointer) in [
        (nine_sixty, "not-a-position-number", "/start/number"),
        (json!({"start": {"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, "moves": []}), "not-a-position", "/start/fen"),
        (both, "invalid-field", "/start"),
        (json!({"start": {}, "moves": []}), "invalid-field", "/start"),
        (json!({}), "invalid-field", ""),
        (json!({"pgn": "*", "moves": []}), "invalid-field", ""),
        (json!({"pgn": "*", "notation": "uci"}), "invalid-field", "/pgn"),
        (json!({"moves": [], "result": "2-0"}), "invalid-field", "/result"),
        (json!({"moves": [], "notation_language": "xx"}), "invalid-field", "/notation_language"),
        (json!({"moves": [], "notation": "morse"}), "invalid-field", "/notation"),
        (json!({"moves": [1]}), "invalid-field", "/moves/0"),
    ] {
        let problem = server.post(VALIDATE, "", body.clone()).await.refused(422, code);
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{body} {problem}");
    }
    server.post(VALIDATE, "", json!({"moves": [], "x": 1})).await.refused(422, "invalid-field");
    server.raw(Method::POST, VALIDATE, "", "text/csv", "e4").await.refused(415, "unsupported-media-type");
    server.raw(Method::POST, VALIDATE, "", "application/json", "{").await.refused(400, "malformed-json");
}

#[tokio::test]
async fn a_text_of_many_games_gets_a_report_on_each() {
    let server = TestServer::new().await;
    let answer = send_pgn(&server, VALIDATE, TWO_GAMES).await.done(200);
    let games = answer["games"].as_array().unwrap();
    assert_eq!((games.len(), &games[0]["game"], &games[1]["game"]), (2, &json!(1), &json!(2)));
    assert_eq!((&games[0]["verdict"], &games[1]["verdict"]), (&json!("legal-complete"), &json!("illegal-move")));
    assert_eq!(games[1]["findings"][1]["line"], 7);
    let verdicts = json!({"illegal-move": 1, "legal-complete": 1});
    let summary = json!({"games": 2, "legal": 1, "with_errors": 1, "with_warnings": 0, "verdicts": verdicts});
    assert_eq!(answer["summary"], summary);
    let wrong = send_pgn(&server, &format!("{VALIDATE}?number=0"), TWO_GAMES).await.done(200);
    assert_eq!(wrong["games"][0]["findings"][0]["code"], "start-tag-missing");
    send_pgn(&server, &format!("{VALIDATE}?number=960"), "*").await.refused(422, "not-a-position-number");
    send_pgn(&server, &format!("{VALIDATE}?fen=x"), "*").await.refused(422, "not-a-position");
    assert_eq!(send_pgn(&server, VALIDATE, "").await.done(200)["summary"]["games"], 0);
}

#[tokio::test]
async fn too_much_is_refused() {
    let server = TestServer::new().await;
    let large = format!("{{{}}} *", "x".repeat(8 << 20));
    send_pgn(&server, VALIDATE, &large).await.refused(413, "body-too-large");
    send_pgn(&server, VALIDATE, &"1. e4 *\n".repeat(10_001)).await.refused(413, "body-too-large");
    assert_eq!(send_pgn(&server, VALIDATE, &"1. e4 *\n".repeat(10_000)).await.done(200)["summary"]["legal"], 10_000);
}

#[tokio::test]
async fn castling_is_explained_for_any_position() {
    let server = TestServer::new().await;
    let fen = "4k3/8/8/8/8/8/8/rR2K1N1 w B - 0 1";
    let report = server.post(CASTLING, "", json!({"fen": fen})).await.done(200);
    assert_eq!((&report["fen"], &report["turn"]), (&json!(fen.replace(" B ", " Q ")), &json!("white")));
    let a_side = &report["white"]["a_side"];
    assert_eq!((&a_side["legal"], &a_side["faults"][0]["code"]), (&json!(false), &json!("castling-unshields-king")));
    assert_eq!(a_side["faults"][0]["article"], "3.9.2");
    assert!(a_side["sentence"].as_str().unwrap().starts_with("White may not castle on the a-side (O-O-O)."));
}

#[tokio::test]
async fn the_moves_so_far_tell_how_a_right_was_lost() {
    let server = TestServer::new().await;
    let moves = ["Nf3", "Nc6", "g3", "a6", "Bg2", "h6", "Rg1", "a5", "Rh1", "b6"];
    let report = server.post(CASTLING, "", json!({"number": 518, "moves": moves})).await.done(200);
    let fault = &report["white"]["h_side"]["faults"][0];
    assert_eq!((&fault["code"], &fault["ply"]), (&json!("castling-rook-moved"), &json!(7)));
    let uci = json!({"number": 518, "moves": ["e2e4", "e7e5", "e1e3"], "notation": "uci"});
    let refused = server.post(CASTLING, "", uci).await.refused(422, "invalid-field");
    assert_eq!(refused["errors"][0]["pointer"], "/moves/2");
    server.post(CASTLING, "", json!({"number": 960})).await.refused(422, "not-a-position-number");
    server.post(CASTLING, "", json!({"fen": "x"})).await.refused(422, "not-a-position");
    for nothing in [json!({}), json!({"round": 1}), json!({"fen": "x", "number": 1}), json!({"board": 1, "number": 1})]
    {
        server.post(CASTLING, "", nothing).await.refused(422, "invalid-field");
    }
}

#[tokio::test]
async fn a_sealed_round_says_the_same_whatever_is_asked() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    let ask = |moves: Value| json!({"tournament": "kaunas-2026-open", "round": 1, "moves": moves});
    let position = server.get(&t.at("/rounds/1/position")).await;
    let plain = position.refused(403, "position-sealed");
    for moves in [json!([]), json!(["e4"]), json!(["zzz"]), json!(7)] {
        let sealed = server.post(CASTLING, "", ask(moves)).await;
        assert_eq!(sealed.refused(403, "position-sealed"), plain);
        assert_eq!(sealed.header("retry-after"), position.header("retry-after"));
    }
    server.post(CASTLING, "", json!({"tournament": "nowhere", "round": 1})).await.refused(404, "tournament-unknown");
    let unknown = json!({"tournament": "kaunas-2026-open", "round": 9});
    server.post(CASTLING, "", unknown).await.refused(404, "round-unknown");

    server.at("2026-12-05T07:45:00Z").await;
    let drawn = server.get(&t.at("/rounds/1/position")).await.done(200);
    let report = server.post(CASTLING, "", ask(json!([]))).await.done(200);
    assert_eq!(report["fen"], drawn["fen"]);
    let king = &drawn["castling"]["white"]["king"];
    assert_eq!(&report["white"]["h_side"]["king_from"], king);
}

#[tokio::test]
async fn the_closed_lists_are_served() {
    let server = TestServer::new().await;
    let lists = server.get("/api/v1/findings").await.done(200);
    let findings = lists["findings"].as_array().unwrap();
    assert_eq!(findings.len(), FindingCode::ALL.len());
    assert!(findings.iter().all(|f| f["meaning"].as_str().is_some_and(|text| text.ends_with('.'))));
    assert!(lists["reasons"].as_array().unwrap().iter().any(|r| r["reason"] == "castling-unshields-king"));
    let verdicts = server.get("/api/v1/verdicts").await.done(200);
    assert_eq!(verdicts["verdicts"].as_array().unwrap().len(), Verdict::ALL.len());
    assert_eq!(verdicts["verdicts"][0]["legal"], true);
}
