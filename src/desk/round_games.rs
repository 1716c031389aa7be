//! The games of a whole round in one upload, matched to boards by round, board, names or FIDE ids.

use super::{
    Actor, Desk, Recorded,
    games::{Kept, PGN},
    measure::Measure,
};
use crate::domain::{
    draw::Draw,
    fault::{Code, Fault},
    game::{
        GameReport, Language, Options, Start,
        pairing::{Match, NoBoard, PairedBoard, PairedPlayer, boards_without_game, match_boards},
        validate_all,
    },
};
use std::sync::Arc;

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
        let first = measure.pairings.first().map_or(1, |pairing| pairing.board);
        let options = measure.options(measure.draw(first)?, language)?;
        let reports = all(Arc::clone(&text), options).await?;
        let tags: Vec<_> = reports.iter().map(|report| report.tags.clone()).collect();
        let boards = paired(&measure);
        let matches = match_boards(u32::from(round), &tags, &boards);
        let boards_without_game = boards_without_game(&matches, &boards);
        let mut act = self.act(t, actor).await?;
        // One look for all games: nobody else writes while this act lasts.
        let now = act.measure(round).await?;
        let mut games = Vec::new();
        for (found, report) in matches.into_iter().zip(reports) {
            let record = &text[report.begins_at..report.begins_at + report.length];
            let kept = Kept { media_type: PGN.into(), body: record.to_vec() };
            let (report, recorded) = match placed(&measure, &found, report, &kept, language).await {
                Ok((board, draw, report)) => {
                    let recorded = act.record(&now, board, &draw, kept, language, &report, None).await;
                    (report, recorded)
                }
                Err(refused) => {
                    let (report, fault) = *refused;
                    (report, Err(fault))
                }
            };
            games.push(Outcome { found, report, recorded });
        }
        act.finish().await?;
        Ok(RoundGames { games, boards_without_game })
    }
}

/// The game's board and draw; where each board has its own position, the game is validated against that.
async fn placed(
    measure: &Measure,
    found: &Match,
    report: GameReport,
    kept: &Kept,
    language: Language,
) -> Result<(u16, Draw, GameReport), Box<(GameReport, Fault)>> {
    let board = match board_of(found) {
        Ok(board) => board,
        Err(fault) => return Err(Box::new((report, fault))),
    };
    let judged = async {
        let draw = measure.draw(board)?.clone();
        let own = kept.clone().validated(measure.options(&draw, language)?);
        Ok::<_, Fault>((draw, if measure.per_board() { Some(own.await?) } else { None }))
    };
    match judged.await {
        Ok((draw, own)) => Ok((board, draw, own.unwrap_or(report))),
        Err(fault) => Err(Box::new((report, fault))),
    }
}

fn board_of(found: &Match) -> Result<u16, Fault> {
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

async fn all(text: Arc<Vec<u8>>, options: Options) -> Result<Vec<GameReport>, Fault> {
    let work = move || validate_all(&text, &Start::default(), &options).map_err(|why| why.to_string());
    let done = tokio::task::spawn_blocking(work).await.map_err(|why| Fault::internal(why.to_string()))?;
    done.map_err(Fault::internal)
}

fn paired(measure: &Measure) -> Vec<PairedBoard> {
    let player =
        |player: &crate::store::Player| PairedPlayer { name: player.name.clone(), fide_id: player.fide_id.clone() };
    let board = |pairing: &crate::store::Pairing| PairedBoard {
        board: u32::from(pairing.board),
        white: player(&pairing.white),
        black: player(&pairing.black),
    };
    measure.pairings.iter().map(board).collect()
}
