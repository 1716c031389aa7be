//! From what is written to the one legal move on the board, and back to its canonical spelling.

use super::notation::{PieceMove, Said};
use crate::domain::rules::{CastlingSide, Chess, Color, Move, Position, Rank, Role, Square};

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

#[inline]
fn find_piece(position: &Chess, piece: &PieceMove) -> Result<Found, Miss> {
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

/// How closely the square of departure has to be given: file first, then rank, then both (C.10, PGN 8.2.3.4).
#[inline]
fn with_origin(mv: Move, candidates: &[Move]) -> Found {
    let mut found = certain(mv);
    let Some(from) = mv.from() else { return found };
    if mv.role() == Role::Pawn {
        found.file = mv.is_capture();
        return found;
    }
    if candidates.len() == 1 {
        return found;
    }
    let (mut other, mut same_file, mut same_rank) = (false, false, false);
    for rival in candidates.iter().filter_map(|m| m.from()).filter(|square| *square != from) {
        other = true;
        same_file |= rival.file() == from.file();
        same_rank |= rival.rank() == from.rank();
    }
    found.file = other && (!same_file || same_rank);
    found.rank = same_file;
    found
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

/// A move as it is spelled: few enough bytes to be put together in a register and written at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spelled {
    bytes: u128,
    bits: u32,
}

impl Spelled {
    /// Adds a byte; a move has never more than nine.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        self.bytes |= u128::from(byte) << (self.bits & 127);
        self.bits += 8;
    }

    #[inline]
    fn square(&mut self, square: Square) {
        let [file, rank] = square_bytes(square);
        self.push(file);
        self.push(rank);
    }

    /// Appends it to a line.
    #[inline]
    pub fn append_to(&self, line: &mut Vec<u8>) {
        let length = line.len() + (self.bits / 8) as usize;
        line.extend_from_slice(&self.bytes.to_le_bytes());
        line.truncate(length);
    }
}

/// Spells a move in canonical SAN, without check or mate sign.
#[inline]
pub fn spell_san(san: &mut Spelled, found: &Found) {
    if let Move::Castle { king, rook } = found.mv {
        let letters: &[u8] = if king.file() < rook.file() { b"O-O" } else { b"O-O-O" };
        return letters.iter().for_each(|letter| san.push(*letter));
    }
    let mv = found.mv;
    if mv.role() != Role::Pawn {
        san.push(letter(mv.role()));
    }
    if let Some(from) = mv.from() {
        let [file, rank] = square_bytes(from);
        if found.file {
            san.push(file);
        }
        if found.rank {
            san.push(rank);
        }
    }
    if mv.is_capture() {
        san.push(b'x');
    }
    san.square(mv.to());
    if let Some(piece) = mv.promotion() {
        san.push(b'=');
        san.push(letter(piece));
    }
}

/// Spells a move in UCI, with a blank behind it; castling is king takes rook.
#[inline]
pub fn spell_uci(mv: Move) -> Spelled {
    let mut uci = Spelled::default();
    if let Some(from) = mv.from() {
        uci.square(from);
    }
    uci.square(mv.to());
    if let Some(piece) = mv.promotion() {
        uci.push(letter(piece).to_ascii_lowercase());
    }
    uci.push(b' ');
    uci
}

/// English letter of a piece.
#[inline]
fn letter(role: Role) -> u8 {
    b"?PNBRQK"[role as usize % 7]
}

#[inline]
fn square_bytes(square: Square) -> [u8; 2] {
    let n = u32::from(square) as u8;
    [b'a' + (n & 7), b'1' + (n >> 3)]
}

/// Carries out what is written although it is not legal, as an arbiter lets it stand (A.5.2); `None` when the record does
/// not say which piece went where, or the board cannot be like that.
pub fn forced(position: &Chess, said: &Said) -> Option<Move> {
    match said {
        Said::Castle(side) => forced_castling(position, *side),
        Said::Squares { from, to, promotion } => forced_normal(position, *from, *to, *promotion),
        Said::Piece(piece) => forced_normal(position, only_origin(position, piece)?, piece.to, piece.promotion),
        Said::Null => None,
    }
}

/// The one square from which the piece can have come, first among the pieces that reach the square.
fn only_origin(position: &Chess, piece: &PieceMove) -> Option<Square> {
    let named = position.our(piece.role).into_iter().filter(|square| {
        piece.file.is_none_or(|file| file == square.file()) && piece.rank.is_none_or(|rank| rank == square.rank())
    });
    let all: Vec<Square> = named.collect();
    let board = position.board();
    let reaching: Vec<Square> = all.iter().copied().filter(|s| board.attacks_from(*s).contains(piece.to)).collect();
    match (all.as_slice(), reaching.as_slice()) {
        ([only], _) | (_, [only]) => Some(*only),
        _ if piece.role == Role::Pawn => only_pawn(&all, piece.to),
        _ => None,
    }
}

/// The pawn on the file of arrival that is nearest to it.
fn only_pawn(pawns: &[Square], to: Square) -> Option<Square> {
    pawns.iter().copied().filter(|s| s.file() == to.file()).min_by_key(|s| s.distance(to))
}

fn forced_normal(position: &Chess, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
    let board = position.board();
    let role = board.role_at(from).filter(|_| position.us().contains(from) && from != to)?;
    let capture = board.role_at(to);
    let last = matches!(to.rank(), Rank::First | Rank::Eighth);
    let promotion = if role == Role::Pawn && last { promotion.or(Some(Role::Queen)) } else { None };
    (capture != Some(Role::King)).then_some(Move::Normal { role, from, capture, to, promotion })
}

/// Castling without a right: the outermost rook of that side, if the squares of arrival are free.
fn forced_castling(position: &Chess, side: CastlingSide) -> Option<Move> {
    let turn: Color = position.turn();
    let king = position.board().king_of(turn).filter(|king| king.rank() == turn.fold_wb(Rank::First, Rank::Eighth))?;
    let mut rooks = position.our(Role::Rook).into_iter().filter(|rook| rook.rank() == king.rank());
    let rook = match side {
        CastlingSide::KingSide => rooks.rfind(|rook| rook.file() > king.file()),
        CastlingSide::QueenSide => rooks.find(|rook| rook.file() < king.file()),
    }?;
    let others = position.board().occupied().without(king).without(rook);
    let free = !others.contains(side.king_to(turn)) && !others.contains(side.rook_to(turn));
    free.then_some(Move::Castle { king, rook })
}
