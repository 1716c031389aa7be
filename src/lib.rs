//! draw960: the server that Chess960 tournaments trust with their start positions.
//!
//! Rooms, in reading order, and who may use whom (arrows never point up or sideways):
//!
//! ```text
//! main -> cli -> demo, server -> http, release, relays -> desk -> bulletin -> ledger -> store -> domain          clock, entropy
//! ```
//!
//! * [`domain`]: the core, values in, values out;
//! * [`store`]: the only SQL;
//! * [`ledger`]: the signed log, in memory and beside the database;
//! * [`bulletin`]: what the hall may read, rendered once, in memory;
//! * [`desk`]: everything that changes a tournament, one act, one transaction;
//! * [`http`]: the only axum; [`release`]: the one task that releases;
//! * [`many`]: large collections of games on all cores;
//! * [`custody`]: files that another machine goes on from, and going on from one;
//! * [`cosign`]: asks witnesses, in the background; [`witness`]: is one, on another machine;
//! * [`server`]: opens the data folder, serves it, stops in time; [`config`] and [`telemetry`] belong to it;
//! * [`cli`]: one file per command; [`demo`]: the main job as a story, over real HTTP;
//! * [`fetch`]: the one HTTP client for other machines;
//! * [`clock`], [`entropy`]: the only readers of time and chance.

pub mod bulletin;
pub mod cli;
pub mod clock;
pub mod config;
pub mod cosign;
pub mod custody;
pub mod demo;
pub mod desk;
pub mod domain;
pub mod entropy;
pub mod fetch;
pub mod http;
pub mod ledger;
pub mod many;
pub mod relays;
pub mod release;
pub mod server;
pub mod store;
pub mod telemetry;
pub mod witness;
