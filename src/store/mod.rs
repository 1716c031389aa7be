//! The only SQL: SQLite through sqlx.
//!
//! A [`Tx`] is one transaction, for reading or for writing. There is one writing connection, so writers queue and the
//! first committed wins; readers have a pool of their own and see a consistent snapshot. Each file holds the rows of one
//! noun: the SQL stands beside the conversion, domain types go in and out, and no sqlx type leaves this room. The SQL
//! keeps to what PostgreSQL also understands: `$1` placeholders, times as microseconds, JSON as text.

mod copier;
mod cosignatures;
mod decisions;
mod draw_row;
mod draws;
mod entropy;
mod error;
mod games;
mod idempotency;
mod leaves;
mod notes;
mod open;
mod pairings;
mod rounds;
mod row;
mod server;
mod successions;
mod tokens;
mod tournaments;

pub use copier::Copier;
pub use cosignatures::CosignatureRow;
pub use decisions::{Annulment, OverrideRow};
pub use draws::DrawFilter;
pub use entropy::SealedThrows;
pub use error::StoreError;
pub use games::GameRow;
pub use leaves::{Leaf, LeafSubject};
pub use open::OpenMode;
pub use pairings::{Bye, Pairing, Player};
pub use server::ServerRow;
pub use successions::SuccessionRow;
pub use tokens::TokenRow;
pub use tournaments::Tournament;

use sqlx::{Sqlite, SqliteConnection, SqlitePool, Transaction};

/// The database.
#[derive(Clone, Debug)]
pub struct Store {
    writer: SqlitePool,
    readers: SqlitePool,
}

/// One transaction. Dropped without [`Tx::commit`], nothing of it happened.
pub struct Tx {
    inner: Transaction<'static, Sqlite>,
}

impl Store {
    /// A transaction that sees one state of the database and changes nothing.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn read(&self) -> Result<Tx, StoreError> {
        Ok(Tx { inner: self.readers.begin().await? })
    }

    /// The writing transaction: waits for its turn.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn write(&self) -> Result<Tx, StoreError> {
        // Immediate: a deferred one that reads first loses the lock race instead of waiting.
        Ok(Tx { inner: self.writer.begin_with("BEGIN IMMEDIATE").await? })
    }

    /// Writes a consistent copy of the database to a file that must not exist yet.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub async fn backup(&self, file: &str) -> Result<(), StoreError> {
        // SQLite counts this as writing, which the readers' connections refuse; it holds up no other process.
        sqlx::query("vacuum into $1").bind(file).execute(&self.writer).await?;
        Ok(())
    }

    /// Closes all connections after the writes under way.
    pub async fn close(&self) {
        self.writer.close().await;
        self.readers.close().await;
    }
}

impl Tx {
    /// Makes everything durable, or says that it is unknown whether it is.
    ///
    /// # Errors
    /// When the commit failed: the change may or may not be there after a restart.
    pub async fn commit(self) -> Result<(), StoreError> {
        Ok(self.inner.commit().await?)
    }

    fn conn(&mut self) -> &mut SqliteConnection {
        &mut self.inner
    }
}
