//! The beacon: public random values that nobody can know before their time or change (drand).
//!
//! A round's signature is unique and checks itself against the chain's key, so it does not matter who brings it. The
//! parameters are pinned here; a test recomputes the chain's hash from them, so a mistyped key cannot pass.

use super::{
    derivation::{EntropyLine, Hash32, Source},
    hex,
};
use blst::{
    BLST_ERROR,
    min_sig::{PublicKey, Signature},
};
use jiff::Timestamp;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::{cmp::Ordering, fmt};

/// Hash-to-curve tag of the scheme `bls-unchained-g1-rfc9380`.
const DOMAIN: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

/// The beacon round is the one that fires this long before the release, if it can be.
const BEFORE_RELEASE: i64 = 30;

/// No beacon round may fire sooner after the order: its commitment must be out first.
pub const AFTER_ORDER: i64 = 60;

/// A drand chain of the scheme `bls-unchained-g1-rfc9380`: one round is checked without the others.
#[derive(Debug)]
pub struct Chain {
    /// The chain's hash, its name in records.
    pub hash: &'static str,
    genesis: i64,
    period: i64,
    public_key: &'static str,
    group_hash: &'static str,
    beacon_id: &'static str,
}

/// The network that the League of Entropy runs since 2023: a round every three seconds.
pub const QUICKNET: Chain = Chain {
    hash: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    genesis: 1_692_803_367,
    period: 3,
    public_key: "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451\
                 0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    group_hash: "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
    beacon_id: "quicknet",
};

/// One round of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Beacon {
    /// The chain.
    pub chain: &'static Chain,
    /// The round.
    pub round: u64,
}

/// Moved later by more than this, a draw gets a beacon round nearer to its release.
const STAYS_FOR: i64 = 3600;

impl Beacon {
    /// The beacon that a draw with these sources names; none of an unknown chain.
    pub fn named_in(sources: &[Source]) -> Option<Self> {
        sources.iter().find_map(|source| match source {
            Source::Drand { chain: hash, round } => Some(Self { chain: chain(hash)?, round: *round }),
            _ => None,
        })
    }

    /// The instant from which on its value can be known.
    pub fn fires_at(self) -> Option<Timestamp> {
        Timestamp::from_second(self.chain.time_of(self.round)?).ok()
    }

    /// Whether a draw that names it should name another for this release: it would come after the release, or an hour too
    /// early, and it is still so far ahead that nobody can know it.
    pub fn misses(self, release_at: i64, now: i64) -> bool {
        let Some(fires) = self.chain.time_of(self.round) else { return false };
        let ahead = fires.saturating_sub(now) >= AFTER_ORDER;
        let too_early = release_at.saturating_sub(fires) > BEFORE_RELEASE + STAYS_FOR;
        ahead && (too_early || release_at < fires)
    }

    /// The entropy line of its signature, 96 lower-case hex digits.
    ///
    /// # Errors
    /// Why it is not this round's value.
    pub fn accept(self, signature: &str) -> Result<EntropyLine, BadBeacon> {
        self.chain.verify(self.round, signature)?;
        Ok(EntropyLine::Drand { signature: signature.to_owned() })
    }

    /// The entropy line of a relay's answer.
    ///
    /// # Errors
    /// As [`Beacon::accept`], and when the answer is for another round.
    pub fn accept_answer(self, answer: &str) -> Result<EntropyLine, BadBeacon> {
        self.chain.accept(self.round, answer)
    }

    const fn key(&self) -> (&'static str, u64) {
        (self.chain.hash, self.round)
    }
}

impl PartialEq for Beacon {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Beacon {}

impl PartialOrd for Beacon {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Beacon {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Why something is not the value of a beacon round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadBeacon {
    /// Neither a relay's JSON answer nor 96 hex digits.
    Format,
    /// The answer says that it is another round.
    OtherRound,
    /// The bytes are no point of the curve's group.
    NotAPoint,
    /// The signature is not the chain's for this round.
    WrongSignature,
}

impl fmt::Display for BadBeacon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => "a beacon is a relay's JSON answer or its signature, 96 lower-case hexadecimal digits",
            Self::OtherRound => "the answer is for another beacon round",
            Self::NotAPoint => "the bytes are not a signature of the beacon's kind",
            Self::WrongSignature => "the signature is not the beacon's for this round",
        })
    }
}

impl std::error::Error for BadBeacon {}

/// What a relay answers for a round; other fields are of no use.
#[derive(Deserialize)]
struct Answer {
    round: u64,
    signature: String,
}

/// The pinned chain with this hash. Retired chains stay, as old draws are checked for ever.
pub fn chain(hash: &str) -> Option<&'static Chain> {
    [&QUICKNET].into_iter().find(|chain| chain.hash == hash)
}

impl Chain {
    /// The round that is current at this Unix second; 0 before the first.
    pub fn round_at(&self, unix: i64) -> u64 {
        let since = unix.saturating_sub(self.genesis);
        u64::try_from(since.div_euclid(self.period) + 1).unwrap_or(0)
    }

    /// The Unix second at which a round fires, from round 1; none beyond all time.
    pub fn time_of(&self, round: u64) -> Option<i64> {
        let rounds = i64::try_from(round).ok()?.checked_sub(1)?;
        rounds.checked_mul(self.period)?.checked_add(self.genesis)
    }

    /// The beacon round of a draw ordered at one Unix second and released at another: the one current 30 s before the
    /// release, but the first that fires more than 60 s after the order if that is later.
    pub fn round_for(&self, release_at: i64, ordered_at: i64) -> u64 {
        let before_release = self.round_at(release_at.saturating_sub(BEFORE_RELEASE));
        let after_order = self.round_at(ordered_at.saturating_add(AFTER_ORDER)) + 1;
        before_release.max(after_order)
    }

    /// Whether a round fires late enough after the order; an order that names an earlier one is refused and fails in
    /// verifiers, since its outcome may have been known.
    pub fn fires_after_order(&self, round: u64, ordered_at: i64) -> bool {
        self.time_of(round).is_some_and(|fires| round >= 1 && fires.saturating_sub(ordered_at) >= AFTER_ORDER)
    }

    /// Checks that a signature, 96 lower-case hex digits, is the chain's for this round.
    ///
    /// # Errors
    /// Why it is not.
    pub fn verify(&self, round: u64, signature: &str) -> Result<(), BadBeacon> {
        let bytes = hex::decode::<48>(signature).ok_or(BadBeacon::Format)?;
        let point = Signature::uncompress(&bytes).map_err(|_| BadBeacon::NotAPoint)?;
        // In the group and not its neutral element.
        point.validate(true).map_err(|_| BadBeacon::NotAPoint)?;
        let message = Sha256::digest(round.to_be_bytes());
        match point.verify(true, &message, DOMAIN, &[], &self.key(), true) {
            BLST_ERROR::BLST_SUCCESS => Ok(()),
            _ => Err(BadBeacon::WrongSignature),
        }
    }

    /// Reads a relay's answer for a round, or the bare signature that somebody pasted, and checks it.
    ///
    /// # Errors
    /// Why it is not that round's value.
    pub fn accept(&self, round: u64, answer: &str) -> Result<EntropyLine, BadBeacon> {
        let signature = match serde_json::from_str::<Answer>(answer) {
            Ok(answer) if answer.round != round => return Err(BadBeacon::OtherRound),
            Ok(answer) => answer.signature,
            Err(_) => answer.trim().to_owned(),
        };
        self.verify(round, &signature)?;
        Ok(EntropyLine::Drand { signature })
    }

    /// The chain's hash from its parameters, as drand computes it.
    pub fn computed_hash(&self) -> Hash32 {
        let (period, genesis) = (self.period as u32, self.genesis);
        let (key, group) = (self.key().compress(), hex::decode::<32>(self.group_hash).expect("pinned"));
        Hash32::of([&period.to_be_bytes()[..], &genesis.to_be_bytes(), &key, &group, self.beacon_id.as_bytes()])
    }

    fn key(&self) -> PublicKey {
        let bytes = hex::decode::<96>(self.public_key).expect("the key is pinned and tested");
        PublicKey::uncompress(&bytes).expect("the key is pinned and tested")
    }
}

/// Two real rounds of quicknet, for the tests of whoever reads beacons.
#[cfg(test)]
pub(super) mod recorded {
    pub const ROUND_123: &str =
        "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92";
    pub const ROUND_1000: &str =
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39";
}

#[cfg(test)]
mod tests {
    use super::{recorded::*, *};
    use drand_verify::{G2PubkeyRfc, Pubkey};
    use proptest::prelude::*;

    #[test]
    fn the_pinned_parameters_are_those_of_the_chain() {
        assert_eq!(QUICKNET.computed_hash().to_string(), QUICKNET.hash);
        assert_eq!(chain(QUICKNET.hash).map(|chain| chain.beacon_id), Some("quicknet"));
        assert!(chain("").is_none());
    }

    #[test]
    fn recorded_rounds() {
        for (round, signature) in [(123, ROUND_123), (1000, ROUND_1000)] {
            assert_eq!(QUICKNET.verify(round, signature), Ok(()));
            for other in [0, round - 1, round + 1, u64::MAX] {
                assert_eq!(QUICKNET.verify(other, signature), Err(BadBeacon::WrongSignature));
            }
        }
    }

    /// Negated point, infinity in both spellings, off the curve, outside the group, uncompressed flag, wrong lengths.
    #[test]
    fn bad_encodings() {
        let negated = format!("9{}", &ROUND_123[1..]);
        assert_eq!(QUICKNET.verify(123, &negated), Err(BadBeacon::WrongSignature));
        let infinity = format!("c0{}", "0".repeat(94));
        let negative_infinity = format!("e0{}", "0".repeat(94));
        let no_flag = format!("3{}", &ROUND_123[1..]);
        let beyond_field = format!("9f{}", "f".repeat(94));
        // x = 4 has a point on the curve, but outside the group.
        let outside_group = format!("80{}04", "0".repeat(92));
        for bad in [infinity, negative_infinity, no_flag, beyond_field, outside_group] {
            assert_eq!(QUICKNET.verify(123, &bad), Err(BadBeacon::NotAPoint), "{bad}");
        }
        for bad in ["", &ROUND_123[2..], &format!("{ROUND_123}00"), &ROUND_123.to_uppercase()] {
            assert_eq!(QUICKNET.verify(123, bad), Err(BadBeacon::Format), "{bad}");
        }
    }

    #[test]
    fn another_implementation_agrees() {
        let key = G2PubkeyRfc::from_fixed(hex::decode(QUICKNET.public_key).unwrap()).unwrap();
        for (round, signature) in [(123, ROUND_123), (1000, ROUND_1000)] {
            for asked in [round, round + 1] {
                let bytes = hex::decode::<48>(signature).unwrap();
                let theirs = key.verify(asked, &[], &bytes).unwrap_or(false);
                assert_eq!(theirs, QUICKNET.verify(asked, signature).is_ok());
            }
        }
    }

    #[test]
    fn relays_and_people_bring_it() {
        let line = Ok(EntropyLine::Drand { signature: ROUND_123.into() });
        let json = |round: u64| format!(r#"{{"round":{round},"randomness":"00","signature":"{ROUND_123}"}}"#);
        assert_eq!(QUICKNET.accept(123, &json(123)), line);
        assert_eq!(QUICKNET.accept(123, &format!(" {ROUND_123}\n")), line);
        assert_eq!(QUICKNET.accept(123, &json(124)), Err(BadBeacon::OtherRound));
        assert_eq!(QUICKNET.accept(124, &json(124)), Err(BadBeacon::WrongSignature));
        assert_eq!(QUICKNET.accept(123, "<html>"), Err(BadBeacon::Format));
        assert_eq!(QUICKNET.accept(123, r#"{"round":123}"#), Err(BadBeacon::Format));
    }

    #[test]
    fn rounds_and_times() {
        for (round, time) in
            [(1, 1_692_803_367), (123, 1_692_803_733), (1000, 1_692_806_364), (27_946_612, 1_776_643_200)]
        {
            assert_eq!((QUICKNET.time_of(round), QUICKNET.round_at(time)), (Some(time), round));
            assert_eq!(QUICKNET.round_at(time + 2), round);
            assert_eq!(QUICKNET.round_at(time - 1), round - 1);
        }
        assert_eq!((QUICKNET.round_at(0), QUICKNET.round_at(i64::MIN)), (0, 0));
        assert_eq!((QUICKNET.time_of(u64::MAX), QUICKNET.time_of(1 << 62)), (None, None));
    }

    #[test]
    fn the_round_of_a_draw() {
        let release = 1_692_803_763;
        // Ordered the day before: current 30 s before the release.
        assert_eq!(QUICKNET.round_for(release, release - 86_400), 123);
        // Ordered 90 s before: that round fires 60 s after the order, and the next one is taken to be sure.
        assert_eq!(QUICKNET.round_for(release, release - 90), 124);
        // Ordered late: the first to fire more than 60 s later, whatever the release.
        assert_eq!(QUICKNET.round_for(release, release), QUICKNET.round_at(release + 60) + 1);
        assert!(QUICKNET.fires_after_order(123, release - 90));
        assert!(!QUICKNET.fires_after_order(123, release - 89));
        assert!(!QUICKNET.fires_after_order(0, 0) && !QUICKNET.fires_after_order(u64::MAX, 0));
    }

    #[test]
    fn a_move_keeps_the_round_or_asks_for_another() {
        let (release, beacon) = (1_692_803_763, Beacon { chain: &QUICKNET, round: 123 });
        let misses = |moved: i64, now: i64| beacon.misses(release + moved, release - now);
        for kept in [0, 1, 3600, -1, -30] {
            assert!(!misses(kept, 86_400), "{kept}");
        }
        for lost in [3601, 86_400, -31, -3600] {
            assert!(misses(lost, 86_400) && misses(lost, 90), "{lost}");
            // Less than a minute ahead or past: kept, and released later.
            assert!(!misses(lost, 89) && !misses(lost, 0) && !misses(lost, -600), "{lost}");
        }
    }

    proptest! {
        #[test]
        fn a_rounds_time_is_its_own(round in 1u64..1 << 40) {
            prop_assert_eq!(QUICKNET.round_at(QUICKNET.time_of(round).unwrap()), round);
        }

        #[test]
        fn every_order_gets_a_round_that_fires_late_enough(release in 1_700_000_000i64..3_000_000_000, before in -100_000i64..100_000) {
            let ordered = release - before;
            let round = QUICKNET.round_for(release, ordered);
            prop_assert!(QUICKNET.fires_after_order(round, ordered));
            prop_assert!(round == QUICKNET.round_at(release - 30) || QUICKNET.time_of(round).unwrap() - ordered <= 63);
        }

        #[test]
        fn no_text_is_a_beacon_by_chance(text in "[0-9a-f]{96}|\\PC{0,99}") {
            prop_assert!(QUICKNET.accept(123, &text).is_err());
        }

        #[test]
        fn instants_never_overflow(release: i64, ordered: i64, round: u64) {
            QUICKNET.round_for(release, ordered);
            QUICKNET.fires_after_order(round, ordered);
        }
    }
}
