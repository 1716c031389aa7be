//! The rules of play: the one file that names the chess library.
//!
//! Everything else says `crate::domain::rules`, so that another library could stand behind these words.

pub use shakmaty::{
    Bitboard, Board, ByColor, ByRole, Castles, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File,
    FromSetup, Move, MoveList, Piece, Position, PositionErrorKinds, Rank, Role, Setup, Square, attacks, fen, san, uci,
};
