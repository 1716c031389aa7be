//! Draws: orders, releases and voids, each inserted once and never changed.

use super::{
    StoreError, Tx,
    row::{Column, json, word},
};
use crate::domain::{
    derivation::Terms,
    draw::{Arrived, Draw, DrawState, Release, Void},
    ids::{DrawId, TournamentId},
    number_set::NumberSet,
    position_number::PositionNumber,
    schedule::LEAST_WINDOW,
};
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, FromRow};

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

#[derive(FromRow)]
struct Row {
    id: String,
    tournament_id: String,
    round: i64,
    board: i64,
    attempt: i64,
    serves_from: i64,
    ordered_at: i64,
    ordered_by: String,
    sources: String,
    excluded: String,
    repeats: String,
    commitment: String,
    leaf: i64,
    thrown_at: Option<i64>,
    performed_at: Option<i64>,
    arrived_at: Option<i64>,
    lines: Option<String>,
    entropy_leaf: Option<i64>,
    released_at: Option<i64>,
    released_by: Option<String>,
    number: Option<i64>,
    release_secret: Option<String>,
    entropy: Option<String>,
    used: Option<String>,
    seed: Option<String>,
    throws: Option<String>,
    words_used: Option<i64>,
    release_leaf: Option<i64>,
    voided_at: Option<i64>,
    voided_by: Option<String>,
    reason: Option<String>,
    knowable: Option<bool>,
    from_round: Option<i64>,
    after_start: Option<bool>,
    void_secret: Option<String>,
    void_leaf: Option<i64>,
    abandoned: Option<i64>,
}

macro_rules! select_draws {
    ($rest:literal) => {
        concat!(
            "select d.id, d.tournament_id, d.round, d.board, d.attempt, d.serves_from, d.ordered_at, d.ordered_by,
                d.sources, d.excluded, d.repeats, d.commitment, d.leaf,
                (select min(p.posted_at) from dice_post p where p.tournament_id = d.tournament_id
                    and p.round = d.serves_from and d.sources like '%dice%' and p.leaf > d.leaf
                    and p.leaf < coalesce(e.leaf, v.leaf, p.leaf + 1)) as thrown_at,
                (select q.performed_at from draw_performed q where q.draw_id = d.id) as performed_at,
                e.arrived_at, e.lines, e.leaf as entropy_leaf, r.released_at, r.released_by, r.number,
                r.secret as release_secret, r.entropy, r.used, r.seed, r.throws, r.words_used, r.leaf as release_leaf,
                v.voided_at, v.voided_by, v.reason, v.knowable, v.from_round, v.after_start,
                v.secret as void_secret, v.leaf as void_leaf,
                (select a.number from draw_abandoned a where a.draw_id = d.id) as abandoned
             from draw d left join draw_entropy e on e.draw_id = d.id left join draw_release r on r.draw_id = d.id
                left join draw_void v on v.draw_id = d.id ",
            $rest
        )
    };
}

impl TryFrom<Row> for Draw {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let column = |name| Column("draw", name);
        let terms = Terms {
            sources: column("sources").json(&row.sources)?,
            excluded: column("excluded").json(&row.excluded)?,
            repeats: column("repeats").word(row.repeats.clone())?,
        };
        Ok(Self {
            id: column("id").parse(&row.id)?,
            tournament: column("tournament_id").parse(&row.tournament_id)?,
            round: column("round").number(row.round)?,
            board: column("board").number(row.board)?,
            attempt: column("attempt").number(row.attempt)?,
            serves_from: column("serves_from").number(row.serves_from)?,
            ordered_at: column("ordered_at").instant(row.ordered_at)?,
            ordered_by: row.ordered_by.clone(),
            terms,
            commitment: row.commitment.clone(),
            entry: column("leaf").number(row.leaf)?,
            thrown_at: row.thrown_at.map(|at| Column("dice_post", "posted_at").instant(at)).transpose()?,
            performed_at: row
                .performed_at
                .map(|at| Column("draw_performed", "performed_at").instant(at))
                .transpose()?,
            arrived: row.arrived()?,
            release: row.release()?,
            void: row.void()?,
        })
    }
}

impl Row {
    fn arrived(&self) -> Result<Option<Arrived>, StoreError> {
        let column = |name| Column("draw_entropy", name);
        let (Some(at), Some(lines), Some(entry)) = (self.arrived_at, &self.lines, self.entropy_leaf) else {
            return Ok(None);
        };
        Ok(Some(Arrived {
            at: column("arrived_at").instant(at)?,
            lines: column("lines").json(lines)?,
            entry: column("leaf").number(entry)?,
        }))
    }

    fn release(&self) -> Result<Option<Release>, StoreError> {
        let column = |name| Column("draw_release", name);
        let (Some(at), Some(number), Some(entry), Some(words)) =
            (self.released_at, self.number, self.release_leaf, self.words_used)
        else {
            return Ok(None);
        };
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        Ok(Some(Release {
            at: column("released_at").instant(at)?,
            by: text(&self.released_by),
            number: column("number").number::<u16>(number).and_then(|n| column("number").parse(&n.to_string()))?,
            secret: text(&self.release_secret),
            entropy: column("entropy").json(&text(&self.entropy))?,
            used: column("used").json(&text(&self.used))?,
            seed: text(&self.seed),
            throws: self.throws.clone(),
            words_used: column("words_used").number(words)?,
            entry: column("leaf").number(entry)?,
        }))
    }

    fn void(&self) -> Result<Option<Void>, StoreError> {
        let column = |name| Column("draw_void", name);
        let (Some(at), Some(from_round), Some(entry)) = (self.voided_at, self.from_round, self.void_leaf) else {
            return Ok(None);
        };
        Ok(Some(Void {
            at: column("voided_at").instant(at)?,
            by: self.voided_by.clone().unwrap_or_default(),
            reason: column("reason").word(self.reason.clone().unwrap_or_default())?,
            knowable: self.knowable.unwrap_or_default(),
            from_round: column("from_round").number(from_round)?,
            after_start: self.after_start.unwrap_or_default(),
            secret: self.void_secret.clone().unwrap_or_default(),
            abandoned: self.abandoned.map(|n| Column("draw_abandoned", "number").parse(&n.to_string())).transpose()?,
            entry: column("leaf").number(entry)?,
        }))
    }
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
