//! Keys of the log that have handed over, what witnesses said under a former name, and slugs whose tournaments are lost.

use super::{ServerRow, StoreError, Tx, row::Column};
use crate::domain::ids::{Slug, TournamentId};

/// A key that has handed over to another.
#[derive(Clone, Debug)]
pub struct SuccessionRow {
    /// Log index of the entry that tells of it.
    pub leaf: u64,
    /// The key that signed before, as people pin it.
    pub old_key: String,
    /// The succession, signed by both keys.
    pub note: String,
    /// Attempts up to this number are not used any more; 0 for a change of key.
    pub skipped: u16,
}

impl Tx {
    /// Every succession, in order.
    ///
    /// # Errors
    /// Of the database.
    pub async fn successions(&mut self) -> Result<Vec<SuccessionRow>, StoreError> {
        let rows: Vec<(i64, String, String, i64)> =
            sqlx::query_as("select leaf, old_key, note, skipped from succession order by leaf")
                .fetch_all(self.conn())
                .await?;
        let column = |name| Column("succession", name);
        let row = |(leaf, old_key, note, skipped)| {
            Ok(SuccessionRow {
                leaf: column("leaf").number(leaf)?,
                old_key,
                note,
                skipped: column("skipped").number(skipped)?,
            })
        };
        rows.into_iter().map(row).collect()
    }

    /// Hands the log over to the key in `server`, under the name in it.
    ///
    /// # Errors
    /// Of the database.
    pub async fn succeed(&mut self, row: &SuccessionRow, server: &ServerRow) -> Result<(), StoreError> {
        sqlx::query("insert into succession (leaf, old_key, note, skipped) values ($1, $2, $3, $4)")
            .bind(row.leaf as i64)
            .bind(&row.old_key)
            .bind(&row.note)
            .bind(row.skipped)
            .execute(self.conn())
            .await?;
        sqlx::query("update server set origin = $1, log_public_key = $2, log_key_sealed = $3 where id = 1")
            .bind(&server.origin)
            .bind(&server.log_public_key[..])
            .bind(&server.log_key_sealed)
            .execute(self.conn())
            .await?;
        Ok(())
    }

    /// The number up to which attempts of a tournament are not used: the server was restored after it was created.
    ///
    /// # Errors
    /// Of the database.
    pub async fn skipped_attempts(&mut self, tournament: TournamentId) -> Result<u16, StoreError> {
        let skipped: i64 = sqlx::query_scalar(
            "select coalesce(max(skipped), 0) from succession
             where leaf > (select min(idx) from leaf_subject where tournament_id = $1)",
        )
        .bind(tournament.to_string())
        .fetch_one(self.conn())
        .await?;
        Column("succession", "skipped").number(skipped)
    }

    /// The highest attempt of any slot in the log, those of lost tournaments too.
    ///
    /// # Errors
    /// Of the database.
    pub async fn highest_attempt(&mut self) -> Result<u16, StoreError> {
        let highest: i64 =
            sqlx::query_scalar("select coalesce(max(attempt), 0) from leaf_subject where kind = 'order'")
                .fetch_one(self.conn())
                .await?;
        Column("leaf_subject", "attempt").number(highest)
    }

    /// Cosigned checkpoints of former names of the log.
    ///
    /// # Errors
    /// Of the database.
    pub async fn former_checkpoints(&mut self) -> Result<Vec<String>, StoreError> {
        Ok(sqlx::query_scalar("select note from former_checkpoint order by size").fetch_all(self.conn()).await?)
    }

    /// Keeps a cosigned checkpoint of a name that the log gives up.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_former_checkpoint(&mut self, size: u64, note: &str) -> Result<(), StoreError> {
        sqlx::query("insert into former_checkpoint (size, note) values ($1, $2) on conflict do nothing")
            .bind(size as i64)
            .bind(note)
            .execute(self.conn())
            .await?;
        Ok(())
    }

    /// Whether the slug is that of a tournament whose master is lost.
    ///
    /// # Errors
    /// Of the database.
    pub async fn is_lost(&mut self, slug: &Slug) -> Result<bool, StoreError> {
        let lost: i64 = sqlx::query_scalar("select count(*) from lost_tournament where slug = $1")
            .bind(slug.as_str())
            .fetch_one(self.conn())
            .await?;
        Ok(lost > 0)
    }

    /// Notes that a tournament's master is lost.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_lost(&mut self, slug: &str, leaf: u64) -> Result<(), StoreError> {
        sqlx::query("insert into lost_tournament (slug, leaf) values ($1, $2)")
            .bind(slug)
            .bind(leaf as i64)
            .execute(self.conn())
            .await?;
        Ok(())
    }
}
