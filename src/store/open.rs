//! Opening the database: pragmas, migrations, and the checks before the first use.

use super::{Store, StoreError};
use sqlx::{
    Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{path::Path, time::Duration};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();

/// Whether a missing database may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Make it if it is missing.
    Create,
    /// Refuse to start without it.
    Existing,
}

impl Store {
    /// Opens the database file and brings its tables up to date.
    ///
    /// # Errors
    /// [`StoreError::Refused`] when the file is missing in [`OpenMode::Existing`], damaged, made by a newer version, or
    /// when SQLite is older than 3.51.3, which can corrupt a database that two connections write.
    pub async fn open(file: &Path, mode: OpenMode) -> Result<Self, StoreError> {
        if mode == OpenMode::Existing && !file.exists() {
            return Err(StoreError::Refused(format!("there is no database at {}", file.display())));
        }
        let options = options(file).create_if_missing(mode == OpenMode::Create);
        let writer = pool(1).connect_with(options.clone()).await?;
        MIGRATIONS.run(&writer).await?;
        check(&mut *writer.acquire().await?).await?;
        let readers = pool(8).connect_with(options.create_if_missing(false).pragma("query_only", "on")).await?;
        Ok(Self { writer, readers })
    }
}

pub(super) fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .journal_mode(SqliteJournalMode::Wal)
        // NORMAL would lose acknowledged draws in a power cut.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        // Without it INSERT OR REPLACE deletes rows past the append-only triggers.
        .pragma("recursive_triggers", "on")
        .pragma("trusted_schema", "off")
        .pragma("cell_size_check", "on")
}

fn pool(most: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new().max_connections(most).acquire_timeout(Duration::from_secs(5)).after_release(|conn, _| {
        // After a disk error SQLite has rolled back by itself, sqlx's own rollback fails, and the connection would refuse
        // every later transaction: drain what is queued, then keep it only if it is clean.
        Box::pin(async move { Ok(conn.ping().await.is_ok() && !conn.is_in_transaction()) })
    })
}

async fn check(conn: &mut SqliteConnection) -> Result<(), StoreError> {
    let version: String = sqlx::query_scalar("select sqlite_version()").fetch_one(&mut *conn).await?;
    let parts: Vec<u32> = version.split('.').filter_map(|part| part.parse().ok()).collect();
    if parts < vec![3, 51, 3] {
        return Err(StoreError::Refused(format!("SQLite {version} is older than 3.51.3")));
    }
    let sound: String = sqlx::query_scalar("pragma quick_check(1)").fetch_one(&mut *conn).await?;
    let synchronous: i64 = sqlx::query_scalar("pragma synchronous").fetch_one(&mut *conn).await?;
    let journal: String = sqlx::query_scalar("pragma journal_mode").fetch_one(conn).await?;
    match (sound.as_str(), synchronous, journal.as_str()) {
        ("ok", 2, "wal") => Ok(()),
        ("ok", ..) => {
            Err(StoreError::Refused("the database refuses write-ahead logging with full synchronisation".into()))
        }
        _ => Err(StoreError::Refused(format!("the database file is damaged ({sound}): restore a backup"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn store(folder: &Path) -> Store {
        Store::open(&folder.join("draw960.db"), OpenMode::Create).await.unwrap()
    }

    /// What a full disk does: SQLite ends the transaction by itself, and sqlx does not know.
    #[tokio::test]
    async fn after_a_transaction_that_ended_by_itself_the_next_one_works() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).await;
        for commit in [false, true] {
            let mut tx = store.write().await.unwrap();
            sqlx::query("rollback").execute(tx.conn()).await.unwrap();
            match commit {
                true => assert!(tx.commit().await.is_err(), "nothing was made durable"),
                false => drop(tx),
            }
            store.write().await.unwrap().commit().await.unwrap();
        }
    }

    #[tokio::test]
    async fn readers_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let mut tx = store(folder.path()).await.read().await.unwrap();
        assert!(sqlx::query("delete from bye").execute(tx.conn()).await.is_err());
    }

    #[tokio::test]
    async fn a_missing_or_damaged_database_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("draw960.db");
        assert!(matches!(Store::open(&file, OpenMode::Existing).await, Err(StoreError::Refused(_))));
        assert!(!file.exists());
        std::fs::write(&file, vec![b'x'; 8192]).unwrap();
        assert!(Store::open(&file, OpenMode::Existing).await.is_err());
    }
}
