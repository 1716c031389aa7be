//! `draw960 validate FILE…`: games of any number, from files of any size, in bounded memory and on all cores.

mod progress;
mod report;

use crate::{
    domain::{
        game::{Language, Options, Start, Validator, pgn::splitter::Splitter, with_number},
        position_number::PositionNumber,
    },
    many::validate_many,
};
use clap::Args;
use progress::Progress;
use report::{Form, Told, Totals};
use std::{
    fs::File,
    io::{self, BufWriter, ErrorKind, Read, Write},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
};

/// How much of a file is read before it is validated: enough for all cores, little enough to be held.
const CHUNK: usize = 8 << 20;

#[derive(Debug, Args)]
pub struct Validate {
    /// Number of the start position of all games, 0 to 959; without it, and without --fen, the tags decide
    #[arg(long, value_name = "N", conflicts_with = "fen")]
    number: Option<PositionNumber>,
    /// FEN of the position from which all games start
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Language of the piece letters, such as lt or de
    #[arg(long, value_name = "L", default_value = "en")]
    language: Language,
    /// One JSON object a game, one game a line
    #[arg(long)]
    json: bool,
    /// PGN files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Exit status when some finding is an error.
const ERRORS: u8 = 1;
/// Exit status when some input is no PGN or cannot be read.
const UNREADABLE: u8 = 2;

/// Validates the games of all files and says what was found. Exit status: 0 all legal, 1 some error, 2 unreadable input.
pub fn validate(command: &Validate) -> ExitCode {
    let task = match Task::new(command) {
        Ok(task) => task,
        Err(why) => return unreadable(&why),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut worst = 0;
    for file in &command.files {
        let status = match task.file(file, &mut out) {
            Ok(totals) => totals.status(),
            // Whoever pipes into `head` has read enough.
            Err(why) if why.kind() == ErrorKind::BrokenPipe => return ExitCode::from(worst),
            Err(why) => {
                let _ = out.flush();
                unreadable(&format!("{}: {why}", file.display()));
                UNREADABLE
            }
        };
        worst = worst.max(status);
    }
    match out.flush() {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => unreadable(&why.to_string()),
        _ => ExitCode::from(worst),
    }
}

fn unreadable(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "draw960: {why}");
    ExitCode::from(UNREADABLE)
}

/// What is done with each file.
struct Task {
    start: Start,
    options: Options,
    form: Form,
    cores: NonZeroUsize,
    several: bool,
}

impl Task {
    fn new(command: &Validate) -> Result<Self, String> {
        let start = match (command.number, &command.fen) {
            (Some(number), _) => Start::Number(number),
            (None, Some(fen)) => Start::Fen(fen.clone()),
            (None, None) => Start::FromTags,
        };
        let options = with_number(&start, &Options { language: command.language, ..Options::default() });
        Validator::new(&start, &options).map_err(|why| format!("--fen: {why}"))?;
        let form = if command.json { Form::Json } else { Form::Text };
        let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Ok(Self { start, options, form, cores, several: command.files.len() > 1 })
    }

    fn file(&self, path: &Path, out: &mut impl Write) -> io::Result<Totals> {
        let name = path.display().to_string();
        if self.several && self.form == Form::Text {
            writeln!(out, "{name}")?;
        }
        let totals = if path.as_os_str() == "-" {
            self.games(io::stdin().lock(), Progress::new(None), &name, out)?
        } else {
            let file = File::open(path)?;
            let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
            self.games(file, Progress::new(size), &name, out)?
        };
        if self.form == Form::Text {
            writeln!(out, "{totals}")?;
        }
        Ok(totals)
    }

    fn games(&self, mut from: impl Read, mut bar: Progress, name: &str, out: &mut impl Write) -> io::Result<Totals> {
        let (mut splitter, mut totals, mut chunk) = (Splitter::default(), Totals::default(), Vec::new());
        loop {
            chunk.clear();
            let read = from.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)?;
            let piece = if read == 0 { splitter.finish() } else { splitter.feed(&chunk) };
            if let Some(piece) = piece {
                let form = self.form;
                let make = |report| Told::of(&report, form);
                let told = validate_many(&piece.text, piece.first_line, &self.start, &self.options, self.cores, make);
                bar.clear();
                for game in told.map_err(io::Error::other)? {
                    totals.count(&game);
                    game.write(out, totals.games, self.several.then_some(name))?;
                }
            }
            if read == 0 {
                return Ok(totals);
            }
            bar.advance(read, totals.games);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, json: bool) -> (String, u8) {
        let command = Validate {
            number: None,
            fen: None,
            language: Language::ENGLISH,
            json,
            files: vec![PathBuf::from("games.pgn")],
        };
        let mut out = Vec::new();
        let task = Task::new(&command).unwrap();
        let totals = task.games(text.as_bytes(), Progress::new(None), "games.pgn", &mut out).unwrap();
        (String::from_utf8(out).unwrap(), totals.status())
    }

    #[test]
    fn each_game_has_its_number_and_each_finding_its_place() {
        let (text, status) = run("1. e4 e5 1-0\n\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke3 *\n", false);
        assert_eq!(status, 1);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "game 1: legal-complete, 2 half-moves, 1-0");
        assert_eq!(lines[1], "game 2, A - B: illegal-move, 2 half-moves, *");
        assert!(lines[2].starts_with("  note: No start position is named"), "{text}");
        assert!(lines[3].starts_with("  error at 6:13, half-move 3, \"Ke3\": "), "{text}");
        assert!(lines[3].ends_with("[illegal-move, king-cannot-reach, article 3.8.1]"), "{text}");
    }

    #[test]
    fn json_has_one_object_a_game() {
        let (text, status) = run("1. e4 e5 1-0\n\n1. d4 1/2-1/2\n", true);
        let games: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((games.len(), status), (2, 1));
        assert_eq!((&games[0]["game"], &games[1]["game"]), (&1.into(), &2.into()));
        assert_eq!(games[0]["moves_san"], serde_json::json!(["e4", "e5"]));
    }

    #[test]
    fn what_holds_no_game_is_unreadable() {
        assert_eq!(run("", false).1, 2);
        assert_eq!(run("\u{0}\u{1}\u{2}", true).1, 2);
    }
}
