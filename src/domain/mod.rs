//! The core: values in, values out.
//!
//! Nothing here reads a clock, asks for chance, touches a file, a socket or a database. Time and random bytes are
//! arguments. What the other rooms share is the vocabulary of this one; each word has a file.

pub mod beacon;
pub mod derivation;
mod hex;
pub mod log;
pub mod manual;
pub mod number_set;
pub mod position_number;
pub mod start_position;
