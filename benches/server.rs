//! The server's two hot paths: a public position from memory through the whole router, and durable orders and releases.
//!
//! `order_and_release` makes two commits, each with exactly one fsync (`strace -f -c -e trace=fsync` shows it); read it as a
//! ratio to the disk's own flush time.

#![allow(clippy::unwrap_used, reason = "a bench that fails here says where")]

use axum::{Router, body::Body, http::Request};
use divan::Bencher;
use draw960::{
    clock::{Clock, ManualClock},
    desk::{Actor, CreateRequest, Desk, KeyFile, RoundRequest},
    domain::{ids::RoundNumber, role::Role},
    entropy::FixedEntropy,
    http::{AppState, router},
    store::{OpenMode, Store},
};
use jiff::SignedDuration;
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicU16, Ordering},
};
use tokio::runtime::Runtime;
use tower::ServiceExt;

struct Hall {
    runtime: Runtime,
    clock: ManualClock,
    desk: Arc<Desk>,
    arbiter: Actor,
    router: Router,
    next: AtomicU16,
    _folder: tempfile::TempDir,
}

fn main() {
    divan::main();
}

fn hall() -> Hall {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new("2026-12-05T06:00:00Z".parse().unwrap());
    let desk = runtime.block_on(async {
        let store = Store::open(&folder.path().join("draw960.db"), OpenMode::Create).await.unwrap();
        let (clock, entropy): (Arc<dyn Clock>, _) = (Arc::new(clock.clone()), Arc::new(FixedEntropy::new([1; 32])));
        let key = KeyFile(folder.path().join("draw960.key"));
        Arc::new(Desk::open(store, clock, entropy, &key, "bench", None).await.unwrap().0)
    });
    let request: CreateRequest = serde_json::from_value(json!({
        "name": "Bench", "slug": "rehearsal-bench", "time_zone": "UTC",
        "policy": {"rehearsal": true, "custom_lead": true, "lead_minutes": 0},
    }))
    .unwrap();
    let created = runtime.block_on(desk.create_tournament(&Actor::server(), &request)).unwrap();
    let arbiter = Actor { role: Role::Arbiter, tournament: Some(created.id), ..Actor::server() };
    let router = router(AppState { desk: Arc::clone(&desk), metrics: Arc::new(String::new) });
    Hall { runtime, clock, desk, arbiter, router, next: AtomicU16::new(1), _folder: folder }
}

impl Hall {
    /// Schedules the next round, which orders its draw, and releases it: two commits.
    fn order_and_release(&self) {
        let number = RoundNumber::try_from(self.next.fetch_add(1, Ordering::Relaxed)).unwrap();
        let starts_at = self.clock.now() + SignedDuration::from_secs(1);
        let request = RoundRequest { starts_at: Some(Some(starts_at.to_string())), ..RoundRequest::default() };
        self.runtime.block_on(async {
            self.desk.put_round("rehearsal-bench", number, &self.arbiter, &request).await.unwrap();
            self.clock.advance(SignedDuration::from_secs(1));
            assert_eq!(self.desk.release_due().await.unwrap().draws, 1);
        });
    }
}

#[divan::bench]
fn get_released_position(bencher: Bencher) {
    let hall = hall();
    hall.order_and_release();
    let path = "/api/v1/tournaments/rehearsal-bench/rounds/1/position";
    bencher.bench(|| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = hall.runtime.block_on(hall.router.clone().oneshot(request)).unwrap();
        assert_eq!(response.status(), 200);
    });
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn order_and_release(bencher: Bencher) {
    let hall = hall();
    bencher.bench(|| hall.order_and_release());
}
