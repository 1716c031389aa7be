//! Handing the log over: to another key, or to another name after an older copy of the database was put in place.

use super::{
    Act, Actor, Desk,
    start::{StartError, log_key_purpose, origin},
};
use crate::{
    domain::{
        draw::VoidReason,
        entry::Event,
        fault::Fault,
        log::{self, LogKey, LogSigner, SignatureLine, SignedNote, WitnessKey},
        verify::Bundle,
    },
    store::{CosignatureRow, ServerRow, StoreError, SuccessionRow, Tournament, Tx},
};
use ed25519_dalek::SigningKey;
use std::collections::BTreeSet;
use zeroize::Zeroizing;

/// A key that is to sign the log.
struct Heir {
    row: ServerRow,
    signer: LogSigner,
}

/// What a restoration under another name did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The key before.
    pub old: String,
    /// The key from now on.
    pub new: String,
    /// Entries of the copy.
    pub size: u64,
    /// Attempts up to this number are not used any more.
    pub skipped: u16,
    /// Draws that were live and are voided: tournament, round or first round of the block, board.
    pub voided: Vec<(String, u16, u16)>,
}

impl Desk {
    /// Lets another key sign the log from the next entry on, under the same name. Nothing may serve meanwhile; afterwards
    /// the desk is opened anew.
    ///
    /// # Errors
    /// `server-read-only`, or when database or chance fail.
    pub async fn change_log_key(&self) -> Result<LogKey, StartError> {
        self.ledger.writable()?;
        let heir = self.heir(|_| self.origin.clone()).await?;
        let new = heir.signer.verifier();
        let key = Event::Key { old: self.ledger.vkey(), new: new.to_string() };
        let mut tx = self.store.write().await?;
        self.succeed(&mut tx, &heir, &key, 0).await?;
        tx.commit().await?;
        Ok(new)
    }

    /// Goes on from an older copy under another name: what was signed after it is lost, so its name may stand under other
    /// entries. Every live draw is voided, since it may have been released. Nothing may serve meanwhile; afterwards the
    /// desk is opened anew.
    ///
    /// # Errors
    /// When database or chance fail.
    pub async fn restore_under_new_name(&self, log_name: &str) -> Result<Renamed, StartError> {
        let heir = self.heir(|public| origin(log_name, public)).await?;
        self.ledger.take_up_cosignatures(&self.store).await?;
        let (size, root) = self.ledger.whole();
        let (old, new) = (self.ledger.vkey(), heir.signer.verifier().to_string());
        let mut tx = self.store.write().await?;
        let skipped = skipped(&mut tx).await?;
        let restored =
            Event::Restored { old: old.clone(), new: new.clone(), size, root: root.to_string(), attempts: skipped };
        for (size, note) in self.ledger.cosigned_notes() {
            tx.insert_former_checkpoint(size, &note).await?;
        }
        self.succeed(&mut tx, &heir, &restored, skipped).await?;
        let voided = self.void_all(tx).await?;
        Ok(Renamed { old, new, size, skipped, voided })
    }

    /// Voids every live draw of the server, and commits.
    async fn void_all(&self, mut tx: Tx) -> Result<Vec<(String, u16, u16)>, Fault> {
        let mut voided = Vec::new();
        for tournament in open_tournaments(&mut tx).await? {
            let slug = tournament.slug.to_string();
            let mut act = Act { desk: self, tx, tournament, now: self.clock.now(), by: Actor::server().by() };
            for draw in act.waiting().await? {
                act.void(&draw, VoidReason::Restored).await?;
                voided.push((slug.clone(), draw.round, draw.board));
            }
            tx = act.tx;
        }
        tx.commit().await?;
        Ok(voided)
    }

    /// Keeps what witnesses signed beyond an older copy, which only the bundle has: it shows that orders were out before their
    /// entropy. Only of witnesses that the copy knows: nobody else's line can be told from a forged one.
    pub(super) async fn keep_cosigned(&self, tx: &mut Tx, bundle: &Bundle) -> Result<(), StoreError> {
        let known: BTreeSet<String> = tx.cosignatures().await?.into_iter().map(|row| row.witness).collect();
        let known: Vec<WitnessKey> = known.iter().filter_map(|key| key.parse().ok()).collect();
        for note in bundle.checkpoints.iter().chain([&bundle.checkpoint]).filter_map(|text| text.parse().ok()) {
            for row in known.iter().filter_map(|key| self.cosigned_by(&note, key)) {
                tx.insert_cosignature(&row).await?;
            }
        }
        Ok(())
    }

    /// The line of a witness under a checkpoint of the log's present name. A start compares it with the log.
    fn cosigned_by(&self, note: &SignedNote, key: &WitnessKey) -> Option<CosignatureRow> {
        let (checkpoint, by) = self.ledger.keys().open(note).ok()?;
        let holds = |line: &&SignatureLine| {
            let alone: Option<SignedNote> = format!("{}\n{line}\n", note.text()).parse().ok();
            alone.is_some_and(|alone| alone.cosigned_at(key).is_ok())
        };
        let line = note.signatures().iter().find(holds).filter(|_| by.name() == self.origin)?;
        Some(CosignatureRow { size: checkpoint.size, witness: key.to_string(), line: line.to_string() })
    }

    async fn succeed(&self, tx: &mut Tx, heir: &Heir, event: &Event, skipped: u16) -> Result<(), Fault> {
        let note = self.ledger.hand_over(&heir.signer)?;
        if tx.log_size().await? != self.ledger.whole().0 {
            return Err(Fault::internal("the log grew meanwhile: try again"));
        }
        let leaf = self.append_of_server(tx, event).await?;
        let row = SuccessionRow { leaf, old_key: self.ledger.vkey(), note, skipped };
        Ok(tx.succeed(&row, &heir.row).await?)
    }

    async fn heir(&self, name: impl FnOnce(&[u8; 32]) -> String) -> Result<Heir, StartError> {
        let seed = Zeroizing::new(self.entropy.bytes::<32>()?);
        let public = SigningKey::from_bytes(&seed).verifying_key().to_bytes();
        let origin = name(&public);
        let signer = LogSigner::from_seed(&origin, &seed).map_err(|why| StartError(why.to_string()))?;
        let log_key_sealed = self.key.seal(self.entropy.bytes()?, &log_key_purpose(&origin), &seed);
        let created_at = self.clock.now();
        Ok(Heir { row: ServerRow { origin, log_public_key: public, log_key_sealed, created_at }, signer })
    }
}

/// The number up to which attempts are skipped.
async fn skipped(tx: &mut Tx) -> Result<u16, Fault> {
    let known = tx.successions().await?.iter().map(|row| row.skipped).max().unwrap_or(0);
    Ok(log::skipped(tx.highest_attempt().await?.max(known)))
}

/// Tournaments that go on: ended ones have no draw that waits.
pub(super) async fn open_tournaments(tx: &mut Tx) -> Result<Vec<Tournament>, Fault> {
    let mut open = Vec::new();
    let mut before = None;
    loop {
        let page = tx.tournaments(before, 100).await?;
        let Some(last) = page.last() else { return Ok(open) };
        before = Some(last.id);
        open.extend(page.into_iter().filter(|tournament| tournament.ended.is_none()));
    }
}
