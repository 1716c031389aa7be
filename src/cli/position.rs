//! `draw960 position N|RANK|FEN`.

use super::{Outcome, print};
use crate::domain::{
    castling::{CastlingGeometry, CastlingKind, SideGeometry, geometry},
    position_number::PositionNumber,
    rules::{Color, Square},
    start_position::StartPosition,
};
use clap::Args;
use std::fmt::Write;

#[derive(Debug, Args)]
pub struct Show {
    /// Number 0 to 959, back rank such as RNBQKBNR, or FEN (in quotes)
    #[arg(required = true, num_args = 1..=6, value_name = "N|RANK|FEN")]
    position: Vec<String>,
}

/// Prints number, back rank, both FENs, a board, and where castling takes king and rooks.
pub fn show(command: &Show) -> Outcome {
    // A FEN whose quotes were forgotten arrives in six pieces.
    let start = parse(&command.position.join(" "))?;
    print(&describe(&start))
}

fn parse(text: &str) -> Result<StartPosition, String> {
    let text = text.trim();
    if text.bytes().all(|b| b.is_ascii_digit()) {
        let number: PositionNumber = text.parse().map_err(|why| format!("{text}: {why}"))?;
        return Ok(StartPosition::from_number(number));
    }
    let read = match text {
        fen if fen.contains(' ') => StartPosition::from_fen(fen),
        placement if placement.contains('/') => StartPosition::from_placement(placement),
        rank => StartPosition::from_rank(rank),
    };
    read.map_err(|why| format!("{text}: {why}"))
}

fn describe(start: &StartPosition) -> String {
    let number = start.number();
    let mut text = format!("position number  {number}\n");
    if number.dgt960() != number.get() {
        let _ = writeln!(text, "on a DGT960      {}", number.dgt960());
    }
    let _ = write!(
        text,
        "back rank        {}\nX-FEN            {}\nShredder-FEN     {}\n\n{}\n{}",
        start.rank(),
        start.fen(),
        start.fen_shredder(),
        board(start),
        castlings(&geometry(start, Color::White)),
    );
    text
}

fn board(start: &StartPosition) -> String {
    let spaced = |rank: &str| rank.chars().map(String::from).collect::<Vec<_>>().join(" ");
    let mut text = String::new();
    for (rank, name) in start.placement().split('/').zip((1..=8).rev()) {
        let row = if rank == "8" { spaced("........") } else { spaced(rank) };
        let _ = writeln!(text, "  {name}  {row}");
    }
    text + "     a b c d e f g h\n"
}

fn castlings(white: &CastlingGeometry) -> String {
    let line = |name: &str, side: &SideGeometry| {
        let (king, rook) = (way(white.king, side.king_to), way(side.rook, side.rook_to));
        format!("{name:<5}  king {king}, rook {rook}  ({})", how(side.kind))
    };
    format!(
        "castling (Black the same on the eighth rank)\n  {}\n  {}",
        line("O-O", &white.h_side),
        line("O-O-O", &white.a_side)
    )
}

fn way(from: Square, to: Square) -> String {
    if from == to { format!("stays on {from}") } else { format!("{from}-{to}") }
}

const fn how(kind: CastlingKind) -> &'static str {
    match kind {
        CastlingKind::Double => "both move",
        CastlingKind::KingOnly => "only the king moves",
        CastlingKind::RookOnly => "only the rook moves",
        CastlingKind::Transposition => "king and rook change places",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_finds_the_position() {
        let start = parse("748").unwrap();
        for text in ["RBKNNQBR", "rbknnqbr", &start.fen(), &start.fen_shredder(), &start.placement()] {
            assert_eq!(parse(text), Ok(start), "{text}");
        }
    }

    #[test]
    fn what_is_none_of_the_960_says_why() {
        for (text, why) in [("960", "0 to 959"), ("KRBBRNNQ", "between the rooks"), ("hello", "eight letters")] {
            let said = parse(text).unwrap_err();
            assert!(said.starts_with(text) && said.contains(why), "{said}");
        }
    }

    #[test]
    fn a_position_reads_well() {
        insta::assert_snapshot!(describe(&parse("0").unwrap()), @r"
        position number  0
        on a DGT960      960
        back rank        BBQNNRKR
        X-FEN            bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1
        Shredder-FEN     bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1

          8  b b q n n r k r
          7  p p p p p p p p
          6  . . . . . . . .
          5  . . . . . . . .
          4  . . . . . . . .
          3  . . . . . . . .
          2  P P P P P P P P
          1  B B Q N N R K R
             a b c d e f g h

        castling (Black the same on the eighth rank)
          O-O    king stays on g1, rook h1-f1  (only the rook moves)
          O-O-O  king g1-c1, rook f1-d1  (both move)
        ");
    }
}
