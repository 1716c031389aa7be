//! Which times the verifier takes for proven, and what it says of clocks that cannot be right.

use super::*;
use crate::domain::bracket::{Bracket, Proven};

fn line(report: &Report, round: u16, attempt: u16) -> &DrawLine {
    report.draws.iter().find(|draw| (draw.round, draw.attempt) == (round, attempt)).unwrap()
}

fn instants(bracket: &Bracket) -> (Proven, Option<i64>, Option<i64>) {
    let before = bracket.not_before.as_ref().map(|bound| bound.at.as_second());
    (bracket.proven, before, bracket.not_after.as_ref().map(|bound| bound.at.as_second()))
}

/// Beacon round 123 fires here.
const FIRED: i64 = RELEASE - 30;
/// When the witness saw the end of the log.
const SEEN: i64 = RELEASE + 12_010;

#[test]
fn beacons_and_trusted_witnesses_prove_times() {
    let log = honest();
    let report = verify(&log.bundle(), &trust());
    let first = line(&report, 1, 1);
    assert_eq!(instants(&first.order), (Proven::NotAfter, None, Some(ORDERED + 30)));
    assert_eq!(instants(first.release.as_ref().unwrap()), (Proven::Both, Some(FIRED), Some(SEEN)));
    let entropy = log.find("entropy", 0) as u64;
    assert_eq!(first.release.as_ref().unwrap().not_before.as_ref().unwrap().entry, entropy);
    // Later records of the same log are bounded by the same beacon, whatever they are drawn from.
    assert_eq!(instants(line(&report, 3, 2).release.as_ref().unwrap()), (Proven::Both, Some(FIRED), Some(SEEN)));
    assert_eq!(line(&report, 2, 1).release, None);
    assert!(!report.checks[3].remarks.iter().any(|remark| remark.contains("clock")), "{report}");
    let text = report.to_string();
    assert!(text.contains("not before 2023-08-23T15:15:33Z (beacon round 123, entry 13)"), "{text}");
    assert!(text.contains("(deputy.example/laptop, 13 entries)"), "{text}");
}

#[test]
fn nobody_else_is_a_clock() {
    let log = honest();
    let bundle = log.bundle();
    let untrusted = Trust { witnesses: Vec::new(), ..trust() };
    let kept = Trust { kept: vec![bundle.checkpoints[0].parse().unwrap()], ..untrusted.clone() };
    for trust in [untrusted, kept] {
        let report = verify(&bundle, &trust);
        assert_eq!(instants(&line(&report, 1, 1).order), (Proven::None, None, None));
        let release = line(&report, 1, 1).release.clone().unwrap();
        assert_eq!(instants(&release), (Proven::NotBefore, Some(FIRED), None));
    }
    // A signature that is not the beacon's, and a chain that is not known.
    let mut forged = honest();
    set(&mut forged, "entropy", 0, "entropy", json!([format!("drand {ROUND_1000}")]));
    set(&mut forged, "release", 0, "entropy", json!([format!("drand {ROUND_1000}")]));
    let mut unknown = honest();
    set(&mut unknown, "order", 0, "sources", json!([format!("drand {} 123", "0".repeat(64))]));
    for log in [forged, unknown] {
        let report = verify(&log.bundle(), &trust());
        assert_eq!(instants(line(&report, 1, 1).release.as_ref().unwrap()), (Proven::NotAfter, None, Some(SEEN)));
    }
}

/// V4 of an honest log in which something was changed and then signed and cosigned anew.
fn v4(forge: fn(&mut Scribe)) -> Check {
    let mut log = honest();
    let size = log.entries.len();
    forge(&mut log);
    if let Some(last) = log.seen.iter_mut().find(|seen| seen.0 == size) {
        last.0 = log.entries.len();
    }
    verify(&log.bundle(), &trust()).checks[3].clone()
}

#[test]
fn a_clock_that_cannot_be_right_is_told() {
    let told = v4(|log| set(log, "entropy", 0, "at", json!(FIRED - 60)));
    assert_eq!(told.verdict(), Verdict::Pass, "{told}");
    assert!(told.to_string().contains("entropy (entry 13): the server's clock was at least 60 s slow"), "{told}");
    let fine = v4(|log| set(log, "entropy", 0, "at", json!(FIRED - 5)));
    assert!(!fine.to_string().contains("clock"), "{fine}");
    let wrong = v4(|log| set(log, "entropy", 0, "at", json!(FIRED - 61)));
    assert!(wrong.faults.len() == 1 && wrong.faults[0].contains("at least 61 s slow"), "{wrong}");
    let fast = v4(|log| log.seen[1].1 = RELEASE + 3000 - 40);
    assert_eq!(fast.verdict(), Verdict::Pass, "{fast}");
    assert!(
        fast.to_string().contains("round 4 attempt 1, release (entry 20): the server's clock was at least 40 s fast"),
        "{fast}"
    );
    for impossible in [i64::MAX, i64::MIN] {
        let mut log = honest();
        set(&mut log, "entropy", 0, "at", json!(impossible));
        verify(&log.bundle(), &trust());
    }
}

#[test]
fn a_witness_shows_what_was_out_early() {
    let early = v4(|log| log.seen[1].1 = RELEASE + 3000 - 61);
    let gap = "round 4 attempt 1: deputy.example/laptop had the release 61 s before its instant by its own clock: that \
               clock is slow, or it was out early";
    assert_eq!((early.faults.len(), early.gaps), (0, vec![gap.to_owned()]));
    // One that dates it before the beacon shows only that its own clock is wrong.
    let slow = v4(|log| log.seen[1].1 = FIRED - 100);
    assert_eq!(slow.verdict(), Verdict::Pass, "{slow}");
    assert!(slow.to_string().contains("the witness's clock was at least 100 s slow"), "{slow}");
}

/// The order says that it is older than its beacon; a beacon before it in the log shows that it is not.
#[test]
fn an_order_after_its_beacon_is_found_whatever_its_clock_says() {
    let late = v4(|log| {
        let order = log.entries.remove(log.find("order", 1));
        log.entries.insert(log.find("entropy", 0) + 1, order);
        set(log, "order", 5, "sources", json!([format!("drand {CHAIN} 123")]));
    });
    let fault = "was ordered after its beacon round had fired: entry";
    assert!(late.faults.iter().any(|said| said.contains(fault)), "{late}");
    assert!(!v4(|_| {}).faults.iter().any(|said| said.contains(fault)));
}
