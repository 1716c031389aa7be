//! Games with known answers, and laws that hold for all games.

mod cases;
mod irregularities;
mod laws;
mod perft;
mod real_games;
