//! A game as boards and broadcasts are fed with it: its head before it is played, with its moves afterwards.
//!
//! Tags as in the PGN standard: seven in its order, then `SetUp`, `FEN` (as X-FEN, which broadcast sites read) and
//! `Variant`.

use super::start_position::StartPosition;
use std::fmt;

/// A game's tags, and its moves once there are any.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    tags: Vec<(&'static str, String)>,
    moves: Vec<String>,
}

impl Skeleton {
    /// The head of a game of `round`, on `board` if it is known.
    pub fn new(event: &str, rehearsal: bool, round: u16, board: Option<u16>) -> Self {
        let event = if rehearsal { format!("REHEARSAL {event}") } else { event.to_owned() };
        let round = board.map_or_else(|| round.to_string(), |board| format!("{round}.{board}"));
        let unknown = "?".to_owned();
        let tags = vec![
            ("Event", event),
            ("Site", unknown.clone()),
            ("Date", "????.??.??".to_owned()),
            ("Round", round),
            ("White", unknown.clone()),
            ("Black", unknown),
            ("Result", "*".to_owned()),
        ];
        Self { tags, moves: Vec::new() }
    }

    /// With the date of play, `2026.12.05`.
    #[must_use]
    pub fn dated(self, date: String) -> Self {
        self.with("Date", date)
    }

    /// With a tag; one that is there is replaced.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        match self.tags.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.tags.push((name, value)),
        }
        self
    }

    /// With the start position.
    #[must_use]
    pub fn from(self, start: &StartPosition) -> Self {
        self.with("SetUp", "1".to_owned()).with("FEN", start.fen()).with("Variant", "Chess960".to_owned())
    }

    /// With the moves in SAN and the result, once it was played.
    #[must_use]
    pub fn played(self, moves: Vec<String>, result: &str) -> Self {
        Self { moves, ..self.with("Result", result.to_owned()) }
    }

    /// Move text in lines of at most 79 characters, as the export format of PGN has them.
    fn movetext(&self) -> String {
        let result = self.tags.iter().find(|(name, _)| *name == "Result").map_or("*", |(_, result)| result);
        let numbered = self.moves.iter().enumerate().map(|(ply, san)| match ply % 2 {
            0 => format!("{}. {san}", ply / 2 + 1),
            _ => san.clone(),
        });
        let mut text = String::new();
        let mut line = 0;
        for word in numbered.chain([result.to_owned()]) {
            let fits = line + 1 + word.len() <= 79;
            if line > 0 {
                text.push(if fits { ' ' } else { '\n' });
            }
            line = if fits && line > 0 { line + 1 + word.len() } else { word.len() };
            text.push_str(&word);
        }
        text
    }
}

impl fmt::Display for Skeleton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
        writeln!(f, "\n{}", self.movetext())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_stand_in_the_order_of_the_standard_and_are_escaped() {
        let start = StartPosition::from_number(518.try_into().unwrap());
        let game = Skeleton::new("The \"Grand\\Open\"\n]", true, 3, Some(17))
            .dated("2026.12.05".into())
            .with("White", "Ždanovičius, Aistė".into())
            .from(&start);
        assert_eq!(
            game.to_string(),
            "[Event \"REHEARSAL The \\\"Grand\\\\Open\\\"]\"]\n[Site \"?\"]\n[Date \"2026.12.05\"]\n[Round \"3.17\"]\n\
             [White \"Ždanovičius, Aistė\"]\n[Black \"?\"]\n[Result \"*\"]\n[SetUp \"1\"]\n\
             [FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n[Variant \"Chess960\"]\n\n*\n"
        );
    }
}
