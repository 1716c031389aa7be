//! The only reader of the time.

use jiff::{SignedDuration, Timestamp};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// Where the time comes from. Core and store take instants as values.
pub trait Clock: Send + Sync + 'static {
    /// The present instant, UTC.
    fn now(&self) -> Timestamp;
}

/// The operating system's wall clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that moves only by hand, for rehearsing a tournament's day in a test.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that stands at `start`.
    pub fn new(start: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(start.as_microsecond())))
    }

    /// Moves the clock, also backwards.
    pub fn advance(&self, by: SignedDuration) {
        self.0.fetch_add(by.as_micros() as i64, Ordering::SeqCst);
    }

    /// Sets the clock.
    pub fn set(&self, at: Timestamp) {
        self.0.store(at.as_microsecond(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}
