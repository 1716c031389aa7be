//! Exactly one server per data folder: two would release, and number the log, side by side.

use crate::desk::StartError;
use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

/// Held while a server uses the folder; the operating system lets go of it when the process ends, however it ends.
pub struct DataLock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl DataLock {
    /// Takes the folder, or says who has it.
    ///
    /// # Errors
    /// When there is no such folder or another server uses it.
    pub fn take(folder: &Path) -> Result<Self, StartError> {
        let path = folder.join("draw960.lock");
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        let file = opened.map_err(|why| StartError(format!("the data folder {}: {why}", folder.display())))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                let folder = folder.display();
                Err(StartError(format!(
                    "another draw960 serves the data folder {folder}. Stop it first, or give this one a folder of its own with --data"
                )))
            }
            Err(TryLockError::Error(why)) => Err(StartError(format!("{} cannot be locked: {why}", path.display()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_until_the_first_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let first = DataLock::take(folder.path()).unwrap();
        let refused = DataLock::take(folder.path()).err().unwrap();
        assert!(refused.0.starts_with("another draw960 serves"), "{refused}");
        drop(first);
        assert!(DataLock::take(folder.path()).is_ok());
    }
}
