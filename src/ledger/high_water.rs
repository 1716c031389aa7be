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

    /// Takes the file out of the way, as evidence beside its place; answers where it lies, if there was one.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn set_aside(&self) -> io::Result<Option<PathBuf>> {
        let mut names = (1..).map(|n| self.0.with_extension(format!("highwater.before-recovery-{n}")));
        let aside = names.find(|name| !name.exists()).expect("names do not end");
        match fs::rename(&self.0, &aside) {
            Ok(()) => Ok(Some(aside)),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Undoes [`HighWater::set_aside`].
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn put_back(&self, aside: &Path) -> io::Result<()> {
        fs::rename(aside, &self.0)
    }

    /// Takes the file away.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.0)
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
    #[test]
    fn what_is_set_aside_is_kept_and_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = HighWater::in_folder(folder.path());
        assert_eq!(file.set_aside().unwrap(), None);
        file.write("a\n").unwrap();
        let first = file.set_aside().unwrap().unwrap();
        file.write("b\n").unwrap();
        let second = file.set_aside().unwrap().unwrap();
        assert_ne!(first, second);
        assert_eq!((fs::read_to_string(&first).unwrap().as_str(), file.read().unwrap()), ("a\n", None));
        file.put_back(&second).unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some("b\n"));
        file.remove().unwrap();
        assert_eq!(file.read().unwrap(), None);
    }
}
