//! From which position a game is replayed, and what the tags of its record say about it.
//!
//! The start is the drawn one, or the one that the submission gives; only without either do the tags decide. Tags that
//! disagree are found, never followed.

use super::{
    array, dated,
    finding::{Finding, FindingCode as C, Severity},
    options::{Drawn, Start},
    pgn::{
        tags::{Tag, Tags},
        text::excerpt,
    },
    replay::Replay,
    result::GameResult,
    termination::Termination,
};
use crate::domain::{
    castling::playable,
    fen::{ReadFenError, read_position, x_fen},
    rules::{Board, CastlingMode, Chess, EnPassantMode, Position, Setup},
    start_position::StartPosition,
};

/// What a game is measured by.
#[derive(Clone, Debug)]
pub enum Measure<'o> {
    /// The drawn position, or one of the 960 given by number.
    Array(&'o Drawn, Box<Chess>),
    /// A given position.
    Position(Box<Chess>),
    /// The tags.
    Tags,
}

impl<'o> Measure<'o> {
    /// For a submission under these options; the draw comes before what the submission says.
    ///
    /// # Errors
    /// When the submission gives a FEN that is no position.
    pub fn new(start: &Start, drawn: Option<&'o Drawn>) -> Result<Self, ReadFenError> {
        match (start, drawn) {
            (_, Some(drawn)) => Ok(Self::Array(drawn, Box::new(playable(&drawn.position)))),
            (Start::Fen(fen), None) => Ok(Self::Position(Box::new(read_position(fen)?))),
            (Start::Number(_) | Start::FromTags, None) => Ok(Self::Tags),
        }
    }
}

/// The start of the game with these tags; none when nobody says where it starts.
pub fn start(replay: &mut Replay<'_>, measure: &Measure<'_>, tags: &Tags<'_>) -> Option<Chess> {
    let fen = fen_tag(replay, tags);
    match measure {
        Measure::Array(drawn, start) => Some(against_array(replay, drawn, start, fen)),
        Measure::Position(start) => {
            against_position(replay, start, fen);
            Some((**start).clone())
        }
        Measure::Tags => from_tags(replay, tags, fen),
    }
}

/// The FEN tag and what it is read as. Two that differ are a contradiction: the game then has no start of its own.
fn fen_tag<'a>(replay: &mut Replay<'_>, tags: &Tags<'a>) -> Option<(Tag<'a>, Result<Chess, ReadFenError>)> {
    let says_nothing = |tag: &Tag<'_>| matches!(tag.raw.trim_ascii(), b"" | b"?" | b"-");
    let mut all = tags.iter().filter(|tag| tag.is("FEN") && !says_nothing(tag));
    let first = *all.next()?;
    let read = read_position(&first.value());
    for other in all.filter(|other| other.raw != first.raw) {
        let same = matches!((&read, read_position(&other.value())), (Ok(a), Ok(b)) if x_fen(a) == x_fen(&b));
        if !same {
            let message = "two FEN tags name different start positions";
            replay.find(Finding::new(C::StartTagContradiction, message).at(other.at).about(other.raw));
        }
    }
    Some((first, read))
}

fn say_unreadable(replay: &mut Replay<'_>, tag: Tag<'_>, why: &ReadFenError) {
    let message = format!("the FEN tag is not a position that can be played from: {why}");
    replay.find(Finding::new(C::StartTagUnreadable, message).at(tag.at).about(tag.raw));
}

type FenTag<'a> = Option<(Tag<'a>, Result<Chess, ReadFenError>)>;

fn against_array(replay: &mut Replay<'_>, drawn: &Drawn, start: &Chess, fen: FenTag<'_>) -> Chess {
    let Some((tag, read)) = fen else {
        say_start_is_missing(replay, start);
        return start.clone();
    };
    let Some(found) = setup_in_tag(tag, &read) else {
        read.err().into_iter().for_each(|why| say_unreadable(replay, tag, &why));
        return start.clone();
    };
    let Some(finding) = array_differs(replay, drawn, &found, tag) else {
        match read {
            Err(why) => say_unreadable(replay, tag, &why),
            Ok(found) if x_fen(&found) != x_fen(start) => {
                let message = "the FEN tag has the drawn array, but not its side to move, castling rights or counters";
                replay.find(Finding::new(C::StartTagDisagrees, message).at(tag.at).about(tag.raw));
            }
            Ok(_) => {}
        }
        return start.clone();
    };
    match replay.find(finding).map(|o| o.position.as_deref().map(read_position)) {
        None => start.clone(),
        Some(Some(Ok(position))) => position,
        Some(_) => standing(found, drawn).unwrap_or_else(|| start.clone()),
    }
}

/// The array of a FEN tag. Kings and rooks that stand wrongly often make its castling field impossible; the array can
/// be compared all the same, and every rook counts as one that might castle.
fn setup_in_tag(tag: Tag<'_>, read: &Result<Chess, ReadFenError>) -> Option<Setup> {
    if let Ok(position) = read {
        return Some(position.to_setup(EnPassantMode::Legal));
    }
    let value = tag.value();
    let board = Board::from_ascii_board_fen(value.split_ascii_whitespace().next()?.as_bytes()).ok()?;
    let castling_rights = board.rooks();
    Some(Setup { board, castling_rights, ..Setup::empty() })
}

/// The array of the record is another one: of another draw, or of none. What follows from it depends on how many moves
/// were made, so it is said at the end.
fn array_differs(replay: &mut Replay<'_>, drawn: &Drawn, found: &Setup, tag: Tag<'_>) -> Option<Finding> {
    let difference = array::compare(found, &drawn.position, &drawn.others)?;
    let code = if difference.other.is_some() { C::NotTheDrawnPosition } else { C::WrongStartArray };
    let finding = Finding::new(code, difference.sentence.clone()).on(difference.squares.clone());
    replay.array = Some((code, difference));
    Some(finding.at(tag.at).about(tag.raw))
}

/// An array that stands: whoever's king is not where it was drawn cannot castle, nor can a rook that is not (A.5.1.2).
fn standing(mut found: Setup, drawn: &Drawn) -> Option<Chess> {
    found.castling_rights = array::standing_rights(&found, &drawn.position);
    found.position(CastlingMode::Chess960).ok()
}

fn against_position(replay: &mut Replay<'_>, start: &Chess, fen: FenTag<'_>) {
    match fen {
        None => say_start_is_missing(replay, start),
        Some((tag, Err(why))) => say_unreadable(replay, tag, &why),
        Some((tag, Ok(found))) if x_fen(&found) != x_fen(start) => {
            let message = "the FEN tag is not the given position, from which the game was replayed";
            replay.find(Finding::new(C::StartTagDisagrees, message).at(tag.at).about(tag.raw));
        }
        Some(_) => {}
    }
}

/// A record without FEN tag says that it starts from the classical array.
fn say_start_is_missing(replay: &mut Replay<'_>, start: &Chess) {
    if start.board() != &Board::new() {
        let message = "the record has no FEN tag; it was replayed from the position it belongs to";
        replay.find(Finding::new(C::StartTagMissing, message));
    }
}

fn from_tags(replay: &mut Replay<'_>, tags: &Tags<'_>, fen: FenTag<'_>) -> Option<Chess> {
    match fen {
        Some((tag, Ok(start))) => {
            look_at_rights(replay, &start, tag);
            (!replay.findings.has(C::StartTagContradiction)).then_some(start)
        }
        Some((tag, Err(why))) => {
            say_unreadable(replay, tag, &why);
            None
        }
        None if tags.value("Variant").is_some_and(|variant| is_chess960(&variant)) => {
            let message = "the record says it is a Chess960 game and not from which of the 960 positions it starts";
            replay.find(Finding::new(C::StartUnknown, message));
            None
        }
        None => {
            if !tags.is_empty() {
                let message = "no start position is named: the game was replayed from the classical array";
                replay.find(Finding::new(C::StartAssumed, message));
            }
            Some(Chess::default())
        }
    }
}

/// One of the 960 arrays before the first move has all four rights, whatever the tag says.
fn look_at_rights(replay: &mut Replay<'_>, start: &Chess, tag: Tag<'_>) {
    let is_first = start.fullmoves().get() == 1 && start.halfmoves() == 0 && start.turn().is_white();
    let has_all = start.castles().castling_rights().count() == 4;
    if is_first && !has_all && StartPosition::from_placement(&start.board().to_string()).is_ok() {
        let message = "the FEN tag has one of the 960 arrays without all its castling rights; the rights were taken as they are written";
        replay.find(Finding::new(C::StartRights, message).at(tag.at).about(tag.raw));
    }
}

/// Looks at the tags that say what kind of game it is, and at tags that cannot be read or contradict each other.
pub fn look(replay: &mut Replay<'_>, text: &[u8], tags: &Tags<'_>, start: Option<&Chess>) {
    for at in &tags.unreadable {
        let line = &text[*at..text.len().min(at + 80)];
        let line = line.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
        let is_start = line.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"[FEN"));
        let code = if is_start { C::StartTagUnreadable } else { C::TagUnreadable };
        let mut finding = Finding::new(code, "a tag pair cannot be read: [Name \"value\"]").at(*at).about(line);
        if tags.is_empty() {
            finding.severity = Severity::Error; // not one tag: this may not be a game at all
        }
        replay.find(finding);
    }
    for (later, earlier) in tags.contradictions().filter(|(later, _)| !later.is("FEN")) {
        let code = if later.is("Result") { C::ResultTagContradiction } else { C::TagDuplicate };
        let message = format!("the tag is given twice: \"{}\" and \"{}\"", quoted(earlier), quoted(later));
        replay.find(Finding::new(code, message).at(later.at).about(later.raw));
    }
    if let Some(start) = start.filter(|_| !tags.is_empty()) {
        look_at_variant(replay, tags, start);
    }
    if let Some(released_on) = replay.options.released_on {
        dated::look(replay, tags, released_on);
    }
}

fn look_at_variant(replay: &mut Replay<'_>, tags: &Tags<'_>, start: &Chess) {
    let is_classical = start.board() == &Board::new();
    match tags.get("Variant").filter(|_| tags.value("Variant").is_some()) {
        None if !is_classical => {
            let message = "no Variant tag says that this is a Chess960 game";
            replay.find(Finding::new(C::VariantMissing, message));
        }
        Some(tag) if !(is_chess960(&tag.value()) || is_classical && is_classical_chess(&tag.value())) => {
            let message = format!("the Variant tag says \"{}\"; the game was validated as Chess960", quoted(tag));
            replay.find(Finding::new(C::VariantUnknown, message).at(tag.at).about(tag.raw));
        }
        _ => {}
    }
    if tags.get("FEN").is_some() && tags.get("SetUp").is_none_or(|tag| tag.raw.trim_ascii() != b"1") {
        replay.find(Finding::new(C::SetUpMissing, "a FEN tag calls for the tag SetUp \"1\""));
    }
}

/// Whether a Variant tag names Chess960, whatever the case, blanks and hyphens.
fn is_chess960(variant: &str) -> bool {
    const NAMES: [&str; 12] = [
        "chess960",
        "fischerandom",
        "fischerrandom",
        "fischerandomchess",
        "fischerrandomchess",
        "freestyle",
        "freestylechess",
        "frc",
        "960",
        "wildfr",
        "chess9lx",
        "fromposition",
    ];
    let name: String = variant.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    NAMES.contains(&name.as_str())
}

fn is_classical_chess(variant: &str) -> bool {
    ["standard", "chess", "normal"].iter().any(|name| variant.trim().eq_ignore_ascii_case(name))
}

/// The result that the tags give, if they give one.
pub fn result_tag(replay: &mut Replay<'_>, tags: &Tags<'_>) -> Option<(GameResult, Option<usize>)> {
    let tag = tags.get("Result")?;
    match GameResult::read(tag.value().trim().as_bytes()) {
        Some(result) => Some((result, Some(tag.at))),
        None => {
            let message = format!("the Result tag says \"{}\", which is no result", quoted(tag));
            replay.find(Finding::new(C::ResultTagUnreadable, message).at(tag.at).about(tag.raw));
            None
        }
    }
}

/// What the Termination tag claims.
pub fn termination_tag(tags: &Tags<'_>) -> Option<(Termination, usize)> {
    let tag = tags.get("Termination")?;
    Some((Termination::read(&tag.value())?, tag.at))
}

/// A value in a sentence: a tag may be as long as its writer likes.
fn quoted(tag: &Tag<'_>) -> String {
    excerpt(tag.value().as_bytes())
}
