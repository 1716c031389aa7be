//! How closely arbiters watch the games, which decides what an irregularity found late leads to.

use serde::{Deserialize, Serialize};

/// Supervision of rapid and blitz games: declared for the whole event (A.6, B.4). Standard games are `full`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Supervision {
    /// One arbiter for each game or few: the competition rules apply (A.4, B.2).
    #[default]
    Full,
    /// Few arbiters for many games: what is not claimed in time stands (A.5, B.3).
    Basic,
}

impl Supervision {
    /// The word used in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Basic => "basic",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for supervision in [Supervision::Full, Supervision::Basic] {
            assert_eq!(serde_json::to_value(supervision).unwrap(), supervision.as_str());
            assert_eq!(serde_json::from_value::<Supervision>(supervision.as_str().into()).unwrap(), supervision);
        }
    }
}
