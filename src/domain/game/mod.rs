//! Games: reading, replaying and judging what was played.

pub mod refusal;
