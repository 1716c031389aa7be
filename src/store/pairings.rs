//! Pairings: who plays whom on which board, and who has a bye.

use super::{
    StoreError, Tx,
    row::{Column, json},
};
use crate::domain::ids::TournamentId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A player as printed on the pairing sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// Name, "Lastname, Firstname".
    pub name: String,
    /// FIDE id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fide_id: Option<String>,
    /// Team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

/// A board of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// Number of the table.
    pub board: u16,
    /// A name for people, such as "4.1" in a team event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
}

/// A player without an opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Bye {
    /// Who.
    pub player: Player,
}

impl Tx {
    /// The boards of a round by number.
    ///
    /// # Errors
    /// Of the database.
    pub async fn pairings(&mut self, tournament: TournamentId, round: u16) -> Result<Vec<Pairing>, StoreError> {
        let rows: Vec<(i64, Option<String>, String, String)> = sqlx::query_as(
            "select board, label, white, black from pairing where tournament_id = $1 and round = $2 order by board",
        )
        .bind(tournament.to_string())
        .bind(round)
        .fetch_all(self.conn())
        .await?;
        let column = |name| Column("pairing", name);
        let pairing = |(board, label, white, black): (i64, Option<String>, String, String)| {
            Ok(Pairing {
                board: column("board").number(board)?,
                label,
                white: column("white").json(&white)?,
                black: column("black").json(&black)?,
            })
        };
        rows.into_iter().map(pairing).collect()
    }

    /// The byes of a round.
    ///
    /// # Errors
    /// Of the database.
    pub async fn byes(&mut self, tournament: TournamentId, round: u16) -> Result<Vec<Bye>, StoreError> {
        let rows: Vec<String> =
            sqlx::query_scalar("select player from bye where tournament_id = $1 and round = $2 order by rowid")
                .bind(tournament.to_string())
                .bind(round)
                .fetch_all(self.conn())
                .await?;
        rows.iter().map(|player| Ok(Bye { player: Column("bye", "player").json(player)? })).collect()
    }

    /// Replaces the pairings of a round.
    ///
    /// # Errors
    /// Of the database.
    pub async fn replace_pairings(
        &mut self,
        tournament: TournamentId,
        round: u16,
        boards: &[Pairing],
        byes: &[Bye],
    ) -> Result<(), StoreError> {
        let id = tournament.to_string();
        for sql in [
            "delete from pairing where tournament_id = $1 and round = $2",
            "delete from bye where tournament_id = $1 and round = $2",
        ] {
            sqlx::query(sql).bind(&id).bind(round).execute(self.conn()).await?;
        }
        for pairing in boards {
            sqlx::query(
                "insert into pairing (tournament_id, round, board, label, white, black) values ($1, $2, $3, $4, $5, $6)",
            )
            .bind(&id)
            .bind(round)
            .bind(pairing.board)
            .bind(&pairing.label)
            .bind(json(&pairing.white))
            .bind(json(&pairing.black))
            .execute(self.conn())
            .await?;
        }
        for bye in byes {
            sqlx::query("insert into bye (tournament_id, round, player) values ($1, $2, $3)")
                .bind(&id)
                .bind(round)
                .bind(json(&bye.player))
                .execute(self.conn())
                .await?;
        }
        Ok(())
    }
}
