//! `draw960 health`: the container's health check, without another program in the image.

use super::{Outcome, Place};
use crate::demo::client::Client;
use clap::Args;
use std::{net::SocketAddr, time::Duration};

#[derive(Debug, Args)]
pub struct Health {
    #[command(flatten)]
    place: Place,
    /// Address of the server [default: the one in the settings]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
}

/// Fails unless the server says that it is ready.
pub async fn health(command: Health) -> Outcome {
    let mut address = command.place.settings(command.listen)?.listen;
    if address.ip().is_unspecified() {
        // "On every address" is an address to listen on, not one to ask.
        address.set_ip(if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() });
    }
    let client = Client::new(address);
    let asked = client.get("/readyz");
    let answer = tokio::time::timeout(Duration::from_secs(4), asked).await.map_err(|_| "no answer within 4 s")??;
    if answer.status == 200 { Ok(()) } else { Err(format!("not ready: {} {}", answer.status, answer.text).into()) }
}
