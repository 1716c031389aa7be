//! Behaviours of the server through HTTP, on real SQLite, with a clock moved by hand.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod architecture;
mod attacks;
mod bad_input;
mod beacon;
mod blocks;
mod boards;
mod custody;
mod dice;
mod docs;
mod draws;
mod embargo;
mod games;
mod layers;
mod ledger;
mod log;
mod manual;
mod openapi;
mod outside;
mod pairings;
mod policies;
mod positions;
mod races;
mod restart;
mod rounds;
mod schemas;
mod server;
mod smoke;
mod store;
mod support;
mod tokens;
mod validate;
mod validate_command;
mod verify;
mod witness;
