//! Rounds, as they are scheduled now.

use super::{
    StoreError, Tx,
    row::{Column, word},
};
use crate::domain::{ids::TournamentId, round::Round, schedule::Times};
use sqlx::FromRow;

#[derive(FromRow)]
struct Row {
    number: i64,
    label: Option<String>,
    civil_start: Option<String>,
    starts_at: Option<i64>,
    release_at: Option<i64>,
    scheduled_at: Option<i64>,
    lead_minutes: Option<i64>,
    supervision: Option<String>,
    time_control: Option<String>,
    boards: Option<i64>,
    overdue_since: Option<i64>,
    started_at: Option<i64>,
}

impl TryFrom<Row> for Round {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let column = |name| Column("round", name);
        let times = match (row.starts_at, row.release_at) {
            (Some(starts_at), Some(release_at)) => Some(Times {
                starts_at: column("starts_at").instant(starts_at)?,
                release_at: column("release_at").instant(release_at)?,
            }),
            _ => None,
        };
        let small = |name, value: Option<i64>| value.map(|n| column(name).number(n)).transpose();
        let instant = |name, value: Option<i64>| value.map(|at| column(name).instant(at)).transpose();
        Ok(Self {
            number: column("number").number(row.number)?,
            label: row.label,
            civil_start: row.civil_start,
            times,
            scheduled_at: instant("scheduled_at", row.scheduled_at)?,
            lead_minutes: small("lead_minutes", row.lead_minutes)?,
            supervision: row.supervision.map(|text| column("supervision").word(text)).transpose()?,
            time_control: row.time_control.map(|text| column("time_control").word(text)).transpose()?,
            boards: small("boards", row.boards)?,
            overdue_since: instant("overdue_since", row.overdue_since)?,
            started_at: instant("started_at", row.started_at)?,
        })
    }
}

impl Tx {
    /// The rounds of a tournament by number.
    ///
    /// # Errors
    /// Of the database.
    pub async fn rounds(&mut self, tournament: TournamentId) -> Result<Vec<Round>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(
            "select number, label, civil_start, starts_at, release_at, scheduled_at, lead_minutes, supervision, time_control,
                    boards, overdue_since, started_at from round where tournament_id = $1 order by number",
        )
        .bind(tournament.to_string())
        .fetch_all(self.conn())
        .await?;
        rows.into_iter().map(Round::try_from).collect()
    }

    /// One round of a tournament.
    ///
    /// # Errors
    /// Of the database.
    pub async fn round(&mut self, tournament: TournamentId, number: u16) -> Result<Option<Round>, StoreError> {
        let row: Option<Row> = sqlx::query_as(
            "select number, label, civil_start, starts_at, release_at, scheduled_at, lead_minutes, supervision, time_control,
                    boards, overdue_since, started_at from round where tournament_id = $1 and number = $2",
        )
        .bind(tournament.to_string())
        .bind(number)
        .fetch_optional(self.conn())
        .await?;
        row.map(Round::try_from).transpose()
    }

    /// Stores a round as it is scheduled now.
    ///
    /// # Errors
    /// Of the database.
    pub async fn put_round(&mut self, tournament: TournamentId, round: &Round) -> Result<(), StoreError> {
        sqlx::query(
            "insert into round (tournament_id, number, label, civil_start, starts_at, release_at, scheduled_at, lead_minutes,
                                supervision, time_control, boards, overdue_since, started_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             on conflict (tournament_id, number) do update set label = excluded.label,
                civil_start = excluded.civil_start, starts_at = excluded.starts_at, release_at = excluded.release_at,
                scheduled_at = excluded.scheduled_at, lead_minutes = excluded.lead_minutes, supervision = excluded.supervision,
                time_control = excluded.time_control, boards = excluded.boards,
                overdue_since = excluded.overdue_since, started_at = excluded.started_at",
        )
        .bind(tournament.to_string())
        .bind(round.number)
        .bind(&round.label)
        .bind(&round.civil_start)
        .bind(round.times.map(|times| times.starts_at.as_microsecond()))
        .bind(round.times.map(|times| times.release_at.as_microsecond()))
        .bind(round.scheduled_at.map(|at| at.as_microsecond()))
        .bind(round.lead_minutes)
        .bind(round.supervision.as_ref().map(word))
        .bind(round.time_control.as_ref().map(word))
        .bind(round.boards)
        .bind(round.overdue_since.map(|at| at.as_microsecond()))
        .bind(round.started_at.map(|at| at.as_microsecond()))
        .execute(self.conn())
        .await?;
        Ok(())
    }
}
