//! The keys of a log, as far as each handed over to the next.

use super::{Bundle, Check, Trust};
use crate::domain::{
    log::{BadCheckpoint, Checkpoint, LogKey, SignedNote, Succession, Tree},
    record::{Fact, Record, Unread},
};

/// A key that signed the log.
struct Known {
    key: LogKey,
    /// What it signed beyond this was lost when the log went on under another name.
    most: u64,
}

/// Every key of the log, the first one first.
pub(super) struct Lineage(Vec<Known>);

/// What a checkpoint says about the entries that are there.
pub(super) enum Opened {
    /// It is over as many of them, or more.
    Ours(Checkpoint),
    /// It is over more than the `most` entries that came through a restoration.
    Lost { size: u64, most: u64 },
}

impl Lineage {
    /// Follows the entries that hand the log over, up to the key in the bundle.
    pub fn follow(v1: &mut Check, bundle: &Bundle, records: &[Result<Record, Unread>], tree: &Tree) -> Option<Self> {
        let newest = match bundle.log_key.parse::<LogKey>() {
            Ok(key) => key,
            Err(why) => {
                v1.fault(why.to_string());
                return None;
            }
        };
        let mut lineage = Self(Vec::new());
        let mut notes = bundle.successions.iter();
        let mut heir: Option<String> = None;
        for record in records.iter().flatten() {
            let (old, new, renamed) = match &record.fact {
                Fact::Key { old, new } => (old, new, false),
                Fact::Restored(restored) => (&restored.old, &restored.new, true),
                _ => continue,
            };
            let named = heir.replace(new.clone());
            v1.demand(named.is_none_or(|named| named == *old), || {
                format!("entry {} hands over for a key that did not sign", record.index)
            });
            match handed_over(record.index, old, new, notes.next(), tree) {
                Ok(key) => lineage.push(key, renamed.then_some(record.index)),
                Err(why) => v1.fault(format!("entry {} hands the log over: {why}", record.index)),
            }
        }
        v1.demand(heir.is_none_or(|heir| heir == bundle.log_key), || {
            "the log was handed over to another key than signs it".into()
        });
        lineage.push(newest, None);
        Some(lineage)
    }

    /// Adds a key; under another name nothing counts that was signed beyond `most`.
    fn push(&mut self, key: LogKey, most: Option<u64>) {
        self.0.push(Known { key, most: u64::MAX });
        if let Some(most) = most {
            self.0.iter_mut().for_each(|known| known.most = known.most.min(most));
        }
    }

    /// The key that signs now.
    pub fn newest(&self) -> &LogKey {
        &self.0[self.0.len() - 1].key
    }

    /// Whether the log ever had this name.
    pub fn had_name(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.key.name() == name)
    }

    /// Compares the keys with the one that the verifier brought.
    pub fn check_pinned(&self, v1: &mut Check, trust: &Trust) {
        match &trust.log_key {
            None => v1.gap(format!("no log key was brought: compare {} with the regulations", self.0[0].key)),
            Some(pinned) if self.0.iter().all(|known| known.key != *pinned) => {
                v1.fault("the bundle's log key is not the pinned one");
            }
            Some(pinned) if pinned != self.newest() => {
                v1.remark(format!("the pinned key handed over; now signs {}", self.newest()));
            }
            Some(_) => {}
        }
    }

    /// The checkpoint in a note that one of the keys signed.
    pub fn open(&self, note: &SignedNote) -> Result<Opened, BadCheckpoint> {
        for known in self.0.iter().rev() {
            match Checkpoint::open(note, &known.key) {
                Ok(checkpoint) if checkpoint.size > known.most => {
                    return Ok(Opened::Lost { size: checkpoint.size, most: known.most });
                }
                Ok(checkpoint) => return Ok(Opened::Ours(checkpoint)),
                Err(_) => {}
            }
        }
        Checkpoint::open(note, self.newest()).map(Opened::Ours)
    }
}

/// The old key, once it and its heir have signed that the log up to this entry goes on under the new one.
fn handed_over(index: u64, old: &str, new: &str, note: Option<&String>, tree: &Tree) -> Result<LogKey, String> {
    let old: LogKey = old.parse().map_err(|why| format!("{why}"))?;
    let note = note.ok_or("the bundle does not show that the old key agreed")?;
    let note: SignedNote = note.parse().map_err(|why| format!("{why}"))?;
    let succession = Succession::open(&note, &old).map_err(|why| why.to_string())?;
    if succession.new.to_string() != new {
        return Err("the old key agreed to another key".into());
    }
    if succession.size != index || tree.root(index) != Some(succession.root) {
        return Err("the old key agreed for another log".into());
    }
    Ok(old)
}
