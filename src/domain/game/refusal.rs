//! Why a move that is not legal is not legal.

use crate::domain::{
    castling::CastlingRecord,
    rules::{Chess, Square, san::San, uci::UciMove},
};

/// The move that was meant.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Standard algebraic notation.
    San(San),
    /// From square and to square.
    Uci(UciMove),
}

/// Why a move is refused.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Stable code of the reason.
    pub code: &'static str,
    /// Squares that matter.
    pub squares: Vec<Square>,
    /// Article of the Laws.
    pub article: &'static str,
    /// One sentence for an arbiter.
    pub message: String,
    /// Further reasons that hold as well.
    pub more: Vec<RefusalPart>,
}

/// A further reason.
#[derive(Clone, Debug)]
pub struct RefusalPart {
    /// Stable code of the reason.
    pub code: &'static str,
    /// Squares that matter.
    pub squares: Vec<Square>,
    /// Article of the Laws.
    pub article: &'static str,
    /// One sentence for an arbiter.
    pub message: String,
}

/// Explains a refused move.
pub fn explain(_position: &Chess, _intent: &Intent, _record: &CastlingRecord) -> Refusal {
    Refusal {
        code: "not-legal",
        squares: Vec::new(),
        article: "3.1",
        message: "no piece can make this move".into(),
        more: Vec::new(),
    }
}
