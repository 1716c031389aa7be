//! Small spellings that the texts of the log share: base64 and decimal numbers, each in one way only.

use super::Hash32;
use base64::{Engine, engine::general_purpose::STANDARD};

/// RFC 4648 section 4, with padding.
pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of a base64 text with its padding and without stray bits.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// The hash of a base64 text.
pub(super) fn decode_hash(text: &str) -> Option<Hash32> {
    decode(text)?.try_into().ok().map(Hash32::from_bytes)
}

/// A decimal number without sign, blanks and leading zeros.
pub(super) fn decimal(text: &str) -> Option<u64> {
    let number = text.parse::<u64>().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_only() {
        assert_eq!((decimal("0"), decimal("18446744073709551615")), (Some(0), Some(u64::MAX)));
        for text in ["", "00", "01", "+1", "-1", " 1", "1 ", "1.0", "18446744073709551616", "٣"] {
            assert_eq!(decimal(text), None, "{text:?}");
        }
        assert_eq!(decode("AA=="), Some(vec![0]));
        for text in ["AA", "AA=", "AB==", "AA==\n", " AA==", "A-==", "AA==AA=="] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
