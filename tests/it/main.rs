//! Behaviours of the server through HTTP, on real SQLite, with a clock moved by hand.

mod architecture;
mod bad_input;
mod blocks;
mod boards;
mod draws;
mod embargo;
mod log;
mod openapi;
mod pairings;
mod policies;
mod positions;
mod races;
mod restart;
mod rounds;
mod server;
mod smoke;
mod store;
mod support;
mod tokens;
