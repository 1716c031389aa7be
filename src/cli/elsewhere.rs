//! What others hold of the log, named on the command line.

use crate::custody::Elsewhere;
use clap::Args;
use std::{
    fs,
    path::{Path, PathBuf},
};

#[derive(Debug, Args)]
pub struct Named {
    /// A witness of the log, asked whether it has seen more; may be repeated
    #[arg(long, value_name = "URL")]
    witness: Vec<String>,
    /// A checkpoint of the log that somebody kept, as /api/v1/log/checkpoint shows it; may be repeated
    #[arg(long, value_name = "FILE")]
    checkpoint: Vec<PathBuf>,
}

impl Named {
    /// Reads the files.
    pub fn read(&self) -> Result<Elsewhere, String> {
        let checkpoints = self.checkpoint.iter().map(|file| kept(file)).collect::<Result<_, _>>()?;
        Ok(Elsewhere { checkpoints, witnesses: self.witness.clone() })
    }
}

fn kept(file: &Path) -> Result<(String, String), String> {
    let name = file.display().to_string();
    fs::read_to_string(file).map(|text| (name.clone(), text)).map_err(|why| format!("{name}: {why}"))
}
