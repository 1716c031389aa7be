//! `draw960 witness`: cosigns the checkpoints of other machines' logs.

use super::{Outcome, print, serve::stop_signal};
use crate::{
    clock::SystemClock,
    config::Config,
    domain::log::LogKey,
    entropy::OsEntropy,
    server, telemetry,
    witness::{Witness, http, signer},
};
use clap::Args;
use std::{net::SocketAddr, path::PathBuf, sync::Arc};

#[derive(Debug, Args)]
pub struct Serve {
    /// Address and port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9601")]
    listen: SocketAddr,
    /// Folder of its key and of what it saw
    #[arg(long, value_name = "DIR", default_value = "witness")]
    data: PathBuf,
    /// Key of a log to witness, from its /api/v1/log/vkey; may be repeated
    #[arg(long, value_name = "VKEY", required = true)]
    log: Vec<LogKey>,
    /// Name of the witness, part of its key
    #[arg(long, default_value = "witness.local")]
    name: String,
}

/// Opens its folder, alone, and serves until a signal.
pub async fn serve(command: Serve) -> Outcome {
    let config = Config { data: command.data, listen: command.listen, ..Config::default() };
    telemetry::start_log(&config);
    let stop = stop_signal()?;
    let lock = server::take_folder(&config)?;
    let signer = signer(&config.data, &command.name, &OsEntropy)?;
    let witness = Arc::new(Witness::new(signer, command.log, config.data.clone(), Arc::new(SystemClock)));
    let listener = server::bind(config.listen).map_err(|why| format!("cannot listen on {}: {why}", config.listen))?;
    let address = listener.local_addr()?;
    print(&greeting(address, &witness.vkey().to_string()))?;
    server::serve_alone(&config, http::router(witness), listener, stop).await;
    drop(lock);
    Ok(())
}

fn greeting(address: SocketAddr, key: &str) -> String {
    // Nobody finds it at 0.0.0.0.
    let (place, own) = match address.ip().is_unspecified() {
        true => (format!("ADDRESS:{}", address.port()), ", with the ADDRESS of this machine"),
        false => (address.to_string(), ""),
    };
    format!(
        "draw960 witness: listening on http://{address}\n\nIts key, for the regulations and for draw960 verify --witness:\n\n  {key}\n\n\
         In the settings of the server{own}:\n\n  witnesses = [\"http://{place} {key}\"]"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_it_prints_reach_it_and_pin_its_key() {
        let said = greeting("192.168.1.20:9601".parse().unwrap(), "w+1+A");
        assert!(said.ends_with("witnesses = [\"http://192.168.1.20:9601 w+1+A\"]"), "{said}");
        let said = greeting("0.0.0.0:9601".parse().unwrap(), "w+1+A");
        assert!(said.contains("the ADDRESS of this machine") && said.contains("http://ADDRESS:9601 w+1+A"), "{said}");
    }
}
