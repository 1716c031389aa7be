//! V1 and V2: the log is what its key signed, and what others saw of it.

use super::{Bundle, Check, Trust, bundle::BUNDLE_FORMAT};
use crate::domain::{
    log::{BadNote, Checkpoint, LogKey, SignedNote, Tree, leaf_hash},
    record::{Record, Unread},
};

/// A checkpoint that fits the entries and was held elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldElsewhere {
    pub size: u64,
    /// Which witness cosigned it, and when, Unix seconds; none for one that the verifier kept.
    pub seen: Option<(usize, u64)>,
}

/// What the log's own checks leave for the others.
#[derive(Debug, Default)]
pub(super) struct LogView {
    pub held: Vec<HeldElsewhere>,
}

impl LogView {
    /// Checks entries against checkpoints and keys.
    pub fn check(bundle: &Bundle, trust: &Trust, records: &[Result<Record, Unread>]) -> (Self, Check, Check) {
        let mut v1 = Check::new("V1", "every entry is in the tree that the log's key signed");
        let mut v2 = Check::new("V2", "witnesses and kept checkpoints saw the same log");
        let tree: Tree = bundle.entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
        entries_are_known(&mut v1, bundle, records);
        let mut view = Self::default();
        if let Some(key) = key(&mut v1, bundle, trust) {
            if bundle.origin != key.name() {
                v1.gap(format!("the tournament was created on the log {}, which is another", bundle.origin));
            }
            newest_fits(&mut v1, bundle, &key, &tree);
            view.gather(&mut v2, bundle, trust, &key, &tree);
        } else {
            v2.gap("without the log's key no checkpoint can be read");
        }
        (view, v1, v2)
    }

    fn gather(&mut self, v2: &mut Check, bundle: &Bundle, trust: &Trust, key: &LogKey, tree: &Tree) {
        for note in &trust.kept {
            if let Some(size) = fits(v2, "a kept checkpoint", note, key, tree) {
                self.held.push(HeldElsewhere { size, seen: None });
            }
        }
        for text in bundle.checkpoints.iter().chain([&bundle.checkpoint]) {
            match text.parse::<SignedNote>() {
                Err(why) => v2.fault(format!("a checkpoint of the bundle: {why}")),
                Ok(note) => {
                    if let Some(size) = fits(v2, "a checkpoint of the bundle", &note, key, tree) {
                        self.take_cosignatures(v2, trust, &note, size);
                    }
                }
            }
        }
        self.witnesses_saw(v2, trust, tree.size());
    }

    fn take_cosignatures(&mut self, v2: &mut Check, trust: &Trust, note: &SignedNote, size: u64) {
        for (witness, key) in trust.witnesses.iter().enumerate() {
            match note.cosigned_at(key) {
                Ok(time) => self.held.push(HeldElsewhere { size, seen: Some((witness, time)) }),
                Err(BadNote::NotSigned) => {}
                Err(why) => v2.fault(format!("{}, over {size} entries: {why}", key.name())),
            }
        }
    }

    fn witnesses_saw(&self, v2: &mut Check, trust: &Trust, size: u64) {
        if trust.witnesses.is_empty() && trust.kept.is_empty() {
            v2.gap("no witness key and no older checkpoint were brought: the log is only as its server tells it");
        }
        for (witness, key) in trust.witnesses.iter().enumerate() {
            let by_it = |held: &&HeldElsewhere| held.seen.is_some_and(|(by, _)| by == witness);
            match self.held.iter().filter(by_it).map(|held| held.size).max() {
                None => v2.gap(format!("{} has cosigned nothing in the bundle", key.name())),
                Some(newest) if newest == size => {}
                Some(newest) => v2.remark(format!("{} has seen {newest} of {size} entries", key.name())),
            }
        }
    }

    /// The first checkpoint held elsewhere that has entry `after`, ends before entry `before` and, if a deadline is
    /// given, was cosigned earlier.
    pub fn witness(&self, after: u64, before: u64, deadline: Option<i64>) -> Option<&HeldElsewhere> {
        let in_time = |held: &&HeldElsewhere| match deadline {
            Some(deadline) => held.seen.is_some_and(|(_, at)| i128::from(at) < i128::from(deadline)),
            None => held.size <= before,
        };
        self.held.iter().filter(|held| held.size > after).filter(in_time).min_by_key(|held| held.size)
    }
}

fn entries_are_known(v1: &mut Check, bundle: &Bundle, records: &[Result<Record, Unread>]) {
    v1.demand(bundle.format == BUNDLE_FORMAT, || format!("the bundle's format is not {BUNDLE_FORMAT}"));
    for unread in records.iter().filter_map(|record| record.as_ref().err()) {
        match unread {
            Unread::Malformed(why) => v1.fault(why.clone()),
            Unread::Unknown(why) => v1.gap(format!("{why}: a newer verifier may know it")),
        }
    }
    v1.demand(records.iter().flatten().any(|record| record.is_of(&bundle.tournament)), || {
        format!("the log knows no tournament {:?}", bundle.tournament)
    });
}

fn key(v1: &mut Check, bundle: &Bundle, trust: &Trust) -> Option<LogKey> {
    let own = bundle.log_key.parse::<LogKey>();
    match (&trust.log_key, own) {
        (Some(pinned), Ok(own)) if *pinned == own => {}
        (Some(_), _) => v1.fault("the bundle's log key is not the pinned one"),
        (None, Ok(own)) => {
            v1.gap(format!("no log key was brought: compare {own} with the regulations"));
            return Some(own);
        }
        (None, Err(why)) => v1.fault(why.to_string()),
    }
    trust.log_key.clone()
}

fn newest_fits(v1: &mut Check, bundle: &Bundle, key: &LogKey, tree: &Tree) {
    let Ok(note) = bundle.checkpoint.parse::<SignedNote>() else {
        return v1.fault("the checkpoint is unreadable");
    };
    if let Some(size) = fits(v1, "the checkpoint", &note, key, tree) {
        let entries = tree.size();
        v1.demand(size == entries, || format!("the checkpoint is over {size} entries, the bundle has {entries}"));
    }
}

/// The size of a checkpoint that the key signed and whose root the entries have.
fn fits(check: &mut Check, what: &str, note: &SignedNote, key: &LogKey, tree: &Tree) -> Option<u64> {
    match Checkpoint::open(note, key) {
        Err(why) => check.fault(format!("{what}: {why}")),
        Ok(Checkpoint { size, root, .. }) => match tree.root(size) {
            None => check.fault(format!("{what} is over {size} entries, more than the bundle has: some are missing")),
            Some(own) if own == root => return Some(size),
            Some(_) => check.fault(format!("{what} over {size} entries has another root: the log was rewritten")),
        },
    }
    None
}
