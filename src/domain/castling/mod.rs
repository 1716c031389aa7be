//! Castling: where the pieces go, and why a castling is or is not possible.

mod geometry;

pub use geometry::{CastlingBlock, CastlingGeometry, CastlingKind, SideGeometry, both, geometry};
