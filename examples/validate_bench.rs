//! Times the validation of a PGN file held in memory: `validate_bench FILE [--cores N] [--reps N] [--list-bad]`.
//!
//! Prints one line of JSON; `bad_hash` is FNV-1a over the indices of the games that are not legal.

#![allow(clippy::print_stdout, reason = "a command line program")]

use draw960::{
    domain::game::{GameReport, Options, Start, Validator, Verdict},
    many::validate_many,
};
use std::{num::NonZeroUsize, time::Instant};

fn argument(name: &str) -> Option<usize> {
    let mut arguments = std::env::args();
    arguments.find(|a| a == name)?;
    arguments.next()?.parse().ok()
}

/// CPU seconds of this thread so far, or of the process with all threads it ever had, counted in hundredths.
fn cpu(whole_process: bool) -> f64 {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    if whole_process {
        let text = read("/proc/self/stat");
        let mut fields = text.rsplit(')').next().unwrap_or_default().split_ascii_whitespace().skip(11);
        return (number(fields.next()) + number(fields.next())) / 100.0;
    }
    number(read("/proc/self/schedstat").split_ascii_whitespace().next()) * 1e-9
}

/// Whether every move of the record can be played: what all validators can be compared by.
fn is_playable(report: &GameReport) -> bool {
    !matches!(report.verdict, Verdict::IllegalMove | Verdict::Unreadable | Verdict::EndsEarlier)
}

fn main() {
    let file = std::env::args().nth(1).expect("FILE");
    let text = std::fs::read(file).expect("a readable file");
    let reps = argument("--reps").unwrap_or(1);
    let cores = argument("--cores").and_then(NonZeroUsize::new);
    let (wall, before) = (Instant::now(), cpu(cores.is_some()));
    let (mut bad, mut games, mut plies) = (Vec::new(), 0usize, 0usize);
    for _ in 0..reps {
        bad.clear();
        let mut index = 0;
        let mut count = |legal: bool, played: u32| {
            if !legal {
                bad.push(index);
            }
            index += 1;
            games += 1;
            plies += played as usize;
        };
        match cores {
            Some(cores) => {
                let reports = validate_many(&text, 1, &Start::FromTags, &Options::default(), cores, |r| {
                    (is_playable(&r), r.plies)
                })
                .expect("no start given");
                reports.into_iter().for_each(|(legal, plies)| count(legal, plies));
            }
            None => {
                let options = Options::default();
                let mut validator = Validator::new(&Start::FromTags, &options).expect("no start given");
                validator.each_game(&text, 1, |r| count(is_playable(&r), r.plies));
            }
        }
    }
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu(cores.is_some()) - before);
    let hash = bad
        .iter()
        .flat_map(|n| (*n as u64).to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    if std::env::args().any(|a| a == "--list-bad") {
        bad.iter().for_each(|n| eprintln!("{n}"));
    }
    println!(
        "{{\"tool\":\"draw960\",\"games\":{games},\"plies\":{plies},\"bytes\":{},\"bad\":{},\"bad_hash\":\"{hash:016x}\",\"wall_s\":{wall:.6},\"cpu_s\":{cpu:.6}}}",
        text.len() * reps,
        bad.len()
    );
}
