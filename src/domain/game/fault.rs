//! What is said of a move that cannot be played.

use super::{
    board::Miss,
    conclusion::End,
    finding::{Finding, FindingCode as C, FurtherReason},
    notation::{NotAMove, PieceMove, Said},
    pgn::text::excerpt,
    refusal::{self, Intent},
    replay::Word,
};
use crate::domain::{
    castling::CastlingRecord,
    rules::{Chess, Role, Square, san::San, uci::UciMove},
};

/// A move of which there is not exactly one legal one. `unclaimed_stands`: an illegal move that the opponent answered
/// stands (A.5.2).
pub fn no_move(
    position: &Chess,
    record: impl FnOnce() -> CastlingRecord,
    said: &Said,
    miss: &Miss,
    unclaimed_stands: bool,
) -> Finding {
    let Some(intent) = intent(said) else {
        return Finding::new(C::NullMove, "a pass is no move: the player on move must make one");
    };
    let refusal = refusal::explain(position, &intent, &record());
    let code = if matches!(miss, Miss::Ambiguous(_)) { C::AmbiguousMove } else { C::IllegalMove };
    let mut finding = Finding::new(code, refusal.message).on(refusal.squares).under(refusal.article);
    finding.reason = Some(refusal.code);
    if let (Miss::Ambiguous(squares), true) = (miss, finding.squares.is_empty()) {
        finding.squares.clone_from(squares);
    }
    let further = refusal.more.into_iter();
    finding.further = further
        .map(|m| FurtherReason { code: m.code, squares: m.squares, article: m.article.into(), message: m.message })
        .collect();
    if unclaimed_stands {
        finding.add_sentence(UNCLAIMED);
    }
    finding
}

/// What an arbiter can do without full supervision.
const UNCLAIMED: &str = "Without full supervision it stands if the opponent has moved before it was claimed (A.5.2); \
                         the arbiter can accept it";

/// A finding with ply, text and place.
pub fn placed(finding: Finding, ply: u32, word: Word<'_>) -> Finding {
    Finding { offset: word.at, ..finding.at_ply(ply).about(word.text) }
}

/// A move behind the end of the game.
pub fn after_end(end: End, ply: u32, word: Word<'_>) -> Finding {
    let message = format!("the game had ended at half-move {}: {}", end.ply, end_in_words(end.by));
    placed(Finding::new(C::MoveAfterEnd, message).under(end.by.article()), ply, word)
}

/// How a game ended, to be said after a colon.
pub fn end_in_words(by: C) -> &'static str {
    match by {
        C::Checkmate => "checkmate",
        C::Stalemate => "stalemate",
        C::DeadPosition => "neither player can checkmate by any series of legal moves",
        C::FivefoldRepetition => "the same position had appeared for the fifth time",
        _ => "each player had made 75 moves without a pawn move or a capture",
    }
}

/// A word that stands where a move should be and is none.
pub fn unreadable_word(word: Word<'_>, why: &NotAMove, ply: u32) -> Finding {
    let text = excerpt(word.text);
    let (code, message) = match why {
        NotAMove::Unreadable if !word.text.iter().any(|b| b.is_ascii_alphanumeric() || *b >= 0x80) => {
            (C::UnreadableToken, format!("\"{text}\" is neither a move nor anything else that PGN knows"))
        }
        NotAMove::Unreadable => (C::UnreadableMove, format!("\"{text}\" cannot be read as a move")),
        NotAMove::NearlyCastling => (
            C::UnreadableMove,
            format!("\"{text}\" is not how castling is written: O-O or O-O-O, each with a blank before the next move"),
        ),
        NotAMove::WrongScript(found, double) => (
            C::WrongScript,
            format!(
                "\"{text}\" has the letter {found} (U+{:04X}), which looks like {double} (U+{:04X}) and is not it",
                u32::from(*found),
                u32::from(*double)
            ),
        ),
    };
    placed(Finding::new(code, message), ply, word)
}

fn intent(said: &Said) -> Option<Intent> {
    Some(match *said {
        Said::Piece(PieceMove { role, file, rank, capture, to, promotion }) => {
            Intent::San(San::Normal { role, file, rank, capture, to, promotion })
        }
        Said::Castle(side) => Intent::San(San::Castle(side)),
        Said::Squares { from, to, promotion } => Intent::Uci(normal(from, to, promotion)),
        Said::Null => return None,
    })
}

fn normal(from: Square, to: Square, promotion: Option<Role>) -> UciMove {
    UciMove::Normal { from, to, promotion }
}
