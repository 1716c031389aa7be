//! `draw960 takeover FILE`.

use super::{Outcome, Place, elsewhere, passphrase, print, recover, verify};
use crate::{
    clock::{Clock, SystemClock},
    custody::{self, Beyond, TakenOver},
    entropy::OsEntropy,
    server,
};
use clap::Args;
use jiff::Timestamp;
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
    sync::Arc,
};

#[derive(Debug, Args)]
pub struct Takeover {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    passphrase: passphrase::Source,
    #[command(flatten)]
    elsewhere: elsewhere::Named,
    /// Take up what a bundle of this log has beyond the copy: a file, or the http:// URL of a tournament or bundle
    #[arg(long, value_name = "BUNDLE|URL")]
    bundle: Option<String>,
    /// What came after the copy is lost to everybody: go on under a new name of the log, voiding every draw that waits
    #[arg(long, conflicts_with_all = ["bundle", "witness", "checkpoint"])]
    new_origin: bool,
    /// The custody file
    file: PathBuf,
}

/// Goes on from a custody file in a data folder of its own.
pub async fn takeover(command: Takeover) -> Outcome {
    let config = command.place.settings(None)?;
    let elsewhere = command.elsewhere.read()?;
    let beyond = match &command.bundle {
        Some(place) => Beyond::Bundle(Box::new(verify::bundle(place, None).await?)),
        None if command.new_origin => Beyond::Lost(config.log_name.clone()),
        None => Beyond::Nothing,
    };
    let lock = server::take_folder(&config)?;
    // Nobody types a passphrase for nothing.
    custody::check_folder(&config.data)?;
    check_file(&command.file)?;
    let taken = custody::Takeover {
        passphrase: command.passphrase.known()?,
        file: command.file,
        folder: config.data.clone(),
        elsewhere,
        beyond,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(OsEntropy),
    };
    let taken = taken.run().await?;
    drop(lock);
    print(&(next(&taken, &config.data) + &slow_clock(taken.newest.as_ref().map(|(at, _)| *at), SystemClock.now())))
}

/// Releases follow this machine's clock: one that is behind the log makes a whole hall wait.
fn slow_clock(newest: Option<Timestamp>, now: Timestamp) -> String {
    match newest {
        Some(newest) if now < newest => format!(
            "\n\nThe clock of this machine says {now:.0}, which is before the last entry: set it right before you start, or every \
             release comes late."
        ),
        _ => String::new(),
    }
}

fn check_file(file: &Path) -> Result<(), String> {
    let line = File::open(file).and_then(|opened| custody::line_of(&mut BufReader::new(opened)));
    line.map(drop).map_err(|why| format!("{}: {why}", file.display()))
}

fn next(taken: &TakenOver, data: &Path) -> String {
    let TakenOver { origin, size, replayed, renamed, newest, asked } = taken;
    let newest = newest
        .as_ref()
        .map_or_else(String::new, |(at, what)| format!("The last, by the clock of the old machine:\n  {at}{what}\n"));
    let (asked, beyond) = match renamed {
        Some(renamed) => (String::new(), recover::told_renamed(renamed) + "\n"),
        None if replayed.replayed == 0 => (told_asked(*asked), String::new()),
        None => (told_asked(*asked), recover::told(replayed) + "\n"),
    };
    let data = data.display();
    format!(
        "{data} goes on with the log {origin} from {size} entries.\n\
         {newest}{asked}\n\
         {beyond}\
         \n\
         1. Make sure that the old machine never serves again: two servers would give the log two histories, and both would be\n\
         \x20  found out. Take its disk out, or delete draw960.key there.\n\
         2. Compare the last entry with what the hall has seen. If something is missing, do not start: remove {data} and take over\n\
         \x20  again with --bundle, which replays it from a bundle that somebody downloaded, or with --new-origin if nobody has one.\n\
         3. Start: draw960 serve --data {data} --require-existing\n\
         \x20  at the address of the old machine, with --listen; or tell boards, screens and pairing software the new one.\n\
         \n\
         Tokens, tournaments and draws are the same; what was ordered is released with the number it would have had. A round whose\n\
         instant has passed meanwhile is overdue: the arbiter decides. Set custody_folder anew, for this machine is alone now."
    )
}

fn told_asked(asked: usize) -> String {
    match asked {
        0 => {
            "No witness and no kept checkpoint was named: nothing says whether the copy is the newest state.".to_owned()
        }
        asked => format!("Witnesses and kept checkpoints named: {asked}. None has seen more."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_behind_the_log_is_told() {
        let at = |second| Timestamp::from_second(second).unwrap();
        assert!(slow_clock(Some(at(100)), at(99)).contains("set it right before you start"));
        assert_eq!((slow_clock(Some(at(100)), at(100)), slow_clock(None, at(5))), (String::new(), String::new()));
    }
}
