//! An arbiter's decisions about recorded games: annulling one, letting a finding stand. The record itself never changes.

use super::{Actor, Desk, games::language, kept::Kept, measure::Measure};
use crate::{
    domain::{
        entry::Event,
        fault::{Code, Fault},
        game::{Acceptance, GameReport, Override},
        ids::GameId,
        role::Role,
    },
    store::{Annulment, GameRow, OverrideRow, Tx},
};
use serde::Deserialize;
use utoipa::ToSchema;

/// Annuls a game.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnnulRequest {
    /// Article of the Laws or the regulations, such as `7.2.1`.
    pub article: String,
    /// Reason as a short code, such as `wrong-position`; words go into the note.
    pub reason: String,
    /// Free text, kept off the log and bound to it by a salted hash.
    pub note: Option<String>,
}

/// Lets a finding stand.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OverrideRequest {
    /// Half-move of the finding; absent for a finding that has none.
    pub ply: Option<u32>,
    /// Code of the finding.
    pub finding: String,
    /// Article of the Laws or the regulations, such as `A.5.2`.
    pub article: String,
    /// Reason as a short code; words go into the note.
    pub reason: String,
    /// FEN from which play went on, when it is not the position as moved.
    pub position: Option<String>,
    /// Free text, kept off the log and bound to it by a salted hash.
    pub note: Option<String>,
}

impl Desk {
    /// Decides that a game does not count.
    ///
    /// # Errors
    /// `game-annulled` when that was decided before.
    pub async fn annul_game(&self, id: GameId, actor: &Actor, request: &AnnulRequest) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy])?;
        check_decision(&request.article, &request.reason)?;
        let tournament = game(&mut self.store.read().await?, id).await?.tournament.to_string();
        let mut act = self.act(&tournament, actor).await?;
        if game(&mut act.tx, id).await?.annulled.is_some() {
            return Err(Fault::new(Code::GameAnnulled, format!("the game {id} was annulled before")));
        }
        let (article, reason) = (request.article.clone(), request.reason.clone());
        let entry = act
            .append(&Event::Override {
                game: id.to_string(),
                finding: "annulled".into(),
                article: article.clone(),
                reason: reason.clone(),
            })
            .await?;
        let annulment = Annulment { at: act.now, by: act.by.clone(), article, reason, entry };
        act.tx.insert_annulment(id, &annulment).await?;
        act.note(entry, request.note.as_deref()).await?;
        act.finish().await
    }

    /// Lets a finding stand; from there on the game is validated to its end.
    ///
    /// # Errors
    /// `invalid-field` when the game has no such finding.
    pub async fn override_finding(&self, id: GameId, actor: &Actor, request: &OverrideRequest) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy])?;
        check_decision(&request.article, &request.reason)?;
        let tournament = game(&mut self.store.read().await?, id).await?.tournament.to_string();
        let mut act = self.act(&tournament, actor).await?;
        let game = game(&mut act.tx, id).await?;
        let before = act.tx.overrides(id).await?;
        let new = requested(request)?;
        let all = with(before.iter().map(decided).collect::<Result<Vec<_>, _>>()?, new.clone())?;
        let measure = Measure::load(self, &mut act.tx, act.tournament.clone(), game.round).await?;
        let report = measure.judged_again(&game, all).await?;
        check_used(&report, &new)?;
        let (finding, article, reason) = (request.finding.clone(), request.article.clone(), request.reason.clone());
        let event = Event::Override { game: id.to_string(), finding, article, reason };
        let entry = act.append(&event).await?;
        let decision = OverrideRow {
            entry,
            game: id,
            at: act.now,
            by: act.by.clone(),
            ply: request.ply,
            finding: request.finding.clone(),
            article: request.article.clone(),
            reason: request.reason.clone(),
            position: request.position.clone(),
            verdict: report.verdict.as_str().to_owned(),
            report: serde_json::to_value(&report).map_err(|why| Fault::internal(why.to_string()))?,
        };
        act.tx.insert_override(&decision).await?;
        act.note(entry, request.note.as_deref()).await?;
        act.finish().await
    }
}

impl Measure {
    /// The game judged again with these decisions, by the draw it was judged by at first.
    async fn judged_again(&self, game: &GameRow, overrides: Vec<Override>) -> Result<GameReport, Fault> {
        let draw = self.draw_of(game.draw).ok_or_else(|| Fault::internal("a game without its draw"))?;
        let kept = Kept { media_type: game.media_type.clone(), body: game.body.clone() };
        self.judge(game.board, draw, kept, language(Some(&game.language))?, overrides).await
    }
}

/// The game of this id.
async fn game(tx: &mut Tx, id: GameId) -> Result<GameRow, Fault> {
    tx.game(id).await?.ok_or_else(|| Fault::new(Code::GameUnknown, format!("there is no game {id}")))
}

/// Article and reason enter the log, which can never forget: both are short codes.
fn check_decision(article: &str, reason: &str) -> Result<(), Fault> {
    let of = |text: &str, most, allowed: fn(u8) -> bool| (1..=most).contains(&text.len()) && text.bytes().all(allowed);
    if !of(article, 40, |b| b.is_ascii_alphanumeric() || b". ()/-".contains(&b)) {
        return Err(Fault::field("/article", "an article such as 7.2.1 or A.5.2: letters, digits, . ( ) / -"));
    }
    if !of(reason, 60, |b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        return Err(Fault::field("/reason", "a short code of a-z, 0-9 and -; words go into note"));
    }
    Ok(())
}

fn decided(row: &OverrideRow) -> Result<Override, Fault> {
    let code = row.finding.parse().map_err(|_| Fault::internal("a decision about an unknown finding"))?;
    let acceptance = Acceptance { article: row.article.clone(), reason: row.reason.clone() };
    Ok(Override { ply: row.ply, code: Some(code), acceptance, position: row.position.clone() })
}

fn requested(request: &OverrideRequest) -> Result<Override, Fault> {
    let code = request.finding.parse();
    let code = code.map_err(|_| Fault::field("/finding", "not a finding code; /api/v1/findings lists them"))?;
    if let Some(fen) = &request.position {
        crate::domain::fen::read_fen(fen).map_err(|why| Fault::at(Code::NotAPosition, "/position", why.to_string()))?;
    }
    let acceptance = Acceptance { article: request.article.clone(), reason: request.reason.clone() };
    Ok(Override { ply: request.ply, code: Some(code), acceptance, position: request.position.clone() })
}

/// The decisions that hold with a new one. About the same finding the newest holds, so that a mistake can be put right; the
/// one before stays on record.
fn with(before: Vec<Override>, new: Override) -> Result<Vec<Override>, Fault> {
    if before.iter().rev().find(|old| same_finding(old, &new)) == Some(&new) {
        return Err(Fault::field("/finding", "this was decided before, in the same words"));
    }
    let others = before.into_iter().filter(|old| !same_finding(old, &new));
    Ok(others.chain([new.clone()]).collect())
}

fn same_finding(a: &Override, b: &Override) -> bool {
    (a.ply, a.code) == (b.ply, b.code)
}

/// A decision about nothing is refused: it must be by this one that some finding is accepted.
fn check_used(report: &GameReport, new: &Override) -> Result<(), Fault> {
    let why = "the game has no such finding of severity error at this half-move";
    if report.used(new) { Ok(()) } else { Err(Fault::field("/finding", why)) }
}
