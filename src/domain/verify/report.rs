//! The report: the ten checks, every draw in a line, and what else the log was doing at the time.

use super::{
    Check, Verdict,
    history_checks::{grade, is_witnessed},
    log_checks::LogView,
    story::{Attempt, Story},
    times::bracket,
};
use crate::domain::{
    bracket::{Bounds, Bracket},
    draw::Grade,
    position_number::PositionNumber,
    record::{Fact, Record, SlotKey, Unread},
    start_position::StartPosition,
};
use serde::Serialize;
use std::{collections::BTreeMap, fmt};

/// What a verification came to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Slug of the tournament.
    pub tournament: String,
    /// V1 to V10.
    pub checks: Vec<Check>,
    /// Every attempt, by round, board and attempt.
    pub draws: Vec<DrawLine>,
    /// Tournaments of the same log that ran at the same time.
    pub others: Vec<Overlap>,
}

/// An attempt in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawLine {
    /// Round, or first round of the block.
    pub round: u16,
    /// Board, 0 for all.
    pub board: u16,
    /// Attempt.
    pub attempt: u16,
    /// What its sources protect against.
    pub grade: Grade,
    /// Whether a checkpoint held elsewhere has the order and is older than the entropy.
    pub witnessed: bool,
    /// The number, once released.
    pub number: Option<u16>,
    /// Its back rank.
    pub rank: Option<String>,
    /// Reason of the void, if voided.
    pub voided: Option<String>,
    /// Which times of the order are proven, with the witnesses that the verifier trusts.
    pub order: Bracket,
    /// The same of the release, once released.
    pub release: Option<Bracket>,
}

/// Another tournament of the log that ran at the same time: whoever holds several may have shown the one they liked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// Its slug.
    pub tournament: String,
    /// Its first entry, Unix seconds.
    pub from: i64,
    /// Its last entry, Unix seconds.
    pub to: i64,
}

impl Report {
    /// The worst that any check came to: a failure, else something not checkable, else a pass.
    pub fn verdict(&self) -> Verdict {
        let any = |verdict| self.checks.iter().any(|check| check.verdict() == verdict);
        [Verdict::Fail, Verdict::NotCheckable].into_iter().find(|verdict| any(*verdict)).unwrap_or(Verdict::Pass)
    }
}

pub(super) fn draw_lines(story: &Story, log: &LogView, bounds: &Bounds) -> Vec<DrawLine> {
    story.attempts.values().map(|attempt| draw_line(story, log, bounds, attempt)).collect()
}

fn draw_line(story: &Story, log: &LogView, bounds: &Bounds, attempt: &Attempt) -> DrawLine {
    let slot = attempt.order.what.slot;
    let number = attempt.release.as_ref().map(|release| release.what.number);
    let start = number.and_then(|n| PositionNumber::try_from(n).ok()).map(StartPosition::from_number);
    DrawLine {
        round: slot.round,
        board: slot.board,
        attempt: slot.attempt,
        grade: grade(attempt),
        witnessed: is_witnessed(story, log, attempt),
        number,
        rank: start.map(|start| start.rank().to_owned()),
        voided: attempt.void.as_ref().map(|void| void.what.reason.clone()),
        order: bracket(bounds, attempt.order.index, attempt.order.at),
        release: attempt.release.as_ref().map(|said| bracket(bounds, said.index, said.at)),
    }
}

/// Tournaments of the log whose entries lie between this one's first and last.
pub(super) fn overlaps(story: &Story, records: &[Result<Record, Unread>]) -> Vec<Overlap> {
    let mut spans: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for record in records.iter().flatten().filter(|record| bears_on_play(record)) {
        let Some(event) = record.event.as_deref() else { continue };
        let (from, to) = spans.entry(event).or_insert((record.at, record.at));
        (*from, *to) = ((*from).min(record.at), (*to).max(record.at));
    }
    let own = story.created.as_ref().and_then(|created| {
        let own = records.iter().flatten().find(|record| record.index == created.index)?;
        spans.remove(own.event.as_deref()?)
    });
    let Some((begins, ends)) = own else { return Vec::new() };
    let overlapping = spans.into_iter().filter(|(_, (from, to))| *from <= ends && *to >= begins);
    overlapping.map(|(tournament, (from, to))| Overlap { tournament: tournament.into(), from, to }).collect()
}

fn bears_on_play(record: &Record) -> bool {
    !matches!(record.fact, Fact::Override {} | Fact::Note {} | Fact::Game {})
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "tournament {}", self.tournament)?;
        self.checks.iter().try_for_each(|check| check.fmt(f))?;
        for draw in &self.draws {
            let position = match (draw.number, &draw.rank) {
                (Some(number), Some(rank)) => format!("{number} {rank}"),
                _ => "not released".into(),
            };
            let voided = draw.voided.as_ref().map_or(String::new(), |reason| format!(", voided: {reason}"));
            let DrawLine { round, board, attempt, grade, .. } = *draw;
            let slot = SlotKey { round, board, attempt };
            writeln!(f, "{slot}: {position}, grade {grade:?}{voided}")?;
            writeln!(f, "      ordered {}", draw.order)?;
            draw.release.iter().try_for_each(|release| writeln!(f, "      released {release}"))?;
        }
        for other in &self.others {
            writeln!(f, "at the same time: {}", other.tournament)?;
        }
        Ok(())
    }
}
