//! Tournaments.

use super::{
    StoreError, Tx,
    row::{Column, json},
};
use crate::domain::{
    ids::{Slug, TournamentId},
    policy::Policy,
};
use jiff::Timestamp;
use sqlx::FromRow;

/// A tournament.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Its id.
    pub id: TournamentId,
    /// Its slug, the `event` of every draw.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// IANA name of its zone.
    pub time_zone: String,
    /// The policy in force.
    pub policy: Policy,
    /// Origin of the log when it was created.
    pub origin: String,
    /// Its master secret, sealed.
    pub master_sealed: Vec<u8>,
    /// What was published of the master, hex.
    pub master_commit: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When and how it ended: `closed` or `cancelled`.
    pub ended: Option<(Timestamp, String)>,
}

#[derive(FromRow)]
struct Row {
    id: String,
    slug: String,
    name: String,
    time_zone: String,
    policy: String,
    origin: String,
    master_sealed: Vec<u8>,
    master_commit: String,
    created_at: i64,
    ended_at: Option<i64>,
    ended_how: Option<String>,
}

impl TryFrom<Row> for Tournament {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let column = |name| Column("tournament", name);
        let ended = match (row.ended_at, row.ended_how) {
            (Some(at), Some(how)) => Some((column("ended_at").instant(at)?, how)),
            _ => None,
        };
        Ok(Self {
            id: column("id").parse(&row.id)?,
            slug: column("slug").parse(&row.slug)?,
            name: row.name,
            time_zone: row.time_zone,
            policy: column("policy").json(&row.policy)?,
            origin: row.origin,
            master_sealed: row.master_sealed,
            master_commit: row.master_commit,
            created_at: column("created_at").instant(row.created_at)?,
            ended,
        })
    }
}

impl Tx {
    /// The tournament with this id or slug.
    ///
    /// # Errors
    /// Of the database.
    pub async fn tournament(&mut self, id_or_slug: &str) -> Result<Option<Tournament>, StoreError> {
        let row: Option<Row> = sqlx::query_as(
            "select id, slug, name, time_zone, policy, origin, master_sealed, master_commit, created_at, ended_at,
                    ended_how from tournament where id = $1 or slug = $1",
        )
        .bind(id_or_slug)
        .fetch_optional(self.conn())
        .await?;
        row.map(Tournament::try_from).transpose()
    }

    /// Tournaments, newest first; `before` is the id that the page before ended with.
    ///
    /// # Errors
    /// Of the database.
    pub async fn tournaments(
        &mut self,
        before: Option<TournamentId>,
        limit: u32,
    ) -> Result<Vec<Tournament>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(
            "select id, slug, name, time_zone, policy, origin, master_sealed, master_commit, created_at, ended_at,
                    ended_how from tournament where $1 is null or id < $1 order by id desc limit $2",
        )
        .bind(before.map(|id| id.to_string()))
        .bind(limit)
        .fetch_all(self.conn())
        .await?;
        rows.into_iter().map(Tournament::try_from).collect()
    }

    /// Tournaments that go on and whose log does not say yet that their master left the server, oldest first.
    ///
    /// # Errors
    /// Of the database.
    pub async fn tournaments_not_exported(&mut self) -> Result<Vec<TournamentId>, StoreError> {
        let ids: Vec<String> = sqlx::query_scalar(
            "select t.id from tournament t where t.ended_at is null and not exists
                 (select 1 from leaf_subject s where s.tournament_id = t.id and s.kind = 'export') order by t.id",
        )
        .fetch_all(self.conn())
        .await?;
        ids.iter().map(|id| Column("tournament", "id").parse(id)).collect()
    }

    /// Records a tournament.
    ///
    /// # Errors
    /// Of the database, also when the slug is taken.
    pub async fn insert_tournament(&mut self, t: &Tournament) -> Result<(), StoreError> {
        sqlx::query(
            "insert into tournament (id, slug, name, time_zone, policy, origin, master_sealed, master_commit, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(t.id.to_string())
        .bind(t.slug.as_str())
        .bind(&t.name)
        .bind(&t.time_zone)
        .bind(json(&t.policy))
        .bind(&t.origin)
        .bind(&t.master_sealed)
        .bind(&t.master_commit)
        .bind(t.created_at.as_microsecond())
        .execute(self.conn())
        .await?;
        Ok(())
    }

    /// Stores name, zone, policy and end of a tournament.
    ///
    /// # Errors
    /// Of the database.
    pub async fn update_tournament(&mut self, t: &Tournament) -> Result<(), StoreError> {
        sqlx::query(
            "update tournament set name = $2, time_zone = $3, policy = $4, ended_at = $5, ended_how = $6 where id = $1",
        )
        .bind(t.id.to_string())
        .bind(&t.name)
        .bind(&t.time_zone)
        .bind(json(&t.policy))
        .bind(t.ended.as_ref().map(|(at, _)| at.as_microsecond()))
        .bind(t.ended.as_ref().map(|(_, how)| how))
        .execute(self.conn())
        .await?;
        Ok(())
    }
}
