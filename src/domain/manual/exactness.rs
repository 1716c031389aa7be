//! Exact chances: every offered procedure gives each position 1/960, every refused one what its list says.

use super::{procedure::Decides, *};
use crate::domain::{number_set::NumberSet, position_number::PositionNumber, start_position::StartPosition};
use std::collections::HashMap;

/// A chance as an exact fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chance(u128, u128);

impl Chance {
    const NONE: Self = Self(0, 1);
    const SURE: Self = Self(1, 1);

    fn reduced(above: u128, below: u128) -> Self {
        let (mut a, mut b) = (above, below);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self(above / a, below / a)
    }

    fn times(self, above: usize, below: usize) -> Self {
        Self::reduced(self.0 * above as u128, self.1 * below as u128)
    }

    fn plus(self, other: Self) -> Self {
        Self::reduced(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
}

/// Chances of the 960 numbers.
struct Chances(Vec<Chance>);

impl Chances {
    fn new() -> Self {
        Self(vec![Chance::NONE; 960])
    }

    fn add(&mut self, number: usize, chance: Chance) {
        self.0[number] = self.0[number].plus(chance);
    }

    fn add_rank(&mut self, rank: &[u8; 8], chance: Chance) {
        let start = StartPosition::from_rank(std::str::from_utf8(rank).unwrap()).unwrap();
        self.add(usize::from(start.number().get()), chance);
    }

    fn total(&self) -> Chance {
        self.0.iter().fold(Chance::NONE, |total, chance| total.plus(*chance))
    }

    /// Smallest and largest multiple of 1/960, given that the procedure ends.
    fn bias(&self) -> Bias {
        let Chance(above, below) = self.total();
        let multiple = |chance: &Chance| {
            let Chance(a, b) = Chance::reduced(chance.0 * 960 * below, chance.1 * above);
            (u32::try_from(a).unwrap(), u32::try_from(b).unwrap())
        };
        let least = self.0.iter().min_by(|a, b| a.cmp(b)).map(multiple).unwrap();
        let most = self.0.iter().max_by(|a, b| a.cmp(b)).map(multiple).unwrap();
        Bias::Exact(least, most)
    }
}

/// Follows every throw of one pass. A throw that is made again leaves the chances of the others as they are, so the
/// others share its chance evenly; a pass that starts again adds to no number.
fn follow(walk: &Walk, chance: Chance, chances: &mut Chances, again: &mut Chance) {
    let tokens = walk.next_question().unwrap().means.tokens();
    let mut outcomes = Vec::new();
    for token in tokens {
        let mut next = walk.clone();
        if let Ok(outcome) = next.throw(&token) {
            outcomes.push((outcome, next));
        }
    }
    outcomes.retain(|(outcome, _)| *outcome != Outcome::Rejected(Rejection::ThrowAgain));
    let share = chance.times(1, outcomes.len());
    for (outcome, next) in outcomes {
        match outcome {
            Outcome::Accepted => follow(&next, share, chances, again),
            Outcome::Rejected(_) => *again = again.plus(share),
            Outcome::Finished(number) => chances.add(usize::from(number.get()), share),
        }
    }
}

fn chances_of(procedure: &'static Procedure, excluded: &NumberSet) -> (Chances, Chance) {
    let (mut chances, mut again) = (Chances::new(), Chance::NONE);
    let walk = Walk::start(procedure, excluded.clone(), NumberSet::new());
    follow(&walk, Chance::SURE, &mut chances, &mut again);
    (chances, again)
}

#[test]
fn every_offered_procedure_is_exactly_even() {
    for procedure in &PROCEDURES {
        let (chances, again) = chances_of(procedure, &NumberSet::new());
        assert_eq!(chances.bias(), Bias::Exact((1, 1), (1, 1)), "{}", procedure.name);
        assert_eq!(chances.total().plus(again), Chance::SURE, "{}", procedure.name);
        let each = chances.0[0];
        assert!(chances.0.iter().all(|chance| *chance == each));
    }
}

#[test]
fn exclusions_leave_the_rest_even() {
    let excluded: NumberSet = [0u16, 518, 534].iter().map(|n| PositionNumber::try_from(*n).unwrap()).collect();
    for procedure in &PROCEDURES {
        let (chances, _) = chances_of(procedure, &excluded);
        let left: Vec<_> = PositionNumber::all().filter(|number| !excluded.contains(*number)).collect();
        let share = chances.total().times(1, left.len());
        for number in PositionNumber::all() {
            let expected = if excluded.contains(number) { Chance::NONE } else { share };
            assert_eq!(chances.0[usize::from(number.get())], expected, "{} {number}", procedure.name);
        }
    }
}

/// How often four heads or a number from 960 on start again.
#[test]
fn restarts_are_as_rare_as_the_rules_say() {
    let again = |name| chances_of(procedure(name).unwrap(), &NumberSet::new()).1;
    assert_eq!((again("coin10"), again("digits")), (Chance(1, 16), Chance(1, 25)));
    assert!(["d6", "cards8", "platonic", "balls960"].iter().all(|name| again(name) == Chance::NONE));
}

fn listed(name: &str) -> Bias {
    REFUSED.iter().find(|refused| refused.name == name).unwrap().bias
}

/// Chances of procedures that turn equally likely numbers into positions; none means starting again.
fn by_number(count: usize, position: impl Fn(usize) -> Option<usize>) -> Chances {
    let mut chances = Chances::new();
    for number in (0..count).filter_map(position) {
        chances.add(number, Chance(1, count as u128));
    }
    chances
}

#[test]
fn digits_coins_and_machines_as_listed() {
    // A 9 comes with 1/10, and its tens are then one of six; after another digit they are one of ten.
    let mut second_redrawn = Chances::new();
    for number in 0..960 {
        let tens = if number >= 900 { 6 } else { 10 };
        second_redrawn.add(number, Chance::SURE.times(1, 10).times(1, tens).times(1, 10));
    }
    assert_eq!(second_redrawn.total(), Chance::SURE);
    let cases = [
        ("digits-second-redrawn", second_redrawn),
        ("digits-modulo", by_number(1000, |n| Some(n % 960))),
        ("digits-clamped", by_number(1000, |n| Some(n.min(959)))),
        ("coin10-heads-or-tails", by_number(1024, |n| (64..960).contains(&n).then_some(n))),
        ("coin10-modulo", by_number(1024, |n| Some(n % 960))),
        ("machine-modulo", by_number(1 << 16, |n| Some(n % 960))),
    ];
    for (name, chances) in cases {
        assert_eq!(chances.bias(), listed(name), "{name}");
    }
    let next = by_number(960, |n| Some(if n == 518 { 519 } else { n }));
    assert_eq!((next.0[517], next.0[518], next.0[519]), (Chance(1, 960), Chance::NONE, Chance(1, 480)));
}

/// The steps of d6 with values beyond the last square counted on from the first.
#[test]
fn wrapped_dice_as_listed() {
    let wrapped = |squares: usize| (0..6).map(move |face| face % squares);
    let mut chances = Chances::new();
    assert!(procedure("d6").unwrap().steps.iter().all(|step| matches!(step.decides, Decides::Square(..))));
    for dark in wrapped(4) {
        for light in wrapped(4) {
            for rest in 0..216 {
                let mut rank = [0; 8];
                (rank[dark * 2], rank[light * 2 + 1]) = (b'B', b'B');
                put(&mut rank, rest % 6, b'Q');
                put(&mut rank, rest / 6 % 6 % 5, b'N');
                put(&mut rank, rest / 36 % 4, b'N');
                chances.add_rank(&filled(rank), Chance(1, 36 * 216));
            }
        }
    }
    assert_eq!(chances.bias(), listed("d6-wrapped"));
}

#[test]
fn king_first_as_listed() {
    let mut chances = Chances::new();
    for (king, a_rook, h_rook) in (1..7).flat_map(|k| (0..k).flat_map(move |a| (k + 1..8).map(move |h| (k, a, h)))) {
        let mut placed = [0; 8];
        (placed[king], placed[a_rook], placed[h_rook]) = (b'K', b'R', b'R');
        let free =
            |colour: usize| (0..8).filter(move |file| file % 2 == colour && placed[*file] == 0).collect::<Vec<_>>();
        let ways = 6 * king * (7 - king) * free(0).len() * free(1).len() * 3;
        for (dark, light, queen) in triples(&free(0), &free(1)) {
            let mut rank = placed;
            (rank[dark], rank[light]) = (b'B', b'B');
            put(&mut rank, queen, b'Q');
            put(&mut rank, 0, b'N');
            put(&mut rank, 0, b'N');
            chances.add_rank(&rank, Chance(1, ways as u128));
        }
    }
    assert_eq!(chances.bias(), listed("king-first"));
}

fn triples(dark: &[usize], light: &[usize]) -> Vec<(usize, usize, usize)> {
    dark.iter().flat_map(|d| light.iter().flat_map(move |l| (0..3).map(move |q| (*d, *l, q)))).collect()
}

/// A bag holds each piece once, a wheel each kind once; what cannot become one of the 960 is not kept.
#[test]
fn bag_and_wheel_as_listed() {
    let ranks: Vec<[u8; 8]> = PositionNumber::all()
        .map(|number| StartPosition::from_number(number).rank().as_bytes().try_into().unwrap())
        .collect();
    for (name, by_kind) in [("bag", false), ("wheel", true)] {
        let mut chances = Chances::new();
        for rank in &ranks {
            let mut chance = Chance::SURE;
            for file in 0..8 {
                let weight = |piece: u8| {
                    let used = rank[..file].iter().filter(|used| **used == piece).count();
                    let whole = if b"KQ".contains(&piece) { 1 } else { 2 };
                    let goes_on = ranks.iter().any(|r| r[..file] == rank[..file] && r[file] == piece);
                    usize::from(goes_on) * if by_kind { 1 } else { whole - used }
                };
                chance = chance.times(weight(rank[file]), b"KQRBN".iter().map(|piece| weight(*piece)).sum());
            }
            chances.add_rank(rank, chance);
        }
        assert_eq!(chances.total(), Chance::SURE);
        assert_eq!(chances.bias(), listed(name), "{name}");
    }
}

/// All orders of the eight pieces, the king put between the rooks, and what a repair does to bishops on one colour.
fn shuffled(repair: impl Fn([usize; 2]) -> Vec<(usize, usize)>) -> Bias {
    let mut chances = Chances::new();
    for (rank, orders) in orders() {
        let bishops = files(&rank, b'B');
        let chance = Chance(orders as u128, 40_320);
        if (bishops[0] + bishops[1]) % 2 == 1 {
            chances.add_rank(&rank, chance);
            continue;
        }
        let swaps = repair([bishops[0], bishops[1]]);
        for (from, to) in &swaps {
            let mut repaired = rank;
            repaired.swap(*from, *to);
            chances.add_rank(&king_between(repaired), chance.times(1, swaps.len()));
        }
    }
    assert_eq!(chances.total(), Chance::SURE);
    chances.bias()
}

fn orders() -> HashMap<[u8; 8], usize> {
    let mut ranks = HashMap::from([([0; 8], 1)]);
    for piece in *b"RRNNBBKQ" {
        let mut more = HashMap::new();
        for (rank, orders) in ranks {
            for file in (0..8).filter(|file| rank[*file] == 0) {
                let mut next: [u8; 8] = rank;
                next[file] = piece;
                *more.entry(next).or_insert(0) += orders;
            }
        }
        ranks = more;
    }
    let mut between = HashMap::new();
    for (rank, orders) in ranks {
        *between.entry(king_between(rank)).or_insert(0) += orders;
    }
    between
}

#[test]
fn shuffles_as_listed() {
    let neighbours = |file: usize| [file.checked_sub(1), (file < 7).then_some(file + 1)].into_iter().flatten();
    let right = shuffled(|[_, right]| vec![(right, if right < 7 { right + 1 } else { 6 })]);
    let left = shuffled(|[left, _]| vec![(left, left + 1)]);
    let random = shuffled(|bishops| bishops.iter().flat_map(|b| neighbours(*b).map(move |to| (*b, to))).collect());
    assert_eq!(right, listed("shuffle-right-neighbour"));
    assert_eq!(left, listed("shuffle-left-bishop"));
    assert_eq!(random, listed("shuffle-random-neighbour"));
    // The repair that the remarks recommend.
    let fair = |bishops: [usize; 2]| {
        let pairs = bishops.iter().flat_map(|b| (0..8).map(move |to| (*b, to)));
        pairs.filter(|(from, to)| (from + to) % 2 == 1).collect()
    };
    assert_eq!(shuffled(fair), Bias::Exact((1, 1), (1, 1)));
}

fn files(rank: &[u8; 8], piece: u8) -> Vec<usize> {
    (0..8).filter(|file| rank[*file] == piece).collect()
}

fn king_between(mut rank: [u8; 8]) -> [u8; 8] {
    let files: Vec<_> = (0..8).filter(|file| b"RK".contains(&rank[*file])).collect();
    for (file, piece) in files.into_iter().zip(*b"RKR") {
        rank[file] = piece;
    }
    rank
}

fn put(rank: &mut [u8; 8], nth: usize, piece: u8) {
    let square = rank.iter_mut().filter(|square| **square == 0).nth(nth);
    *square.unwrap() = piece;
}

fn filled(mut rank: [u8; 8]) -> [u8; 8] {
    for piece in *b"RKR" {
        put(&mut rank, 0, piece);
    }
    rank
}
