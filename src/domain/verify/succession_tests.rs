//! A log whose key was changed, and one that was restored under another name; and who only says so.

use super::{
    tests::{ORDERED, ORIGIN, RELEASE, Scribe, draw, honest, log_signer, trust, verdict},
    *,
};
use crate::domain::log::{Checkpoint, LogSigner, SignedNote, Succession, Tree, leaf_hash};
use serde_json::{Value, json};

const RENAMED: &str = "draw960.local/ffffffff";

fn heir(name: &str) -> LogSigner {
    LogSigner::from_seed(name, &[5; 32]).unwrap()
}

fn tree(entries: &[Value]) -> Tree {
    entries.iter().map(|entry| leaf_hash(entry.to_string().as_bytes())).collect()
}

/// The honest log, handed over at an entry; then signed by the heir.
struct HandedOver {
    log: Scribe,
    bundle: Bundle,
}

fn hand_over(mut log: Scribe, at: usize, heir: &LogSigner) -> HandedOver {
    let renamed = heir.verifier().name() != ORIGIN;
    let size = at as u64;
    let root = tree(&log.entries).root(size).unwrap();
    let (old, new) = (log_signer().verifier().to_string(), heir.verifier().to_string());
    let entry = if renamed {
        json!({"t": "restored", "v": 1, "at": RELEASE, "by": "server", "old": old, "new": new, "size": size,
            "root": root, "attempts": 10})
    } else {
        json!({"t": "key", "v": 1, "at": RELEASE, "by": "server", "old": old, "new": new})
    };
    log.entries.insert(at, entry);
    log.seen.clear();
    let mut bundle = log.bundle();
    let note = Succession { new: heir.verifier(), size, root }.sign(&log_signer(), heir).unwrap();
    bundle.successions = vec![note.to_string()];
    let mut handed_over = HandedOver { log, bundle };
    handed_over.sign(heir);
    handed_over
}

impl HandedOver {
    fn sign(&mut self, signer: &LogSigner) {
        let tree = tree(&self.log.entries);
        let origin = signer.verifier().name().to_owned();
        let checkpoint = Checkpoint { origin, size: tree.size(), root: tree.root(tree.size()).unwrap() };
        self.bundle.entries = self.log.entries.iter().map(Value::to_string).collect();
        self.bundle.checkpoint = checkpoint.sign(signer).unwrap().to_string();
        self.bundle.log_key = signer.verifier().to_string();
    }

    fn v(&self, id: &str, trust: &Trust) -> Verdict {
        verdict(&verify(&self.bundle, trust), id)
    }
}

fn pinned(signer: &LogSigner) -> Trust {
    Trust { log_key: Some(signer.verifier()), ..Trust::default() }
}

fn kept(log: &Scribe, size: u64) -> SignedNote {
    let root = tree(&log.entries).root(size).unwrap();
    Checkpoint { origin: ORIGIN.into(), size, root }.sign(&log_signer()).unwrap()
}

#[test]
fn a_changed_key_is_followed_from_the_pinned_one() {
    let new = heir(ORIGIN);
    let handed_over = hand_over(honest(), 12, &new);
    for signer in [&log_signer(), &new] {
        assert_eq!(handed_over.v("V1", &pinned(signer)), Verdict::Pass, "{}", verify(&handed_over.bundle, &trust()));
    }
    assert_eq!(handed_over.v("V1", &pinned(&heir("draw960.local/0a0b0c0e"))), Verdict::Fail);
    // What was kept before the change is still compared.
    let both = Trust { kept: vec![kept(&honest(), 7)], ..pinned(&new) };
    assert_eq!(handed_over.v("V2", &both), Verdict::Pass);
    let mut other = honest();
    other.entries[3]["boards"] = json!(9);
    let other = Trust { kept: vec![kept(&other, 7)], ..pinned(&new) };
    assert_eq!(handed_over.v("V2", &other), Verdict::Fail);
}

#[test]
fn nobody_succeeds_by_himself() {
    let (new, thief) = (heir(ORIGIN), LogSigner::from_seed(ORIGIN, &[6; 32]).unwrap());
    let good = hand_over(honest(), 12, &new);
    type Forgery<'a> = (&'a str, Box<dyn Fn(&mut HandedOver) + 'a>);
    let forgeries: [Forgery<'_>; 6] = [
        ("no agreement of the old key", Box::new(|h| h.bundle.successions.clear())),
        (
            "agreement of the thief with himself",
            Box::new(|h| {
                let root = tree(&h.log.entries).root(12).unwrap();
                let note = Succession { new: thief.verifier(), size: 12, root }.sign(&thief, &thief).unwrap();
                h.bundle.successions = vec![note.to_string()];
                h.log.entries[12]["new"] = json!(thief.verifier().to_string());
                h.sign(&thief);
            }),
        ),
        ("signed by another than the heir", Box::new(|h| h.sign(&thief))),
        (
            "signed by the old key, which a thief has",
            Box::new(|h| {
                h.sign(&log_signer());
                h.bundle.log_key = new.verifier().to_string();
            }),
        ),
        (
            "agreement for an earlier log",
            Box::new(|h| {
                let root = tree(&h.log.entries).root(11).unwrap();
                let note = Succession { new: new.verifier(), size: 11, root }.sign(&log_signer(), &new).unwrap();
                h.bundle.successions = vec![note.to_string()];
            }),
        ),
        (
            "the entry left out",
            Box::new(|h| {
                h.log.entries.remove(12);
                h.sign(&new);
            }),
        ),
    ];
    for (name, forge) in forgeries {
        let mut forged = hand_over(honest(), 12, &new);
        forge(&mut forged);
        assert_eq!(forged.v("V1", &pinned(&log_signer())), Verdict::Fail, "{name}");
    }
    // Nor does it help him that the new key is pinned.
    let mut forged = hand_over(honest(), 12, &new);
    forged.sign(&log_signer());
    forged.bundle.log_key = new.verifier().to_string();
    assert_eq!(forged.v("V1", &pinned(&new)), Verdict::Fail);
    assert_eq!(good.v("V1", &pinned(&log_signer())), Verdict::Pass);
}

/// The copy ends before round 1 is released; its draws are voided and ordered again from attempt 11 on.
fn restored() -> HandedOver {
    let mut log = honest();
    log.entries.truncate(13);
    let mut handed_over = hand_over(log, 13, &heir(RENAMED));
    let beacon = "drand 52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971 123";
    for (round, attempt, source) in [(1, 1, beacon), (2, 2, "dice d10"), (3, 2, "none"), (4, 1, "manual d6")] {
        handed_over.log.void(RELEASE + 5, &draw(round, attempt, &[source]), "restored", true);
    }
    let again = draw(3, 11, &["none"]);
    handed_over.log.order(RELEASE + 50, RELEASE + 2000, &again);
    handed_over.sign(&heir(RENAMED));
    handed_over
}

#[test]
fn a_restoration_is_told_and_not_taken_for_proof() {
    let handed_over = restored();
    let report = verify(&handed_over.bundle, &pinned(&log_signer()));
    assert!(report.checks.iter().all(|check| check.faults.is_empty()), "{report}");
    assert_eq!((verdict(&report, "V1"), verdict(&report, "V8")), (Verdict::NotCheckable, Verdict::NotCheckable));
    assert!(report.to_string().contains("restored from a copy of 13 entries"), "{report}");
    // A checkpoint from the lost part is no contradiction: it shows how much is lost.
    let lost = Trust { kept: vec![kept(&honest(), 20)], ..pinned(&log_signer()) };
    let report = verify(&handed_over.bundle, &lost);
    assert_eq!(verdict(&report, "V2"), Verdict::NotCheckable, "{report}");
    assert!(report.to_string().contains("over 20 entries; 13 of them"), "{report}");
    // But the bundle's own is signed by the key that signs now.
    let mut unsigned = restored();
    unsigned.bundle.checkpoint = kept(&honest(), 20).to_string();
    assert_eq!(unsigned.v("V1", &pinned(&log_signer())), Verdict::Fail);
    // Nor is one by a key that came and went with the lost part; one of fewer entries, or another name, is.
    let by = |signer: &LogSigner, size| {
        let root = tree(&honest().entries).root(size).unwrap();
        Checkpoint { origin: signer.verifier().name().into(), size, root }.sign(signer).unwrap()
    };
    let (lost, foreign) =
        (LogSigner::from_seed(ORIGIN, &[7; 32]).unwrap(), LogSigner::from_seed("a/1", &[7; 32]).unwrap());
    let verdicts = [(&lost, 20, Verdict::NotCheckable), (&lost, 12, Verdict::Fail), (&foreign, 20, Verdict::Fail)];
    for (signer, size, expected) in verdicts {
        let kept = Trust { kept: vec![by(signer, size)], ..pinned(&log_signer()) };
        assert_eq!(handed_over.v("V2", &kept), expected, "{size}");
    }
    // One from before must still fit.
    let mut other = honest();
    other.entries[3]["boards"] = json!(9);
    let other = Trust { kept: vec![kept(&other, 7)], ..pinned(&log_signer()) };
    assert_eq!(handed_over.v("V2", &other), Verdict::Fail);
}

#[test]
fn attempts_are_skipped_as_far_as_was_said_and_no_further() {
    for attempt in [1, 3, 10, 12, 21] {
        let mut handed_over = restored();
        let last = handed_over.log.entries.len() - 1;
        handed_over.log.entries[last]["attempt"] = json!(attempt);
        handed_over.sign(&heir(RENAMED));
        assert_eq!(handed_over.v("V8", &pinned(&log_signer())), Verdict::Fail, "attempt {attempt}");
    }
}

#[test]
fn a_copy_that_is_not_the_beginning_is_found() {
    for (size, root, right) in [(12, 12, true), (12, 11, false), (99, 12, false)] {
        let mut log = honest();
        let root = tree(&log.entries).root(root).unwrap();
        log.entries.insert(
            12,
            json!({"t": "takeover", "v": 1, "at": ORDERED + 20, "by": "server", "size": size, "root": root, "replayed": 0}),
        );
        log.seen.clear();
        let verdict = verdict(&verify(&log.bundle(), &trust()), "V1");
        assert_eq!(verdict == Verdict::Pass, right, "{size}");
    }
}

/// A thief of the old key signs on; what he signed is wrong, and not said to be the server's doing.
#[test]
fn what_an_old_key_signs_after_it_handed_over_is_told_apart() {
    let handed_over = hand_over(honest(), 12, &heir(ORIGIN));
    let mut fork = honest();
    fork.entries.insert(12, json!({"t": "note", "v": 1, "at": RELEASE}));
    let stolen = Trust { kept: vec![kept(&fork, 13)], ..pinned(&heir(ORIGIN)) };
    let report = verify(&handed_over.bundle, &stolen);
    assert_eq!(verdict(&report, "V2"), Verdict::Fail);
    assert!(report.to_string().contains("a key that had handed over after 12"), "{report}");
}

#[test]
fn a_name_changes_with_a_restoration_and_only_then() {
    for (name, kind) in [(RENAMED, "key"), (ORIGIN, "restored")] {
        let new = heir(name);
        let mut handed_over = hand_over(honest(), 12, &new);
        let root = tree(&honest().entries).root(12).unwrap();
        let (old, key) = (log_signer().verifier().to_string(), new.verifier().to_string());
        handed_over.log.entries[12] = match kind {
            "key" => json!({"t": "key", "v": 1, "at": RELEASE, "by": "server", "old": old, "new": key}),
            _ => json!({"t": "restored", "v": 1, "at": RELEASE, "by": "server", "old": old, "new": key, "size": 12,
                "root": root, "attempts": 10}),
        };
        handed_over.sign(&new);
        assert_eq!(handed_over.v("V1", &pinned(&log_signer())), Verdict::Fail, "{kind}");
    }
}

/// Local secrets of later attempts are known to whoever restores: he must not choose how many are skipped.
#[test]
fn how_many_attempts_a_restoration_skips_is_no_choice() {
    for (attempts, first, kept) in [(10, 11, true), (0, 3, false), (20, 21, false), (11, 12, false)] {
        let mut handed_over = restored();
        let last = handed_over.log.entries.len() - 1;
        handed_over.log.entries[13]["attempts"] = json!(attempts);
        handed_over.log.entries[last]["attempt"] = json!(first);
        let new = heir(RENAMED);
        handed_over.sign(&new);
        assert_eq!(handed_over.v("V8", &pinned(&new)) != Verdict::Fail, kept, "{attempts}");
    }
}

#[test]
fn a_void_of_a_restoration_does_not_say_that_nobody_knew() {
    let report = verify(&restored().bundle, &pinned(&log_signer()));
    let v10 = report.checks.iter().find(|check| check.id == "V10").unwrap();
    for slot in ["round 1 attempt 1", "round 2 attempt 2", "round 3 attempt 2", "round 4 attempt 1"] {
        let says =
            |lines: &[String], what: &str| lines.iter().any(|line| line.starts_with(slot) && line.contains(what));
        assert!(says(&v10.gaps, "whether it had been released or its outcome known cannot be told"), "{report}");
        assert!(!says(&v10.remarks, "its outcome could be known"), "{report}");
    }
    let mut denied = restored();
    let void = denied.log.entries.iter().position(|entry| entry["reason"] == "restored").unwrap();
    denied.log.entries[void]["knowable"] = json!(false);
    denied.sign(&heir(RENAMED));
    assert_eq!(denied.v("V10", &pinned(&log_signer())), Verdict::Fail);
}
