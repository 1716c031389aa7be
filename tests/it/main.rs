//! Behaviours of the server through HTTP, on real SQLite, with a clock moved by hand.

mod smoke;
mod server;
mod support;
