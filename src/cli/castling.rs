//! `draw960 castling FEN`.

use super::{Outcome, print};
use crate::domain::{
    castling::{CastlingReport, answer_for_fen},
    naming::player,
    rules::Color,
};
use clap::Args;

#[derive(Debug, Args)]
pub struct Explain {
    /// FEN of any legal position (in quotes)
    #[arg(required = true, num_args = 1..=6, value_name = "FEN")]
    fen: Vec<String>,
}

/// Says of all four castlings whether they may be played, how, and what stands against them.
pub fn explain(command: &Explain) -> Outcome {
    // A FEN whose quotes were forgotten arrives in six pieces.
    let fen = command.fen.join(" ");
    let report = answer_for_fen(&fen).map_err(|why| format!("{fen}: {why}"))?;
    print(&read_out(&report))
}

/// Sentences to be read out at the board, those of the player on turn first.
fn read_out(report: &CastlingReport) -> String {
    let of = |colour: Color| {
        let pair = report.of(colour);
        format!("{}\n{}", pair.h_side.sentence, pair.a_side.sentence)
    };
    format!("{} is to move.\n\n{}\n\n{}", player(report.turn), of(report.turn), of(!report.turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_player_on_turn_comes_first() {
        let text = read_out(&answer_for_fen("4k3/8/8/8/8/8/8/rR2K1N1 w B - 0 1").unwrap());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "White is to move.");
        assert!(lines[2].starts_with("White may not castle on the h-side (O-O)."), "{text}");
        assert!(lines[3].contains("the rook no longer stands between them on b1"), "{text}");
        assert!(lines[5].starts_with("Black may not castle") && lines.len() == 7, "{text}");
    }
}
