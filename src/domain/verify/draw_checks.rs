//! V6 and V7: commitments open, and numbers follow from what was published.

use super::{
    Bundle, Check,
    story::{Attempt, Story},
};
use crate::domain::{
    derivation::{Master, Slot, SlotSecret, Source, commitment, number, seed, throws_commitment},
    manual::replay,
    record::{Release, SlotKey},
};

fn slot(bundle: &Bundle, key: SlotKey) -> Option<Slot> {
    let (origin, event) = (bundle.origin.clone(), bundle.tournament.clone());
    Slot { origin, event, round: key.round, board: key.board, attempt: key.attempt }.checked().ok()
}

/// Every secret that an attempt reveals.
fn secrets(attempt: &Attempt) -> impl Iterator<Item = &str> {
    let release = attempt.release.as_ref().map(|said| said.what.secret.as_str());
    release.into_iter().chain(attempt.void.as_ref().map(|said| said.what.secret.as_str()))
}

/// V6.
pub(super) fn commitments_open(story: &Story, bundle: &Bundle) -> Check {
    let mut check = Check::new("V6", "every commitment opens, and the master gives every secret");
    let master = master(&mut check, story, bundle);
    for (key, attempt) in &story.attempts {
        let (Some(slot), Ok(terms)) = (slot(bundle, *key), attempt.order.what.terms().checked()) else {
            check.fault(format!("{key} was ordered with a slot or terms that there cannot be"));
            continue;
        };
        for text in secrets(attempt) {
            let opens = SlotSecret::from_hex(text).is_ok_and(|secret| {
                let given = master.as_ref().is_none_or(|master| master.slot_secret(&slot) == secret);
                given && commitment(&slot, &terms, &secret) == attempt.order.what.commit
            });
            check.demand(opens, || format!("{key}: the revealed secret does not open its commitment"));
        }
    }
    check
}

/// The master that the close reveals, once it opens its own commitment.
fn master(check: &mut Check, story: &Story, bundle: &Bundle) -> Option<Master> {
    let (Some(close), Some(created)) = (&story.close, &story.created) else {
        check.gap("the tournament is not closed, so its master is not revealed yet");
        return None;
    };
    let master = Master::from_hex(&close.what).ok();
    let opens = |master: &Master| master.commitment(&bundle.origin, &bundle.tournament) == created.what;
    let master = master.filter(opens);
    check.demand(master.is_some(), || "the revealed master does not open its commitment".into());
    master
}

/// V7.
pub(super) fn numbers_follow(story: &Story, bundle: &Bundle) -> Check {
    let mut check = Check::new("V7", "every number follows from secret, terms and entropy");
    let mut released = 0;
    for (key, attempt) in &story.attempts {
        let Some(release) = &attempt.release else { continue };
        released += 1;
        if let Err(why) = follows(bundle, *key, attempt, &release.what) {
            check.fault(format!("{key}: {why}"));
        }
    }
    check.remark(format!("numbers recomputed: {released}; compare them with the positions that were shown"));
    check
}

fn follows(bundle: &Bundle, key: SlotKey, attempt: &Attempt, release: &Release) -> Result<(), String> {
    let order = &attempt.order.what;
    let slot = slot(bundle, key).ok_or("there is no such slot")?;
    let secret = SlotSecret::from_hex(&release.secret).map_err(|why| why.to_string())?;
    if let [Source::Manual { procedure }] = order.sources.as_slice() {
        return thrown(&slot, procedure, &secret, attempt, release);
    }
    let seed = seed(&slot, &order.terms(), &order.commit, &release.entropy, &secret);
    if release.seed.as_deref() != Some(&seed.reveal_hex()) {
        return Err("the seed is another".into());
    }
    let derived = number(&seed, &order.exclude, &release.used).map_err(|why| why.to_string())?;
    match derived.number.get() {
        own if own == release.number => Ok(()),
        own => Err(format!("the number is {own}, not {}", release.number)),
    }
}

fn thrown(
    slot: &Slot,
    procedure: &str,
    secret: &SlotSecret,
    attempt: &Attempt,
    release: &Release,
) -> Result<(), String> {
    let order = &attempt.order.what;
    let throws = release.throws.as_deref().ok_or("the throws are not revealed")?;
    let bound = attempt.manual.as_ref().ok_or("its throws were not bound before the release")?;
    if throws_commitment(slot, &order.commit, throws, secret) != bound.what {
        return Err("the throws are not those that were bound".into());
    }
    let walk = replay(procedure, throws, &order.exclude, &release.used).map_err(|why| why.to_string())?;
    match walk.finished() {
        Some(number) if number.get() == release.number => Ok(()),
        Some(number) => Err(format!("the throws give {number}, not {}", release.number)),
        None => Err("the throws do not finish the procedure".into()),
    }
}
