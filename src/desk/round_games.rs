//! The games of a whole round in one upload, matched to boards by round, board, names or FIDE ids.

use super::{
    Actor, Desk, Recorded,
    kept::{Kept, PGN},
    measure::{Measure, paired},
};
use crate::domain::{
    draw::Draw,
    fault::{Code, Fault},
    game::{
        GameReport, Language, Options, Start, Validator,
        pairing::{Match, NoBoard, PairedBoard, add_findings, boards_without_game, match_boards},
    },
};
use std::sync::Arc;

/// Games in one upload; larger collections are no round, and are for `draw960 validate`.
pub const MAX_GAMES: usize = 10_000;

/// Refuses an upload of more than 10,000 games.
///
/// # Errors
/// `body-too-large`.
pub fn check_count(games: usize) -> Result<(), Fault> {
    let too_many = || Fault::new(Code::BodyTooLarge, format!("this path reads at most {MAX_GAMES} games at a time"));
    if games > MAX_GAMES { Err(too_many()) } else { Ok(()) }
}

/// What became of one game of an upload.
#[derive(Debug)]
pub struct Outcome {
    /// Where it belongs, and why.
    pub found: Match,
    /// The report, also for a game that was not recorded.
    pub report: GameReport,
    /// The record, or why there is none.
    pub recorded: Result<Recorded, Fault>,
}

/// What became of an upload.
#[derive(Debug)]
pub struct RoundGames {
    /// Game by game, in the order of the text.
    pub games: Vec<Outcome>,
    /// Boards of the round that no game was found for.
    pub boards_without_game: Vec<u32>,
}

impl Desk {
    /// Validates and records the games of a round. Each stands for itself: some may be recorded and others refused.
    ///
    /// # Errors
    /// When the upload as a whole cannot be taken.
    pub async fn submit_round(
        &self,
        t: &str,
        actor: &Actor,
        round: u16,
        text: Vec<u8>,
        language: Language,
    ) -> Result<RoundGames, Fault> {
        self.may_submit(t, actor, round, None).await?;
        let text = Arc::new(text);
        let measure = self.measure(&mut self.store.read().await?, t, round, actor).await?;
        let options = measure.options(measure.any_draw()?, language)?;
        let reports = all(Arc::clone(&text), options).await?;
        let tags: Vec<_> = reports.iter().map(|report| report.tags.clone()).collect();
        let boards: Vec<PairedBoard> = measure.pairings.iter().map(paired).collect();
        let matching = move || {
            let matches = match_boards(u32::from(round), &tags, &boards);
            let without = boards_without_game(&matches, &boards);
            (matches, without)
        };
        let matched = tokio::task::spawn_blocking(matching).await;
        let (matches, boards_without_game) = matched.map_err(|why| Fault::internal(why.to_string()))?;
        let mut placed = Vec::new();
        for (found, report) in matches.into_iter().zip(reports) {
            placed.push(place(&measure, found, report, &text, language).await);
        }
        // Everybody else's changes, releases too, wait for the act: what takes long has been done before.
        let mut act = self.act(t, actor).await?;
        let measure = Measure::load(self, &mut act.tx, act.tournament.clone(), round).await?;
        let mut games = Vec::new();
        for Placed { found, report, at } in placed {
            let recorded = match at {
                Ok((board, draw, kept)) => act.record(&measure, board, &draw, kept, language, &report, None).await,
                Err(fault) => Err(fault),
            };
            games.push(Outcome { found, report, recorded });
        }
        act.finish().await?;
        Ok(RoundGames { games, boards_without_game })
    }
}

/// A game with what is needed to record it, or why it cannot be.
struct Placed {
    found: Match,
    report: GameReport,
    at: Result<(u16, Draw, Kept), Fault>,
}

/// The game's board, draw and own bytes; where each board has its own position, the game is validated against that.
async fn place(measure: &Measure, found: Match, mut report: GameReport, text: &[u8], language: Language) -> Placed {
    // Without the blank lines around it, so that it is the same record wherever in an upload it stands.
    let record = text[report.begins_at..report.begins_at + report.length].trim_ascii();
    let kept = Kept { media_type: PGN.into(), body: record.to_vec() };
    let judged = async {
        let board = board_of(&found)?;
        let draw = measure.draw(board)?.clone();
        let own = match measure.per_board() {
            true => Some(measure.judge(board, &draw, kept.clone(), language, Vec::new()).await?),
            false => None,
        };
        Ok::<_, Fault>((board, draw, own))
    };
    match judged.await {
        Ok((board, draw, own)) => {
            match own {
                Some(own) => report = own,
                None => add_findings(&mut report, &found, &[]),
            }
            Placed { found, report, at: Ok((board, draw, kept)) }
        }
        Err(fault) => Placed { found, report, at: Err(fault) },
    }
}

/// The board that was found, or why none was.
pub(super) fn board_of(found: &Match) -> Result<u16, Fault> {
    let why = match (found.board, found.problem) {
        (Some(board), _) => {
            return u16::try_from(board).map_err(|why| Fault::internal(why.to_string()));
        }
        (None, Some(NoBoard::OtherRound)) => "its Round tag names another round",
        (None, Some(NoBoard::Contradiction)) => "its number is one board's, its players are another's",
        (None, Some(NoBoard::Taken)) => "an earlier game of this upload belongs to the same board",
        (None, _) => "neither its players nor its number are those of a board",
    };
    Err(Fault::new(Code::BoardUnpaired, format!("this game belongs to no board of the round: {why}")))
}

/// The reports on all games of the text. Only so many are held: of more the upload is refused.
async fn all(text: Arc<Vec<u8>>, options: Options) -> Result<Vec<GameReport>, Fault> {
    let work = move || {
        let mut validator =
            Validator::new(&Start::default(), &options).map_err(|why| Fault::internal(why.to_string()))?;
        let (mut reports, mut games) = (Vec::new(), 0);
        validator.each_game(&text, 1, |report| {
            games += 1;
            if games <= MAX_GAMES {
                reports.push(report);
            }
        });
        check_count(games).map(|()| reports)
    };
    tokio::task::spawn_blocking(work).await.map_err(|why| Fault::internal(why.to_string()))?
}
