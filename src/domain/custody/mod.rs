//! The custody file, `draw960-custody/v1`: everything that another machine needs to go on, under a passphrase.
//!
//! One text line, then a stream of sealed chunks. Its bytes are described in `docs/custody.md`. What is here works on one
//! chunk at a time, so that a long season needs no more memory than a short one; files are the business of others.

mod contents;
mod header;
mod key;
mod stream;

pub use contents::Contents;
pub use header::{Costs, Header, LONGEST_LINE};
pub use key::{CustodyKey, LONGEST_PASSPHRASE, Passphrase};
pub use stream::{CHUNK, Opener, SEALED_CHUNK, Sealer};

use std::fmt;

/// Why a file is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadCustody {
    /// It does not begin as a custody file.
    NotOne,
    /// It is one of a version that this program does not know.
    OtherVersion,
    /// Its first line is not one that this program writes.
    Header,
    /// Its first line asks for more memory or time than any custody file needs.
    Costs,
    /// This machine has not the memory that the passphrase takes.
    Memory,
    /// Fewer characters than a passphrase has.
    ShortPassphrase,
    /// It has more than 1024 bytes.
    LongPassphrase,
    /// A passphrase with blanks at an end, or with a control character.
    OddPassphrase,
    /// The passphrase is another, or the first line was altered.
    WrongPassphrase,
    /// A chunk, counted from 0, is not as it was written.
    Damaged(u32),
    /// The file ends after this many chunks, and others followed.
    Cut(u32),
    /// More chunks than can be counted.
    TooLong,
    /// The contents are not those of a custody file, although nothing was altered.
    Contents,
}

impl fmt::Display for BadCustody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotOne => "this is no custody file of draw960",
            Self::OtherVersion => "this custody file is of another version of draw960: take over with that one",
            Self::Header => "the first line of the custody file is damaged",
            Self::Costs => {
                "the first line of the custody file asks for more memory or time than any custody file needs"
            }
            Self::Memory => "this machine has not enough free memory to try the passphrase",
            Self::ShortPassphrase => "a passphrase has at least 12 characters",
            Self::LongPassphrase => "a passphrase has at most 1024 bytes",
            Self::OddPassphrase => {
                "a passphrase is one line without blanks before or after it and without control characters"
            }
            Self::WrongPassphrase => {
                "the passphrase is not the one of this custody file, or its first line was altered"
            }
            Self::Damaged(chunk) => {
                return write!(
                    f,
                    "the passphrase is right, but the custody file is damaged or cut short at chunk {chunk}"
                );
            }
            Self::Cut(chunks) => return write!(f, "the custody file was cut short after {chunks} chunks"),
            Self::TooLong => "the database is too long for a custody file",
            Self::Contents => "the custody file holds something else than a server",
        })
    }
}

impl std::error::Error for BadCustody {}

#[cfg(test)]
mod tests;
