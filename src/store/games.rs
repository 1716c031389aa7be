//! Submitted games.

use super::{Annulment, StoreError, Tx, row::Column};
use crate::domain::ids::{DrawId, GameId, TournamentId};
use jiff::Timestamp;
use serde_json::Value;
use sqlx::FromRow;

/// A record of a game: exact bytes and what was found.
#[derive(Clone, Debug)]
pub struct GameRow {
    /// Its id.
    pub id: GameId,
    /// Whose it is.
    pub tournament: TournamentId,
    /// Its round.
    pub round: u16,
    /// Its board.
    pub board: u16,
    /// The draw it was judged by.
    pub draw: DrawId,
    /// When it came.
    pub submitted_at: Timestamp,
    /// Token it came with.
    pub submitted_by: String,
    /// Kind of the bytes.
    pub media_type: String,
    /// Language of its piece letters.
    pub language: String,
    /// The exact bytes.
    pub body: Vec<u8>,
    /// Their SHA-256, hex.
    pub body_hash: String,
    /// Verdict, one of the closed list.
    pub verdict: String,
    /// The whole report.
    pub report: Value,
    /// The record it replaces, and as what: `correction` or `replay`.
    pub replaces: Option<(GameId, String)>,
    /// Log index of the record.
    pub entry: u64,
    /// The decision that it does not count.
    pub annulled: Option<Annulment>,
}

#[derive(FromRow)]
struct Row {
    id: String,
    tournament_id: String,
    round: i64,
    board: i64,
    draw_id: String,
    submitted_at: i64,
    submitted_by: String,
    media_type: String,
    language: String,
    body: Vec<u8>,
    body_hash: String,
    verdict: String,
    report: String,
    replaces: Option<String>,
    replaces_as: Option<String>,
    leaf: i64,
    annulled_at: Option<i64>,
    annulled_by: Option<String>,
    article: Option<String>,
    reason: Option<String>,
    annulment_leaf: Option<i64>,
}

macro_rules! select_games {
    ($rest:literal) => {
        concat!(
            "select g.id, g.tournament_id, g.round, g.board, g.draw_id, g.submitted_at, g.submitted_by, g.media_type,
                g.language, g.body, g.body_hash, g.verdict, g.report, g.replaces, g.replaces_as, g.leaf,
                a.annulled_at, a.annulled_by, a.article, a.reason, a.leaf as annulment_leaf
             from game g left join game_annulment a on a.game_id = g.id ",
            $rest
        )
    };
}

impl TryFrom<Row> for GameRow {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let column = |name| Column("game", name);
        let replaces = match (&row.replaces, &row.replaces_as) {
            (Some(id), Some(how)) => Some((column("replaces").parse(id)?, how.clone())),
            _ => None,
        };
        let annulled = row.annulment()?;
        Ok(Self {
            id: column("id").parse(&row.id)?,
            tournament: column("tournament_id").parse(&row.tournament_id)?,
            round: column("round").number(row.round)?,
            board: column("board").number(row.board)?,
            draw: column("draw_id").parse(&row.draw_id)?,
            submitted_at: column("submitted_at").instant(row.submitted_at)?,
            submitted_by: row.submitted_by,
            media_type: row.media_type,
            language: row.language,
            body: row.body,
            body_hash: row.body_hash,
            verdict: row.verdict,
            report: column("report").json(&row.report)?,
            replaces,
            entry: column("leaf").number(row.leaf)?,
            annulled,
        })
    }
}

impl Row {
    fn annulment(&self) -> Result<Option<Annulment>, StoreError> {
        let column = |name| Column("game_annulment", name);
        let (Some(at), Some(entry)) = (self.annulled_at, self.annulment_leaf) else { return Ok(None) };
        Ok(Some(Annulment {
            at: column("annulled_at").instant(at)?,
            by: self.annulled_by.clone().unwrap_or_default(),
            article: self.article.clone().unwrap_or_default(),
            reason: self.reason.clone().unwrap_or_default(),
            entry: column("leaf").number(entry)?,
        }))
    }
}

impl Tx {
    /// One record.
    ///
    /// # Errors
    /// Of the database.
    pub async fn game(&mut self, id: GameId) -> Result<Option<GameRow>, StoreError> {
        let row: Option<Row> =
            sqlx::query_as(select_games!("where g.id = $1")).bind(id.to_string()).fetch_optional(self.conn()).await?;
        row.map(GameRow::try_from).transpose()
    }

    /// All records of a tournament's games, or of one round's, by round, board and age.
    ///
    /// # Errors
    /// Of the database.
    pub async fn games(&mut self, tournament: TournamentId, round: Option<u16>) -> Result<Vec<GameRow>, StoreError> {
        let sql = select_games!(
            "where g.tournament_id = $1 and ($2 is null or g.round = $2) order by g.round, g.board, g.id"
        );
        let rows: Vec<Row> =
            sqlx::query_as(sql).bind(tournament.to_string()).bind(round).fetch_all(self.conn()).await?;
        rows.into_iter().map(GameRow::try_from).collect()
    }

    /// The records of one board's game, by age.
    ///
    /// # Errors
    /// Of the database.
    pub async fn games_of_board(
        &mut self,
        tournament: TournamentId,
        round: u16,
        board: u16,
    ) -> Result<Vec<GameRow>, StoreError> {
        let sql = select_games!("where g.tournament_id = $1 and g.round = $2 and g.board = $3 order by g.id");
        let rows: Vec<Row> =
            sqlx::query_as(sql).bind(tournament.to_string()).bind(round).bind(board).fetch_all(self.conn()).await?;
        rows.into_iter().map(GameRow::try_from).collect()
    }

    /// Rounds that have a recorded game.
    ///
    /// # Errors
    /// Of the database.
    pub async fn rounds_with_games(&mut self, tournament: TournamentId) -> Result<Vec<u16>, StoreError> {
        // After a replay the log knows of games whose records are lost.
        let rounds: Vec<i64> = sqlx::query_scalar(
            "select round from game where tournament_id = $1
             union select round from leaf_subject where tournament_id = $1 and kind = 'game'",
        )
        .bind(tournament.to_string())
        .fetch_all(self.conn())
        .await?;
        rounds.into_iter().map(|round| Column("game", "round").number(round)).collect()
    }

    /// Records a game.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_game(&mut self, game: &GameRow) -> Result<(), StoreError> {
        sqlx::query(
            "insert into game (id, tournament_id, round, board, draw_id, submitted_at, submitted_by, media_type, body,
                               body_hash, verdict, report, replaces, replaces_as, leaf, language)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        )
        .bind(game.id.to_string())
        .bind(game.tournament.to_string())
        .bind(game.round)
        .bind(game.board)
        .bind(game.draw.to_string())
        .bind(game.submitted_at.as_microsecond())
        .bind(&game.submitted_by)
        .bind(&game.media_type)
        .bind(&game.body)
        .bind(&game.body_hash)
        .bind(&game.verdict)
        .bind(game.report.to_string())
        .bind(game.replaces.as_ref().map(|(id, _)| id.to_string()))
        .bind(game.replaces.as_ref().map(|(_, how)| how))
        .bind(game.entry as i64)
        .bind(&game.language)
        .execute(self.conn())
        .await?;
        Ok(())
    }
}
