//! What witnesses said about checkpoints.

use super::{StoreError, Tx, row::Column};

/// A cosignature as it came.
#[derive(Clone, Debug)]
pub struct CosignatureRow {
    /// Size of the checkpoint.
    pub size: u64,
    /// Key of the witness.
    pub witness: String,
    /// The signature line.
    pub line: String,
}

impl Tx {
    /// Every cosignature, by size.
    ///
    /// # Errors
    /// Of the database.
    pub async fn cosignatures(&mut self) -> Result<Vec<CosignatureRow>, StoreError> {
        let rows: Vec<(i64, String, String)> =
            sqlx::query_as("select size, witness, line from cosignature order by size, witness")
                .fetch_all(self.conn())
                .await?;
        let size = |size| Column("cosignature", "size").number(size);
        rows.into_iter().map(|(n, witness, line)| Ok(CosignatureRow { size: size(n)?, witness, line })).collect()
    }

    /// Keeps a cosignature; the first of a witness for a checkpoint stays.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_cosignature(&mut self, row: &CosignatureRow) -> Result<(), StoreError> {
        sqlx::query("insert into cosignature (size, witness, line) values ($1, $2, $3) on conflict do nothing")
            .bind(row.size as i64)
            .bind(&row.witness)
            .bind(&row.line)
            .execute(self.conn())
            .await?;
        Ok(())
    }

    /// Tournaments with a release among the entries from `from` to just before `to`.
    ///
    /// # Errors
    /// Of the database.
    pub async fn released_between(&mut self, from: u64, to: u64) -> Result<Vec<String>, StoreError> {
        let rows: Vec<(String,)> = sqlx::query_as(
            "select distinct tournament_id from leaf_subject
             where kind = 'release' and tournament_id is not null and idx >= $1 and idx < $2",
        )
        .bind(from as i64)
        .bind(to as i64)
        .fetch_all(self.conn())
        .await?;
        Ok(rows.into_iter().map(|(id,)| id).collect())
    }
}
