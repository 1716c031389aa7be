//! From what is written to the one legal move on the board.

use super::notation::{PieceMove, Said};
use crate::domain::rules::{Bitboard, CastlingSide, Chess, Move, Position, Rank, Role, Square, attacks};

/// A legal move, and how closely its square of departure has to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The move.
    pub mv: Move,
    /// The file of departure belongs into the canonical spelling.
    pub file: bool,
    /// The rank of departure belongs into it.
    pub rank: bool,
}

/// Why there is not exactly one legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// There is none.
    Illegal,
    /// These squares hold pieces that could all make it.
    Ambiguous(Vec<Square>),
}

/// Finds the legal move that is said.
///
/// # Errors
/// When there is none or more than one.
#[inline]
pub fn find(position: &Chess, said: &Said) -> Result<Found, Miss> {
    match said {
        Said::Piece(piece) => find_piece(position, piece),
        Said::Castle(side) => castling(position, *side).map(certain).ok_or(Miss::Illegal),
        Said::Squares { from, to, promotion } => find_squares(position, *from, *to, *promotion),
        Said::Null => Err(Miss::Illegal),
    }
}

fn certain(mv: Move) -> Found {
    Found { mv, file: false, rank: false }
}

/// The legal castling to this side.
fn castling(position: &Chess, side: CastlingSide) -> Option<Move> {
    position.castling_moves(side).first().copied()
}

/// Most moves are found by looking back from the square of arrival; what is not found so is looked for in the list of
/// legal moves, which also knows kings and en passant.
#[inline]
fn find_piece(position: &Chess, piece: &PieceMove) -> Result<Found, Miss> {
    let found = match piece.role {
        Role::King => None,
        Role::Pawn => find_pawn(position, piece),
        _ => find_officer(position, piece),
    };
    match found {
        Some(found) => Ok(found),
        None => find_in_list(position, piece),
    }
}

/// Queen, rook, bishop or knight: the only one that reaches the square, is what the record says, and may leave.
#[inline]
fn find_officer(position: &Chess, piece: &PieceMove) -> Option<Found> {
    let board = position.board();
    let occupied = board.occupied();
    let reach = match piece.role {
        Role::Knight => attacks::knight_attacks(piece.to),
        Role::Bishop => attacks::bishop_attacks(piece.to, occupied),
        Role::Rook => attacks::rook_attacks(piece.to, occupied),
        _ => attacks::queen_attacks(piece.to, occupied),
    };
    let capture = board.role_at(piece.to);
    if position.us().contains(piece.to) || capture == Some(Role::King) || piece.promotion.is_some() {
        return None;
    }
    let king = board.king_of(position.turn())?;
    let origins = reach & position.our(piece.role);
    let (mut legal, mut fitting, mut fits) = (Bitboard::EMPTY, None, 0);
    for from in origins {
        if is_safe(position, king, from, piece.to) {
            legal.add(from);
            let file = piece.file.is_none_or(|file| file == from.file());
            if file && piece.rank.is_none_or(|rank| rank == from.rank()) {
                fitting = Some(from);
                fits += 1;
            }
        }
    }
    let from = fitting.filter(|_| fits == 1)?;
    let mv = Move::Normal { role: piece.role, from, capture, to: piece.to, promotion: None };
    let rivals = legal.without(from);
    if rivals.is_empty() {
        return Some(certain(mv));
    }
    Some(closely(mv, from, rivals))
}

/// A pawn, but for en passant.
#[inline]
fn find_pawn(position: &Chess, piece: &PieceMove) -> Option<Found> {
    let (board, turn, to) = (position.board(), position.turn(), piece.to);
    let is_last = to.rank() == turn.fold_wb(Rank::Eighth, Rank::First);
    let is_promotion = matches!(piece.promotion, Some(Role::Knight | Role::Bishop | Role::Rook | Role::Queen));
    if is_last != is_promotion || (!is_last && piece.promotion.is_some()) || piece.rank.is_some() {
        return None;
    }
    let back = turn.fold_wb(-8, 8);
    let pawns = position.our(Role::Pawn);
    let capture = board.role_at(to);
    let from = match piece.file.filter(|file| *file != to.file()) {
        Some(file) => {
            let beside = to.offset(back)?;
            let from = Square::from_coords(file, beside.rank());
            let is_capture = position.them().contains(to) && capture != Some(Role::King);
            (is_capture && from.distance(beside) == 1).then_some(from)?
        }
        None if capture.is_some() => return None,
        None => {
            let one = to.offset(back)?;
            let is_double = to.rank() == turn.fold_wb(Rank::Fourth, Rank::Fifth) && !board.occupied().contains(one);
            if is_double { one.offset(back)? } else { one }
        }
    };
    let king = board.king_of(turn)?;
    let mv = Move::Normal { role: Role::Pawn, from, capture, to, promotion: piece.promotion };
    let legal = pawns.contains(from) && is_safe(position, king, from, to);
    legal.then_some(Found { mv, file: capture.is_some(), rank: false })
}

/// Whether the king is not attacked once a piece has gone from one square to another, capturing what stands there.
#[inline]
fn is_safe(position: &Chess, king: Square, from: Square, to: Square) -> bool {
    let board = position.board();
    let occupied = board.occupied().without(from).with(to);
    board.attacks_to(king, !position.turn(), occupied).without(to).is_empty()
}

/// The move among the legal ones.
#[cold]
fn find_in_list(position: &Chess, piece: &PieceMove) -> Result<Found, Miss> {
    let candidates = position.san_candidates(piece.role, piece.to);
    let mut fitting = candidates.iter().filter(|mv| fits(piece, mv));
    let Some(&mv) = fitting.next() else { return Err(Miss::Illegal) };
    if fitting.next().is_some() {
        let squares = candidates.iter().filter(|mv| fits(piece, mv)).filter_map(|mv| mv.from());
        return Err(Miss::Ambiguous(squares.collect()));
    }
    Ok(with_origin(mv, &candidates))
}

/// Whether a legal move is the one that is written. A king cannot be taken; a pawn without file goes straight ahead.
#[inline]
fn fits(piece: &PieceMove, mv: &Move) -> bool {
    let (Some(from), false) = (mv.from(), mv.capture() == Some(Role::King)) else { return false };
    let file = match piece.file {
        Some(file) => from.file() == file,
        None => piece.role != Role::Pawn || from.file() == piece.to.file(),
    };
    file && piece.rank.is_none_or(|rank| rank == from.rank()) && piece.promotion == mv.promotion()
}

/// How closely the square of departure has to be given among these legal moves.
fn with_origin(mv: Move, candidates: &[Move]) -> Found {
    let Some(from) = mv.from() else { return certain(mv) };
    if mv.role() == Role::Pawn {
        return Found { mv, file: mv.is_capture(), rank: false };
    }
    let rivals: Bitboard = candidates.iter().filter_map(|m| m.from()).filter(|square| *square != from).collect();
    closely(mv, from, rivals)
}

/// File first, then rank, then both, as far as needed to tell the piece from others that can make the move (C.10, PGN
/// 8.2.3.4).
fn closely(mv: Move, from: Square, rivals: Bitboard) -> Found {
    let same_file = (rivals & Bitboard::from_file(from.file())).any();
    let same_rank = (rivals & Bitboard::from_rank(from.rank())).any();
    Found { mv, file: rivals.any() && (!same_file || same_rank), rank: same_file }
}

/// From square to square: a king on the square of its own rook castles if that rook may, a king that goes further than a
/// king can to its castling square castles too, and a step of one square is never castling.
fn find_squares(position: &Chess, from: Square, to: Square, promotion: Option<Role>) -> Result<Found, Miss> {
    let board = position.board();
    let Some(role) = board.role_at(from).filter(|_| position.us().contains(from)) else { return Err(Miss::Illegal) };
    if role == Role::King
        && promotion.is_none()
        && let Some(mv) = king_castles(position, from, to)
    {
        return Ok(certain(mv));
    }
    let candidates = position.san_candidates(role, to);
    let fitting =
        |mv: &&Move| mv.from() == Some(from) && mv.promotion() == promotion && mv.capture() != Some(Role::King);
    candidates.iter().find(fitting).map(|mv| with_origin(*mv, &candidates)).ok_or(Miss::Illegal)
}

fn king_castles(position: &Chess, from: Square, to: Square) -> Option<Move> {
    let turn = position.turn();
    for side in CastlingSide::ALL {
        let is_own_rook = position.castles().rook(turn, side) == Some(to);
        let is_far = side.king_to(turn) == to && from.distance(to) > 1 && from.rank() == to.rank();
        if is_own_rook || (is_far && !position.us().contains(to)) {
            return castling(position, side);
        }
    }
    None
}
