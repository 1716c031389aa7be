//! Laws that hold for all games and all bytes.

use draw960::domain::{
    castling::playable,
    fen::x_fen,
    game::{
        Acceptance, GameReport, Language, MoveNotation, Options, Override, Record, Start, Submission, Validator,
        Verdict,
        board::find,
        notation::{self, PieceMove, Said},
        spelled::{Spelled, spell_san},
        validate, validate_all,
    },
    position_number::PositionNumber,
    rules::{Chess, File, Move, Position, Role, Square, uci::UciMove},
    start_position::StartPosition,
};
use proptest::prelude::*;

fn start(number: u16) -> StartPosition {
    StartPosition::from_number(PositionNumber::try_from(number % 960).unwrap())
}

/// A legal game: at each half-move a choice among the legal moves.
fn game(number: u16, choices: &[u16]) -> (Chess, Vec<Move>) {
    let mut position = playable(&start(number));
    let mut moves = Vec::new();
    for choice in choices {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[usize::from(*choice) % legal.len()];
        position.play_unchecked(mv);
        moves.push(mv);
    }
    (position, moves)
}

fn submit(number: u16, moves: &[String], notation: MoveNotation) -> GameReport {
    let number = PositionNumber::try_from(number % 960).unwrap();
    let submission = Submission { start: Start::Number(number), record: Record::Moves(moves, notation) };
    validate(&submission, &Options::default()).unwrap()
}

fn words(report: &GameReport) -> Vec<String> {
    report.moves_san.iter().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A legal game is called legal in both notations, comes out as it went in, and ends in the same position.
    #[test]
    fn legal_games_go_round(number in 0u16..960, choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let (last, moves) = game(number, &choices);
        let uci: Vec<String> = moves.iter().map(|m| UciMove::from_chess960(*m).to_string()).collect();
        let report = submit(number, &uci, MoveNotation::Uci);
        prop_assert_eq!(report.plies as usize, moves.len());
        prop_assert_eq!(report.final_fen(), Some(x_fen(&last)));
        let san = submit(number, &words(&report), MoveNotation::San);
        prop_assert_eq!(&san.moves_uci.as_line(), &uci.join(" "));
        prop_assert_eq!(&san.moves_san, &report.moves_san);
        prop_assert!(matches!(san.verdict, Verdict::LegalComplete | Verdict::LegalIncomplete | Verdict::EndsEarlier));
        let spelling = san.findings.iter().any(|f| f.code.as_str().starts_with("spelling"));
        prop_assert!(!spelling, "{:?}", san.findings);
    }

    /// What a report says can be written as PGN and read again.
    #[test]
    fn parse_print_parse_is_identity(number in 0u16..960, choices in prop::collection::vec(any::<u16>(), 0..80)) {
        let (_, moves) = game(number, &choices);
        let uci: Vec<String> = moves.iter().map(|m| UciMove::from_chess960(*m).to_string()).collect();
        let report = submit(number, &uci, MoveNotation::Uci);
        let pgn = format!("[FEN \"{}\"]\n\n{} *\n", start(number % 960).fen(), report.moves_san.as_line());
        let again = validate_all(pgn.as_bytes(), &Start::FromTags, &Options::default()).unwrap();
        prop_assert_eq!(again.len(), 1);
        prop_assert_eq!(&again[0].moves_san, &report.moves_san);
        prop_assert_eq!(again[0].final_fen(), report.final_fen());
    }

    /// No legal move is taken for another one, and its spelling is the one of the chess library.
    #[test]
    fn every_legal_move_has_one_spelling(number in 0u16..960, choices in prop::collection::vec(any::<u16>(), 0..60)) {
        let (position, _) = game(number, &choices);
        for mv in position.legal_moves() {
            let theirs = draw960::domain::rules::san::San::from_move(&position, mv).to_string();
            let written = notation::read(theirs.as_bytes(), &Language::ENGLISH).unwrap();
            let found = find(&position, &written.said).unwrap();
            prop_assert_eq!(found.mv, mv);
            let (mut ours, mut spelled) = (Vec::new(), Spelled::default());
            spell_san(&mut spelled, &found);
            spelled.append_to(&mut ours);
            prop_assert_eq!(String::from_utf8(ours).unwrap(), theirs);
        }
    }

    /// A piece, a square and perhaps a file or rank: one legal move is found exactly when there is exactly one.
    #[test]
    fn what_is_found_is_legal(number in 0u16..960, choices in prop::collection::vec(any::<u16>(), 0..100), odd in any::<u16>()) {
        let (position, _) = game(number, &choices);
        let legal = position.legal_moves();
        let pick = |n: u16, of: u16| u32::from(odd.wrapping_add(n).wrapping_mul(40503) % of);
        for (n, role) in Role::ALL.into_iter().cycle().take(768).enumerate() {
            let to = Square::new(n as u32 / 12 % 64);
            let file = (n % 12 > 5).then(|| File::new(pick(n as u16, 8)));
            let promotion = (n % 7 == 0).then_some(Role::Queen);
            let piece = PieceMove { role, file, rank: None, capture: false, to, promotion };
            let fits = |m: &&Move| {
                let straight = role != Role::Pawn || file.is_some() || m.from().map(Square::file) == Some(to.file());
                m.role() == role && m.to() == to && !m.is_castle() && m.promotion() == promotion && straight
                    && file.is_none_or(|f| m.from().map(Square::file) == Some(f))
            };
            let fitting: Vec<&Move> = legal.iter().filter(fits).collect();
            match find(&position, &Said::Piece(piece)) {
                Ok(found) => prop_assert_eq!(fitting, [&found.mv]),
                Err(_) => prop_assert!(fitting.len() != 1, "{piece:?} {fitting:?}"),
            }
        }
    }

    /// Any bytes: no panic, and every place lies in the text.
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        reads(&bytes)?;
    }

    /// Bytes that look like PGN.
    #[test]
    fn any_soup_of_pgn_is_read(soup in "([a-hKQRBNO0-8x=+#!?(){}\\[\\];%$.*\" \n\r-]|\\[Event \"|1-0|O-O|--|e\\.p\\.|½|О){0,120}") {
        reads(soup.as_bytes())?;
    }

    /// An arbiter may accept anything: no panic, and kings stay on the board.
    #[test]
    fn anything_may_be_accepted(
        number in 0u16..960,
        choices in prop::collection::vec(any::<u16>(), 0..30),
        words in prop::collection::vec("[KQRBN]?[a-h]?x?[a-h][1-8]|O-O|O-O-O|[a-h][1-8][a-h][1-8]q?|--|[a-h]x?[a-h][18]=?Q", 1..60),
    ) {
        let (position, _) = game(number, &choices);
        let acceptance = Acceptance { article: "A.5.2".into(), reason: "not claimed".into() };
        let accept = |ply| Override { ply: Some(ply), code: None, acceptance: acceptance.clone(), position: None };
        let options = Options { overrides: (1..=60).map(accept).collect(), ..Options::default() };
        let submission = Submission { start: Start::Fen(x_fen(&position)), record: Record::Moves(&words, MoveNotation::San) };
        let report = validate(&submission, &options).unwrap();
        let fen = report.final_fen().unwrap();
        prop_assert!(fen.contains('K') && fen.contains('k'));
        prop_assert_eq!(report.moves_san.iter().count(), report.plies as usize);
        prop_assert_eq!(report.moves_uci.iter().count(), report.plies as usize);
    }

    /// Words of any kind after a legal beginning: none is dropped. Either the game has as many half-moves as there are
    /// words, or there is an error.
    #[test]
    fn no_word_is_dropped(word in "[a-zA-Z0-9О=+#!?-]{1,8}") {
        let pgn = format!("1. e4 e5 2. {word} *");
        let reports = validate_all(pgn.as_bytes(), &Start::FromTags, &Options::default()).unwrap();
        let sign = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = !word.starts_with('0');
        let is_sign = ["", "N", "D", "RR", "TN", "ep"].contains(&sign) || sign.chars().all(|c| "=+#!?-".contains(c));
        let annotation = is_sign && is_numbered && !["--", "---"].contains(&sign);
        prop_assert!(annotation || reports[0].plies == 3 || reports[0].has_errors(), "{word}: {reports:?}");
    }
}

fn reads(bytes: &[u8]) -> Result<(), TestCaseError> {
    let lines = bytes.iter().filter(|b| matches!(b, b'\n' | b'\r')).count() as u32 + 1;
    let options = Options::default();
    let mut validator = Validator::new(&Start::FromTags, &options).unwrap();
    let mut reports = Vec::new();
    validator.each_game(bytes, 1, |report| reports.push(report));
    let mut end = 0;
    for report in reports {
        prop_assert!(report.begins_at >= end);
        end = report.begins_at + report.length;
        prop_assert!(end <= bytes.len());
        for finding in &report.findings {
            prop_assert!(finding.offset.is_none_or(|offset| offset <= bytes.len()));
            prop_assert!(finding.line.is_none_or(|line| line >= 1 && line <= lines));
        }
    }
    Ok(())
}

/// Whatever a text is made of, each byte of it belongs to one game or to none, and what is said about it does not grow with it.
/// That its reading takes no more than proportional time is shown by `cargo bench --bench games`, `hostile`.
#[test]
fn a_hostile_text_is_read_once_and_answered_briefly() {
    for unit in HOSTILE {
        let said = |times: usize| {
            let text = unit.repeat(times);
            let options = Options::default();
            let mut validator = Validator::new(&Start::FromTags, &options).unwrap();
            let (mut end, mut games, mut longest) = (0, 0, 0);
            validator.each_game(text.as_bytes(), 1, |report| {
                assert!(report.begins_at >= end, "{unit:?}");
                end = report.begins_at + report.length;
                games += 1;
                longest = longest.max(serde_json::to_string(&report).unwrap().len());
            });
            assert!(end <= text.len() && games <= times, "{unit:?}: {games} games");
            longest
        };
        // Numbers and places have a few digits more.
        let (small, large) = (said(2_000), said(20_000));
        assert!(large < small + 500, "{unit:?}: {small} bytes, of ten times that {large}");
    }
}

/// A report quotes, it does not repeat: nobody makes its reader take in what he was sent himself.
#[test]
fn long_words_and_tags_are_quoted_briefly() {
    let long = "x".repeat(7_000);
    let names =
        ["Event", "Event", "White", "Black", "Round", "Variant", "Result", "FEN", "SetUp", "WhiteFideId", "Date"];
    let tags: String = names.iter().enumerate().map(|(n, name)| format!("[{name} \"{n}{long}\"]\n")).collect();
    for text in
        [format!("{tags}\n1. e4 *"), format!("1. {long} *"), format!("{tags}\n1. e4 {{[%clk {long}]}} {long} *")]
    {
        for report in validate_all(text.as_bytes(), &Start::FromTags, &Options::default()).unwrap() {
            let said = serde_json::to_string(&report).unwrap();
            assert!(said.len() < 7_000, "{said}");
        }
    }
}

include!("hostile.rs");
