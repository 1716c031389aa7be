//! Why one pawn cannot go where it was said to go (3.7).

use super::{
    piece::{Step, own_piece_fault, reach, the_piece},
    reason::{RefusalCode, RefusalPart},
};
use crate::domain::{
    naming,
    rules::{Chess, Position, Rank, Role, Square},
};

/// The way a pawn would go, seen from its player.
struct Way {
    /// Ranks ahead; negative is backwards.
    ahead: i32,
    /// Files to the side.
    aside: u32,
}

fn way(position: &Chess, step: &Step) -> Way {
    let up = i32::from(step.to.rank()) - i32::from(step.from.rank());
    Way { ahead: position.turn().fold_wb(up, -up), aside: step.from.file().distance(step.to.file()) }
}

/// Whether the step is the capture en passant that the position allows.
pub(super) fn is_en_passant(position: &Chess, step: &Step) -> bool {
    let diagonal = matches!(way(position, step), Way { ahead: 1, aside: 1 });
    diagonal && position.board().pawns().contains(step.from) && position.maybe_ep_square() == Some(step.to)
}

/// How pawns move and what stands in the way.
pub(super) fn fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    match way(position, step) {
        Way { ahead: 1, aside: 0 } => straight_fault(position, step),
        Way { ahead: 2, aside: 0 } => double_fault(position, step),
        Way { ahead: 1, aside: 1 } => diagonal_fault(position, step),
        Way { ahead: ..=0, .. } => Some(backwards(position, step)),
        _ => Some(out_of_reach(position, step)),
    }
}

fn backwards(position: &Chess, step: &Step) -> RefusalPart {
    let message = format!(
        "{} cannot go to {}: a pawn never moves backwards or sideways.",
        the_piece(position, step.from),
        step.to
    );
    RefusalPart::new(RefusalCode::PawnBackwards, vec![step.from, step.to], message)
}

fn out_of_reach(position: &Chess, step: &Step) -> RefusalPart {
    let (code, _, rule) = reach(Role::Pawn, step.from, step.to);
    let message = format!("{} cannot reach {}: {rule}.", the_piece(position, step.from), step.to);
    RefusalPart::new(code, vec![step.from, step.to], message)
}

/// 3.7.1: straight ahead, onto an empty square.
fn straight_fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    if !position.board().occupied().contains(step.to) {
        return None;
    }
    let (pawn, what) = (the_piece(position, step.from), naming::piece_on(position.board(), step.to));
    let captures = step.capture == Some(true) && position.them().contains(step.to);
    let (code, message) = if captures {
        let message = format!("{pawn} cannot capture {what}: a pawn captures diagonally, not straight ahead.");
        (RefusalCode::PawnCapturesStraight, message)
    } else {
        (RefusalCode::PawnBlocked, format!("{pawn} cannot advance to {}: {what} stands there.", step.to))
    };
    Some(RefusalPart::new(code, vec![step.from, step.to], message))
}

/// 3.7.2: two squares from the start square, over and onto empty ones.
fn double_fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    let pawn = the_piece(position, step.from);
    if step.from.rank() != position.turn().relative_rank(Rank::Second) {
        let message = format!("{pawn} cannot go two squares to {}: it is not on its start square.", step.to);
        return Some(RefusalPart::new(RefusalCode::DoubleStep, vec![step.from, step.to], message));
    }
    let passed = Square::from_coords(step.from.file(), position.turn().relative_rank(Rank::Third));
    let blocker = [passed, step.to].into_iter().find(|square| position.board().occupied().contains(*square))?;
    let what = naming::piece_on(position.board(), blocker);
    let message = format!("{pawn} cannot advance to {}: {what} stands in the way.", step.to);
    Some(RefusalPart::new(RefusalCode::DoubleBlocked, vec![step.from, step.to, blocker], message))
}

/// 3.7.3: diagonally, to capture; en passant only directly after the advance of two squares (3.7.3.2).
fn diagonal_fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    if position.them().contains(step.to) || is_en_passant(position, step) {
        return None;
    }
    if let Some(own) = own_piece_fault(position, step) {
        return Some(own);
    }
    Some(too_late_fault(position, step).unwrap_or_else(|| nothing_to_capture(position, step)))
}

fn nothing_to_capture(position: &Chess, step: &Step) -> RefusalPart {
    let message = format!(
        "{} cannot go to {}: nothing stands there to be captured, and a pawn moves diagonally only to capture.",
        the_piece(position, step.from),
        step.to
    );
    RefusalPart::new(RefusalCode::PawnNothingToCapture, vec![step.from, step.to], message)
}

/// An enemy pawn stands beside, as for a capture en passant, but did not just arrive there by two squares.
fn too_late_fault(position: &Chess, step: &Step) -> Option<RefusalPart> {
    let beside = Square::from_coords(step.to.file(), step.from.rank());
    let enemy_pawn = position.board().by_piece(Role::Pawn.of(!position.turn())).contains(beside);
    if !enemy_pawn || step.from.rank() != position.turn().relative_rank(Rank::Fifth) {
        return None;
    }
    let message = format!(
        "The pawn on {} cannot take the pawn on {beside} en passant on {}: that is possible only on the move directly \
         after the pawn's advance of two squares, which was not the last move.",
        step.from, step.to
    );
    Some(RefusalPart::new(RefusalCode::EnPassantTooLate, vec![step.from, step.to, beside], message))
}
