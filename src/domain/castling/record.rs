//! How each right to castle was lost in a game: by which move, at which ply.
//!
//! Source: FIDE Laws 3.8.2.1 (king or rook has moved) and Guidelines II.3.1 (each player castles once).

use crate::domain::rules::{ByColor, CastlingSide, Chess, Color, Move, Position, Role, Square};

/// What took a right to castle away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// The king moved, other than by castling.
    KingMoved,
    /// The castling rook moved, other than by castling.
    RookMoved,
    /// The castling rook was captured on its square.
    RookCaptured,
    /// The player castled, to this side: once per game, wherever the pieces stand afterwards.
    Castled(CastlingSide),
}

/// One event that took a right away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RightLoss {
    /// Half-move of the game, from 1.
    pub ply: u32,
    /// What happened.
    pub cause: LossCause,
    /// The move with its number, `3. Ke1-e2` or `3... Ke8-e7`.
    pub by: String,
}

/// One right that existed when the game began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RightHistory {
    /// Where the king stood.
    pub king: Square,
    /// Where the castling rook stood.
    pub rook: Square,
    /// What took the right away, in order; empty while it lasts. Each cause is listed once.
    pub losses: Vec<RightLoss>,
}

/// The rights to castle of a game, from its first position to its last move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastlingRecord {
    /// Of each colour, the h-side first.
    rights: ByColor<[Option<RightHistory>; 2]>,
}

impl CastlingRecord {
    /// Follows `moves`, each legal in its place, from `start`.
    pub fn from_game(start: &Chess, moves: &[Move]) -> Self {
        let history = |colour, side| {
            let (king, rook) = start.board().king_of(colour).zip(start.castles().rook(colour, side))?;
            Some(RightHistory { king, rook, losses: Vec::new() })
        };
        let mut record =
            Self { rights: ByColor::new_with(|colour| CastlingSide::ALL.map(|side| history(colour, side))) };
        let mut turn = start.turn();
        for (ply, m) in (1..).zip(moves) {
            record.follow(ply, turn, *m, start);
            turn = !turn;
        }
        record
    }

    /// The right of one colour and side, or `None` when the game began without it.
    pub fn right(&self, colour: Color, side: CastlingSide) -> Option<&RightHistory> {
        let [h_side, a_side] = self.rights.get(colour);
        if side.is_king_side() { h_side.as_ref() } else { a_side.as_ref() }
    }

    /// When and to which side a player castled.
    pub fn castled(&self, colour: Color) -> Option<(u32, CastlingSide)> {
        let losses = CastlingSide::ALL.into_iter().filter_map(|side| self.right(colour, side));
        losses.flat_map(|right| &right.losses).find_map(|loss| match loss.cause {
            LossCause::Castled(side) => Some((loss.ply, side)),
            _ => None,
        })
    }

    fn follow(&mut self, ply: u32, turn: Color, m: Move, start: &Chess) {
        for colour in Color::ALL {
            for right in self.rights.get_mut(colour).iter_mut().flatten() {
                let cause = if colour == turn { right.moved(m) } else { right.captured(m) };
                let Some(cause) = cause.filter(|cause| right.is_news(*cause)) else { continue };
                right.losses.push(RightLoss { ply, cause, by: numbered(ply, turn, m, start) });
            }
        }
    }
}

impl RightHistory {
    /// What a move of the right's own player takes away.
    fn moved(&self, m: Move) -> Option<LossCause> {
        match m {
            Move::Castle { .. } => m.castling_side().map(LossCause::Castled),
            Move::Normal { role: Role::King, .. } => Some(LossCause::KingMoved),
            Move::Normal { role: Role::Rook, from, .. } if from == self.rook => Some(LossCause::RookMoved),
            _ => None,
        }
    }

    /// What a move of the opponent takes away.
    fn captured(&self, m: Move) -> Option<LossCause> {
        (m.is_capture() && m.to() == self.rook).then_some(LossCause::RookCaptured)
    }

    /// The king moves for the first time once; a rook is gone after its first event, and what stands on its square
    /// then is not the castling rook; after castling nothing is left to lose.
    fn is_news(&self, cause: LossCause) -> bool {
        let seen = |wanted: LossCause| self.losses.iter().any(|loss| loss.cause == wanted);
        let castled = self.losses.iter().any(|loss| matches!(loss.cause, LossCause::Castled(_)));
        match cause {
            _ if castled => false,
            LossCause::KingMoved => !seen(cause),
            _ => !seen(LossCause::RookMoved) && !seen(LossCause::RookCaptured),
        }
    }
}

/// A move with its number: `3. Ke1-e2` or `3... Ke8-e7`.
fn numbered(ply: u32, turn: Color, m: Move, start: &Chess) -> String {
    let black_first = u32::from(start.turn() == Color::Black);
    let number = start.fullmoves().get() + (ply - 1 + black_first) / 2;
    format!("{number}{} {m}", turn.fold_wb(".", "..."))
}
