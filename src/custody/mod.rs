//! Custody: a dead laptop must not end a tournament.
//!
//! A custody file (`docs/custody.md`) holds database, key file and newest checkpoint under a passphrase. [`file`](self) writes and
//! reads it.

mod file;

pub use file::{Reader, line_of, seal};
