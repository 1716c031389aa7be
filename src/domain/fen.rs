//! FEN of any legal position: read with a reason for every refusal, written as X-FEN and as Shredder-FEN.
//!
//! Nothing is dropped or guessed: a castling letter that names no rook, an impossible en passant square or a field too
//! many is refused. X-FEN's `KQkq` mean the outermost rook on that side of the king; a file letter names any rook.

use super::rules::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, File, FromSetup, Position, PositionErrorKinds, Role,
    Setup, Square, fen::Fen,
};
use std::{fmt, num::NonZeroU32};

/// Counters beyond this are a slip of the pen, not a game.
const LARGEST_COUNTER: u32 = 9_999;

/// A position read from a FEN.
#[derive(Clone, Debug)]
pub struct FenPosition {
    /// The position as data; its en passant square is there only when such a capture is legal.
    pub setup: Setup,
    /// The same, ready to be played from.
    pub position: Chess,
}

/// Why a FEN is not a legal position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadFenError {
    /// A FEN has four fields (EPD) or six; this has another number.
    FieldCount(usize),
    /// The placement is not eight ranks of eight squares with English piece letters.
    Placement,
    /// The turn is neither `w` nor `b`.
    Turn,
    /// The castling field holds something that is not a castling letter.
    CastlingLetter(char),
    /// A castling letter for a colour whose king is not on its back rank.
    CastlingKing(char),
    /// A castling letter that names no rook of that colour.
    CastlingRook(char),
    /// Two castling letters name one rook, or two rooks on one side of the king.
    CastlingTwice(char),
    /// The en passant field is not `-` or a square.
    EnPassantSquare,
    /// No pawn has just advanced two squares over the en passant square.
    EnPassantPawn,
    /// A counter is not a number from 0 to 9999.
    Counter,
    /// The pieces cannot stand like that in any game: the reasons.
    Illegal(Vec<&'static str>),
}

impl fmt::Display for ReadFenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldCount(n) => write!(f, "a FEN has six fields (or four, as in EPD); this has {n}"),
            Self::Placement => {
                f.write_str("the placement is eight ranks of eight squares, with pieces KQRBNP and kqrbnp")
            }
            Self::Turn => f.write_str("the second field of a FEN is w or b"),
            Self::CastlingLetter(c) => {
                write!(f, "{c:?} is not a castling letter; they are K, Q, k, q and rooks' files")
            }
            Self::CastlingKing(c) => {
                write!(f, "castling letter {c} gives a right to a player whose king is not on its own first rank")
            }
            Self::CastlingRook(c) => write!(f, "castling letter {c} names no rook of {}", owner(*c)),
            Self::CastlingTwice(c) => {
                write!(f, "castling letter {c} gives {} a second right on one side of the king", owner(*c))
            }
            Self::EnPassantSquare => f.write_str("the fourth field of a FEN is - or the en passant square"),
            Self::EnPassantPawn => f.write_str("no pawn has just advanced two squares over the en passant square"),
            Self::Counter => f.write_str("the fifth and sixth fields of a FEN are counters, from 0 to 9999"),
            Self::Illegal(why) => write!(f, "no game reaches this position: {}", why.join(", ")),
        }
    }
}

impl std::error::Error for ReadFenError {}

fn owner(letter: char) -> &'static str {
    super::naming::player(Color::from_white(letter.is_ascii_uppercase()))
}

/// Reads the FEN of a legal position: six fields or, as in EPD, four; castling as X-FEN, Shredder-FEN or mixed.
///
/// # Errors
/// The first reason why it is not one.
pub fn read_fen(fen: &str) -> Result<FenPosition, ReadFenError> {
    let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
    let (placement, turn, castling, ep, halfmoves, fullmoves) = match *fields.as_slice() {
        [placement, turn, castling, ep] => (placement, turn, castling, ep, "0", "1"),
        [placement, turn, castling, ep, halfmoves, fullmoves] => (placement, turn, castling, ep, halfmoves, fullmoves),
        _ => return Err(ReadFenError::FieldCount(fields.len())),
    };
    let board = read_placement(placement)?;
    let setup = Setup {
        turn: read_turn(turn)?,
        castling_rights: read_castling(castling, &board)?,
        ep_square: read_en_passant(ep)?,
        halfmoves: read_counter(halfmoves)?,
        // Some programs count from 0; the first move is number 1.
        fullmoves: NonZeroU32::new(read_counter(fullmoves)?).unwrap_or(NonZeroU32::MIN),
        board,
        ..Setup::empty()
    };
    let position = Chess::from_setup(setup, CastlingMode::Chess960).map_err(|error| illegal(error.kinds()))?;
    Ok(FenPosition { setup: position.to_setup(EnPassantMode::Legal), position })
}

/// The position of a FEN, ready to be played from.
///
/// # Errors
/// As [`read_fen`].
pub fn read_position(fen: &str) -> Result<Chess, ReadFenError> {
    read_fen(fen).map(|read| read.position)
}

fn read_placement(field: &str) -> Result<Board, ReadFenError> {
    // Two digits in a row would be two spellings of one rank.
    let doubled = field.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit));
    if doubled || field.contains('~') {
        return Err(ReadFenError::Placement);
    }
    Board::from_ascii_board_fen(field.as_bytes()).map_err(|_| ReadFenError::Placement)
}

fn read_turn(field: &str) -> Result<Color, ReadFenError> {
    match field {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        _ => Err(ReadFenError::Turn),
    }
}

/// The rooks with which castling is still possible.
fn read_castling(field: &str, board: &Board) -> Result<Bitboard, ReadFenError> {
    let mut rights = Bitboard::EMPTY;
    if field == "-" {
        return Ok(rights);
    }
    for letter in field.chars() {
        let (king, rook) = read_castling_letter(letter, board)?;
        let same_side =
            |other: Square| other.rank() == rook.rank() && (other.file() < king.file()) == (rook.file() < king.file());
        if rights.into_iter().any(same_side) {
            return Err(ReadFenError::CastlingTwice(letter));
        }
        rights.add(rook);
    }
    Ok(rights)
}

fn read_castling_letter(letter: char, board: &Board) -> Result<(Square, Square), ReadFenError> {
    let colour = Color::from_white(letter.is_ascii_uppercase());
    if !"abcdefghkq".contains(letter.to_ascii_lowercase()) {
        return Err(ReadFenError::CastlingLetter(letter));
    }
    let king = board.king_of(colour).filter(|king| king.rank() == colour.backrank());
    let king = king.ok_or(ReadFenError::CastlingKing(letter))?;
    let rooks = board.by_piece(Role::Rook.of(colour)) & colour.backrank();
    let rook = match letter.to_ascii_lowercase() {
        'k' => rooks.last().filter(|rook| rook.file() > king.file()),
        'q' => rooks.first().filter(|rook| rook.file() < king.file()),
        file => File::from_char(file)
            .map(|file| Square::from_coords(file, colour.backrank()))
            .filter(|square| rooks.contains(*square)),
    };
    Ok((king, rook.ok_or(ReadFenError::CastlingRook(letter))?))
}

fn read_en_passant(field: &str) -> Result<Option<Square>, ReadFenError> {
    if field == "-" { Ok(None) } else { field.parse().map(Some).map_err(|_| ReadFenError::EnPassantSquare) }
}

fn read_counter(field: &str) -> Result<u32, ReadFenError> {
    let digits = field.bytes().all(|byte| byte.is_ascii_digit());
    let number = field.parse().ok().filter(|number| digits && *number <= LARGEST_COUNTER);
    number.ok_or(ReadFenError::Counter)
}

/// Each kind of impossible position, in words.
const ILLEGAL: [(PositionErrorKinds, &str); 8] = [
    (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
    (PositionErrorKinds::MISSING_KING, "a king is missing"),
    (PositionErrorKinds::TOO_MANY_KINGS, "a player has more than one king"),
    (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
    (PositionErrorKinds::INVALID_CASTLING_RIGHTS, "the castling rights do not fit the pieces"),
    (PositionErrorKinds::OPPOSITE_CHECK, "the player who is not to move is in check"),
    (PositionErrorKinds::IMPOSSIBLE_CHECK, "no move can have given this check"),
    (PositionErrorKinds::TOO_MUCH_MATERIAL, "a player has more pieces than promotion can give"),
];

fn illegal(kinds: PositionErrorKinds) -> ReadFenError {
    if kinds == PositionErrorKinds::INVALID_EP_SQUARE {
        return ReadFenError::EnPassantPawn;
    }
    ReadFenError::Illegal(ILLEGAL.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, why)| *why).collect())
}

/// X-FEN: `KQkq` for the outermost rook of a side, the file's letter for an inner one; en passant only where legal.
pub fn x_fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// Shredder-FEN: the files of the castling rooks, the h-side first, `HAha`; en passant only where legal.
pub fn shredder_fen(position: &Chess) -> String {
    let setup = position.to_setup(EnPassantMode::Legal);
    let ep = setup.ep_square.map_or_else(|| "-".to_owned(), |square| square.to_string());
    let (board, turn, castling) = (setup.board.board_fen(), setup.turn.char(), rook_files(setup.castling_rights));
    format!("{board} {turn} {castling} {ep} {} {}", setup.halfmoves, setup.fullmoves)
}

fn rook_files(rights: Bitboard) -> String {
    if rights.is_empty() {
        return "-".to_owned();
    }
    let letters = |colour: Color| {
        let files = (rights & colour.backrank()).into_iter().rev().map(|rook| rook.file());
        files.map(move |file| colour.fold_wb(file.upper_char(), file.char()))
    };
    letters(Color::White).chain(letters(Color::Black)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn castling(fen: &str) -> (String, String) {
        let read = read_fen(fen).unwrap_or_else(|why| panic!("{fen}: {why}"));
        let field = |fen: String| fen.split(' ').nth(2).map(str::to_owned).unwrap();
        (field(shredder_fen(&read.position)), field(x_fen(&read.position)))
    }

    #[test]
    fn every_spelling_of_the_same_rights() {
        for field in ["KQkq", "HChc", "KQhc", "qkQK", "CHch"] {
            let fen = format!("nqrnbbkr/pppppppp/8/8/8/8/PPPPPPPP/NQRNBBKR w {field} - 0 1");
            assert_eq!(castling(&fen), ("HChc".into(), "KQkq".into()), "{field}");
        }
        let short = read_fen("nqrnbbkr/pppppppp/8/8/8/8/PPPPPPPP/NQRNBBKR w KQkq -").unwrap();
        assert_eq!(x_fen(&short.position), "nqrnbbkr/pppppppp/8/8/8/8/PPPPPPPP/NQRNBBKR w KQkq - 0 1");
    }

    #[test]
    fn the_letter_k_is_the_outermost_rook_and_an_inner_one_has_its_file() {
        for (fen, shredder, x) in [
            ("rkbnrqnb/8/8/pppppppp/PPPPP3/B7/5PPP/1KRNRQNB b Kkq - 1 9", "Eea", "Kkq"),
            ("nqrnbkrb/pppppppp/8/8/8/8/PPPPPPPP/NQRNBKRB w KQkq - 0 1", "GCgc", "KQkq"),
            ("4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w Q - 0 1", "B", "Q"),
            ("r5k1/8/8/8/8/8/8/6K1 b q - 0 1", "a", "q"),
            ("1bbqk1rr/1pppppp1/4n1n1/p6p/P6P/4N1N1/1PPPPPP1/1BBQK1RR w Gg - 10 8", "Gg", "Gg"),
            ("1bbqk1rr/1pppppp1/4n1n1/p6p/P6P/4N1N1/1PPPPPP1/1BBQK1RR w Kg - 10 8", "Hg", "Kg"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "-", "-"),
        ] {
            assert_eq!(castling(fen), (shredder.into(), x.into()), "{fen}");
        }
    }

    #[test]
    fn an_en_passant_square_without_a_capture_is_not_part_of_the_position() {
        let read = read_fen("nqrnbbkr/pppppppp/8/8/4P3/8/PPPP1PPP/NQRNBBKR b KQkq e3 0 1").unwrap();
        assert_eq!(x_fen(&read.position), "nqrnbbkr/pppppppp/8/8/4P3/8/PPPP1PPP/NQRNBBKR b KQkq - 0 1");
        assert_eq!(read.setup.ep_square, None);
        let legal = "nqrnbbkr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/NQRNBBKR b KQkq e3 0 3";
        assert_eq!(x_fen(&read_fen(legal).unwrap().position), legal);
    }

    #[test]
    fn what_is_not_a_legal_position_says_why() {
        use ReadFenError::*;
        for (fen, why) in [
            ("rnbqkbnr/pppppppp/8/8/8/5BN1/PPPPPPPP/RNBQ1RK1 b HQkq - 0 1", CastlingRook('H')),
            ("rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w HEhe - 0 1", CastlingRook('H')),
            ("bbqnnkrr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNKRR w KQkq - 0 1", CastlingRook('Q')),
            ("bbqnnkrr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNKRR w HGhg - 0 1", CastlingTwice('G')),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KHkq - 0 1", CastlingTwice('H')),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkX - 0 1", CastlingLetter('X')),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ- - 0 1", CastlingLetter('-')),
            ("rnbq1bnr/ppppkppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1", CastlingKing('k')),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", Turn),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1", EnPassantPawn),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", EnPassantSquare),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1", Counter),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - +1 1", Counter),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 10000", Counter),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0", FieldCount(5)),
            ("", FieldCount(0)),
            ("rnbqkbnr/pppppppp/8/8/44/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Placement),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", Placement),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/Q w KQkq - 0 1", Placement),
            ("8/8/8/8/8/8/8/8 w - - 0 1", Illegal(vec!["the board is empty", "a king is missing"])),
            ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", Illegal(vec!["the player who is not to move is in check"])),
        ] {
            assert_eq!(read_fen(fen).map(|read| x_fen(&read.position)), Err(why), "{fen}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,80}", field in "[KQkqA-Ha-h-]{0,5}") {
            let _ = read_fen(&text);
            let fen = format!("1rnbqkbr/pppppppp/8/8/8/8/PPPPPPPP/1RNBQKBR w {field} - 0 1");
            if let Ok(read) = read_fen(&fen) {
                let letters = if field == "-" { 0 } else { field.len() };
                prop_assert_eq!(read.setup.castling_rights.count(), letters);
            }
        }
    }
}
