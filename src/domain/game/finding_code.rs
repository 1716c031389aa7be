//! What can be found in a game: a closed list of codes.
//!
//! `docs/findings.md` says of each code what it means, what an arbiter can do and which article it rests on; a test
//! keeps the two lists equal.

use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing: a claim that could have been made, a spelling that is not canonical.
    Note,
    /// The record is doubtful in a point that does not touch the moves.
    Warning,
    /// The game cannot be called legal as it was recorded.
    Error,
}

macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $article:literal $doc:literal;)*) => {
        /// What can be found: a closed list.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingCode { $(#[doc = $doc] $name,)* }

        impl FindingCode {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable text of the code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// How grave a finding of this code is.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Article of the Laws of Chess (2023) or of the PGN standard that the finding rests on.
            pub const fn article(self) -> &'static str {
                match self { $(Self::$name => $article,)* }
            }

            /// One sentence on what the code means.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }
        }
    };
}

codes! {
    // The text
    NoGame "no-game" Error "PGN 8" "The submission holds no game.";
    SeveralGames "several-games" Error "PGN 8" "More than one game where one was expected; the first is reported.";
    UnreadableToken "unreadable-token" Error "PGN 7" "A piece of text in the main line that is neither a move nor anything else PGN knows.";
    UnreadableMove "unreadable-move" Error "C.2" "A word that stands where a move should be and cannot be read as one.";
    WrongScript "wrong-script" Error "C.3" "A letter of another script or language that looks like a letter of the notation in use.";
    UnclosedComment "unclosed-comment" Error "PGN 5" "A comment is opened and never closed: everything after it is lost.";
    UnclosedVariation "unclosed-variation" Error "PGN 8.2.5" "A variation is opened and never closed: everything after it is lost.";
    TextAfterEnd "text-after-termination" Error "PGN 8.2.6" "Moves follow the termination marker.";
    GameTooLarge "game-too-large" Error "PGN 8" "The game is larger than the reader accepts; the rest of it was not read.";
    WrongEncoding "wrong-encoding" Error "PGN 4.1" "The text is UTF-16 or binary, not PGN.";
    DeepVariation "deep-variation" Warning "PGN 8.2.5" "Variations are nested deeper than any reader should have to follow.";
    MoveNumber "move-number" Warning "PGN 8.2.2" "A move number does not fit the moves: one may be missing or written twice.";
    ClockComment "clock-comment" Note "PGN 8.2.5" "A clock command in a comment cannot be read.";
    // The tags
    TagUnreadable "tag-unreadable" Warning "PGN 8.1.1" "A tag pair cannot be read.";
    StartTagUnreadable "start-tag-unreadable" Error "PGN 9.7" "The FEN tag is not a position that can be played from.";
    TagDuplicate "tag-duplicate" Warning "PGN 8.1.1" "A tag is given twice with different values.";
    StartTagContradiction "start-tag-contradiction" Error "PGN 8.1.1" "Two FEN tags name different start positions.";
    ResultTagContradiction "result-tag-contradiction" Error "PGN 8.1.1.7" "Result tag and termination marker, or two Result tags, differ.";
    ResultTagUnreadable "result-tag-unreadable" Warning "PGN 8.1.1.7" "The Result tag is none of 1-0, 0-1, 1/2-1/2 and *.";
    MissingTermination "missing-termination" Warning "PGN 8.2.6" "The game ends without a termination marker; the result is taken from the tag.";
    VariantUnknown "variant-unknown" Warning "PGN 9" "The Variant tag names a game that is not Chess960; it was validated as Chess960.";
    VariantMissing "variant-missing" Note "PGN 9" "The start position is not the classical one and no Variant tag says so.";
    SetUpMissing "setup-missing" Note "PGN 9.7.1" "A FEN tag without SetUp \"1\".";
    StartTagMissing "start-tag-missing" Warning "PGN 9.7" "The record does not say from which position it starts; the given one was used.";
    StartUnknown "start-unknown" Error "PGN 9.7" "Neither the submission nor its tags say from which position a Chess960 game starts.";
    StartAssumed "start-assumed" Note "PGN 9.7" "No start position is named: the classical one, as the PGN standard says.";
    StartRights "start-rights" Warning "II.3.2.7" "The FEN is one of the 960 arrays but does not give all castling rights.";
    TerminationTag "termination-tag" Warning "PGN 9.8.1" "The Termination tag does not fit the board or the result.";
    DatedBeforeRelease "dated-before-release" Warning "PGN 8.1.1.3" "The game is dated before the day on which its position was released.";
    // The array
    NotTheDrawnPosition "not-the-drawn-position" Error "7.2.1" "The record starts from one of the 960 positions, but not from the one that was drawn.";
    WrongStartArray "wrong-start-array" Error "7.2.1" "The record starts from an array that is not a Chess960 start position.";
    StartTagDisagrees "start-tag-disagrees" Error "7.2.1" "The array is the drawn one, but side to move, castling rights or counters in the FEN tag are not.";
    ColoursReversed "colours-reversed" Error "7.3" "The players had each other's colour.";
    PlayersDiffer "players-differ" Warning "C.07" "The names of the record are not those of the pairing.";
    // The moves
    IllegalMove "illegal-move" Error "3.1" "A move that is not legal, with the reason.";
    AmbiguousMove "ambiguous-move" Error "C.10" "A move that several pieces can make and the record does not say which.";
    NullMove "null-move" Error "1.1" "A pass: every player must move in turn.";
    MoveAfterEnd "move-after-end" Error "5.1" "A move was recorded after the game had ended on the board.";
    NotExamined "not-examined" Note "7.5.1" "Moves after the first one that cannot be played were not examined.";
    OverrideImpossible "override-impossible" Error "7.5.1" "The accepted move cannot be carried out on the board as it is written; name the position from which play went on.";
    OverrideUnused "override-unused" Warning "8.7" "An override names something that was not found.";
    // Spelling
    SpellingCastling "spelling-castling" Note "PGN 8.2.3.3" "Castling is not written with capital letters O.";
    SpellingLong "spelling-long" Note "C.8" "A move is written with its square of departure.";
    SpellingCapture "spelling-capture" Note "C.9" "A capture is written without x.";
    SpellingNoCapture "spelling-no-capture" Warning "C.9" "A move is written with x and captures nothing.";
    SpellingCheck "spelling-check" Note "C.13" "A check or mate is not marked.";
    SpellingNoCheck "spelling-no-check" Warning "C.13" "A move is marked as check or mate and is not.";
    SpellingPromotion "spelling-promotion" Note "C.11" "A promotion is not written with = and a capital letter.";
    SpellingOrigin "spelling-origin" Note "C.10" "The square of departure is given more or less closely than needed.";
    SpellingEnPassant "spelling-en-passant" Warning "C.9" "A move is marked e.p. and is not an en passant capture.";
    SpellingPawn "spelling-pawn" Note "C.4" "A pawn move is written with a letter for the pawn.";
    SpellingMisc "spelling-other" Note "PGN 8.2.3" "A dash, a dot or another sign that PGN does not use in moves.";
    // Ends and claims
    Checkmate "checkmate" Note "5.1.1" "The game ended by checkmate.";
    Stalemate "stalemate" Note "5.2.1" "The game ended by stalemate.";
    DeadPosition "dead-position" Note "5.2.2" "The game ended in a dead position.";
    FivefoldRepetition "fivefold-repetition" Note "9.6.1" "The same position appeared for the fifth time: the game was drawn.";
    SeventyFiveMoves "seventy-five-moves" Note "9.6.2" "75 moves by each player without pawn move and capture: the game was drawn.";
    ThreefoldClaimable "threefold-claimable" Note "9.2.2" "The same position appeared for the third time: the player to move could claim a draw.";
    FiftyMovesClaimable "fifty-moves-claimable" Note "9.3.2" "50 moves by each player without pawn move and capture: a draw could be claimed.";
    // The result
    ResultContradictsBoard "result-contradicts-board" Error "5.1.1" "The result is not what the final position gives.";
    ResultNotRecorded "result-not-recorded" Warning "8.7" "The game is over on the board and no result is recorded.";
    DrawBeforeMoves "draw-before-moves" Error "5.2.3" "A draw was agreed before both players had made a move.";
    WinnerCannotMate "winner-cannot-mate" Error "5.1.2" "The winner cannot checkmate by any series of legal moves: the game is drawn.";
    NotPlayed "not-played" Warning "6.7" "There is no move: the game was not played, or not yet.";
}

impl Serialize for FindingCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl std::str::FromStr for FindingCode {
    type Err = UnknownFindingCode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text).ok_or(UnknownFindingCode)
    }
}

/// A text that is not on the closed list of finding codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFindingCode;

impl std::fmt::Display for UnknownFindingCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no finding has this code; docs/findings.md lists them")
    }
}

impl std::error::Error for UnknownFindingCode {}
