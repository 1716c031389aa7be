//! Behaviours of the server through HTTP, on real SQLite, with a clock moved by hand.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod architecture;
mod draws;
mod embargo;
mod layers;
mod openapi;
mod rounds;
mod server;
mod smoke;
mod support;
mod tokens;
