//! Copies of the database for other machines, over a connection of their own: neither acts nor readers wait for one.

use super::{StoreError, open::options};
use sqlx::{Connection, SqliteConnection};
use std::path::Path;

/// Makes copies, and knows whether one is due.
pub struct Copier(SqliteConnection);

impl Copier {
    /// Opens a database that exists.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        Ok(Self(SqliteConnection::connect_with(&options(file).create_if_missing(false)).await?))
    }

    /// A number that is another one after any commit of another connection, of this program or a command beside it.
    ///
    /// # Errors
    /// Of the database.
    pub async fn version(&mut self) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar("pragma data_version").fetch_one(&mut self.0).await?)
    }

    /// Writes a consistent copy into an empty file; it is a read for everybody else.
    ///
    /// # Errors
    /// When the file is not empty or cannot be written.
    pub async fn copy(&mut self, file: &str) -> Result<(), StoreError> {
        sqlx::query("vacuum into $1").bind(file).execute(&mut self.0).await?;
        Ok(())
    }

    /// Lets go of the database.
    pub async fn close(self) {
        // What cannot be closed was only read from.
        let _ = self.0.close().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{OpenMode, Store, TokenRow};

    /// Its own copies are no change; otherwise each would ask for the next.
    #[tokio::test]
    async fn any_commit_elsewhere_is_seen_and_a_copy_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("draw960.db");
        let store = Store::open(&file, OpenMode::Create).await.unwrap();
        let mut copier = Copier::open(&file).await.unwrap();
        let before = copier.version().await.unwrap();
        copier.copy(folder.path().join("copy").to_str().unwrap()).await.unwrap();
        store.read().await.unwrap();
        drop(store.write().await.unwrap());
        assert_eq!(copier.version().await.unwrap(), before);
        let mut tx = store.write().await.unwrap();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let row = TokenRow {
            id: crate::domain::ids::TokenId::new(now, [1; 10]),
            tournament: None,
            role: crate::domain::role::Role::Operator,
            label: "operator".into(),
            board: None,
            hash: [1; 32],
            created_at: now,
            revoked_at: None,
        };
        tx.insert_token(&row).await.unwrap();
        tx.commit().await.unwrap();
        assert_ne!(copier.version().await.unwrap(), before);
        copier.close().await;
    }

    /// A copy begins while an act is under way, and an act while a copy is: neither waits for the other's end.
    #[tokio::test]
    async fn a_copy_and_an_act_do_not_wait_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("draw960.db");
        let store = Store::open(&file, OpenMode::Create).await.unwrap();
        let mut copier = Copier::open(&file).await.unwrap();
        let mut tx = store.write().await.unwrap();
        sqlx::query("create table written (x integer)").execute(tx.conn()).await.unwrap();
        copier.copy(folder.path().join("copy").to_str().unwrap()).await.unwrap();
        sqlx::query("begin").execute(&mut copier.0).await.unwrap();
        sqlx::query("select count(*) from leaf").execute(&mut copier.0).await.unwrap();
        tx.commit().await.unwrap();
        store.write().await.unwrap().commit().await.unwrap();
    }
}
