//! Games that were played: their scores are facts, keyed here from public sources.

use draw960::domain::game::{MoveNotation, Options, Record, Start, Submission, Verdict, validate, validate_all};

const MAINZ: &[u8] = include_bytes!("../vectors/games/mainz-2009.pgn");

#[test]
fn games_that_were_played_are_legal() {
    let reports = validate_all(MAINZ, &Start::FromTags, &Options::default()).unwrap();
    assert_eq!(reports.len(), 6);
    for report in reports {
        assert_eq!(report.verdict, Verdict::LegalComplete, "{report:?}");
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }
}

#[test]
fn both_notations_of_a_report_lead_to_the_same_game() {
    for report in validate_all(MAINZ, &Start::FromTags, &Options::default()).unwrap() {
        let fen = draw960::domain::fen::x_fen(report.start.as_ref().unwrap());
        for (moves, notation) in [(&report.moves_san, MoveNotation::San), (&report.moves_uci, MoveNotation::Uci)] {
            let moves: Vec<String> = moves.iter().map(str::to_owned).collect();
            let submission = Submission { start: Start::Fen(fen.clone()), record: Record::Moves(&moves, notation) };
            let again = validate(&submission, &Options::default()).unwrap();
            assert_eq!(again.moves_san, report.moves_san);
            assert_eq!(again.moves_uci, report.moves_uci);
            assert_eq!(again.final_fen(), report.final_fen());
        }
    }
}
