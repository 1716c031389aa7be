//! The canonical spellings of a move: SAN and UCI.

use super::board::Found;
use crate::domain::rules::{Move, Role, Square};

/// A move as it is spelled: few enough bytes to be put together in a register and written at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spelled {
    bytes: u128,
    bits: u32,
}

impl Spelled {
    /// Adds a byte; a move has never more than nine.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        self.bytes |= u128::from(byte) << (self.bits & 127);
        self.bits += 8;
    }

    #[inline]
    fn square(&mut self, square: Square) {
        let [file, rank] = square_bytes(square);
        self.push(file);
        self.push(rank);
    }

    /// Appends it to a line.
    #[inline]
    pub fn append_to(&self, line: &mut Vec<u8>) {
        let length = line.len() + (self.bits / 8) as usize;
        line.extend_from_slice(&self.bytes.to_le_bytes());
        line.truncate(length);
    }
}

/// Spells a move in canonical SAN, without check or mate sign.
#[inline]
pub fn spell_san(san: &mut Spelled, found: &Found) {
    if let Move::Castle { king, rook } = found.mv {
        let letters: &[u8] = if king.file() < rook.file() { b"O-O" } else { b"O-O-O" };
        return letters.iter().for_each(|letter| san.push(*letter));
    }
    let mv = found.mv;
    if mv.role() != Role::Pawn {
        san.push(letter(mv.role()));
    }
    if let Some(from) = mv.from() {
        let [file, rank] = square_bytes(from);
        if found.file {
            san.push(file);
        }
        if found.rank {
            san.push(rank);
        }
    }
    if mv.is_capture() {
        san.push(b'x');
    }
    san.square(mv.to());
    if let Some(piece) = mv.promotion() {
        san.push(b'=');
        san.push(letter(piece));
    }
}

/// Spells a move in UCI, with a blank behind it; castling is king takes rook.
#[inline]
pub fn spell_uci(mv: Move) -> Spelled {
    let mut uci = Spelled::default();
    if let Some(from) = mv.from() {
        uci.square(from);
    }
    uci.square(mv.to());
    if let Some(piece) = mv.promotion() {
        uci.push(letter(piece).to_ascii_lowercase());
    }
    uci.push(b' ');
    uci
}

/// English letter of a piece.
#[inline]
fn letter(role: Role) -> u8 {
    b"?PNBRQK"[role as usize % 7]
}

#[inline]
fn square_bytes(square: Square) -> [u8; 2] {
    let n = u32::from(square) as u8;
    [b'a' + (n & 7), b'1' + (n >> 3)]
}
