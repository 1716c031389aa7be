//! Entropy that comes from outside after the order: the dice of a round.

use super::{Act, Actor, Desk};
use crate::domain::{
    derivation::{EntropyLine, Source},
    dice::{self, Digits, Post, Refusal, Standing},
    draw::{Arrived, Draw, DrawState},
    entry::{Event, SlotRef},
    fault::{Code, Fault},
    ids::RoundNumber,
    role::Role,
};
use serde::Deserialize;
use utoipa::ToSchema;

/// Dice thrown for a round.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiceRequest {
    /// Twenty digits, the ten-sided dice as they lie from the left.
    pub digits: String,
}

impl Desk {
    /// Records a post of dice; the second equal one, by another token, makes the entropy of every slot of the round that
    /// waits for it.
    ///
    /// # Errors
    /// `dice-mismatch` when the posts differ: the post is recorded all the same. `second-token-required`, `dice-used`,
    /// `entropy-not-awaited`: nothing is recorded.
    pub async fn post_dice(
        &self,
        tournament: &str,
        round: RoundNumber,
        actor: &Actor,
        request: &DiceRequest,
    ) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter, Role::Deputy])?;
        let mut act = self.act_in_open(tournament, actor).await?;
        act.round(round.get()).await?;
        let digits = request.digits.parse().map_err(|why: dice::NotDigits| Fault::field("/digits", why.to_string()))?;
        let standing = act.post_dice(round, digits).await?;
        // A mismatch is a fact about the draw as much as a refusal: it is kept.
        act.finish().await?;
        if standing == Standing::Mismatch { Err(mismatch()) } else { Ok(()) }
    }
}

impl Act<'_> {
    async fn post_dice(&mut self, round: RoundNumber, digits: Digits) -> Result<Standing, Fault> {
        let waiting = self.waiting_for_dice(round).await?;
        let (Some(ordered), Some(serves)) = (waiting.iter().map(|d| d.entry).max(), waiting.first()) else {
            let detail = format!("no draw of round {round} waits for dice");
            return Err(Fault::new(Code::EntropyNotAwaited, detail));
        };
        let all = self.tx.dice_posts(self.tournament.id).await?;
        let of_throw = |post: &&Post| post.round == serves.serves_from && post.entry > ordered;
        let mut posts: Vec<Post> = all.iter().filter(of_throw).cloned().collect();
        let confirm = self.tournament.policy.dice_confirm;
        dice::may_post(&posts, &self.by, confirm).map_err(refused)?;
        if all.iter().any(|post| post.entry < ordered && post.digits == digits) {
            return Err(Fault::at(Code::DiceUsed, "/digits", "these dice were posted before the draw was ordered"));
        }
        posts.push(self.record_post(serves.serves_from, digits).await?);
        let standing = dice::standing(&posts, confirm);
        if let (Standing::Complete, Some(post)) = (standing, posts.first()) {
            let line = EntropyLine::Dice { digits: post.digits.to_string() };
            for draw in &waiting {
                self.arrive(draw, vec![line.clone()]).await?;
            }
        }
        Ok(standing)
    }

    async fn record_post(&mut self, round: u16, digits: Digits) -> Result<Post, Fault> {
        let entry = self.append(&Event::Dice { round, digits: digits.to_string() }).await?;
        let post = Post { round, at: self.now, by: self.by.clone(), digits, entry };
        self.tx.insert_dice_post(self.tournament.id, &post).await?;
        Ok(post)
    }

    /// Live draws of a round, or of its block, that wait for dice.
    async fn waiting_for_dice(&mut self, round: RoundNumber) -> Result<Vec<Draw>, Fault> {
        let first = round.block_start(self.tournament.policy.rounds_per_draw).get();
        let draws = self.tx.draws_of_round(self.tournament.id, first).await?;
        let waits = |draw: &Draw| draw.state() == DrawState::AwaitingEntropy && draw.terms.sources == [Source::Dice];
        Ok(draws.into_iter().filter(waits).collect())
    }

    /// While dice of a round are posted and not settled, no slot of it is ordered: its commitment would be younger than
    /// the throw that serves it.
    pub(super) async fn check_no_dice_under_way(&mut self, round: u16) -> Result<(), Fault> {
        let draws = self.tx.draws_of_round(self.tournament.id, round).await?;
        let thrown = |draw: &Draw| draw.state() == DrawState::AwaitingEntropy && draw.thrown_at.is_some();
        if !draws.iter().any(thrown) {
            return Ok(());
        }
        let detail =
            "dice for this round are posted and not settled: confirm them, or void every draw that waits for them";
        Err(Fault::new(Code::DiceUnderWay, detail))
    }

    /// Records what answers the sources of a draw: from here on it is ready.
    pub(super) async fn arrive(&mut self, draw: &Draw, lines: Vec<EntropyLine>) -> Result<(), Fault> {
        let slot = SlotRef { round: draw.round, board: draw.board, attempt: draw.attempt };
        let entry = self.append(&Event::Entropy { slot, entropy: lines.clone() }).await?;
        Ok(self.tx.insert_arrived(draw.id, &Arrived { at: self.now, lines, entry }).await?)
    }
}

fn refused(why: Refusal) -> Fault {
    match why {
        Refusal::Mismatch => mismatch(),
        Refusal::SameToken => {
            let detail =
                "this token posted the throw already: another arbiter or deputy confirms it with a token of their own";
            Fault::new(Code::SecondTokenRequired, detail)
        }
    }
}

fn mismatch() -> Fault {
    let detail = "two posts of this throw differ, and both stay in the record: void the draws of the round that wait for \
                  it, order them again, throw again";
    Fault::new(Code::DiceMismatch, detail)
}
