//! Irregularities on the board and what follows from them: arrays, colours, what an arbiter lets stand.

use draw960::domain::{
    game::{
        Acceptance, Drawn, Finding, FindingCode as C, GameReport, MoveNotation, Options, Override, Record, Start,
        Submission, Supervision, TimeControl, Verdict, validate,
    },
    start_position::StartPosition,
};

const CLASSICAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KING_ON_D1: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1";
const TEN_MOVES: &str = "1. a3 a6 2. b3 b6 3. c3 c6 4. d3 d6 5. e3 e6 6. f3 f6 7. g3 g6 8. h3 h6 9. a4 a5 10. b4 b5";

fn start(number: u16) -> StartPosition {
    StartPosition::from_number(number.try_into().unwrap())
}

fn drawn(number: u16, others: Vec<(String, StartPosition)>) -> Options {
    Options { drawn: Some(Drawn { position: start(number), others }), ..Options::default() }
}

fn basic(options: Options) -> Options {
    Options { supervision: Supervision::Basic, time_control: TimeControl::Rapid, ..options }
}

fn accept(ply: Option<u32>, code: Option<C>) -> Override {
    Override {
        ply,
        code,
        acceptance: Acceptance { article: "A.5.2".into(), reason: "not claimed".into() },
        position: None,
    }
}

fn pgn(text: &str, options: &Options) -> GameReport {
    validate(&Submission { start: Start::FromTags, record: Record::Pgn(text.as_bytes()) }, options).unwrap()
}

fn from_fen(fen: &str, moves: &str, options: &Options) -> GameReport {
    pgn(&format!("[FEN \"{fen}\"]\n\n{moves} *"), options)
}

fn finding(report: &GameReport, code: C) -> &Finding {
    report.findings.iter().find(|f| f.code == code).unwrap_or_else(|| panic!("{code:?} in {:?}", report.findings))
}

#[test]
fn a_wrong_array_says_what_follows_from_it() {
    let early = from_fen(KING_ON_D1, "1. e4 e5", &drawn(518, Vec::new()));
    let found = finding(&early, C::WrongStartArray);
    assert_eq!(found.article, "7.2.1");
    assert_eq!(
        found.message,
        "The array is position 518 (RNBQKBNR), but the king and queen of one player have changed places. The array was \
         wrong: the game is cancelled and a new game is played from the drawn position."
    );
    let late = from_fen(KING_ON_D1, TEN_MOVES, &basic(drawn(518, Vec::new())));
    let found = finding(&late, C::WrongStartArray);
    assert_eq!(found.article, "A.5.1.2");
    assert!(found.message.ends_with("White may not castle at all, because the king or that rook is misplaced."));
    let standard = Options { supervision: Supervision::Basic, ..drawn(518, Vec::new()) };
    assert_eq!(finding(&from_fen(KING_ON_D1, TEN_MOVES, &standard), C::WrongStartArray).article, "7.2.1");
}

#[test]
fn the_position_of_another_round_is_named() {
    let options = drawn(518, vec![("round 3".to_owned(), start(0))]);
    let report = from_fen(&start(0).fen(), "1. e4", &options);
    assert_eq!(report.verdict, Verdict::NotTheDrawnPosition);
    assert!(finding(&report, C::NotTheDrawnPosition).message.contains("that of round 3."));
}

#[test]
fn an_array_is_compared_even_where_its_castling_field_is_impossible() {
    let rook_on_g1 = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBRKBQN w KQkq - 0 1";
    let report = from_fen(rook_on_g1, "1. e4", &drawn(518, Vec::new()));
    assert_eq!(report.verdict, Verdict::WrongStartArray, "{:?}", report.findings);
    let turned = "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr w KQkq - 0 1";
    let found = from_fen(turned, "1. e4", &drawn(518, Vec::new()));
    assert_eq!(finding(&found, C::WrongStartArray).article, "7.2.2");
    let options = Options { overrides: vec![accept(None, Some(C::WrongStartArray))], ..drawn(518, Vec::new()) };
    let stands = from_fen(rook_on_g1, "1. e4 e5", &options);
    assert_eq!(stands.verdict, Verdict::LegalWithAcceptedIrregularities, "{:?}", stands.findings);
    assert!(stands.final_fen().unwrap().contains(" w Qkq "), "{:?}", stands.final_fen());
    assert_eq!(from_fen("x", "1. e4", &drawn(518, Vec::new())).findings[0].code, C::StartTagUnreadable);
}

#[test]
fn the_ply_that_lost_a_right_is_right_behind_an_irregularity() {
    let moves: Vec<String> = "Nf3 Nc6 g3 a6 Bg2 h6 Rg1 a5 Rh1 a5a3 h3 b6 O-O".split(' ').map(str::to_owned).collect();
    let submission =
        Submission { start: Start::Fen(CLASSICAL.into()), record: Record::Moves(&moves, MoveNotation::San) };
    let options = Options { overrides: vec![accept(Some(10), None)], ..Options::default() };
    let report = validate(&submission, &options).unwrap();
    let castling = report.findings.iter().find(|f| f.ply == Some(13)).unwrap();
    assert_eq!((castling.code, castling.reason), (C::IllegalMove, Some("castling-rook-moved")));
    assert!(castling.message.contains("4. Rh1-g1 (ply 7)"), "{}", castling.message);
    assert_eq!(castling.article, "3.8.2.1");
}

#[test]
fn every_message_is_made_of_whole_sentences() {
    let text = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1\"]\n[Result \"?\"]\n\n\
                1. e4 e5 2. 0-0 Ke7 3. zz -- $ 4. O-O";
    for options in [drawn(518, Vec::new()), basic(drawn(518, Vec::new())), Options::default()] {
        for finding in pgn(text, &options).findings {
            let first = finding.message.chars().next().unwrap();
            assert!(!first.is_lowercase() && finding.message.ends_with('.'), "{}", finding.message);
            assert!(!finding.message.contains(".."), "{}", finding.message);
        }
    }
}

#[test]
fn a_wall_of_pawns_ends_the_game() {
    let fen = "8/8/4k3/p1p1p1p1/P1P1P1P1/4K3/8/8 w - - 0 60";
    let report = from_fen(fen, "60. Kd3", &Options::default());
    assert_eq!((report.verdict, finding(&report, C::DeadPosition).ply), (Verdict::EndsEarlier, Some(0)));
}
