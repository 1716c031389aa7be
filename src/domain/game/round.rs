//! All games of a round in one upload: to which board each belongs, and a report on each.
//!
//! Partial success is explicit: a game that cannot be read or has no board does not keep the others from being
//! validated, and a board without game is named.

use super::{
    GameReport, GameResult, GameTags, MoveNotation, Options, Record, Severity, Start, Submission, Validator,
    conclusion::Recorded,
    livechess::LiveChessGame,
    pairing::{Match, PairedBoard, add_findings, boards_without_game, match_boards},
    pgn::{games::Games, splitter, tags::Tags, text::Places},
    validate, validate_list,
    validator::game_tags,
};
use serde::{Deserialize, Serialize};

/// How a round is uploaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UploadFormat {
    /// One PGN text.
    #[default]
    Pgn,
    /// One JSON object a line.
    Ndjson,
}

/// A line of an NDJSON upload.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UploadLine {
    /// Round.
    pub round: Option<u32>,
    /// Board.
    pub board: Option<u32>,
    /// White player.
    pub white: Option<String>,
    /// Black player.
    pub black: Option<String>,
    /// White's FIDE id.
    pub white_fide_id: Option<String>,
    /// Black's FIDE id.
    pub black_fide_id: Option<String>,
    /// The game as PGN,
    pub pgn: Option<String>,
    /// or as a list of moves,
    pub moves: Option<Vec<String>>,
    /// or as the game file of an electronic board.
    pub livechess: Option<LiveChessGame>,
    /// How the moves are written.
    #[serde(default)]
    pub notation: MoveNotation,
    /// Result beside a list of moves.
    pub result: Option<String>,
}

/// One game of an upload.
#[derive(Clone, Debug, Serialize)]
pub struct RoundGame {
    /// Which of the upload, from 1.
    pub game: usize,
    /// Where it belongs.
    #[serde(flatten)]
    pub matched: Match,
    /// What it is worth; none when the line of the upload could not be read.
    pub report: Option<GameReport>,
    /// Why the line could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// How many of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoundSummary {
    /// Games of the upload.
    pub games: usize,
    /// Games with a board and without error.
    pub accepted: usize,
    /// Games with an error, board or not.
    pub with_errors: usize,
    /// Games without a board.
    pub without_board: usize,
    /// Games with a warning and no error.
    pub with_warnings: usize,
}

/// The report on a round.
#[derive(Clone, Debug, Serialize)]
pub struct RoundReport {
    /// How many of what.
    pub summary: RoundSummary,
    /// Boards that no game was found for.
    pub boards_without_game: Vec<u32>,
    /// Game by game, in the order of the upload.
    pub games: Vec<RoundGame>,
}

/// Validates all games of a round. `options` gives what the game of a board is measured by: its draw, its overrides; for
/// a game without board it is asked with none.
pub fn validate_round(
    upload: &[u8],
    format: UploadFormat,
    round: u32,
    boards: &[PairedBoard],
    options: &dyn Fn(Option<u32>) -> Options,
) -> RoundReport {
    let games = match format {
        UploadFormat::Pgn => pgn_round(upload, round, boards, options),
        UploadFormat::Ndjson => ndjson_round(upload, round, boards, options),
    };
    let matches: Vec<Match> = games.iter().map(|game| game.matched.clone()).collect();
    RoundReport { summary: summary(&games), boards_without_game: boards_without_game(&matches, boards), games }
}

fn summary(games: &[RoundGame]) -> RoundSummary {
    let mut summary = RoundSummary { games: games.len(), ..RoundSummary::default() };
    for game in games {
        let errors = game.report.as_ref().is_none_or(GameReport::has_errors);
        let warnings = game.report.as_ref().is_some_and(|report| report.count(Severity::Warning) > 0);
        summary.with_errors += usize::from(errors);
        summary.without_board += usize::from(game.matched.board.is_none());
        summary.accepted += usize::from(game.matched.board.is_some() && !errors);
        summary.with_warnings += usize::from(warnings && !errors);
    }
    summary
}

type Ask<'a> = &'a dyn Fn(Option<u32>) -> Options;

fn pgn_round(text: &[u8], round: u32, boards: &[PairedBoard], options: Ask<'_>) -> Vec<RoundGame> {
    let (begins, tags): (Vec<usize>, Vec<GameTags>) = survey(text).into_iter().unzip();
    let matches = match_boards(round, &tags, boards);
    let mut places = Places::default();
    let games = begins.into_iter().zip(matches).enumerate();
    games
        .map(|(n, (at, matched))| {
            let report = game_at(text, at, &options(matched.board), &mut places);
            finished(n, matched, report.ok_or_else(|| "there is no game here".to_owned()))
        })
        .collect()
}

/// Where each game of a text begins, and its tags.
fn survey(text: &[u8]) -> Vec<(usize, GameTags)> {
    let (mut games, mut tags, mut list) = (Games::new(text), Tags::default(), Vec::new());
    while let Some((begins, mut tokens)) = games.begin(&mut tags) {
        list.push((begins, game_tags(&tags)));
        let terminated = tokens.skip_to_end();
        games.end(tokens, terminated);
    }
    list
}

fn game_at(text: &[u8], at: usize, options: &Options, places: &mut Places) -> Option<GameReport> {
    let mut validator = Validator::new(&Start::FromTags, options).ok()?;
    validator.next_game(&mut Games::at_byte(text, at), &mut Tags::default(), places)
}

fn finished(n: usize, matched: Match, report: Result<GameReport, String>) -> RoundGame {
    let (report, unreadable) = match report {
        Ok(mut report) => {
            add_findings(&mut report, &matched, &[]);
            (Some(report), None)
        }
        Err(why) => (None, Some(why)),
    };
    RoundGame { game: n + 1, matched, report, unreadable }
}

fn ndjson_round(text: &[u8], round: u32, boards: &[PairedBoard], options: Ask<'_>) -> Vec<RoundGame> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let lines: Vec<Result<UploadLine, String>> =
        splitter::lines(text).map(|line| serde_json::from_slice(line).map_err(|why| why.to_string())).collect();
    let tags: Vec<GameTags> =
        lines.iter().map(|line| line.as_ref().map(UploadLine::tags).unwrap_or_default()).collect();
    let matches = match_boards(round, &tags, boards);
    let games = lines.into_iter().zip(matches).enumerate();
    games
        .map(|(n, (line, matched))| {
            let report = line.and_then(|line| line.validate(&options(matched.board)));
            finished(n, matched, report)
        })
        .collect()
}

impl UploadLine {
    /// What tells this game from others: what the line says, else the tags of its PGN.
    fn tags(&self) -> GameTags {
        let own = self.pgn.as_deref().and_then(|pgn| survey(pgn.as_bytes()).into_iter().next());
        let pgn = own.map(|(_, tags)| tags).unwrap_or_default();
        GameTags {
            round: self.round.map(|round| round.to_string()).or(pgn.round),
            board: self.board.map(|board| board.to_string()).or(pgn.board),
            white: self.white.clone().or(pgn.white),
            black: self.black.clone().or(pgn.black),
            white_fide_id: self.white_fide_id.clone().or(pgn.white_fide_id),
            black_fide_id: self.black_fide_id.clone().or(pgn.black_fide_id),
            ..GameTags::default()
        }
    }

    fn validate(&self, options: &Options) -> Result<GameReport, String> {
        let report = match (&self.pgn, &self.moves, &self.livechess) {
            (Some(pgn), None, None) => {
                let submission = Submission { start: Start::FromTags, record: Record::Pgn(pgn.as_bytes()) };
                validate(&submission, options).map_err(|why| why.to_string())
            }
            (None, Some(moves), None) => {
                let submission = Submission { start: Start::FromTags, record: Record::Moves(moves, self.notation) };
                validate_list(&submission, options, &self.recorded()?).map_err(|why| why.to_string())
            }
            (None, None, Some(game)) => game.validate(options).map_err(|why| why.to_string()),
            _ => Err("a line has one of pgn, moves and livechess".to_owned()),
        };
        report.map(|report| GameReport { tags: self.tags(), ..report })
    }

    fn recorded(&self) -> Result<Recorded, String> {
        let Some(text) = &self.result else { return Ok(Recorded::default()) };
        let result = GameResult::read(text.as_bytes()).ok_or_else(|| format!("\"{text}\" is no result"))?;
        Ok(Recorded::of_list(result))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::pairing::PairedPlayer, *};

    fn boards() -> Vec<PairedBoard> {
        let player = |name: &str| PairedPlayer { name: name.into(), fide_id: None };
        let board = |board, white, black| PairedBoard { board, white: player(white), black: player(black) };
        vec![board(1, "A, Ann", "B, Bob"), board(2, "C, Cid", "D, Dot"), board(3, "E, Eve", "F, Fay")]
    }

    fn validate_upload(upload: &str, format: UploadFormat) -> RoundReport {
        validate_round(upload.as_bytes(), format, 1, &boards(), &|_| Options::default())
    }

    #[test]
    fn some_games_of_a_round_are_accepted_and_the_others_named() {
        let pgn = "[Round \"1.1\"]\n[White \"Ann A\"]\n[Black \"Bob B\"]\n\n1. e4 e5 1-0\n\n\
                   [Round \"1.2\"]\n[White \"Dot D\"]\n[Black \"Cid C\"]\n\n1. e4 e5 1-0\n\n\
                   [Round \"1\"]\n[White \"X\"]\n[Black \"Y\"]\n\n1. e4 e6 2. e6 1-0\n";
        let report = validate_upload(pgn, UploadFormat::Pgn);
        let expected = RoundSummary { games: 3, accepted: 1, with_errors: 2, without_board: 1, with_warnings: 0 };
        assert_eq!(report.summary, expected);
        assert_eq!(report.boards_without_game, [3]);
        let third = report.games[2].report.as_ref().unwrap();
        assert_eq!(third.findings.iter().find(|f| f.is_error()).unwrap().line, Some(17));
        assert_eq!(report.games[1].report.as_ref().unwrap().verdict.as_str(), "not-the-drawn-position");
        assert!(serde_json::to_string(&report).unwrap().contains("\"board\":2,\"by\":\"players\",\"reversed\":true"));
    }

    #[test]
    fn a_line_of_json_is_a_game() {
        let lines = "{\"board\": 1, \"moves\": [\"e4\", \"e5\"], \"result\": \"1-0\"}\n\
                     {\"board\": 2, \"moves\": [\"e2e4\"], \"notation\": \"uci\"}\n\
                     {\"board\": 3, \"livechess\": {\"chess960\": 518, \"result\": \"DRAW\", \"moves\": [\"e4 1+1\", \"e5\"]}}\n\
                     {\"board\": 3, \"what\": 1}\n\n{\"board\": 9}\n";
        let report = validate_upload(lines, UploadFormat::Ndjson);
        assert_eq!(
            report.summary,
            RoundSummary { games: 5, accepted: 3, with_errors: 2, without_board: 2, with_warnings: 0 }
        );
        assert!(report.games[3].unreadable.as_deref().unwrap().contains("what"));
    }
}
