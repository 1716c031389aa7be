//! Refusals of named positions, and of random moves in random positions.

use super::*;
use crate::domain::{
    castling::playable,
    fen::read_fen,
    position_number::PositionNumber,
    rules::{Chess, File, Rank},
    start_position::StartPosition,
};
use proptest::prelude::*;
use std::collections::HashSet;

fn refusal(fen: &str, intent: Intent) -> Refusal {
    let position = read_fen(fen).unwrap().position;
    explain(&position, &intent, &CastlingRecord::from_game(&position, &[]))
}

fn san(fen: &str, text: &str) -> Refusal {
    refusal(fen, Intent::San(text.parse().unwrap()))
}

fn uci(fen: &str, text: &str) -> Refusal {
    refusal(fen, Intent::Uci(text.parse().unwrap()))
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Every code, in a position where it is the reason.
#[test]
fn each_reason() {
    let ep_pin = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1";
    for (fen, text, code) in [
        (START, "Na4", "knight-cannot-reach"),
        (START, "Nd2", "own-piece-on-target"),
        (START, "Bb5", "blocked"),
        (START, "Rh4", "blocked"),
        (START, "Qd7", "blocked"),
        (START, "Qe4", "queen-cannot-reach"),
        (START, "Bc5", "bishop-cannot-reach"),
        (START, "Re5", "rook-cannot-reach"),
        (START, "Ke3", "king-cannot-reach"),
        (START, "e5", "pawn-cannot-reach"),
        (START, "exd3", "pawn-nothing-to-capture"),
        (START, "Nbf3", "knight-cannot-reach"),
        (START, "Ndf3", "wrong-origin"),
        (START, "Nxf3", "nothing-to-capture"),
        (START, "Nf3=Q", "promotion-of-a-piece"),
        (START, "e4=Q", "promotion-not-on-last-rank"),
        (START, "--", "null-move"),
        (START, "O-O", "castling-king-path-blocked"),
        ("4k1n1/8/2n5/1B6/8/8/8/4K3 b - - 0 1", "Nce7", "pinned"),
        ("4k1n1/8/2n5/1B6/8/8/8/4K3 b - - 0 1", "Nge7", "playable"),
        ("4k3/8/8/8/8/8/4r3/4K2N w - - 0 1", "Ng3", "does-not-answer-check"),
        ("4k3/8/8/8/8/8/r7/4K3 w - - 0 1", "Kd2", "king-into-attack"),
        ("8/8/8/8/8/4k3/8/4K3 w - - 0 1", "Kd2", "kings-adjacent"),
        ("8/8/8/8/8/4k3/8/4K3 w - - 0 1", "Qd2", "no-such-piece"),
        (ep_pin, "exd3", "en-passant-uncovers-check"),
        ("brnbqkrn/1pp1ppp1/p6p/3pP3/8/2P5/PP1P1PPP/BRNBQKRN w GBgb - 0 4", "exd6", "en-passant-too-late"),
        ("4k3/8/8/4p3/4P3/8/8/4K3 w - - 0 1", "e5", "pawn-blocked"),
        ("4k3/8/8/4p3/4P3/8/8/4K3 w - - 0 1", "exe5", "pawn-captures-straight"),
        ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e4", "double-step-blocked"),
        ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e5", "double-step-not-from-start"),
        ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e2", "pawn-backwards"),
        ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "d4", "wrong-origin"),
        ("7k/4P3/8/8/8/8/8/4K3 w - - 0 1", "e8", "promotion-missing"),
        ("7k/4P3/8/8/8/8/8/4K3 w - - 0 1", "e8=K", "promotion-to-king-or-pawn"),
        ("bbqn1rk1/pppp1pp1/4rn2/4p2p/4P2P/4RN2/PPPP1PP1/BBQN1RK1 w Qq - 6 6", "Re1", "ambiguous"),
        ("1bbqknrn/1pppppp1/7r/p6p/P6P/7R/1PPPPPP1/1BBQKNRN w Kk - 4 5", "Ng3", "ambiguous"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "ed5", "capture-not-marked"),
    ] {
        let intent = if text == "--" { Intent::San(San::Null) } else { Intent::San(text.parse().unwrap()) };
        let refusal = refusal(fen, intent);
        assert_eq!(refusal.code, code, "{fen} {text}: {refusal:?}");
        assert!(refusal.message.ends_with('.') && !refusal.article.is_empty(), "{refusal:?}");
    }
}

#[test]
fn each_reason_by_squares() {
    let inner = "1bbqk1rr/1pppppp1/4n1n1/p6p/P6P/4N1N1/1PPPPPP1/1BBQK1RR w Gg - 10 8";
    for (fen, text, code) in [
        (START, "e3e4", "empty-square"),
        (START, "e7e5", "opponents-piece"),
        (START, "g1g1", "same-square"),
        (START, "0000", "null-move"),
        (START, "N@e4", "piece-in-hand"),
        (START, "e1h1", "castling-king-path-blocked"),
        (inner, "e1h1", "castling-wrong-rook"),
        ("rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w KQkq - 0 1", "b1g1", "castling-as-king-move"),
        ("rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w - - 0 1", "b1g1", "castling-right-not-given"),
        ("7k/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7e8", "promotion-missing"),
        (START, "e2e4q", "promotion-not-on-last-rank"),
        (START, "g1f3", "playable"),
    ] {
        let refusal = uci(fen, text);
        assert_eq!(refusal.code, code, "{fen} {text}: {refusal:?}");
    }
}

#[test]
fn sentences_name_squares_and_pieces() {
    for (fen, text, message) in [
        (
            "4k1n1/8/2n5/1B6/8/8/8/4K3 b - - 0 1",
            "Nce7",
            "The black knight on c6 is pinned: after its move to e7 the king on e8 would be in check from the white \
             bishop on b5.",
        ),
        (
            "bbqn1rk1/pppp1pp1/4rn2/4p2p/4P2P/4RN2/PPPP1PP1/BBQN1RK1 w Qq - 6 6",
            "Re1",
            "The white rook on f1 and the white rook on e3 can both go to e1; the record does not say which one did.",
        ),
        (START, "Bb5", "The white bishop on f1 cannot go to b5: the white pawn on e2 stands in the way."),
        (
            START,
            "Ne5",
            "White's knights on b1 and g1 cannot reach e5: a knight goes two squares along a file or rank and one to the side.",
        ),
        (START, "Ndf3", "White has no knight on the d-file. The white knight on g1 can go to f3."),
    ] {
        assert_eq!(san(fen, text).message, message);
    }
    let castling = san("4k3/8/8/8/7b/5r2/8/4KN1R w K - 0 1", "O-O");
    let others: Vec<_> = castling.more.iter().map(|part| part.code).collect();
    assert_eq!(others, ["castling-in-check", "castling-through-attack"]);
}

#[test]
fn the_codes_are_a_closed_list() {
    let words: HashSet<_> = RefusalCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(words.len(), RefusalCode::ALL.len());
    assert!(RefusalCode::ALL.iter().all(|code| !code.article().is_empty() && code.meaning().ends_with('.')));
}

/// What a refusal of an illegal move must be: specific, with a sentence and an article.
fn is_specific(position: &Chess, intent: &Intent) {
    let refusal = explain(position, intent, &CastlingRecord::from_game(position, &[]));
    let known = RefusalCode::ALL.iter().any(|code| code.as_str() == refusal.code);
    assert!(known || refusal.code.starts_with("castling-"), "{refusal:?}");
    assert_ne!(refusal.code, "playable", "{intent:?} {refusal:?} {position:?}");
    assert!(!refusal.message.is_empty() && !refusal.article.is_empty(), "{refusal:?}");
}

fn role() -> impl Strategy<Value = Role> {
    (0..6usize).prop_map(|n| Role::ALL[n])
}

fn square() -> impl Strategy<Value = Square> {
    (0..64u32).prop_map(Square::new)
}

fn intent() -> impl Strategy<Value = Intent> {
    let file = prop::option::weighted(0.2, (0..8u32).prop_map(File::new));
    let rank = prop::option::weighted(0.1, (0..8u32).prop_map(Rank::new));
    let promotion = || prop::option::weighted(0.1, role());
    let san = (role(), file, rank, prop::bool::weighted(0.2), square(), promotion()).prop_map(
        |(role, file, rank, capture, to, promotion)| {
            Intent::San(San::Normal { role, file, rank, capture, to, promotion })
        },
    );
    let uci = (square(), square(), promotion())
        .prop_map(|(from, to, promotion)| Intent::Uci(UciMove::Normal { from, to, promotion }));
    prop_oneof![4 => san, 4 => uci, 1 => Just(Intent::San("O-O".parse().unwrap())), 1 => Just(Intent::San("O-O-O".parse().unwrap()))]
}

fn is_legal(position: &Chess, intent: &Intent) -> bool {
    match intent {
        Intent::San(san) => san.to_move(position).is_ok(),
        Intent::Uci(uci) => uci.to_move(position).is_ok(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_illegal_move_has_a_specific_reason(
        number in 0u16..960,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..160),
        intents in prop::collection::vec(intent(), 300),
    ) {
        let mut position = playable(&StartPosition::from_number(PositionNumber::try_from(number).unwrap()));
        for choice in choices {
            let legal = position.legal_moves();
            if legal.is_empty() { break }
            // Captures are taken when there are some, so that the board empties.
            let captures: Vec<_> = legal.iter().filter(|m| m.is_capture()).copied().collect();
            let m = if captures.is_empty() { *choice.get(&legal) } else { *choice.get(&captures) };
            position.play_unchecked(m);
            for intent in intents.iter().take(20).filter(|intent| !is_legal(&position, intent)) {
                is_specific(&position, intent);
            }
        }
        for intent in intents.iter().filter(|intent| !is_legal(&position, intent)) {
            is_specific(&position, intent);
        }
    }
}
