//! `draw960 token`: operator tokens, for whoever can read the data folder.

use super::{Outcome, Place, beside, print};
use crate::{
    config::Config,
    store::{OpenMode, Store, TokenRow},
};
use clap::Args;

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
    let desk = beside::open(config, store).await?;
    let token = desk.new_operator_token().await?;
    desk.store.close().await;
    print(&format!("New operator token; all earlier ones are taken back. It is shown only now:\n\n  {token}"))
}

fn list(tokens: &[TokenRow]) -> String {
    let line = |token: &TokenRow| {
        let state = token.revoked_at.map_or_else(|| "valid".into(), |at| format!("taken back {at}"));
        format!("{}  made {}  {state}", token.id, token.created_at)
    };
    tokens.iter().map(line).collect::<Vec<_>>().join("\n")
}
