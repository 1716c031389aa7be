//! The published vectors, every intermediate value.

use super::*;
use crate::domain::{number_set::NumberSet, position_number::PositionNumber, start_position::StartPosition};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    scheme: String,
    origin: String,
    event: String,
    master: String,
    master_commit: Hash32,
    vectors: Vec<Draw>,
    transcript_of_first: String,
    manual: Manual,
    low_level: Vec<LowLevel>,
}

#[derive(Deserialize)]
struct Order {
    round: u16,
    board: u16,
    attempt: u16,
    sources: Vec<Source>,
    exclude: NumberSet,
    repeats: Repeats,
    slot_secret: String,
    commit: Hash32,
}

#[derive(Deserialize)]
struct Draw {
    name: String,
    #[serde(flatten)]
    order: Order,
    entropy: Vec<EntropyLine>,
    used: NumberSet,
    transcript_sha256: Hash32,
    transcript_len: usize,
    seed: String,
    words: Vec<String>,
    position: u16,
    row: String,
}

#[derive(Deserialize)]
struct Manual {
    #[serde(flatten)]
    order: Order,
    throws: String,
    throws_commit: Hash32,
    position: u16,
    row: String,
}

#[derive(Deserialize)]
struct LowLevel {
    name: String,
    seed: String,
    words: Vec<String>,
    words_used: u32,
    position: u16,
    row: String,
}

fn file() -> File {
    serde_json::from_str(include_str!("../../../tests/vectors/derivation.json")).unwrap()
}

impl File {
    fn slot(&self, order: &Order) -> Slot {
        let Order { round, board, attempt, .. } = *order;
        Slot { origin: self.origin.clone(), event: self.event.clone(), round, board, attempt }.checked().unwrap()
    }

    fn terms(&self, order: &Order) -> Terms {
        let Order { sources, exclude, repeats, .. } = order;
        Terms { sources: sources.clone(), excluded: exclude.clone(), repeats: *repeats }.checked().unwrap()
    }

    /// Secret and commitment of an order, both checked.
    fn open(&self, order: &Order) -> SlotSecret {
        let (slot, terms) = (self.slot(order), self.terms(order));
        let secret = Master::from_hex(&self.master).unwrap().slot_secret(&slot);
        assert_eq!(secret.reveal_hex(), order.slot_secret);
        assert_eq!(commitment(&slot, &terms, &secret), order.commit);
        secret
    }
}

fn row(number: u16) -> String {
    StartPosition::from_number(PositionNumber::try_from(number).unwrap()).rank().into()
}

fn words(seed: &str, count: usize) -> Vec<String> {
    let mut keystream = ChaCha20Rng::from_seed(*Seed::from_hex(seed).unwrap().reveal_bytes());
    (0..count).map(|_| format!("{:08x}", keystream.next_u32())).collect()
}

#[test]
fn the_master_opens_its_commitment() {
    let file = file();
    assert_eq!(file.scheme, SCHEME);
    let master = Master::from_hex(&file.master).unwrap();
    assert_eq!(master.commitment(&file.origin, &file.event), file.master_commit);
}

#[test]
fn every_draw() {
    let file = file();
    assert_eq!(file.vectors.len(), 11);
    for draw in &file.vectors {
        let (slot, terms, secret) = (file.slot(&draw.order), file.terms(&draw.order), file.open(&draw.order));
        assert_eq!(answers(&terms.sources, &draw.entropy), Ok(()), "{}", draw.name);
        let text = transcript(&slot, &terms, &draw.order.commit, &draw.entropy);
        assert_eq!((text.len(), Hash32::of([text.as_bytes()])), (draw.transcript_len, draw.transcript_sha256));
        let seed = seed(&slot, &terms, &draw.order.commit, &draw.entropy, &secret);
        assert_eq!(seed.reveal_hex(), draw.seed, "{}", draw.name);
        assert_eq!(words(&draw.seed, draw.words.len()), draw.words, "{}", draw.name);
        let derived = number(&seed, &terms.excluded, &draw.used).unwrap();
        assert_eq!((derived.number.get(), derived.words_used as usize), (draw.position, draw.words.len()));
        assert_eq!(row(draw.position), draw.row);
    }
}

#[test]
fn the_first_transcript_in_full() {
    let file = file();
    let first = &file.vectors[0];
    let text = transcript(&file.slot(&first.order), &file.terms(&first.order), &first.order.commit, &first.entropy);
    assert_eq!(text, file.transcript_of_first);
}

#[test]
fn the_manual_draw() {
    let file = file();
    let Manual { order, throws, throws_commit, position, row: rank } = &file.manual;
    let secret = file.open(order);
    assert_eq!(throws_commitment(&file.slot(order), &order.commit, throws, &secret), *throws_commit);
    assert_eq!(row(*position), *rank);
}

#[test]
fn the_low_level_seeds() {
    for low in file().low_level {
        let seed = Seed::from_hex(&low.seed).unwrap();
        let derived = number(&seed, &NumberSet::new(), &NumberSet::new()).unwrap();
        assert_eq!((derived.number.get(), derived.words_used), (low.position, low.words_used), "{}", low.name);
        assert_eq!(words(&low.seed, low.words.len()), low.words);
        assert_eq!(row(low.position), low.row);
    }
}

/// HKDF of older OpenSSL takes at most 1024 bytes of info; the longest transcript stays below.
#[test]
fn the_longest_transcript_fits_openssl() {
    let slot = Slot { origin: "o".repeat(128), event: "e".repeat(63), round: 9999, board: 9999, attempt: 99 };
    let sources = vec![Source::Drand { chain: "0".repeat(64), round: u64::MAX }, Source::Dice];
    let terms = Terms { sources, excluded: NumberSet::new(), repeats: Repeats::Allowed };
    let entropy = [EntropyLine::Drand { signature: "0".repeat(96) }, EntropyLine::Dice { digits: "0".repeat(20) }];
    let text = transcript(&slot.checked().unwrap(), &terms.checked().unwrap(), &Hash32::of([]), &entropy);
    assert!(text.len() <= 1024, "{}", text.len());
}
