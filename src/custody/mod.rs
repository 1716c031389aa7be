//! Custody: a dead laptop must not end a tournament.
//!
//! A custody file (`docs/custody.md`) holds database, key file and newest checkpoint under a passphrase. `file` writes and reads
//! it, `passphrase` says where the passphrase comes from when nobody is asked, `place` makes files that are whole or not there.

mod file;
mod passphrase;
mod place;

pub use file::{Reader, line_of, seal};
pub use passphrase::{VARIABLE, given};
pub use place::{Plain, create_private, sync_folder};
