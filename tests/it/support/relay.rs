//! A relay of the beacon on this machine: answers what a test says.

use axum::{
    Router,
    http::{StatusCode, Uri},
};
use draw960::domain::beacon::QUICKNET;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// Two real rounds, recorded.
pub const ROUND_123: &str =
    "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92";
pub const ROUND_1000: &str =
    "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39";

/// A relay, and the paths it was asked for.
#[derive(Clone, Default)]
pub struct Relay {
    answers: Arc<Mutex<HashMap<u64, String>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

/// What a relay answers for a round.
pub fn answer(round: u64, signature: &str) -> String {
    format!(r#"{{"round":{round},"randomness":"{}","signature":"{signature}"}}"#, "00".repeat(32))
}

impl Relay {
    /// Starts it; answers it and its address.
    pub async fn start() -> (Self, String) {
        let relay = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = format!("http://{}", listener.local_addr().unwrap());
        let own = relay.clone();
        let app = Router::new().fallback(move |uri: Uri| {
            let own = own.clone();
            async move { own.answer(uri.path()) }
        });
        tokio::spawn(async move { axum::serve(listener, app).await });
        (relay, host)
    }

    /// From now on the round has this answer.
    pub fn gives(&self, round: u64, answer: String) {
        self.answers.lock().unwrap().insert(round, answer);
    }

    /// How often it was asked for a round.
    pub fn asked(&self, round: u64) -> usize {
        let path = format!("/{}/public/{round}", QUICKNET.hash);
        self.asked.lock().unwrap().iter().filter(|asked| **asked == path).count()
    }

    /// Every path it was asked for.
    pub fn paths(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn answer(&self, path: &str) -> (StatusCode, String) {
        self.asked.lock().unwrap().push(path.to_owned());
        let round = path.strip_prefix(&format!("/{}/public/", QUICKNET.hash)).and_then(|round| round.parse().ok());
        match round.and_then(|round: u64| self.answers.lock().unwrap().get(&round).cloned()) {
            Some(answer) => (StatusCode::OK, answer),
            None => (StatusCode::NOT_FOUND, "not yet".into()),
        }
    }
}
