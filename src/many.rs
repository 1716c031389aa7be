//! Large collections of games on all cores.
//!
//! The only use of threads for validation; what a game is worth is decided in [`crate::domain::game`].

use crate::domain::{
    fen::ReadFenError,
    game::{GameReport, Options, Start, Validator, pgn::splitter},
};
use std::{num::NonZeroUsize, ops::Range, thread};

/// Texts smaller than this are not worth a second thread.
const WORTH_A_THREAD: usize = 256 << 10;

/// Validates all games of a text on `cores` cores, in the order of the text.
///
/// # Errors
/// When the submission gives a start that is no position.
pub fn validate_many(
    text: &[u8],
    start: &Start,
    options: &Options,
    cores: NonZeroUsize,
) -> Result<Vec<GameReport>, ReadFenError> {
    let options = crate::domain::game::with_number(start, options);
    Validator::new(start, &options)?;
    let pieces = splitter::pieces(text, cores.get().min(text.len() / WORTH_A_THREAD + 1));
    let read = |piece: Range<usize>| read_piece(text, piece, start, &options);
    let lists: Vec<Vec<GameReport>> = thread::scope(|scope| {
        let threads: Vec<_> = pieces.into_iter().map(|piece| scope.spawn(move || read(piece))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    Ok(lists.concat())
}

fn read_piece(text: &[u8], piece: Range<usize>, start: &Start, options: &Options) -> Vec<GameReport> {
    let mut reports = Vec::new();
    let Ok(mut validator) = Validator::new(start, options) else { return reports };
    let first_line = 1 + memchr::memchr_iter(b'\n', &text[..piece.start]).count();
    let begins = piece.start;
    validator.each_game(&text[piece], u32::try_from(first_line).unwrap_or(u32::MAX), |mut report| {
        report.begins_at += begins;
        for finding in &mut report.findings {
            finding.offset = finding.offset.map(|offset| offset + begins);
        }
        reports.push(report);
    });
    reports
}
