//! V1 and V2: the log is what its key signed, and what others saw of it.

use super::{
    Bundle, Check, Trust,
    bundle::BUNDLE_FORMAT,
    lineage::{Lineage, Opened},
};
use crate::domain::{
    log::{BadNote, Checkpoint, SignedNote, Tree, leaf_hash},
    record::{Fact, Record, Unread},
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
        server_entries(&mut v1, bundle, records, &tree);
        if let Some(lineage) = Lineage::follow(&mut v1, bundle, records, &tree) {
            lineage.check_pinned(&mut v1, trust);
            if !lineage.had_name(&bundle.origin) {
                v1.gap(format!("the tournament was created on the log {}, which is another", bundle.origin));
            }
            newest_fits(&mut v1, bundle, &lineage, &tree);
            view.gather(&mut v2, bundle, trust, &lineage, &tree);
            name_takeovers(&mut v2, records);
        } else {
            v2.gap("without the log's key no checkpoint can be read");
        }
        (view, v1, v2)
    }

    fn gather(&mut self, v2: &mut Check, bundle: &Bundle, trust: &Trust, lineage: &Lineage, tree: &Tree) {
        for note in &trust.kept {
            if let Some((size, most)) = lineage.lost_key(note) {
                v2.gap(format!(
                    "a kept checkpoint is over {size} entries by its own words, {most} of which came through the restoration; no key \
                     that is known here signed it, and the log's key may have been changed in what is lost"
                ));
                continue;
            }
            if let Some(size) = fits(v2, "a kept checkpoint", note, lineage, tree) {
                self.held.push(HeldElsewhere { size, seen: None });
            }
        }
        for text in bundle.checkpoints.iter().chain([&bundle.checkpoint]) {
            match text.parse::<SignedNote>() {
                Err(why) => v2.fault(format!("a checkpoint of the bundle: {why}")),
                Ok(note) => {
                    if let Some(size) = fits(v2, "a checkpoint of the bundle", &note, lineage, tree) {
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

/// What the server says of itself: copies that it went on from are the log's beginning, and what a restoration lost is told.
fn server_entries(v1: &mut Check, bundle: &Bundle, records: &[Result<Record, Unread>], tree: &Tree) {
    let created = records.iter().flatten().find(|record| record.is_of(&bundle.tournament)).map(|record| record.index);
    for record in records.iter().flatten() {
        let index = record.index;
        let (size, root) = match &record.fact {
            Fact::Takeover { size, root } => (*size, root),
            Fact::Restored(restored) => (restored.size, &restored.root),
            _ => continue,
        };
        v1.demand(size <= index && tree.root(size) == Some(*root), || {
            format!("entry {index} goes on from a copy that is not the beginning of this log")
        });
        match &record.fact {
            Fact::Takeover { .. } => v1.remark(format!("entry {index}: the server went on from a copy of {size} entries")),
            _ if created.is_some_and(|created| created < index) => v1.gap(format!(
                "entry {index}: the server was restored from a copy of {size} entries; what its log had after them cannot be \
                 told from here"
            )),
            _ => {}
        }
    }
}

/// What a lost machine signed in its last seconds looks like a rewritten log, and may be one: the people who decide are told both.
fn name_takeovers(v2: &mut Check, records: &[Result<Record, Unread>]) {
    if v2.faults.is_empty() {
        return;
    }
    for record in records.iter().flatten() {
        if let Fact::Takeover { size, .. } = &record.fact {
            v2.remark(format!(
                "entry {}: the server went on from a copy of {size} entries; whatever it had signed beyond them shows as rewritten \
                 too",
                record.index
            ));
        }
    }
}

fn newest_fits(v1: &mut Check, bundle: &Bundle, lineage: &Lineage, tree: &Tree) {
    let Ok(note) = bundle.checkpoint.parse::<SignedNote>() else {
        return v1.fault("the checkpoint is unreadable");
    };
    // A former key shows what was; the bundle is signed by the one that signs now.
    if let Err(why) = Checkpoint::open(&note, lineage.newest()) {
        return v1.fault(format!("the checkpoint: {why}"));
    }
    if let Some(size) = fits(v1, "the checkpoint", &note, lineage, tree) {
        let entries = tree.size();
        v1.demand(size == entries, || format!("the checkpoint is over {size} entries, the bundle has {entries}"));
    }
}

/// The size of a checkpoint that a key of the log signed and whose root the entries have.
fn fits(check: &mut Check, what: &str, note: &SignedNote, lineage: &Lineage, tree: &Tree) -> Option<u64> {
    match lineage.open(note) {
        Err(why) => check.fault(format!("{what}: {why}")),
        Ok(Opened::Lost { size, most }) => check.gap(format!(
            "{what} is over {size} entries; {most} of them came through the restoration, the others are lost"
        )),
        // Somebody still uses the old key, whoever that is: it is not said to be this server.
        Ok(Opened::Late { checkpoint: Checkpoint { size, root, .. }, until }) if tree.root(size) != Some(root) => {
            check.fault(format!(
                "{what} over {size} entries is not of this log, and is signed by a key that had handed over after {until}: the \
                 holder of the old key signs another log, or this one was rewritten"
            ));
        }
        Ok(Opened::Ours(checkpoint) | Opened::Late { checkpoint, .. }) => match tree.root(checkpoint.size) {
            None => check.fault(format!(
                "{what} is over {} entries, more than the bundle has: some are missing",
                checkpoint.size
            )),
            Some(own) if own == checkpoint.root => return Some(checkpoint.size),
            Some(_) => {
                check.fault(format!("{what} over {} entries has another root: the log was rewritten", checkpoint.size))
            }
        },
    }
    None
}
