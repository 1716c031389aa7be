//! Access tokens, known only by their hashes.

use super::{
    StoreError, Tx,
    row::{Column, word},
};
use crate::domain::{
    ids::{TokenId, TournamentId},
    role::Role,
};
use jiff::Timestamp;
use sqlx::FromRow;

/// A token as stored.
#[derive(Clone, Debug)]
pub struct TokenRow {
    /// Id, which names the actor in the log.
    pub id: TokenId,
    /// Its tournament; none for the operator's.
    pub tournament: Option<TournamentId>,
    /// What it entitles to.
    pub role: Role,
    /// Whose it is, for people.
    pub label: String,
    /// The board it is bound to, if any.
    pub board: Option<u16>,
    /// SHA-256 of the token.
    pub hash: [u8; 32],
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was taken back.
    pub revoked_at: Option<Timestamp>,
}

#[derive(FromRow)]
struct Row {
    id: String,
    tournament_id: Option<String>,
    role: String,
    label: String,
    board: Option<i64>,
    hash: Vec<u8>,
    created_at: i64,
    revoked_at: Option<i64>,
}

impl TryFrom<Row> for TokenRow {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let column = |name| Column("token", name);
        Ok(Self {
            id: column("id").parse(&row.id)?,
            tournament: row.tournament_id.map(|id| column("tournament_id").parse(&id)).transpose()?,
            role: column("role").word(row.role)?,
            label: row.label,
            board: row.board.map(|n| column("board").number(n)).transpose()?,
            hash: column("hash").hash(&row.hash)?,
            created_at: column("created_at").instant(row.created_at)?,
            revoked_at: row.revoked_at.map(|at| column("revoked_at").instant(at)).transpose()?,
        })
    }
}

impl Tx {
    /// The token of this hash, revoked or not.
    ///
    /// # Errors
    /// Of the database.
    pub async fn token_by_hash(&mut self, hash: &[u8; 32]) -> Result<Option<TokenRow>, StoreError> {
        let row: Option<Row> = sqlx::query_as(
            "select id, tournament_id, role, label, board, hash, created_at, revoked_at from token where hash = $1",
        )
        .bind(&hash[..])
        .fetch_optional(self.conn())
        .await?;
        row.map(TokenRow::try_from).transpose()
    }

    /// The tokens of a tournament, or the operator's, oldest first.
    ///
    /// # Errors
    /// Of the database.
    pub async fn tokens(&mut self, tournament: Option<TournamentId>) -> Result<Vec<TokenRow>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(
            "select id, tournament_id, role, label, board, hash, created_at, revoked_at from token
             where tournament_id is $1 order by id",
        )
        .bind(tournament.map(|id| id.to_string()))
        .fetch_all(self.conn())
        .await?;
        rows.into_iter().map(TokenRow::try_from).collect()
    }

    /// Records a token.
    ///
    /// # Errors
    /// Of the database.
    pub async fn insert_token(&mut self, token: &TokenRow) -> Result<(), StoreError> {
        sqlx::query(
            "insert into token (id, tournament_id, role, label, board, hash, created_at) values ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(token.id.to_string())
        .bind(token.tournament.map(|id| id.to_string()))
        .bind(word(&token.role))
        .bind(&token.label)
        .bind(token.board)
        .bind(&token.hash[..])
        .bind(token.created_at.as_microsecond())
        .execute(self.conn())
        .await?;
        Ok(())
    }

    /// Takes a token back; whether it was still good.
    ///
    /// # Errors
    /// Of the database.
    pub async fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError> {
        let done = sqlx::query("update token set revoked_at = $2 where id = $1 and revoked_at is null")
            .bind(id.to_string())
            .bind(at.as_microsecond())
            .execute(self.conn())
            .await?;
        Ok(done.rows_affected() == 1)
    }
}
