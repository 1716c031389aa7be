//! The arbiter's desk: everything that changes a tournament, one act, one transaction.
//!
//! An act takes its turn at the one writer, reads the clock once, looks at the state as it then is, decides by the rules
//! of `domain`, writes rows and log entries together, commits, and only then lets the bulletin board show the change.
//! HTTP handlers, the release task and the demonstration all go through here; nothing else writes.

mod amend;
mod audit;
mod beacon;
mod decisions;
mod draws;
mod entropy;
mod error;
mod exports;
mod games;
mod guards;
mod kept;
mod measure;
mod pairings;
mod performed;
mod relays;
mod release;
mod replay;
mod round_games;
mod rounds;
mod server_log;
mod shift;
mod sources;
mod start;
mod succession;
mod throws;
mod tokens;
mod tournaments;
mod voids;

pub use amend::AmendRequest;
pub use beacon::{BeaconRequest, Wanted};
pub use decisions::{AnnulRequest, OverrideRequest};
pub use draws::OrderRequest;
pub use entropy::DiceRequest;
pub use games::{GameRequest, Recorded, ReplaceAs, counting, language};
pub use pairings::PairingsRequest;
pub use relays::{DEFAULT_RELAYS, Relays, Tried, url as relay_url};
pub use release::Released;
pub use replay::Replayed;
pub use round_games::{Outcome, RoundGames, check_count};
pub use rounds::{IfReleased, RoundRequest};
pub use shift::ShiftRequest;
pub use sources::procedure_named;
pub use start::{FirstStart, KeyFile, StartError, create_private};
pub use succession::Renamed;
pub use throws::{ThrowsRequest, throw_all};
pub use tokens::{NewToken, TokenRequest};
pub use tournaments::{CreateRequest, Created};
pub use voids::VoidRequest;

use crate::{
    bulletin::Bulletin,
    clock::Clock,
    domain::{
        derivation::Master,
        entry::{Entry, Event, salted_hash},
        fault::{Code, Fault},
        ids::{TokenId, TournamentId},
        role::Role,
        seal::SealKey,
    },
    entropy::Entropy,
    ledger::Ledger,
    store::{LeafSubject, Store, Tournament, Tx},
};
use jiff::Timestamp;
use std::{fmt::Write, sync::Arc};

/// Everything an act needs.
pub struct Desk {
    /// The database.
    pub store: Store,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub entropy: Arc<dyn Entropy>,
    /// Opens sealed secrets.
    pub key: SealKey,
    /// Name of the log.
    pub origin: String,
    /// The signed log.
    pub ledger: Arc<Ledger>,
    /// What the hall may read, in memory.
    pub bulletin: Bulletin,
    /// Where the beacon is fetched.
    pub relays: Relays,
    /// Whether everything goes to another place after every change, the masters of the tournaments too.
    pub in_custody: bool,
}

/// Who acts: a token, or the server itself.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The token; none for the server.
    pub token: Option<TokenId>,
    /// Its role.
    pub role: Role,
    /// The tournament it is bound to; none for operator and server.
    pub tournament: Option<TournamentId>,
    /// The board it is bound to, if any.
    pub board: Option<u16>,
    /// Whose it is, for people.
    pub label: String,
}

impl Actor {
    /// The server acting by itself.
    pub fn server() -> Self {
        Self { token: None, role: Role::Operator, tournament: None, board: None, label: "server".into() }
    }

    /// How the log names the actor.
    pub fn by(&self) -> String {
        self.token.map_or_else(|| "server".into(), |id| id.to_string())
    }

    /// Refuses a role that is not among `roles`.
    ///
    /// # Errors
    /// `role-not-allowed`.
    pub fn must_be(&self, roles: &[Role]) -> Result<(), Fault> {
        if roles.contains(&self.role) {
            return Ok(());
        }
        let names: Vec<_> = roles.iter().map(|role| role.as_str()).collect();
        let detail = format!("a token of role {} may not do this; it takes {}", self.role, names.join(" or "));
        Err(Fault::new(Code::RoleNotAllowed, detail))
    }

    /// Refuses a token that is bound to another tournament. The operator's is bound to none: what it may do in any of
    /// them, its tokens, is decided by role.
    ///
    /// # Errors
    /// `outside-token-scope`.
    pub fn must_belong_to(&self, tournament: TournamentId) -> Result<(), Fault> {
        match self.tournament {
            Some(own) if own != tournament => {
                Err(Fault::new(Code::OutsideTokenScope, "this token belongs to another tournament"))
            }
            _ => Ok(()),
        }
    }
}

/// An act under way in one tournament.
struct Act<'d> {
    desk: &'d Desk,
    tx: Tx,
    tournament: Tournament,
    now: Timestamp,
    by: String,
}

impl Desk {
    /// The tournament of this id or slug, for reading.
    ///
    /// # Errors
    /// `tournament-unknown`.
    pub async fn tournament(&self, tx: &mut Tx, id_or_slug: &str) -> Result<Tournament, Fault> {
        let unknown = || Fault::new(Code::TournamentUnknown, format!("there is no tournament {id_or_slug:?}"));
        tx.tournament(id_or_slug).await?.ok_or_else(unknown)
    }

    /// Begins an act: waits for the writer, then reads the clock and the tournament.
    async fn act(&self, id_or_slug: &str, actor: &Actor) -> Result<Act<'_>, Fault> {
        self.ledger.writable()?;
        let mut tx = self.store.write().await?;
        let tournament = self.tournament(&mut tx, id_or_slug).await?;
        actor.must_belong_to(tournament.id)?;
        Ok(Act { desk: self, tx, tournament, now: self.clock.now(), by: actor.by() })
    }

    /// Begins an act that an ended tournament does not allow.
    async fn act_in_open(&self, id_or_slug: &str, actor: &Actor) -> Result<Act<'_>, Fault> {
        let act = self.act(id_or_slug, actor).await?;
        act.must_be_open().map(|()| act)
    }

    /// `N` fresh random bytes as lower-case hex.
    fn chance_hex<const N: usize>(&self) -> Result<String, Fault> {
        Ok(hex(&self.entropy.bytes::<N>()?))
    }
}

impl Act<'_> {
    /// Appends an entry about the tournament to the log.
    async fn append(&mut self, body: &Event) -> Result<u64, Fault> {
        let slug = self.tournament.slug.clone();
        let entry = Entry::new(slug.as_str(), self.now.as_second(), &self.by, body);
        let subject = LeafSubject { tournament: Some(self.tournament.id), body };
        Ok(self.tx.append(&entry, subject).await?)
    }

    /// Keeps an arbiter's free text off the log, bound to it by a salted hash.
    async fn note(&mut self, about: u64, text: Option<&str>) -> Result<(), Fault> {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(()) };
        let salt = self.desk.chance_hex::<16>()?;
        let leaf = self.append(&Event::Note { about, hash: salted_hash(&salt, text).to_string() }).await?;
        Ok(self.tx.insert_note(leaf, about, &salt, text).await?)
    }

    fn must_be_open(&self) -> Result<(), Fault> {
        match &self.tournament.ended {
            None => Ok(()),
            Some((at, how)) => Err(Fault::new(Code::TournamentEnded, format!("the tournament was {how} at {at}"))),
        }
    }

    fn master(&self) -> Result<Master, Fault> {
        let purpose = master_purpose(&self.tournament.origin, self.tournament.slug.as_str());
        let bytes = self.desk.key.open(&purpose, &self.tournament.master_sealed);
        bytes.map(|bytes| Master::from_bytes(*bytes)).map_err(|why| Fault::internal(why.to_string()))
    }

    /// Makes the act durable, then shows it on the bulletin board.
    async fn finish(self) -> Result<(), Fault> {
        self.tx.commit().await?;
        self.desk.bulletin.refresh(&self.desk.store, self.tournament.id).await;
        Ok(())
    }
}

/// What a master is sealed for.
fn master_purpose(origin: &str, slug: &str) -> String {
    format!("draw960 master of {slug} at {origin}")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
