//! A whole tournament with every kind of draw, and what forgers would do to it.

#[path = "times_tests.rs"]
mod times_tests;

use super::*;
use crate::domain::{
    beacon::recorded::*,
    derivation::{
        EntropyLine, Hash32, Master, Repeats, Slot, Source, Terms, commitment, number, seed, throws_commitment,
    },
    entry::{Entry, Event},
    log::{Checkpoint, LogSigner, SignedNote, Tree, WitnessSigner, leaf_hash},
    number_set::NumberSet,
    policy::{Policy, Preset},
    position_number::PositionNumber,
};
use serde_json::{Value, json};

pub(super) const ORIGIN: &str = "draw960.local/0a0b0c0d";
const SLUG: &str = "kaunas-2023-open";
const CHAIN: &str = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
const DICE: &str = "63454660390103169462";
/// Beacon round 123 is current 30 s before this.
pub(super) const RELEASE: i64 = 1_692_803_763;
/// When everything is ordered: long before.
pub(super) const ORDERED: i64 = RELEASE - 5000;

pub(super) fn log_signer() -> LogSigner {
    LogSigner::from_seed(ORIGIN, &[1; 32]).unwrap()
}

pub(super) fn witness_signer() -> WitnessSigner {
    WitnessSigner::from_seed("deputy.example/laptop", &[2; 32]).unwrap()
}

fn master() -> Master {
    Master::from_bytes([9; 32])
}

/// A server's log as it is written, and which sizes a witness saw when.
#[derive(Clone)]
pub(super) struct Scribe {
    pub entries: Vec<Value>,
    pub seen: Vec<(usize, i64)>,
    pub used: NumberSet,
}

/// A slot with its terms.
pub(super) struct Draw {
    slot: Slot,
    terms: Terms,
}

pub(super) fn draw(round: u16, attempt: u16, sources: &[&str]) -> Draw {
    let slot = Slot { origin: ORIGIN.into(), event: SLUG.into(), round, board: 0, attempt };
    let sources = sources.iter().map(|source| source.parse().unwrap()).collect();
    let excluded = NumberSet::from_iter([PositionNumber::CLASSICAL]);
    Draw { slot, terms: Terms { sources, excluded, repeats: Repeats::Never } }
}

impl Scribe {
    pub fn write(&mut self, kind: &str, at: i64, by: &str, rest: Value) -> usize {
        let mut entry = json!({"t": kind, "v": 1, "event": SLUG, "at": at, "by": by});
        entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        self.entries.push(entry);
        self.entries.len() - 1
    }

    fn write_slot(&mut self, kind: &str, at: i64, draw: &Draw, rest: Value) -> usize {
        let Slot { round, board, attempt, .. } = draw.slot;
        let mut slot = json!({"round": round, "board": board, "attempt": attempt});
        slot.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        self.write(kind, at, "server", slot)
    }

    pub fn order(&mut self, at: i64, release_at: i64, draw: &Draw) {
        let secret = master().slot_secret(&draw.slot);
        let Terms { sources, excluded, repeats } = &draw.terms;
        let commit = commitment(&draw.slot, &draw.terms, &secret);
        let rest = json!({"commit": commit, "sources": sources, "exclude": excluded, "repeats": repeats,
            "release_at": release_at});
        self.write_slot("order", at, draw, rest);
    }

    fn release(&mut self, at: i64, draw: &Draw, lines: &[&str]) {
        let secret = master().slot_secret(&draw.slot);
        let lines: Vec<EntropyLine> = lines.iter().map(|line| line.parse().unwrap()).collect();
        let seed = seed(&draw.slot, &draw.terms, &commitment(&draw.slot, &draw.terms, &secret), &lines, &secret);
        let number = number(&seed, &draw.terms.excluded, &self.used).unwrap().number;
        let rest = json!({"secret": secret.reveal_hex(), "entropy": lines, "used": self.used,
            "seed": seed.reveal_hex(), "number": number.get()});
        self.write_slot("release", at, draw, rest);
        self.used.insert(number);
    }

    pub fn void(&mut self, at: i64, draw: &Draw, reason: &str, knowable: bool) {
        let secret = master().slot_secret(&draw.slot).reveal_hex();
        let from_round = draw.slot.round;
        let rest = json!({"reason": reason, "secret": secret, "knowable": knowable, "from_round": from_round});
        self.write_slot("void", at, draw, rest);
    }

    fn witness(&mut self, at: i64) {
        self.seen.push((self.entries.len(), at));
    }

    /// Index of the nth entry of a kind, from 0.
    pub fn find(&self, kind: &str, nth: usize) -> usize {
        let mut of_kind = self.entries.iter().enumerate().filter(|(_, entry)| entry["t"] == kind);
        of_kind.nth(nth).unwrap().0
    }

    pub fn bundle(&self) -> Bundle {
        let entries: Vec<String> = self.entries.iter().map(Value::to_string).collect();
        let tree: Tree = entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
        let mut checkpoints: Vec<String> =
            self.seen.iter().map(|(size, at)| cosigned(note(&tree, *size as u64), *at).to_string()).collect();
        let checkpoint = checkpoints.pop().unwrap_or_else(|| note(&tree, tree.size()).to_string());
        Bundle {
            format: BUNDLE_FORMAT.into(),
            tournament: SLUG.into(),
            origin: ORIGIN.into(),
            log_key: log_signer().verifier().to_string(),
            checkpoint,
            checkpoints,
            successions: Vec::new(),
            entries,
        }
    }
}

fn note(tree: &Tree, size: u64) -> SignedNote {
    Checkpoint { origin: ORIGIN.into(), size, root: tree.root(size).unwrap() }.sign(&log_signer()).unwrap()
}

fn cosigned(mut note: SignedNote, at: i64) -> SignedNote {
    note.add(witness_signer().cosign(&note, at as u64));
    note
}

pub(super) fn trust() -> Trust {
    Trust { log_key: Some(log_signer().verifier()), witnesses: vec![witness_signer().verifier()], kept: Vec::new() }
}

/// Four rounds: beacon, dice, local with a void and a second attempt, by hand. Everything is in order.
pub(super) fn honest() -> Scribe {
    let mut log = Scribe { entries: Vec::new(), seen: Vec::new(), used: NumberSet::new() };
    let policy = json!({"scope": "round", "rounds_per_draw": 1, "excluded": [518], "repeats": "never",
        "entropy": "drand", "entropy_fallback": ["dice", "local"]});
    let master_commit = master().commitment(ORIGIN, SLUG);
    log.write(
        "tournament",
        ORDERED,
        "server",
        json!({"master_commit": master_commit, "policy": policy, "rehearsal": false}),
    );
    let times = [RELEASE, RELEASE + 1000, RELEASE + 2000, RELEASE + 3000];
    for (round, release_at) in (1..).zip(times) {
        log.write(
            "round",
            ORDERED,
            "tok_a",
            json!({"round": round, "starts_at": release_at + 900, "release_at": release_at, "boards": 0}),
        );
    }
    let beacon = |round: u64| format!("drand {CHAIN} {round}");
    let [first, abandoned] = [draw(1, 1, &[&beacon(123)]), draw(2, 1, &[&beacon(456)])];
    let [dice, local, hand] = [draw(2, 2, &["dice d10"]), draw(3, 2, &["none"]), draw(4, 1, &["manual d6"])];
    let third = draw(3, 1, &[&beacon(789)]);
    log.order(ORDERED, times[0], &first);
    log.order(ORDERED, times[1], &abandoned);
    log.order(ORDERED, times[2], &third);
    log.order(ORDERED, times[3], &hand);
    log.void(ORDERED + 10, &abandoned, "beacon-unavailable", false);
    log.order(ORDERED + 10, times[1], &dice);
    log.void(ORDERED + 20, &third, "beacon-unavailable", false);
    log.order(ORDERED + 20, times[2], &local);
    log.witness(ORDERED + 30);

    let signature = format!("drand {ROUND_123}");
    log.write_slot("entropy", RELEASE - 28, &first, json!({"entropy": [signature]}));
    log.release(RELEASE, &first, &[&signature]);
    log.write("dice", times[1] - 90, "tok_a", json!({"round": 2, "digits": DICE}));
    log.write("dice", times[1] - 60, "tok_b", json!({"round": 2, "digits": DICE}));
    log.release(times[1], &dice, &[&format!("dice {DICE}")]);
    log.release(times[2], &local, &["none"]);
    let secret = master().slot_secret(&hand.slot);
    let throws = "3,5,1,4,6,2,1";
    let bound = throws_commitment(&hand.slot, &commitment(&hand.slot, &hand.terms, &secret), throws, &secret);
    log.write_slot("manual", times[3] - 60, &hand, json!({"throws_commit": bound}));
    let rest = json!({"secret": secret.reveal_hex(), "entropy": [], "used": log.used, "throws": throws, "number": 56});
    log.write_slot("release", times[3], &hand, rest);
    log.write("game", times[3] + 7000, "tok_p", json!({"game": "gam_1", "round": 1}));
    log.write("close", times[3] + 9000, "tok_a", json!({"master": master().reveal_hex()}));
    log.witness(times[3] + 9010);
    log
}

pub(super) fn verdict(report: &Report, id: &str) -> Verdict {
    report.checks.iter().find(|check| check.id == id).unwrap().verdict()
}

fn failed(report: &Report) -> Vec<&str> {
    report.checks.iter().filter(|check| check.verdict() == Verdict::Fail).map(|check| check.id).collect()
}

#[test]
fn an_honest_tournament_passes_everything() {
    let report = verify(&honest().bundle(), &trust());
    assert_eq!(report.verdict(), Verdict::Pass, "{report}");
    let ids: Vec<_> = report.checks.iter().map(|check| check.id).collect();
    assert_eq!(ids, ["V1", "V2", "V3", "V4", "V5", "V6", "V7", "V8", "V9", "V10"]);
    let lines: Vec<_> =
        report.draws.iter().map(|d| (d.round, d.attempt, format!("{:?}", d.grade), d.number.is_some())).collect();
    let expected = [
        (1, 1, "A", true),
        (2, 1, "A", false),
        (2, 2, "B", true),
        (3, 1, "A", false),
        (3, 2, "C", true),
        (4, 1, "M", true),
    ];
    assert_eq!(lines, expected.map(|(round, attempt, grade, released)| (round, attempt, grade.to_owned(), released)));
    assert!(report.draws.iter().all(|draw| draw.witnessed));
    let json = serde_json::to_string(&honest().bundle()).unwrap();
    assert_eq!(verify(&serde_json::from_str(&json).unwrap(), &trust()).verdict(), Verdict::Pass);
}

#[test]
fn without_keys_nothing_is_taken_for_shown() {
    let report = verify(&honest().bundle(), &Trust::default());
    assert_eq!(failed(&report), Vec::<&str>::new(), "{report}");
    for id in ["V1", "V2", "V3"] {
        assert_eq!(verdict(&report, id), Verdict::NotCheckable, "{report}");
    }
    assert!(report.draws.iter().all(|draw| !draw.witnessed));
    assert_eq!(report.verdict(), Verdict::NotCheckable);
}

#[test]
fn a_running_tournament_is_not_checkable_to_its_end() {
    let mut running = honest();
    running.seen.pop();
    running.entries.truncate(running.find("release", 1));
    let size = running.entries.len();
    running.seen.push((size, RELEASE + 950));
    let report = verify(&running.bundle(), &trust());
    assert_eq!((failed(&report), verdict(&report, "V6")), (vec![], Verdict::NotCheckable), "{report}");
}

/// What an outsider or a careless operator does to the bytes, without the log's key.
#[test]
fn bytes_that_nobody_signed_are_found() {
    let honest = honest().bundle();
    let changed = |change: fn(&mut Bundle)| {
        let mut bundle = honest.clone();
        change(&mut bundle);
        let report = verify(&bundle, &trust());
        assert!(failed(&report).contains(&"V1"), "{report}");
    };
    changed(|b| b.entries[9] = b.entries[9].replacen("1692", "1693", 1));
    changed(|b| b.entries.truncate(20));
    changed(|b| b.entries.swap(1, 2));
    changed(|b| b.entries.push(b.entries[5].clone()));
    changed(|b| b.checkpoint = b.checkpoints[0].clone());
    changed(|b| b.checkpoint = b.checkpoint.replacen("\n2", "\n1", 1));
    changed(|b| b.checkpoint = "?".into());
    changed(|b| {
        let forged = b.checkpoint.trim_end().rsplit_once("\n").unwrap().0.to_owned();
        b.checkpoint = forged + "\n";
        b.entries.pop();
    });
    changed(|b| b.log_key = LogSigner::from_seed(ORIGIN, &[5; 32]).unwrap().verifier().to_string());
    changed(|b| b.tournament = "another".into());
    changed(|b| b.format = "draw960-bundle/v2".into());
}

#[test]
fn a_rewritten_log_contradicts_what_others_kept() {
    let kept = {
        let tree: Tree = honest().bundle().entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
        note(&tree, 12)
    };
    let mut rewritten = honest();
    let order = rewritten.find("order", 0);
    rewritten.entries[order]["at"] = json!(ORDERED - 1);
    let with_kept = Trust { kept: vec![kept.clone()], ..trust() };
    let report = verify(&rewritten.bundle(), &with_kept);
    assert_eq!(verdict(&report, "V2"), Verdict::Fail, "{report}");
    assert_eq!(verdict(&verify(&honest().bundle(), &with_kept), "V2"), Verdict::Pass);
    let mut short = honest();
    short.entries.truncate(7);
    short.seen.clear();
    assert_eq!(verdict(&verify(&short.bundle(), &with_kept), "V2"), Verdict::Fail);
    // A kept checkpoint is something that was held elsewhere, though it does not say when.
    let only_kept = Trust { witnesses: vec![], kept: vec![kept], ..trust() };
    let report = verify(&honest().bundle(), &only_kept);
    assert!(report.draws.iter().any(|draw| draw.witnessed) && report.draws.iter().any(|draw| !draw.witnessed));
}

/// What an operator does who holds the log's key, and whose witness signs anything.
#[test]
fn a_dishonest_operator_is_found() {
    type Forgery = (&'static str, &'static str, fn(&mut Scribe));
    let forgeries: [Forgery; 31] = [
        ("V4", "released early", |log| set(log, "release", 0, "at", json!(RELEASE - 1))),
        ("V4", "ordered for another instant", |log| set(log, "order", 0, "release_at", json!(RELEASE + 3))),
        ("V4", "beacon round already fired", |log| {
            set(log, "order", 0, "sources", json!([format!("drand {CHAIN} 122")]));
        }),
        ("V4", "ordered at the last moment", |log| set(log, "order", 0, "at", json!(RELEASE - 80))),
        ("V4", "no date", |log| set(log, "round", 0, "release_at", Value::Null)),
        ("V5", "beacon of another round", |log| {
            let line = json!([format!("drand {ROUND_1000}")]);
            set(log, "entropy", 0, "entropy", line.clone());
            set(log, "release", 0, "entropy", line);
        }),
        ("V5", "other entropy than had come in", |log| {
            set(log, "entropy", 0, "entropy", json!([format!("drand {ROUND_1000}")]));
        }),
        ("V5", "local instead of the beacon", |log| set(log, "release", 0, "entropy", json!(["none"]))),
        ("V5", "dice of one token", |log| set(log, "dice", 1, "by", json!("tok_a"))),
        ("V5", "dice corrected", |log| set(log, "dice", 1, "digits", json!("63454660390103169463"))),
        ("V5", "other dice in the release", |log| {
            set(log, "release", 1, "entropy", json!(["dice 63454660390103169463"]));
        }),
        ("V6", "another secret", |log| set(log, "release", 0, "secret", json!("00".repeat(32)))),
        ("V6", "another secret in a void", |log| set(log, "void", 0, "secret", json!("00".repeat(32)))),
        ("V6", "terms rewritten", |log| set(log, "order", 0, "exclude", json!([0, 518]))),
        ("V6", "another master", |log| set(log, "close", 0, "master", json!("00".repeat(32)))),
        ("V6", "no terms", |log| set(log, "order", 4, "sources", json!(["dice d10", "dice d10"]))),
        ("V7", "another number", |log| set(log, "release", 0, "number", json!(7))),
        ("V7", "another seed", |log| set(log, "release", 0, "seed", json!("00".repeat(32)))),
        ("V7", "a number of no position", |log| set(log, "release", 0, "number", json!(960))),
        ("V7", "other throws", |log| set(log, "release", 3, "throws", json!("3,1,4,2,1"))),
        ("V7", "throws bound to nothing", |log| drop(log.entries.remove(log.find("manual", 0)))),
        ("V8", "redrawn without a void", |log| drop(log.entries.remove(log.find("void", 0)))),
        ("V8", "an attempt left out", |log| drop(log.entries.remove(log.find("order", 1)))),
        ("V8", "never opened", |log| drop(log.entries.remove(log.find("release", 2)))),
        ("V8", "ordered twice", |log| {
            let again = log.entries[log.find("order", 0)].clone();
            log.entries.insert(12, again);
        }),
        ("V8", "released after the close", |log| {
            let release = log.entries.remove(log.find("release", 3));
            log.entries.push(release);
        }),
        ("V8", "a board beside all boards", |log| {
            let mut order = log.entries[log.find("order", 0)].clone();
            order["board"] = json!(4);
            log.entries.insert(12, order);
        }),
        ("V9", "a used number forgotten", |log| set(log, "release", 1, "used", json!([]))),
        ("V9", "a number called used", |log| set(log, "release", 0, "used", json!([1, 2, 3]))),
        ("V9", "amended after a release", |log| {
            let mut amend = log.entries[0].clone();
            amend["t"] = json!("amend");
            log.entries.insert(log.find("release", 0) + 1, amend);
        }),
        ("V10", "a void that denies", |log| {
            set(log, "void", 0, "at", json!(RELEASE + 999));
            set(log, "order", 4, "at", json!(RELEASE + 999));
        }),
    ];
    for (id, name, forge) in forgeries {
        let mut log = honest();
        forge(&mut log);
        log.seen = vec![(12, ORDERED + 30), (log.entries.len(), RELEASE + 9000)];
        let report = verify(&log.bundle(), &trust());
        assert_eq!(verdict(&report, "V1"), Verdict::Pass, "{name}: {report}");
        assert_eq!(verdict(&report, id), Verdict::Fail, "{name}: {report}");
    }
}

pub(super) fn set(log: &mut Scribe, kind: &str, nth: usize, key: &str, value: Value) {
    let index = log.find(kind, nth);
    assert_ne!(log.entries[index][key], value);
    log.entries[index][key] = value;
}

#[test]
fn a_late_witness_shows_nothing() {
    let mut log = honest();
    log.seen[0].1 = RELEASE - 30;
    let report = verify(&log.bundle(), &trust());
    assert_eq!(verdict(&report, "V3"), Verdict::NotCheckable, "{report}");
    assert!(!report.draws[0].witnessed);
}

#[test]
fn a_cosignature_for_another_text_is_a_fault() {
    let mut bundle = honest().bundle();
    let stolen = bundle.checkpoints[0].lines().last().unwrap().to_owned();
    bundle.checkpoint = bundle.checkpoint + &stolen + "\n";
    assert_eq!(verdict(&verify(&bundle, &trust()), "V2"), Verdict::Fail);
}

#[test]
fn what_is_unknown_is_said() {
    let mut log = honest();
    log.write("novelty", RELEASE, "server", json!({}));
    set(&mut log, "game", 0, "v", json!(2));
    log.seen = vec![(12, ORDERED + 30), (log.entries.len(), RELEASE + 9000)];
    let report = verify(&log.bundle(), &trust());
    assert_eq!(verdict(&report, "V1"), Verdict::NotCheckable, "{report}");
    assert_eq!(report.checks[0].gaps.len(), 2);
}

#[test]
fn tournaments_at_the_same_time_are_listed() {
    let mut log = honest();
    let mut twin = log.entries[0].clone();
    twin["event"] = json!("kaunas-2023-open-b");
    log.entries.insert(5, twin);
    let mut later = log.entries[0].clone();
    (later["event"], later["at"]) = (json!("later-open"), json!(RELEASE + 99_999));
    log.entries.push(later);
    log.seen = vec![(log.entries.len(), RELEASE + 100_000)];
    let others = verify(&log.bundle(), &trust()).others;
    assert_eq!(others.iter().map(|other| other.tournament.as_str()).collect::<Vec<_>>(), ["kaunas-2023-open-b"]);
}

/// The server's own writer makes entries that the verifier reads.
#[test]
fn entries_of_the_server_are_read() {
    let master_commit = master().commitment(ORIGIN, SLUG).to_string();
    let policy = Policy::preset(Preset::Championship);
    let slot = draw(1, 1, &["none"]);
    let secret = master().slot_secret(&slot.slot);
    let commit = commitment(&slot.slot, &slot.terms, &secret);
    let event_slot = crate::domain::entry::SlotRef { round: 1, board: 0, attempt: 1 };
    let events = [
        Event::Tournament {
            master_commit,
            policy: Policy { entropy: crate::domain::policy::EntropyKind::Local, ..policy },
            rehearsal: false,
        },
        Event::Round { round: 1, starts_at: Some(RELEASE + 900), release_at: Some(RELEASE), boards: 0 },
        Event::Order {
            slot: event_slot,
            commit: commit.to_string(),
            sources: vec![Source::None],
            exclude: slot.terms.excluded.clone(),
            repeats: Repeats::Never,
            release_at: RELEASE,
        },
        Event::Note { about: 2, hash: Hash32::of([]).to_string() },
        Event::Void {
            slot: event_slot,
            reason: crate::domain::draw::VoidReason::NotPlayed,
            secret: secret.reveal_hex(),
            knowable: true,
            from_round: 1,
        },
        Event::Close { master: master().reveal_hex() },
    ];
    let mut log = Scribe { entries: Vec::new(), seen: Vec::new(), used: NumberSet::new() };
    for event in &events {
        log.entries.push(serde_json::from_slice(&Entry::new(SLUG, ORDERED, "server", event).bytes()).unwrap());
    }
    let report = verify(&log.bundle(), &trust());
    assert_eq!(failed(&report), Vec::<&str>::new(), "{report}");
    assert_eq!(verdict(&report, "V8"), Verdict::Pass, "{report}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    /// Whatever a bundle holds, verifying it ends in a report.
    #[test]
    fn verifying_is_total(at in 0usize..21, key in "[a-z_]{1,9}", text in "\\PC{0,30}", n: i64) {
        let mut log = honest();
        let index = at % log.entries.len();
        let keys: Vec<String> = log.entries[index].as_object().unwrap().keys().cloned().collect();
        let known = keys[n.unsigned_abs() as usize % keys.len()].clone();
        log.entries[index][&known] = if n % 2 == 0 { json!(text) } else { json!(n) };
        log.entries[index][&key] = json!(n);
        verify(&log.bundle(), &trust());
        let mut bundle = honest().bundle();
        bundle.entries[index] = text;
        verify(&bundle, &Trust::default());
    }
}
