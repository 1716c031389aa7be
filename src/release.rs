//! The one task that releases: every quarter of a second it compares the wall clock with what is due.
//!
//! It never sleeps until an instant: the machine may be suspended and its clock may be set meanwhile.

use crate::desk::{Desk, Released};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::watch, time::MissedTickBehavior};

/// How often it looks.
const TICK: Duration = Duration::from_millis(250);
/// How often it takes up what a command beside the server wrote to the log, so that it is signed soon.
const TAKE_UP: Duration = Duration::from_secs(10);

/// Releases what is due until `stop` says so.
pub async fn run(desk: Arc<Desk>, mut stop: watch::Receiver<bool>) {
    let mut ticker = tokio::time::interval(TICK);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut others = tokio::time::interval(TAKE_UP);
    others.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticker.tick() => guarded(&desk).await,
            // In a task of its own: no release waits for the disk that takes the checkpoint.
            _ = others.tick() => drop(tokio::spawn(take_up(Arc::clone(&desk)))),
            () = said(&mut stop) => return,
        }
    }
}

async fn take_up(desk: Arc<Desk>) {
    if let Err(fault) = desk.ledger.publish(&desk.store).await {
        tracing::error!(problem = fault.code.as_str(), cause = fault.cause, "the log could not be signed");
    }
}

/// Completes when `stop` says so, or nobody is left to say it.
async fn said(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// A pass in a task of its own: whatever breaks in one, the next one comes.
async fn guarded(desk: &Arc<Desk>) {
    let desk = Arc::clone(desk);
    if let Err(why) = tokio::spawn(async move { pass(&desk).await }).await {
        metrics::counter!("d960_release_failures_total").increment(1);
        tracing::error!(%why, "release broke off");
    }
}

/// One look at what is due. A failure is logged and tried again at the next tick.
async fn pass(desk: &Desk) {
    let began = Instant::now();
    desk.bulletin.retry(&desk.store).await;
    match desk.release_due().await {
        Ok(done) => {
            metrics::gauge!("d960_release_last_pass_seconds").set(desk.clock.now().as_second() as f64);
            if done != Released::default() {
                write_down(done, began.elapsed());
            }
        }
        Err(fault) => {
            metrics::counter!("d960_release_failures_total").increment(1);
            tracing::error!(problem = fault.code.as_str(), cause = fault.cause, "release failed");
        }
    }
}

/// What was due before the pass waited for it, and through it.
fn write_down(done: Released, pass: Duration) {
    let lag = done.waited.as_secs_f64() + pass.as_secs_f64();
    tracing::info!(draws = done.draws, overdue = done.overdue, lag, "released");
    metrics::counter!("d960_releases_total").increment(done.draws as u64);
    metrics::counter!("d960_overdue_total").increment(done.overdue as u64);
    metrics::gauge!("d960_release_lag_seconds").set(lag);
}
