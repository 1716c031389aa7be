//! What answers a draw's sources: dice as they were posted, and entropy as it arrived. Inserted once, never changed.

use super::{
    StoreError, Tx,
    row::{Column, json},
};
use crate::domain::{
    dice::Post,
    draw::Arrived,
    ids::{DrawId, TournamentId},
    position_number::PositionNumber,
};
use jiff::Timestamp;

impl Tx {
    /// Every post of dice in a tournament, in order.
    ///
    /// # Errors
    /// Of the database.
    pub async fn dice_posts(&mut self, tournament: TournamentId) -> Result<Vec<Post>, StoreError> {
        let rows: Vec<(i64, i64, String, String, i64)> = sqlx::query_as(
            "select round, posted_at, posted_by, digits, leaf from dice_post where tournament_id = $1 order by leaf",
        )
        .bind(tournament.to_string())
        .fetch_all(self.conn())
        .await?;
        let column = |name| Column("dice_post", name);
        let post = |(round, at, by, digits, entry): (i64, i64, String, String, i64)| {
            Ok(Post {
                round: column("round").number(round)?,
                at: column("posted_at").instant(at)?,
                by,
                digits: column("digits").parse(&digits)?,
                entry: column("leaf").number(entry)?,
            })
        };
        rows.into_iter().map(post).collect()
    }

    /// Records a post of dice.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_dice_post(&mut self, tournament: TournamentId, post: &Post) -> Result<(), StoreError> {
        sqlx::query(
            "insert into dice_post (leaf, tournament_id, round, posted_at, posted_by, digits)
             values ($1, $2, $3, $4, $5, $6)",
        )
        .bind(post.entry as i64)
        .bind(tournament.to_string())
        .bind(post.round)
        .bind(post.at.as_microsecond())
        .bind(&post.by)
        .bind(post.digits.to_string())
        .execute(self.conn())
        .await?;
        Ok(())
    }

    /// Records what answered the sources of a draw.
    ///
    /// # Errors
    /// Of the database, also when the draw does not wait for it.
    pub async fn insert_arrived(&mut self, draw: DrawId, arrived: &Arrived) -> Result<(), StoreError> {
        sqlx::query("insert into draw_entropy (draw_id, arrived_at, lines, leaf) values ($1, $2, $3, $4)")
            .bind(draw.to_string())
            .bind(arrived.at.as_microsecond())
            .bind(json(&arrived.lines))
            .bind(arrived.entry as i64)
            .execute(self.conn())
            .await?;
        Ok(())
    }
}

/// Throws of one post, sealed.
#[derive(Clone, Debug)]
pub struct SealedThrows {
    /// When they were posted.
    pub at: Timestamp,
    /// Token that posted them.
    pub by: String,
    /// The sealed comma list.
    pub sealed: Vec<u8>,
}

impl Tx {
    /// The throws of a draw by hand, post by post.
    ///
    /// # Errors
    /// Of the database.
    pub async fn throws(&mut self, draw: DrawId) -> Result<Vec<SealedThrows>, StoreError> {
        let rows: Vec<(i64, String, Vec<u8>)> =
            sqlx::query_as("select posted_at, posted_by, sealed from draw_throw where draw_id = $1 order by seq")
                .bind(draw.to_string())
                .fetch_all(self.conn())
                .await?;
        let post =
            |(at, by, sealed)| Ok(SealedThrows { at: Column("draw_throw", "posted_at").instant(at)?, by, sealed });
        rows.into_iter().map(post).collect()
    }

    /// Records a post of throws.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_throws(&mut self, draw: DrawId, seq: usize, post: &SealedThrows) -> Result<(), StoreError> {
        sqlx::query("insert into draw_throw (draw_id, seq, posted_at, posted_by, sealed) values ($1, $2, $3, $4, $5)")
            .bind(draw.to_string())
            .bind(seq as i64)
            .bind(post.at.as_microsecond())
            .bind(&post.by)
            .bind(&post.sealed)
            .execute(self.conn())
            .await?;
        Ok(())
    }

    /// Records what a voided draw would have given.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_abandoned(&mut self, draw: DrawId, number: PositionNumber) -> Result<(), StoreError> {
        sqlx::query("insert into draw_abandoned (draw_id, number) values ($1, $2)")
            .bind(draw.to_string())
            .bind(number.get())
            .execute(self.conn())
            .await?;
        Ok(())
    }

    /// Records when a draw was made that is recorded afterwards.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_performed(&mut self, draw: DrawId, at: Timestamp) -> Result<(), StoreError> {
        sqlx::query("insert into draw_performed (draw_id, performed_at) values ($1, $2)")
            .bind(draw.to_string())
            .bind(at.as_microsecond())
            .execute(self.conn())
            .await?;
        Ok(())
    }
}
