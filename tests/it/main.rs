//! Behaviours of the server through HTTP, on real SQLite, with a clock moved by hand.

mod architecture;
mod blocks;
mod boards;
mod draws;
mod embargo;
mod openapi;
mod policies;
mod rounds;
mod server;
mod smoke;
mod support;
mod tokens;
