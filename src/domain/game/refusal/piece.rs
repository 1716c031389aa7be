//! Why one piece cannot go from its square to another.

use super::{
    pawn,
    reason::{RefusalCode, RefusalPart},
    safety,
};
use crate::domain::{
    naming,
    rules::{CastlingSide, Chess, Position, Role, Square, attacks},
};

pub(super) use crate::domain::naming::sentence as capital;

/// One piece of the player on turn, and where it would go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub from: Square,
    pub to: Square,
    pub promotion: Option<Role>,
    /// Whether the record says that something is captured; `None` when the notation does not tell.
    pub capture: Option<bool>,
}

/// The reason why this piece cannot make this step: how it moves, what stands in the way, the king's safety, and last
/// what the record says beside the squares.
pub(super) fn explain(position: &Chess, step: &Step) -> RefusalPart {
    let movement = if step.from == step.to { Some(same_square(position, step)) } else { movement(position, step) };
    movement
        .or_else(|| safety::fault(position, step))
        .or_else(|| promotion_fault(position, step))
        .or_else(|| capture_fault(position, step))
        .unwrap_or_else(|| playable(position, step))
}

fn playable(position: &Chess, step: &Step) -> RefusalPart {
    let message = format!("{} may go to {}.", the_piece(position, step.from), step.to);
    RefusalPart::new(RefusalCode::Playable, vec![step.from, step.to], message)
}

/// `The white knight on f3`, at the beginning of a sentence.
pub(super) fn the_piece(position: &Chess, square: Square) -> String {
    capital(&naming::piece_on(position.board(), square))
}

fn same_square(position: &Chess, step: &Step) -> RefusalPart {
    let message = format!("{} would stay where it is: that is no move.", the_piece(position, step.from));
    RefusalPart::new(RefusalCode::SameSquare, vec![step.from], message)
}

fn movement(position: &Chess, step: &Step) -> Option<RefusalPart> {
    match position.board().role_at(step.from)? {
        Role::Pawn => pawn::fault(position, step),
        role => reach_fault(position, step, role)
            .or_else(|| blocked_fault(position, step))
            .or_else(|| own_piece_fault(position, step)),
    }
}

/// How each piece moves (3.2 to 3.8.1).
fn reach_fault(position: &Chess, step: &Step, role: Role) -> Option<RefusalPart> {
    let (code, reaches, rule) = reach(role, step.from, step.to);
    if reaches {
        return None;
    }
    let mut message = format!("{} cannot reach {}: {rule}.", the_piece(position, step.from), step.to);
    if let Some(side) = castling_meant(position, step.from, step.to).filter(|_| role == Role::King) {
        message.push_str(&format!(" Castling is written {}.", naming::castling(side)));
    }
    Some(RefusalPart::new(code, vec![step.from, step.to], message))
}

/// Whether the squares lie as this piece moves, on an empty board, and the rule.
pub(super) fn reach(role: Role, from: Square, to: Square) -> (RefusalCode, bool, &'static str) {
    let straight = from.file() == to.file() || from.rank() == to.rank();
    let diagonal = from.file().distance(to.file()) == from.rank().distance(to.rank());
    match role {
        Role::Bishop => (RefusalCode::BishopReach, diagonal, "a bishop moves along a diagonal"),
        Role::Rook => (RefusalCode::RookReach, straight, "a rook moves along its file or rank"),
        Role::Queen => {
            (RefusalCode::QueenReach, straight || diagonal, "a queen moves along its file, its rank or a diagonal")
        }
        Role::Knight => (
            RefusalCode::KnightReach,
            attacks::knight_attacks(from).contains(to),
            "a knight goes two squares along a file or rank and one to the side",
        ),
        Role::King => (RefusalCode::KingReach, from.distance(to) <= 1, "a king goes to an adjoining square"),
        Role::Pawn => (RefusalCode::PawnReach, false, "a pawn goes straight ahead and captures diagonally"),
    }
}

/// The castling a king may have meant that goes further than a king can, onto a castling square of its own rank.
pub(super) fn castling_meant(position: &Chess, king: Square, to: Square) -> Option<CastlingSide> {
    let colour = position.turn();
    let far = king.distance(to) > 1 && king.rank() == colour.backrank();
    CastlingSide::ALL.into_iter().find(|side| far && side.king_to(colour) == to)
}

/// 3.5: bishop, rook and queen do not move over intervening pieces. The first one met is named.
fn blocked_fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    let between = attacks::between(step.from, step.to) & position.board().occupied();
    let first = between.into_iter().min_by_key(|square| square.distance(step.from))?;
    let message = format!(
        "{} cannot go to {}: {} stands in the way.",
        the_piece(position, step.from),
        step.to,
        naming::piece_on(position.board(), first)
    );
    Some(RefusalPart::new(RefusalCode::Blocked, vec![step.from, step.to, first], message))
}

/// 3.1: not onto a square that holds a piece of the same colour.
pub(super) fn own_piece_fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    if !position.us().contains(step.to) {
        return None;
    }
    let message = format!(
        "{} cannot go to {}: {} stands there.",
        the_piece(position, step.from),
        step.to,
        naming::piece_on(position.board(), step.to)
    );
    Some(RefusalPart::new(RefusalCode::OwnPiece, vec![step.from, step.to], message))
}

/// 3.7.3.3: a pawn on the last rank, and nothing else, becomes a queen, rook, bishop or knight.
fn promotion_fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    let is_pawn = position.board().pawns().contains(step.from);
    let last_rank = is_pawn && step.to.rank() == (!position.turn()).backrank();
    let to = step.to;
    let (code, message) = match step.promotion {
        None if last_rank => {
            (RefusalCode::PromotionMissing, format!("The record does not say what the pawn became on {to}."))
        }
        Some(piece @ (Role::King | Role::Pawn)) if last_rank => (
            RefusalCode::PromotionPiece,
            format!("A pawn cannot become a {}: only a queen, rook, bishop or knight.", naming::role(piece)),
        ),
        Some(_) if !is_pawn => (
            RefusalCode::PromotionOfPiece,
            format!("{} cannot be promoted: only pawns are.", the_piece(position, step.from)),
        ),
        Some(_) if !last_rank => {
            (RefusalCode::PromotionTooEarly, format!("A pawn is promoted on the last rank, not on {to}."))
        }
        _ => return None,
    };
    Some(RefusalPart::new(code, vec![step.from, to], message))
}

/// C.9: the record says that something is captured, or does not say so, and the board disagrees.
fn capture_fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    let en_passant = pawn::is_en_passant(position, step);
    let captures = en_passant || position.them().contains(step.to);
    let (code, message) = match step.capture? {
        true if !captures => {
            (RefusalCode::NothingToCapture, format!("The move is written as a capture, but {} is empty.", step.to))
        }
        false if captures => {
            let victim =
                if en_passant { "a pawn, en passant".into() } else { naming::piece_on(position.board(), step.to) };
            (RefusalCode::CaptureNotMarked, format!("The move captures {victim}, and is not written as a capture."))
        }
        _ => return None,
    };
    Some(RefusalPart::new(code, vec![step.from, step.to], message))
}
