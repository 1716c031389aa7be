//! Passphrases: from a file, the environment or the terminal. Never from a flag, which everybody on the machine can list.

use crate::{
    custody::{VARIABLE, given},
    domain::custody::Passphrase,
};
use clap::Args;
use std::{error::Error, path::PathBuf};
use zeroize::Zeroizing;

#[derive(Debug, Default, Args)]
pub struct Source {
    /// A file whose only line is the passphrase; else DRAW960_PASSPHRASE, else you are asked
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl Source {
    /// Whether a file is named for it.
    pub const fn is_named(&self) -> bool {
        self.passphrase_file.is_some()
    }

    /// The passphrase of a file that exists.
    pub fn known(&self) -> Result<Passphrase, Box<dyn Error>> {
        match given(self.passphrase_file.as_deref())? {
            Some(passphrase) => Ok(passphrase),
            None => Ok(ask("Passphrase of the custody file: ")?),
        }
    }

    /// The passphrase of a file to be made: asked for twice, because a slip is noticed only when it is too late.
    pub fn chosen(&self) -> Result<Passphrase, Box<dyn Error>> {
        if let Some(passphrase) = given(self.passphrase_file.as_deref())? {
            return Ok(passphrase);
        }
        let first = ask("Passphrase for the custody file, at least 12 characters: ")?;
        let again = ask("The same again: ")?;
        if first.is(&again) { Ok(first) } else { Err("the two passphrases are not the same".into()) }
    }
}

fn ask(prompt: &str) -> Result<Passphrase, String> {
    let typed = rpassword::prompt_password(prompt).map(Zeroizing::new);
    let typed = typed.map_err(|why| {
        format!("there is no terminal to ask for the passphrase ({why}): give --passphrase-file, or set {VARIABLE}")
    })?;
    Passphrase::new(typed).map_err(|why| why.to_string())
}
