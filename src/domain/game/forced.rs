//! Moves that are not legal and stand, because an arbiter says so.

use super::{
    board::Found,
    fault::placed,
    finding::{Finding, FindingCode as C},
    notation::{PieceMove, Said},
    options::Override,
    pgn::text::excerpt,
    replay::{Replay, Word},
    spelled::{Spelled, spell_san, spell_uci},
};
use crate::domain::{
    castling::CastlingRecord,
    fen::read_position,
    rules::{CastlingSide, Chess, Color, Move, Position, Rank, Role, Square},
};

impl<'o> Replay<'o> {
    /// Goes on from the position that an arbiter let stand, or stops.
    pub(super) fn resume(&mut self, accepted: Option<&'o Override>, said: Option<&Said>, word: Word<'_>) {
        let Some(accepted) = accepted else { return self.stop() };
        let mv = said.and_then(|said| carry_out(&self.position, said));
        let position = match &accepted.position {
            Some(fen) => read_position(fen).ok(),
            None => mv.map(|mv| {
                let mut position = self.position.clone();
                position.play_unchecked(mv);
                position
            }),
        };
        match position {
            Some(position) => self.stand(position, mv, word),
            None => {
                let message = "the accepted move cannot be carried out as it is written; name the position from which play went on";
                self.find(placed(Finding::new(C::OverrideImpossible, message), self.plies + 1, word));
                self.stop();
            }
        }
    }

    /// The rights to castle from the start to the position at hand, through what was let stand.
    pub(super) fn castling_record(&self) -> CastlingRecord {
        match &self.let_stand {
            None => CastlingRecord::from_game(&self.segment, &self.moves),
            Some((record, ply)) => {
                let mut record = record.clone();
                record.continue_from(*ply, &self.segment, &self.moves);
                record
            }
        }
    }

    /// Lets an irregular move stand: it counts as played, in the words of the record where no square can be named.
    fn stand(&mut self, position: Chess, mv: Option<Move>, word: Word<'_>) {
        match mv {
            Some(mv) => {
                let piece = mv.role() != Role::Pawn;
                let mut san = Spelled::default();
                spell_san(&mut san, &Found { mv, file: piece || mv.is_capture(), rank: piece });
                san.append_to(&mut self.san);
                spell_uci(mv).append_to(&mut self.uci);
            }
            None => {
                let text = excerpt(word.text);
                self.san.extend(text.bytes().filter(|b| !b.is_ascii_whitespace()));
                self.uci.extend_from_slice(b"0000 ");
            }
        }
        self.san.push(b' ');
        self.plies += 1;
        self.let_stand = Some((self.castling_record(), self.plies));
        self.restart(position);
        self.look_for_end(true);
    }
}

/// Carries out what is written although it is not legal, as an arbiter lets it stand (A.5.2); `None` when the record does
/// not say which piece went where, or the board cannot be like that.
fn carry_out(position: &Chess, said: &Said) -> Option<Move> {
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
