//! `draw960 serve`.

use super::{Outcome, Place, first_minute, print};
use crate::{config::Config, ledger::Missing, server, store::OpenMode, telemetry};
use clap::Args;
use std::{env, net::SocketAddr};

#[derive(Debug, Default, Args)]
pub struct Serve {
    #[command(flatten)]
    place: Place,
    /// Address and port [default: 127.0.0.1:9600]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Refuse to start where there is no database yet, instead of making one
    #[arg(long)]
    require_existing: bool,
    /// Go on although draw960.highwater is missing: only if this database is known to be the newest
    #[arg(long)]
    accept_missing_high_water: bool,
}

/// Opens the data folder, says how to begin, serves until a signal.
pub async fn serve(command: Serve) -> Outcome {
    let config = command.place.settings(command.listen)?;
    telemetry::start_log(&config);
    let stop = stop_signal()?;
    let mode = if command.require_existing { OpenMode::Existing } else { OpenMode::Create };
    let missing = if command.accept_missing_high_water { Missing::Accept } else { Missing::Refuse };
    let preset = operator_token()?;
    let opened = server::open_accepting(&config, mode, preset.as_deref(), missing).await?;
    let listener = server::bind(config.listen).map_err(|why| format!("cannot listen on {}: {why}", config.listen))?;
    print(&welcome(&config, listener.local_addr()?, &opened, preset.is_some()))?;
    server::run(&config, opened, listener, stop).await;
    Ok(())
}

fn welcome(config: &Config, address: SocketAddr, opened: &server::Opened, preset: bool) -> String {
    let how = match &opened.first {
        // Whoever chose the token knows it; it need not stand in a container's log.
        Some(_) if preset => first_minute::first(config, address, &opened.desk.ledger.vkey(), None),
        Some(made) => first_minute::first(config, address, &opened.desk.ledger.vkey(), Some(&made.operator_token)),
        None => first_minute::later(address, &opened.desk.origin),
    };
    let how = match config.custody_folder() {
        Some(folder) => {
            format!("{how}\n\nCustody: a copy for another machine goes to {} after every change.", folder.display())
        }
        None => how,
    };
    match opened.desk.ledger.writable() {
        Ok(()) => how,
        Err(why) => format!("{how}\n\nREAD-ONLY. {}", why.detail),
    }
}

/// Presets the operator token; too short a one would be guessed.
fn operator_token() -> Result<Option<String>, String> {
    match env::var("DRAW960_OPERATOR_TOKEN") {
        Ok(token) if token.len() >= 32 && token.bytes().all(|b| b.is_ascii_graphic()) => Ok(Some(token)),
        Ok(_) => Err("DRAW960_OPERATOR_TOKEN is at least 32 visible ASCII characters".into()),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(why) => Err(format!("DRAW960_OPERATOR_TOKEN: {why}")),
    }
}

/// Completes at the first SIGINT or SIGTERM; from now on these no longer kill.
#[cfg(unix)]
pub(super) fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping");
    })
}

/// Completes at Ctrl-C.
#[cfg(not(unix))]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
        tracing::info!("stopping");
    })
}
