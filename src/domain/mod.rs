//! The core: values in, values out.
//!
//! Nothing here reads a clock, asks for chance, touches a file, a socket or a database. Time and random bytes are
//! arguments. What the other rooms share is the vocabulary of this one; each word has a file:
//!
//! * [`position_number`], [`start_position`], [`number_set`]: the 960 start positions and their numbers;
//! * [`derivation`]: `draw960/v1`, from a slot's secret and public entropy to a number;
//! * [`beacon`], [`dice`], [`manual`]: entropy that anyone can check, and draws by hand;
//! * [`log`], [`bracket`]: the Merkle tree, its checkpoints, receipts and cosignatures; which times they prove;
//! * [`policy`], [`schedule`], [`round`], [`draw`], [`evidence`]: what a tournament declares, when a round is, how a draw
//!   lives, what recomputes it;
//! * [`entry`], [`seal`], [`sheet`], [`custody`]: the bytes of the log, secrets at rest, on paper, and in the file that another
//!   machine goes on from;
//! * [`statistics`]: whether chance explains what was drawn;
//! * [`ids`], [`role`], [`supervision`], [`fault`]: names of things, who may do what, what can be refused.

pub mod beacon;
pub mod bracket;
pub mod castling;
pub mod custody;
pub mod derivation;
pub mod diagram;
pub mod dice;
pub mod dossier;
pub mod draw;
pub mod entry;
pub mod evidence;
pub mod fault;
pub mod fen;
pub mod game;
mod hex;
pub mod ids;
pub mod log;
pub mod manual;
pub mod naming;
pub mod number_set;
pub mod policy;
pub mod position_number;
mod reasons;
pub(crate) mod record;
pub mod role;
pub mod round;
pub mod rules;
pub mod schedule;
pub mod seal;
pub mod sheet;
pub mod skeleton;
pub mod start_position;
pub mod statistics;
pub mod supervision;
pub mod verify;
