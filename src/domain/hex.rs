//! Lower-case hexadecimal, the only spelling of bytes in `draw960/v1`.

/// The bytes as lower-case hex digits.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    push(&mut text, bytes);
    text
}

/// Appends the bytes as lower-case hex digits. By table: a draw spells some four hundred bytes, and the formatter takes
/// longer for them than all hashing.
pub(super) fn push(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The N bytes that 2 N lower-case hex digits spell.
pub(super) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !is_lower_hex(text) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0]) << 4 | digit(pair[1]);
    }
    Some(bytes)
}

/// Whether all characters are lower-case hex digits.
pub(super) fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn digit(letter: u8) -> u8 {
    if letter.is_ascii_digit() { letter - b'0' } else { letter - b'a' + 10 }
}
