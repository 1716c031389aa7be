//! Validating games one after the other under the same options.

use super::{
    Finding, FindingCode as C, GameReport, GameTags, MoveNotation, MoveTexts, Options, Start, Verdict,
    conclusion::{self, Recorded},
    fault::placed,
    header::{self, Measure},
    notation::{self, NotAMove, Written},
    pgn::{
        MAX_GAME,
        games::Games,
        tags::Tags,
        text::Places,
        tokens::{Token, Tokens},
    },
    replay::{Replay, Word},
};
use crate::domain::fen::ReadFenError;

/// Validates games under one set of options; its memory is used again from game to game.
#[derive(Debug)]
pub struct Validator<'o> {
    options: &'o Options,
    measure: Measure<'o>,
    replay: Replay<'o>,
}

impl<'o> Validator<'o> {
    /// For games that start here, under these options. A start by number has to be a draw of the options
    /// ([`super::with_number`]).
    ///
    /// # Errors
    /// When a given start is no position.
    pub fn new(start: &Start, options: &'o Options) -> Result<Self, ReadFenError> {
        let measure = Measure::new(start, options.drawn.as_ref())?;
        Ok(Self { options, measure, replay: Replay::new(options) })
    }

    /// Validates each game of a text, handing over report by report. `first_line` is the line of the first byte, for
    /// pieces of a larger text.
    pub fn each_game(&mut self, text: &[u8], first_line: u32, mut hand_over: impl FnMut(GameReport)) {
        if is_not_text(text) {
            return hand_over(self.unreadable(C::WrongEncoding, "this is not PGN text: UTF-16 or binary data"));
        }
        let (mut games, mut tags, mut places) = (Games::new(text), Tags::default(), Places::from_line(first_line));
        while let Some(report) = self.next_game(&mut games, &mut tags, &mut places) {
            hand_over(report);
        }
    }

    /// Validates the only game of a text.
    pub fn only_game(&mut self, text: &[u8]) -> GameReport {
        let mut first = None;
        let mut games = 0;
        let mut second_at = 0;
        self.each_game(text, 1, |report| {
            games += 1;
            if games == 2 {
                second_at = report.begins_at;
            }
            first.get_or_insert(report);
        });
        let Some(mut report) = first else { return self.unreadable(C::NoGame, "there is no game in this text") };
        if games > 1 {
            let (line, column) = Places::default().of(text, second_at);
            let message = format!("the text has {games} games; this report is on the first");
            let mut finding = Finding::new(C::SeveralGames, message).at(second_at);
            (finding.line, finding.column) = (Some(line), Some(column));
            report.findings.push(finding);
            report.verdict = Verdict::of(&report.findings, true);
        }
        report
    }

    /// Validates a list of moves.
    pub fn moves(&mut self, moves: &[String], written_in: MoveNotation, recorded: &Recorded) -> GameReport {
        let tags = Tags::default();
        let start = match &self.measure {
            Measure::Array(_, start) | Measure::Position(start) => (**start).clone(),
            Measure::Tags => super::super::rules::Chess::default(),
        };
        self.replay.begin(Some(&start));
        if matches!(self.measure, Measure::Tags) {
            let message = "no start position is given: the moves were replayed from the classical array";
            self.replay.find(Finding::new(C::StartAssumed, message));
        }
        for text in moves {
            let word = text.trim().as_bytes();
            let written = self.read(word, written_in);
            self.replay.play(Word { text: word, at: None }, written);
        }
        self.report(&[], 0..0, &tags, Some(start), recorded, &mut Places::default())
    }

    #[inline]
    fn read(&self, word: &[u8], written_in: MoveNotation) -> Result<Written, NotAMove> {
        match written_in {
            MoveNotation::San => notation::read(word, &self.options.language),
            MoveNotation::Uci => notation::read_uci(word),
        }
    }

    /// Validates the next game of a text.
    fn next_game<'a>(&mut self, games: &mut Games<'a>, tags: &mut Tags<'a>, places: &mut Places) -> Option<GameReport> {
        let text = games.text();
        let (begins, mut tokens) = games.begin(tags)?;
        let start = header::start(&mut self.replay, &self.measure, tags);
        header::look(&mut self.replay, text, tags, start.as_ref());
        self.replay.begin(start.as_ref());
        let terminator = self.play_all(&mut tokens);
        let tag = header::result_tag(&mut self.replay, tags);
        if let Some(at) = games.end(tokens, terminator.is_some()) {
            let message = "moves or other text follow the termination marker; they are not part of the game";
            self.replay.find(Finding::new(C::TextAfterEnd, message).at(at));
        }
        let termination = header::termination_tag(tags);
        let recorded = Recorded { terminator, tag, termination, is_text: true };
        let ends = games.at();
        if ends - begins > MAX_GAME {
            let message = format!("the game has more than {MAX_GAME} bytes");
            self.replay.find(Finding::new(C::GameTooLarge, message).at(begins));
        }
        Some(self.report(text, begins..ends, tags, start, &recorded, places))
    }

    /// Plays the main line to its end; answers the termination marker.
    fn play_all(&mut self, tokens: &mut Tokens<'_>) -> Option<(super::GameResult, Option<usize>)> {
        loop {
            match tokens.next_token() {
                Token::Word(text) => {
                    let word = Word { text, at: Some(tokens.start()) };
                    let written = if self.replay.stopped {
                        Err(NotAMove::Unreadable)
                    } else {
                        notation::read(text, &self.options.language)
                    };
                    self.replay.play(word, written);
                }
                Token::Number(number, is_blacks) => self.replay.number(number, is_blacks, tokens.start()),
                Token::Comment(comment) => self.look_at_comment(comment, tokens.start()),
                Token::Result(result) => return Some((result, Some(tokens.start()))),
                Token::End => return None,
                Token::Sign => {}
                Token::EnPassantMark => self.look_at_en_passant_mark(tokens.start()),
                other => self.find_token(other, tokens.start()),
            }
        }
    }

    /// `e.p.` standing alone belongs to the move before it.
    fn look_at_en_passant_mark(&mut self, at: usize) {
        if !self.replay.stopped && !self.replay.last_was_en_passant() {
            let message = "the move before this mark is not an en passant capture";
            let finding = Finding::new(C::SpellingEnPassant, message).at(at).at_ply(self.replay.plies);
            self.replay.findings.add_once(finding);
        }
    }

    /// A clock command that cannot be read says nothing about the moves, but somebody may rely on it.
    #[inline]
    fn look_at_comment(&mut self, comment: &[u8], at: usize) {
        let comment = comment.trim_ascii_start();
        if comment.starts_with(b"[%") && !clocks_are_readable(comment) {
            let message = "a clock in this comment is not hours:minutes:seconds";
            let finding = Finding::new(C::ClockComment, message).at(at).at_ply(self.replay.plies);
            self.replay.findings.add_once(finding);
        }
    }

    #[cold]
    fn find_token(&mut self, token: Token<'_>, at: usize) {
        let (code, message, text): (C, &str, &[u8]) = match token {
            Token::UnclosedComment => (C::UnclosedComment, "this comment is never closed: what follows is lost", b"{"),
            Token::UnclosedVariation => {
                (C::UnclosedVariation, "this variation is never closed: what follows is lost", b"(")
            }
            Token::DeepVariation => (C::DeepVariation, "variations are nested more than 64 deep", b"("),
            Token::Unreadable(text) => (C::UnreadableToken, unreadable_in_words(text), text),
            _ => return,
        };
        let word = Word { text, at: Some(at) };
        self.replay.find(placed(Finding::new(code, message), self.replay.plies + 1, word));
    }

    fn report(
        &mut self,
        text: &[u8],
        span: std::ops::Range<usize>,
        tags: &Tags<'_>,
        start: Option<super::super::rules::Chess>,
        recorded: &Recorded,
        places: &mut Places,
    ) -> GameReport {
        let complete = conclusion::conclude(&mut self.replay, recorded);
        let replay = &mut self.replay;
        let findings = replay.findings.finish(&self.options.overrides, text, places);
        GameReport {
            verdict: Verdict::of(&findings, complete),
            plies: replay.plies,
            moves_san: MoveTexts::from_line(std::mem::take(&mut replay.san)),
            moves_uci: MoveTexts::from_line(std::mem::take(&mut replay.uci)),
            last: start.is_some().then(|| replay.position.clone()),
            start,
            result: recorded.result(),
            findings,
            begins_at: span.start,
            length: span.len(),
            tags: game_tags(tags),
        }
    }

    /// A report on a text in which there is no game to be found.
    fn unreadable(&mut self, code: C, message: &str) -> GameReport {
        self.replay.begin(None);
        self.replay.find(Finding::new(code, message));
        self.report(&[], 0..0, &Tags::default(), None, &Recorded::default(), &mut Places::default())
    }
}

fn unreadable_in_words(text: &[u8]) -> &'static str {
    match text {
        b"}" => "a comment is closed here that is not open: comments do not nest, the first } closed it",
        b")" => "a variation is closed here that is not open",
        _ => "this is neither a move nor anything else that PGN knows",
    }
}

/// Text in another encoding than one that keeps ASCII, or no text.
fn is_not_text(text: &[u8]) -> bool {
    text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") || text[..text.len().min(512)].contains(&0)
}

/// Whether every clock command of a comment has hours, minutes and seconds.
#[inline]
fn clocks_are_readable(comment: &[u8]) -> bool {
    is_plain_clock(comment) || all_clocks_are_readable(comment)
}

/// `[%clk 0:12:34]` and nothing else.
#[inline]
fn is_plain_clock(comment: &[u8]) -> bool {
    match comment {
        [b'[', b'%', b'c', b'l', b'k', b' ', h, b':', m, n, b':', s, t, b']'] => {
            [h, m, n, s, t].iter().all(|b| b.is_ascii_digit())
        }
        _ => false,
    }
}

fn all_clocks_are_readable(comment: &[u8]) -> bool {
    let mut rest = comment;
    while let Some(at) = memchr::memchr(b'%', rest) {
        rest = &rest[at + 1..];
        if let Some(value) = rest.strip_prefix(b"clk ").or_else(|| rest.strip_prefix(b"emt ")) {
            let end = memchr::memchr(b']', value).unwrap_or(value.len());
            if !is_clock(value[..end].trim_ascii()) {
                return false;
            }
        }
    }
    true
}

/// `1:02:03`, `02:03`, `3.5` and the like.
fn is_clock(value: &[u8]) -> bool {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    let value = value.strip_prefix(b"-").unwrap_or(value);
    value.len() <= 24 && value.split(|b| *b == b':').all(is_number)
}

/// Characters of a tag that a report repeats, as many as PGN allows a value to have.
const MAX_VALUE: usize = 255;

/// The tags that tell games apart.
pub(super) fn game_tags(tags: &Tags<'_>) -> GameTags {
    let value = |name: &str| tags.value(name).map(|value| value.chars().take(MAX_VALUE).collect());
    if tags.is_empty() {
        return GameTags::default();
    }
    GameTags {
        event: value("Event"),
        date: value("Date"),
        round: value("Round"),
        board: value("Board"),
        white: value("White"),
        black: value("Black"),
        white_fide_id: value("WhiteFideId"),
        black_fide_id: value("BlackFideId"),
    }
}
