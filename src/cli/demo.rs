//! `draw960 demo`.

use super::Outcome;
use crate::demo;

/// Tells the story on standard output; fails if any step surprises.
pub async fn demo() -> Outcome {
    demo::run(&mut std::io::stdout().lock()).await
}
