//! What a validation answers.

use super::{
    finding::{Finding, Severity},
    findings::is_unused,
    options::Override,
    result::GameResult,
    verdict::Verdict,
};
use crate::domain::{fen, rules::Chess};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use utoipa::ToSchema;

/// The moves of a game in one notation, kept in one piece of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveTexts(String);

impl MoveTexts {
    /// Takes moves that stand in a line, each followed by a blank.
    pub(super) fn from_line(mut line: Vec<u8>) -> Self {
        line.truncate(line.trim_ascii_end().len());
        Self(String::from_utf8(line).unwrap_or_default())
    }

    /// All moves, separated by blanks.
    pub fn as_line(&self) -> &str {
        &self.0
    }

    /// Move by move.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_ascii_whitespace()
    }
}

impl Serialize for MoveTexts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Tags that tell games apart, as the record gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct GameTags {
    /// Event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Round, perhaps with a board behind a dot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// Board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// White player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white: Option<String>,
    /// Black player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<String>,
    /// White's FIDE id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white_fide_id: Option<String>,
    /// Black's FIDE id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_fide_id: Option<String>,
}

/// The report on one game.
#[derive(Clone, Debug)]
pub struct GameReport {
    /// What the record is worth.
    pub verdict: Verdict,
    /// Half-moves that could be played.
    pub plies: u32,
    /// These moves in canonical SAN.
    pub moves_san: MoveTexts,
    /// These moves in UCI, castling as king takes rook.
    pub moves_uci: MoveTexts,
    /// The position from which they were played.
    pub start: Option<Chess>,
    /// The position after them.
    pub last: Option<Chess>,
    /// The recorded result; none for a list of moves.
    pub result: Option<GameResult>,
    /// Everything that was found, in the order of the text.
    pub findings: Vec<Finding>,
    /// Where the record begins in the submission, in bytes.
    pub begins_at: usize,
    /// How long it is, in bytes.
    pub length: usize,
    /// Who played, when and where, by the tags.
    pub tags: GameTags,
}

impl GameReport {
    /// X-FEN of the position after the moves, if there is a start position.
    pub fn final_fen(&self) -> Option<String> {
        self.last.as_ref().map(fen::x_fen)
    }

    /// Shredder-FEN of the position after the moves.
    pub fn final_fen_shredder(&self) -> Option<String> {
        self.last.as_ref().map(fen::shredder_fen)
    }

    /// Whether some finding is an error that no arbiter has accepted.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(Finding::is_error)
    }

    /// Whether some finding was accepted by this override.
    pub fn used(&self, o: &Override) -> bool {
        !self.findings.iter().any(|finding| is_unused(finding, o))
    }

    /// How many findings are as grave as this.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }
}

impl Serialize for GameReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tagged = self.tags != GameTags::default();
        let mut s = serializer.serialize_struct("GameReport", 8 + usize::from(tagged))?;
        s.serialize_field("verdict", &self.verdict)?;
        s.serialize_field("plies", &self.plies)?;
        s.serialize_field("moves_san", &self.moves_san)?;
        s.serialize_field("moves_uci", &self.moves_uci)?;
        s.serialize_field("final_fen", &self.final_fen())?;
        s.serialize_field("final_fen_shredder", &self.final_fen_shredder())?;
        s.serialize_field("result", &self.result)?;
        s.serialize_field("findings", &self.findings)?;
        if tagged {
            s.serialize_field("tags", &self.tags)?;
        }
        s.end()
    }
}
