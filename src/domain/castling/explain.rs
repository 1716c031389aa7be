//! Why a castling is, or is not, possible in a position: every condition that fails.
//!
//! Source: FIDE Laws 3.8.2 and 3.9.2, Guidelines II.3.1 and II.3.2. The Guidelines, read literally, would let a castling
//! rook uncover an attack on its own king; 3.9.2 on the final position forbids that.

use super::{
    answer::{CastlingAnswer, CastlingFault, FaultCode},
    geometry::{kind, span},
    record::{CastlingRecord, LossCause, RightHistory, RightLoss},
    wording,
};
use crate::domain::{
    naming::{castling, piece_on, pieces_on, player, sentence as capital, side as side_name},
    rules::{Bitboard, Board, Castles, CastlingMode, CastlingSide, Color, Role, Setup, Square},
};

/// Whether `colour` may castle to `side`, and if not, everything that stands against it. The record of the game, when
/// there is one, tells how a right was lost.
pub fn explain(setup: &Setup, colour: Color, side: CastlingSide, record: Option<&CastlingRecord>) -> CastlingAnswer {
    let case = Case::find(setup, colour, side, record);
    let mut faults = case.turn_fault();
    faults.extend(case.right_faults());
    faults.extend(case.path_faults());
    faults.extend(case.attack_faults());
    faults.extend(case.unshielded_fault());
    case.answer(faults)
}

/// The same for a castling written as king takes rook: the rook meant is the one on `rook`, which may be the wrong one.
pub fn explain_rook(setup: &Setup, colour: Color, rook: Square, record: Option<&CastlingRecord>) -> CastlingAnswer {
    let king = setup.board.king_of(colour).unwrap_or(rook);
    let side = CastlingSide::from_king_side(king.file() < rook.file());
    let case = Case::find(setup, colour, side, record);
    let mut faults: Vec<_> = case.rook_fault(rook).into_iter().collect();
    faults.extend(explain(setup, colour, side, record).faults);
    case.answer(faults)
}

/// One castling of one colour in one position.
struct Case<'a> {
    setup: &'a Setup,
    colour: Color,
    side: CastlingSide,
    /// Where king and rook castle from: the right's squares, else those the game began with, else the king's and the
    /// outermost rook's.
    king: Option<Square>,
    rook: Option<Square>,
    has_right: bool,
    record: Option<&'a CastlingRecord>,
}

impl<'a> Case<'a> {
    fn find(setup: &'a Setup, colour: Color, side: CastlingSide, record: Option<&'a CastlingRecord>) -> Self {
        let castles = Castles::from_setup(setup, CastlingMode::Chess960).unwrap_or_else(|valid_part| valid_part);
        let right = castles.rook(colour, side);
        let history = record.and_then(|record| record.right(colour, side));
        let now = setup.board.king_of(colour);
        let (king, rook) = match (right, history) {
            (Some(rook), _) => (now, Some(rook)),
            (None, Some(history)) => (Some(history.king), Some(history.rook)),
            (None, None) => (now, now.and_then(|king| rooks_beside(&setup.board, king, colour, side).1)),
        };
        Self { setup, colour, side, king, rook, has_right: right.is_some(), record }
    }

    fn board(&self) -> &Board {
        &self.setup.board
    }

    fn fault(&self, code: FaultCode, squares: Vec<Square>, message: String) -> CastlingFault {
        CastlingFault::new(code, squares, message)
    }

    fn turn_fault(&self) -> Vec<CastlingFault> {
        let waits = self.setup.turn != self.colour;
        let message = format!("It is {}'s turn to move.", player(self.setup.turn));
        waits.then(|| self.fault(FaultCode::NotOnTurn, Vec::new(), message)).into_iter().collect()
    }

    /// Condition 1: neither king nor that rook has moved, and the player has not castled.
    fn right_faults(&self) -> Vec<CastlingFault> {
        if self.has_right {
            return Vec::new();
        }
        let history = self.record.and_then(|record| record.right(self.colour, self.side));
        match history {
            Some(history) if !history.losses.is_empty() => {
                history.losses.iter().map(|loss| self.loss_fault(history, loss)).collect()
            }
            _ => self.not_given_faults(),
        }
    }

    fn loss_fault(&self, history: &RightHistory, loss: &RightLoss) -> CastlingFault {
        let (code, square) = match loss.cause {
            LossCause::KingMoved => (FaultCode::KingMoved, history.king),
            LossCause::RookMoved => (FaultCode::RookMoved, history.rook),
            LossCause::RookCaptured => (FaultCode::RookCaptured, history.rook),
            LossCause::Castled(_) => (FaultCode::AlreadyCastled, history.king),
        };
        let message = wording::loss(self.colour, history, loss, self.has_own_rook(history.rook));
        CastlingFault { ply: Some(loss.ply), ..self.fault(code, vec![square], message) }
    }

    /// Without a game only the position speaks: it gives no right, and shows why when a piece is not at home.
    fn not_given_faults(&self) -> Vec<CastlingFault> {
        let (white, side) = (player(self.colour), side_name(self.side));
        let source = if self.record.is_some() { "The position the game began from" } else { "The FEN" };
        let message = format!("{source} gives {white} no right to castle on the {side}.");
        let mut faults = vec![self.fault(FaultCode::RightNotGiven, Vec::new(), message)];
        let Some(king) = self.board().king_of(self.colour) else { return faults };
        if king.rank() != self.colour.backrank() {
            let message = format!("{white}'s king stands on {king}, away from its own first rank, so it has moved.");
            faults.push(self.fault(FaultCode::KingMoved, vec![king], message));
        } else if self.rook.is_none() {
            let message = format!("{white} has no rook on the {side} of the king on {king}.");
            faults.push(self.fault(FaultCode::NoRook, vec![king], message));
        }
        faults
    }

    /// The rook named in a king-takes-rook move is not the one of this castling.
    fn rook_fault(&self, named: Square) -> Option<CastlingFault> {
        let board = self.board();
        if board.color_at(named).is_some_and(|owner| owner != self.colour) {
            let what = capital(&piece_on(board, named));
            let message = format!("{what} is the opponent's: castling needs a rook of one's own.");
            return Some(self.fault(FaultCode::EnemyRook, vec![named], message));
        }
        let castling_rook = self.rook.filter(|rook| self.has_right && *rook != named)?;
        let message = format!(
            "Castling on the {} is with the rook on {castling_rook}, not with the one on {named}.",
            side_name(self.side)
        );
        Some(self.fault(FaultCode::WrongRook, vec![named, castling_rook], message))
    }

    fn has_own_rook(&self, square: Square) -> bool {
        self.board().by_piece(Role::Rook.of(self.colour)).contains(square)
    }

    /// The king, if it stands where it would castle from.
    fn king_at_home(&self) -> Option<Square> {
        let now = self.board().king_of(self.colour)?;
        self.king.filter(|home| *home == now && now.rank() == self.colour.backrank())
    }

    /// The king's walk, with its start and its end.
    fn king_span(&self) -> Bitboard {
        self.king_at_home().map_or(Bitboard::EMPTY, |king| span(king, self.side.king_to(self.colour)))
    }

    /// The rook's walk, with its start and its end, if king and rook stand where they would castle from.
    fn rook_span(&self) -> Bitboard {
        let rook = self.rook.filter(|rook| self.king_at_home().is_some() && self.has_own_rook(*rook));
        rook.map_or(Bitboard::EMPTY, |rook| span(rook, self.side.rook_to(self.colour)))
    }

    /// Condition 2: nothing but king and rook on the squares from start to end of either.
    fn path_faults(&self) -> Vec<CastlingFault> {
        let (kings, rooks) = (self.king_span(), self.rook_span());
        if rooks.is_empty() {
            return Vec::new();
        }
        let pair: Bitboard = [self.king, self.rook].into_iter().flatten().collect();
        let blocked = ((kings | rooks) & self.board().occupied()).without(pair);
        blocked
            .into_iter()
            .map(|square| self.path_fault(square, kings.contains(square), rooks.contains(square)))
            .collect()
    }

    fn path_fault(&self, square: Square, of_king: bool, of_rook: bool) -> CastlingFault {
        let code = if of_king { FaultCode::KingPathBlocked } else { FaultCode::RookPathBlocked };
        let path = match (of_king, of_rook) {
            (true, true) => "the path of king and rook",
            (true, false) => "the path of the king",
            _ => "the path of the rook",
        };
        let what = capital(&piece_on(self.board(), square));
        self.fault(code, vec![square], format!("{what} stands in {path}."))
    }

    /// What attacks a square once the king has left its own.
    fn attackers(&self, square: Square, king: Square) -> Bitboard {
        self.board().attacks_to(square, !self.colour, self.board().occupied().without(king))
    }

    /// Condition 3: not out of check, not through and not onto an attacked square. A king away from home can be in
    /// check all the same.
    fn attack_faults(&self) -> Vec<CastlingFault> {
        let Some(king) = self.board().king_of(self.colour) else { return Vec::new() };
        let walk = self.king_span().with(king);
        walk.into_iter().filter_map(|square| self.attack_fault(square, king)).collect()
    }

    fn attack_fault(&self, square: Square, king: Square) -> Option<CastlingFault> {
        let attackers = self.attackers(square, king);
        let from = pieces_on(self.board(), attackers);
        let (code, message) = match square {
            _ if attackers.is_empty() => return None,
            _ if square == king => (FaultCode::InCheck, format!("The king on {king} is in check from {from}.")),
            _ if square == self.side.king_to(self.colour) => {
                (FaultCode::IntoAttack, format!("The king would end on {square}, which is attacked by {from}."))
            }
            _ => (FaultCode::ThroughAttack, format!("The king would cross {square}, which is attacked by {from}.")),
        };
        let squares = std::iter::once(square).chain(attackers).collect();
        Some(self.fault(code, squares, message))
    }

    /// Condition 4: the king is not in check in the final position. Asked only when the pieces can get there and the
    /// final square is safe as things stand.
    fn unshielded_fault(&self) -> Option<CastlingFault> {
        let king_to = self.side.king_to(self.colour);
        let (king, rook) = (self.king_at_home()?, self.rook.filter(|rook| self.has_own_rook(*rook))?);
        let cannot_get_there =
            !(self.king_span() | self.rook_span()).without(king).without(rook).is_disjoint(self.board().occupied());
        if cannot_get_there || self.attackers(king_to, king).any() {
            return None;
        }
        let occupied = self.board().occupied().without(king).without(rook).with(self.side.rook_to(self.colour));
        let attackers = self.board().attacks_to(king_to, !self.colour, occupied);
        let from = pieces_on(self.board(), attackers);
        let message = format!(
            "After castling the king on {king_to} would be in check from {from}, because the rook no longer stands \
             between them on {rook}."
        );
        let squares = std::iter::once(king_to).chain(attackers).collect();
        attackers.any().then(|| self.fault(FaultCode::Unshielded, squares, message))
    }

    fn answer(&self, faults: Vec<CastlingFault>) -> CastlingAnswer {
        let (king_to, rook_to) = (self.side.king_to(self.colour), self.side.rook_to(self.colour));
        let pair = self.king.zip(self.rook);
        let kind = pair.map(|(king, rook)| kind([king, king_to], [rook, rook_to]));
        let other_rooks = pair.map_or(Bitboard::EMPTY, |(king, rook)| {
            rooks_beside(self.board(), king, self.colour, self.side).0.without(rook)
        });
        let how = wording::how(kind, [self.king, Some(king_to)], [self.rook, Some(rook_to)], other_rooks);
        let name = format!("on the {} ({})", side_name(self.side), castling(self.side));
        CastlingAnswer {
            colour: self.colour,
            side: self.side,
            legal: self.has_right && faults.is_empty(),
            king_from: self.king,
            king_to,
            rook_from: self.rook,
            rook_to,
            kind,
            sentence: wording::sentence(player(self.colour), &name, &how, &faults),
            how,
            faults,
        }
    }
}

/// Own rooks on that side of a king on its back rank, and the outermost of them.
fn rooks_beside(board: &Board, king: Square, colour: Color, side: CastlingSide) -> (Bitboard, Option<Square>) {
    if king.rank() != colour.backrank() {
        return (Bitboard::EMPTY, None);
    }
    let rooks = board.by_piece(Role::Rook.of(colour)) & colour.backrank();
    match side {
        CastlingSide::KingSide => {
            let beside: Bitboard = rooks.into_iter().filter(|rook| rook.file() > king.file()).collect();
            (beside, beside.last())
        }
        CastlingSide::QueenSide => {
            let beside: Bitboard = rooks.into_iter().filter(|rook| rook.file() < king.file()).collect();
            (beside, beside.first())
        }
    }
}
