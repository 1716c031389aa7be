//! Where king and rook go when castling, which squares must hold nothing and which must be safe.
//!
//! Source: FIDE Laws, Guidelines II.3.2 (four ways of moving, final squares, vacancy) and 3.8.2.2 (safety).

use crate::domain::{
    naming::{json_square, json_squares},
    rules::{Bitboard, CastlingSide, Color, File, Square, attacks},
    start_position::StartPosition,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Which pieces move when castling (Guidelines II.3.2.1 to II.3.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CastlingKind {
    /// King and rook both move, and not simply onto each other's squares (II.3.2.1).
    Double,
    /// Only the king moves; the rook already stands on its final square (II.3.2.3).
    KingOnly,
    /// Only the rook moves; the king already stands on its final square (II.3.2.4).
    RookOnly,
    /// King and rook trade squares (II.3.2.2).
    Transposition,
}

impl CastlingKind {
    /// The closed list.
    pub const ALL: [Self; 4] = [Self::Double, Self::KingOnly, Self::RookOnly, Self::Transposition];

    /// The word used in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::KingOnly => "king_only",
            Self::RookOnly => "rook_only",
            Self::Transposition => "transposition",
        }
    }

    /// The article of the Guidelines that names this way of moving.
    pub const fn article(self) -> &'static str {
        match self {
            Self::Double => "II.3.2.1",
            Self::KingOnly => "II.3.2.3",
            Self::RookOnly => "II.3.2.4",
            Self::Transposition => "II.3.2.2",
        }
    }
}

/// One castling of one colour, from given squares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SideGeometry {
    /// Where the castling rook starts.
    #[serde(serialize_with = "json_square")]
    #[schema(value_type = String)]
    pub rook: Square,
    /// Where the king ends, as in ordinary chess (II.3.2.6).
    #[serde(serialize_with = "json_square")]
    #[schema(value_type = String)]
    pub king_to: Square,
    /// Where the rook ends, as in ordinary chess (II.3.2.6).
    #[serde(serialize_with = "json_square")]
    #[schema(value_type = String)]
    pub rook_to: Square,
    /// Which of the two pieces move.
    pub kind: CastlingKind,
    /// Squares that must hold nothing but the castling king and rook, without these two's own squares (II.3.2.7.4).
    #[serde(serialize_with = "json_squares")]
    #[schema(value_type = Vec<String>)]
    pub must_be_empty: Vec<Square>,
    /// Squares from the king's start to its end, both included, from the a-file: none may be attacked (3.8.2.2).
    #[serde(serialize_with = "json_squares")]
    #[schema(value_type = Vec<String>)]
    pub must_not_be_attacked: Vec<Square>,
}

/// Both castlings of one colour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CastlingGeometry {
    /// Where the king starts.
    #[serde(serialize_with = "json_square")]
    #[schema(value_type = String)]
    pub king: Square,
    /// O-O, with the rook nearer to the h-file.
    pub h_side: SideGeometry,
    /// O-O-O, with the rook nearer to the a-file.
    pub a_side: SideGeometry,
}

/// All four castlings of a start position, as the API shows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CastlingBlock {
    /// White's castlings.
    pub white: CastlingGeometry,
    /// Black's castlings.
    pub black: CastlingGeometry,
}

impl CastlingGeometry {
    /// The castling of one side.
    pub const fn side(&self, side: CastlingSide) -> &SideGeometry {
        match side {
            CastlingSide::KingSide => &self.h_side,
            CastlingSide::QueenSide => &self.a_side,
        }
    }
}

/// The squares from one to the other on a rank, both included.
pub(crate) fn span(from: Square, to: Square) -> Bitboard {
    attacks::between(from, to).with(from).with(to)
}

/// Which pieces move when king and rook go from the first to the second of these squares.
pub(crate) fn kind(king: [Square; 2], rook: [Square; 2]) -> CastlingKind {
    match (king[0] == king[1], rook[0] == rook[1]) {
        (true, _) => CastlingKind::RookOnly,
        (false, true) => CastlingKind::KingOnly,
        (false, false) if king[0] == rook[1] && king[1] == rook[0] => CastlingKind::Transposition,
        (false, false) => CastlingKind::Double,
    }
}

impl SideGeometry {
    /// The castling of `colour` to `side` with the king and the rook on these squares of its back rank.
    pub fn between(king: Square, rook: Square, colour: Color, side: CastlingSide) -> Self {
        let (king_to, rook_to) = (side.king_to(colour), side.rook_to(colour));
        let walked = span(king, king_to) | span(rook, rook_to);
        Self {
            rook,
            king_to,
            rook_to,
            kind: kind([king, king_to], [rook, rook_to]),
            must_be_empty: walked.without(king).without(rook).into_iter().collect(),
            must_not_be_attacked: span(king, king_to).into_iter().collect(),
        }
    }
}

/// Both castlings of `colour` from a start position.
pub fn geometry(start: &StartPosition, colour: Color) -> CastlingGeometry {
    let on = |file: usize| Square::from_coords(File::new(file as u32), colour.backrank());
    let king = on(start.king_file());
    let [a_rook, h_rook] = start.rook_files().map(on);
    CastlingGeometry {
        king,
        h_side: SideGeometry::between(king, h_rook, colour, CastlingSide::KingSide),
        a_side: SideGeometry::between(king, a_rook, colour, CastlingSide::QueenSide),
    }
}

/// All four castlings of a start position.
///
/// ```
/// use draw960::domain::castling::{CastlingKind, both};
/// use draw960::domain::{position_number::PositionNumber, start_position::StartPosition};
///
/// let block = both(&StartPosition::from_number(PositionNumber::CLASSICAL));
/// assert_eq!(block.white.h_side.kind, CastlingKind::Double);
/// ```
pub fn both(start: &StartPosition) -> CastlingBlock {
    CastlingBlock { white: geometry(start, Color::White), black: geometry(start, Color::Black) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        position_number::PositionNumber,
        rules::{CastlingMode, Chess, FromSetup, Position, fen::Fen},
    };
    use std::collections::HashSet;

    fn all() -> impl Iterator<Item = StartPosition> {
        PositionNumber::all().map(StartPosition::from_number)
    }

    fn start(number: u16) -> StartPosition {
        StartPosition::from_number(number.try_into().unwrap())
    }

    /// Facts: counted independently of this code.
    #[test]
    fn kinds_over_all_960() {
        for colour in Color::ALL {
            for (side, expected) in
                [(CastlingSide::KingSide, [588, 174, 108, 90]), (CastlingSide::QueenSide, [618, 102, 168, 72])]
            {
                let count = |kind| all().filter(|start| geometry(start, colour).side(side).kind == kind).count();
                assert_eq!(CastlingKind::ALL.map(count), expected, "{colour} {side:?}");
            }
        }
    }

    #[test]
    fn there_are_21_pairs_of_king_and_rook_per_side() {
        for side in CastlingSide::ALL {
            let pairs: HashSet<_> = all()
                .map(|start| geometry(&start, Color::White))
                .map(|both| (both.king, both.side(side).rook))
                .collect();
            assert_eq!(pairs.len(), 21, "{side:?}");
        }
    }

    /// The vacancy and safety squares agree with the chess library for every start position, colour and side.
    #[test]
    fn squares_agree_with_the_rules_library() {
        for start in all() {
            let fen: Fen = start.fen().parse().unwrap();
            let position = Chess::from_setup(fen.into_setup(), CastlingMode::Chess960).unwrap();
            for colour in Color::ALL {
                let both = geometry(&start, colour);
                for side in CastlingSide::ALL {
                    let empty: Bitboard = both.side(side).must_be_empty.iter().copied().collect();
                    assert_eq!(empty, position.castles().path(colour, side), "{start:?}");
                    assert_eq!(Some(both.side(side).rook), position.castles().rook(colour, side));
                    assert!(both.side(side).must_be_empty.is_sorted());
                    assert!(both.side(side).must_not_be_attacked.contains(&both.king));
                }
            }
        }
    }

    #[test]
    fn white_can_castle_on_move_1_in_162_positions() {
        let free = |side| {
            all()
                .filter(|start| {
                    let both = geometry(start, Color::White);
                    both.side(side).must_be_empty.is_empty()
                })
                .count()
        };
        assert_eq!((free(CastlingSide::KingSide), free(CastlingSide::QueenSide)), (90, 72));
    }

    #[test]
    fn the_classical_array_reads_as_in_the_contract() {
        let block = serde_json::to_value(both(&start(518))).unwrap();
        assert_eq!(
            block["white"],
            serde_json::json!({
                "king": "e1",
                "h_side": {"rook": "h1", "king_to": "g1", "rook_to": "f1", "kind": "double",
                    "must_be_empty": ["f1", "g1"], "must_not_be_attacked": ["e1", "f1", "g1"]},
                "a_side": {"rook": "a1", "king_to": "c1", "rook_to": "d1", "kind": "double",
                    "must_be_empty": ["b1", "c1", "d1"], "must_not_be_attacked": ["c1", "d1", "e1"]},
            })
        );
        assert_eq!(block["black"]["a_side"]["must_be_empty"], serde_json::json!(["b8", "c8", "d8"]));
    }

    #[test]
    fn named_positions() {
        let kind = |number, side| geometry(&start(number), Color::White).side(side).kind;
        assert_eq!(kind(47, CastlingSide::QueenSide), CastlingKind::KingOnly);
        assert_eq!(kind(75, CastlingSide::QueenSide), CastlingKind::Transposition);
        assert_eq!(kind(748, CastlingSide::QueenSide), CastlingKind::RookOnly);
        assert_eq!(kind(921, CastlingSide::KingSide), CastlingKind::Double);
        for kind in CastlingKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert!(kind.article().starts_with("II.3.2"));
        }
    }
}
