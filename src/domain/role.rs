//! Roles: who may do what.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What a token entitles to. All but the operator's are bound to one tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Runs the server: creates tournaments, hands out arbiters' tokens.
    Operator,
    /// Chief arbiter: everything in the tournament.
    Arbiter,
    /// Deputy arbiter: as the arbiter, but hands out no tokens and does not end the tournament.
    Deputy,
    /// Pairing software: schedules, pairings, games.
    Pairing,
    /// An electronic board.
    Board,
    /// Reads what the public does not see: token labels, notes.
    Auditor,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 6] = [Self::Operator, Self::Arbiter, Self::Deputy, Self::Pairing, Self::Board, Self::Auditor];

    /// The role's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Arbiter => "arbiter",
            Self::Deputy => "deputy",
            Self::Pairing => "pairing",
            Self::Board => "board",
            Self::Auditor => "auditor",
        }
    }

    /// The three letters that name the role in a token.
    pub const fn short(self) -> &'static str {
        match self {
            Self::Operator => "opr",
            Self::Arbiter => "arb",
            Self::Deputy => "dep",
            Self::Pairing => "pai",
            Self::Board => "brd",
            Self::Auditor => "aud",
        }
    }

    /// Whether this is an arbiter in the sense of the Laws: chief or deputy.
    pub const fn is_arbiter(self) -> bool {
        matches!(self, Self::Arbiter | Self::Deputy)
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|role| role.as_str() == s).ok_or(())
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
