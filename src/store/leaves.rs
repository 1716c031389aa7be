//! The log's entries, by index and by what they are about.

use super::{StoreError, Tx, row::Column};
use crate::domain::{
    entry::{Entry, Event, leaf_hash},
    ids::TournamentId,
};

/// An entry as stored.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its place in the log, from 0.
    pub idx: u64,
    /// The exact bytes.
    pub entry: Vec<u8>,
    /// Their leaf hash as stored.
    pub leaf_hash: [u8; 32],
}

/// What an entry is about, derived from its bytes.
#[derive(Clone, Copy, Debug)]
pub struct LeafSubject<'a> {
    /// Whose it is; none for the server's own.
    pub tournament: Option<TournamentId>,
    /// What it says.
    pub body: &'a Event,
}

impl Tx {
    /// Appends an entry and answers its index.
    ///
    /// # Errors
    /// Of the database.
    pub async fn append(&mut self, entry: &Entry<'_>, subject: LeafSubject<'_>) -> Result<u64, StoreError> {
        let about = subject.body.subject();
        self.append_bytes(&entry.bytes(), subject.tournament, subject.body.kind(), about).await
    }

    /// Appends an entry byte by byte, of this kind and about this round, board and attempt; answers its index.
    ///
    /// # Errors
    /// Of the database.
    pub async fn append_bytes(
        &mut self,
        bytes: &[u8],
        tournament: Option<TournamentId>,
        kind: &str,
        (round, board, attempt): (Option<u16>, Option<u16>, Option<u16>),
    ) -> Result<u64, StoreError> {
        let idx = self.log_size().await?;
        sqlx::query("insert into leaf (idx, entry, leaf_hash) values ($1, $2, $3)")
            .bind(idx as i64)
            .bind(bytes)
            .bind(&leaf_hash(bytes).as_bytes()[..])
            .execute(self.conn())
            .await?;
        sqlx::query(
            "insert into leaf_subject (idx, tournament_id, kind, round, board, attempt) values ($1, $2, $3, $4, $5, $6)",
        )
        .bind(idx as i64)
        .bind(tournament.map(|id| id.to_string()))
        .bind(kind)
        .bind(round)
        .bind(board)
        .bind(attempt)
        .execute(self.conn())
        .await?;
        Ok(idx)
    }

    /// How many entries the log has.
    ///
    /// # Errors
    /// Of the database.
    pub async fn log_size(&mut self) -> Result<u64, StoreError> {
        let size: i64 = sqlx::query_scalar("select coalesce(max(idx) + 1, 0) from leaf").fetch_one(self.conn()).await?;
        Column("leaf", "idx").number(size)
    }

    /// Entries from index `from` on, at most `limit`.
    ///
    /// # Errors
    /// Of the database.
    pub async fn leaves(&mut self, from: u64, limit: u32) -> Result<Vec<Leaf>, StoreError> {
        let rows: Vec<(i64, Vec<u8>, Vec<u8>)> =
            sqlx::query_as("select idx, entry, leaf_hash from leaf where idx >= $1 order by idx limit $2")
                .bind(i64::try_from(from).unwrap_or(i64::MAX))
                .bind(limit)
                .fetch_all(self.conn())
                .await?;
        rows.into_iter().map(leaf).collect()
    }

    /// The entries about a round of a tournament: its own, those of the block's first round, the tournament's and the
    /// server's.
    ///
    /// # Errors
    /// Of the database.
    pub async fn leaves_of_round(
        &mut self,
        tournament: TournamentId,
        rounds: [u16; 2],
    ) -> Result<Vec<Leaf>, StoreError> {
        let rows: Vec<(i64, Vec<u8>, Vec<u8>)> = sqlx::query_as(
            "select l.idx, l.entry, l.leaf_hash from leaf_subject s join leaf l on l.idx = s.idx
             where s.kind in ('key', 'takeover', 'restored') or (s.tournament_id = $1 and (s.round in ($2, $3) or s.round is null))
             order by l.idx",
        )
        .bind(tournament.to_string())
        .bind(rounds[0])
        .bind(rounds[1])
        .fetch_all(self.conn())
        .await?;
        rows.into_iter().map(leaf).collect()
    }
}

fn leaf((idx, entry, hash): (i64, Vec<u8>, Vec<u8>)) -> Result<Leaf, StoreError> {
    let leaf_hash = Column("leaf", "leaf_hash").hash(&hash)?;
    Ok(Leaf { idx: Column("leaf", "idx").number(idx)?, entry, leaf_hash })
}
