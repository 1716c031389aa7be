//! Draws by hand: throws as they are posted, sealed until the release.

use super::{Act, Actor, Desk, draws::draw, voids::refuse_voided};
use crate::{
    bulletin,
    domain::{
        derivation::{Repeats, Source, commitment, throws_commitment},
        draw::{Arrived, Draw},
        entry::{Event, SlotRef},
        fault::{Code, Fault},
        ids::DrawId,
        manual::{Walk, procedure},
        number_set::NumberSet,
        role::Role,
    },
    store::SealedThrows,
};
use serde::Deserialize;
use utoipa::ToSchema;

/// Throws of one draw: far more than any procedure needs.
const MOST: usize = 2000;

/// Throws of a draw by hand, in their order, the rejected ones too.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ThrowsRequest {
    /// Each as the procedure writes it, such as `"3"` or `"h"`. None: the present state is answered.
    #[serde(default)]
    pub throws: Vec<String>,
}

impl Desk {
    /// Refuses who may not post throws of a draw: asked before the body is looked at. Whoever posted first goes on alone,
    /// since the answer shows what stands.
    ///
    /// # Errors
    /// `role-not-allowed`, `draw-unknown`, `outside-token-scope`, `position-sealed`, `entropy-not-awaited`.
    pub async fn check_thrower(&self, id: DrawId, actor: &Actor) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy])?;
        let mut tx = self.store.read().await?;
        let draw = draw(&mut tx, id).await?;
        actor.must_belong_to(draw.tournament)?;
        refuse_voided(&draw)?;
        if procedure_of(&draw).is_none() || draw.release.is_some() {
            return Err(Fault::new(Code::EntropyNotAwaited, format!("the draw {id} waits for no throws")));
        }
        let posts = tx.throws(id).await?;
        if posts.first().is_some_and(|first| first.by != actor.by()) {
            let round = tx.round(draw.tournament, draw.serves_from).await?;
            return Err(bulletin::sealed(round.and_then(|round| round.times).map(|times| times.release_at)));
        }
        Ok(())
    }

    /// Records throws and answers how the procedure stands. The one that finishes it makes the draw ready.
    ///
    /// # Errors
    /// As [`Desk::check_thrower`]; `invalid-field` with the place of what is no throw, `throws-too-early`; then none of
    /// them is recorded.
    pub async fn post_throws(&self, id: DrawId, actor: &Actor, request: &ThrowsRequest) -> Result<Walk, Fault> {
        self.check_thrower(id, actor).await?;
        let tournament = draw(&mut self.store.read().await?, id).await?.tournament.to_string();
        let mut act = self.act_in_open(&tournament, actor).await?;
        let draw = draw(&mut act.tx, id).await?;
        refuse_voided(&draw)?;
        let walk = act.throw(&draw, &request.throws).await?;
        act.finish().await?;
        Ok(walk)
    }
}

/// The procedure of a draw by hand.
pub(super) fn procedure_of(draw: &Draw) -> Option<&str> {
    match draw.terms.sources.as_slice() {
        [Source::Manual { procedure }] => Some(procedure),
        _ => None,
    }
}

/// Makes these throws, or names the first that is none.
///
/// # Errors
/// `invalid-field` with the place.
pub fn throw_all(walk: &mut Walk, throws: &[String]) -> Result<(), Fault> {
    if walk.record().len() + throws.len() > MOST {
        return Err(Fault::field("/throws", format!("a draw has at most {MOST} throws")));
    }
    for (i, token) in throws.iter().enumerate() {
        walk.throw(token).map_err(|why| Fault::field(format!("/throws/{i}"), why.to_string()))?;
    }
    Ok(())
}

impl Act<'_> {
    pub(super) async fn throw(&mut self, draw: &Draw, throws: &[String]) -> Result<Walk, Fault> {
        let posts = self.tx.throws(draw.id).await?;
        if posts.first().is_some_and(|first| first.by != self.by) {
            return Err(bulletin::sealed(None));
        }
        let mut walk = self.walk(draw).await?;
        if throws.is_empty() {
            return Ok(walk);
        }
        self.check_order_of_releases(draw).await?;
        throw_all(&mut walk, throws)?;
        let sealed = self.seal_throws(draw.id, posts.len(), throws)?;
        self.tx.insert_throws(draw.id, posts.len(), &sealed).await?;
        if walk.finished().is_some() {
            self.finish_by_hand(draw, &walk).await?;
        }
        Ok(walk)
    }

    fn seal_throws(&self, draw: DrawId, seq: usize, throws: &[String]) -> Result<SealedThrows, Fault> {
        let nonce = self.desk.entropy.bytes()?;
        let sealed = self.desk.key.seal_bytes(nonce, &purpose(draw, seq), throws.join(",").as_bytes());
        Ok(SealedThrows { at: self.now, by: self.by.clone(), sealed })
    }

    /// The procedure as far as it was posted, with the numbers that are used by now.
    pub(super) async fn walk(&mut self, draw: &Draw) -> Result<Walk, Fault> {
        let name = procedure_of(draw).ok_or_else(|| Fault::internal(format!("{} is no draw by hand", draw.id)))?;
        let found = procedure(name).map_err(|why| Fault::internal(why.to_string()))?;
        let mut walk = Walk::start(found, draw.terms.excluded.clone(), self.used(draw).await?);
        for (seq, post) in self.tx.throws(draw.id).await?.iter().enumerate() {
            let opened = self.desk.key.open_bytes(&purpose(draw.id, seq), &post.sealed);
            let opened = opened.map_err(|why| Fault::internal(why.to_string()))?;
            let text = std::str::from_utf8(&opened).map_err(|why| Fault::internal(why.to_string()))?;
            for token in text.split(',') {
                walk.throw(token).map_err(|why| Fault::internal(why.to_string()))?;
            }
        }
        Ok(walk)
    }

    /// Numbers that a draw skips: with repeats never, those released before.
    pub(super) async fn used(&mut self, draw: &Draw) -> Result<NumberSet, Fault> {
        Ok(match draw.terms.repeats {
            Repeats::Allowed => NumberSet::new(),
            Repeats::Never => self.tx.released_numbers(self.tournament.id).await?,
        })
    }

    /// Without repeats a throw must not be made while a number may yet be released before it.
    async fn check_order_of_releases(&mut self, draw: &Draw) -> Result<(), Fault> {
        if draw.terms.repeats == Repeats::Allowed {
            return Ok(());
        }
        let own = self.times_of(draw.serves_from).await?.release_at;
        for other in self.waiting().await? {
            let times = self.round(other.serves_from).await?.times;
            if times.is_some_and(|times| times.release_at < own) {
                let detail = format!(
                    "round {} is released before: throw after that, as its number cannot repeat",
                    other.serves_from
                );
                return Err(Fault::new(Code::ThrowsTooEarly, detail));
            }
        }
        Ok(())
    }

    /// Binds the throws: from here on the draw is ready.
    async fn finish_by_hand(&mut self, draw: &Draw, walk: &Walk) -> Result<(), Fault> {
        let (slot, secret) = self.secret_of(draw)?;
        let committed = commitment(&slot, &draw.terms, &secret);
        let throws_commit = throws_commitment(&slot, &committed, &walk.throws(), &secret).to_string();
        let slot = SlotRef { round: draw.round, board: draw.board, attempt: draw.attempt };
        let entry = self.append(&Event::Manual { slot, throws_commit }).await?;
        Ok(self.tx.insert_arrived(draw.id, &Arrived { at: self.now, lines: Vec::new(), entry }).await?)
    }
}

fn purpose(draw: DrawId, seq: usize) -> String {
    format!("draw960 throws {seq} of {draw}")
}
