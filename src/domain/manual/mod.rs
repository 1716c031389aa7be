//! Draws by hand: dice, coins, cards, balls.
//!
//! Players may distrust software, so a position can be drawn with things that everybody sees. Each procedure is a list
//! of steps; a walk asks for one throw after the other, says which count and which are thrown again, and keeps them all.
//! Only procedures that give each of the 960 exactly the same chance are offered: 960 = 2^6 * 3 * 5, so a fixed number
//! of coins or six-sided dice never can, and whoever avoids throwing again favours some positions.

#[cfg(test)]
mod exactness;
mod means;
mod procedure;
mod refused;
mod walk;

pub use means::Means;
pub use procedure::{NoProcedure, PROCEDURES, Procedure, procedure};
pub use refused::{Bias, REFUSED, Refused};
pub use walk::{BadReplay, NotAThrow, Outcome, Question, Rejection, Throw, Walk, replay};
