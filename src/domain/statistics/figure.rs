//! The figures that chance is asked about, chosen before anything was drawn, and the verdict in words.

use super::{COUNT, Tally, pairs::Pairs, tail};
use crate::domain::{position_number::PositionNumber, start_position::StartPosition};
use serde::Serialize;

/// Fewer draws than this tell nothing, unless they tell something loud.
const FEW: usize = 30;
/// A share of fair servers below this is worth a word.
const UNUSUAL: f64 = 1e-3;
/// Below this, chance is no explanation any more.
const NO_CHANCE: f64 = 1e-6;
/// Chi-square means something where every cell expects as many.
const LEAST_EXPECTED: f64 = 5.0;
/// Numbers in each of the sixteen blocks.
const BLOCK: usize = 60;

/// One figure: as it is, as it is on the average, and how many fair servers are at least so far off; for evenness, at least
/// so uneven: numbers that may not repeat fall too evenly by design.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What is counted.
    pub name: &'static str,
    /// As it is.
    pub observed: f64,
    /// As it is with fair servers on the average.
    pub expected: f64,
    /// Share of fair servers that are at least so far off, or so uneven; null where chance has no say.
    pub share: Option<f64>,
    /// What else to say about it.
    pub note: String,
}

/// What the figures come to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// So few draws say nothing.
    TooLittleToTell,
    /// Nothing is off.
    AsChance,
    /// A figure is off as few fair servers are.
    Unusual,
    /// A figure is off as no fair server is.
    NotExplained,
}

/// All figures that mean something for so many draws.
pub(super) fn all(tally: &Tally) -> Vec<Figure> {
    let mut figures = vec![pairs("repeats", &tally.everywhere), pairs("repeats within a tournament", &tally.within)];
    figures.push(most_frequent(tally));
    figures.extend(evenness("by the king's square", tally, king_file));
    let single = evenness("every number", tally, |number| number);
    figures.extend(single.or_else(|| evenness("by 16 blocks of 60 numbers", tally, |number| number / BLOCK)));
    figures
}

fn pairs(name: &'static str, pairs: &Pairs) -> Figure {
    let note = "pairs of draws that gave the same number".to_owned();
    Figure { name, observed: pairs.observed as f64, expected: pairs.expected, share: pairs.probability(), note }
}

/// How probable it is that some number, whichever, comes up so often.
fn most_frequent(tally: &Tally) -> Figure {
    let most = tally.counts.iter().copied().max().unwrap_or(0);
    let which: Vec<usize> = (0..COUNT).filter(|n| tally.counts[*n] == most && most > 0).collect();
    let share = (most > 0).then(|| some_number_at_least(tally, most.into()));
    let note = match which.as_slice() {
        [] => "nothing was drawn".to_owned(),
        _ if most == 1 => "no number came up twice".to_owned(),
        [one] => format!("number {one}"),
        [first, others @ ..] => format!("number {first} and {} more", others.len()),
    };
    Figure { name: "the most frequent number", observed: most.into(), expected: average_most(tally), share, note }
}

fn some_number_at_least(tally: &Tally, times: u64) -> f64 {
    let spared = |expected: &f64| (-tail::poisson_at_least(times, *expected)).ln_1p();
    -tally.expected.iter().map(spared).sum::<f64>().exp_m1()
}

/// How often the most frequent number comes up on the average: the sum over k of the chance that one does at least k times.
fn average_most(tally: &Tally) -> f64 {
    let mean = tally.expected.iter().copied().fold(0.0, f64::max);
    // So often it comes up in any case; beyond, few terms matter.
    let sure = (mean - 8.0 * mean.sqrt()).max(0.0).floor();
    let beyond = (sure as u64 + 1..).map(|times| some_number_at_least(tally, times));
    sure + beyond.take_while(|share| *share > 1e-4).sum::<f64>()
}

/// Chi-square over the cells that the numbers fall into; none unless every cell that can be hit expects enough.
fn evenness(name: &'static str, tally: &Tally, cell: impl Fn(usize) -> usize) -> Option<Figure> {
    let (mut observed, mut expected) = (vec![0.0; COUNT], vec![0.0; COUNT]);
    for number in 0..COUNT {
        observed[cell(number)] += f64::from(tally.counts[number]);
        expected[cell(number)] += tally.expected[number];
    }
    let cells: Vec<_> = observed.into_iter().zip(expected).filter(|(_, expected)| *expected > 0.0).collect();
    if cells.len() < 2 || cells.iter().any(|(_, expected)| *expected < LEAST_EXPECTED) {
        return None;
    }
    let chi_square: f64 = cells.iter().map(|(observed, expected)| (observed - expected).powi(2) / expected).sum();
    let freedom = cells.len() - 1;
    let share = Some(tail::chi_square_at_least(chi_square, freedom));
    let note = format!("chi-square over {} cells", cells.len());
    Some(Figure { name, observed: chi_square, expected: freedom as f64, share, note })
}

fn king_file(number: usize) -> usize {
    let number = PositionNumber::try_from(number as u16).unwrap_or(PositionNumber::CLASSICAL);
    StartPosition::from_number(number).king_file()
}

/// The share of fair servers of which some figure is as far off as the worst here: whoever looks at five figures has five
/// chances to see something.
fn together(figures: &[Figure]) -> f64 {
    let shares: Vec<f64> = figures.iter().filter_map(|figure| figure.share).collect();
    let least = shares.iter().copied().fold(1.0, f64::min);
    (least * shares.len().max(1) as f64).min(1.0)
}

impl Verdict {
    pub(super) fn of(figures: &[Figure], draws: usize) -> Self {
        match together(figures) {
            share if share < NO_CHANCE => Self::NotExplained,
            share if share < UNUSUAL => Self::Unusual,
            _ if draws < FEW => Self::TooLittleToTell,
            _ => Self::AsChance,
        }
    }

    pub(super) fn sentence(self, figures: &[Figure], draws: usize) -> String {
        match self {
            Self::TooLittleToTell if draws == 0 => "too little to tell: nothing was released yet".into(),
            Self::TooLittleToTell if draws == 1 => "too little to tell: 1 draw shows nothing about chance".into(),
            Self::TooLittleToTell => format!("too little to tell: {draws} draws show nothing about chance"),
            Self::AsChance => "as chance would have it".into(),
            Self::Unusual => {
                let share = one_of(together(figures));
                format!("unusual: of {share} fair servers about one looks at least so uneven; it may be this one")
            }
            Self::NotExplained => "not explained by chance: ask for the log to be verified".into(),
        }
    }
}

/// A share of fair servers in words.
pub(super) fn in_words(share: f64) -> String {
    match share {
        share if share > 0.01 => format!("{:.0} of 100", share * 100.0),
        share if share >= 1e-9 => format!("1 of {}", one_of(share)),
        _ => "none of 1,000,000,000".to_owned(),
    }
}

/// The number of servers among which one is expected, with one digit that counts.
fn one_of(share: f64) -> String {
    let servers = (1.0 / share.max(1e-12)).round();
    let unit = 10f64.powf(servers.log10().floor());
    grouped(((servers / unit).round() * unit) as u64)
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|part| std::str::from_utf8(part).ok()).collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_read_well() {
        let said = [0.534, 0.0101, 0.01, 4.6e-5, 1e-9, 0.0].map(in_words);
        assert_eq!(
            said,
            ["53 of 100", "1 of 100", "1 of 100", "1 of 20,000", "1 of 1,000,000,000", "none of 1,000,000,000"]
        );
    }

    #[test]
    fn the_words_follow_the_share_and_the_number_of_figures() {
        let figure =
            |share| Figure { name: "x", observed: 1.0, expected: 1.0, share: Some(share), note: String::new() };
        let verdict = |share: f64, draws| Verdict::of(&[figure(1.0), figure(share)], draws);
        assert_eq!(verdict(0.000_6, 100), Verdict::AsChance);
        assert_eq!(verdict(0.000_6, 5), Verdict::TooLittleToTell);
        assert_eq!(verdict(0.000_4, 5), Verdict::Unusual);
        assert_eq!(verdict(6e-7, 100), Verdict::Unusual);
        assert_eq!(verdict(4e-7, 100), Verdict::NotExplained);
        let figures = [figure(1.0), figure(5e-5)];
        let sentence = Verdict::Unusual.sentence(&figures, 100);
        assert!(sentence.starts_with("unusual: of 10,000 fair servers about one"), "{sentence}");
    }
}
