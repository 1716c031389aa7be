//! The relays that bring the beacon, and how each of them did when last asked.

use jiff::Timestamp;
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// Hosts of the League of Entropy, by more than one organisation.
pub const DEFAULT_RELAYS: [&str; 4] =
    ["https://api.drand.sh", "https://api2.drand.sh", "https://api3.drand.sh", "https://drand.cloudflare.com"];

/// The relays in use.
#[derive(Debug)]
pub struct Relays {
    hosts: Vec<String>,
    tried: Mutex<BTreeMap<String, Tried>>,
}

/// How a relay did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// When it was asked.
    pub at: Timestamp,
    /// Why it was of no use; none if it was.
    pub failure: Option<String>,
}

impl Default for Relays {
    fn default() -> Self {
        Self::new(DEFAULT_RELAYS.map(str::to_owned).into())
    }
}

impl Relays {
    /// These hosts, each as `https://` and a name.
    pub const fn new(hosts: Vec<String>) -> Self {
        Self { hosts, tried: Mutex::new(BTreeMap::new()) }
    }

    /// The hosts in the order in which they are listed.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Where each host has a beacon round: always exactly this one, never the latest.
    pub fn urls(&self, chain: &str, round: u64) -> Vec<String> {
        self.hosts.iter().map(|host| url(host, chain, round)).collect()
    }

    /// Remembers how a host did.
    pub fn record(&self, host: &str, tried: Tried) {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).insert(host.to_owned(), tried);
    }

    /// How each host did; none if it was not asked yet.
    pub fn report(&self) -> Vec<(String, Option<Tried>)> {
        let tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        self.hosts.iter().map(|host| (host.clone(), tried.get(host).cloned())).collect()
    }
}

/// Where a host has a beacon round.
pub fn url(host: &str, chain: &str, round: u64) -> String {
    format!("{}/{chain}/public/{round}", host.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_has_its_own_address_on_every_host() {
        let relays = Relays::new(vec!["https://a.example/".into(), "https://b.example".into()]);
        assert_eq!(
            relays.urls("52db", 123),
            ["https://a.example/52db/public/123", "https://b.example/52db/public/123"]
        );
    }

    #[test]
    fn the_last_trial_is_reported() {
        let relays = Relays::new(vec!["https://a.example".into(), "https://b.example".into()]);
        let tried = Tried { at: Timestamp::UNIX_EPOCH, failure: Some("no".into()) };
        relays.record("https://b.example", tried.clone());
        let report = [("https://a.example".to_owned(), None), ("https://b.example".to_owned(), Some(tried))];
        assert_eq!(relays.report(), report);
    }
}
