//! The bundle: everything that a server gives an offline verifier, and what the verifier brings of its own.

use crate::domain::log::{LogKey, SignedNote, WitnessKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Name of the format, first field of every bundle.
pub const BUNDLE_FORMAT: &str = "draw960-bundle/v1";

/// A log as a server serves it for one of its tournaments. Nothing in it is believed.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Bundle {
    /// [`BUNDLE_FORMAT`].
    pub format: String,
    /// Slug of the tournament that is asked about.
    pub tournament: String,
    /// Origin of the log on which the tournament was created, part of every slot text.
    pub origin: String,
    /// The log's key, `<name>+<id>+<base64>`.
    pub log_key: String,
    /// The newest checkpoint, with all its signatures.
    pub checkpoint: String,
    /// Older checkpoints that carry cosignatures.
    #[serde(default)]
    pub checkpoints: Vec<String>,
    /// How each former key of the log handed over to the next, signed by both, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub successions: Vec<String>,
    /// Every entry of the log from the first to the checkpoint's size, byte by byte: only a whole log can show that
    /// nothing was left out.
    pub entries: Vec<String>,
}

/// What a verifier brings: pinned in the regulations, kept from before, known from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// The log's key as the regulations print it.
    pub log_key: Option<LogKey>,
    /// Witnesses whose cosignatures count; all of them are required.
    pub witnesses: Vec<WitnessKey>,
    /// Checkpoints of this log that the verifier kept.
    pub kept: Vec<SignedNote>,
}
