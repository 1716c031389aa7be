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
    /// It handed over after so many entries, and had nothing to sign beyond them.
    until: u64,
}

/// Every key of the log, the first one first.
pub(super) struct Lineage(Vec<Known>);

/// What a checkpoint says about the entries that are there.
pub(super) enum Opened {
    /// It is by a key that signed the log at its size, which may be more than there are.
    Ours(Checkpoint),
    /// It is by a key that had handed over after `until` of them, and is over more.
    Late { checkpoint: Checkpoint, until: u64 },
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
        let mut heir = None;
        for (index, old, new, renamed) in records.iter().flatten().filter_map(hands_over) {
            let named = heir.replace(new);
            v1.demand(named.is_none_or(|named| named == old), || {
                format!("entry {index} hands over for a key that did not sign")
            });
            check_name(v1, index, name_of(old) == name_of(new), renamed);
            match handed_over(index, old, new, notes.next(), tree) {
                Ok(key) => lineage.push(key, renamed.then_some(index), index),
                Err(why) => v1.fault(format!("entry {index} hands the log over: {why}")),
            }
        }
        v1.demand(heir.is_none_or(|heir| heir == bundle.log_key), || {
            "the log was handed over to another key than signs it".into()
        });
        lineage.push(newest, None, u64::MAX);
        Some(lineage)
    }

    /// Adds a key that handed over after `until` entries; under another name nothing counts that was signed beyond `most`.
    fn push(&mut self, key: LogKey, most: Option<u64>, until: u64) {
        self.0.push(Known { key, most: u64::MAX, until });
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
                Ok(checkpoint) if checkpoint.size > known.until => {
                    return Ok(Opened::Late { checkpoint, until: known.until });
                }
                Ok(checkpoint) => return Ok(Opened::Ours(checkpoint)),
                Err(_) => {}
            }
        }
        Checkpoint::open(note, self.newest()).map(Opened::Ours)
    }

    /// Size of a checkpoint that nobody can verify, and how many entries came through: under a name that was given up, the log's
    /// key may have been changed in what is lost.
    pub fn lost_key(&self, note: &SignedNote) -> Option<(u64, u64)> {
        let Checkpoint { origin, size, .. } = note.text().parse().ok()?;
        let most = self.0.iter().filter(|known| known.key.name() == origin).map(|known| known.most).max()?;
        let unknown = self.0.iter().all(|known| Checkpoint::open(note, &known.key).is_err());
        (size > most && unknown).then_some((size, most))
    }
}

/// Index, old and new key of an entry that hands the log over, and whether under another name.
fn hands_over(record: &Record) -> Option<(u64, &str, &str, bool)> {
    match &record.fact {
        Fact::Key { old, new } => Some((record.index, old, new, false)),
        Fact::Restored(restored) => Some((record.index, &restored.old, &restored.new, true)),
        _ => None,
    }
}

/// A change of key keeps the name; a restoration must not, because the old name may stand under entries that are lost.
fn check_name(v1: &mut Check, index: u64, same_name: bool, renamed: bool) {
    v1.demand(same_name != renamed, || match renamed {
        true => format!("entry {index} restores the log under the name that it had"),
        false => format!("entry {index} changes the log's key, and its name with it"),
    });
}

/// The name in a key as people pin it.
fn name_of(vkey: &str) -> &str {
    vkey.split('+').next().unwrap_or_default()
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
