//! The copies in a custody folder: the newest, and the one before it. Everything here may wait for a slow or dying stick.

use super::{Reader, Settings, line_of, seal, sync_folder};
use crate::{
    desk::create_private,
    domain::{
        custody::{Contents, CustodyKey, Header},
        log::{Checkpoint, LogKey, SignedNote},
    },
    ledger::Ledger,
};
use std::{
    fs::{self, File},
    io::{self, BufReader},
    path::{Path, PathBuf},
    sync::{Mutex, Once, PoisonError},
};

/// A custody folder and what is put there.
pub struct Placed {
    settings: Settings,
    key: CustodyKey,
    log: LogKey,
    /// First line of the copy that was put there last: no two files have the same.
    newest: Mutex<Option<Header>>,
    compared: Once,
}

impl Placed {
    /// The folder of the settings, for copies of this log under this key.
    pub fn new(settings: Settings, key: CustodyKey, log: LogKey) -> Self {
        Self { settings, key, log, newest: Mutex::default(), compared: Once::new() }
    }

    /// `draw960-<the hexadecimal digits of the origin>.custody`, with an ending behind.
    fn path(&self, ending: &str) -> PathBuf {
        let digits = self.log.name().rsplit('/').next().unwrap_or_default();
        self.settings.folder.join(format!("draw960-{digits}.custody{ending}"))
    }

    /// Whether the copy that was put there last is there: sticks are exchanged.
    pub fn is_there(&self) -> bool {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.is_some() && first_line(&self.path("")) == *newest
    }

    /// Whether the folder may take a copy of this log.
    ///
    /// # Errors
    /// When it is not there, or holds a copy of a longer log or of another history of this one.
    pub fn may_take(&self, ledger: &Ledger) -> Result<(), String> {
        let folder = self.settings.folder.display();
        if !self.settings.folder.is_dir() {
            // Never made: where a stick is missing, its folder would be one of the laptop's own disk.
            return Err(format!("the custody folder {folder} is not there"));
        }
        let Some(there) = (if self.is_there() { None } else { self.checkpoint_there() }) else { return Ok(()) };
        let said = match (ledger.whole().0, ledger.root(there.size)) {
            (_, Some(root)) if root == there.root => return Ok(()),
            (_, Some(_)) => format!("is of another history of this log, of {} entries", there.size),
            (own, None) => format!("has {} entries of this log, and this server {own}", there.size),
        };
        Err(format!(
            "the copy in {folder} {said}: it is not replaced. Was the tournament taken over by another machine, or this database \
             set back? Then stop this server"
        ))
    }

    /// What was signed when the copy there was made; none when it cannot be opened, or is of another log.
    fn checkpoint_there(&self) -> Option<Checkpoint> {
        let file = BufReader::new(File::open(self.path("")).ok()?);
        let (contents, _) = Reader::open(file, &self.settings.passphrase).ok()?;
        let note: SignedNote = contents.checkpoint.parse().ok()?;
        // By whatever key: on the machine that took over it may have been changed.
        let checkpoint: Checkpoint = note.text().parse().ok()?;
        (checkpoint.origin == self.log.name()).then_some(checkpoint)
    }

    /// Puts a copy there, durable before it takes the place of the one before, which is kept beside it.
    ///
    /// # Errors
    /// Of either disk; then the newest copy that is there stays.
    pub fn take(&self, database: &Path, nonce: [u8; 19], contents: &Contents) -> Result<(), String> {
        let taken = self.write(database, nonce, contents).and_then(|()| self.exchange());
        let failed = |why: io::Error| format!("the custody folder {}: {why}", self.settings.folder.display());
        taken.map_err(failed)?;
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.key.header(nonce));
        self.compared.call_once(|| warn_of_same_disk(database, &self.settings.folder));
        Ok(())
    }

    fn write(&self, database: &Path, nonce: [u8; 19], contents: &Contents) -> io::Result<()> {
        let partial = self.path(".partial");
        let _ = fs::remove_file(&partial);
        let mut out = create_private(&partial)?;
        let written = seal(&self.key, nonce, contents, File::open(database)?, &mut out).and_then(|()| out.sync_all());
        if let Err(why) = &written {
            let _ = fs::remove_file(&partial);
            if why.kind() == io::ErrorKind::StorageFull {
                // Room for the next try; the newest copy is worth more than two old ones.
                let _ = fs::remove_file(self.path(".previous"));
            }
        }
        written
    }

    fn exchange(&self) -> io::Result<()> {
        match fs::rename(self.path(""), self.path(".previous")) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        fs::rename(self.path(".partial"), self.path(""))?;
        sync_folder(&self.settings.folder)
    }
}

fn first_line(path: &Path) -> Option<Header> {
    line_of(&mut BufReader::new(File::open(path).ok()?)).ok()
}

/// A copy that dies with the disk helps nobody.
#[cfg(unix)]
fn warn_of_same_disk(database: &Path, folder: &Path) {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|about| about.dev()).ok();
    if device(database) == device(folder) {
        tracing::warn!("the custody folder is on the disk of the data folder: it dies with it. Is the stick mounted?");
    }
}

#[cfg(not(unix))]
fn warn_of_same_disk(_: &Path, _: &Path) {}
