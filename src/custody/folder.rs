//! A fresh custody file in another place, such as a memory stick, after every change.
//!
//! The place may be missing, full, read-only or pulled out at any moment: nothing waits for it, and what could not be copied is
//! tried again. Copying is no change, so one copy never asks for the next.

use super::{Placed, Plain, Settings};
use crate::{
    desk::{Desk, KeyFile},
    domain::custody::{Contents, Costs, CustodyKey},
    ledger::HighWater,
    store::Copier,
};
use std::{fmt::Display, path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    task::{JoinHandle, spawn_blocking},
    time::{Instant, MissedTickBehavior, interval, timeout_at},
};

/// How often it looks whether something changed: what happened longer ago than this and the copying takes is safe.
const TICK: Duration = Duration::from_secs(3);
/// After failures it leaves out 1, then 2 looks, and never more: a stick that comes back is used within some seconds.
const LONGEST_PAUSE: u32 = 2;

/// Keeps the copy in the folder up to date.
pub struct Keeper {
    data: PathBuf,
    placed: Arc<Placed>,
    copier: Option<Copier>,
    copied: Option<i64>,
    failures: u32,
    pause: u32,
}

impl Keeper {
    /// Begins with the data folder and what is set; makes the key, once, at these costs.
    ///
    /// # Errors
    /// When the machine has no chance or no memory.
    pub async fn begin(desk: &Desk, data: PathBuf, settings: Settings, costs: Costs) -> Result<Self, String> {
        let salt = desk.entropy.bytes().map_err(said)?;
        let log = desk.ledger.keys().newest().clone();
        let derive = move || {
            let key = CustodyKey::derive(&settings.passphrase, costs, salt).map_err(said)?;
            Ok::<_, String>(Arc::new(Placed::new(settings, key, log)))
        };
        let placed = spawn_blocking(derive).await.map_err(said)??;
        Ok(Self { data, placed, copier: None, copied: None, failures: 0, pause: 0 })
    }

    /// Copies if anything was committed since the last copy, or the copy is not where it was put. Answers whether it did.
    ///
    /// # Errors
    /// Why there is no copy of the newest state.
    pub async fn copy_if_changed(&mut self, desk: &Desk) -> Result<bool, String> {
        // A database behind what was signed must not take the place of a good copy.
        if desk.ledger.writable().is_err() {
            return Ok(false);
        }
        let result = self.try_copy(desk).await;
        if result.is_err() {
            // Of its own accord a connection that failed does not recover.
            self.copier = None;
            self.copied = None;
        }
        result
    }

    async fn try_copy(&mut self, desk: &Desk) -> Result<bool, String> {
        // Asked before the copy: what is committed meanwhile is seen at the next look.
        let version = self.copier().await?.version().await.map_err(said)?;
        let placed = Arc::clone(&self.placed);
        if self.copied == Some(version) && spawn_blocking(move || placed.is_there()).await.map_err(said)? {
            return Ok(false);
        }
        self.copy(desk).await?;
        self.copied = Some(version);
        metrics::gauge!("d960_custody_last_copy_seconds").set(desk.clock.now().as_second() as f64);
        Ok(true)
    }

    async fn copy(&mut self, desk: &Desk) -> Result<(), String> {
        let (placed, ledger) = (Arc::clone(&self.placed), Arc::clone(&desk.ledger));
        spawn_blocking(move || placed.may_take(&ledger)).await.map_err(said)??;
        // Before the database: the copy must not be behind what was signed.
        let contents = self.contents()?;
        let plain = Plain::take_over(self.data.join("draw960.custody-copy")).map_err(said)?;
        let path = plain.path().to_str().ok_or("the name of the data folder is not valid text")?.to_owned();
        self.copier().await?.copy(&path).await.map_err(said)?;
        let (placed, nonce) = (Arc::clone(&self.placed), desk.entropy.bytes().map_err(said)?);
        spawn_blocking(move || placed.take(plain.path(), nonce, &contents)).await.map_err(said)?
    }

    fn contents(&self) -> Result<Contents, String> {
        let checkpoint = HighWater::in_folder(&self.data).read().map_err(said)?;
        let checkpoint = checkpoint.ok_or("draw960.highwater is missing")?;
        let key = KeyFile(self.data.join("draw960.key")).bytes().map_err(said)?;
        Ok(Contents { key, checkpoint })
    }

    async fn copier(&mut self) -> Result<&mut Copier, String> {
        let copier = match self.copier.take() {
            Some(copier) => copier,
            None => Copier::open(&self.data.join("draw960.db")).await.map_err(said)?,
        };
        Ok(self.copier.insert(copier))
    }

    /// One look. After failures some looks are left out.
    async fn look(&mut self, desk: &Desk) {
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        let result = self.copy_if_changed(desk).await;
        let current = result.is_ok() && desk.ledger.writable().is_ok();
        metrics::gauge!("d960_custody_current").set(if current { 1.0 } else { 0.0 });
        match result {
            Ok(_) if self.failures > 0 => {
                tracing::info!("the custody folder has a copy of the newest state again");
                self.failures = 0;
            }
            Ok(_) => {}
            Err(why) => self.note_failure(&why),
        }
    }

    fn note_failure(&mut self, why: &str) {
        metrics::counter!("d960_custody_failures_total").increment(1);
        if self.failures == 0 {
            tracing::warn!(why, "no copy goes to the custody folder; draws go on, and it is tried again and again");
        }
        self.failures = self.failures.saturating_add(1);
        self.pause = self.failures.min(LONGEST_PAUSE);
    }
}

fn said(why: impl Display) -> String {
    why.to_string()
}

/// The task of a server.
pub struct Task {
    stop: watch::Sender<bool>,
    handle: JoinHandle<()>,
}

impl Task {
    /// Begins to keep the folder of the settings up to date.
    pub fn start(desk: Arc<Desk>, data: PathBuf, settings: Settings) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, handle: tokio::spawn(run(desk, data, settings, stopped)) }
    }

    /// Brings what was changed last. A stick that does not answer is given up at the deadline.
    pub async fn finish(self, deadline: Instant) {
        self.stop.send_replace(true);
        if timeout_at(deadline, self.handle).await.is_err() {
            tracing::warn!("the custody folder did not answer in time; what was changed last may not be there");
        }
    }
}

async fn run(desk: Arc<Desk>, data: PathBuf, settings: Settings, mut stop: watch::Receiver<bool>) {
    let mut keeper = match Keeper::begin(&desk, data, settings, Costs::RECOMMENDED).await {
        Ok(keeper) => keeper,
        Err(why) => return tracing::error!(why, "no copy will go to the custody folder until the next start"),
    };
    let mut ticker = interval(TICK);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticker.tick() => {}
            _ = stop.wait_for(|stop| *stop) => break,
        }
        keeper.look(&desk).await;
    }
    keeper.pause = 0;
    keeper.look(&desk).await;
    if let Some(copier) = keeper.copier {
        copier.close().await;
    }
}
