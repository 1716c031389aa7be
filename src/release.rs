//! The one task that releases: every quarter of a second it compares the wall clock with what is due.
//!
//! It never sleeps until an instant: the machine may be suspended and its clock may be set meanwhile.

use crate::desk::Desk;
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::MissedTickBehavior};

/// How often it looks.
const TICK: Duration = Duration::from_millis(250);

/// Releases what is due until `stop` says so.
pub async fn run(desk: Arc<Desk>, mut stop: watch::Receiver<bool>) {
    let mut ticker = tokio::time::interval(TICK);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            _ = ticker.tick() => pass(&desk).await,
            () = said(&mut stop) => return,
        }
    }
}

/// Completes when `stop` says so, or nobody is left to say it.
async fn said(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// One look at what is due. A failure is logged and tried again at the next tick.
async fn pass(desk: &Desk) {
    desk.bulletin.retry(&desk.store).await;
    match desk.release_due().await {
        Ok(done) if done == Default::default() => {}
        Ok(done) => tracing::info!(draws = done.draws, overdue = done.overdue, "released"),
        Err(fault) => tracing::error!(problem = fault.code.as_str(), cause = fault.cause, "release failed"),
    }
}
