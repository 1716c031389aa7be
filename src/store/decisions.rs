//! Arbiters' decisions about submitted games.

use super::{StoreError, Tx, row::Column};
use crate::domain::ids::GameId;
use jiff::Timestamp;
use serde_json::Value;
use sqlx::FromRow;

/// An arbiter's decision that a finding stands, with the report as it then is.
#[derive(Clone, Debug)]
pub struct OverrideRow {
    /// Log index of the decision.
    pub entry: u64,
    /// The game it is about.
    pub game: GameId,
    /// When.
    pub at: Timestamp,
    /// Token of the arbiter.
    pub by: String,
    /// Half-move of the finding.
    pub ply: Option<u32>,
    /// Code of the finding.
    pub finding: String,
    /// Article of the Laws or the regulations.
    pub article: String,
    /// Reason code.
    pub reason: String,
    /// FEN from which play went on, when it is not the position as moved.
    pub position: Option<String>,
    /// Verdict with this decision.
    pub verdict: String,
    /// Report with this decision.
    pub report: Value,
}

/// An arbiter's decision that a game does not count.
#[derive(Clone, Debug)]
pub struct Annulment {
    /// When.
    pub at: Timestamp,
    /// Token of the arbiter.
    pub by: String,
    /// Article of the Laws or the regulations.
    pub article: String,
    /// Reason code or words.
    pub reason: String,
    /// Log index of the decision.
    pub entry: u64,
}

#[derive(FromRow)]
struct Row {
    leaf: i64,
    game_id: String,
    decided_at: i64,
    decided_by: String,
    ply: Option<i64>,
    finding: String,
    article: String,
    reason: String,
    position: Option<String>,
    verdict: String,
    report: String,
}

impl TryFrom<Row> for OverrideRow {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let column = |name| Column("game_override", name);
        Ok(Self {
            entry: column("leaf").number(row.leaf)?,
            game: column("game_id").parse(&row.game_id)?,
            at: column("decided_at").instant(row.decided_at)?,
            by: row.decided_by,
            ply: row.ply.map(|ply| column("ply").number(ply)).transpose()?,
            finding: row.finding,
            article: row.article,
            reason: row.reason,
            position: row.position,
            verdict: row.verdict,
            report: column("report").json(&row.report)?,
        })
    }
}

impl Tx {
    /// The arbiters' decisions about a game, in order.
    ///
    /// # Errors
    /// Of the database.
    pub async fn overrides(&mut self, game: GameId) -> Result<Vec<OverrideRow>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(
            "select leaf, game_id, decided_at, decided_by, ply, finding, article, reason, position, verdict, report
             from game_override where game_id = $1 order by leaf",
        )
        .bind(game.to_string())
        .fetch_all(self.conn())
        .await?;
        rows.into_iter().map(OverrideRow::try_from).collect()
    }

    /// Records a decision about a finding.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_override(&mut self, decision: &OverrideRow) -> Result<(), StoreError> {
        sqlx::query(
            "insert into game_override (leaf, game_id, decided_at, decided_by, ply, finding, article, reason, position,
                                        verdict, report)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(decision.entry as i64)
        .bind(decision.game.to_string())
        .bind(decision.at.as_microsecond())
        .bind(&decision.by)
        .bind(decision.ply)
        .bind(&decision.finding)
        .bind(&decision.article)
        .bind(&decision.reason)
        .bind(&decision.position)
        .bind(&decision.verdict)
        .bind(decision.report.to_string())
        .execute(self.conn())
        .await?;
        Ok(())
    }

    /// Records the decision that a game does not count.
    ///
    /// # Errors
    /// Of the database, also when it is annulled already.
    pub async fn insert_annulment(&mut self, game: GameId, annulment: &Annulment) -> Result<(), StoreError> {
        sqlx::query(
            "insert into game_annulment (game_id, annulled_at, annulled_by, article, reason, leaf)
             values ($1, $2, $3, $4, $5, $6)",
        )
        .bind(game.to_string())
        .bind(annulment.at.as_microsecond())
        .bind(&annulment.by)
        .bind(&annulment.article)
        .bind(&annulment.reason)
        .bind(annulment.entry as i64)
        .execute(self.conn())
        .await?;
        Ok(())
    }
}
