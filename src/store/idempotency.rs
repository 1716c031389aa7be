//! Answers already given to an Idempotency-Key.

use super::{
    StoreError, Tx,
    row::{Column, json},
};
use crate::domain::ids::{DrawId, TournamentId};

impl Tx {
    /// What the key was used for: hash of the request, and the draws it ordered.
    ///
    /// # Errors
    /// Of the database.
    pub async fn idempotent(
        &mut self,
        tournament: TournamentId,
        key: &str,
    ) -> Result<Option<(String, Vec<DrawId>)>, StoreError> {
        let row: Option<(String, String)> =
            sqlx::query_as("select request_hash, draw_ids from idempotency_key where tournament_id = $1 and key = $2")
                .bind(tournament.to_string())
                .bind(key)
                .fetch_optional(self.conn())
                .await?;
        let parsed = |(hash, ids): (String, String)| Ok((hash, Column("idempotency_key", "draw_ids").json(&ids)?));
        row.map(parsed).transpose()
    }

    /// Remembers what the key was used for.
    ///
    /// # Errors
    /// Of the database.
    pub async fn remember(
        &mut self,
        tournament: TournamentId,
        key: &str,
        request_hash: &str,
        draws: &[DrawId],
    ) -> Result<(), StoreError> {
        sqlx::query("insert into idempotency_key (tournament_id, key, request_hash, draw_ids) values ($1, $2, $3, $4)")
            .bind(tournament.to_string())
            .bind(key)
            .bind(request_hash)
            .bind(json(&draws))
            .execute(self.conn())
            .await?;
        Ok(())
    }
}
