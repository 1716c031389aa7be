//! Why a move that was written is not legal, in an arbiter's words.
//!
//! Source: FIDE Laws 3.1 to 3.10 and, for what a record says, Appendix C. Castling is explained by
//! [`castling`].

mod named;
mod pawn;
mod piece;
mod reason;
mod safety;
#[cfg(test)]
mod tests;

pub use reason::{Refusal, RefusalCode, RefusalPart};

use crate::domain::{
    castling::{self, CastlingAnswer, CastlingFault, CastlingRecord},
    naming::{self, player},
    rules::{Chess, EnPassantMode, Position, Role, Square, san::San, uci::UciMove},
};
use piece::{Step, capital};
use reason::refuse;

/// The move that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    /// In algebraic notation.
    San(San),
    /// From a square to a square; castling is king takes own rook.
    Uci(UciMove),
}

/// Why `intent` is not a legal move of `position`. The record tells how rights to castle were lost.
///
/// An intent that is legal as it is written has the code `playable`.
pub fn explain(position: &Chess, intent: &Intent, record: &CastlingRecord) -> Refusal {
    match *intent {
        Intent::San(San::Castle(side)) => {
            let setup = position.to_setup(EnPassantMode::Legal);
            of_castling(castling::explain(&setup, position.turn(), side, Some(record)))
        }
        Intent::San(San::Normal { role, file, rank, capture, to, promotion }) => {
            named::explain(position, &named::Named { role, file, rank, capture, to, promotion })
        }
        Intent::Uci(UciMove::Normal { from, to, promotion }) => of_squares(position, from, to, promotion, record),
        Intent::San(San::Null) | Intent::Uci(UciMove::Null) => null_move(position),
        Intent::San(San::Put { role, to }) | Intent::Uci(UciMove::Put { role, to }) => {
            let message = format!("A {} cannot be put on {to}: chess has no pieces in hand.", naming::role(role));
            refuse(RefusalCode::PieceInHand, vec![to], message)
        }
    }
}

fn null_move(position: &Chess) -> Refusal {
    let message = format!("{} must make a move: nobody may pass.", player(position.turn()));
    refuse(RefusalCode::NullMove, Vec::new(), message)
}

/// A move given by its squares.
fn of_squares(position: &Chess, from: Square, to: Square, promotion: Option<Role>, record: &CastlingRecord) -> Refusal {
    let (board, white) = (position.board(), player(position.turn()));
    let Some(found) = board.piece_at(from) else {
        return refuse(RefusalCode::EmptySquare, vec![from], format!("No piece stands on {from}."));
    };
    if found.color != position.turn() {
        let what = capital(&naming::piece_on(board, from));
        return refuse(RefusalCode::OpponentsPiece, vec![from], format!("{what} is not {white}'s piece to move."));
    }
    if found.role == Role::King
        && promotion.is_none()
        && let Some(refusal) = castling_by_squares(position, from, to, record)
    {
        return refusal;
    }
    piece::explain(position, &Step { from, to, promotion, capture: None }).into()
}

/// A king that moves onto a rook or, further than a king can, onto its castling square: castling is meant.
fn castling_by_squares(position: &Chess, king: Square, to: Square, record: &CastlingRecord) -> Option<Refusal> {
    let setup = position.to_setup(EnPassantMode::Legal);
    let colour = position.turn();
    let on_rook = setup.board.by_piece(Role::Rook.of(colour)).contains(to);
    if on_rook && to.rank() == colour.backrank() && king.rank() == to.rank() {
        return Some(of_castling(castling::explain_rook(&setup, colour, to, Some(record))));
    }
    let side = piece::castling_meant(position, king, to)?;
    let answer = castling::explain(&setup, colour, side, Some(record));
    let Some(rook) = answer.rook_from.filter(|_| answer.legal) else { return Some(of_castling(answer)) };
    let message = format!(
        "A king cannot go from {king} to {to}; castling is written as king takes rook, {king}{rook}, or {}.",
        naming::castling(side)
    );
    Some(refuse(RefusalCode::CastlingAsKingMove, vec![king, to, rook], message))
}

/// The first fault of a castling, with the others behind it.
fn of_castling(answer: CastlingAnswer) -> Refusal {
    let opening = format!(
        "{} may not castle on the {} ({}).",
        player(answer.colour),
        naming::side(answer.side),
        naming::castling(answer.side)
    );
    let mut faults = answer.faults.into_iter();
    let Some(first) = faults.next() else { return refuse(RefusalCode::Playable, Vec::new(), answer.sentence) };
    Refusal {
        code: first.code,
        squares: first.squares,
        article: first.article,
        message: format!("{opening} {}", first.message),
        more: faults.map(RefusalPart::from).collect(),
    }
}

impl From<CastlingFault> for RefusalPart {
    fn from(fault: CastlingFault) -> Self {
        Self { code: fault.code, squares: fault.squares, article: fault.article, message: fault.message }
    }
}
