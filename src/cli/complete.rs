//! `draw960 complete`: a draw whose server died, from the sheet, a bundle of the log and public entropy.

use super::{Outcome, print, verify::bundle};
use crate::{
    clock::{Clock, SystemClock},
    domain::{
        log::LogKey,
        sheet::Sheet,
        verify::{Asked, Completion, Trust, complete},
    },
};
use clap::Args;
use std::{error::Error, fmt::Write, fs, path::PathBuf};
use zeroize::Zeroizing;

#[derive(Debug, Args)]
pub struct Complete {
    /// The sheet that `draw960 export` wrote, or one typed from it
    #[arg(long, value_name = "FILE")]
    sheet: PathBuf,
    /// A bundle file of the log, or the http:// URL of one
    #[arg(long, value_name = "BUNDLE|URL")]
    bundle: String,
    /// Round whose draw is completed
    #[arg(long, value_name = "R")]
    round: u16,
    /// Board, where each board has its own draw
    #[arg(long, value_name = "B")]
    board: Option<u16>,
    /// Value of the beacon round that the draw waits for, 96 hexadecimal digits; may be repeated
    #[arg(long, value_name = "HEX")]
    beacon: Vec<String>,
    /// The twenty dice thrown for the round, if the log does not have them
    #[arg(long, value_name = "DIGITS")]
    dice: Option<String>,
    /// The log's key, as the regulations print it
    #[arg(long, value_name = "VKEY")]
    log_key: Option<LogKey>,
}

/// Reads what is brought and prints the position, or says why there is none. Needs no network but for a URL.
pub async fn run(command: Complete) -> Outcome {
    let sheet = sheet(&command.sheet)?;
    let bundle = bundle(&command.bundle, Some(&sheet.tournament)).await?;
    let trust = Trust { log_key: command.log_key, ..Trust::default() };
    let Complete { round, board, beacon: beacons, dice, .. } = command;
    let done = complete(bundle, &sheet, &Asked { round, board, beacons, dice }, &trust, SystemClock.now())?;
    print(&told(&sheet, &done))
}

fn sheet(file: &PathBuf) -> Result<Sheet, Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|why| format!("{}: {why}", file.display()))?;
    Zeroizing::new(text).parse().map_err(|why| format!("{}: {why}", file.display()).into())
}

const ADVICE: &str = "
draw960 verify says what else the bundle shows. Whether this position is played is the arbiter's decision: put on
record how it was found.";

fn told(sheet: &Sheet, done: &Completion) -> String {
    let Completion { slot, start, checked, unknown } = done;
    let mut text = format!(
        "{}, {slot}\n\nposition number  {}\nback rank        {}\nX-FEN            {}\n\nchecked\n",
        sheet.tournament,
        start.number(),
        start.rank(),
        start.fen()
    );
    push_lines(&mut text, checked);
    text.push_str("\ncannot be known here\n");
    push_lines(&mut text, unknown);
    text.push_str(ADVICE);
    text
}

fn push_lines(text: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
}
