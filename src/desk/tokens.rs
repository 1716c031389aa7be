//! Access tokens: making, finding and taking back.

use super::{Actor, Desk, hex, pairings::check_text};
use crate::{
    domain::{
        fault::{Code, Fault},
        ids::{BoardNumber, TokenId, TournamentId},
        role::Role,
    },
    store::{TokenRow, Tx},
};
use jiff::Timestamp;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

/// A token to be made.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// What it entitles to: arbiter, deputy, pairing, board or auditor.
    #[schema(value_type = String)]
    pub role: Role,
    /// Whose it is: a person or a device.
    pub label: String,
    /// The board it is bound to.
    pub board: Option<u16>,
}

/// A token just made; its text is shown once and kept nowhere.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// What is stored.
    pub row: TokenRow,
    /// The bearer token.
    pub text: String,
}

impl Desk {
    /// Who holds this bearer token.
    ///
    /// # Errors
    /// `unauthenticated` for a token that is not known, or no longer.
    pub async fn actor(&self, bearer: &str) -> Result<Actor, Fault> {
        let row = self.store.read().await?.token_by_hash(&token_hash(bearer)).await?;
        let row = row.filter(|row| row.revoked_at.is_none());
        let row = row.ok_or_else(|| Fault::new(Code::Unauthenticated, "this token is not known, or no longer"))?;
        Ok(Actor {
            token: Some(row.id),
            role: row.role,
            tournament: row.tournament,
            board: row.board,
            label: row.label,
        })
    }

    /// Makes a token of a tournament.
    ///
    /// # Errors
    /// `role-not-allowed` for anybody but the chief arbiter and the operator.
    pub async fn create_token(
        &self,
        tournament: &str,
        actor: &Actor,
        request: &TokenRequest,
    ) -> Result<NewToken, Fault> {
        actor.must_be(&[Role::Arbiter, Role::Operator])?;
        check_text(&request.label, "/label")?;
        if request.role == Role::Operator {
            return Err(Fault::field("/role", "an operator's token belongs to the server, not to a tournament"));
        }
        if let Some(board) = request.board {
            BoardNumber::try_from(board).map_err(|why| Fault::field("/board", why.to_string()))?;
        }
        let mut act = self.act(tournament, actor).await?;
        let owner = act.tournament.id;
        let token = self.new_token(Some(owner), request.role, &request.label, request.board, act.now)?;
        act.tx.insert_token(&token.row).await?;
        act.tx.commit().await?;
        Ok(token)
    }

    /// Takes a token back.
    ///
    /// # Errors
    /// `token-unknown`.
    pub async fn revoke_token(&self, tournament: &str, actor: &Actor, id: TokenId) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter, Role::Operator])?;
        let mut act = self.act(tournament, actor).await?;
        let known = act.tx.tokens(Some(act.tournament.id)).await?.iter().any(|token| token.id == id);
        if !known || !act.tx.revoke_token(id, act.now).await? {
            return Err(Fault::new(Code::TokenUnknown, format!("this tournament has no valid token {id}")));
        }
        Ok(act.tx.commit().await?)
    }

    pub(super) fn new_token(
        &self,
        tournament: Option<TournamentId>,
        role: Role,
        label: &str,
        board: Option<u16>,
        now: Timestamp,
    ) -> Result<NewToken, Fault> {
        let secret = self.entropy.bytes::<32>()?;
        let text = format!("d960_{}_{}", role.short(), hex(&secret));
        let id = TokenId::new(now, self.entropy.bytes()?);
        let row = TokenRow {
            id,
            tournament,
            role,
            label: label.to_owned(),
            board,
            hash: token_hash(&text),
            created_at: now,
            revoked_at: None,
        };
        Ok(NewToken { row, text })
    }

    /// Makes the operator's token, or takes the text that was preset.
    pub(super) async fn insert_operator(&self, tx: &mut Tx, preset: Option<&str>) -> Result<String, Fault> {
        let mut token = self.new_token(None, Role::Operator, "operator", None, self.clock.now())?;
        if let Some(text) = preset {
            token.row.hash = token_hash(text);
            text.clone_into(&mut token.text);
        }
        tx.insert_token(&token.row).await?;
        Ok(token.text)
    }
}

/// SHA-256 of a token. 256 random bits need no slow hash.
pub(super) fn token_hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
