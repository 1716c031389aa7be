//! How a game ended: on the board, by its record, and whether the two agree.

use super::{
    fault::end_in_words,
    finding::{Finding, FindingCode as C},
    notation::Mark,
    replay::Replay,
    result::GameResult,
    termination::{self, Termination},
};
use crate::domain::rules::{Color, Position};

/// How and when a game ended on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The half-move after which it was over.
    pub ply: u32,
    /// By what.
    pub by: C,
}

/// The results that a record gives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded {
    /// By the termination marker, and where.
    pub terminator: Option<(GameResult, Option<usize>)>,
    /// By the Result tag, and where.
    pub tag: Option<(GameResult, Option<usize>)>,
    /// What the Termination tag claims, and where.
    pub termination: Option<(Termination, usize)>,
    /// Whether the record is a text, which should have a marker.
    pub is_text: bool,
}

impl Recorded {
    /// Of a list of moves with a result beside it.
    pub fn of_list(result: GameResult) -> Self {
        Self { tag: Some((result, None)), ..Self::default() }
    }

    /// The result of the record: of the marker, else of the tag. A marker that leaves open what the tag says gives way.
    pub fn result(&self) -> Option<GameResult> {
        let marker = self.terminator.map(|(result, _)| result);
        let tag = self.tag.map(|(result, _)| result);
        match (marker, tag) {
            (Some(GameResult::Unknown) | None, Some(tag)) => Some(tag),
            (marker, _) => marker,
        }
    }

    fn place(&self) -> Option<usize> {
        self.terminator.or(self.tag).and_then(|(_, at)| at)
    }
}

/// Finds mate or stalemate at the end of the moves, and what does not fit between board, marker and tag. Answers
/// whether the game is complete.
pub fn conclude(replay: &mut Replay<'_>, recorded: &Recorded) -> bool {
    say_what_follows_from_array(replay);
    compare_records(replay, recorded);
    if replay.stopped {
        if replay.unexamined > 0 {
            let message = format!("words of the main line that were not examined: {}", replay.unexamined);
            replay.find(Finding::new(C::NotExamined, message));
        }
        if replay.end.is_none() && !replay.findings.has_error() {
            let message =
                "what was accepted does not say from which position the moves are to be examined; they were not";
            replay.find(Finding::new(C::OverrideImpossible, message));
        }
    } else {
        look_at_last_position(replay);
    }
    if !replay.stopped || replay.end.is_some() {
        say_end(replay);
        look_at_result(replay, recorded);
        termination::look(replay, recorded.termination, recorded.result());
    }
    let result = recorded.result();
    replay.end.is_some() || result.is_some_and(|result| result != GameResult::Unknown)
}

/// Adds to a wrong array what the Laws make of it, unless an arbiter has decided.
fn say_what_follows_from_array(replay: &mut Replay<'_>) {
    let Some((code, difference)) = replay.array.take() else { return };
    let recorded = replay.plies + u32::from(replay.stopped) + replay.unexamined;
    let consequence = difference.consequence(replay.options.supervision_in_force(), recorded / 2);
    replay.findings.amend(code, |finding| {
        if finding.accepted.is_none() {
            finding.add_sentence(&consequence.sentence);
            finding.article = consequence.article.into();
        }
    });
}

/// Marker against tag.
fn compare_records(replay: &mut Replay<'_>, recorded: &Recorded) {
    match (recorded.terminator, recorded.tag) {
        (Some((marker, at)), Some((tag, _))) if marker != tag => {
            let message = format!("the Result tag says {tag}, the game ends with {marker}");
            replay.find(Finding { offset: at, ..Finding::new(C::ResultTagContradiction, message) });
        }
        (None, _) if recorded.is_text => {
            let message = "the game ends without a termination marker";
            replay.find(Finding::new(C::MissingTermination, message));
        }
        _ => {}
    }
}

/// Mate and stalemate are not looked for move by move: a legal move after it proves that a position is neither.
fn look_at_last_position(replay: &mut Replay<'_>) {
    if !replay.position.legal_moves().is_empty() {
        return;
    }
    let checkmate = replay.position.is_check();
    if checkmate && replay.mark_mate() && replay.last_mark == Mark::Check {
        let ply = replay.plies;
        replay.findings.add_once(Finding::new(C::SpellingCheck, "the mate is marked as a check only").at_ply(ply));
    }
    let by = if checkmate { C::Checkmate } else { C::Stalemate };
    replay.end.get_or_insert(End { ply: replay.plies, by });
}

fn say_end(replay: &mut Replay<'_>) {
    if let Some(end) = replay.end {
        let message = format!("the game ended at half-move {}: {}", end.ply, end_in_words(end.by));
        replay.find(Finding::new(end.by, message).at_ply(end.ply));
    }
}

/// The result that the board gives: of the player who mated, else a draw.
fn result_on_board(replay: &Replay<'_>, end: End) -> GameResult {
    match end.by {
        C::Checkmate => GameResult::won_by(!replay.position.turn()),
        _ => GameResult::Drawn,
    }
}

fn look_at_result(replay: &mut Replay<'_>, recorded: &Recorded) {
    let result = recorded.result();
    if replay.plies == 0 && replay.end.is_none() && recorded.is_text && result != Some(GameResult::Drawn) {
        let message = "there is no move: the game was not played, or not yet";
        replay.find(Finding { offset: recorded.place(), ..Finding::new(C::NotPlayed, message) });
    }
    let Some(result) = result else { return };
    let found = match replay.end {
        Some(end) => against_board(result, result_on_board(replay, end), end),
        None if result == GameResult::Drawn => early_draw(replay),
        None => result.winner().and_then(|winner| decided(replay, winner)),
    };
    if let Some(finding) = found {
        replay.find(Finding { offset: recorded.place(), ..finding });
    }
}

fn against_board(recorded: GameResult, on_board: GameResult, end: End) -> Option<Finding> {
    if recorded == on_board {
        return None;
    }
    let how = format!("the game ended at half-move {} ({}), which makes it {on_board}", end.ply, end_in_words(end.by));
    let (code, message) = match recorded {
        GameResult::Unknown => (C::ResultNotRecorded, format!("{how}; the record leaves the result open")),
        other => (C::ResultContradictsBoard, format!("{how}; the record says {other}")),
    };
    Some(Finding::new(code, message).at_ply(end.ply).under(end.by.article()))
}

/// A draw can be agreed once both players have made a move (5.2.3).
fn early_draw(replay: &Replay<'_>) -> Option<Finding> {
    let from_the_start = replay.position.fullmoves().get() <= 2 && replay.plies < 2;
    from_the_start.then(|| {
        let message = "a draw can be agreed only after both players have made a move";
        Finding::new(C::DrawBeforeMoves, message).at_ply(replay.plies)
    })
}

/// Nobody wins, by resignation or on time, whose opponent cannot be mated by any series of legal moves (5.1.2, 6.9).
fn decided(replay: &Replay<'_>, winner: Color) -> Option<Finding> {
    replay.position.has_insufficient_material(winner).then(|| {
        let name = winner.fold_wb("White", "Black");
        let message =
            format!("{name} cannot checkmate by any series of legal moves: resignation or flag fall is a draw");
        Finding::new(C::WinnerCannotMate, message).at_ply(replay.plies)
    })
}
