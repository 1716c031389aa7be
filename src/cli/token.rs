//! `draw960 token`: operator tokens, for whoever can read the data folder.

use super::{Outcome, Place, print};
use crate::{
    clock::SystemClock,
    config::Config,
    desk::{Desk, KeyFile},
    entropy::OsEntropy,
    store::{OpenMode, Store, TokenRow},
};
use clap::Args;
use std::{error::Error, sync::Arc};

#[derive(Debug, Args)]
pub struct Token {
    #[command(flatten)]
    place: Place,
    /// Only list the operator tokens there were and are, without their text
    #[arg(long)]
    list: bool,
}

/// Works beside a running server, which knows the new token at once.
pub async fn token(command: Token) -> Outcome {
    let config = command.place.settings(None)?;
    let store = Store::open(&config.database(), OpenMode::Existing).await?;
    if command.list {
        return print(&list(&store.read().await?.tokens(None).await?));
    }
    new(&config, store).await
}

async fn new(config: &Config, store: Store) -> Outcome {
    let desk = open(config, store).await?;
    let token = desk.new_operator_token().await?;
    desk.store.close().await;
    print(&format!("New operator token; all earlier ones are taken back. It is shown only now:\n\n  {token}"))
}

pub(super) async fn open(config: &Config, store: Store) -> Result<Desk, Box<dyn Error>> {
    if store.read().await?.server().await?.is_none() {
        return Err("the database was never served: start the server first".into());
    }
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(OsEntropy));
    let key_file = KeyFile(config.key_file());
    let (desk, _) = Desk::open(store, clock, entropy, &key_file, &config.log_name, None).await?;
    Ok(desk)
}

fn list(tokens: &[TokenRow]) -> String {
    let line = |token: &TokenRow| {
        let state = token.revoked_at.map_or_else(|| "valid".into(), |at| format!("taken back {at}"));
        format!("{}  made {}  {state}", token.id, token.created_at)
    };
    tokens.iter().map(line).collect::<Vec<_>>().join("\n")
}
