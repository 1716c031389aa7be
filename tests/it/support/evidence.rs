//! Recomputing a draw from what is published, with the same pure functions a verifier has.

use draw960::domain::{
    derivation::{EntropyLine, Master, Repeats, Slot, SlotSecret, Source, Terms, answers, commitment, number, seed},
    number_set::NumberSet,
};
use serde_json::Value;

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|why| panic!("{value}: {why}"))
}

/// The slot that the evidence is about.
pub fn slot(evidence: &Value) -> Slot {
    let slot = &evidence["slot"];
    Slot {
        origin: read(&evidence["origin"]),
        event: read(&slot["event"]),
        round: read(&slot["round"]),
        board: read(&slot["board"]),
        attempt: read(&slot["attempt"]),
    }
    .checked()
    .unwrap()
}

/// Checks commitment, seed and number of a published position.
#[track_caller]
pub fn check(position: &Value) {
    let evidence = &position["draw"];
    let slot = slot(evidence);
    let (sources, excluded): (Vec<Source>, NumberSet) = (read(&evidence["sources"]), read(&evidence["excluded"]));
    let repeats: Repeats = read(&evidence["repeats"]);
    let terms = Terms { sources, excluded, repeats };
    let entropy: Vec<EntropyLine> = read(&evidence["entropy"]);
    answers(&terms.sources, &entropy).unwrap();
    let secret = SlotSecret::from_hex(evidence["secret"].as_str().unwrap()).unwrap();
    let committed = commitment(&slot, &terms, &secret);
    assert_eq!(committed.to_string(), evidence["commitment"], "the commitment does not open");
    let seed = seed(&slot, &terms, &committed, &entropy, &secret);
    assert_eq!(seed.reveal_hex(), evidence["seed"]);
    let derived = number(&seed, &terms.excluded, &read(&evidence["used"])).unwrap();
    assert_eq!(derived.number.get(), position["number"]);
    assert_eq!(derived.words_used, evidence["words_used"]);
}

/// Checks the secret of a published position against the revealed master.
#[track_caller]
pub fn check_master(position: &Value, master: &str) {
    let master = Master::from_hex(master).unwrap();
    assert_eq!(master.slot_secret(&slot(&position["draw"])).reveal_hex(), position["draw"]["secret"]);
}

/// What nobody may read before the release of a position.
pub fn released_only(position: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (rank, fen) = (text(&position["rank"]), text(&position["fen"]));
    let lower = rank.to_lowercase();
    vec![text(&position["draw"]["secret"]), text(&position["draw"]["seed"]), rank, lower, fen]
}

/// Whether `number` stands in `text` as a word of its own.
pub fn names_number(text: &str, number: &Value) -> bool {
    let number = number.to_string();
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == number)
}
