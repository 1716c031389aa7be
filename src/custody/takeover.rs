//! Going on from a custody file on another machine.
//!
//! Everything is unpacked, checked and signed in a folder inside the data folder, and moved up at the end, the database last:
//! whenever the power goes, there is either no server in the data folder or a whole one.

use super::{Elsewhere, Reader, sync_folder};
use crate::{
    clock::Clock,
    desk::{Desk, KeyFile, Renamed, Replayed, create_private},
    domain::{
        custody::{Contents, Passphrase},
        dossier::sentence,
        entry::ExportTo,
        fault::Fault,
        verify::Bundle,
    },
    entropy::Entropy,
    ledger::{HighWater, Missing},
    store::{OpenMode, Store},
};
use jiff::Timestamp;
use serde_json::Value;
use std::{
    fmt::Display,
    fs::{self, File},
    io::{self, BufReader},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Folder of a takeover under way, in the data folder.
pub const UNDER_WAY: &str = "draw960.takeover";
/// What a server has, in the order in which it is moved into place.
const FILES: [&str; 3] = ["draw960.key", "draw960.highwater", DATABASE];
const DATABASE: &str = "draw960.db";

/// A takeover to be done.
pub struct Takeover {
    /// The custody file.
    pub file: PathBuf,
    /// Its passphrase.
    pub passphrase: Passphrase,
    /// The data folder, which exists and is this process's alone.
    pub folder: PathBuf,
    /// Who may have seen more than the copy has.
    pub elsewhere: Elsewhere,
    /// What came after the copy.
    pub beyond: Beyond,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub entropy: Arc<dyn Entropy>,
}

/// What came after a copy.
#[derive(Clone, Debug)]
pub enum Beyond {
    /// Nothing that anybody knows of.
    Nothing,
    /// A bundle has it, to be replayed.
    Bundle(Box<Bundle>),
    /// It is lost: the log goes on under a new name, which begins so.
    Lost(String),
}

/// What was taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenOver {
    /// Name of the log.
    pub origin: String,
    /// Entries in the copy; the log says that the server was taken over.
    pub size: u64,
    /// What was taken up from the bundle.
    pub replayed: Replayed,
    /// What going on under another name did.
    pub renamed: Option<Renamed>,
    /// The last that the copy or the bundle has: its instant by the clock of the old machine, and what it says.
    pub newest: Option<(Timestamp, String)>,
    /// Witnesses and kept checkpoints that have seen no more.
    pub asked: usize,
}

/// Refuses a data folder that has anything of a server in it. What a takeover that was cut short left is in nobody's way.
///
/// # Errors
/// Names what is there.
pub fn check_folder(folder: &Path) -> Result<(), String> {
    let failed = |why: io::Error| format!("the data folder {}: {why}", folder.display());
    let under_way = folder.join(UNDER_WAY).exists();
    for item in fs::read_dir(folder).map_err(failed)? {
        let name = item.map_err(failed)?.file_name();
        let name = name.to_string_lossy();
        let moved = under_way && FILES.contains(&&*name) && name != DATABASE;
        if name.starts_with("draw960") && !moved && name != "draw960.lock" && name != UNDER_WAY {
            return Err(format!(
                "{} has a server's files already ({name}): take over into a folder of its own, with --data",
                folder.display()
            ));
        }
    }
    Ok(())
}

impl Takeover {
    /// Does it: afterwards the data folder holds a server that goes on from the copy.
    ///
    /// # Errors
    /// Why not; then the data folder holds no server.
    pub async fn run(&self) -> Result<TakenOver, String> {
        check_folder(&self.folder)?;
        let work = self.folder.join(UNDER_WAY);
        let taken = self.prepare(&work).await;
        if taken.is_ok() {
            // If it fails, what is left says to the next start and the next takeover what happened.
            move_up(&work, &self.folder).map_err(|why| format!("{}: {why}", self.folder.display()))?;
        }
        let _ = fs::remove_dir_all(&work);
        taken
    }

    async fn prepare(&self, work: &Path) -> Result<TakenOver, String> {
        let contents = self.unpack(work).map_err(|why| format!("{}: {why}", self.file.display()))?;
        let taken = match &self.beyond {
            Beyond::Nothing => self.go_on(work, &contents, Replayed::default()).await,
            Beyond::Bundle(bundle) => {
                let replayed = self.replay(work, bundle).await?;
                self.go_on(work, &contents, replayed).await
            }
            Beyond::Lost(name) => self.go_on_renamed(work, name).await,
        };
        let taken = taken?;
        if work.join("draw960.db-wal").exists() {
            return Err("the database could not be closed: is another program looking into the folder?".into());
        }
        Ok(taken)
    }

    /// The files of a server, as they were when the copy was made.
    fn unpack(&self, work: &Path) -> io::Result<Contents> {
        let (contents, reader) = Reader::open(BufReader::new(File::open(&self.file)?), &self.passphrase)?;
        begin_anew(work)?;
        KeyFile(work.join("draw960.key")).write(&contents.key).map_err(io::Error::other)?;
        HighWater::in_folder(work).write(&contents.checkpoint)?;
        let mut database = create_private(&work.join(DATABASE))?;
        reader.database(&mut database)?;
        database.sync_all()?;
        Ok(contents)
    }

    /// Checks the database, opens the log's key with the key file, hashes the log again.
    async fn open(&self, work: &Path) -> Result<Desk, String> {
        let store = Store::open(&work.join(DATABASE), OpenMode::Existing).await.map_err(said)?;
        if store.read().await.map_err(said)?.server().await.map_err(said)?.is_none() {
            return Err("the custody file holds the database of no server".into());
        }
        let (clock, entropy) = (Arc::clone(&self.clock), Arc::clone(&self.entropy));
        let opened = Desk::open(store, clock, entropy, &KeyFile(work.join("draw960.key")), "", None).await;
        opened.map(|(desk, _)| desk).map_err(said)
    }

    async fn replay(&self, work: &Path, bundle: &Bundle) -> Result<Replayed, String> {
        let desk = self.open(work).await?;
        let replayed = desk.replay(bundle, work).await.map_err(said);
        desk.store.close().await;
        replayed
    }

    /// Under the same name: the copy has everything, with what was replayed.
    async fn go_on(&self, work: &Path, contents: &Contents, replayed: Replayed) -> Result<TakenOver, String> {
        let desk = self.open(work).await?;
        let taken = self.signed(&desk, work, contents, replayed).await;
        desk.store.close().await;
        taken
    }

    async fn signed(
        &self,
        desk: &Desk,
        work: &Path,
        contents: &Contents,
        replayed: Replayed,
    ) -> Result<TakenOver, String> {
        // What the replay itself has logged is of this machine: nobody can have seen it.
        let size = match replayed.replayed {
            0 => desk.ledger.whole().0,
            more => replayed.from + more,
        };
        let newest = newest(desk, size).await?;
        let own = ("the checkpoint in the custody file".to_owned(), contents.checkpoint.clone());
        let mut elsewhere = self.elsewhere.clone();
        elsewhere.checkpoints.insert(0, own);
        elsewhere.check(desk.ledger.keys(), &contents.checkpoint, size, |size| desk.ledger.root(size)).await?;
        desk.begin(work, Missing::Refuse).await.map_err(said)?;
        // The replay has logged it with what it took up.
        let size = match replayed.replayed {
            0 => desk.log_takeover().await.map_err(Fault::told)?,
            _ => replayed.from,
        };
        // Of a tournament created while the copy was made the copy may not say it yet.
        desk.log_exports(ExportTo::Copy).await.map_err(Fault::told)?;
        let (origin, asked) = (desk.origin.clone(), self.elsewhere.count());
        Ok(TakenOver { origin, size, replayed, renamed: None, newest, asked })
    }

    /// Under another name: what the old one signed after the copy is lost.
    async fn go_on_renamed(&self, work: &Path, name: &str) -> Result<TakenOver, String> {
        let desk = self.open(work).await?;
        let newest = newest(&desk, desk.ledger.whole().0).await;
        let renamed = desk.restore_under_new_name(name).await.map_err(said);
        desk.store.close().await;
        let (newest, renamed) = (newest?, renamed?);
        HighWater::in_folder(work).remove().map_err(said)?;
        let desk = self.open(work).await?;
        let begun = self.begin_renamed(&desk, work).await;
        desk.store.close().await;
        begun?;
        let (origin, size) = (desk.origin.clone(), renamed.size);
        Ok(TakenOver { origin, size, replayed: Replayed::default(), renamed: Some(renamed), newest, asked: 0 })
    }

    async fn begin_renamed(&self, desk: &Desk, work: &Path) -> Result<(), String> {
        desk.begin(work, Missing::Accept).await.map_err(said)?;
        desk.log_exports(ExportTo::Copy).await.map(drop).map_err(Fault::told)
    }
}

/// The last of the first `size` entries: its instant by the clock of the old machine, and in words.
async fn newest(desk: &Desk, size: u64) -> Result<Option<(Timestamp, String)>, String> {
    let mut tx = desk.store.read().await.map_err(said)?;
    let newest = tx.leaves(size.saturating_sub(1), 1).await.map_err(said)?;
    Ok(newest.first().and_then(|leaf| in_words(&leaf.entry)))
}

/// Instant, and tournament and sentence.
fn in_words(entry: &[u8]) -> Option<(Timestamp, String)> {
    let entry: Value = serde_json::from_slice(entry).ok()?;
    let at = Timestamp::from_second(entry["at"].as_i64()?).ok()?;
    let event = entry["event"].as_str().map_or_else(String::new, |slug| format!(", {slug}"));
    Some((at, format!("{event}: {}", sentence(&entry))))
}

fn begin_anew(work: &Path) -> io::Result<()> {
    match fs::remove_dir_all(work) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
        _ => {}
    }
    let mut folder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(work)
}

/// Without the database, which comes last, the rest is no server, and a start says so.
fn move_up(work: &Path, folder: &Path) -> io::Result<()> {
    for name in FILES {
        sync_folder(folder)?;
        fs::rename(work.join(name), folder.join(name))?;
    }
    sync_folder(folder)
}

fn said(why: impl Display) -> String {
    why.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_with_anything_of_a_server_is_refused() {
        for name in ["draw960.db", "draw960.key", "draw960.highwater", "draw960.db-wal", "draw960.custody-copy"] {
            let refused = check_folder(folder(&[name, "draw960.lock"]).path()).unwrap_err();
            assert!(refused.contains(name) && refused.contains("--data"), "{refused}");
        }
        for names in [&[][..], &["draw960.lock"], &["lost+found", "notes.txt"]] {
            assert_eq!(check_folder(folder(names).path()), Ok(()), "{names:?}");
        }
        assert!(check_folder(Path::new("no/such/folder")).unwrap_err().contains("no/such/folder"));
    }

    #[test]
    fn what_a_takeover_cut_short_left_is_in_nobodys_way() {
        assert_eq!(check_folder(folder(&[UNDER_WAY, "draw960.key", "draw960.highwater"]).path()), Ok(()));
        assert!(check_folder(folder(&[UNDER_WAY, "draw960.key", "draw960.db"]).path()).is_err());
        assert!(check_folder(folder(&[UNDER_WAY, "draw960.db-wal"]).path()).is_err());
    }
}
