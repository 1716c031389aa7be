//! One connection: HTTP/1.1 with a deadline for every request's head, and the connections as a whole.

use super::places::{Place, Places};
use crate::config::Config;
use axum::Router;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use std::{sync::Arc, time::Duration};
use tokio::{net::TcpStream, task::JoinSet, time::Instant};
use tower::ServiceExt;

/// Descriptors kept for the database, log and listener.
const RESERVED: usize = 64;

/// What connections may do.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Places for connections.
    pub places: Arc<Places>,
    /// How long a request's head may take to arrive, from the first moment of the connection, or since the last answer.
    pub head: Duration,
}

impl Limits {
    /// The limits that these settings ask for, as far as the operating system allows.
    pub fn of(config: &Config) -> Self {
        let asked = config.max_connections;
        let most = open_files().map_or(asked, |files| asked.min(files.saturating_sub(RESERVED).max(1)));
        if most < asked {
            tracing::warn!(asked, allowed = most, "fewer connections than asked: raise the limit of open files");
        }
        let places = Places::new(most, config.max_connections_per_address);
        Self { places, head: Duration::from_secs(10) }
    }
}

/// How many files this process may open, where the system says so.
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The connections that are open.
pub struct Connections {
    app: Router,
    http: http1::Builder,
    graceful: GracefulShutdown,
    tasks: JoinSet<()>,
}

impl Connections {
    /// None yet.
    pub fn new(app: Router, head: Duration) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(64 << 10);
        Self { app, http, graceful: GracefulShutdown::new(), tasks: JoinSet::new() }
    }

    /// Serves one more, in a task of its own.
    pub fn serve(&mut self, stream: TcpStream, place: Place) {
        let app = self.app.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| app.clone().oneshot(request));
        let connection = self.graceful.watch(self.http.serve_connection(TokioIo::new(stream), service));
        self.tasks.spawn(async move {
            // How a connection ends is the client's affair: it left, or it was too slow.
            if let Err(why) = connection.await {
                tracing::debug!(%why, "connection ended");
            }
            drop(place);
        });
    }

    /// Waits until one has ended.
    pub async fn one_ended(&mut self) {
        self.tasks.join_next().await;
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Lets every request under way have its answer; cuts what is left at the deadline.
    pub async fn finish(mut self, deadline: Instant) {
        let all = async {
            self.graceful.shutdown().await;
            while self.tasks.join_next().await.is_some() {}
        };
        if tokio::time::timeout_at(deadline, all).await.is_err() {
            tracing::warn!(connections = self.tasks.len(), "cut at the deadline");
            self.tasks.shutdown().await;
        }
    }
}
