//! Arbiters' free texts, kept off the log.

use super::{StoreError, Tx, row::Column};

impl Tx {
    /// Keeps a text that the note entry `leaf` binds by its salted hash.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_note(&mut self, leaf: u64, about: u64, salt: &str, text: &str) -> Result<(), StoreError> {
        sqlx::query("insert into note (leaf, about, salt, text) values ($1, $2, $3, $4)")
            .bind(leaf as i64)
            .bind(about as i64)
            .bind(salt)
            .bind(text)
            .execute(self.conn())
            .await?;
        Ok(())
    }

    /// Salt and text of the notes about the entries from `first` to `last`, with the entry each is about.
    ///
    /// # Errors
    /// Of the database.
    pub async fn notes(&mut self, first: u64, last: u64) -> Result<Vec<(u64, String, String)>, StoreError> {
        let rows: Vec<(i64, String, String)> =
            sqlx::query_as("select about, salt, text from note where about between $1 and $2 order by leaf")
                .bind(first as i64)
                .bind(last as i64)
                .fetch_all(self.conn())
                .await?;
        let about = |idx| Column("note", "about").number(idx);
        rows.into_iter().map(|(idx, salt, text)| Ok((about(idx)?, salt, text))).collect()
    }
}
