//! What can go wrong in the store.

use std::fmt;

/// A failure of the database, or a row that cannot be what it should.
#[derive(Debug)]
pub enum StoreError {
    /// The database cannot be reached, read or written.
    Unavailable(sqlx::Error),
    /// A row that no version of this program writes.
    Inconsistent {
        /// Table of the row.
        table: &'static str,
        /// Column of the value.
        column: &'static str,
        /// What the value is not.
        why: String,
    },
    /// The database file is not one this program may use; the sentence says what to do.
    Refused(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(error) => write!(f, "database: {error}"),
            Self::Inconsistent { table, column, why } => write!(f, "database inconsistent: {table}.{column}: {why}"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Unavailable(error)
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self::Refused(format!("the database's tables are not those of this version of draw960: {error}"))
    }
}
