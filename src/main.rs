//! The draw960 binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    draw960::cli::main()
}
