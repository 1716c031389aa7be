//! What recomputes a draw: one shape wherever a draw is shown, the one that verifiers read.

use super::{
    derivation::{EntropyLine, Repeats, Source},
    draw::{Draw, Release},
    ids::DrawId,
    number_set::NumberSet,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Everything that recomputes the number, as far as it is public: `draw-derivation.md` has the recipe.
#[derive(Serialize, ToSchema)]
pub struct Evidence {
    #[schema(value_type = String)]
    id: DrawId,
    /// Origin of the log.
    origin: String,
    slot: EvidenceSlot,
    #[schema(value_type = Vec<String>)]
    sources: Vec<Source>,
    #[schema(value_type = Vec<u16>)]
    excluded: NumberSet,
    #[schema(value_type = String)]
    repeats: Repeats,
    commitment: String,
    /// Revealed by the release or the void.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// Log index of the order.
    order_entry: u64,
    #[serde(flatten)]
    outcome: Option<Outcome>,
}

/// What the draw serves: its round, or the first of its block; board 0 is all boards.
#[derive(Serialize, ToSchema)]
pub struct EvidenceSlot {
    /// Slug of the tournament.
    event: String,
    round: u16,
    board: u16,
    attempt: u16,
}

/// What exists from the release on.
#[derive(Serialize, ToSchema)]
pub struct Outcome {
    #[schema(value_type = Vec<String>)]
    entropy: Vec<EntropyLine>,
    #[schema(value_type = Vec<u16>)]
    used: NumberSet,
    /// Empty and left out for a draw by hand.
    #[serde(skip_serializing_if = "String::is_empty")]
    seed: String,
    /// The throws of a draw by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    throws: Option<String>,
    words_used: u32,
    /// Log index of the release.
    release_entry: u64,
    /// Shows the release in the signed log; null until the log is signed over it.
    receipt: Option<String>,
}

impl Evidence {
    /// The evidence of `draw`, of the tournament with this origin and slug.
    pub fn new(origin: &str, slug: &str, draw: &Draw, receipt: Option<&str>) -> Self {
        let released = draw.release.as_ref().map(|release| &release.secret);
        Self {
            id: draw.id,
            origin: origin.to_owned(),
            slot: EvidenceSlot { event: slug.to_owned(), round: draw.round, board: draw.board, attempt: draw.attempt },
            sources: draw.terms.sources.clone(),
            excluded: draw.terms.excluded.clone(),
            repeats: draw.terms.repeats,
            commitment: draw.commitment.clone(),
            secret: released.or(draw.void.as_ref().map(|void| &void.secret)).cloned(),
            order_entry: draw.entry,
            outcome: draw.release.as_ref().map(|release| Outcome::new(release, receipt)),
        }
    }
}

impl Outcome {
    fn new(release: &Release, receipt: Option<&str>) -> Self {
        Self {
            entropy: release.entropy.clone(),
            used: release.used.clone(),
            seed: release.seed.clone(),
            throws: release.throws.clone(),
            words_used: release.words_used,
            release_entry: release.entry,
            receipt: receipt.map(str::to_owned),
        }
    }
}
