//! Custody: a dead laptop must not end a tournament.
//!
//! A custody file (`docs/custody.md`) holds database, key file and newest checkpoint under a passphrase. `file` writes and reads
//! it, `passphrase` says where the passphrase comes from when nobody is asked, `place` makes files that are whole or not there.
//! `folder` is the task of a server that puts a fresh one on a memory stick after every change, `placed` what it does there.
//! `takeover` goes on from one, on another machine, after `elsewhere` and `witness` were asked who has seen more.

mod elsewhere;
mod file;
mod folder;
mod passphrase;
mod place;
mod placed;
mod settings;
mod takeover;
mod witness;

pub use elsewhere::Elsewhere;
pub use file::{Reader, line_of, seal};
pub use folder::{Keeper, Task};
pub use passphrase::{VARIABLE, given};
pub use place::{Plain, sync_folder};
pub use placed::Placed;
pub use settings::Settings;
pub use takeover::{Beyond, TakenOver, Takeover, UNDER_WAY, check_folder};
