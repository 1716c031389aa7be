//! Games with known answers, and laws that hold for all games.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod cases;
mod irregularities;
mod laws;
mod perft;
mod real_games;
