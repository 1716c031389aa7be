//! The task that fetches beacon rounds: exactly the one that a draw names, from several relays, until one proves itself.
//!
//! It is apart from the task that releases, so that a slow relay never delays a release. Whatever a relay answers is
//! checked against the chain's key; a wrong answer changes nothing but the log of this server.
//!
//! Rounds that only voided draws had named are fetched too, beside the others and in no hurry: nothing waits for them.

use crate::{
    desk::{Desk, Relays, Tried, relay_url},
    domain::{
        beacon::{Beacon, QUICKNET},
        derivation::EntropyLine,
        fault::Fault,
        ids::TournamentId,
    },
};
use jiff::{SignedDuration, Timestamp};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};

/// How often it looks at what is awaited.
const TICK: Duration = Duration::from_secs(1);
/// A relay that takes longer is of no use.
const TIMEOUT: Duration = Duration::from_secs(4);
/// A relay's answer is some 300 bytes.
const ANSWER_LIMIT: u64 = 8192;
/// How long ahead of a beacon round the relays are tried.
const AHEAD: SignedDuration = SignedDuration::from_hours(1);
/// How often they are tried in that hour.
const TRY_EVERY: SignedDuration = SignedDuration::from_mins(10);
/// A round that every relay has: answering it proves that a relay works.
const KNOWN_ROUND: u64 = 1000;
/// Seconds between attempts at a round that is late, the last for all further ones.
const BACKOFF: [i64; 6] = [1, 2, 4, 8, 15, 30];

/// How often it looks at what was abandoned.
const SLOW_TICK: Duration = Duration::from_secs(60);
/// Seconds between attempts at a round that only voided draws named.
const SLOW_BACKOFF: [i64; 6] = [60, 120, 300, 600, 1800, 3600];

/// What the task remembers between two looks.
#[derive(Debug, Default)]
pub struct Memory {
    /// Failed attempts at a beacon round, and when the next is made.
    attempts: BTreeMap<Beacon, (usize, Timestamp)>,
    tried_at: Option<Timestamp>,
}

/// Which rounds are fetched.
#[derive(Clone, Copy)]
enum Kind {
    /// Those that live draws wait for.
    Awaited,
    /// Those that only voided draws had named.
    Abandoned,
}

/// Fetches what is awaited, and beside it what was abandoned, until `stop` says so.
pub async fn run(desk: Arc<Desk>, stop: watch::Receiver<bool>) {
    tokio::join!(look(&desk, Kind::Awaited, TICK, stop.clone()), look(&desk, Kind::Abandoned, SLOW_TICK, stop));
}

async fn look(desk: &Desk, kind: Kind, every: Duration, mut stop: watch::Receiver<bool>) {
    let mut ticker = interval(every);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut memory = Memory::default();
    loop {
        tokio::select! {
            _ = ticker.tick() => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        // A fetch under way is given up at a stop: the next start makes it again.
        tokio::select! {
            result = look_once(desk, kind, &mut memory) => if let Err(fault) = result {
                tracing::error!(problem = fault.code.as_str(), cause = fault.cause, "the beacon could not be taken");
            },
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

async fn look_once(desk: &Desk, kind: Kind, memory: &mut Memory) -> Result<(), Fault> {
    match kind {
        Kind::Awaited => pass(desk, memory).await,
        Kind::Abandoned => pass_abandoned(desk, memory).await,
    }
}

/// One look: fetches every awaited round whose time has come, and tries the relays an hour before the next.
///
/// # Errors
/// Of the database.
pub async fn pass(desk: &Desk, memory: &mut Memory) -> Result<(), Fault> {
    let awaited = desk.awaited_beacons().await?;
    memory.attempts.retain(|beacon, _| awaited.contains_key(beacon));
    for (beacon, tournaments) in &awaited {
        let Some(fires) = beacon.fires_at() else { continue };
        if desk.clock.now() < fires + SignedDuration::from_secs(1) {
            try_ahead(desk, memory, fires).await;
            continue;
        }
        fetch_for(desk, memory, *beacon, tournaments, &BACKOFF).await?;
    }
    Ok(())
}

/// One look at what was abandoned, with a memory of its own; nothing is asked for without relays.
///
/// # Errors
/// Of the database.
pub async fn pass_abandoned(desk: &Desk, memory: &mut Memory) -> Result<(), Fault> {
    // A read-only server would ask again and again for what it cannot take.
    if desk.relays.hosts().is_empty() || desk.ledger.writable().is_err() {
        return Ok(());
    }
    let abandoned = desk.abandoned_beacons().await?;
    memory.attempts.retain(|beacon, _| abandoned.contains_key(beacon));
    for (beacon, tournaments) in &abandoned {
        fetch_for(desk, memory, *beacon, tournaments, &SLOW_BACKOFF).await?;
    }
    Ok(())
}

async fn fetch_for(
    desk: &Desk,
    memory: &mut Memory,
    beacon: Beacon,
    tournaments: &[TournamentId],
    backoff: &[i64],
) -> Result<(), Fault> {
    let Some(line) = attempt(desk, memory, beacon, backoff).await else { return Ok(()) };
    for tournament in tournaments {
        desk.beacon_came(*tournament, beacon, line.clone()).await?;
    }
    Ok(())
}

/// Asks the relays for a round, unless the last failure is too fresh.
async fn attempt(desk: &Desk, memory: &mut Memory, beacon: Beacon, backoff: &[i64]) -> Option<EntropyLine> {
    let now = desk.clock.now();
    let (failures, next) = memory.attempts.get(&beacon).copied().unwrap_or((0, now));
    if now < next {
        return None;
    }
    let line = fetch(&desk.relays, beacon, now).await;
    match &line {
        Some(_) => tracing::info!(round = beacon.round, "the beacon came"),
        None => {
            let wait = SignedDuration::from_secs(backoff[failures.min(backoff.len() - 1)]);
            memory.attempts.insert(beacon, (failures + 1, now + wait));
            tracing::warn!(round = beacon.round, failures = failures + 1, "no relay gave the beacon round");
        }
    }
    line
}

/// Tries every relay with a round long past, while there is time to look for the network cable.
async fn try_ahead(desk: &Desk, memory: &mut Memory, fires: Timestamp) {
    let now = desk.clock.now();
    let fresh = memory.tried_at.is_some_and(|at| now.duration_since(at).abs() < TRY_EVERY);
    if fresh || fires.duration_since(now) > AHEAD {
        return;
    }
    memory.tried_at = Some(now);
    let known = Beacon { chain: &QUICKNET, round: KNOWN_ROUND };
    let mut asked = ask_all(&desk.relays, known);
    let mut working = 0;
    while let Some(Ok((host, answer))) = asked.join_next().await {
        working += usize::from(answer.is_ok());
        record(&desk.relays, &host, now, answer.map(|_| ()));
    }
    if working == 0 {
        tracing::warn!("no relay of the beacon can be reached: have its value pasted, or order with dice");
    }
}

/// The first answer that proves itself.
async fn fetch(relays: &Relays, beacon: Beacon, now: Timestamp) -> Option<EntropyLine> {
    let mut asked = ask_all(relays, beacon);
    while let Some(Ok((host, answer))) = asked.join_next().await {
        record(relays, &host, now, answer.as_ref().map(|_| ()).map_err(Clone::clone));
        if let Ok(line) = answer {
            return Some(line);
        }
    }
    None
}

fn record(relays: &Relays, host: &str, at: Timestamp, answer: Result<(), String>) {
    if let Err(why) = &answer {
        tracing::warn!(host, why, "a relay of the beacon failed");
    }
    relays.record(host, Tried { at, failure: answer.err() });
}

/// Asks every relay at the same time.
fn ask_all(relays: &Relays, beacon: Beacon) -> JoinSet<(String, Result<EntropyLine, String>)> {
    let mut asked = JoinSet::new();
    for host in relays.hosts().iter().cloned() {
        asked.spawn_blocking(move || {
            let answer = ask(&host, beacon);
            (host, answer)
        });
    }
    asked
}

fn ask(host: &str, beacon: Beacon) -> Result<EntropyLine, String> {
    let config = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).max_redirects(0).user_agent("draw960");
    let agent: ureq::Agent = config.build().into();
    let url = relay_url(host, beacon.chain.hash, beacon.round);
    // A cache on the way may have kept an answer from before the round fired.
    let answer = agent.get(&url).header("cache-control", "no-cache").call();
    let mut answer = answer.map_err(|why| why.to_string())?;
    let text = answer.body_mut().with_config().limit(ANSWER_LIMIT).read_to_string();
    let text = text.map_err(|why| why.to_string())?;
    beacon.accept_answer(&text).map_err(|why| why.to_string())
}
