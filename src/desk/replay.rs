//! Replaying a bundle into an older copy of the database: what the log tells is written again as rows. What it only binds
//! by a hash, pairings, games and notes, is lost and is counted.

use super::{Act, Desk, StartError, rounds::unscheduled};
use crate::{
    domain::{
        derivation::{Source, commitment, number, seed},
        dice::Post,
        draw::{Arrived, Draw, Release, Void, VoidReason},
        entry::Event,
        fault::Fault,
        ids::DrawId,
        log::{Checkpoint, SignedNote, Tree, leaf_hash},
        policy::Policy,
        position_number::PositionNumber,
        record::{self, Fact, Record, SlotKey, Unread},
        schedule::Times,
        verify::{BUNDLE_FORMAT, Bundle},
    },
    ledger::HighWater,
    store::{Tournament, Tx},
};
use jiff::Timestamp;
use serde::Deserialize;
use std::{collections::BTreeMap, path::Path};

/// What was replayed, and what could not be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Entries of the copy.
    pub from: u64,
    /// Entries taken up from the bundle.
    pub replayed: u64,
    /// Tournaments created after the copy: their masters are lost, and their slugs stay taken.
    pub lost: Vec<String>,
    /// Entries whose content is kept off the log, by tournament and kind: it is lost.
    pub without_content: BTreeMap<(String, String), u64>,
    /// Draws by hand whose throws are lost and which are voided: tournament, round or first round of the block, board.
    pub voided: Vec<(String, u16, u16)>,
}

impl Desk {
    /// Takes up the entries of a bundle that this database lacks. Nothing may serve meanwhile; afterwards the desk is
    /// opened anew.
    ///
    /// # Errors
    /// When the bundle is of another log, does not begin with this one, or ends before what the server signed.
    pub async fn replay(&self, bundle: &Bundle, folder: &Path) -> Result<Replayed, StartError> {
        let (size, root) = self.ledger.whole();
        self.continues(bundle, &HighWater::in_folder(folder))?;
        let newer = &bundle.entries[usize::try_from(size).unwrap_or(usize::MAX).min(bundle.entries.len())..];
        let mut done = Replayed { from: size, replayed: newer.len() as u64, ..Replayed::default() };
        if newer.is_empty() {
            return Ok(done);
        }
        let mut tx = self.store.write().await?;
        for (index, text) in (size..).zip(newer) {
            tx = self.replay_entry(tx, index, text, &mut done).await?;
        }
        tx = self.void_without_throws(tx, &mut done).await?;
        let takeover = Event::Takeover { size, root: root.to_string(), replayed: done.replayed };
        self.append_of_server(&mut tx, &takeover).await?;
        self.keep_cosigned(&mut tx, bundle).await?;
        tx.commit().await?;
        Ok(done)
    }

    /// Refuses a bundle that is not this log, longer, and as long as what the server signed.
    fn continues(&self, bundle: &Bundle, high_water: &HighWater) -> Result<(), StartError> {
        let refused = |why: String| Err(StartError(format!("the bundle cannot be replayed: {why}")));
        if bundle.format != BUNDLE_FORMAT || bundle.log_key != self.ledger.vkey() {
            return refused("it is not of this log, or the log's key was changed after the copy was made".into());
        }
        let tree: Tree = bundle.entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
        let note = bundle.checkpoint.parse::<SignedNote>().map_err(|why| StartError(why.to_string()))?;
        let signed = match Checkpoint::open(&note, self.ledger.keys().newest()) {
            Ok(signed) => signed,
            Err(why) => return refused(why.to_string()),
        };
        if tree.size() != signed.size || tree.root(signed.size) != Some(signed.root) {
            return refused("its entries are not those that its checkpoint signs".into());
        }
        let (size, root) = self.ledger.whole();
        if size <= signed.size && tree.root(size) != Some(root) {
            return refused(
                "this database has other entries than the log: somebody edited it. Take another backup".into(),
            );
        }
        let kept = high_water.read().map_err(|why| StartError(format!("draw960.highwater cannot be read: {why}")))?;
        let kept = kept.and_then(|kept| kept.parse::<SignedNote>().ok());
        match kept.and_then(|kept| self.ledger.keys().open(&kept).map(|(kept, _)| kept).ok()) {
            Some(kept) if kept.size > signed.size => refused(format!(
                "it has {} entries, but the server signed {}: find a newer bundle, from whoever asked the server last",
                signed.size, kept.size
            )),
            Some(kept) if tree.root(kept.size) != Some(kept.root) => {
                refused("it is not the log that the server signed: keep it as evidence".into())
            }
            _ => Ok(()),
        }
    }

    async fn replay_entry(&self, mut tx: Tx, index: u64, text: &str, done: &mut Replayed) -> Result<Tx, StartError> {
        let record = Record::read(index, text).map_err(|unread| match unread {
            Unread::Malformed(why) | Unread::Unknown(why) => StartError(format!("{why}: it cannot be replayed")),
        })?;
        let tournament = match &record.event {
            Some(event) => tx.tournament(event).await?,
            None => None,
        };
        tx.append_bytes(text.as_bytes(), tournament.as_ref().map(|t| t.id), &record.kind, record.subject).await?;
        match (tournament, &record.fact, &record.event) {
            (Some(tournament), ..) => self.replay_in(tx, tournament, &record, text, done).await,
            (None, Fact::Tournament { .. }, Some(slug)) => {
                tx.insert_lost(slug, index).await?;
                done.lost.push(slug.clone());
                Ok(tx)
            }
            // Of a lost tournament, or of the server: the entry is all there is.
            _ => Ok(tx),
        }
    }

    async fn replay_in(
        &self,
        tx: Tx,
        tournament: Tournament,
        record: &Record,
        text: &str,
        done: &mut Replayed,
    ) -> Result<Tx, StartError> {
        let slug = tournament.slug.to_string();
        let now = Timestamp::from_second(record.at).map_err(|why| StartError(why.to_string()))?;
        let mut act = Act { desk: self, tx, tournament, now, by: record.by.clone() };
        match act.replay(record, text).await {
            Ok(true) => {}
            Ok(false) => *done.without_content.entry((slug, record.kind.clone())).or_default() += 1,
            Err(fault) => {
                let why = StartError::from(fault);
                return Err(StartError(format!("entry {} of the bundle cannot be replayed: {why}", record.index)));
            }
        }
        Ok(act.tx)
    }

    /// Draws by hand whose throws are bound by the log and stood only in the lost database can never be released.
    async fn void_without_throws(&self, mut tx: Tx, done: &mut Replayed) -> Result<Tx, StartError> {
        let mut before = None;
        loop {
            let page = tx.tournaments(before, 100).await?;
            let Some(last) = page.last() else { return Ok(tx) };
            before = Some(last.id);
            for tournament in page {
                let slug = tournament.slug.to_string();
                let mut act = Act { desk: self, tx, tournament, now: self.clock.now(), by: "server".into() };
                for draw in act.without_throws().await? {
                    act.void(&draw, VoidReason::Restored).await?;
                    done.voided.push((slug.clone(), draw.round, draw.board));
                }
                tx = act.tx;
            }
        }
    }
}

#[derive(Deserialize)]
struct Amended {
    policy: Policy,
}

impl Act<'_> {
    /// Writes an entry's rows again; false when their content is kept off the log.
    async fn replay(&mut self, record: &Record, text: &str) -> Result<bool, Fault> {
        match &record.fact {
            Fact::Amend { .. } => {
                let amended: Amended = serde_json::from_str(text).map_err(|why| Fault::internal(why.to_string()))?;
                self.tournament.policy = amended.policy;
                self.tx.update_tournament(&self.tournament).await?;
            }
            Fact::Round { round, starts_at, release_at, boards } => {
                self.replay_round(*round, starts_at.zip(*release_at), *boards).await?;
            }
            Fact::Order(order) => self.replay_order(order, record.index).await?,
            Fact::Dice { round, digits } => {
                let digits = digits.parse().map_err(|why| Fault::internal(format!("{why}")))?;
                let post = Post { round: *round, at: self.now, by: self.by.clone(), digits, entry: record.index };
                self.tx.insert_dice_post(self.tournament.id, &post).await?;
            }
            Fact::Entropy { slot, entropy } => {
                let draw = self.drawn(*slot).await?;
                let arrived = Arrived { at: self.now, lines: entropy.clone(), entry: record.index };
                self.tx.insert_arrived(draw.id, &arrived).await?;
                if let Some(void) = &draw.void {
                    self.record_abandoned(&draw, entropy, void.entry).await?;
                }
            }
            Fact::Manual { slot, .. } => {
                let arrived = Arrived { at: self.now, lines: Vec::new(), entry: record.index };
                let draw = self.drawn(*slot).await?;
                self.tx.insert_arrived(draw.id, &arrived).await?;
            }
            Fact::Release(release) => self.replay_release(release, record.index).await?,
            Fact::Void(void) => self.replay_void(void, record.index).await?,
            Fact::Close { .. } => {
                let how = if self.anything_released().await? { "closed" } else { "cancelled" };
                self.tournament.ended = Some((self.now, how.into()));
                self.tx.update_tournament(&self.tournament).await?;
            }
            Fact::Pairings {} | Fact::Setup {} | Fact::Game {} | Fact::Override {} | Fact::Note {} => return Ok(false),
            Fact::Export {} => {}
            Fact::Tournament { .. } | Fact::Restored(_) | Fact::Key { .. } | Fact::Takeover { .. } | Fact::Unknown => {
                return Err(Fault::internal(format!("{} fits nothing here", record.kind)));
            }
        }
        Ok(true)
    }

    /// The label, and levels of the round's own, are not in the log: they stay as the copy has them.
    async fn replay_round(&mut self, number: u16, times: Option<(i64, i64)>, boards: u16) -> Result<(), Fault> {
        let mut row = self.tx.round(self.tournament.id, number).await?.unwrap_or_else(|| unscheduled(number));
        let second = |at: i64| Timestamp::from_second(at).map_err(|why| Fault::internal(why.to_string()));
        let times = match times {
            Some((start, release)) => Some(Times { starts_at: second(start)?, release_at: second(release)? }),
            None => None,
        };
        if let Some(times) = times {
            let lead = times.starts_at.duration_since(times.release_at).as_mins() as u16;
            row.lead_minutes = (lead != self.tournament.policy.lead_minutes).then_some(lead);
            row.civil_start = Some(times.starts_at.to_zoned_datetime(self.zone()?).datetime().to_string());
        }
        row.reschedule(times, self.now);
        row.boards = (boards > 0).then_some(boards);
        Ok(self.tx.put_round(self.tournament.id, &row).await?)
    }

    async fn replay_order(&mut self, order: &record::Order, entry: u64) -> Result<(), Fault> {
        let SlotKey { round, board, attempt } = order.slot;
        let before = self.attempts(round, board).await?;
        let serves_from = before.last().and_then(|draw| draw.void.as_ref()).map_or(round, |void| void.from_round);
        let draw = Draw {
            id: DrawId::new(self.now, self.desk.entropy.bytes()?),
            tournament: self.tournament.id,
            round,
            board,
            attempt,
            serves_from,
            ordered_at: self.now,
            ordered_by: self.by.clone(),
            terms: order.terms(),
            commitment: order.commit.to_string(),
            entry,
            arrived: None,
            performed_at: None,
            thrown_at: None,
            exported_at: None,
            release: None,
            void: None,
        };
        let (slot, secret) = self.secret_of(&draw)?;
        if commitment(&slot, &draw.terms, &secret) != order.commit {
            return Err(Fault::internal("the commitment is not of this server's secret"));
        }
        Ok(self.tx.insert_draw(&draw).await?)
    }

    async fn replay_release(&mut self, said: &record::Release, entry: u64) -> Result<(), Fault> {
        let draw = self.drawn(said.slot).await?;
        let drawn = PositionNumber::try_from(said.number).map_err(|why| Fault::internal(why.to_string()))?;
        let release = Release {
            at: self.now,
            by: self.by.clone(),
            number: drawn,
            secret: said.secret.clone(),
            entropy: said.entropy.clone(),
            used: said.used.clone(),
            seed: said.seed.clone().unwrap_or_default(),
            throws: said.throws.clone(),
            words_used: self.words_used(&draw, said)?,
            entry,
        };
        self.tx.insert_release(draw.id, &release).await?;
        self.decided(draw.serves_from).await
    }

    /// Released or voided, a round waits for nobody's decision.
    pub(super) async fn decided(&mut self, round: u16) -> Result<(), Fault> {
        let mut round = self.round(round).await?;
        if round.overdue_since.take().is_some() {
            self.tx.put_round(self.tournament.id, &round).await?;
        }
        Ok(())
    }

    /// How many words of the keystream the number took; none by hand.
    fn words_used(&self, draw: &Draw, said: &record::Release) -> Result<u32, Fault> {
        if said.throws.is_some() {
            return Ok(0);
        }
        let (slot, secret) = self.secret_of(draw)?;
        let seed = seed(&slot, &draw.terms, &commitment(&slot, &draw.terms, &secret), &said.entropy, &secret);
        let derived =
            number(&seed, &draw.terms.excluded, &said.used).map_err(|why| Fault::internal(why.to_string()))?;
        if derived.number.get() == said.number {
            return Ok(derived.words_used);
        }
        Err(Fault::internal("the number does not follow from what was published: keep the bundle as evidence"))
    }

    async fn replay_void(&mut self, said: &record::Void, entry: u64) -> Result<(), Fault> {
        let draw = self.drawn(said.slot).await?;
        let from_round = said.from_round.unwrap_or(draw.round);
        let after_start = self.reach_of_void(&draw).await? == (from_round, true);
        let reason =
            serde_json::from_value(said.reason.clone().into()).map_err(|why| Fault::internal(why.to_string()))?;
        let (at, by, secret) = (self.now, self.by.clone(), said.secret.clone());
        let knowable = said.knowable;
        let void = Void { at, by, reason, knowable, from_round, after_start, secret, abandoned: None, entry };
        self.tx.insert_void(draw.id, &void).await?;
        self.decided(draw.serves_from).await?;
        match draw.entropy().filter(|_| draw.is_live() && draw.beacon().is_some()) {
            Some(lines) => self.record_abandoned(&draw, &lines, entry).await,
            None => Ok(()),
        }
    }

    async fn drawn(&mut self, slot: SlotKey) -> Result<Draw, Fault> {
        let draws = self.attempts(slot.round, slot.board).await?;
        let draw = draws.into_iter().find(|draw| draw.attempt == slot.attempt);
        draw.ok_or_else(|| Fault::internal(format!("{slot} was not ordered")))
    }

    /// Draws by hand that are bound to throws which this database does not have.
    async fn without_throws(&mut self) -> Result<Vec<Draw>, Fault> {
        let mut lost = Vec::new();
        for draw in self.waiting().await? {
            let by_hand = matches!(draw.terms.sources.as_slice(), [Source::Manual { .. }]);
            if by_hand && draw.arrived.is_some() && self.walk(&draw).await?.finished().is_none() {
                lost.push(draw);
            }
        }
        Ok(lost)
    }
}
