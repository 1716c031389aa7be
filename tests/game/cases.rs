//! Small inputs of our own making, each of a kind that somebody's program got wrong; the answers were checked with
//! several implementations of the rules.

use base64::Engine;
use draw960::domain::{
    fen::{read_fen, shredder_fen},
    game::{FindingCode, GameReport, MoveNotation, Options, Record, Start, Submission, Verdict, validate},
    position_number::PositionNumber,
    start_position::StartPosition,
};
use serde_json::Value;

fn cases() -> Vec<Value> {
    include_str!("../vectors/games.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(value: &Value) -> Option<PositionNumber> {
    value.as_u64().map(|n| PositionNumber::try_from(n as u16).unwrap())
}

fn pgn_of(input: &Value) -> Option<Vec<u8>> {
    match (&input["pgn"], &input["pgn_base64"]) {
        (Value::String(pgn), _) => Some(pgn.clone().into_bytes()),
        (_, Value::String(text)) => Some(base64::engine::general_purpose::STANDARD.decode(text).unwrap()),
        _ => None,
    }
}

fn report(input: &Value, start: Start) -> GameReport {
    if let Some(pgn) = pgn_of(input) {
        return validate(&Submission { start, record: Record::Pgn(&pgn) }, &Options::default()).unwrap();
    }
    let moves: Vec<String> = input["moves"].as_array().unwrap().iter().map(|m| m.as_str().unwrap().into()).collect();
    let uci = input["notation"].as_str().unwrap().starts_with("UCI");
    let notation = if uci { MoveNotation::Uci } else { MoveNotation::San };
    validate(&Submission { start, record: Record::Moves(&moves, notation) }, &Options::default()).unwrap()
}

/// The ways in which a case can be submitted: with its number, with its FEN, with its tags alone.
fn starts(input: &Value) -> Vec<Start> {
    let mut starts = Vec::new();
    starts.extend(number(&input["start_position"]).map(Start::Number));
    if pgn_of(input).is_some() {
        starts.push(Start::FromTags);
    } else {
        starts.extend(input["fen"].as_str().map(|fen| Start::Fen(fen.into())));
    }
    starts
}

fn check(case: &Value, report: &GameReport) -> Vec<String> {
    let expect = &case["expect"];
    let mut wrong = Vec::new();
    let mut say = |what: &str| wrong.push(format!("{what}: {}", serde_json::to_string(report).unwrap()));
    let is_legal = !report.has_errors();
    let is_undecided = expect["valid"].is_null();
    if expect["valid"].as_bool().is_some_and(|valid| valid != is_legal) {
        say("legal or not");
    }
    if is_legal && let Some(fen) = expect["final_fen"].as_str() {
        if report.final_fen().as_deref() != Some(fen) {
            say("final FEN");
        }
        if report.final_fen_shredder().as_deref() != expect["final_fen_shredder"].as_str() {
            say("final Shredder-FEN");
        }
    }
    let first_bad = report.findings.iter().filter(|f| f.is_error()).filter_map(|f| f.ply).min();
    if let Some(ply) = expect["first_bad_ply"].as_u64().filter(|_| !is_undecided)
        && first_bad != Some(ply as u32)
    {
        say("first bad half-move");
    }
    if expect["moves_legal"] == true && matches!(report.verdict, Verdict::IllegalMove) {
        say("moves are legal");
    }
    if is_legal && let Some(line) = expect["mainline"].as_array() {
        let line: Vec<&str> = line.iter().map(|m| m.as_str().unwrap()).collect();
        if report.moves_san.iter().collect::<Vec<_>>() != line {
            say("main line");
        }
    }
    let ply_of = |code: FindingCode| report.findings.iter().find(|f| f.code == code).and_then(|f| f.ply);
    for (key, code) in
        [("threefold_first_ply", FindingCode::ThreefoldClaimable), ("fivefold_ply", FindingCode::FivefoldRepetition)]
    {
        if expect.get(key).is_some() && ply_of(code).map(u64::from) != expect[key].as_u64() {
            say(key);
        }
    }
    if expect.get("game_over").is_some() {
        let (at, by) = (expect["game_over"]["ply"].as_u64(), expect["game_over"]["by"].as_str().unwrap());
        let code = if by == "checkmate" { FindingCode::Checkmate } else { FindingCode::FivefoldRepetition };
        let told = report.findings.iter().any(|f| f.message.contains(&format!("half-move {}", at.unwrap())));
        if ply_of(code).map(u64::from) != at && !told {
            say("game over");
        }
    }
    wrong
}

#[test]
fn games_get_the_answers_they_should() {
    let mut wrong = Vec::new();
    for case in cases().iter().filter(|c| !c["kind"].as_str().unwrap().starts_with("fen/")) {
        for start in starts(&case["input"]) {
            let report = report(&case["input"], start.clone());
            wrong.extend(check(case, &report).into_iter().map(|w| format!("{} {start:?} {w}", case["id"])));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Kinds for which more than one answer is right, but some are wrong: nothing is dropped, ever.
#[test]
fn no_move_is_dropped_where_several_answers_are_right() {
    for case in cases() {
        let (expect, input) = (&case["expect"], &case["input"]);
        if !expect["valid"].is_null() || pgn_of(input).is_none() {
            continue;
        }
        let report = report(input, Start::FromTags);
        let line = expect["mainline"].as_array().map(Vec::len);
        let is_whole = line.is_none_or(|moves| report.plies as usize == moves);
        assert!(report.has_errors() || is_whole, "{}: {report:?}", case["id"]);
        if let Some(fen) = expect["final_fen"].as_str() {
            assert!(report.has_errors() || report.final_fen().as_deref() == Some(fen), "{}", case["id"]);
        }
    }
}

#[test]
fn fens_get_the_answers_they_should() {
    for case in cases().iter().filter(|c| c["kind"].as_str().unwrap().starts_with("fen/")) {
        let (id, expect, fen) = (&case["id"], &case["expect"], case["input"]["fen"].as_str().unwrap());
        if let Some(is_start) = expect.get("is_chess960_start") {
            assert_eq!(StartPosition::from_fen(fen).is_ok(), is_start == true, "{id}");
        } else if let Some(valid) = expect["valid"].as_bool() {
            assert_eq!(read_fen(fen).is_ok(), valid, "{id}");
        }
        if let (Some(rights), Ok(position)) = (expect["castling_shredder"].as_str(), read_fen(fen)) {
            assert_eq!(shredder_fen(&position.position).split(' ').nth(2), Some(rights), "{id}");
        }
        if let (Some(n), Ok(start)) = (expect["start_position"].as_u64(), StartPosition::from_fen(fen)) {
            assert_eq!(u64::from(start.number().get()), n, "{id}");
        }
    }
}
