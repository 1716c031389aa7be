//! Repeats: pairs of draws that gave the same number, and what chance makes of them.
//!
//! Before every draw its chance of a repeat is known: it depends on what was drawn before and what may be drawn now.
//! Summed over the draws as they happened, that is exactly what a fair server is expected to show, also where numbers are
//! excluded or must not repeat.

use super::{Counts, tail::normal_off_by};

/// Up to so many steps the chance of a total is worked out exactly; beyond, totals are so large that they are normal.
const MOST_STEPS: u64 = 2_000_000;
/// For so many draws the single chances are kept.
const MOST_KEPT: usize = 20_000;

/// Pairs of equal numbers, as drawn and as expected of a fair server.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    pub observed: u64,
    pub expected: f64,
    pub variance: f64,
    /// For each draw that could repeat: how probable it was to add so many pairs.
    chances: Vec<Vec<(u32, f64)>>,
    /// Draws that could repeat.
    risked: usize,
}

impl Pairs {
    /// Takes up a draw of `number` among `allowed`, where each number came up so often before.
    pub fn add(&mut self, before: &Counts, allowed: &[usize], number: usize) {
        self.observed += u64::from(before[number]);
        let (mut sum, mut squares) = (0.0, 0.0);
        for count in allowed.iter().map(|k| f64::from(before[*k])) {
            sum += count;
            squares += count * count;
        }
        let (mean, size) = (sum / allowed.len() as f64, allowed.len() as f64);
        if sum > 0.0 {
            self.expected += mean;
            self.variance += squares / size - mean * mean;
            self.risked += 1;
            self.keep(before, allowed);
        }
    }

    /// Keeps the single chances, as long as they can be of use.
    fn keep(&mut self, before: &Counts, allowed: &[usize]) {
        let steps = self.observed.saturating_mul(self.risked as u64);
        if self.risked > MOST_KEPT || steps > MOST_STEPS {
            self.chances.clear();
        } else {
            self.chances.push(chances(before, allowed));
        }
    }

    /// How probable it is that a fair server is at least so far off, either way; none where chance has no say.
    pub fn probability(&self) -> Option<f64> {
        if self.variance < 1e-9 {
            return None;
        }
        if self.risked == self.chances.len() {
            return Some(self.exactly());
        }
        let off = (self.observed as f64 - self.expected).abs() - 0.5;
        Some(normal_off_by(off.max(0.0) / self.variance.sqrt()))
    }

    /// From the distribution of the total: twice the smaller of the two tails.
    fn exactly(&self) -> f64 {
        let mut totals = vec![0.0; self.observed as usize + 1];
        totals[0] = 1.0;
        for chances in &self.chances {
            totals = after(&totals, chances);
        }
        let at_most: f64 = totals.iter().sum();
        let at_least = 1.0 - (at_most - totals[self.observed as usize]);
        (2.0 * at_most.min(at_least)).clamp(0.0, 1.0)
    }
}

/// How probable each total is after one more draw; totals beyond the last are dropped.
fn after(totals: &[f64], chances: &[(u32, f64)]) -> Vec<f64> {
    let mut next = vec![0.0; totals.len()];
    for (added, chance) in chances {
        let place = next.iter_mut().skip(*added as usize);
        place.zip(totals).for_each(|(next, total)| *next += chance * total);
    }
    next
}

fn chances(before: &Counts, allowed: &[usize]) -> Vec<(u32, f64)> {
    let most = allowed.iter().map(|k| before[*k]).max().unwrap_or(0);
    let mut numbers = vec![0u16; most as usize + 1];
    allowed.iter().for_each(|k| numbers[before[*k] as usize] += 1);
    let chance = |n: u16| f64::from(n) / allowed.len() as f64;
    (0..).zip(numbers).filter(|(_, n)| *n > 0).map(|(count, n)| (count, chance(n))).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::COUNT, *};

    fn pairs(numbers: &[usize], allowed: &[usize]) -> Pairs {
        let (mut pairs, mut before) = (Pairs::default(), [0; COUNT]);
        for number in numbers {
            pairs.add(&before, allowed, *number);
            before[*number] += 1;
        }
        pairs
    }

    #[track_caller]
    fn near(value: f64, known: f64) {
        assert!((value - known).abs() < 1e-12, "{value} is not {known}");
    }

    /// Two coins: the second shows the first again with probability 1/2.
    #[test]
    fn small_cases_by_hand() {
        let all: Vec<usize> = (0..COUNT).collect();
        let one = pairs(&[7], &all);
        assert_eq!((one.observed, one.expected, one.probability()), (0, 0.0, None));
        let coins = pairs(&[0, 0], &[0, 1]);
        assert_eq!((coins.observed, coins.expected, coins.variance), (1, 0.5, 0.25));
        assert_eq!(coins.probability(), Some(1.0));
        // Three draws of one number among 960: one in 960 twice over, and twice that for either way.
        let thrice = pairs(&[5, 5, 5], &all);
        assert_eq!(thrice.observed, 3);
        near(thrice.expected, 3.0 / 960.0);
        near(thrice.probability().unwrap(), 2.0 / 960.0 / 960.0);
        // Among one number chance has no say.
        assert_eq!(pairs(&[5, 5, 5], &[5]).probability(), None);
    }

    /// Where totals are large, the normal distribution says what the exact one says.
    #[test]
    fn both_ways_of_reckoning_agree() {
        let all: Vec<usize> = (0..COUNT).collect();
        let numbers: Vec<usize> = (0..1500).map(|n: usize| n * n * 7919 % 9973 % COUNT).collect();
        let pairs = pairs(&numbers, &all);
        let off = (pairs.observed as f64 - pairs.expected).abs() - 0.5;
        let normal = normal_off_by(off.max(0.0) / pairs.variance.sqrt());
        assert!((pairs.exactly().ln() - normal.ln()).abs() < 0.25, "{} {normal}", pairs.exactly());
    }
}
