//! `draw960 backup FILE`.

use super::{Outcome, Place, print};
use crate::store::{OpenMode, Store};
use clap::Args;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

#[derive(Debug, Args)]
pub struct Backup {
    #[command(flatten)]
    place: Place,
    /// Where the copy goes; must not exist yet
    file: PathBuf,
}

/// Copies the database as one moment saw it, also while it is written to. Copying the file by hand does not: the last
/// changes are in another file beside it.
pub async fn backup(command: Backup) -> Outcome {
    let config = command.place.settings(None)?;
    let target = command.file;
    let path = target.to_str().ok_or("the name of the copy is not valid text")?;
    if target.exists() {
        return Err(format!("{path} exists: a backup never overwrites").into());
    }
    let store = Store::open(&config.database(), OpenMode::Existing).await?;
    // Written under another name first: what bears the final name is whole.
    let partial = PathBuf::from(format!("{path}.partial"));
    let copied = copy(&store, &partial, &target).await;
    store.close().await;
    copied.map_err(|why| format!("the copy could not be made: {why}"))?;
    print(&format!(
        "{path} is a complete copy of {} ({} bytes).\n\
         Keep also {}, in another place than the copy: without it no sealed draw of the copy\n\
         can be released, and with both anyone can compute sealed positions.",
        config.database().display(),
        fs::metadata(&target)?.len(),
        config.key_file().display(),
    ))
}

async fn copy(store: &Store, partial: &Path, target: &Path) -> Result<(), Box<dyn std::error::Error>> {
    // Made first, and ours alone: the copy holds names and sealed secrets. An empty file is filled.
    private(partial).map(drop).map_err(|why| partial_exists(partial, why))?;
    let done = fill(store, partial, target).await;
    if done.is_err() {
        let _ = fs::remove_file(partial);
    }
    done
}

async fn fill(store: &Store, partial: &Path, target: &Path) -> Result<(), Box<dyn std::error::Error>> {
    store.backup(partial.to_str().unwrap_or_default()).await?;
    File::open(partial)?.sync_all()?;
    // A link, not a rename: it refuses where a file appeared meanwhile. Memory sticks have no links.
    match fs::hard_link(partial, target) {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists && !target.exists() => Ok(fs::rename(partial, target)?),
        linked => Ok(linked.and_then(|()| fs::remove_file(partial))?),
    }
}

/// Of a file that is in the way it matters whose it is.
fn partial_exists(partial: &Path, why: io::Error) -> Box<dyn std::error::Error> {
    match why.kind() {
        io::ErrorKind::AlreadyExists => {
            let partial = partial.display();
            format!("{partial} exists: another backup is under way, or one was cut short; then remove it").into()
        }
        _ => why.into(),
    }
}

/// A new file that only its owner reads.
pub(super) fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
