//! Where a passphrase comes from when nobody is asked: a file or the environment, never a flag.

use crate::domain::custody::{LONGEST_PASSPHRASE, Passphrase};
use std::{env, fs::File, io::Read, path::Path};
use zeroize::Zeroizing;

/// The variable that may hold it.
pub const VARIABLE: &str = "DRAW960_PASSPHRASE";
/// As much of a file is read: one that is too long is then seen to be, and not cut.
const MOST: usize = LONGEST_PASSPHRASE + 3;

/// The passphrase in a file's only line, or in the environment; none when there is neither. The file wins.
///
/// # Errors
/// When the one that is named is not there or not good. The sentence names the place, never the text.
pub fn given(file: Option<&Path>) -> Result<Option<Passphrase>, String> {
    match file {
        Some(file) => from_file(file).map(Some),
        None => from_environment(),
    }
}

fn from_file(file: &Path) -> Result<Passphrase, String> {
    let failed = |why: String| format!("the passphrase file {}: {why}", file.display());
    let mut text = Zeroizing::new(String::with_capacity(MOST + 1));
    let read = File::open(file).and_then(|opened| opened.take(MOST as u64).read_to_string(&mut text));
    read.map_err(|why| failed(why.to_string()))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    Passphrase::new(Zeroizing::new(line.to_owned())).map_err(|why| failed(why.to_string()))
}

fn from_environment() -> Result<Option<Passphrase>, String> {
    match env::var(VARIABLE) {
        Err(env::VarError::NotPresent) => Ok(None),
        // Its value is not repeated, though the error would.
        Err(env::VarError::NotUnicode(_)) => Err(format!("{VARIABLE} is not valid text")),
        Ok(text) => Passphrase::new(Zeroizing::new(text)).map(Some).map_err(|why| format!("{VARIABLE}: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_one_line_and_is_never_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("passphrase");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            given(Some(&file))
        };
        let expected = Passphrase::new(Zeroizing::new("correct horse battery".into())).unwrap();
        for text in ["correct horse battery", "correct horse battery\n", "correct horse battery\r\n"] {
            assert!(read(text).unwrap().unwrap().is(&expected), "{text:?}");
        }
        for text in ["", "\n", "short\n", "correct horse battery\nmore\n", "correct horse battery \n"] {
            let why = read(text).unwrap_err();
            assert!(why.contains("passphrase file") && !why.contains("correct") && !why.contains("short\n"), "{why}");
        }
        for (length, right) in [(1024, true), (1025, false), (1026, false), (5000, false)] {
            assert_eq!(read(&format!("{}\n", "x".repeat(length))).is_ok(), right, "{length}");
        }
        assert!(given(Some(&folder.path().join("none"))).unwrap_err().contains("none"));
    }
}
