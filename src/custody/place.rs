//! Files that are whole or not there, and ours alone.

use crate::desk::create_private;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Makes the names in a folder durable. Not all file systems of memory sticks can be asked to.
///
/// # Errors
/// When the folder is not there, or its disk does not take it.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(why) if matches!(why.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// A copy of the database that is not sealed yet. It lies beside the database, never where the custody file goes, and goes away
/// with this value.
pub struct Plain(PathBuf);

impl Plain {
    /// Takes an empty file of this name for the copy.
    ///
    /// # Errors
    /// When there is one, or it cannot be made.
    pub fn take(path: PathBuf) -> io::Result<Self> {
        create_private(&path).map(|_| Self(path))
    }

    /// As [`Plain::take`]; one that was left by a process that was killed is thrown away.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn take_over(path: PathBuf) -> io::Result<Self> {
        match fs::remove_file(&path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
            _ => Self::take(path),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
