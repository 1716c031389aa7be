//! The signed note: a text and who signed it (c2sp.org/signed-note).

use super::{
    note_key::{LogKey, LogSigner, VerifierKey, is_key_name},
    text,
};
use std::{fmt, str::FromStr};

/// More signatures than this are refused unread.
const MOST_SIGNATURES: usize = 64;

/// A text with signature lines. That it parses says nothing about the signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedNote {
    text: String,
    signatures: Vec<SignatureLine>,
}

/// One line under a note: who says to have signed it, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureLine {
    pub(super) name: String,
    pub(super) id: [u8; 4],
    pub(super) signature: Vec<u8>,
}

/// Why a note is unreadable or not to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadNote {
    /// A control character other than LF.
    ControlCharacter,
    /// No text, no blank line after it, or no LF at the end.
    Layout,
    /// A line under the text is not `— <name> <base64>`.
    SignatureLine,
    /// More signatures than anyone needs.
    TooManySignatures,
    /// The expected key has not signed.
    NotSigned,
    /// A signature of the expected key is wrong: the text was changed or the key is another.
    WrongSignature,
}

impl fmt::Display for BadNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ControlCharacter => "a note has no control characters but line feeds",
            Self::Layout => "a note is a text, a blank line and at least one signature line, each ended by a line feed",
            Self::SignatureLine => "a signature line is an em dash, a name and base64, with single blanks between",
            Self::TooManySignatures => "the note has more than 64 signatures",
            Self::NotSigned => "the note is not signed by the expected key",
            Self::WrongSignature => "the signature does not fit the text",
        })
    }
}

impl std::error::Error for BadNote {}

impl SignedNote {
    /// Signs a text, which ends with LF.
    ///
    /// # Errors
    /// When no note can hold the text.
    pub fn sign(text: &str, signer: &LogSigner) -> Result<Self, BadNote> {
        let key = signer.verifier();
        let line = SignatureLine::by(&key, signer.sign(text.as_bytes()).to_vec());
        // What could not be read back is not signed.
        Self { text: text.into(), signatures: vec![line] }.to_string().parse()
    }

    /// The signed text, ended by LF.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signature lines in their order.
    pub fn signatures(&self) -> &[SignatureLine] {
        &self.signatures
    }

    /// Adds a line, for instance a cosignature; the same line twice is one.
    pub fn add(&mut self, line: SignatureLine) {
        if !self.signatures.contains(&line) {
            self.signatures.push(line);
        }
    }

    /// Checks that the key has signed the text. Lines of other keys are ignored, as anyone may add some.
    ///
    /// # Errors
    /// When it has not, or one of its lines is wrong.
    pub fn verify(&self, key: &LogKey) -> Result<(), BadNote> {
        let mut signed = Err(BadNote::NotSigned);
        for line in self.lines_of(key) {
            if !key.has_signed(self.text.as_bytes(), &line.signature) {
                return Err(BadNote::WrongSignature);
            }
            signed = Ok(());
        }
        signed
    }

    pub(super) fn lines_of<const TYPE: u8>(&self, key: &VerifierKey<TYPE>) -> impl Iterator<Item = &SignatureLine> {
        let (name, id) = (key.name().to_owned(), key.id());
        self.signatures.iter().filter(move |line| line.name == name && line.id == id)
    }
}

impl SignatureLine {
    pub(super) fn by<const TYPE: u8>(key: &VerifierKey<TYPE>, signature: Vec<u8>) -> Self {
        Self { name: key.name().into(), id: key.id(), signature }
    }

    /// The name of the key that says to have signed.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for SignatureLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&self.id[..], &self.signature].concat();
        write!(f, "— {} {}", self.name, text::encode(&bytes))
    }
}

impl FromStr for SignatureLine {
    type Err = BadNote;

    fn from_str(line: &str) -> Result<Self, BadNote> {
        let rest = line.strip_prefix("— ").ok_or(BadNote::SignatureLine)?;
        let (name, base64) =
            rest.split_once(' ').filter(|(name, _)| is_key_name(name)).ok_or(BadNote::SignatureLine)?;
        match text::decode(base64).as_deref() {
            Some([a, b, c, d, signature @ ..]) if !signature.is_empty() => {
                Ok(Self { name: name.into(), id: [*a, *b, *c, *d], signature: signature.to_vec() })
            }
            _ => Err(BadNote::SignatureLine),
        }
    }
}

impl fmt::Display for SignedNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl FromStr for SignedNote {
    type Err = BadNote;

    fn from_str(note: &str) -> Result<Self, BadNote> {
        if note.chars().any(|c| c < ' ' && c != '\n') {
            return Err(BadNote::ControlCharacter);
        }
        let lines = note.strip_suffix('\n').ok_or(BadNote::Layout)?;
        // Texts may have blank lines themselves: the last one divides.
        let (text, signatures) =
            lines.rsplit_once("\n\n").filter(|(text, _)| !text.is_empty()).ok_or(BadNote::Layout)?;
        if signatures.split('\n').count() > MOST_SIGNATURES {
            return Err(BadNote::TooManySignatures);
        }
        let signatures = signatures.split('\n').map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { text: format!("{text}\n"), signatures })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signer() -> LogSigner {
        LogSigner::from_seed("draw960.local/0a0b0c0d", &[3; 32]).unwrap()
    }

    #[test]
    fn a_foreign_note_is_read() {
        let foreign = "Pirmas ratas\n\nantras ratas šį vakarą\n\n— arbiter.example/žaidimas AAECAwQF\n— b AAAAAAA=\n";
        let note: SignedNote = foreign.parse().unwrap();
        assert_eq!(note.to_string(), foreign);
        assert_eq!(note.text(), "Pirmas ratas\n\nantras ratas šį vakarą\n");
        assert_eq!(note.signatures()[0].name(), "arbiter.example/žaidimas");
        assert_eq!((note.signatures()[0].id, &note.signatures()[0].signature[..]), ([0, 1, 2, 3], &[4, 5][..]));
        assert_eq!(note.verify(&signer().verifier()), Err(BadNote::NotSigned));
    }

    #[test]
    fn signed_and_verified() {
        let note = SignedNote::sign("a\n\nb\n", &signer()).unwrap();
        assert_eq!(note.to_string().parse(), Ok(note.clone()));
        assert_eq!(note.verify(&signer().verifier()), Ok(()));
        let other = LogSigner::from_seed("draw960.local/0a0b0c0d", &[4; 32]).unwrap();
        assert_eq!(note.verify(&other.verifier()), Err(BadNote::NotSigned));
        let changed: SignedNote = note.to_string().replacen('a', "c", 1).parse().unwrap();
        assert_eq!(changed.verify(&signer().verifier()), Err(BadNote::WrongSignature));
        // A wrong line beside a right one is not overlooked.
        let mut doubled = note.clone();
        doubled.add(SignatureLine { signature: vec![0; 64], ..note.signatures()[0].clone() });
        assert_eq!(doubled.verify(&signer().verifier()), Err(BadNote::WrongSignature));
        for text in ["", "a", "\n", "a\tb\n"] {
            assert!(SignedNote::sign(text, &signer()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn every_slip_is_refused() {
        let note = SignedNote::sign("a\n", &signer()).unwrap().to_string();
        let cases = [
            (note.trim_end().to_owned(), BadNote::Layout),
            (format!("{note}\n"), BadNote::SignatureLine),
            (note.replace("\n\n", "\n"), BadNote::Layout),
            (note.replace('\n', "\r\n"), BadNote::ControlCharacter),
            (note.replace("a\n", "a\t\n"), BadNote::ControlCharacter),
            (note.replace("— ", "- "), BadNote::SignatureLine),
            (note.replace("— ", "—  "), BadNote::SignatureLine),
            (note.replace("— ", "—\u{a0}"), BadNote::SignatureLine),
            (note.replace("=\n", "= \n"), BadNote::SignatureLine),
            (note.replace("=\n", "\n"), BadNote::SignatureLine),
            (format!("{note}x\n"), BadNote::SignatureLine),
            ("a\n\n— name AAAAAA==\n".into(), BadNote::SignatureLine),
            (format!("a\n\n{}", "— name AAAAAAA=\n".repeat(65)), BadNote::TooManySignatures),
        ];
        for (text, why) in cases {
            assert_eq!(text.parse::<SignedNote>(), Err(why), "{text:?}");
        }
        assert!(format!("a\n\n{}", "— name AAAAAAA=\n".repeat(64)).parse::<SignedNote>().is_ok());
    }

    proptest! {
        #[test]
        fn reading_is_total_and_exact(soup in "(\\PC|\n|—| |[A-Za-z0-9+/=]){0,80}") {
            if let Ok(note) = soup.parse::<SignedNote>() {
                prop_assert_eq!(note.to_string(), soup);
            }
        }

        #[test]
        fn what_is_written_is_read(text in "([a-z— \n]{0,20}\n)", name in "[a-z./0-9]{1,9}") {
            let signer = LogSigner::from_seed(&name, &[5; 32]).unwrap();
            if let Ok(note) = SignedNote::sign(&text, &signer) {
                prop_assert_eq!(note.text(), text);
                prop_assert_eq!(note.verify(&signer.verifier()), Ok(()));
            }
        }
    }
}
