//! Games: reading, replaying and judging what was played.

pub mod array;
pub mod dead;
pub mod refusal;
