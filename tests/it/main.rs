//! Behaviours of the server through HTTP, on real SQLite, with a clock moved by hand.

mod architecture;
mod attacks;
mod draws;
mod embargo;
mod log;
mod openapi;
mod rounds;
mod server;
mod smoke;
mod support;
mod tokens;
mod verify;
