//! One of the 960 start positions: number, back rank and FEN, both ways.
//!
//! Source of the array rules: FIDE Laws of Chess, Guidelines II.2; of the numbering: R. Scharnagl.

use super::position_number::PositionNumber;
use std::fmt;

/// One of the 960 start positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StartPosition {
    number: PositionNumber,
    /// White's pieces from the a-file, upper-case English letters; Black mirrors them.
    rank: [u8; 8],
}

/// Why a back rank or a FEN is not one of the 960.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAStartPosition {
    /// Not eight letters of K, Q, R, B, N.
    NotABackRank,
    /// Not one king, one queen and two each of rooks, bishops and knights.
    WrongPieces,
    /// Both bishops on squares of one colour (II.2.2).
    BishopsOnOneColour,
    /// The king is not between the rooks (II.2.1).
    KingNotBetweenRooks,
    /// A FEN has 4 fields (EPD) or 6; this has another number.
    WrongFieldCount(usize),
    /// The placement field has not eight ranks, or a rank is not "pppppppp", "8" or the like.
    PawnsOrMiddle,
    /// Black's back rank is not White's, mirrored (II.2.3).
    BlackNotOpposite,
    /// It is not White's turn.
    NotWhitesTurn,
    /// The castling field does not give both sides both castlings.
    CastlingRights,
    /// An en passant square before any move.
    EnPassant,
    /// The counters are not `0 1`.
    Counters,
}

impl fmt::Display for NotAStartPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            Self::NotABackRank => "a back rank is eight letters of K, Q, R, B and N, from the a-file",
            Self::WrongPieces => "a back rank has one king, one queen, two rooks, two bishops and two knights",
            Self::BishopsOnOneColour => "the bishops stand on squares of one colour (Guidelines II.2.2)",
            Self::KingNotBetweenRooks => "the king does not stand between the rooks (Guidelines II.2.1)",
            Self::WrongFieldCount(n) => return write!(f, "a FEN has six fields (or four, as in EPD); this has {n}"),
            Self::PawnsOrMiddle => "the pawns are not all on their start squares, or a piece has left the back rank",
            Self::BlackNotOpposite => "Black's pieces do not stand opposite White's (Guidelines II.2.3)",
            Self::NotWhitesTurn => "it is not White's turn to move",
            Self::CastlingRights => {
                "the castling field must give both sides both castlings, as KQkq or by the rooks' files"
            }
            Self::EnPassant => "there is an en passant square before any move",
            Self::Counters => "the counters of a start position are 0 1",
        };
        f.write_str(why)
    }
}

impl std::error::Error for NotAStartPosition {}

/// Squares of the two knights among the five that are free, in Scharnagl's order.
const KNIGHTS: [(usize, usize); 10] = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

impl StartPosition {
    /// The start position with this number.
    pub fn from_number(number: PositionNumber) -> Self {
        let n = usize::from(number.get());
        let mut rank = [0u8; 8];
        rank[n % 4 * 2 + 1] = b'B';
        rank[n / 4 % 4 * 2] = b'B';
        place(&mut rank, n / 16 % 6, b'Q');
        let (first, second) = KNIGHTS[n / 96];
        place(&mut rank, second, b'N');
        place(&mut rank, first, b'N');
        for piece in *b"RKR" {
            place(&mut rank, 0, piece);
        }
        Self { number, rank }
    }

    /// The start position with this back rank, White's pieces from the a-file, either case.
    ///
    /// # Errors
    /// Which rule of the array it breaks.
    pub fn from_rank(text: &str) -> Result<Self, NotAStartPosition> {
        let upper = text.to_ascii_uppercase();
        let rank: [u8; 8] = upper.as_bytes().try_into().map_err(|_| NotAStartPosition::NotABackRank)?;
        check_rank(&rank)?;
        Ok(Self { number: number_of(&rank), rank })
    }

    /// The start position that this FEN describes. X-FEN and Shredder-FEN castling fields are read, in any order and
    /// mixed; four fields (EPD) stand for counters `0 1`.
    ///
    /// # Errors
    /// The first reason why it is not one of the 960.
    pub fn from_fen(fen: &str) -> Result<Self, NotAStartPosition> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        let [placement, turn, castling, ep, counters @ ..] = fields.as_slice() else {
            return Err(NotAStartPosition::WrongFieldCount(fields.len()));
        };
        let start = Self::from_placement(placement)?;
        match (*turn, *ep, counters) {
            ("w", "-", [] | ["0", "1"]) => {}
            ("w", "-", [_, _]) => return Err(NotAStartPosition::Counters),
            ("w", "-", _) => return Err(NotAStartPosition::WrongFieldCount(fields.len())),
            ("w", _, _) => return Err(NotAStartPosition::EnPassant),
            _ => return Err(NotAStartPosition::NotWhitesTurn),
        }
        if start.grants_all_rights(castling) { Ok(start) } else { Err(NotAStartPosition::CastlingRights) }
    }

    /// The start position with this placement field of a FEN.
    ///
    /// # Errors
    /// The first reason why the placement is not one of the 960.
    pub fn from_placement(placement: &str) -> Result<Self, NotAStartPosition> {
        let ranks: Vec<&str> = placement.split('/').collect();
        let [black, "pppppppp", "8", "8", "8", "8", "PPPPPPPP", white] = ranks.as_slice() else {
            return Err(NotAStartPosition::PawnsOrMiddle);
        };
        if white.bytes().any(|b| b.is_ascii_lowercase()) || black.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(NotAStartPosition::BlackNotOpposite);
        }
        let start = Self::from_rank(white)?;
        if black.eq_ignore_ascii_case(white) { Ok(start) } else { Err(NotAStartPosition::BlackNotOpposite) }
    }

    /// Whether a castling field gives both sides both castlings: four different letters, each of `KQkq` or a rook's file.
    fn grants_all_rights(&self, castling: &str) -> bool {
        let [a_side, h_side] = self.rook_files();
        let mut seen = [false; 4];
        for letter in castling.bytes() {
            let black = usize::from(letter.is_ascii_lowercase());
            let side = match letter.to_ascii_uppercase() {
                b'Q' => 0,
                b'K' => 1,
                file if file == b'A' + a_side as u8 => 0,
                file if file == b'A' + h_side as u8 => 1,
                _ => return false,
            };
            if std::mem::replace(&mut seen[black * 2 + side], true) {
                return false;
            }
        }
        seen == [true; 4]
    }

    /// Scharnagl number.
    pub const fn number(&self) -> PositionNumber {
        self.number
    }

    /// White's back rank from the a-file, English letters: `RNBQKBNR`.
    pub fn rank(&self) -> &str {
        std::str::from_utf8(&self.rank).expect("letters are ASCII")
    }

    /// File of the king, 0 for a to 7 for h.
    pub fn king_file(&self) -> usize {
        self.rank.iter().position(|&p| p == b'K').expect("a start position has a king")
    }

    /// Files of the a-side rook and of the h-side rook, 0 for a to 7 for h.
    pub fn rook_files(&self) -> [usize; 2] {
        let mut files = self.rank.iter().enumerate().filter(|(_, p)| **p == b'R').map(|(file, _)| file);
        [files.next(), files.next()].map(|file| file.expect("a start position has two rooks"))
    }

    /// Placement field of the FEN.
    pub fn placement(&self) -> String {
        format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{}", self.rank().to_ascii_lowercase(), self.rank())
    }

    /// X-FEN: castling field `KQkq`. Always 56 bytes.
    pub fn fen(&self) -> String {
        format!("{} w KQkq - 0 1", self.placement())
    }

    /// Shredder-FEN: castling field with the rooks' files, the h-side first, `HAha`.
    pub fn fen_shredder(&self) -> String {
        let [a, h] = self.rook_files().map(|file| char::from(b'A' + file as u8));
        format!("{} w {h}{a}{}{} - 0 1", self.placement(), h.to_ascii_lowercase(), a.to_ascii_lowercase())
    }
}

impl fmt::Debug for StartPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StartPosition({} {})", self.number, self.rank())
    }
}

/// Puts `piece` on the `nth` free square, counted from the a-file.
fn place(rank: &mut [u8; 8], nth: usize, piece: u8) {
    if let Some(square) = rank.iter_mut().filter(|square| **square == 0).nth(nth) {
        *square = piece;
    }
}

fn check_rank(rank: &[u8; 8]) -> Result<(), NotAStartPosition> {
    if rank.iter().any(|piece| !b"KQRBN".contains(piece)) {
        return Err(NotAStartPosition::NotABackRank);
    }
    let count = |piece| rank.iter().filter(|p| **p == piece).count();
    if [b'K', b'Q', b'R', b'B', b'N'].map(count) != [1, 1, 2, 2, 2] {
        return Err(NotAStartPosition::WrongPieces);
    }
    let files = |piece| rank.iter().enumerate().filter(move |(_, p)| **p == piece).map(|(file, _)| file);
    if files(b'B').sum::<usize>() % 2 == 0 {
        return Err(NotAStartPosition::BishopsOnOneColour);
    }
    let king = files(b'K').next();
    if files(b'R').next() < king && king < files(b'R').next_back() {
        Ok(())
    } else {
        Err(NotAStartPosition::KingNotBetweenRooks)
    }
}

/// Scharnagl number of a back rank that keeps the array rules.
fn number_of(rank: &[u8; 8]) -> PositionNumber {
    let bishop_on = |colour| (0..4).find(|n| rank[n * 2 + colour] == b'B').expect("one bishop on each colour");
    let mut left: Vec<u8> = rank.iter().copied().filter(|p| *p != b'B').collect();
    let queen = left.iter().position(|p| *p == b'Q').expect("one queen");
    left.remove(queen);
    let mut knights = left.iter().enumerate().filter(|(_, p)| **p == b'N').map(|(i, _)| i);
    let pair = (knights.next().expect("two knights"), knights.next().expect("two knights"));
    let knights = KNIGHTS.iter().position(|k| *k == pair).expect("every pair is in the table");
    let n = bishop_on(1) + 4 * (bishop_on(0) + 4 * (queen + 6 * knights));
    PositionNumber::try_from(n as u16).expect("digits of a back rank give 0 to 959")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn start(n: u16) -> StartPosition {
        StartPosition::from_number(n.try_into().unwrap())
    }

    /// Facts: named examples of the standard numbering.
    #[test]
    fn named_examples() {
        let named = [
            (0, "BBQNNRKR"),
            (1, "BQNBNRKR"),
            (16, "BBNQNRKR"),
            (56, "NBNRBQKR"),
            (177, "BNRBNKRQ"),
            (237, "NRQBKNBR"),
            (278, "NRBKNBRQ"),
            (425, "RNQBBNKR"),
            (435, "BRNNQKRB"),
            (466, "BRNNKBRQ"),
            (518, "RNBQKBNR"),
            (534, "RNBKQBNR"),
            (585, "QRNBBKRN"),
            (748, "RBKNNQBR"),
            (841, "RKNBBRQN"),
            (864, "BBQRKRNN"),
            (899, "BRKQRNNB"),
            (959, "RKRNNQBB"),
            (122, "NQRNBBKR"),
        ];
        for (number, rank) in named {
            assert_eq!(start(number).rank(), rank);
            assert_eq!(StartPosition::from_rank(rank).unwrap().number().get(), number);
        }
    }

    #[test]
    fn all_960_are_distinct_and_come_back_from_every_spelling() {
        let mut seen = HashSet::new();
        for number in PositionNumber::all() {
            let start = StartPosition::from_number(number);
            assert!(seen.insert(start.rank));
            assert_eq!(start.fen().len(), 56);
            for fen in [start.fen(), start.fen_shredder(), format!("{} w kQKq -", start.placement())] {
                assert_eq!(StartPosition::from_fen(&fen), Ok(start), "{fen}");
            }
            assert_eq!(StartPosition::from_rank(&start.rank().to_lowercase()), Ok(start));
        }
    }

    /// Counting how often each piece stands on each file pins the whole table.
    #[test]
    fn piece_frequencies_over_all_960() {
        let count = |piece: u8, file: usize| {
            PositionNumber::all().filter(|n| StartPosition::from_number(*n).rank[file] == piece).count()
        };
        let row = |piece| (0..8).map(|file| count(piece, file)).collect::<Vec<_>>();
        assert_eq!(row(b'K'), [0, 108, 168, 204, 204, 168, 108, 0]);
        assert_eq!(row(b'R'), [360, 252, 192, 156, 156, 192, 252, 360]);
        assert_eq!(row(b'Q'), [120; 8]);
        assert_eq!(row(b'B'), [240; 8]);
        assert_eq!(row(b'N'), [240; 8]);
    }

    #[test]
    fn mirrors() {
        for (n, mirrored) in [(518, 534), (0, 959), (122, 837)] {
            let rank: String = start(n).rank().chars().rev().collect();
            assert_eq!(StartPosition::from_rank(&rank).unwrap().number().get(), mirrored);
        }
    }

    #[test]
    fn every_pattern_of_letters_is_a_start_position_or_says_why() {
        let good = PositionNumber::all().map(|n| StartPosition::from_number(n).rank).collect::<HashSet<_>>();
        let letters = *b"KQRBN";
        for n in 0..5usize.pow(8) {
            let rank: [u8; 8] = std::array::from_fn(|i| letters[n / 5usize.pow(i as u32) % 5]);
            assert_eq!(check_rank(&rank).is_ok(), good.contains(&rank));
        }
    }

    #[test]
    fn a_fen_that_is_no_start_position_says_why() {
        use NotAStartPosition::*;
        let cases = [
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w Kkq - 0 1", CastlingRights),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KHkq - 0 1", CastlingRights),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KQkqK - 0 1", CastlingRights),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KGkq - 0 1", CastlingRights),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KQkq - 1 1", Counters),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KQkq - 0 2", Counters),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR b KQkq - 0 1", NotWhitesTurn),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KQkq e3 0 1", EnPassant),
            ("rnqbbknr/pppppppp/8/8/4P3/8/PPPP1PPP/RNQBBKNR w KQkq - 0 1", PawnsOrMiddle),
            ("rnqbbkrn/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KQkq - 0 1", BlackNotOpposite),
            ("RNQBBKNR/pppppppp/8/8/8/8/PPPPPPPP/rnqbbknr w KQkq - 0 1", BlackNotOpposite),
            ("bbqnnkrr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNKRR w KQkq - 0 1", KingNotBetweenRooks),
            ("bqbnrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQBNRNKR w KQkq - 0 1", BishopsOnOneColour),
            ("rrqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RRQBBKNR w KQkq - 0 1", WrongPieces),
            ("rnqbbkn1/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKN1 w KQkq - 0 1", NotABackRank),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR", WrongFieldCount(1)),
            ("rnqbbknr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBKNR w KQkq - 0", WrongFieldCount(5)),
            ("", WrongFieldCount(0)),
        ];
        for (fen, why) in cases {
            assert_eq!(StartPosition::from_fen(fen), Err(why), "{fen}");
        }
    }

    #[test]
    fn both_bishop_colours() {
        assert_eq!(
            StartPosition::from_fen("bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w KQkq - 0 1").unwrap(),
            start(97)
        );
    }
}
