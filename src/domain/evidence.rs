//! What recomputes a draw: one shape wherever a draw is shown, the one that verifiers read.

use super::{
    derivation::{EntropyLine, Repeats, Source},
    draw::Draw,
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
    /// What answered the sources; this and all that follows once released.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    entropy: Option<Vec<EntropyLine>>,
    /// Numbers skipped because they were released before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<u16>>)]
    used: Option<NumberSet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    /// The throws of a draw by hand, which has no seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    throws: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words_used: Option<u32>,
    /// Log index of the order.
    order_entry: u64,
    /// Log index of the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    release_entry: Option<u64>,
    /// Shows the release in the signed log; null until the log is signed over it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    receipt: Option<Option<String>>,
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

impl Evidence {
    /// The evidence of `draw`, of the tournament with this origin and slug.
    pub fn new(origin: &str, slug: &str, draw: &Draw, receipt: Option<&str>) -> Self {
        let release = draw.release.as_ref();
        let revealed = release.map(|release| &release.secret).or(draw.void.as_ref().map(|void| &void.secret));
        Self {
            id: draw.id,
            origin: origin.to_owned(),
            slot: EvidenceSlot { event: slug.to_owned(), round: draw.round, board: draw.board, attempt: draw.attempt },
            sources: draw.terms.sources.clone(),
            excluded: draw.terms.excluded.clone(),
            repeats: draw.terms.repeats,
            commitment: draw.commitment.clone(),
            secret: revealed.cloned(),
            entropy: release.map(|release| release.entropy.clone()),
            used: release.map(|release| release.used.clone()),
            seed: release.map(|release| release.seed.clone()).filter(|seed| !seed.is_empty()),
            throws: release.and_then(|release| release.throws.clone()),
            words_used: release.map(|release| release.words_used),
            order_entry: draw.entry,
            release_entry: release.map(|release| release.entry),
            receipt: release.map(|_| receipt.map(str::to_owned)),
        }
    }
}
