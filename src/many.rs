//! Large collections of games on all cores.
//!
//! The only use of threads for validation; what a game is worth is decided in [`crate::domain::game`].

use crate::domain::{
    fen::ReadFenError,
    game::{
        GameReport, Options, Start, Validator,
        pgn::{splitter, text::Places},
    },
};
use std::{num::NonZeroUsize, ops::Range, thread};

/// Texts smaller than this are not worth a second thread.
const WORTH_A_THREAD: usize = 256 << 10;

/// Validates all games of a text on `cores` cores, in the order of the text, and makes of each report what the caller
/// wants, on the same core: itself, a line of JSON. `first_line` is the line of the first byte, for a piece of a larger
/// text.
///
/// # Errors
/// When the submission gives a start that is no position.
pub fn validate_many<T: Send>(
    text: &[u8],
    first_line: u32,
    start: &Start,
    options: &Options,
    cores: NonZeroUsize,
    each: impl Fn(GameReport) -> T + Sync,
) -> Result<Vec<T>, ReadFenError> {
    let options = crate::domain::game::with_number(start, options);
    Validator::new(start, &options)?;
    let pieces = splitter::pieces(text, cores.get().min(text.len() / WORTH_A_THREAD + 1));
    let read = |piece: Range<usize>| {
        let mut answers = Vec::new();
        read_piece(text, first_line, piece, start, &options, |report| answers.push(each(report)));
        answers
    };
    let lists: Vec<Vec<T>> = thread::scope(|scope| {
        let read = &read;
        let threads: Vec<_> = pieces.into_iter().map(|piece| scope.spawn(move || read(piece))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    Ok(lists.into_iter().flatten().collect())
}

fn read_piece(
    text: &[u8],
    first_line: u32,
    piece: Range<usize>,
    start: &Start,
    options: &Options,
    mut hand_over: impl FnMut(GameReport),
) {
    let Ok(mut validator) = Validator::new(start, options) else { return };
    let (line, _) = Places::from_line(first_line).of(text, piece.start);
    let begins = piece.start;
    validator.each_game(&text[piece], line, |mut report| {
        report.begins_at += begins;
        for finding in &mut report.findings {
            finding.offset = finding.offset.map(|offset| offset + begins);
        }
        hand_over(report);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_do_not_change_the_answer() {
        let game = |n: usize| format!("[Event \"{n}\"]\n\n1. e4 {{{}}} e5 2. Ke{} *\n\n", "x".repeat(400), n % 4 + 1);
        let text: String = (0..3000).map(game).collect();
        let read = |cores| {
            let cores = NonZeroUsize::new(cores).unwrap();
            let reports =
                validate_many(text.as_bytes(), 5, &Start::FromTags, &Options::default(), cores, |report| report)
                    .unwrap();
            reports.iter().map(|r| (r.begins_at, serde_json::to_string(r).unwrap())).collect::<Vec<_>>()
        };
        let one = read(1);
        assert_eq!(one.len(), 3000);
        assert_eq!(one, read(4));
    }
}
