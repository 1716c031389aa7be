//! One running server: opens what the data folder holds, serves it, and stops in time.

mod accept;
mod connections;
mod lock;
mod places;
mod private;

use crate::{
    clock::SystemClock,
    config::Config,
    cosign, custody,
    desk::{Desk, FirstStart, KeyFile, Relays, StartError},
    domain::entry::ExportTo,
    entropy::OsEntropy,
    http::{self, AppState},
    ledger::Missing,
    relays, release,
    store::{OpenMode, Store},
    telemetry,
};
use axum::Router;
use connections::Limits;
pub use lock::DataLock;
use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::watch,
    time::{Instant, timeout_at},
};

/// Connections the kernel keeps waiting: a whole hall asks in the same second.
const BACKLOG: u32 = 4096;
/// A stop takes no longer, whoever is still connected.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// Of that, what is kept back for closing the database.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// How often the metrics tidy their buffers.
const UPKEEP: Duration = Duration::from_secs(5);

/// The open data folder.
pub struct Opened {
    /// The arbiter's desk.
    pub desk: Arc<Desk>,
    /// What the first start made, to be shown once.
    pub first: Option<FirstStart>,
    custody: Option<custody::Settings>,
    lock: DataLock,
}

/// Opens the data folder, alone: makes it on a first start unless `mode` forbids it.
///
/// # Errors
/// When another server uses the folder, or something in it is missing, damaged or not ours.
pub async fn open(config: &Config, mode: OpenMode, operator_token: Option<&str>) -> Result<Opened, StartError> {
    open_accepting(config, mode, operator_token, Missing::Refuse).await
}

/// Opens the data folder as [`open`] does; whether it may lack its high-water file is the operator's word.
///
/// # Errors
/// As [`open`].
pub async fn open_accepting(
    config: &Config,
    mode: OpenMode,
    operator_token: Option<&str>,
    missing: Missing,
) -> Result<Opened, StartError> {
    let custody = custody::Settings::of(config).map_err(StartError)?;
    if mode == OpenMode::Create {
        make_folder(config)?;
    }
    let lock = DataLock::take(&config.data)?;
    check_first(config)?;
    if mode == OpenMode::Create {
        private::make_database(config)?;
    }
    let store = Store::open(&config.database(), mode).await?;
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(OsEntropy));
    let key_file = KeyFile(config.key_file());
    let (mut desk, first) = Desk::open(store, clock, entropy, &key_file, &config.log_name, operator_token).await?;
    desk.relays = Relays::new(config.drand_relays.clone());
    private::warn_of_readable(config);
    if let Some(token) = operator_token.filter(|_| first.is_none()) {
        desk.accept_operator(token).await?;
    }
    desk.in_custody = custody.is_some();
    desk.begin(&config.data, missing).await?;
    if desk.in_custody && desk.ledger.writable().is_ok() {
        desk.log_exports(ExportTo::Copy).await?;
    }
    Ok(Opened { desk: Arc::new(desk), first, custody, lock })
}

/// A key without its database is no first start: the database was lost, or its disk is not there. (A first start that broke off
/// has made its database before its key.)
fn check_first(config: &Config) -> Result<(), StartError> {
    if config.database().exists() {
        return Ok(());
    }
    if config.data.join(custody::UNDER_WAY).exists() {
        let data = config.data.display();
        return Err(StartError(format!("a takeover into {data} was cut short: run draw960 takeover again")));
    }
    if !config.key_file().exists() {
        return Ok(());
    }
    let (database, key) = (config.database(), config.key_file());
    Err(StartError(format!(
        "there is no database at {}, but {} is the key of one: restore the database from your backup, or begin anew in \
         another folder",
        database.display(),
        key.display()
    )))
}

fn make_folder(config: &Config) -> Result<(), StartError> {
    let mut folder = std::fs::DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    let failed = |why| StartError(format!("the data folder {} cannot be made: {why}", config.data.display()));
    folder.create(&config.data).map_err(failed)
}

/// Listens on an address.
///
/// # Errors
/// When the address is taken or not ours.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop` completes, then finishes what is under way, within five seconds.
pub async fn run(config: &Config, opened: Opened, listener: TcpListener, stop: impl Future<Output = ()>) {
    let Opened { desk, custody, lock, .. } = opened;
    let (stopping, stopped) = watch::channel(false);
    let metrics = telemetry::metrics();
    let state = AppState { desk: Arc::clone(&desk), metrics: Arc::new(move || metrics.render()) };
    let relays = tokio::spawn(relays::run(Arc::clone(&desk), stopped.clone()));
    let release = tokio::spawn(release::run(Arc::clone(&desk), stopped.clone()));
    for asked in config.witnesses.iter().filter_map(|setting| cosign::Asked::new(setting).ok()) {
        tokio::spawn(cosign::run(Arc::clone(&desk), asked, stopped.clone()));
    }
    drop(stopped);
    let custody = custody.map(|set| custody::Task::start(Arc::clone(&desk), config.data.clone(), set));
    let upkeep = tokio::spawn(upkeep());
    let limits = Limits::of(config);

    let connections = accept::serve(listener, http::router(state), limits, stop).await;

    let deadline = Instant::now() + STOP_WITHIN;
    stopping.send_replace(true);
    upkeep.abort();
    connections.finish(deadline - CLOSE_WITHIN).await;
    // The task is between two transactions or finishing one; the database waits for that too.
    let _ = timeout_at(deadline, release).await;
    let _ = timeout_at(deadline, relays).await;
    // After all of them, so that the copy has what they did.
    if let Some(custody) = custody {
        custody.finish(deadline - CLOSE_WITHIN).await;
    }
    if timeout_at(deadline, desk.store.close()).await.is_err() {
        tracing::warn!("the database was still busy at the deadline; what was committed is safe");
    }
    drop(lock);
}

/// Takes a folder for this process alone, making it if it is missing.
///
/// # Errors
/// When it cannot be made or another process uses it.
pub fn take_folder(config: &Config) -> Result<DataLock, StartError> {
    make_folder(config)?;
    DataLock::take(&config.data)
}

/// Serves something without a desk, such as a witness, until `stop` completes.
pub async fn serve_alone(config: &Config, app: Router, listener: TcpListener, stop: impl Future<Output = ()>) {
    let connections = accept::serve(listener, app, Limits::of(config), stop).await;
    connections.finish(Instant::now() + STOP_WITHIN).await;
}

async fn upkeep() {
    let mut ticker = tokio::time::interval(UPKEEP);
    loop {
        ticker.tick().await;
        telemetry::metrics().run_upkeep();
    }
}
