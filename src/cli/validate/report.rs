//! How a report is told: in words for people, or as JSON.

use super::{ERRORS, UNREADABLE};
use crate::domain::game::{Finding, FindingCode as C, GameReport};
use std::{
    fmt::{self, Write as _},
    io::{self, Write},
};

/// In which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// One object a game.
    Json,
}

/// A report, told but for its number.
pub struct Told {
    form: Form,
    text: String,
    legal: bool,
    errors: bool,
    /// There is no game in it.
    no_game: bool,
}

impl Told {
    /// Tells a report.
    pub fn of(report: &GameReport, form: Form) -> Self {
        let text = match form {
            Form::Text => in_words(report),
            Form::Json => open_object(report),
        };
        let no_game = report.findings.iter().any(|f| matches!(f.code, C::NoGame | C::WrongEncoding));
        Self { form, text, legal: report.verdict.is_legal(), errors: report.has_errors(), no_game }
    }

    /// Writes it with its number, and with the file's name where there are several.
    ///
    /// # Errors
    /// Of the output.
    pub fn write(&self, out: &mut impl Write, game: usize, file: Option<&str>) -> io::Result<()> {
        match (self.form, file) {
            (Form::Text, _) => writeln!(out, "game {game}{}", self.text),
            (Form::Json, None) => writeln!(out, "{{\"game\":{game},{}", self.text),
            (Form::Json, Some(file)) => {
                writeln!(out, "{{\"file\":{},\"game\":{game},{}", serde_json::Value::from(file), self.text)
            }
        }
    }
}

/// The object without its brace, because the number comes first in it.
fn open_object(report: &GameReport) -> String {
    let text = serde_json::to_string(report).unwrap_or_default();
    text.strip_prefix('{').unwrap_or("\"verdict\":null}").to_owned()
}

fn in_words(report: &GameReport) -> String {
    let (tags, mut text) = (&report.tags, String::new());
    if let Some(round) = &tags.round {
        let _ = write!(text, ", round {}", harmless(round));
    }
    if let (Some(white), Some(black)) = (&tags.white, &tags.black) {
        let _ = write!(text, ", {} - {}", harmless(white), harmless(black));
    }
    let _ = write!(text, ": {}, {}", report.verdict, counted(report.plies as usize, "half-move"));
    if let Some(result) = report.result {
        let _ = write!(text, ", {result}");
    }
    for finding in &report.findings {
        let _ = write!(text, "\n  {}", finding_in_words(finding));
    }
    text
}

/// `error at 6:13, half-move 3, "Ke3": sentence [code, reason, article]`, then the further reasons.
fn finding_in_words(finding: &Finding) -> String {
    let mut text = format!("{:?}", finding.severity).to_lowercase();
    if let (Some(line), Some(column)) = (finding.line, finding.column) {
        let _ = write!(text, " at {line}:{column}");
    }
    if let Some(ply) = finding.ply {
        let _ = write!(text, ", half-move {ply}");
    }
    if let Some(word) = &finding.text {
        let _ = write!(text, ", \"{word}\"");
    }
    let reason = finding.reason.map_or_else(String::new, |reason| format!(", {reason}"));
    let _ = write!(text, ": {} [{}{reason}, article {}]", finding.message, finding.code.as_str(), finding.article);
    for further in &finding.further {
        let _ = write!(text, "\n    also: {} [{}, article {}]", further.message, further.code, further.article);
    }
    text
}

/// A tag on a terminal must not be more than text.
fn harmless(tag: &str) -> String {
    tag.chars().filter(|c| !c.is_control()).collect()
}

fn counted(n: usize, thing: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {thing}{s}")
}

/// How many of what in one file.
#[derive(Debug, Default)]
pub struct Totals {
    /// All.
    pub games: usize,
    legal: usize,
    errors: usize,
    no_game: bool,
}

impl Totals {
    /// Counts one game.
    pub fn count(&mut self, game: &Told) {
        self.games += 1;
        self.legal += usize::from(game.legal);
        self.errors += usize::from(game.errors);
        self.no_game |= game.no_game;
    }

    /// The exit status that this file calls for.
    pub const fn status(&self) -> u8 {
        match self {
            Self { no_game: true, .. } | Self { games: 0, .. } => UNREADABLE,
            Self { errors: 0, .. } => 0,
            _ => ERRORS,
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.games {
            0 => f.write_str("no game"),
            games => write!(f, "{}: {} legal, {} with errors", counted(games, "game"), self.legal, self.errors),
        }
    }
}
