//! Games of a round to its boards.

use super::{
    Finding, FindingCode as C, GameReport, GameTags, Override, Severity, Verdict,
    array::{MOVES_TO_CLAIM, colours_reversed},
    findings::add_late,
};
use serde::Serialize;

/// A player of a pairing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairedPlayer {
    /// Name, in either order.
    pub name: String,
    /// FIDE id.
    pub fide_id: Option<String>,
}

/// A board of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairedBoard {
    /// Number of the board.
    pub board: u32,
    /// White player.
    pub white: PairedPlayer,
    /// Black player.
    pub black: PairedPlayer,
}

/// By what a game was found to belong to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchedBy {
    /// Both players, by FIDE id or name, and the board's number where there is one.
    Players,
    /// The board's number alone.
    Number,
}

/// Why a game belongs to no board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoBoard {
    /// Its Round tag names another round.
    OtherRound,
    /// Neither players nor number are those of a board.
    Unknown,
    /// Its number is that of one board, its players are those of another.
    Contradiction,
    /// An earlier game of the upload belongs to that board.
    Taken,
}

/// Where a game of an upload belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Board, if one was found.
    pub board: Option<u32>,
    /// By what.
    pub by: Option<MatchedBy>,
    /// The players had each other's colour.
    pub reversed: bool,
    /// The record names other players than the pairing.
    pub players_differ: bool,
    /// Why none was found.
    pub problem: Option<NoBoard>,
}

impl Match {
    fn none(problem: NoBoard) -> Self {
        Self { board: None, by: None, reversed: false, players_differ: false, problem: Some(problem) }
    }
}

/// Finds the board of each game, in order.
pub fn match_boards(round: u32, games: &[GameTags], boards: &[PairedBoard]) -> Vec<Match> {
    let mut taken: Vec<u32> = Vec::new();
    let mut matches = Vec::with_capacity(games.len());
    let boards: Vec<Known<'_>> = boards.iter().map(Known::new).collect();
    for tags in games {
        let mut found = match_board(round, &Named::new(tags), &boards);
        if let Some(board) = found.board {
            if taken.contains(&board) {
                found = Match::none(NoBoard::Taken);
            } else {
                taken.push(board);
            }
        }
        matches.push(found);
    }
    matches
}

/// Boards that no game was found for.
pub fn boards_without_game(matches: &[Match], boards: &[PairedBoard]) -> Vec<u32> {
    let has_game = |board: u32| matches.iter().any(|m| m.board == Some(board));
    boards.iter().map(|b| b.board).filter(|board| !has_game(*board)).collect()
}

/// A board with its players' names in words: taken apart once, not for every game.
struct Known<'b> {
    board: &'b PairedBoard,
    white: Vec<String>,
    black: Vec<String>,
}

impl<'b> Known<'b> {
    fn new(board: &'b PairedBoard) -> Self {
        Self { board, white: words(&board.white.name), black: words(&board.black.name) }
    }

    fn number(&self) -> u32 {
        self.board.board
    }

    /// Whether a game is one of these players with these colours.
    fn seats(&self, game: &Named<'_>) -> bool {
        game.white.is(&self.board.white, &self.white) && game.black.is(&self.board.black, &self.black)
    }

    /// Whether a game is one of these players with each other's colour.
    fn seats_reversed(&self, game: &Named<'_>) -> bool {
        game.white.is(&self.board.black, &self.black) && game.black.is(&self.board.white, &self.white)
    }
}

/// A record's tags with its players' names in words.
struct Named<'t> {
    tags: &'t GameTags,
    white: Player<'t>,
    black: Player<'t>,
}

struct Player<'t> {
    fide_id: Option<&'t str>,
    words: Vec<String>,
}

impl<'t> Named<'t> {
    fn new(tags: &'t GameTags) -> Self {
        let player = |fide_id: &'t Option<String>, name: &Option<String>| Player {
            fide_id: fide_id.as_deref(),
            words: name.as_deref().map(words).unwrap_or_default(),
        };
        Self { tags, white: player(&tags.white_fide_id, &tags.white), black: player(&tags.black_fide_id, &tags.black) }
    }
}

impl Player<'_> {
    /// FIDE ids decide where both have one; else names.
    fn is(&self, paired: &PairedPlayer, words: &[String]) -> bool {
        match (self.fide_id, paired.fide_id.as_deref()) {
            (Some(tagged), Some(paired)) => tagged.trim() == paired.trim(),
            _ => are_same_words(&self.words, words),
        }
    }
}

fn match_board(round: u32, game: &Named<'_>, boards: &[Known<'_>]) -> Match {
    let (tagged_round, number) = round_and_board(game.tags);
    if tagged_round.is_some_and(|tagged| tagged != round) {
        return Match::none(NoBoard::OtherRound);
    }
    let by_number = boards.iter().find(|b| Some(b.number()) == number);
    let straight = only(boards, |b| b.seats(game));
    let reversed = only(boards, |b| b.seats_reversed(game));
    match (straight.or(reversed), by_number) {
        (Some(b), Some(n)) if b.number() != n.number() => Match::none(NoBoard::Contradiction),
        (Some(b), _) => {
            let reversed = straight.is_none();
            let board = Some(b.number());
            Match { board, by: Some(MatchedBy::Players), reversed, players_differ: false, problem: None }
        }
        (None, Some(n)) => seated_at(game.tags, n.board),
        (None, None) => Match::none(NoBoard::Unknown),
    }
}

/// A game on a board that is known, and whether its players are those of the pairing.
pub fn seated_at(tags: &GameTags, board: &PairedBoard) -> Match {
    let (game, known) = (Named::new(tags), Known::new(board));
    let straight = known.seats(&game);
    let reversed = !straight && known.seats_reversed(&game);
    let by = if straight || reversed { MatchedBy::Players } else { MatchedBy::Number };
    let players_differ = by == MatchedBy::Number && (is_named(&tags.white) || is_named(&tags.black));
    Match { board: Some(board.board), by: Some(by), reversed, players_differ, problem: None }
}

/// Whether a name says who played: `?` is how PGN writes that nobody knows.
fn is_named(name: &Option<String>) -> bool {
    name.as_deref().is_some_and(|name| !matches!(name.trim(), "" | "?" | "-"))
}

/// The one board for which something holds.
fn only<'k, 'b>(boards: &'k [Known<'b>], holds: impl Fn(&Known<'b>) -> bool) -> Option<&'k Known<'b>> {
    let mut all = boards.iter().filter(|b| holds(b));
    all.next().filter(|_| all.next().is_none())
}

/// Round and board of a Round tag such as `3.17` and of a Board tag.
fn round_and_board(tags: &GameTags) -> (Option<u32>, Option<u32>) {
    let mut parts = tags.round.as_deref().unwrap_or_default().split('.').map(|part| part.trim().parse().ok());
    let (round, in_round) = (parts.next().flatten(), parts.next().flatten());
    let board = tags.board.as_deref().and_then(|board| board.trim().parse().ok());
    (round, board.or(in_round))
}

/// Whether two names can be of one person: the same words in any order, initials for words.
pub fn is_same_name(a: &str, b: &str) -> bool {
    are_same_words(&words(a), &words(b))
}

fn are_same_words(a: &[String], b: &[String]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let fits = |word: &String| long.iter().any(|other| is_same_word(word, other));
    let whole_word_in_common = short.iter().any(|word| word.chars().count() > 1 && long.contains(word));
    !short.is_empty() && whole_word_in_common && short.iter().all(fits)
}

fn is_same_word(a: &str, b: &str) -> bool {
    let is_initial = |word: &str| word.chars().count() == 1;
    a == b || (is_initial(a) && b.starts_with(a)) || (is_initial(b) && a.starts_with(b))
}

/// The words of a name in small letters without accents.
fn words(name: &str) -> Vec<String> {
    let plain: String = name.chars().flat_map(char::to_lowercase).map(without_accent).collect();
    plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Accents are often lost on the way from one program to another.
fn without_accent(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' | 'ĉ' | 'ċ' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'ğ' | 'ģ' => 'g',
        'ì'..='ï' | 'ī' | 'į' | 'ı' | '\u{307}' => 'i',
        'ķ' => 'k',
        'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ŕ' | 'ř' => 'r',
        'ś' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' | 'ų' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        c => c,
    }
}

/// Adds what a pairing says about a game to its report: reversed colours (7.3) and other players.
pub fn add_findings(report: &mut GameReport, found: &Match, overrides: &[Override]) {
    if !found.reversed && !found.players_differ {
        return;
    }
    if found.reversed {
        add_late(&mut report.findings, reversed(report.plies), overrides);
    }
    if found.players_differ {
        let message = "the players of the record are not those of the pairing";
        add_late(&mut report.findings, Finding::new(C::PlayersDiffer, message), overrides);
    }
    let complete = report.verdict != Verdict::LegalIncomplete;
    report.verdict = Verdict::of(&report.findings, complete);
}

/// Reversed colours stop a game before both players have made 10 moves; after that it counts (7.3).
fn reversed(plies: u32) -> Finding {
    let moves_each = plies / 2;
    let severity = if moves_each < MOVES_TO_CLAIM { Severity::Error } else { Severity::Warning };
    let consequence = colours_reversed(moves_each);
    Finding { severity, ..Finding::new(C::ColoursReversed, consequence.sentence) }.under(consequence.article)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str) -> PairedPlayer {
        PairedPlayer { name: name.into(), fide_id: None }
    }

    fn boards() -> Vec<PairedBoard> {
        vec![
            PairedBoard { board: 1, white: player("Žemaitis, Jonas"), black: player("Doe, Jane") },
            PairedBoard { board: 2, white: player("Müller, Jan"), black: player("O'Neill, Pat") },
        ]
    }

    fn tags(round: &str, white: &str, black: &str) -> GameTags {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        GameTags { round: text(round), white: text(white), black: text(black), ..GameTags::default() }
    }

    #[test]
    fn games_find_their_boards() {
        let games = [
            tags("3", "Jonas Zemaitis", "J. Doe"),
            tags("3.2", "O'Neill, P", "Muller, Jan"),
            tags("3", "Somebody", "Else"),
            tags("4.1", "", ""),
            tags("3.1", "", ""),
        ];
        let matches = match_boards(3, &games, &boards());
        assert_eq!((matches[0].board, matches[0].reversed), (Some(1), false));
        assert_eq!((matches[1].board, matches[1].reversed), (Some(2), true));
        assert_eq!(matches[2].problem, Some(NoBoard::Unknown));
        assert_eq!(matches[3].problem, Some(NoBoard::OtherRound));
        assert_eq!(matches[4].problem, Some(NoBoard::Taken));
        assert!(boards_without_game(&matches, &boards()).is_empty());
        assert_eq!(boards_without_game(&matches[..1], &boards()), [2]);
    }

    #[test]
    fn number_and_players_may_contradict() {
        let matches = match_boards(3, &[tags("3.2", "Zemaitis, Jonas", "Doe, Jane")], &boards());
        assert_eq!(matches[0].problem, Some(NoBoard::Contradiction));
        let matches = match_boards(3, &[tags("3.2", "X", "Y")], &boards());
        assert_eq!((matches[0].board, matches[0].players_differ), (Some(2), true));
    }

    #[test]
    fn unknown_players_are_not_other_players() {
        let board = &boards()[0];
        assert!(!seated_at(&tags("3", "?", "?"), board).players_differ);
        assert!(seated_at(&tags("3", "X", "?"), board).players_differ);
        let reversed = seated_at(&tags("3", "Doe, J", "Zemaitis, J"), board);
        assert!(reversed.reversed && !reversed.players_differ);
    }

    #[test]
    fn a_fide_id_outweighs_a_name() {
        let mut boards = boards();
        boards[0].white.fide_id = Some("123".into());
        let mut game = tags("3", "Zemaitis, Jonas", "Doe, Jane");
        game.white_fide_id = Some("456".into());
        assert_eq!(match_boards(3, &[game], &boards)[0].problem, Some(NoBoard::Unknown));
    }

    #[test]
    fn names() {
        assert!(is_same_name("Carlsen, M.", "Magnus Carlsen"));
        assert!(!is_same_name("Carlsen, M", "Carlsen, Henrik"));
        assert!(!is_same_name("M. C.", "Magnus Carlsen"));
        assert!(!is_same_name("", "Magnus Carlsen"));
    }
}
