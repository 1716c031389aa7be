//! Asking witnesses: one task for each, in the background. Nothing waits for a witness, least of all a draw.

use crate::{
    desk::Desk,
    domain::{fault::Fault, log::WitnessKey},
    fetch,
};
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::MissedTickBehavior};

/// How often it looks whether there is something new to ask about.
const TICK: Duration = Duration::from_secs(1);
/// How long a witness may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// After failures it is asked every 2, 4, 8 … ticks, and at least this often.
const LONGEST_PAUSE: u32 = 64;

/// A witness that is asked.
pub struct Asked {
    url: String,
    key: Option<WitnessKey>,
    /// Entries that it has cosigned, as far as we know.
    old: u64,
    failures: u32,
    pause: u32,
}

impl Asked {
    /// The witness of a setting: its URL and, after a blank, its key. Without the key it is asked for it once.
    ///
    /// # Errors
    /// When there is no such URL or key.
    pub fn new(setting: &str) -> Result<Self, String> {
        let (url, key) = setting.split_once(' ').map_or((setting, None), |(url, key)| (url, Some(key)));
        fetch::split(url).map_err(|why| why.to_string())?;
        let key = key.map(|key| key.trim().parse()).transpose().map_err(|why| format!("{url}: {why}"))?;
        Ok(Self { url: url.trim_end_matches('/').to_owned(), key, old: 0, failures: 0, pause: 0 })
    }

    /// Asks for what is new, and keeps the cosignature. Answers whether something was cosigned.
    ///
    /// # Errors
    /// When the witness does not answer as it should.
    pub async fn ask(&mut self, desk: &Desk) -> Result<bool, Fault> {
        let key = self.key().await?;
        desk.ledger.note_witness(&self.url, Some(&key), 0, true);
        let Some((size, body)) = desk.ledger.request(self.old) else { return Ok(false) };
        let answer = self.post(body).await?;
        match (answer.status, answer.text.trim_end().parse::<u64>()) {
            (200, _) => {
                let line = answer.text.lines().next().unwrap_or_default();
                desk.ledger.take_cosignature(&desk.store, size, &key, line).await?;
                let before = std::mem::replace(&mut self.old, size);
                desk.ledger.note_witness(&self.url, Some(&key), size, true);
                show(desk, before, size).await?;
                Ok(true)
            }
            // It has seen more or less than we thought: from there on, at the next look.
            (409, Ok(old)) if old != self.old => {
                self.old = old;
                desk.ledger.note_seen(&self.url, old);
                if old > size {
                    tracing::error!(
                        url = self.url,
                        witness = old,
                        here = size,
                        "a witness has seen more of this log than the database has: it may be an older copy. Stop, see the manual: draw960 recover"
                    );
                }
                Ok(false)
            }
            (status, _) => {
                let hint =
                    if matches!(status, 403 | 404) { ": start it with --log and the log's present key" } else { "" };
                Err(unreachable(format!("{} answers {status}: {}{hint}", self.url, answer.text.trim_end())))
            }
        }
    }

    async fn post(&self, body: String) -> Result<fetch::Fetched, Fault> {
        let answer = fetch::post(&format!("{}/add-checkpoint", self.url), body, ANSWER_WITHIN).await;
        answer.map_err(|why| unreachable(why.to_string()))
    }

    async fn key(&mut self) -> Result<WitnessKey, Fault> {
        if let Some(key) = &self.key {
            return Ok(key.clone());
        }
        let said = fetch::get(&format!("{}/vkey", self.url), ANSWER_WITHIN).await;
        let said = said.map_err(|why| unreachable(why.to_string()))?;
        let key: WitnessKey =
            said.text.trim_end().parse().map_err(|why| unreachable(format!("{}: {why}", self.url)))?;
        tracing::info!(url = self.url, %key, "a witness said its key; print it in the regulations");
        self.key = Some(key.clone());
        Ok(key)
    }

    /// One look. After failures most looks are left out.
    async fn look(&mut self, desk: &Desk) {
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        match self.ask(desk).await {
            Ok(_) => self.failures = 0,
            Err(fault) => {
                desk.ledger.note_witness(&self.url, None, 0, false);
                if self.failures == 0 {
                    tracing::warn!(why = fault.detail, "a witness does not cosign; draws go on without it");
                }
                self.failures = self.failures.saturating_add(1);
                self.pause = 1_u32.checked_shl(self.failures).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE);
            }
        }
    }
}

fn unreachable(why: String) -> Fault {
    Fault::new(crate::domain::fault::Code::Unavailable, why)
}

/// Positions whose receipts are better now are shown with them.
async fn show(desk: &Desk, before: u64, size: u64) -> Result<(), Fault> {
    for tournament in desk.store.read().await?.released_between(before, size).await? {
        if let Ok(id) = tournament.parse() {
            desk.bulletin.refresh(&desk.store, id).await;
        }
    }
    Ok(())
}

/// Asks one witness until `stop` says so.
pub async fn run(desk: Arc<Desk>, mut asked: Asked, mut stop: watch::Receiver<bool>) {
    let mut ticker = tokio::time::interval(TICK);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticker.tick() => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        tokio::select! {
            () = asked.look(&desk) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}
