//! What others hold of a log: whether a copy is the newest state that anybody has seen.

use super::witness;
use crate::domain::{
    derivation::Hash32,
    log::{Keys, SignedNote},
};

/// Checkpoints and witnesses that the operator names.
#[derive(Clone, Debug, Default)]
pub struct Elsewhere {
    /// Checkpoints of the log that somebody kept: name for people, and text.
    pub checkpoints: Vec<(String, String)>,
    /// Addresses of witnesses.
    pub witnesses: Vec<String>,
}

impl Elsewhere {
    /// How many are asked.
    pub const fn count(&self) -> usize {
        self.checkpoints.len() + self.witnesses.len()
    }

    /// Refuses a state of the log that misses what they have seen, or is another: it has `size` entries, these roots, and
    /// `newest` as a signed checkpoint.
    ///
    /// # Errors
    /// Who has seen more, and how much; or who cannot say.
    pub async fn check(
        &self,
        keys: &Keys,
        newest: &str,
        size: u64,
        root: impl Fn(u64) -> Option<Hash32>,
    ) -> Result<(), String> {
        for (name, text) in &self.checkpoints {
            let note = text.parse::<SignedNote>().map_err(|why| format!("{name}: {why}"))?;
            let opened = keys.open(&note);
            let (kept, _) =
                opened.map_err(|why| format!("{name} is no checkpoint of the log {}: {why}", keys.newest().name()))?;
            must_not_miss(name, size, kept.size)?;
            if root(kept.size) != Some(kept.root) {
                return Err(another_history(name));
            }
        }
        for url in &self.witnesses {
            witness::ask(url, newest, size).await?;
        }
        Ok(())
    }
}

/// Whoever went on without entries that others have seen would make the log say something else than it said to the hall.
pub(super) fn must_not_miss(name: &str, size: u64, seen: u64) -> Result<(), String> {
    match seen.checked_sub(size) {
        None | Some(0) => Ok(()),
        Some(missing) => Err(format!(
            "{name} has {seen} entries of the log, and here are {size}: {missing} missing. Take a newer copy; or, if there is none, add \
             --bundle with one that somebody downloaded later; or, if nobody has one, give --new-origin. Nothing was changed"
        )),
    }
}

pub(super) fn another_history(name: &str) -> String {
    format!("{name} does not go with this log: one of them is of another history. Nothing was changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_refused_and_counted() {
        assert_eq!(must_not_miss("it", 5, 5), Ok(()));
        assert_eq!(must_not_miss("it", 5, 3), Ok(()));
        let refused = must_not_miss("it", 5, 12).unwrap_err();
        assert!(refused.contains("7 missing") && refused.contains("--bundle"), "{refused}");
    }
}
