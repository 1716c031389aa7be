//! draw960: the server that Chess960 tournaments trust with their start positions.

pub mod clock;
pub mod domain;
pub mod entropy;
pub mod store;
