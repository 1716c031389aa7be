//! The draw960 binary.

fn main() {}
