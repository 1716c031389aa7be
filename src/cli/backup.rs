//! `draw960 backup FILE`, and `--with-keys` for everything that another machine needs.

use super::{Outcome, Place, beside, passphrase, print};
use crate::{
    config::Config,
    custody::{Plain, seal},
    desk::{Desk, KeyFile, create_private},
    domain::{
        custody::{Contents, Costs, CustodyKey, Passphrase},
        entry::ExportTo,
        fault::Fault,
    },
    entropy::{Entropy, OsEntropy},
    ledger::HighWater,
    store::{OpenMode, Store},
};
use clap::Args;
use std::{
    error::Error,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

#[derive(Debug, Args)]
pub struct Backup {
    #[command(flatten)]
    place: Place,
    /// Write database, key file and newest checkpoint, under a passphrase: another machine can go on from the file
    #[arg(long)]
    with_keys: bool,
    #[command(flatten)]
    passphrase: passphrase::Source,
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
    if command.passphrase.is_named() && !command.with_keys {
        return Err("a passphrase belongs to --with-keys: the plain copy is not sealed".into());
    }
    let store = Store::open(&config.database(), OpenMode::Existing).await?;
    // Written under another name first: what bears the final name is whole.
    let partial = PathBuf::from(format!("{path}.partial"));
    if command.with_keys {
        return with_keys(&config, store, &command.passphrase.chosen()?, &partial, &target).await;
    }
    plain(&config, store, &partial, &target).await
}

/// The database alone.
async fn plain(config: &Config, store: Store, partial: &Path, target: &Path) -> Outcome {
    let copied = copy(&store, partial, target).await;
    store.close().await;
    copied.map_err(|why| format!("the copy could not be made: {why}"))?;
    print(&format!(
        "{} is a complete copy of {} ({} bytes).\n\
         Keep also {}, in another place than the copy: without it no sealed draw of the copy\n\
         can be released, and with both anyone can compute sealed positions.",
        target.display(),
        config.database().display(),
        fs::metadata(target)?.len(),
        config.key_file().display(),
    ))
}

async fn copy(store: &Store, partial: &Path, target: &Path) -> Outcome {
    // Made first, and ours alone: the copy holds names and sealed secrets. An empty file is filled.
    drop(claim(partial)?);
    let filled = store.backup(partial.to_str().unwrap_or_default()).await;
    finish(partial, target, filled.map_err(Into::into))
}

/// Everything under a passphrase. The log says that the masters leave before they do.
async fn with_keys(config: &Config, store: Store, passphrase: &Passphrase, partial: &Path, target: &Path) -> Outcome {
    // Read before the log: a running server may sign more at any moment.
    let kept = high_water(config)?;
    let desk = beside::open(config, store).await?;
    let read_only = |why: &str| format!("no copy with keys is made of a server that is read-only. {why}");
    desk.ledger.agrees_with(Some(&kept)).map_err(|why| read_only(&why.detail))?;
    let exported = log_exports(&desk).await?;
    let sealed = sealed(config, &desk, passphrase, partial, target).await;
    desk.store.close().await;
    sealed.map_err(|why| format!("the copy could not be made: {why}"))?;
    print(&format!(
        "{} is a complete copy of the server in {} ({} bytes).\n\
         With it and the passphrase, draw960 takeover goes on on another machine. Keep the two apart: with both anyone can\n\
         compute sealed positions. New entries of the log that say that a tournament's secret left the server: {exported}.",
        target.display(),
        config.data.display(),
        fs::metadata(target)?.len(),
    ))
}

async fn sealed(config: &Config, desk: &Desk, passphrase: &Passphrase, partial: &Path, target: &Path) -> Outcome {
    let plain = config.data.join("draw960.backup-copy");
    let plain = Plain::take(plain.clone()).map_err(|why| in_the_way(&plain, why))?;
    // Before the copy, so that the copy is not behind what was signed.
    let contents = Contents { key: KeyFile(config.key_file()).bytes()?, checkpoint: high_water(config)? };
    desk.store.backup(plain.path().to_str().ok_or("the name of the data folder is not valid text")?).await?;
    // Of a tournament created since the first time; nothing has left yet.
    log_exports(desk).await?;
    let entropy: &dyn Entropy = &OsEntropy;
    let key = CustodyKey::derive(passphrase, Costs::RECOMMENDED, entropy.bytes()?)?;
    let (database, mut out) = (File::open(plain.path())?, claim(partial)?);
    let written = seal(&key, entropy.bytes()?, &contents, database, &mut out);
    finish(partial, target, written.map_err(Into::into))
}

async fn log_exports(desk: &Desk) -> Result<usize, String> {
    desk.log_exports(ExportTo::Copy).await.map_err(Fault::told)
}

fn high_water(config: &Config) -> Result<String, Box<dyn Error>> {
    let kept = HighWater::in_folder(&config.data).read()?;
    Ok(kept.ok_or("draw960.highwater is missing: put it back, or start the server once; it says what to do")?)
}

/// Gives a file that was written its name, or takes it away.
fn finish(partial: &Path, target: &Path, written: Outcome) -> Outcome {
    let done = written.and_then(|()| Ok(name(partial, target)?));
    if done.is_err() {
        let _ = fs::remove_file(partial);
    }
    done
}

fn name(partial: &Path, target: &Path) -> io::Result<()> {
    File::open(partial)?.sync_all()?;
    // A link, not a rename: it refuses where a file appeared meanwhile. Memory sticks have no links.
    match fs::hard_link(partial, target) {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists && !target.exists() => fs::rename(partial, target),
        linked => linked.and_then(|()| fs::remove_file(partial)),
    }
}

fn claim(partial: &Path) -> Result<File, Box<dyn Error>> {
    create_private(partial).map_err(|why| in_the_way(partial, why))
}

/// Of a file that is in the way it matters whose it is.
fn in_the_way(file: &Path, why: io::Error) -> Box<dyn Error> {
    match why.kind() {
        io::ErrorKind::AlreadyExists => {
            let file = file.display();
            format!("{file} exists: another backup is under way, or one was cut short; then remove it").into()
        }
        _ => why.into(),
    }
}
