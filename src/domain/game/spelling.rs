//! Spellings that mean one thing and are not the canonical one.

use super::{
    board::Found,
    fault::placed,
    finding::{Finding, FindingCode as C},
    findings::Findings,
    notation::{Liberties, Mark, PieceMove, Said, Written},
    pgn::text::excerpt,
    replay::Word,
};

/// Whether anything about a spelling is worth a closer look: seldom.
#[inline]
pub fn is_doubtful(found: &Found, written: &Written) -> bool {
    !written.liberties.is_empty()
        || match &written.said {
            Said::Piece(piece) => {
                piece.capture != found.mv.is_capture()
                    || piece.file.is_some() != found.file
                    || piece.rank.is_some() != found.rank
            }
            _ => false,
        }
}

/// Finds what is not canonical about a legal move.
#[cold]
pub fn look(findings: &mut Findings, found: &Found, written: &Written, word: Word<'_>, ply: u32) {
    let mut add = |code: C, what: &str| {
        let message = format!("\"{}\" is read, but {what}", excerpt(word.text));
        findings.add_once(placed(Finding::new(code, message), ply, word));
    };
    for (liberty, code, what) in LIBERTIES {
        if written.liberties.has(liberty) {
            add(code, what);
        }
    }
    if written.liberties.has(Liberties::EN_PASSANT) && !found.mv.is_en_passant() {
        add(C::SpellingEnPassant, "it is not an en passant capture");
    }
    if let Said::Piece(piece) = &written.said {
        look_at_piece(&mut add, found, written, piece);
    }
}

const LIBERTIES: [(Liberties, C, &str); 5] = [
    (Liberties::CASTLING, C::SpellingCastling, "PGN writes castling O-O and O-O-O, with capital letters O and hyphens"),
    (Liberties::LONG, C::SpellingLong, "PGN leaves out the square of departure where it is not needed"),
    (Liberties::PROMOTION, C::SpellingPromotion, "PGN writes promotion with = and a capital letter"),
    (Liberties::PAWN, C::SpellingPawn, "PGN writes pawn moves without a letter for the pawn"),
    (Liberties::MISC, C::SpellingMisc, "it has a sign that PGN does not use"),
];

fn look_at_piece(add: &mut impl FnMut(C, &str), found: &Found, written: &Written, piece: &PieceMove) {
    if piece.capture && !found.mv.is_capture() {
        add(C::SpellingNoCapture, "nothing is captured");
    } else if !piece.capture && found.mv.is_capture() {
        add(C::SpellingCapture, "PGN writes a capture with x");
    }
    let needed = (found.file, found.rank);
    if !written.liberties.has(Liberties::LONG) && (piece.file.is_some(), piece.rank.is_some()) != needed {
        add(C::SpellingOrigin, "PGN gives file or rank of departure only where, and as far as, it is needed");
    }
}

/// Finds a check or mate mark that is missing or wrong. Whether a check is mate is only known here when it is marked so.
#[cold]
pub fn look_at_mark(findings: &mut Findings, check: bool, mate: bool, mark: Mark, word: Word<'_>, ply: u32) {
    let (code, what) = match mark {
        Mark::None if check => (C::SpellingCheck, "the check is not marked"),
        Mark::Check | Mark::Double if !check => (C::SpellingNoCheck, "it gives no check"),
        Mark::Mate if !mate => (C::SpellingNoCheck, "it does not give mate"),
        _ => return,
    };
    let message = format!("\"{}\" is read, but {what}", excerpt(word.text));
    findings.add_once(placed(Finding::new(code, message), ply, word));
}
