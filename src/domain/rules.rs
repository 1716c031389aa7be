//! The rules of play: the one file that names the chess library.
//!
//! Everything else in this room takes its chess words from here, so that the library can be read about, upgraded or
//! replaced in one place. Castling is always the Chess960 kind, of which classical castling is a case.

pub use shakmaty::{
    Bitboard, Board, ByColor, ByRole, Castles, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File,
    FromSetup, Move, MoveList, Piece, Position, PositionErrorKinds, Rank, Role, Setup, Square, attacks, fen, san, uci,
};

/// Why a FEN is not a position that can be played from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAPosition {
    /// A FEN has six fields, or four as in EPD; this has another number.
    FieldCount(usize),
    /// A field that cannot be read, by name.
    Field(&'static str),
    /// The fields can be read, but the position cannot be one of a game; a sentence says why.
    Impossible(&'static str),
}

impl std::fmt::Display for NotAPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::FieldCount(n) => write!(f, "a FEN has six fields (or four, as in EPD); this has {n}"),
            Self::Field(name) => write!(f, "its {name} cannot be read"),
            Self::Impossible(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for NotAPosition {}

/// Reads any legal position, X-FEN or Shredder-FEN; four fields stand for counters `0 1`. Nothing is guessed: a right
/// that names no rook, pockets of other variants or a missing field make it unreadable.
///
/// # Errors
/// Why it is not a position.
pub fn read_fen(text: &str) -> Result<Chess, NotAPosition> {
    let fields = text.split_ascii_whitespace().count();
    if fields != 4 && fields != 6 {
        return Err(NotAPosition::FieldCount(fields));
    }
    let setup = fen::Fen::from_ascii(text.as_bytes()).map_err(|e| NotAPosition::Field(field_name(&e)))?.into_setup();
    if setup.pockets.is_some() || setup.remaining_checks.is_some() || setup.promoted.any() {
        return Err(NotAPosition::Field("placement"));
    }
    setup.position(CastlingMode::Chess960).map_err(|e| NotAPosition::Impossible(first_reason(e.kinds())))
}

fn field_name(error: &fen::ParseFenError) -> &'static str {
    use fen::ParseFenError as E;
    match error {
        E::InvalidTurn => "side to move",
        E::InvalidCastling => "castling field",
        E::InvalidEpSquare => "en passant square",
        E::InvalidHalfmoveClock => "halfmove clock",
        E::InvalidFullmoves => "move number",
        _ => "placement",
    }
}

/// The gravest reason in words.
fn first_reason(kinds: PositionErrorKinds) -> &'static str {
    use PositionErrorKinds as K;
    const REASONS: [(PositionErrorKinds, &str); 9] = [
        (K::EMPTY_BOARD, "the board is empty"),
        (K::MISSING_KING, "a king is missing"),
        (K::TOO_MANY_KINGS, "a side has more than one king"),
        (K::PAWNS_ON_BACKRANK, "a pawn stands on the first or eighth rank"),
        (K::INVALID_CASTLING_RIGHTS, "its castling field names a right for which king or rook do not stand"),
        (K::INVALID_EP_SQUARE, "its en passant square does not fit the pawns"),
        (K::OPPOSITE_CHECK, "the side that is not to move is in check"),
        (K::TOO_MUCH_MATERIAL, "a side has more pieces than promotions allow"),
        (K::IMPOSSIBLE_CHECK, "no move can have given this check"),
    ];
    REASONS.iter().find(|(kind, _)| kinds.contains(*kind)).map_or("the position is impossible", |(_, why)| why)
}

/// X-FEN: castling letters `KQkq` for the outermost rook, the file's letter for an inner one; en passant only if it can
/// be played.
pub fn x_fen(position: &Chess) -> String {
    fen::Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// Shredder-FEN: the castling field has the files of the rooks, the h-side first.
pub fn shredder_fen(position: &Chess) -> String {
    let x_fen = x_fen(position);
    let mut fields: Vec<&str> = x_fen.split(' ').collect();
    let rights = shredder_rights(position.castles());
    fields[2] = &rights;
    fields.join(" ")
}

/// The castling field of a Shredder-FEN.
pub fn shredder_rights(castles: &Castles) -> String {
    let mut field = String::new();
    for colour in [Color::White, Color::Black] {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            if let Some(rook) = castles.rook(colour, side) {
                field.push(colour.fold_wb(rook.file().upper_char(), rook.file().char()));
            }
        }
    }
    if field.is_empty() { "-".into() } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_an_inner_rook() {
        let position = read_fen("1bbqk1rr/1pppppp1/4n1n1/p6p/P6P/4N1N1/1PPPPPP1/1BBQK1RR w Gg - 10 8").unwrap();
        assert_eq!(x_fen(&position), "1bbqk1rr/1pppppp1/4n1n1/p6p/P6P/4N1N1/1PPPPPP1/1BBQK1RR w Gg - 10 8");
        let position = read_fen("rkbnrqnb/8/8/pppppppp/PPPPP3/B7/5PPP/1KRNRQNB b Kkq - 1 9").unwrap();
        assert!(shredder_fen(&position).contains(" b Eea - "));
    }

    #[test]
    fn nothing_is_guessed() {
        for fen in [
            "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w HEhe - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/5BN1/PPPPPPPP/RNBQ1RK1 b HQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/QQ w KQkq - 0 1",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "",
        ] {
            assert!(read_fen(fen).is_err(), "{fen}");
        }
    }
}
