//! The one word on a game: a closed list.

use super::finding::{Finding, FindingCode as C};
use serde::{Serialize, Serializer};

/// What a game record is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every move is legal and the result is recorded and fits.
    LegalComplete,
    /// Every move is legal; the record stops without a result (8.4, 8.5.3: a normal state).
    LegalIncomplete,
    /// Legal but for irregularities that an arbiter let stand.
    LegalWithAcceptedIrregularities,
    /// The moves are legal; the result is not what the final position gives, or is given in two ways.
    ResultContradicts,
    /// The game had ended on the board and moves follow (5.1.1, 5.2.1, 5.2.2, 9.6).
    EndsEarlier,
    /// A move is not legal.
    IllegalMove,
    /// The record starts from one of the 960 positions, but not the drawn one; or with reversed colours.
    NotTheDrawnPosition,
    /// The record starts from an array that is no start position.
    WrongStartArray,
    /// The text cannot be read as a game from beginning to end.
    Unreadable,
}

impl Verdict {
    /// Every verdict, the best first.
    pub const ALL: &'static [Self] = &[
        Self::LegalComplete,
        Self::LegalIncomplete,
        Self::LegalWithAcceptedIrregularities,
        Self::ResultContradicts,
        Self::EndsEarlier,
        Self::IllegalMove,
        Self::NotTheDrawnPosition,
        Self::WrongStartArray,
        Self::Unreadable,
    ];

    /// The stable text of the verdict.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LegalComplete => "legal-complete",
            Self::LegalIncomplete => "legal-incomplete",
            Self::LegalWithAcceptedIrregularities => "legal-with-accepted-irregularities",
            Self::ResultContradicts => "result-contradicts",
            Self::EndsEarlier => "ends-earlier",
            Self::IllegalMove => "illegal-move",
            Self::NotTheDrawnPosition => "not-the-drawn-position",
            Self::WrongStartArray => "wrong-start-array",
            Self::Unreadable => "unreadable",
        }
    }

    /// One sentence on what the verdict means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::LegalComplete => "Every move is legal and the game is over on the board or by its recorded result.",
            Self::LegalIncomplete => "Every move is legal; the record stops without a result, as it may (8.4, 8.5.3).",
            Self::LegalWithAcceptedIrregularities => "Legal but for irregularities that an arbiter let stand.",
            Self::ResultContradicts => "The moves are legal; the result does not fit them, or is given in two ways.",
            Self::EndsEarlier => "The game had ended on the board and moves follow (5.1.1, 5.2.1, 5.2.2, 9.6).",
            Self::IllegalMove => "A move is not legal; the finding says which and why.",
            Self::NotTheDrawnPosition => {
                "The record starts from another of the 960 positions, or the players had each other's colour."
            }
            Self::WrongStartArray => "The record starts from an array that is none of the 960.",
            Self::Unreadable => "The record cannot be read as a game from beginning to end.",
        }
    }

    /// Whether the game stands as it was recorded or as an arbiter accepted it.
    pub const fn is_legal(self) -> bool {
        matches!(self, Self::LegalComplete | Self::LegalIncomplete | Self::LegalWithAcceptedIrregularities)
    }

    /// The gravest verdict that a finding of severity error calls for.
    const fn called_for_by(code: C) -> Self {
        match code {
            C::WrongStartArray => Self::WrongStartArray,
            C::NotTheDrawnPosition | C::StartTagDisagrees | C::ColoursReversed => Self::NotTheDrawnPosition,
            C::IllegalMove | C::AmbiguousMove | C::NullMove | C::OverrideImpossible => Self::IllegalMove,
            C::MoveAfterEnd => Self::EndsEarlier,
            C::ResultTagContradiction | C::ResultContradictsBoard | C::DrawBeforeMoves | C::WinnerCannotMate => {
                Self::ResultContradicts
            }
            _ => Self::Unreadable,
        }
    }

    /// The verdict that these findings give; `complete` when a result is recorded or the game ended on the board.
    pub fn of(findings: &[Finding], complete: bool) -> Self {
        let errors = findings.iter().filter(|f| f.is_error());
        if let Some(gravest) = errors.map(|f| Self::called_for_by(f.code)).max() {
            return gravest;
        }
        if findings.iter().any(|f| f.accepted.is_some()) {
            return Self::LegalWithAcceptedIrregularities;
        }
        if complete { Self::LegalComplete } else { Self::LegalIncomplete }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
