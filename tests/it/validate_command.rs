//! `draw960 validate` and `draw960 castling`, run as people run them.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_draw960"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not wait for input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn status(arguments: &[&str], input: &str) -> i32 {
    run(arguments, input).status.code().unwrap()
}

fn said(arguments: &[&str], input: &str) -> String {
    String::from_utf8(run(arguments, input).stdout).unwrap()
}

const LEGAL: &str = "1. e4 e5 1-0\n";
const ILLEGAL: &str = "[White \"A\"]\n[Black \"B\"]\n[Round \"3.1\"]\n\n1. e4 e5 2. Ke3 0-1\n";

#[test]
fn the_exit_status_tells_legal_errors_and_unreadable() {
    assert_eq!(status(&["validate", "-"], LEGAL), 0);
    assert_eq!(status(&["validate", "-"], &format!("{LEGAL}\n{ILLEGAL}")), 1);
    for unreadable in ["", "\u{0}\u{0}", "  \n"] {
        assert_eq!(status(&["validate", "-"], unreadable), 2, "{unreadable:?}");
    }
    assert_eq!(status(&["validate", "/no/such/file.pgn"], ""), 2);
    assert_eq!(status(&["validate", "--number", "960", "-"], LEGAL), 2);
    assert_eq!(status(&["validate", "--fen", "nonsense", "-"], LEGAL), 2);
    assert_eq!(status(&["validate", "--language", "xx", "-"], LEGAL), 2);
    assert_eq!(status(&["validate"], LEGAL), 2);
}

#[test]
fn a_report_can_be_read() {
    let expected = "\
game 1: legal-complete, 2 half-moves, 1-0
game 2, round 3.1, A - B: illegal-move, 2 half-moves, 0-1
  note: No start position is named: the game was replayed from the classical array. [start-assumed, article PGN 9.7]
  error at 7:13, half-move 3, \"Ke3\": The white king on e1 cannot reach e3: a king goes to an adjoining square. \
[illegal-move, king-cannot-reach, article 3.8.1]
2 games: 1 legal, 1 with errors
";
    assert_eq!(said(&["validate", "-"], &format!("{LEGAL}\n{ILLEGAL}")), expected);
}

#[test]
fn json_is_one_object_a_game() {
    let text = said(&["validate", "--json", "--number", "518", "-"], &format!("{LEGAL}\n{ILLEGAL}"));
    let games: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 2);
    assert_eq!((&games[0]["game"], &games[1]["game"]), (&1.into(), &2.into()));
    assert_eq!((&games[0]["verdict"], &games[1]["verdict"]), (&"legal-complete".into(), &"illegal-move".into()));
    assert!(games.iter().all(|game| game["findings"].is_array() && game["final_fen"].is_string()));
}

#[test]
fn a_bad_file_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.pgn");
    std::fs::write(&good, LEGAL).unwrap();
    let (good, bad) = (good.to_str().unwrap(), "/no/such/file.pgn");
    let output = run(&["validate", bad, good], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stdout).unwrap().contains("game 1: legal-complete"));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("draw960: /no/such/file.pgn: "));
    let both = said(&["validate", "--json", good, good], "");
    assert!(both.lines().all(|line| line.starts_with("{\"file\":") && line.contains("\"game\":1")));
}

#[test]
fn a_language_and_a_position_can_be_named() {
    assert_eq!(status(&["validate", "--language", "lt", "-"], "1. e4 e5 2. Žf3 1-0"), 0);
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    assert_eq!(status(&["validate", "--fen", fen, "-"], "1. O-O *"), 0);
    assert_eq!(status(&["validate", "--number", "0", "-"], "1. O-O *"), 1);
}

#[test]
fn a_file_larger_than_what_is_held_at_once_is_read_game_by_game() {
    let game = format!("[Event \"x\"]\n\n1. e4 {{{}}} e5 1/2-1/2\n\n", "x".repeat(1000));
    let text = game.repeat(9000) + "[Event \"last\"]\n\n1. e5 *\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.pgn");
    std::fs::write(&file, text).unwrap();
    let output = run(&["validate", "--json", file.to_str().unwrap()], "");
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!((lines.lines().count(), output.status.code()), (9001, Some(1)));
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((&last["game"], &last["findings"][1]["line"]), (&9001.into(), &(9000 * 4 + 3).into()));
}

#[test]
fn castling_is_explained_in_sentences() {
    let text = said(&["castling", "4k3/8/8/8/8/8/8/rR2K1N1 w B - 0 1"], "");
    assert!(text.starts_with("White is to move.\n\nWhite may not castle on the h-side (O-O)."), "{text}");
    assert!(text.contains("because the rook no longer stands between them on b1.\n\nBlack may not castle"), "{text}");
    assert_eq!(status(&["castling", "4k3/8/8/8/8/8/8/rR2K1N1", "w", "B", "-", "0", "1"], ""), 0);
    assert_eq!(status(&["castling", "nonsense"], ""), 1);
}
