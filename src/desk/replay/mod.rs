//! Replaying a bundle into an older copy of the database: what the log tells is written again as rows. What it only binds
//! by a hash, pairings, games and notes, is lost and is counted.

mod rows;

use super::{Act, Actor, Desk, StartError, succession::open_tournaments};
use crate::{
    domain::{
        draw::VoidReason,
        entry::Event,
        log::{Checkpoint, SignedNote, Tree, leaf_hash},
        record::{Fact, Record, Unread},
        verify::{BUNDLE_FORMAT, Bundle},
    },
    ledger::HighWater,
    store::{Tournament, Tx},
};
use jiff::Timestamp;
use std::{collections::BTreeMap, fmt::Display, path::Path};

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
        let (tree, signed) = self.signed_entries(bundle)?;
        let (size, root) = self.ledger.whole();
        if self.ledger.root(signed.size) == Some(signed.root) {
            return Ok(());
        }
        if size >= signed.size || tree.root(size) != Some(root) {
            return refused("this database has other entries than the log: somebody edited it. Take another backup");
        }
        self.has_all_signed(&tree, high_water)
    }

    /// The bundle's entries and its checkpoint, once the log's key signed just these.
    fn signed_entries(&self, bundle: &Bundle) -> Result<(Tree, Checkpoint), StartError> {
        if bundle.format != BUNDLE_FORMAT || bundle.log_key != self.ledger.vkey() {
            return refused("it is not of this log, or the log's key was changed after the copy was made");
        }
        let tree: Tree = bundle.entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
        let note = bundle.checkpoint.parse::<SignedNote>().map_err(|why| StartError(why.to_string()))?;
        let signed = match Checkpoint::open(&note, self.ledger.keys().newest()) {
            Ok(signed) => signed,
            Err(why) => return refused(why),
        };
        if tree.size() != signed.size || tree.root(signed.size) != Some(signed.root) {
            return refused("its entries are not those that its checkpoint signs");
        }
        Ok((tree, signed))
    }

    /// Refuses entries that end before the high-water file, or are not those under it.
    fn has_all_signed(&self, tree: &Tree, high_water: &HighWater) -> Result<(), StartError> {
        let kept = high_water.read().map_err(|why| StartError(format!("draw960.highwater cannot be read: {why}")))?;
        let kept = kept.and_then(|kept| kept.parse::<SignedNote>().ok());
        match kept.and_then(|kept| self.ledger.keys().open(&kept).map(|(kept, _)| kept).ok()) {
            Some(kept) if kept.size > tree.size() => refused(format!(
                "it has {} entries, but the server signed {}: find a newer bundle, from whoever asked the server last",
                tree.size(),
                kept.size
            )),
            Some(kept) if tree.root(kept.size) != Some(kept.root) => {
                refused("it is not the log that the server signed: keep it as evidence")
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
        for tournament in open_tournaments(&mut tx).await? {
            let slug = tournament.slug.to_string();
            let mut act = Act { desk: self, tx, tournament, now: self.clock.now(), by: Actor::server().by() };
            for draw in act.without_throws().await? {
                act.void(&draw, VoidReason::Restored).await?;
                done.voided.push((slug.clone(), draw.round, draw.board));
            }
            tx = act.tx;
        }
        Ok(tx)
    }
}

fn refused<T>(why: impl Display) -> Result<T, StartError> {
    Err(StartError(format!("the bundle cannot be replayed: {why}")))
}
