//! Creating, amending and ending a tournament.

use super::{Act, Actor, Desk, NewToken, master_purpose, pairings::check_text, rounds::RoundRequest};
use crate::{
    domain::{
        derivation::Master,
        draw::VoidReason,
        entry::{Event, ExportTo},
        fault::{Code, Fault},
        ids::{RoundNumber, Slug, TournamentId},
        policy::{Policy, PolicyPatch, Preset},
        role::Role,
        schedule::{self, Warning},
    },
    store::Tournament,
};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::json;
use std::collections::BTreeSet;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

/// A round of a tournament to be created.
#[derive(Clone, Debug)]
pub struct NumberedRound {
    /// Its number.
    pub number: u16,
    /// Its schedule; the fields stand beside the number.
    pub schedule: RoundRequest,
}

/// By hand, because the fields of the schedule stand beside the number.
impl PartialSchema for NumberedRound {
    fn schema() -> RefOr<Schema> {
        let mut schema = RoundRequest::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            object.properties.insert("number".into(), u16::schema());
            object.required.push("number".into());
        }
        schema
    }
}

impl ToSchema for NumberedRound {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        RoundRequest::schemas(schemas);
    }
}

/// By hand, because a flattened struct would let unknown fields pass.
impl<'de> Deserialize<'de> for NumberedRound {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let mut fields = serde_json::Map::deserialize(d)?;
        let number = fields.remove("number").ok_or_else(|| D::Error::missing_field("number"))?;
        let number = serde_json::from_value(number).map_err(D::Error::custom)?;
        let schedule = serde_json::from_value(fields.into()).map_err(D::Error::custom)?;
        Ok(Self { number, schedule })
    }
}

/// A tournament to be created.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "Kaunas Open", "slug": "kaunas-2026-open", "time_zone": "Europe/Vilnius",
    "policy": {"excluded": [518], "repeats": "never"}, "rounds": [{"number": 1, "starts_at": "2026-12-05T10:00"}]}))]
pub struct CreateRequest {
    /// Name for people.
    pub name: String,
    /// `[a-z0-9][a-z0-9-]{2,62}`, the one printed in the regulations; unique for ever.
    pub slug: String,
    /// IANA name of the hall's time zone.
    pub time_zone: String,
    /// Values to begin with.
    #[serde(default = "laws")]
    pub preset: Preset,
    /// Changes to the preset.
    #[serde(default)]
    pub policy: PolicyPatch,
    /// Rounds to schedule at once.
    #[serde(default)]
    pub rounds: Vec<NumberedRound>,
}

fn laws() -> Preset {
    Preset::Laws
}

/// A tournament just created.
#[derive(Clone, Debug)]
pub struct Created {
    /// Its id.
    pub id: TournamentId,
    /// Its tokens, shown once: arbiter, pairing, board, auditor.
    pub tokens: Vec<NewToken>,
    /// What looked like a mistake in the rounds, and was confirmed.
    pub warnings: Vec<(u16, Warning)>,
}

impl Desk {
    /// Creates a tournament, its master secret and its tokens, and schedules its rounds.
    ///
    /// # Errors
    /// `slug-taken` and whatever is wrong with policy or rounds; then nothing is created.
    pub async fn create_tournament(&self, actor: &Actor, request: &CreateRequest) -> Result<Created, Fault> {
        actor.must_be(&[Role::Operator])?;
        let (slug, policy) = check_new(request)?;
        self.ledger.writable()?;
        let mut tx = self.store.write().await?;
        if tx.tournament(slug.as_str()).await?.is_some() || tx.is_lost(&slug).await? {
            let detail = format!("the slug {slug} was taken before, and a slug is taken for ever");
            return Err(Fault::at(Code::SlugTaken, "/slug", detail));
        }
        let now = self.clock.now();
        let tournament = self.new_tournament(slug, request, policy, now)?;
        tx.insert_tournament(&tournament).await?;
        let mut act = Act { desk: self, tx, tournament, now, by: actor.by() };
        let created = act.open(request).await?;
        act.finish().await?;
        Ok(created)
    }

    fn new_tournament(
        &self,
        slug: Slug,
        request: &CreateRequest,
        policy: Policy,
        now: jiff::Timestamp,
    ) -> Result<Tournament, Fault> {
        let bytes = zeroize::Zeroizing::new(self.entropy.bytes::<32>()?);
        let purpose = master_purpose(&self.origin, slug.as_str());
        let master_sealed = self.key.seal(self.entropy.bytes()?, &purpose, &bytes);
        let master_commit = Master::from_bytes(*bytes).commitment(&self.origin, slug.as_str()).to_string();
        Ok(Tournament {
            id: TournamentId::new(now, self.entropy.bytes()?),
            slug,
            name: request.name.trim().to_owned(),
            time_zone: request.time_zone.clone(),
            policy,
            origin: self.origin.clone(),
            master_sealed,
            master_commit,
            created_at: now,
            ended: None,
        })
    }

    /// Ends a tournament before any release.
    ///
    /// # Errors
    /// `round-released` once a position was released: then it is closed, not cancelled.
    pub async fn cancel_tournament(&self, key: &str, actor: &Actor) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter])?;
        let mut act = self.act_in_open(key, actor).await?;
        if act.anything_released().await? {
            let detail = "a position was released: the tournament can be closed, not cancelled";
            return Err(Fault::new(Code::RoundReleased, detail));
        }
        for draw in act.waiting().await? {
            act.void(&draw, VoidReason::NotPlayed).await?;
        }
        act.end("cancelled").await
    }

    /// Ends a tournament and reveals its master, after which every secret can be checked against it.
    ///
    /// # Errors
    /// `draw-exists` while a draw is live and unreleased, with the list.
    pub async fn close_tournament(&self, key: &str, actor: &Actor) -> Result<(), Fault> {
        actor.must_be(&[Role::Arbiter])?;
        let mut act = self.act_in_open(key, actor).await?;
        let waiting = act.waiting().await?;
        if !waiting.is_empty() {
            let ids: Vec<_> = waiting.iter().map(|draw| draw.id).collect();
            let detail = "draws are live and unreleased: void them as not-played before closing";
            return Err(Fault::new(Code::DrawExists, detail).with("draws", json!(ids)));
        }
        act.end("closed").await
    }
}

fn check_new(request: &CreateRequest) -> Result<(Slug, Policy), Fault> {
    check_text(&request.name, "/name")?;
    let slug = request.slug.parse::<Slug>().map_err(|why| Fault::field("/slug", why.to_string()))?;
    schedule::zone(&request.time_zone, "/time_zone")?;
    let policy = Policy::preset(request.preset).with(request.policy.clone(), "/policy")?;
    if policy.rehearsal != slug.as_str().starts_with(Slug::REHEARSAL) {
        let why = "a rehearsal, and only a rehearsal, has a slug that begins with rehearsal-";
        return Err(Fault::field("/slug", why));
    }
    check_distinct(&request.rounds)?;
    Ok((slug, policy))
}

/// A round listed twice is taken for a slip, not for a move.
fn check_distinct(rounds: &[NumberedRound]) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    match rounds.iter().position(|round| !seen.insert(round.number)) {
        None => Ok(()),
        Some(i) => {
            let why = format!("round {} is listed twice", rounds[i].number);
            Err(Fault::field(format!("/rounds/{i}/number"), why))
        }
    }
}

impl Act<'_> {
    async fn open(&mut self, request: &CreateRequest) -> Result<Created, Fault> {
        let policy = self.tournament.policy.clone();
        let rehearsal = policy.rehearsal;
        let master_commit = self.tournament.master_commit.clone();
        self.append(&Event::Tournament { master_commit, policy, rehearsal }).await?;
        if self.desk.in_custody {
            self.append(&Event::Export { to: ExportTo::Copy }).await?;
        }
        let mut warnings = Vec::new();
        for (i, round) in request.rounds.iter().enumerate() {
            let at = format!("/rounds/{i}");
            let number = RoundNumber::try_from(round.number)
                .map_err(|why| Fault::field(format!("{at}/number"), why.to_string()))?;
            let found = self.schedule(number, Role::Arbiter, &round.schedule, &at).await?;
            warnings.extend(found.into_iter().map(|warning| (round.number, warning)));
        }
        let mut tokens = Vec::new();
        for role in [Role::Arbiter, Role::Pairing, Role::Board, Role::Auditor] {
            let token = self.desk.new_token(Some(self.tournament.id), role, role.as_str(), None, self.now)?;
            self.tx.insert_token(&token.row).await?;
            tokens.push(token);
        }
        Ok(Created { id: self.tournament.id, tokens, warnings })
    }

    pub(super) async fn anything_released(&mut self) -> Result<bool, Fault> {
        Ok(!self.tx.released_numbers(self.tournament.id).await?.is_empty())
    }

    async fn end(mut self, how: &str) -> Result<(), Fault> {
        let master = super::hex(self.master()?.reveal_bytes());
        self.append(&Event::Close { master }).await?;
        self.tournament.ended = Some((self.now, how.to_owned()));
        self.tx.update_tournament(&self.tournament).await?;
        self.finish().await
    }
}
