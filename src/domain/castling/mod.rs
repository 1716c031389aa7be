//! Castling: where the pieces go, and why a castling is or is not possible.

mod answer;
mod explain;
mod geometry;
mod record;
mod report;
#[cfg(test)]
mod tests;
mod wording;

pub use answer::{CastlingAnswer, CastlingFault, FaultCode};
pub use explain::{explain, explain_rook};
pub use geometry::{CastlingBlock, CastlingGeometry, CastlingKind, SideGeometry, both, geometry};
pub use record::{CastlingRecord, LossCause, RightHistory, RightLoss};
pub use report::{
    CastlingPair, CastlingReport, IllegalPly, answer_after, answer_for_fen, answer_from, playable, report,
};
