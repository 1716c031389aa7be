//! A long look at whether draws are uniform: ten million derivations, chi-square over numbers, over pairs of consecutive
//! draws and over where each piece stands, and whether planted biases would be noticed. `cargo bench --bench uniformity`,
//! with a count of draws after `--` for a shorter run.

use draw960::domain::{
    derivation::{EntropyLine, Master, Repeats, Slot, Source, Terms, commitment, number, seed},
    number_set::NumberSet,
    position_number::PositionNumber,
    start_position::StartPosition,
};
use std::{
    io::{self, Write},
    process::ExitCode,
    thread,
};

const NUMBERS: usize = 960;
/// Pairs are counted in classes of 30 numbers, so that each of the 32 x 32 cells is hit often.
const CLASSES: usize = 32;
/// A round has up to 10,000 boards in the format, and every attempt is a slot of its own.
const BOARDS: usize = 9_999;
const ROUNDS: usize = 9_999;

/// What is counted while drawing.
struct Counts {
    numbers: Vec<u64>,
    pairs: Vec<u64>,
    squares: [[u64; 8]; 5],
    previous: Option<usize>,
}

impl Counts {
    fn new() -> Self {
        Self { numbers: vec![0; NUMBERS], pairs: vec![0; CLASSES * CLASSES], squares: [[0; 8]; 5], previous: None }
    }

    fn take(&mut self, drawn: usize, ranks: &[[u8; 8]]) {
        self.numbers[drawn] += 1;
        for (file, piece) in ranks[drawn].iter().enumerate() {
            self.squares[usize::from(*piece)][file] += 1;
        }
        let class = drawn * CLASSES / NUMBERS;
        // Pairs do not overlap: the counts of a chi-square are independent.
        match self.previous.take() {
            Some(previous) => self.pairs[previous * CLASSES + class] += 1,
            None => self.previous = Some(class),
        }
    }

    fn add(&mut self, other: &Self) {
        let sum = |ours: &mut [u64], theirs: &[u64]| ours.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        sum(&mut self.numbers, &other.numbers);
        sum(&mut self.pairs, &other.pairs);
        self.squares.iter_mut().zip(&other.squares).for_each(|(a, b)| sum(a, b));
    }

    /// Every test with its name, and how many standard deviations it is off.
    fn deviations(&self) -> Vec<(String, f64)> {
        let mut all = vec![
            ("numbers".to_owned(), even(&self.numbers)),
            ("pairs of consecutive draws".to_owned(), even(&self.pairs)),
            ("the rarest or commonest number".to_owned(), extreme(&self.numbers)),
        ];
        for (piece, counts) in "KQRBN".chars().zip(&self.squares) {
            all.push((format!("squares of {piece}"), squares(piece, counts, self.numbers.iter().sum())));
        }
        all
    }
}

/// Chi-square against equal chances, in standard deviations from its mean.
fn even(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let chi: f64 = counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    (chi - freedom) / (2.0 * freedom).sqrt()
}

/// The largest deviation of one number, reckoned as beyond what 960 numbers show by chance (about 3.3).
fn extreme(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let largest = counts.iter().map(|count| (*count as f64 - expected).abs() / expected.sqrt()).fold(0.0, f64::max);
    largest - 3.3
}

/// The largest deviation of a piece's count on a square from the count over all 960, likewise for eight squares (1.5).
fn squares(piece: char, counts: &[u64; 8], draws: u64) -> f64 {
    let mut of_960 = [0f64; 8];
    for number in PositionNumber::all() {
        for (file, letter) in StartPosition::from_number(number).rank().chars().enumerate() {
            of_960[file] += f64::from(u8::from(letter == piece));
        }
    }
    let deviation = |(count, of_960): (&u64, f64)| {
        let chance = of_960 / NUMBERS as f64;
        let (expected, spread) = (draws as f64 * chance, (draws as f64 * chance * (1.0 - chance)).sqrt());
        if spread == 0.0 { (*count as f64 - expected).abs() } else { (*count as f64 - expected).abs() / spread }
    };
    counts.iter().zip(of_960).map(deviation).fold(0.0, f64::max) - 1.5
}

/// One in a million or rarer by chance; too even counts as well as too uneven.
const SUSPICIOUS: f64 = 5.0;

fn draw(master: &Master, terms: &Terms, n: usize) -> usize {
    let (board, round, attempt) = (n % BOARDS + 1, n / BOARDS % ROUNDS + 1, n / (BOARDS * ROUNDS) + 1);
    let (round, board, attempt) = (round as u16, board as u16, attempt as u16);
    let slot = Slot { origin: "draw960.local/00000000".into(), event: "uniformity".into(), round, board, attempt };
    let secret = master.slot_secret(&slot);
    let commitment = commitment(&slot, terms, &secret);
    let seed = seed(&slot, terms, &commitment, &[EntropyLine::None], &secret);
    let derived = number(&seed, &terms.excluded, &NumberSet::new()).expect("nothing is excluded");
    usize::from(derived.number.get())
}

/// Pieces by file for every number, as places in "KQRBN".
fn ranks() -> Vec<[u8; 8]> {
    let place = |letter: u8| b"KQRBN".iter().position(|piece| *piece == letter).expect("a piece") as u8;
    let rank = |number| {
        let start = StartPosition::from_number(number);
        let letters: [u8; 8] = start.rank().as_bytes().try_into().expect("eight files");
        letters.map(place)
    };
    PositionNumber::all().map(rank).collect()
}

/// Draws and counts; `bias` may change a number, knowing the one before it.
fn count(draws: usize, bias: impl Fn(usize, usize) -> usize + Sync) -> Counts {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (ranks, bias) = (&ranks(), &bias);
    let work = move |worker: usize| {
        let master = Master::from_bytes([9; 32]);
        let terms = Terms { sources: vec![Source::None], excluded: NumberSet::new(), repeats: Repeats::Allowed };
        let (mut counts, mut previous) = (Counts::new(), 0);
        for n in worker * draws / workers..(worker + 1) * draws / workers {
            let drawn = draw(&master, &terms, n);
            counts.take(bias(previous, drawn), ranks);
            previous = drawn;
        }
        counts
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        let mut total = Counts::new();
        running.into_iter().for_each(|counts| total.add(&counts.join().expect("a worker finished")));
        total
    })
}

/// Prints every test; whether any is suspicious.
fn report(title: &str, counts: &Counts) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    writeln!(out, "{title}")?;
    let mut suspicious = false;
    for (name, deviations) in counts.deviations() {
        // Extremes have no lower side: few deviations are no fault there.
        let two_sided = name == "numbers" || name.starts_with("pairs");
        let off = if two_sided { deviations.abs() > SUSPICIOUS } else { deviations > SUSPICIOUS };
        writeln!(out, "  {name:32} {deviations:8.2} {}", if off { "SUSPICIOUS" } else { "as by chance" })?;
        suspicious |= off;
    }
    Ok(suspicious)
}

/// Biases that must be noticed, in a tenth of the draws.
fn planted(draws: usize) -> Vec<(&'static str, Counts)> {
    let draws = (draws / 10).max(100_000);
    vec![
        ("numbers below 64 come too often", count(draws, |before, n| if before % 15 == 0 { n % 64 } else { n })),
        ("959 never comes", count(draws, |_, n| if n == 959 { 958 } else { n })),
        ("519 is taken for 518", count(draws, |_, n| if n == 518 { 519 } else { n })),
        ("one in thirty is like the one before", count(draws, |before, n| if n % 30 == 7 { before } else { n })),
    ]
}

fn main() -> io::Result<ExitCode> {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    // Only a bench run takes the time for all; the test run has a short look.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let draws = asked.unwrap_or(if is_bench { 10_000_000 } else { 20_000 });
    let mut good = !report(&format!("{draws} draws"), &count(draws, |_, drawn| drawn))?;
    if is_bench {
        for (bias, counts) in planted(draws) {
            good &= report(&format!("planted: {bias}"), &counts)?;
        }
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
