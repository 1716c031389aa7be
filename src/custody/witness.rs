//! Asking a witness how much of the log it has seen (c2sp.org/tlog-witness), before another machine goes on from a copy.

use super::elsewhere::{another_history, must_not_miss};
use crate::{
    domain::log::{AddCheckpoint, Checkpoint, SignatureLine, SignedNote},
    fetch,
};
use std::time::Duration;

/// How long a witness may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Shows the witness at this address the checkpoint of the copy, which has `size` entries; it answers with its own size when that
/// is another.
///
/// # Errors
/// When it has seen more, or something else, or cannot say.
pub async fn ask(url: &str, kept: &str, size: u64) -> Result<(), String> {
    let name = format!("the witness {url}");
    let unclear = |why: &dyn std::fmt::Display| {
        format!(
            "{name} does not say how much it has seen: {why}. If it cannot be reached, leave it out: then nobody says whether the copy \
             is the newest state. Nothing was changed"
        )
    };
    let checkpoint: SignedNote = kept.parse().map_err(|why| unclear(&why))?;
    let old = checkpoint.text().parse::<Checkpoint>().map_err(|why| unclear(&why))?.size;
    let body = AddCheckpoint { old, proof: Vec::new(), checkpoint }.to_string();
    let answer = fetch::post(&format!("{}/add-checkpoint", url.trim_end_matches('/')), body, ANSWER_WITHIN).await;
    let answer = answer.map_err(|why| unclear(&why))?;
    match (answer.status, answer.text.trim_end().parse::<u64>()) {
        (200, _) if is_cosigned(&answer.text) => Ok(()),
        // A portal of the network, or another server at this address: nobody has looked at the checkpoint.
        (200, _) => Err(unclear(&"what it answers is no cosignature")),
        // As many entries, and not these.
        (409, Ok(seen)) if seen == old => Err(another_history(&name)),
        (409, Ok(seen)) => must_not_miss(&name, size, seen),
        (422, _) => Err(another_history(&name)),
        (status, _) => Err(unclear(&format!("it answers {status}: {}", answer.text.trim_end()))),
    }
}

/// Whether an answer is signature lines, as a witness's is. Nobody has its key here: whether they are its own cannot be told.
fn is_cosigned(answer: &str) -> bool {
    !answer.is_empty() && answer.lines().all(|line| line.parse::<SignatureLine>().is_ok())
}
