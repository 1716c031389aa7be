//! Writing and reading a custody file, one chunk at a time.

use crate::domain::custody::{
    BadCustody, CHUNK, Contents, CustodyKey, Header, LONGEST_LINE, Opener, Passphrase, SEALED_CHUNK, Sealer,
};
use std::io::{self, BufRead, Read, Write};
use zeroize::Zeroizing;

/// Writes a custody file: contents and database, sealed. The nonce is fresh.
///
/// # Errors
/// Of either side; then what was written is no custody file.
pub fn seal(
    key: &CustodyKey,
    nonce: [u8; 19],
    contents: &Contents,
    database: impl Read,
    out: &mut impl Write,
) -> io::Result<()> {
    let header = key.header(nonce);
    out.write_all(header.to_string().as_bytes())?;
    let (mut sealer, head) = (Sealer::new(key, &header), contents.bytes().map_err(io::Error::other)?);
    let mut source = head.as_slice().chain(database);
    let mut chunk = next(&mut source, CHUNK)?;
    loop {
        // Only who knows what follows knows whether this is the last.
        let following = next(&mut source, CHUNK)?;
        let last = following.is_empty();
        out.write_all(&sealer.seal(&chunk, last).map_err(io::Error::other)?)?;
        if last {
            return Ok(());
        }
        chunk = following;
    }
}

/// A custody file whose first chunk was opened. Nothing of the rest is known to be whole before all of it was read.
pub struct Reader<R> {
    source: R,
    opener: Opener,
    sealed: Zeroizing<Vec<u8>>,
    beginning: Zeroizing<Vec<u8>>,
}

impl<R: BufRead> Reader<R> {
    /// Opens the file as far as its first chunk.
    ///
    /// # Errors
    /// When it is no custody file, the passphrase is another, or it cannot be read.
    pub fn open(mut source: R, passphrase: &Passphrase) -> io::Result<(Contents, Self)> {
        let header = line_of(&mut source)?;
        let key = CustodyKey::of(&header, passphrase).map_err(invalid)?;
        let (mut opener, first) = (Opener::new(&key, &header), next(&mut source, SEALED_CHUNK)?);
        let sealed = next(&mut source, SEALED_CHUNK)?;
        let chunk = opener.open(&first, sealed.is_empty()).map_err(invalid)?;
        let (contents, beginning) = Contents::split(&chunk).map_err(invalid)?;
        let beginning = Zeroizing::new(beginning.to_vec());
        Ok((contents, Self { source, opener, sealed, beginning }))
    }

    /// Writes the database out, to the end of the file.
    ///
    /// # Errors
    /// When a chunk is not the one that was written, or either side fails; then what was written out is worthless.
    pub fn database(mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.beginning)?;
        while !self.sealed.is_empty() {
            let following = next(&mut self.source, SEALED_CHUNK)?;
            let chunk = self.opener.open(&self.sealed, following.is_empty()).map_err(invalid)?;
            out.write_all(&chunk)?;
            self.sealed = following;
        }
        Ok(())
    }
}

/// The first line of a custody file.
///
/// # Errors
/// When it is none.
pub fn line_of(source: &mut impl BufRead) -> io::Result<Header> {
    let mut line = Vec::new();
    source.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line)?;
    let line = String::from_utf8(line).map_err(|_| invalid(BadCustody::NotOne))?;
    line.parse().map_err(invalid)
}

/// Up to so many bytes; fewer only at the end.
fn next(source: &mut impl Read, most: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    // Never moved while it grows: it may hold the key.
    let mut bytes = Zeroizing::new(Vec::with_capacity(most + 1));
    source.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn invalid(why: BadCustody) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::custody::Costs;

    const CHEAP: Costs = Costs { memory: 8, passes: 1, lanes: 1 };

    fn passphrase(text: &str) -> Passphrase {
        Passphrase::new(Zeroizing::new(text.into())).unwrap()
    }

    fn right() -> Passphrase {
        passphrase("correct horse battery")
    }

    fn contents() -> Contents {
        Contents { key: Zeroizing::new([5; 32]), checkpoint: "draw960.local/0a0b0c0d\n3\n".into() }
    }

    fn written(database: &[u8]) -> Vec<u8> {
        let key = CustodyKey::derive(&right(), CHEAP, [7; 16]).unwrap();
        let mut file = Vec::new();
        seal(&key, [9; 19], &contents(), database, &mut file).unwrap();
        file
    }

    fn read(file: &[u8], passphrase: &Passphrase) -> Result<(Contents, Vec<u8>), BadCustody> {
        let known = |why: io::Error| *why.get_ref().unwrap().downcast_ref::<BadCustody>().unwrap();
        let (contents, reader) = Reader::open(file, passphrase).map_err(known)?;
        let mut database = Vec::new();
        reader.database(&mut database).map_err(known)?;
        Ok((contents, database))
    }

    /// Around every border of a chunk, the head included.
    #[test]
    fn databases_of_every_length_come_back() {
        let head = contents().bytes().unwrap().len();
        let lengths = [0, 1, CHUNK - head - 1, CHUNK - head, CHUNK - head + 1, 2 * CHUNK - head, 3 * CHUNK];
        for length in lengths {
            let database: Vec<u8> = (0..length).map(|i| i as u8).collect();
            assert_eq!(read(&written(&database), &right()), Ok((contents(), database)), "{length}");
        }
    }

    #[test]
    fn every_altered_byte_is_refused() {
        let file = written(b"a small database");
        for i in 0..file.len() {
            let mut altered = file.clone();
            altered[i] ^= 1;
            assert!(read(&altered, &right()).is_err(), "byte {i}");
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_refused() {
        let file = written(&vec![1; 2 * CHUNK]);
        let line = file.iter().position(|b| *b == b'\n').unwrap() + 1;
        assert_eq!(read(&file[..line + SEALED_CHUNK], &right()), Err(BadCustody::Cut(1)));
        assert_eq!(read(&file[..line + 2 * SEALED_CHUNK], &right()), Err(BadCustody::Cut(2)));
        for cut in [0, 1, line - 1, line, line + 1, line + SEALED_CHUNK - 1, line + SEALED_CHUNK + 1, file.len() - 1] {
            assert!(read(&file[..cut], &right()).is_err(), "{cut}");
        }
        let longer = [&file[..], b"x"].concat();
        assert_eq!(read(&longer, &right()), Err(BadCustody::Damaged(2)));
        let missing = [&file[..line], &file[line + SEALED_CHUNK..]].concat();
        assert_eq!(read(&missing, &right()), Err(BadCustody::Damaged(0)));
    }

    #[test]
    fn wrong_passphrase_and_damage_are_told_apart() {
        let mut file = written(b"a small database");
        assert_eq!(read(&file, &passphrase("correct horse buttery")), Err(BadCustody::WrongPassphrase));
        *file.last_mut().unwrap() ^= 1;
        assert_eq!(read(&file, &right()), Err(BadCustody::Damaged(0)));
        for other in [&b"SQLite format 3\0"[..], b"", &[b'x'; 100_000], b"draw960-custody/"] {
            assert!(matches!(read(other, &right()), Err(BadCustody::NotOne | BadCustody::OtherVersion)));
        }
    }
}
