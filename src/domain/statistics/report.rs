//! The statistics on one screen.

use super::{ByHand, Figure, Statistics, figure::in_words};
use std::fmt;

const CAUTION: &str = "\
Whoever looks again and again, and at several figures, will now and then see something unusual. Statistics prove
nothing about a single draw: draw960 verify does.";

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grades: Vec<String> =
            self.grades.iter().map(|(grade, draws)| format!("{draws} of grade {grade}")).collect();
        let (draws, tournaments) = (counted(self.draws, "draw"), counted(self.tournaments, "tournament"));
        writeln!(f, "{draws} released in {tournaments}, rehearsals left out")?;
        if !grades.is_empty() {
            writeln!(f, "{}", grades.join(", "))?;
        }
        for ByHand { procedure, draws, numbers } in &self.by_hand {
            let (draws, numbers) = (counted(*draws, "draw"), counted(*numbers, "different number"));
            writeln!(f, "by hand with {procedure}: {draws}, {numbers}")?;
        }
        writeln!(f, "\n{:32} {:>9} {:>9}  fair servers as far off or as uneven", "", "is", "average")?;
        self.figures.iter().try_for_each(|figure| line(f, figure))?;
        let never = "numbers never drawn";
        writeln!(f, "{never:32} {:>9} {:>9.1}", self.never_drawn, self.never_drawn_expected)?;
        writeln!(f, "\n{}\n\n{CAUTION}", self.sentence)
    }
}

fn line(f: &mut fmt::Formatter<'_>, figure: &Figure) -> fmt::Result {
    let Figure { name, observed, expected, share, note } = figure;
    let share = share.map_or_else(|| "chance has no say".to_owned(), in_words);
    let decimals = if observed.fract() == 0.0 { 0 } else { 1 };
    writeln!(f, "{name:32} {observed:>9.decimals$} {expected:>9.1}  {share:22} {note}")
}

fn counted(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}
