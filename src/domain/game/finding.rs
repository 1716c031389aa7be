//! One thing found in a game, with its place.

use crate::domain::{naming, rules::Square};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use std::borrow::Cow;
use utoipa::ToSchema;

pub use super::finding_code::{FindingCode, Severity, UnknownFindingCode};

/// A further reason that holds beside the first, such as the second condition of a castling that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FurtherReason {
    /// Stable code of the reason.
    pub code: &'static str,
    /// Squares it is about.
    pub squares: Vec<Square>,
    /// Article it rests on.
    pub article: Cow<'static, str>,
    /// One sentence for an arbiter.
    pub message: String,
}

/// The arbiter's decision to let an irregularity stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Acceptance {
    /// Article the arbiter names, such as `A.5.2`.
    pub article: String,
    /// The arbiter's reason.
    pub reason: String,
}

/// One thing found in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub code: FindingCode,
    /// How grave it is; an accepted error counts as a warning.
    pub severity: Severity,
    /// Half-move of the main line, from 1.
    pub ply: Option<u32>,
    /// The text it is about, as written.
    pub text: Option<String>,
    /// Byte in the submission, from 0.
    pub offset: Option<usize>,
    /// Line in the submission, from 1.
    pub line: Option<u32>,
    /// Character in the line, from 1.
    pub column: Option<u32>,
    /// Squares it is about.
    pub squares: Vec<Square>,
    /// Article it rests on.
    pub article: Cow<'static, str>,
    /// One sentence for an arbiter.
    pub message: String,
    /// Why a move is refused, as a stable code; only with an illegal move.
    pub reason: Option<&'static str>,
    /// Further reasons.
    pub further: Vec<FurtherReason>,
    /// Present when an arbiter let it stand.
    pub accepted: Option<Acceptance>,
}

impl Finding {
    /// A finding without a place.
    pub fn new(code: FindingCode, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            ply: None,
            text: None,
            offset: None,
            line: None,
            column: None,
            squares: Vec::new(),
            article: Cow::Borrowed(code.article()),
            message: naming::full_sentence(message.into()),
            reason: None,
            further: Vec::new(),
            accepted: None,
        }
    }

    /// With the half-move it is about.
    pub fn at_ply(mut self, ply: u32) -> Self {
        self.ply = Some(ply);
        self
    }

    /// With its place in the text.
    pub fn at(mut self, offset: usize) -> Self {
        self.offset = Some(offset);
        self
    }

    /// With the text it is about, shortened if it is long.
    pub fn about(mut self, text: &[u8]) -> Self {
        self.text = Some(super::pgn::text::excerpt(text));
        self
    }

    /// With the article it rests on in this case.
    pub fn under(mut self, article: impl Into<Cow<'static, str>>) -> Self {
        self.article = article.into();
        self
    }

    /// With the squares it is about.
    pub fn on(mut self, squares: Vec<Square>) -> Self {
        self.squares = squares;
        self
    }

    /// Adds a sentence to the message.
    pub fn add_sentence(&mut self, sentence: &str) {
        self.message.push(' ');
        self.message.push_str(&naming::full_sentence(sentence.to_owned()));
    }

    /// Whether it keeps the game from being legal as recorded.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

fn names(squares: &[Square]) -> Vec<String> {
    squares.iter().map(ToString::to_string).collect()
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut s = serializer.serialize_struct("Finding", 9)?;
        s.serialize_field("code", &self.code)?;
        s.serialize_field("severity", &self.severity)?;
        s.serialize_field("ply", &self.ply)?;
        s.serialize_field("move", &self.text)?;
        s.serialize_field("line", &self.line)?;
        s.serialize_field("column", &self.column)?;
        s.serialize_field("squares", &names(&self.squares))?;
        s.serialize_field("article", &self.article)?;
        s.serialize_field("message", &self.message)?;
        if let Some(reason) = self.reason {
            s.serialize_field("reason", reason)?;
        }
        if !self.further.is_empty() {
            s.serialize_field("further", &self.further)?;
        }
        if let Some(accepted) = &self.accepted {
            s.serialize_field("accepted", accepted)?;
        }
        s.end()
    }
}

impl Serialize for FurtherReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut s = serializer.serialize_struct("FurtherReason", 4)?;
        s.serialize_field("reason", self.code)?;
        s.serialize_field("squares", &names(&self.squares))?;
        s.serialize_field("article", &self.article)?;
        s.serialize_field("message", &self.message)?;
        s.end()
    }
}
