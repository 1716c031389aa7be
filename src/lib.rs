//! draw960: the server that Chess960 tournaments trust with their start positions.

pub mod domain;
pub mod many;
