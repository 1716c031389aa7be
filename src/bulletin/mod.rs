//! The bulletin board of the hall: what the public may read of every round, rendered once, kept in memory.
//!
//! It is made from committed rows only and knows no clock: a slot shows a position exactly when its release row is
//! committed. Asking for a position costs no database read. As soon as the log is signed over a change, every
//! position carries the receipt of its release.

mod position;

pub use position::{PositionDocument, PublicPosition, ReleaseProof, Rendering};

use crate::{
    domain::{
        draw::{Draw, DrawState, current},
        fault::Fault,
        ids::{DrawId, RoundNumber, TournamentId},
        policy::Scope,
        round::Round,
    },
    ledger::Ledger,
    store::{Store, StoreError, Tournament},
};
use jiff::Timestamp;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// What the public may read, by tournament id and slug.
pub struct Bulletin {
    ledger: Arc<Ledger>,
    sheets: RwLock<HashMap<String, Arc<Sheet>>>,
    /// One refresh at a time, so that an older view never replaces a newer one.
    turn: tokio::sync::Mutex<()>,
    /// Tournaments whose sheet could not be refreshed: they show what they showed until the next try.
    stale: Mutex<HashSet<TournamentId>>,
}

/// One tournament's sheet.
pub struct Sheet {
    /// Whether each board has its own position.
    pub per_board: bool,
    rounds: BTreeMap<u16, RoundSheet>,
}

/// One round on the sheet.
struct RoundSheet {
    /// By board; 0 where one position serves all.
    slots: BTreeMap<u16, Face>,
    /// Boards ordered with the round, where each has its own position.
    boards: u16,
    /// When the position becomes public, as scheduled: with the first round of the block that its draw serves.
    release_at: Option<Timestamp>,
}

/// What the public sees of one slot in one round.
#[derive(Clone)]
pub enum Face {
    /// Nothing yet.
    Sealed,
    /// The draw was voided and not ordered again.
    Voided(DrawId),
    /// The position.
    Public(Arc<PublicPosition>),
}

impl Bulletin {
    /// An empty board beside the log.
    pub fn new(ledger: Arc<Ledger>) -> Self {
        Self { ledger, sheets: RwLock::default(), turn: tokio::sync::Mutex::default(), stale: Mutex::default() }
    }

    /// Puts up the sheets of all tournaments, at the start.
    ///
    /// # Errors
    /// Of the database.
    pub async fn load(&self, store: &Store) -> Result<(), StoreError> {
        let mut before = None;
        loop {
            let page = store.read().await?.tournaments(before, 100).await?;
            let Some(last) = page.last() else { return Ok(()) };
            before = Some(last.id);
            for tournament in page {
                self.put_up(store, tournament.id).await?;
            }
        }
    }

    /// Shows the present state of a tournament. What cannot be read now is tried again by [`Bulletin::retry`].
    pub async fn refresh(&self, store: &Store, tournament: TournamentId) {
        // What is committed is public at once; its receipt follows when the disk has taken the signed checkpoint.
        let shown = self.put_up(store, tournament).await.map_err(Fault::from);
        let signed = match self.ledger.publish(store).await {
            Ok(()) => self.put_up(store, tournament).await.map_err(Fault::from),
            Err(fault) => Err(fault),
        };
        let result = shown.and(signed);
        let mut stale = self.stale.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(()) => stale.remove(&tournament),
            Err(Fault { cause, .. }) => {
                tracing::error!(%tournament, cause, "the bulletin board could not be refreshed");
                stale.insert(tournament)
            }
        };
    }

    /// Tries again what could not be refreshed.
    pub async fn retry(&self, store: &Store) {
        let stale: Vec<_> = self.stale.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        for tournament in stale {
            self.refresh(store, tournament).await;
        }
    }

    /// The sheet of the tournament with this id or slug.
    pub fn sheet(&self, id_or_slug: &str) -> Option<Arc<Sheet>> {
        self.sheets.read().unwrap_or_else(PoisonError::into_inner).get(id_or_slug).cloned()
    }

    async fn put_up(&self, store: &Store, id: TournamentId) -> Result<(), StoreError> {
        let _turn = self.turn.lock().await;
        let mut tx = store.read().await?;
        let Some(tournament) = tx.tournament(&id.to_string()).await? else { return Ok(()) };
        let rounds = tx.rounds(id).await?;
        let draws = tx.draws_of(id).await?;
        let sheet = Arc::new(Sheet::new(&self.ledger, &tournament, &rounds, &draws));
        let mut sheets = self.sheets.write().unwrap_or_else(PoisonError::into_inner);
        sheets.insert(id.to_string(), Arc::clone(&sheet));
        sheets.insert(tournament.slug.to_string(), sheet);
        Ok(())
    }
}

impl Sheet {
    fn new(ledger: &Ledger, tournament: &Tournament, rounds: &[Round], draws: &[Draw]) -> Self {
        let release_at = |number: u16| rounds.iter().find(|round| round.number == number)?.times.map(|t| t.release_at);
        let sheet = |round: &Round| {
            let first = RoundNumber::try_from(round.number)
                .map_or(round.number, |n| n.block_start(tournament.policy.rounds_per_draw).get());
            let of_block: Vec<Draw> = draws.iter().filter(|draw| draw.round == first).cloned().collect();
            let slots = of_block.chunk_by(|a, b| a.board == b.board);
            let waiting = slots.clone().filter_map(|slot| current(slot, round.number)).find(|d| d.release.is_none());
            RoundSheet {
                slots: slots.map(|slot| (slot[0].board, Face::new(ledger, tournament, round.number, slot))).collect(),
                boards: round.boards.unwrap_or(0),
                release_at: release_at(waiting.map_or(round.number, |draw| draw.serves_from)),
            }
        };
        Self {
            per_board: tournament.policy.scope == Scope::Board,
            rounds: rounds.iter().map(|round| (round.number, sheet(round))).collect(),
        }
    }

    /// Whether the round is scheduled.
    pub fn has_round(&self, round: u16) -> bool {
        self.rounds.contains_key(&round)
    }

    /// What the public sees of a slot; none when the round has no such slot. One that nothing was ordered for is sealed.
    pub fn face(&self, round: u16, board: u16) -> Option<Face> {
        let round = self.rounds.get(&round)?;
        let sealed = (!self.per_board || board <= round.boards).then_some(Face::Sealed);
        round.slots.get(&board).cloned().or(sealed)
    }

    /// When the position of a round becomes public, as scheduled.
    pub fn release_at(&self, round: u16) -> Option<Timestamp> {
        self.rounds.get(&round).and_then(|round| round.release_at)
    }

    /// Every public position: round, board, position, in order.
    pub fn public(&self) -> Vec<(u16, u16, Arc<PublicPosition>)> {
        let slots = self
            .rounds
            .iter()
            .flat_map(|(round, sheet)| sheet.slots.iter().map(move |(board, face)| (*round, *board, face)));
        slots
            .filter_map(|(round, board, face)| match face {
                Face::Public(position) => Some((round, board, Arc::clone(position))),
                _ => None,
            })
            .collect()
    }
}

impl Face {
    fn new(ledger: &Ledger, tournament: &Tournament, round: u16, attempts: &[Draw]) -> Self {
        let live = current(attempts, round);
        match (live.and_then(|draw| Some((draw, draw.release.as_ref()?))), live, attempts.last()) {
            (Some((draw, release)), ..) => {
                let proof =
                    ReleaseProof { receipt: ledger.receipt(release.entry), witnessed: ledger.is_witnessed(draw.entry) };
                Self::Public(Arc::new(PublicPosition::new(tournament, round, draw, release, &proof)))
            }
            (None, None, Some(last)) if last.state() == DrawState::Voided => Self::Voided(last.id),
            _ => Self::Sealed,
        }
    }
}

/// A fault that carries nothing but the fact and the instant: the same for every slot, role and request.
pub fn sealed(release_at: Option<Timestamp>) -> Fault {
    use crate::domain::fault::Code;
    let fault = Fault::new(Code::PositionSealed, "the position is not released yet");
    match release_at {
        Some(at) => fault.with("release_at", at.to_string()),
        None => fault.with("release_at", serde_json::Value::Null),
    }
}
