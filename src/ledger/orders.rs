//! Which entries order draws, and from when on the outcome of each could be known: what "witnessed" is measured by.

use crate::domain::{
    beacon::Beacon,
    derivation::{EntropyLine, Source},
};
use serde::Deserialize;
use std::collections::HashMap;

/// From when on a draw's outcome could be known by somebody who waited for its entropy.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Entry of its first dice, entropy, throws or release.
    pub before: Option<u64>,
    /// The beacon that it names.
    pub beacon: Option<Beacon>,
}

impl Known {
    /// Unix second in which its beacon fires.
    pub fn fires(&self) -> Option<i64> {
        self.beacon?.chain.time_of(self.beacon?.round)
    }
}

/// The orders of the log.
#[derive(Debug, Default)]
pub(super) struct Orders {
    known: HashMap<u64, Known>,
    slots: HashMap<(String, u16, u16, u16), u64>,
    /// Orders of a tournament that wait for dice.
    dice: HashMap<String, Vec<u64>>,
}

#[derive(Deserialize)]
struct Said {
    t: String,
    #[serde(default)]
    event: String,
    round: Option<u16>,
    board: Option<u16>,
    attempt: Option<u16>,
    #[serde(default)]
    sources: Vec<Source>,
    #[serde(default)]
    entropy: Vec<EntropyLine>,
}

impl Orders {
    /// Takes note of an entry. Answers the beacon whose signature it claims to hold, and that signature.
    pub fn note(&mut self, index: u64, entry: &[u8]) -> Option<(Beacon, String)> {
        let said = serde_json::from_slice::<Said>(entry).ok()?;
        let slot = said.round.zip(said.board).zip(said.attempt);
        match (said.t.as_str(), slot) {
            ("order", Some(((round, board), attempt))) => {
                if said.sources.contains(&Source::Dice) {
                    self.dice.entry(said.event.clone()).or_default().push(index);
                }
                self.known.insert(index, Known { before: None, beacon: Beacon::named_in(&said.sources) });
                self.slots.insert((said.event, round, board, attempt), index);
            }
            ("entropy" | "manual" | "release", Some(((round, board), attempt))) => {
                let order = self.slots.get(&(said.event, round, board, attempt)).copied()?;
                self.known_from(order, index);
                return self.known(order)?.beacon.zip(signature(said.entropy));
            }
            // Dice belong to a round, but may serve a block: whichever order waits for dice is taken to be known.
            ("dice", _) => {
                let waiting = self.dice.remove(&said.event).unwrap_or_default();
                waiting.into_iter().for_each(|order| self.known_from(order, index));
            }
            _ => {}
        }
        None
    }

    fn known_from(&mut self, order: u64, index: u64) {
        if let Some(known) = self.known.get_mut(&order) {
            known.before.get_or_insert(index);
        }
    }

    /// From when on the outcome of the draw ordered by this entry could be known.
    pub fn known(&self, order: u64) -> Option<&Known> {
        self.known.get(&order)
    }
}

fn signature(lines: Vec<EntropyLine>) -> Option<String> {
    lines.into_iter().find_map(|line| match line {
        EntropyLine::Drand { signature } => Some(signature),
        _ => None,
    })
}
