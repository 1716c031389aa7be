//! A witness on this machine.

use draw960::{
    clock::ManualClock,
    config::Config,
    domain::log::LogKey,
    entropy::FixedEntropy,
    fetch, server,
    witness::{Witness, http, signer},
};
use std::{path::Path, sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// How long it may take.
pub const WITHIN: Duration = Duration::from_secs(5);

/// A witness that runs until it is dropped.
pub struct Running {
    pub url: String,
    pub vkey: String,
    _stop: oneshot::Sender<()>,
}

impl Running {
    /// Starts it: it knows these logs, and has this clock.
    pub fn start(folder: &Path, logs: Vec<LogKey>, clock: ManualClock) -> Self {
        let signer = signer(folder, "deputy.example", &FixedEntropy::new([4; 32])).unwrap();
        let witness = Arc::new(Witness::new(signer, logs, folder.to_owned(), Arc::new(clock)));
        let listener = server::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let (url, vkey) = (format!("http://{}", listener.local_addr().unwrap()), witness.vkey());
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            server::serve_alone(&Config::default(), http::router(witness), listener, stopped).await;
        });
        Self { url, vkey, _stop: stop }
    }

    /// Asks it to cosign.
    pub async fn add(&self, body: &str) -> (u16, String) {
        let answer = fetch::post(&format!("{}/add-checkpoint", self.url), body.to_owned(), WITHIN).await.unwrap();
        (answer.status, answer.text)
    }
}
