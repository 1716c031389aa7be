//! Draws: orders, releases and voids, each inserted once and never changed.

use super::{
    StoreError, Tx,
    draw_row::{Row, select_draws},
    row::{Column, json, word},
};
use crate::domain::{
    draw::{Draw, DrawState, Release, Void},
    ids::{DrawId, TournamentId},
    number_set::NumberSet,
    position_number::PositionNumber,
    schedule::LEAST_WINDOW,
};
use jiff::Timestamp;
use sqlx::AssertSqlSafe;

/// Which past draws are asked for; absent fields do not restrict.
#[derive(Clone, Debug, Default)]
pub struct DrawFilter {
    /// Of one tournament.
    pub tournament: Option<TournamentId>,
    /// Of one round, or first round of a block.
    pub round: Option<u16>,
    /// Of one board.
    pub board: Option<u16>,
    /// In one state.
    pub state: Option<DrawState>,
    /// Released with this number.
    pub number: Option<PositionNumber>,
    /// Ordered at or after.
    pub ordered_from: Option<Timestamp>,
    /// Ordered before.
    pub ordered_before: Option<Timestamp>,
    /// The id that the page before ended with.
    pub after: Option<DrawId>,
}

fn draws(rows: Vec<Row>) -> Result<Vec<Draw>, StoreError> {
    rows.into_iter().map(Draw::try_from).collect()
}

impl Tx {
    /// One attempt.
    ///
    /// # Errors
    /// Of the database.
    pub async fn draw(&mut self, id: DrawId) -> Result<Option<Draw>, StoreError> {
        let row: Option<Row> =
            sqlx::query_as(select_draws!("where d.id = $1")).bind(id.to_string()).fetch_optional(self.conn()).await?;
        row.map(Draw::try_from).transpose()
    }

    /// All attempts of all slots of a tournament, by round, board, attempt.
    ///
    /// # Errors
    /// Of the database.
    pub async fn draws_of(&mut self, tournament: TournamentId) -> Result<Vec<Draw>, StoreError> {
        let sql = select_draws!("where d.tournament_id = $1 order by d.round, d.board, d.attempt");
        draws(sqlx::query_as(sql).bind(tournament.to_string()).fetch_all(self.conn()).await?)
    }

    /// The attempts of the slots of one round or block, by board and attempt.
    ///
    /// # Errors
    /// Of the database.
    pub async fn draws_of_round(&mut self, tournament: TournamentId, round: u16) -> Result<Vec<Draw>, StoreError> {
        let sql = select_draws!("where d.tournament_id = $1 and d.round = $2 order by d.board, d.attempt");
        draws(sqlx::query_as(sql).bind(tournament.to_string()).bind(round).fetch_all(self.conn()).await?)
    }

    /// Past draws in order of their orders.
    ///
    /// # Errors
    /// Of the database.
    pub async fn find_draws(&mut self, filter: &DrawFilter, limit: u32) -> Result<Vec<Draw>, StoreError> {
        let state = match filter.state {
            None => "1 = 1",
            Some(DrawState::AwaitingEntropy) => {
                "r.draw_id is null and v.draw_id is null and e.draw_id is null and d.sources not like '%none%'"
            }
            Some(DrawState::Sealed) => {
                "r.draw_id is null and v.draw_id is null and (e.draw_id is not null or d.sources like '%none%')"
            }
            Some(DrawState::Released) => "r.draw_id is not null and v.draw_id is null",
            Some(DrawState::Voided) => "v.draw_id is not null",
        };
        let sql = format!(
            "{} and {state} order by d.leaf limit $8",
            select_draws!(
                "where ($1 is null or d.tournament_id = $1) and ($2 is null or d.round = $2)
                 and ($3 is null or d.board = $3) and ($4 is null or r.number = $4)
                 and ($5 is null or d.ordered_at >= $5) and ($6 is null or d.ordered_at < $6)
                 and ($7 is null or d.leaf > (select leaf from draw where id = $7))"
            )
        );
        // The only part that is not literal is one of the five conditions above.
        let query = sqlx::query_as(AssertSqlSafe(sql))
            .bind(filter.tournament.map(|id| id.to_string()))
            .bind(filter.round)
            .bind(filter.board)
            .bind(filter.number.map(PositionNumber::get))
            .bind(filter.ordered_from.map(Timestamp::as_microsecond))
            .bind(filter.ordered_before.map(Timestamp::as_microsecond))
            .bind(filter.after.map(|id| id.to_string()))
            .bind(limit);
        draws(query.fetch_all(self.conn()).await?)
    }

    /// Tournaments with a live, unreleased draw whose release instant is not after `now`, overdue ones left out. A draw
    /// whose entropy is still to come is looked at when so little time is left that it may be overdue.
    ///
    /// # Errors
    /// Of the database.
    pub async fn tournaments_with_due_draws(&mut self, now: Timestamp) -> Result<Vec<TournamentId>, StoreError> {
        let ids: Vec<String> = sqlx::query_scalar(
            "select distinct d.tournament_id from draw d
             join round on round.tournament_id = d.tournament_id and round.number = d.serves_from
             where round.release_at <= $1 and round.overdue_since is null
               and (d.sources like '%none%' or round.starts_at < $2
                    or exists (select 1 from draw_entropy e where e.draw_id = d.id))
               and not exists (select 1 from draw_release r where r.draw_id = d.id)
               and not exists (select 1 from draw_void v where v.draw_id = d.id)",
        )
        .bind(now.as_microsecond())
        .bind((now + LEAST_WINDOW).as_microsecond())
        .fetch_all(self.conn())
        .await?;
        ids.iter().map(|id| Column("draw", "tournament_id").parse(id)).collect()
    }

    /// Live draws of all tournaments that wait for a beacon.
    ///
    /// # Errors
    /// Of the database.
    pub async fn draws_awaiting_beacon(&mut self) -> Result<Vec<Draw>, StoreError> {
        let sql = select_draws!(
            "where d.sources like '%drand%' and e.draw_id is null and r.draw_id is null and v.draw_id is null"
        );
        draws(sqlx::query_as(sql).fetch_all(self.conn()).await?)
    }

    /// Draws voided before any release whose beacon was never seen, of tournaments that are not ended.
    ///
    /// # Errors
    /// Of the database.
    pub async fn draws_with_abandoned_beacon(&mut self) -> Result<Vec<Draw>, StoreError> {
        let sql = select_draws!(
            "where d.sources like '%drand%' and e.draw_id is null and r.draw_id is null and v.draw_id is not null
                and exists (select 1 from tournament t where t.id = d.tournament_id and t.ended_at is null)"
        );
        draws(sqlx::query_as(sql).fetch_all(self.conn()).await?)
    }

    /// Every number ever released in a tournament, later voided or not.
    ///
    /// # Errors
    /// Of the database.
    pub async fn released_numbers(&mut self, tournament: TournamentId) -> Result<NumberSet, StoreError> {
        self.numbers_released_before(tournament, i64::MAX as u64).await
    }

    /// The numbers released before an entry of the log.
    ///
    /// # Errors
    /// Of the database.
    pub async fn numbers_released_before(
        &mut self,
        tournament: TournamentId,
        entry: u64,
    ) -> Result<NumberSet, StoreError> {
        let numbers: Vec<i64> = sqlx::query_scalar(
            "select r.number from draw_release r join draw d on d.id = r.draw_id
             where d.tournament_id = $1 and r.leaf < $2",
        )
        .bind(tournament.to_string())
        .bind(i64::try_from(entry).unwrap_or(i64::MAX))
        .fetch_all(self.conn())
        .await?;
        let column = Column("draw_release", "number");
        numbers.into_iter().map(|n| column.parse::<PositionNumber>(&n.to_string())).collect()
    }

    /// Records an order.
    ///
    /// # Errors
    /// Of the database, also when the slot has a live draw.
    pub async fn insert_draw(&mut self, draw: &Draw) -> Result<(), StoreError> {
        sqlx::query(
            "insert into draw (id, tournament_id, round, board, attempt, serves_from, ordered_at, ordered_by, sources,
                               excluded, repeats, commitment, leaf)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        )
        .bind(draw.id.to_string())
        .bind(draw.tournament.to_string())
        .bind(draw.round)
        .bind(draw.board)
        .bind(draw.attempt)
        .bind(draw.serves_from)
        .bind(draw.ordered_at.as_microsecond())
        .bind(&draw.ordered_by)
        .bind(json(&draw.terms.sources))
        .bind(json(&draw.terms.excluded))
        .bind(word(&draw.terms.repeats))
        .bind(&draw.commitment)
        .bind(draw.entry as i64)
        .execute(self.conn())
        .await?;
        Ok(())
    }

    /// Records a release: with its commit the position is public.
    ///
    /// # Errors
    /// Of the database, also when the draw was released or voided before.
    pub async fn insert_release(&mut self, draw: DrawId, release: &Release) -> Result<(), StoreError> {
        sqlx::query(
            "insert into draw_release (draw_id, released_at, released_by, number, secret, entropy, used, seed,
                                       words_used, leaf, throws)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(draw.to_string())
        .bind(release.at.as_microsecond())
        .bind(&release.by)
        .bind(release.number.get())
        .bind(&release.secret)
        .bind(json(&release.entropy))
        .bind(json(&release.used))
        .bind(&release.seed)
        .bind(release.words_used)
        .bind(release.entry as i64)
        .bind(&release.throws)
        .execute(self.conn())
        .await?;
        Ok(())
    }

    /// Records a void.
    ///
    /// # Errors
    /// Of the database, also when the draw was voided before.
    pub async fn insert_void(&mut self, draw: DrawId, void: &Void) -> Result<(), StoreError> {
        sqlx::query(
            "insert into draw_void (draw_id, voided_at, voided_by, reason, knowable, from_round, after_start, secret, leaf)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(draw.to_string())
        .bind(void.at.as_microsecond())
        .bind(&void.by)
        .bind(void.reason.as_str())
        .bind(void.knowable)
        .bind(void.from_round)
        .bind(void.after_start)
        .bind(&void.secret)
        .bind(void.entry as i64)
        .execute(self.conn())
        .await?;
        Ok(())
    }
}
