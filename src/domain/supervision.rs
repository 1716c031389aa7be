//! Level of supervision in rapid and blitz: Laws A.4/B.2 or A.5/B.3.

use serde::{Deserialize, Serialize};

/// Whether an arbiter watches each game, which decides what a wrong set-up or an illegal move leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Supervision {
    /// One arbiter for each game (A.4, B.2): the competition rules apply in full.
    #[default]
    Full,
    /// Otherwise (A.5, B.3).
    Basic,
}
