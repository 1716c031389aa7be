//! How a draw is shown: state, evidence, release and void.

use super::{answer::whole, state::AppState};
use crate::{
    domain::{
        bracket::Bracket,
        derivation::{EntropyLine, Repeats, Source},
        draw::{Draw, DrawState, Grade, VoidReason},
        evidence::Evidence,
        ids::DrawId,
        number_set::NumberSet,
        position_number::PositionNumber,
        start_position::StartPosition,
    },
    ledger::Ledger,
    store::Tournament,
};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// One attempt: what became of it.
#[derive(Serialize, ToSchema)]
pub struct DrawView {
    #[schema(value_type = String)]
    pub(super) id: DrawId,
    pub(super) round: u16,
    pub(super) board: u16,
    pub(super) attempt: u16,
    /// First round of a block that this attempt serves.
    pub(super) serves_from: u16,
    pub(super) state: DrawState,
    pub(super) grade: Grade,
    #[schema(value_type = Vec<String>)]
    pub(super) sources: Vec<Source>,
    #[schema(value_type = Vec<u16>)]
    pub(super) excluded: NumberSet,
    #[schema(value_type = String)]
    pub(super) repeats: Repeats,
    pub(super) commitment: String,
    /// Whether a checkpoint held elsewhere has the order and is older than its entropy; else the draw is unwitnessed.
    pub(super) witnessed: bool,
    #[schema(value_type = String)]
    pub(super) ordered_at: Timestamp,
    pub(super) ordered_by: String,
    /// Log index of the order.
    pub(super) entry: u64,
    /// Which times of the order are proven.
    pub(super) bracket: Bracket,
    /// Since when somebody could know the outcome, namely the holder of the master: with local entropy from the creation
    /// of the tournament on, with dice from the throw on, with a beacon from its time on; null while the throw is to come.
    #[schema(value_type = Option<String>)]
    pub(super) knowable_since: Option<Timestamp>,
    /// When the master left the server, if it did before the release: since then the holder of the exported secret could
    /// know what the operator could know.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) master_exported_at: Option<Timestamp>,
    /// When the server was restored from an older copy, if it was before the release: what its log had lost by then cannot be
    /// told, and may concern this slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) log_restored_at: Option<Timestamp>,
    /// What the draw waited for is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arrived: Option<ArrivedView>,
    /// Made by hand at this time, and recorded afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) performed_at: Option<Timestamp>,
    /// By how many minutes it was recorded afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded_minutes_later: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) release: Option<ReleaseView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) void: Option<VoidView>,
}

/// That the entropy of a draw is there.
#[derive(Serialize, ToSchema)]
pub struct ArrivedView {
    #[schema(value_type = String)]
    arrived_at: Timestamp,
    /// Log index of the arrival.
    entry: u64,
    /// Which times of the arrival are proven.
    bracket: Bracket,
}

/// What is public from the release on.
#[derive(Serialize, ToSchema)]
pub struct ReleaseView {
    #[schema(value_type = String)]
    pub(super) released_at: Timestamp,
    pub(super) released_by: String,
    pub(super) number: u16,
    pub(super) rank: String,
    pub(super) fen: String,
    pub(super) secret: String,
    #[schema(value_type = Vec<String>)]
    pub(super) entropy: Vec<EntropyLine>,
    #[schema(value_type = Vec<u16>)]
    pub(super) used: NumberSet,
    /// None for a draw by hand.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) seed: String,
    /// The throws of a draw by hand, the rejected ones too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) throws: Option<String>,
    pub(super) words_used: u32,
    /// Seconds between `knowable_since` and the release.
    pub(super) knowable_for_s: Option<i64>,
    pub(super) entry: u64,
    /// Which times of the release are proven.
    pub(super) bracket: Bracket,
}

/// The end of an attempt that does not count.
#[derive(Serialize, ToSchema)]
pub struct VoidView {
    #[schema(value_type = String)]
    pub(super) voided_at: Timestamp,
    pub(super) voided_by: String,
    pub(super) reason: VoidReason,
    /// Whether the outcome could be known by somebody then.
    pub(super) knowable: bool,
    pub(super) from_round: u16,
    /// Whether that round had started: its games stay judged by this draw.
    pub(super) after_start: bool,
    /// The round moved before its beacon round fired, and was ordered again for another: a rescheduling, not a redraw.
    pub(super) rescheduled: bool,
    /// What the draw would have given, once its beacon is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) abandoned_number: Option<u16>,
    pub(super) secret: String,
    pub(super) entry: u64,
    /// Which times of the void are proven.
    pub(super) bracket: Bracket,
}

/// One attempt with everything that recomputes it, as `tools/verify_draw.py` reads it.
#[derive(Serialize, ToSchema)]
pub struct DrawDocument {
    #[serde(flatten)]
    pub(super) view: DrawView,
    /// Position number, once released.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) number: Option<u16>,
    /// White's back rank, once released.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rank: Option<String>,
    /// X-FEN, once released.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fen: Option<String>,
    /// In the shape of a position document.
    pub(super) draw: Evidence,
}

impl DrawDocument {
    /// The attempt of a tournament.
    pub fn new(state: &AppState, tournament: &Tournament, draw: &Draw) -> Self {
        let view = DrawView::new(draw, tournament.created_at, &state.desk.ledger);
        let receipt = draw.release.as_ref().and_then(|release| state.desk.ledger.receipt(release.entry));
        Self {
            number: view.release.as_ref().map(|release| release.number),
            rank: view.release.as_ref().map(|release| release.rank.clone()),
            fen: view.release.as_ref().map(|release| release.fen.clone()),
            draw: Evidence::new(&tournament.origin, tournament.slug.as_str(), draw, receipt.as_deref()),
            view,
        }
    }
}

impl DrawView {
    /// What everybody may read of a draw; `master_made_at`: when the tournament was created.
    pub fn new(draw: &Draw, master_made_at: Timestamp, ledger: &Ledger) -> Self {
        let knowable_since = draw.knowable_since(master_made_at);
        let bracket = |entry: u64, at: Timestamp| ledger.bracket(entry, whole(at));
        let arrived = draw.arrived.as_ref();
        let release = draw.release.as_ref().map(|release| {
            let start = StartPosition::from_number(release.number);
            ReleaseView {
                released_at: whole(release.at),
                released_by: release.by.clone(),
                number: release.number.get(),
                rank: start.rank().to_owned(),
                fen: start.fen(),
                secret: release.secret.clone(),
                entropy: release.entropy.clone(),
                used: release.used.clone(),
                seed: release.seed.clone(),
                throws: release.throws.clone(),
                words_used: release.words_used,
                knowable_for_s: knowable_since.map(|since| release.at.as_second() - since.as_second()),
                entry: release.entry,
                bracket: bracket(release.entry, release.at),
            }
        });
        let void = draw.void.as_ref().map(|void| VoidView {
            voided_at: whole(void.at),
            voided_by: void.by.clone(),
            reason: void.reason,
            knowable: void.knowable,
            from_round: void.from_round,
            after_start: void.after_start,
            rescheduled: void.reason == VoidReason::Moved && !void.knowable,
            abandoned_number: void.abandoned.map(PositionNumber::get),
            secret: void.secret.clone(),
            entry: void.entry,
            bracket: bracket(void.entry, void.at),
        });
        Self {
            id: draw.id,
            round: draw.round,
            board: draw.board,
            attempt: draw.attempt,
            serves_from: draw.serves_from,
            state: draw.state(),
            grade: draw.grade(),
            sources: draw.terms.sources.clone(),
            excluded: draw.terms.excluded.clone(),
            repeats: draw.terms.repeats,
            commitment: draw.commitment.clone(),
            witnessed: ledger.is_witnessed(draw.entry),
            ordered_at: whole(draw.ordered_at),
            ordered_by: draw.ordered_by.clone(),
            entry: draw.entry,
            bracket: bracket(draw.entry, draw.ordered_at),
            knowable_since: knowable_since.map(whole),
            master_exported_at: draw.exported_at.map(whole),
            log_restored_at: draw.restored_at.map(whole),
            performed_at: draw.performed_at.map(whole),
            recorded_minutes_later: draw.performed_at.map(|at| (draw.ordered_at.as_second() - at.as_second()) / 60),
            arrived: arrived.map(|arrived| ArrivedView {
                arrived_at: whole(arrived.at),
                entry: arrived.entry,
                bracket: bracket(arrived.entry, arrived.at),
            }),
            release,
            void,
        }
    }
}
