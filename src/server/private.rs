//! What lies in the data folder is its owner's alone.

use crate::{config::Config, custody::create_private, desk::StartError};
use std::{fs, io, path::Path};

/// Makes the file of a new database before SQLite does, which would let everybody on the machine read it. An empty file is a
/// new database; the files beside it get the same mode.
///
/// # Errors
/// When it cannot be made.
pub fn make_database(config: &Config) -> Result<(), StartError> {
    let file = config.database();
    match create_private(&file) {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists => {
            Err(StartError(format!("the database {} cannot be made: {why}", file.display())))
        }
        _ => Ok(()),
    }
}

/// Warns of files that others on this machine can read: names of players in one, secrets in the others.
pub fn warn_of_readable(config: &Config) {
    let files = [Some(config.database()), Some(config.key_file()), config.custody_passphrase_file().map(Into::into)];
    for file in files.into_iter().flatten().filter(|file| is_readable_by_others(file)) {
        tracing::warn!(file = %file.display(), "others on this machine can read this file: chmod 600 takes that away");
    }
}

#[cfg(unix)]
fn is_readable_by_others(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let folder_is_open =
        file.parent().and_then(|folder| fs::metadata(folder).ok()).is_none_or(|of| of.mode() & 0o011 != 0);
    folder_is_open && fs::metadata(file).is_ok_and(|of| of.mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn is_readable_by_others(_: &Path) -> bool {
    false
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_file_is_readable_by_others_only_in_a_folder_that_they_may_enter() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("draw960.key");
        fs::write(&file, "").unwrap();
        for (of_folder, of_file, readable) in
            [(0o755, 0o644, true), (0o711, 0o604, true), (0o755, 0o600, false), (0o700, 0o644, false)]
        {
            mode(folder.path(), of_folder);
            mode(&file, of_file);
            assert_eq!(is_readable_by_others(&file), readable, "{of_folder:o} {of_file:o}");
        }
        assert!(!is_readable_by_others(&folder.path().join("missing")));
    }

    #[test]
    fn a_new_database_is_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { data: folder.path().into(), ..Config::default() };
        for _ in 0..2 {
            make_database(&config).unwrap();
            assert_eq!(fs::metadata(config.database()).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
