//! The row of the server itself.

use super::{StoreError, Tx, row::Column};
use jiff::Timestamp;

/// Identity of the server, made once.
#[derive(Clone, Debug)]
pub struct ServerRow {
    /// Name of the log, part of every draw's bytes.
    pub origin: String,
    /// Ed25519 public key of the log.
    pub log_public_key: [u8; 32],
    /// Its seed, sealed.
    pub log_key_sealed: Vec<u8>,
    /// First start.
    pub created_at: Timestamp,
}

impl Tx {
    /// The server's identity; none before the first start.
    ///
    /// # Errors
    /// Of the database.
    pub async fn server(&mut self) -> Result<Option<ServerRow>, StoreError> {
        let row: Option<(String, Vec<u8>, Vec<u8>, i64)> =
            sqlx::query_as("select origin, log_public_key, log_key_sealed, created_at from server where id = 1")
                .fetch_optional(self.conn())
                .await?;
        let Some((origin, public, log_key_sealed, created_at)) = row else { return Ok(None) };
        Ok(Some(ServerRow {
            origin,
            log_public_key: Column("server", "log_public_key").hash(&public)?,
            log_key_sealed,
            created_at: Column("server", "created_at").instant(created_at)?,
        }))
    }

    /// Records the server's identity.
    ///
    /// # Errors
    /// Of the database, also when there is one already.
    pub async fn insert_server(&mut self, server: &ServerRow) -> Result<(), StoreError> {
        sqlx::query(
            "insert into server (id, origin, log_public_key, log_key_sealed, created_at) values (1, $1, $2, $3, $4)",
        )
        .bind(&server.origin)
        .bind(&server.log_public_key[..])
        .bind(&server.log_key_sealed)
        .bind(server.created_at.as_microsecond())
        .execute(self.conn())
        .await?;
        Ok(())
    }
}
