//! Verifying a tournament offline: the log, every draw in it, and what cannot be told from it.
//!
//! Ten checks, V1 to V10, each passed, failed or not checkable, and why; never one green tick. The checks take the
//! entries as bytes and recompute everything; they trust no state of a server, only the keys that the verifier brings.

mod bundle;
mod check;
mod completion;
mod draw_checks;
mod history_checks;
mod lineage;
mod log_checks;
mod order_checks;
mod report;
mod story;
#[cfg(test)]
mod succession_tests;
#[cfg(test)]
mod tests;
mod times;

pub use bundle::{BUNDLE_FORMAT, Bundle, Trust};
pub use check::{Check, Verdict};
pub use completion::{Asked, CannotComplete, Completion, complete};
pub use report::{DrawLine, Overlap, Report};

use super::record::Record;
use log_checks::LogView;
use story::Story;

/// Runs all checks over a bundle, with what the verifier brings of its own.
pub fn verify(bundle: &Bundle, trust: &Trust) -> Report {
    let records = Record::read_all(&bundle.entries);
    let (log, v1, v2) = LogView::check(bundle, trust, &records);
    let story = Story::tell(&bundle.tournament, &records);
    let bounds = times::bounds(&records, &log, trust);
    let checks = vec![
        v1,
        v2,
        order_checks::order_comes_first(&story, &log),
        order_checks::schedule_is_kept(&story, &bounds),
        order_checks::entropy_is_genuine(&story),
        draw_checks::commitments_open(&story, bundle),
        draw_checks::numbers_follow(&story, bundle),
        history_checks::attempts_are_whole(&story),
        history_checks::policy_is_kept(&story),
        history_checks::grades_and_voids(&story, &log),
    ];
    Report {
        tournament: bundle.tournament.clone(),
        checks,
        draws: report::draw_lines(&story, &log, &bounds),
        others: report::overlaps(&story, &records),
    }
}
