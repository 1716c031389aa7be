//! `draw960 recover`: going on from a copy of the database that is older than what the server signed.

use super::{Outcome, Place, elsewhere, print, verify};
use crate::{
    config::Config,
    custody::Elsewhere,
    desk::{Renamed, Replayed},
    domain::{
        log::{Tree, leaf_hash},
        verify::Bundle,
    },
    ledger::{HighWater, Ledger, Missing},
    server::{self, Opened},
    store::OpenMode,
};
use clap::Args;
use std::{error::Error, fmt::Write};

#[derive(Debug, Args)]
#[group(id = "way", required = true, multiple = false, args = ["bundle", "new_origin"])]
pub struct Recover {
    #[command(flatten)]
    place: Place,
    /// Take up what a bundle of this log has: a file, or the http:// URL of a server, tournament or bundle
    #[arg(long, value_name = "BUNDLE|URL")]
    bundle: Option<String>,
    /// With the URL of a server: the slug of any of its tournaments
    #[arg(long, value_name = "SLUG", requires = "bundle")]
    slug: Option<String>,
    #[command(flatten)]
    elsewhere: elsewhere::Named,
    /// Go on without what came after the copy, under a new name of the log: voids every draw that waits for its release
    #[arg(long, conflicts_with_all = ["witness", "checkpoint"])]
    new_origin: bool,
}

/// Works on the folder of a server that is stopped.
pub async fn recover(command: Recover) -> Outcome {
    let config = command.place.settings(None)?;
    let done = match &command.bundle {
        Some(place) => {
            let bundle = verify::bundle(place, command.slug.as_deref()).await?;
            replay(&config, &bundle, &command.elsewhere.read()?).await?
        }
        None => rename(&config).await?,
    };
    print(&done)
}

async fn open(config: &Config, missing: Missing) -> Result<Opened, Box<dyn Error>> {
    Ok(server::open_accepting(config, OpenMode::Existing, None, missing).await?)
}

async fn close(opened: Opened) {
    opened.desk.store.close().await;
}

async fn replay(config: &Config, bundle: &Bundle, elsewhere: &Elsewhere) -> Result<String, Box<dyn Error>> {
    let opened = open(config, Missing::Refuse).await?;
    let tree: Tree = bundle.entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
    let root = |size| tree.root(size);
    elsewhere.check(opened.desk.ledger.keys(), &bundle.checkpoint, tree.size(), root).await?;
    let high_water = HighWater::in_folder(&config.data);
    let stands_in = high_water.read()?.is_none() && may_stand_in(bundle, &opened.desk.ledger);
    // The lost disk took the file with it. What the bundle shows is the newest that anybody knows; it is checked on the way.
    if stands_in {
        high_water.write(&bundle.checkpoint)?;
    }
    let outcome = opened.desk.replay(bundle, &config.data).await;
    close(opened).await;
    if outcome.is_err() && stands_in {
        high_water.remove()?;
    }
    let replayed = outcome?;
    signed(config).await?;
    let unproven = if stands_in && elsewhere.count() == 0 { nobody_knows(bundle.entries.len()) } else { String::new() };
    Ok(told(&replayed) + &unproven + "\nStart the server, and never the old one again.")
}

/// Whether the bundle is not behind this log, and its checkpoint is of it: another log's would stay in the way of the right bundle,
/// were the power to go before the replay.
fn may_stand_in(bundle: &Bundle, ledger: &Ledger) -> bool {
    let signed_here = bundle.checkpoint.parse().is_ok_and(|note| ledger.keys().open(&note).is_ok());
    signed_here && ledger.whole().0 <= bundle.entries.len() as u64
}

fn nobody_knows(entries: usize) -> String {
    format!(
        "\nThere was no draw960.highwater: whether the server signed more than the {entries} entries of the bundle cannot be\n\
         told here, and no witness was asked (--witness URL). Before the start, look at line 2 of each witness's ….checkpoint: if\n\
         the number there is higher, find a newer bundle and begin with the copy again."
    )
}

async fn rename(config: &Config) -> Result<String, Box<dyn Error>> {
    let opened = open(config, Missing::Refuse).await?;
    if opened.desk.ledger.writable().is_ok() {
        return Err(
            "this database is as new as draw960.highwater, so nothing is recovered. If that file is as old as the copy and the \
             server signed more, take the file away and give the command again"
                .into(),
        );
    }
    // What the former name signed is evidence, and says nothing about the new one. Out of the way first: cut short here, the
    // server stays read-only, and the command is given again.
    let high_water = HighWater::in_folder(&config.data);
    let aside = high_water.set_aside()?;
    let outcome = opened.desk.restore_under_new_name(&config.log_name).await;
    close(opened).await;
    if let (Err(_), Some(aside)) = (&outcome, aside) {
        high_water.put_back(&aside)?;
    }
    let renamed = outcome?;
    close(open(config, Missing::Accept).await?).await;
    Ok(told_renamed(&renamed) + "\nStart the server, and never the old one again.")
}

/// Opens the folder once more: the log is signed, or what still keeps it from that is said.
async fn signed(config: &Config) -> Outcome {
    let opened = open(config, Missing::Refuse).await?;
    let writable = opened.desk.ledger.writable();
    close(opened).await;
    writable.map_err(|fault| fault.detail.into())
}

/// What was replayed and what is lost.
pub(super) fn told(done: &Replayed) -> String {
    if done.replayed == 0 {
        return format!(
            "The database has {} entries, those of the bundle among them: nothing was to be replayed.",
            done.from
        );
    }
    let mut text = format!(
        "The copy had {} entries of the log; {} more were replayed. Draws that wait keep their numbers.",
        done.from, done.replayed
    );
    for slug in &done.lost {
        let _ = write!(
            text,
            "\nlost: tournament {slug} was created after the copy, and its secret is in no log. Create it anew under another slug."
        );
    }
    for ((slug, kind), count) in &done.without_content {
        let _ = write!(text, "\nlost: {count} x {kind} of {slug}, bound by hashes only. {}", again(kind));
    }
    for (slug, round, board) in &done.voided {
        let _ = write!(
            text,
            "\nvoided: {slug} round {round} board {board}, by hand: its throws are lost. Order and throw it again."
        );
    }
    text + "\nlost: tokens made after the copy (make new ones), labels of rounds, and whatever came after the bundle."
}

/// What brings the content of an entry back.
fn again(kind: &str) -> &'static str {
    match kind {
        "pairings" => "Upload them again.",
        "game" => "Submit the games again.",
        "override" => "Decide again once the games are there.",
        _ => "Write it again if it matters.",
    }
}

/// What going on under another name did.
pub(super) fn told_renamed(done: &Renamed) -> String {
    let mut text = format!(
        "The log goes on from {} entries under a new key. Print it in the regulations, beside the old one, and give it to \
         every witness:\n\n  old  {}\n  new  {}\n\n\
         Everything after those entries is lost, and verifiers are told so. Attempts up to {} are skipped in every slot.",
        done.size, done.old, done.new, done.skipped
    );
    for (slug, round, board) in &done.voided {
        let _ = write!(text, "\nvoided: {slug} round {round} board {board}: order it again.");
    }
    text
}
