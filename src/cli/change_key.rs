//! `draw960 change-key`: another key signs the log.

use super::{Outcome, Place, print};
use crate::{ledger::Missing, server, store::OpenMode};
use clap::Args;

#[derive(Debug, Args)]
pub struct ChangeKey {
    #[command(flatten)]
    place: Place,
}

/// Works on the folder of a server that is stopped. The old key signs who follows it, and is then kept nowhere.
pub async fn change_key(command: ChangeKey) -> Outcome {
    let config = command.place.settings(None)?;
    let open = || server::open_accepting(&config, OpenMode::Existing, None, Missing::Refuse);
    let opened = open().await?;
    let old = opened.desk.ledger.vkey();
    let outcome = opened.desk.change_log_key().await;
    opened.desk.store.close().await;
    drop(opened);
    let new = outcome?;
    // Once more, so that the new key has signed before the command ends.
    open().await?.desk.store.close().await;
    print(&format!(
        "Another key signs the log from now on, under the same name:\n\n  old  {old}\n  new  {new}\n\n\
         Print the new one in the regulations; whoever pinned the old one is led to it by every bundle. Start each witness \
         again with --log and the new key: it refuses the log until then. Backups made before hold the old key."
    ))
}
