//! `draw960 export --tournament SLUG FILE`: a tournament's master as a sheet, to be kept under seal.

use super::{Outcome, Place, beside, print};
use crate::{
    config::Config,
    desk::{Desk, create_private},
    domain::{fault::Fault, sheet::Sheet},
    ledger::HighWater,
    store::{OpenMode, Store},
};
use clap::Args;
use std::{
    error::Error,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    place: Place,
    /// Slug of the tournament
    #[arg(long, value_name = "SLUG")]
    tournament: String,
    /// Where the sheet goes; must not exist yet
    file: PathBuf,
}

/// Works beside a running server. The log says that the master left before the sheet holds it.
pub async fn export(command: Export) -> Outcome {
    let config = command.place.settings(None)?;
    let desk = open(&config).await?;
    let file = empty(&command.file)?;
    let written = match desk.export_sheet(&command.tournament).await {
        Ok(sheet) => fill(file, &sheet).map_err(|why| unwritten(&command.file, &why)),
        Err(fault) => Err(fault.told()),
    };
    desk.store.close().await;
    if written.is_err() {
        let _ = fs::remove_file(&command.file);
    }
    written?;
    print(&format!(
        "{} holds the master of {}. Print it, seal it, and remove the file: whoever reads it can compute\n\
         sealed positions as soon as the server can. The log says from now on that the master left the server, and so does\n\
         every draw released later. `draw960 complete` reads the sheet.",
        command.file.display(),
        command.tournament
    ))
}

/// The desk of a folder that a server may be using. A log that the server itself would not go on with is not written to.
async fn open(config: &Config) -> Result<Desk, Box<dyn Error>> {
    // Read first: what a running server signs meanwhile is then in the database already.
    let kept = HighWater::in_folder(&config.data).read();
    let kept = kept.map_err(|why| format!("draw960.highwater cannot be read: {why}"))?;
    let store = Store::open(&config.database(), OpenMode::Existing).await?;
    let desk = beside::open(config, store).await?;
    desk.ledger.agrees_with(kept.as_deref()).map_err(Fault::told)?;
    Ok(desk)
}

/// Makes the file, readable by its owner only: nothing is exported that could not be written.
fn empty(path: &Path) -> Result<File, String> {
    create_private(path).map_err(|why| match why.kind() {
        io::ErrorKind::AlreadyExists => format!("{} exists: a sheet never overwrites", path.display()),
        _ => format!("{}: {why}", path.display()),
    })
}

fn fill(mut file: File, sheet: &Sheet) -> io::Result<()> {
    file.write_all(sheet.reveal().as_bytes())?;
    file.sync_all()
}

fn unwritten(path: &Path, why: &io::Error) -> String {
    format!("{} could not be written, though the log says that the master left: {why}. Export it again", path.display())
}
