//! Why a move in algebraic notation, which names a kind of piece, fits no piece or several.

use super::{
    piece::{self, Step},
    reason::{Refusal, RefusalCode, RefusalPart, refuse},
};
use crate::domain::{
    naming::{self, player},
    rules::{Bitboard, Chess, File, Position, Rank, Role, Square},
};

/// A move in algebraic notation, other than castling.
pub(super) struct Named {
    pub role: Role,
    pub file: Option<File>,
    pub rank: Option<Rank>,
    pub capture: bool,
    pub to: Square,
    pub promotion: Option<Role>,
}

impl Named {
    /// Whether the record can mean a piece on this square. A pawn move without a file goes straight ahead, and one
    /// that captures comes from another file.
    fn means(&self, from: Square) -> bool {
        let pawn_file =
            self.role != Role::Pawn || self.file.is_some() || self.capture != (from.file() == self.to.file());
        pawn_file
            && self.file.is_none_or(|file| file == from.file())
            && self.rank.is_none_or(|rank| rank == from.rank())
    }

    fn step(&self, from: Square) -> Step {
        Step { from, to: self.to, promotion: self.promotion, capture: Some(self.capture) }
    }

    /// `on the g-file`, `on rank 5`, `on g5`, as far as the record says where the piece comes from.
    fn origin(&self) -> String {
        match (self.file, self.rank) {
            (Some(file), Some(rank)) => format!("on {}", Square::from_coords(file, rank)),
            (Some(file), None) => format!("on the {file}-file"),
            (None, Some(rank)) => format!("on rank {rank}"),
            (None, None) if self.role == Role::Pawn && self.capture => "on a file beside it".to_owned(),
            (None, None) if self.role == Role::Pawn => format!("on the {}-file", self.to.file()),
            (None, None) => "on the board".to_owned(),
        }
    }
}

/// Why the move is refused.
pub(super) fn explain(position: &Chess, named: &Named) -> Refusal {
    let own = position.our(named.role);
    let able = able(position, named);
    let meant: Bitboard = own.into_iter().filter(|from| named.means(*from)).collect();
    if own.is_empty() {
        return no_such_piece(position, named);
    }
    if meant.is_empty() {
        return wrong_origin(position, named, able).into();
    }
    if (able & meant).more_than_one() {
        return ambiguous(position, named, able & meant);
    }
    if let Some(from) = (able & meant).first() {
        return piece::explain(position, &named.step(from)).into();
    }
    let mut refusal = of_pieces(position, named, meant);
    if able.any() {
        refusal.more.push(wrong_origin(position, named, able));
    }
    refusal
}

/// Own pieces of this kind that can legally go there.
fn able(position: &Chess, named: &Named) -> Bitboard {
    position.san_candidates(named.role, named.to).iter().filter_map(|m| m.from()).collect()
}

fn no_such_piece(position: &Chess, named: &Named) -> Refusal {
    let message = format!("{} has no {}.", player(position.turn()), naming::role(named.role));
    refuse(RefusalCode::NoSuchPiece, vec![named.to], message)
}

/// No piece of this kind comes from where the record says; those that could go there, or all there are, are named.
fn wrong_origin(position: &Chess, named: &Named, able: Bitboard) -> RefusalPart {
    let (white, kind) = (player(position.turn()), naming::role(named.role));
    let own = position.our(named.role);
    let none = !own.into_iter().any(|from| named.means(from));
    let opening = if none { format!("{white} has no {kind} {}. ", named.origin()) } else { String::new() };
    let (squares, rest) = if able.any() {
        (able, format!("{} can go to {}.", piece::capital(&naming::pieces_on(position.board(), able)), named.to))
    } else {
        let is = if own.more_than_one() { "s stand" } else { " stands" };
        (own, format!("{white}'s {kind}{is} on {}.", naming::squares(own)))
    };
    RefusalPart::new(RefusalCode::WrongOrigin, squares.into_iter().collect(), opening + &rest)
}

/// C.10: the record must say which of several pieces moved.
fn ambiguous(position: &Chess, named: &Named, able: Bitboard) -> Refusal {
    let who = piece::capital(&naming::pieces_on(position.board(), able));
    let message = format!("{who} can all go to {}; the record does not say which one did.", named.to);
    let message = if able.count() == 2 { message.replace(" can all go", " can both go") } else { message };
    refuse(RefusalCode::Ambiguous, able.into_iter().collect(), message)
}

/// Each piece that can be meant fails: the nearest miss comes first, pieces that are nowhere near are left out.
fn of_pieces(position: &Chess, named: &Named, meant: Bitboard) -> Refusal {
    let mut parts: Vec<_> = meant.into_iter().map(|from| piece::explain(position, &named.step(from))).collect();
    parts.sort_by_key(|part| distance(part.code));
    let far = parts.first().is_none_or(|part| distance(part.code) == FAR);
    if far && parts.len() > 1 {
        return none_reaches(position, named, meant);
    }
    let mut near = parts.into_iter();
    let Some(first) = near.next() else { return no_such_piece(position, named) };
    let more = near.filter(|part| distance(part.code) < FAR).collect();
    Refusal { more, ..first.into() }
}

/// How far from being playable a move with this fault is.
fn distance(code: &str) -> u8 {
    let nearness: [&[RefusalCode]; 3] = [
        &[
            RefusalCode::Pinned,
            RefusalCode::StillInCheck,
            RefusalCode::EnPassantUncovers,
            RefusalCode::PromotionMissing,
            RefusalCode::PromotionPiece,
            RefusalCode::KingIntoAttack,
            RefusalCode::KingsAdjacent,
        ],
        &[RefusalCode::EnPassantTooLate, RefusalCode::PawnCapturesStraight],
        &[
            RefusalCode::Blocked,
            RefusalCode::OwnPiece,
            RefusalCode::PawnBlocked,
            RefusalCode::DoubleBlocked,
            RefusalCode::DoubleStep,
            RefusalCode::PawnNothingToCapture,
        ],
    ];
    let near = nearness.iter().position(|codes| codes.iter().any(|near| near.as_str() == code));
    near.map_or(FAR, |n| n as u8)
}

const FAR: u8 = 9;

fn none_reaches(position: &Chess, named: &Named, meant: Bitboard) -> Refusal {
    let from = meant.first().unwrap_or(named.to);
    let (code, _, rule) = piece::reach(named.role, from, named.to);
    let (white, kind) = (player(position.turn()), naming::role(named.role));
    let message = format!("{white}'s {kind}s on {} cannot reach {}: {rule}.", naming::squares(meant), named.to);
    refuse(code, meant.into_iter().chain([named.to]).collect(), message)
}
