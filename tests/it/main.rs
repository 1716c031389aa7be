//! Behaviours of the server through HTTP, on real SQLite, with a clock moved by hand.

mod server;
mod smoke;
mod support;
