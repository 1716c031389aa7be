//! Behaviours of the server through HTTP, on real SQLite, with a clock moved by hand.

mod architecture;
mod beacon;
mod dice;
mod draws;
mod embargo;
mod openapi;
mod rounds;
mod server;
mod smoke;
mod support;
mod tokens;
