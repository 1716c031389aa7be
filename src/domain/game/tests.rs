use super::*;
use crate::domain::{position_number::PositionNumber, rules::Square, start_position::StartPosition};

fn number(n: u16) -> PositionNumber {
    PositionNumber::try_from(n).unwrap()
}

fn drawn(n: u16) -> Options {
    let position = StartPosition::from_number(number(n));
    Options { drawn: Some(Drawn { position, others: Vec::new() }), ..Options::default() }
}

fn pgn(text: &str, options: &Options) -> GameReport {
    validate(&Submission { start: Start::FromTags, record: Record::Pgn(text.as_bytes()) }, options).unwrap()
}

fn moves(fen: &str, line: &str, options: &Options) -> GameReport {
    let moves: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let record = Record::Moves(&moves, MoveNotation::San);
    validate(&Submission { start: Start::Fen(fen.into()), record }, options).unwrap()
}

fn codes(report: &GameReport) -> Vec<&'static str> {
    report.findings.iter().map(|f| f.code.as_str()).collect()
}

fn accept(ply: Option<u32>, code: Option<FindingCode>) -> Override {
    let acceptance = Acceptance { article: "A.5.2".into(), reason: "not claimed".into() };
    Override { ply, code, acceptance, position: None }
}

const ALL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn every_code_is_documented() {
    let page = include_str!("../../../docs/findings.md");
    for code in FindingCode::ALL {
        let severity = format!("{:?}", code.severity()).to_lowercase();
        let row = format!("| `{}` | {severity} | {} | {} |", code.as_str(), code.article(), code.meaning());
        assert!(page.contains(&row), "docs/findings.md lacks: {row}");
        assert_eq!(code.as_str().parse(), Ok(*code));
    }
    for verdict in Verdict::ALL {
        assert!(page.contains(&format!("| `{verdict}` |")), "{verdict}");
    }
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() == 6).count();
    assert_eq!(rows, FindingCode::ALL.len());
}

#[test]
fn a_place_is_line_and_column() {
    let report = pgn("[White \"Ž\"]\n\n1. e4 {ž} e5\n2. Ke3 *\n", &Options::default());
    let finding = report.findings.iter().find(|f| f.is_error()).unwrap();
    assert_eq!((finding.line, finding.column, finding.ply, finding.offset), (Some(4), Some(4), Some(3), Some(31)));
    assert_eq!(finding.text.as_deref(), Some("Ke3"));
}

#[test]
fn the_draw_decides_and_not_the_tags() {
    let fen = StartPosition::from_number(number(0)).fen();
    let text = format!("[FEN \"{fen}\"]\n\n1. e4 *");
    let report = pgn(&text, &drawn(518));
    assert_eq!(report.verdict, Verdict::NotTheDrawnPosition);
    assert!(report.final_fen().unwrap().starts_with("rnbqkbnr/"));
    let turned = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1\"]\n\n1. e4 *";
    let report = pgn(turned, &drawn(518));
    assert_eq!(report.verdict, Verdict::WrongStartArray);
    assert_eq!(report.findings[0].squares, [Square::D1, Square::E1]);
    assert_eq!(pgn("1. e4 *", &drawn(0)).findings[0].code, FindingCode::StartTagMissing);
    let other = format!("[FEN \"{}\"]\n\n1. e4 *", ALL.replace("KQkq", "-"));
    assert_eq!(pgn(&other, &drawn(518)).verdict, Verdict::NotTheDrawnPosition);
}

#[test]
fn an_array_that_stands_loses_the_castling_of_misplaced_pieces() {
    let text = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1\"]\n\n1. e4 e5 *";
    let mut options = drawn(518);
    options.overrides = vec![accept(None, Some(FindingCode::WrongStartArray))];
    let report = pgn(text, &options);
    assert_eq!(report.verdict, Verdict::LegalWithAcceptedIrregularities);
    assert!(report.final_fen().unwrap().contains(" w kq - "), "{:?}", report.final_fen());
    assert_eq!(report.findings[0].severity, Severity::Warning);
}

#[test]
fn an_accepted_illegal_move_is_played_as_it_was_moved() {
    let mut options = Options::default();
    assert_eq!(moves(ALL, "e4 e5 Ke3 d5", &options).verdict, Verdict::IllegalMove);
    options.overrides = vec![accept(Some(3), None)];
    let report = moves(ALL, "e4 e5 Ke3 d5", &options);
    assert_eq!(report.verdict, Verdict::LegalWithAcceptedIrregularities, "{report:?}");
    assert_eq!(report.moves_uci.as_line(), "e2e4 e7e5 e1e3 d7d5");
    assert!(report.final_fen().unwrap().contains("4K3") && report.final_fen().unwrap().contains(" kq "));
}

#[test]
fn an_override_can_name_the_position() {
    let mut accepted = accept(Some(1), Some(FindingCode::UnreadableMove));
    accepted.position = Some("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1".into());
    let options = Options { overrides: vec![accepted, accept(Some(9), None)], ..Options::default() };
    let report = moves(ALL, "??3 e5", &options);
    assert_eq!((report.verdict, report.plies), (Verdict::LegalWithAcceptedIrregularities, 2));
    assert!(codes(&report).contains(&"override-unused"));
}

#[test]
fn castling_that_an_arbiter_lets_stand() {
    let options = Options { overrides: vec![accept(Some(3), None)], ..Options::default() };
    let report = moves("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "Rg1 Kd7 O-O", &options);
    assert_eq!(codes(&report), ["illegal-move"]);
    let report = moves("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "Rh2 Kd7 O-O", &options);
    assert!(report.has_errors());
    let report = moves(
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
        "Rh2 Kd7 Rh1 Kc7 O-O",
        &Options { overrides: vec![accept(Some(5), None)], ..Options::default() },
    );
    assert_eq!(report.final_fen().unwrap(), "8/2k5/8/8/8/8/8/5RK1 b - - 5 3");
}

#[test]
fn what_ends_the_game_ends_it() {
    let mate = "[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 1-0";
    let report = pgn(mate, &Options::default());
    assert_eq!(report.verdict, Verdict::ResultContradicts);
    assert!(
        codes(&report).contains(&"result-contradicts-board") && codes(&report).contains(&"result-tag-contradiction")
    );
    let report = pgn("1. f3 e5 2. g4 Qh4 0-1", &Options::default());
    assert_eq!(report.moves_san.as_line(), "f3 e5 g4 Qh4#");
    let stale = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1";
    assert_eq!(moves(stale, "Qf7", &Options::default()).verdict, Verdict::LegalComplete);
    assert_eq!(moves(stale, "Qf7 Kg8", &Options::default()).verdict, Verdict::EndsEarlier);
    let dead = moves("7k/8/6K1/8/8/8/8/5Q1q b - - 0 1", "Qxf1 Kh6 Qh3+ Kg6 Qh6+ Kxh6 Kg8 Kg6", &Options::default());
    assert_eq!(dead.verdict, Verdict::EndsEarlier);
    assert_eq!(dead.plies, 8);
}

#[test]
fn play_that_an_arbiter_let_go_on_after_a_fifth_repetition() {
    let line = "Nf3 Nf6 Ng1 Ng8 ".repeat(4) + "e4";
    let report = moves(ALL, &line, &Options::default());
    assert_eq!((report.verdict, report.plies), (Verdict::EndsEarlier, 17));
    let options = Options { overrides: vec![accept(Some(17), None)], ..Options::default() };
    let report = moves(ALL, &line, &options);
    assert_eq!(report.verdict, Verdict::LegalWithAcceptedIrregularities);
}

#[test]
fn what_was_not_examined_is_never_legal() {
    let text = "[Variant \"Chess960\"]\n\n1. e4 e5 1-0";
    assert_eq!(pgn(text, &Options::default()).verdict, Verdict::Unreadable);
    let options = Options { overrides: vec![accept(None, Some(FindingCode::StartUnknown))], ..Options::default() };
    assert_eq!(pgn(text, &options).verdict, Verdict::IllegalMove);
}

#[test]
fn a_list_of_moves_without_start_says_so() {
    let moves = ["e4".to_owned()];
    let record = Record::Moves(&moves, MoveNotation::San);
    let report = validate(&Submission { start: Start::FromTags, record }, &Options::default()).unwrap();
    assert_eq!(codes(&report), ["start-assumed"]);
}

#[test]
fn after_the_end_it_does_not_matter_what_is_legal() {
    let report = pgn("1. f3 e5 2. g4 Qh4# 3. a3 Zz 1-0", &Options::default());
    assert_eq!((report.verdict, report.plies), (Verdict::EndsEarlier, 4));
    assert_eq!(report.moves_san.as_line(), "f3 e5 g4 Qh4#");
    assert!(codes(&report).contains(&"result-contradicts-board") && !codes(&report).contains(&"illegal-move"));
    let fivefold = "Nf3 Nf6 Ng1 Ng8 ".repeat(4) + "Ke4";
    assert_eq!(
        codes(&moves(ALL, &fivefold, &Options::default())),
        ["threefold-claimable", "move-after-end", "fivefold-repetition"]
    );
}

#[test]
fn fifty_and_seventy_five_moves() {
    let fen = "4k2r/8/8/8/8/8/8/R3K3 w - - 98 80";
    let report = moves(fen, "Rb1 Rg8", &Options::default());
    assert_eq!(codes(&report), ["fifty-moves-claimable"]);
    let late = fen.replace("98", "148");
    assert_eq!(moves(&late, "Rb1 Rg8 Rb2", &Options::default()).verdict, Verdict::EndsEarlier);
    let mating = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 80";
    assert_eq!(codes(&moves(mating, "Ra8#", &Options::default())), ["fifty-moves-claimable", "checkmate"]);
}

#[test]
fn results_that_the_laws_do_not_allow() {
    assert!(codes(&pgn("1. e4 1/2-1/2", &Options::default())).contains(&"draw-before-moves"));
    assert!(codes(&pgn("1-0", &Options::default())).contains(&"not-played"));
    let bare = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 60\"]\n\n60. e4 Kd7 0-1";
    let report = pgn(bare, &Options::default());
    assert_eq!(report.verdict, Verdict::ResultContradicts);
    assert!(codes(&report).contains(&"winner-cannot-mate"));
}

#[test]
fn several_games_where_one_is_expected() {
    let report = pgn("1. e4 *\n\n[Event \"x\"]\n\n1. d4 *\n", &Options::default());
    assert_eq!(report.verdict, Verdict::Unreadable);
    assert_eq!(report.findings.last().map(|f| (f.code, f.line)), Some((FindingCode::SeveralGames, Some(3))));
    assert_eq!(pgn("", &Options::default()).verdict, Verdict::Unreadable);
    assert_eq!(pgn("\u{feff}  \n", &Options::default()).findings[0].code, FindingCode::NoGame);
}

#[test]
fn games_without_tags_follow_each_other() {
    let reports = validate_all(b"1. e4 e5 *\n1. d4 d5 2. c4 1-0\n", &Start::FromTags, &Options::default()).unwrap();
    assert_eq!(reports.iter().map(|r| r.plies).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_report_has_the_promised_fields_in_order() {
    let report = moves(ALL, "e4", &Options::default());
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(
        json,
        "{\"verdict\":\"legal-incomplete\",\"plies\":1,\"moves_san\":[\"e4\"],\"moves_uci\":[\"e2e4\"],\
         \"final_fen\":\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\",\
         \"final_fen_shredder\":\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b HAha - 0 1\",\
         \"result\":null,\"findings\":[]}"
    );
    let json = serde_json::to_string(&moves(ALL, "e5", &Options::default()).findings[0]).unwrap();
    assert!(json.starts_with("{\"code\":\"illegal-move\",\"severity\":\"error\",\"ply\":1,\"move\":\"e5\",\"line\":null,\"column\":null,\"squares\":["), "{json}");
}

#[test]
fn supervision_changes_the_advice_and_not_the_facts() {
    let basic = Options { supervision: Supervision::Basic, time_control: TimeControl::Rapid, ..Options::default() };
    let (full, basic) = (moves(ALL, "e5", &Options::default()), moves(ALL, "e5", &basic));
    assert_eq!(full.verdict, basic.verdict);
    assert!(basic.findings[0].message.contains("A.5.2") && !full.findings[0].message.contains("A.5.2"));
}

#[test]
fn what_follows_from_a_wrong_array_depends_on_supervision_and_moves() {
    let advice = |moves: &str, supervision| {
        let text = format!("[FEN \"{}\"]\n\n{moves} *", ALL.replace("RNBQK", "RNBKQ"));
        let options = Options { supervision, time_control: TimeControl::Blitz, ..drawn(518) };
        let report = pgn(&text.replace("w KQkq", "w Qkq"), &options);
        let found = report.findings.iter().find(|f| f.code == FindingCode::WrongStartArray).unwrap();
        (report.verdict, found.article.clone())
    };
    let shuffle = "Nf3 Nf6 Ng1 Ng8 e4 e5 Nf3 Nf6 Ng1 Ng8 d4 d5 Nf3 Nf6 Ng1 Ng8 a3 a6 Nf3 Nf6";
    assert_eq!(advice("e4", Supervision::Full), (Verdict::WrongStartArray, "7.2.1".into()));
    assert_eq!(advice("e4", Supervision::Basic), (Verdict::WrongStartArray, "7.2.1".into()));
    assert_eq!(advice(shuffle, Supervision::Full), (Verdict::WrongStartArray, "7.2.1".into()));
    assert_eq!(advice(shuffle, Supervision::Basic), (Verdict::WrongStartArray, "A.5.1.2".into()));
}

#[test]
fn a_notation_language_is_named_and_never_guessed() {
    let lithuanian = Options { language: "lt".parse().unwrap(), ..Options::default() };
    let report = moves(ALL, "e4 e5 Rc4 Žc6 Vh5 Žf6 Vxf7#", &lithuanian);
    assert_eq!(report.moves_san.as_line(), "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#");
    assert!(moves(ALL, "e4 e5 Žf3", &Options::default()).has_errors());
}

#[test]
fn a_termination_tag_is_held_against_board_and_result() {
    let mate = "1. f3 e5 2. g4 Qh4#";
    let open = "1. e4 e5";
    let stalemate = "[FEN \"7k/8/6K1/8/8/8/8/5Q2 w - - 0 1\"]\n\n1. Qf7";
    for (tag, game, result, fits) in [
        ("normal", mate, "0-1", true),
        ("time forfeit", mate, "0-1", false),
        ("Time forfeit", open, "1-0", true),
        ("Ona won on time", open, "1/2-1/2", false),
        ("Ona won by checkmate", mate, "0-1", true),
        ("Ona won by checkmate", open, "0-1", false),
        ("Ona won by resignation", open, "1-0", true),
        ("Ona won by resignation", open, "*", false),
        ("Game drawn by stalemate", stalemate, "1/2-1/2", true),
        ("Game drawn by stalemate", open, "1/2-1/2", false),
        ("Game drawn by timeout vs insufficient material", open, "1/2-1/2", true),
        ("unterminated", open, "*", true),
        ("unterminated", open, "1-0", false),
        ("adjudication", open, "*", false),
        ("rules infraction", open, "0-1", true),
        ("abandoned", open, "1-0", true),
    ] {
        let text = format!("[Termination \"{tag}\"]\n[Result \"{result}\"]\n{game} {result}\n");
        let found = codes(&pgn(&text, &Options::default())).contains(&"termination-tag");
        assert_eq!(!found, fits, "{tag} {game} {result}");
    }
}

#[test]
fn a_game_dated_before_the_release_is_an_alarm_in_a_tournament_only() {
    let text = "[Date \"2026.12.04\"]\n\n1. e4 e5 *\n";
    let options = Options { released_on: Some(jiff::civil::date(2026, 12, 5)), ..drawn(518) };
    let report = pgn(text, &options);
    let finding = report.findings.iter().find(|f| f.code == FindingCode::DatedBeforeRelease).unwrap();
    assert_eq!((finding.line, finding.severity), (Some(1), Severity::Warning));
    assert!(finding.message.contains("2026-12-05"), "{}", finding.message);
    assert!(!codes(&pgn(text, &drawn(518))).contains(&"dated-before-release"));
}

/// An empty tag says nothing: it names no other game.
#[test]
fn an_empty_variant_tag_is_a_missing_one() {
    let text = |variant: &str| {
        format!(
            "[Variant \"{variant}\"]\n[SetUp \"1\"]\n[FEN \"{}\"]\n\n1. a3 *",
            StartPosition::from_number(number(0)).fen()
        )
    };
    assert_eq!(codes(&pgn(&text(""), &Options::default())), ["variant-missing"]);
    assert_eq!(codes(&pgn(&text("Crazyhouse"), &Options::default())), ["variant-unknown"]);
}
