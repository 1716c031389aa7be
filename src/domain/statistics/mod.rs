//! Statistics of what was drawn: counts, repeats, and whether chance explains them.
//!
//! Every draw is taken as what it was when it was made: one number out of those then allowed, each as probable as the
//! others. What a fair server shows on the average follows draw by draw, so exclusions and the rule against repeats need no
//! correction. Statistics prove nothing about a single draw; the log does.

mod figure;
mod pairs;
mod report;
mod tail;
#[cfg(test)]
mod tests;

pub use figure::{Figure, Verdict};

use super::{
    derivation::Source,
    draw::{Draw, Grade},
    ids::TournamentId,
    number_set::NumberSet,
    position_number::PositionNumber,
};
use pairs::Pairs;
use serde::Serialize;
use std::collections::BTreeMap;

const COUNT: usize = super::position_number::COUNT as usize;
/// How often each number came up.
type Counts = [u32; COUNT];

/// A released draw as far as chance is concerned.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Whose draw it was.
    pub tournament: TournamentId,
    /// What was drawn.
    pub number: PositionNumber,
    /// What could not be drawn: excluded, or released before where numbers must not repeat.
    pub skipped: NumberSet,
    /// What its sources protect against.
    pub grade: Grade,
    /// How it was drawn by hand, if it was.
    pub procedure: Option<String>,
}

impl Drawn {
    /// What a draw gave, also if it was voided later; none if it was never released.
    pub fn of(draw: &Draw) -> Option<Self> {
        let release = draw.release.as_ref()?;
        let procedure = draw.terms.sources.iter().find_map(|source| match source {
            Source::Manual { procedure } => Some(procedure.clone()),
            _ => None,
        });
        Some(Self {
            tournament: draw.tournament,
            number: release.number,
            skipped: draw.terms.excluded.union(&release.used),
            grade: draw.grade(),
            procedure,
        })
    }
}

/// A number, how often it was drawn, and how often a fair server draws it on the average.
#[derive(Clone, Debug, Serialize)]
pub struct NumberCount {
    /// Scharnagl's number.
    pub number: u16,
    /// How often it was drawn.
    pub drawn: u32,
    /// How often on the average.
    pub expected: f64,
}

/// Draws by one procedure by hand. They are in all counts and figures too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ByHand {
    /// Id of the procedure.
    pub procedure: String,
    /// How many.
    pub draws: usize,
    /// How many different numbers they gave.
    pub numbers: usize,
}

/// What was drawn, and what a fair server would have drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Statistics {
    /// Released draws.
    pub draws: usize,
    /// Tournaments with any.
    pub tournaments: usize,
    /// Draws by grade, A, B, C, M.
    pub grades: BTreeMap<String, usize>,
    /// Draws by hand, by procedure.
    pub by_hand: Vec<ByHand>,
    /// Numbers that could be drawn and never were.
    pub never_drawn: usize,
    /// How many there would be on the average.
    pub never_drawn_expected: f64,
    /// The figures that chance is asked about.
    pub figures: Vec<Figure>,
    /// What they come to together.
    pub verdict: Verdict,
    /// The verdict in a sentence.
    pub sentence: String,
    /// Every number.
    pub numbers: Vec<NumberCount>,
}

/// What is gathered from draw to draw.
struct Tally {
    counts: Counts,
    /// How often each number comes up on the average.
    expected: Vec<f64>,
    /// How many different numbers come up on the average.
    different: f64,
    everywhere: Pairs,
    within: Pairs,
    own: BTreeMap<TournamentId, Box<Counts>>,
}

impl Tally {
    fn new() -> Self {
        Self {
            counts: [0; COUNT],
            expected: vec![0.0; COUNT],
            different: 0.0,
            everywhere: Pairs::default(),
            within: Pairs::default(),
            own: BTreeMap::new(),
        }
    }

    fn add(&mut self, draw: &Drawn) {
        let number = usize::from(draw.number.get());
        let skips = |n: &PositionNumber| draw.skipped.contains(*n) && *n != draw.number;
        let allowed: Vec<usize> = PositionNumber::all().filter(|n| !skips(n)).map(|n| usize::from(n.get())).collect();
        let own = self.own.entry(draw.tournament).or_insert_with(|| Box::new([0; COUNT]));
        self.everywhere.add(&self.counts, &allowed, number);
        self.within.add(own, &allowed, number);
        let chance = 1.0 / allowed.len() as f64;
        allowed.iter().for_each(|k| self.expected[*k] += chance);
        self.different += chance * allowed.iter().filter(|k| self.counts[**k] == 0).count() as f64;
        self.counts[number] += 1;
        own[number] += 1;
    }

    /// Numbers that could be drawn and were not, and how many there would be on the average.
    fn never_drawn(&self) -> (usize, f64) {
        let possible = self.expected.iter().filter(|expected| **expected > 0.0).count();
        let drawn = self.counts.iter().filter(|count| **count > 0).count();
        (possible - drawn, (possible as f64 - self.different).max(0.0))
    }
}

/// The statistics of draws in the order of their releases.
pub fn statistics(drawn: &[Drawn]) -> Statistics {
    let mut tally = Tally::new();
    drawn.iter().for_each(|draw| tally.add(draw));
    let figures = figure::all(&tally);
    let verdict = Verdict::of(&figures, drawn.len());
    let (never_drawn, never_drawn_expected) = tally.never_drawn();
    let count =
        |(n, drawn): (usize, &u32)| NumberCount { number: n as u16, drawn: *drawn, expected: tally.expected[n] };
    Statistics {
        draws: drawn.len(),
        tournaments: tally.own.len(),
        grades: grades(drawn),
        by_hand: by_hand(drawn),
        never_drawn,
        never_drawn_expected,
        sentence: verdict.sentence(&figures, drawn.len()),
        figures,
        verdict,
        numbers: tally.counts.iter().enumerate().map(count).collect(),
    }
}

fn grades(drawn: &[Drawn]) -> BTreeMap<String, usize> {
    let mut grades = BTreeMap::new();
    drawn.iter().for_each(|draw| *grades.entry(format!("{:?}", draw.grade)).or_default() += 1);
    grades
}

fn by_hand(drawn: &[Drawn]) -> Vec<ByHand> {
    let mut procedures: BTreeMap<&str, Vec<PositionNumber>> = BTreeMap::new();
    for draw in drawn {
        let Some(procedure) = &draw.procedure else { continue };
        procedures.entry(procedure).or_default().push(draw.number);
    }
    let line = |(procedure, numbers): (&str, Vec<PositionNumber>)| {
        let different: NumberSet = numbers.iter().copied().collect();
        ByHand { procedure: procedure.to_owned(), draws: numbers.len(), numbers: different.len() }
    };
    procedures.into_iter().map(line).collect()
}
