//! The high-water file: the newest checkpoint this server signed, kept outside the database, so that an older or cut
//! database is noticed before anything is signed over it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Where the newest signed checkpoint is kept: its three lines are origin, size and root, signed as everywhere.
#[derive(Clone, Debug)]
pub struct HighWater(PathBuf);

impl HighWater {
    /// The file of a data folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self(folder.join("draw960.highwater"))
    }

    /// A file like it, elsewhere.
    pub const fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// What it holds; none when there is no file.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn read(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(&self.0) {
            Ok(text) => Ok(Some(text)),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Keeps a checkpoint: durable, and never half of it, when this returns.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn write(&self, note: &str) -> io::Result<()> {
        let new = self.0.with_extension("new");
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&new)?;
        file.write_all(note.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.0)?;
        match self.0.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder) => File::open(folder)?.sync_all(),
            None => File::open(".")?.sync_all(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_last_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = HighWater::in_folder(folder.path());
        assert_eq!(file.read().unwrap(), None);
        for note in ["a longer note\n", "b\n"] {
            file.write(note).unwrap();
            assert_eq!(file.read().unwrap().as_deref(), Some(note));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
