//! `draw960 statistics`: whether chance explains what this server drew.

use super::{Outcome, Place, print};
use crate::{
    domain::{
        draw::Draw,
        statistics::{Drawn, statistics},
    },
    store::{OpenMode, Store, StoreError},
};
use clap::Args;

#[derive(Debug, Args)]
pub struct Count {
    #[command(flatten)]
    place: Place,
    /// As JSON, with the counts of all 960 numbers
    #[arg(long)]
    json: bool,
}

/// Works beside a running server, and only reads.
pub async fn count(command: Count) -> Outcome {
    let config = command.place.settings(None)?;
    let store = Store::open(&config.database(), OpenMode::Existing).await?;
    let drawn = drawn(&store).await;
    store.close().await;
    let statistics = statistics(&drawn?);
    print(&if command.json { serde_json::to_string_pretty(&statistics)? } else { statistics.to_string() })
}

/// What was ever released, in the order of the log, without rehearsals: those are drawn to be looked at and begun anew.
async fn drawn(store: &Store) -> Result<Vec<Drawn>, StoreError> {
    let (mut tx, mut before, mut released) = (store.read().await?, None, Vec::new());
    loop {
        let page = tx.tournaments(before, 100).await?;
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        for tournament in page.iter().filter(|tournament| !tournament.policy.rehearsal) {
            released.extend(tx.draws_of(tournament.id).await?.into_iter().filter(|draw| draw.release.is_some()));
        }
    }
    released.sort_by_key(|draw: &Draw| draw.release.as_ref().map(|release| release.entry));
    Ok(released.iter().filter_map(Drawn::of).collect())
}
