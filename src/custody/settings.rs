//! What is set about custody.

use super::{VARIABLE, given};
use crate::{config::Config, domain::custody::Passphrase};
use std::path::PathBuf;

/// Where copies go, and under which passphrase.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder, such as a mounted memory stick; it need not be there.
    pub folder: PathBuf,
    /// The passphrase of the copies.
    pub passphrase: Passphrase,
}

impl Settings {
    /// The settings in force; none when no folder is set.
    ///
    /// # Errors
    /// When there is no good passphrase: better noticed at the start than on the day when the copy is needed.
    pub fn of(config: &Config) -> Result<Option<Self>, String> {
        let Some(folder) = config.custody_folder() else { return Ok(None) };
        let file = config.custody_passphrase_file();
        let passphrase = given(file).map_err(|why| format!("settings: custody: {why}"))?;
        let missing = || format!("settings: custody_folder needs custody_passphrase_file, or {VARIABLE}");
        Ok(Some(Self { folder: folder.to_owned(), passphrase: passphrase.ok_or_else(missing)? }))
    }
}
