//! A public position in every representation, each rendered once.

use crate::{
    domain::{
        castling::{self, CastlingBlock},
        derivation::Hash32,
        diagram,
        draw::{Draw, Grade, Release},
        evidence::Evidence,
        policy::Scope,
        skeleton::Skeleton,
        start_position::StartPosition,
    },
    store::{Pairing, Tournament},
};
use bytes::Bytes;
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A released position, ready to be sent.
#[derive(Debug)]
pub struct PublicPosition {
    /// The position itself.
    pub start: StartPosition,
    /// The JSON document.
    pub json: Rendering,
    /// A diagram.
    pub svg: Rendering,
    /// One line for small devices: number, back rank, FEN.
    pub txt: Rendering,
    /// A game header without players.
    pub pgn: Rendering,
    /// Day of the release in the hall's zone, `2026.12.05`.
    date: String,
}

/// One representation of a position.
#[derive(Debug)]
pub struct Rendering {
    /// Its bytes.
    pub body: Bytes,
    /// Its entity tag, in quotes: made from the release's bytes, which are public, and a letter of its own.
    pub etag: Bytes,
}

/// What the log shows of a release.
pub struct ReleaseProof {
    /// Its receipt; none until the log is signed over it.
    pub receipt: Option<String>,
    /// Whether a checkpoint held elsewhere has the order and is older than its entropy.
    pub witnessed: bool,
}

/// The JSON document of a public position.
#[derive(Serialize, ToSchema)]
pub struct PositionDocument {
    /// Slug of the tournament.
    tournament: String,
    round: u16,
    /// Null where one position serves all boards.
    board: Option<u16>,
    /// Scharnagl's number, 0 to 959.
    number: u16,
    /// White's back rank from the a-file.
    rank: String,
    /// X-FEN.
    fen: String,
    fen_shredder: String,
    attempt: u16,
    grade: Grade,
    /// Whether a checkpoint held elsewhere has the order and is older than its entropy.
    witnessed: bool,
    rehearsal: bool,
    #[schema(value_type = String)]
    ordered_at: Timestamp,
    #[schema(value_type = String)]
    drawn_at: Timestamp,
    /// When the master left the server, if it did before the release: since then the holder of the exported secret could
    /// know what the operator could know.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    master_exported_at: Option<Timestamp>,
    /// When the server was restored from an older copy, if it was before the release: what its log had lost by then cannot be
    /// told, and may concern this slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    log_restored_at: Option<Timestamp>,
    castling: CastlingBlock,
    /// Everything that recomputes the number.
    draw: Evidence,
}

impl PublicPosition {
    /// Renders the position of `draw` as round `round` sees it.
    pub fn new(tournament: &Tournament, round: u16, draw: &Draw, release: &Release, proof: &ReleaseProof) -> Self {
        let start = StartPosition::from_number(release.number);
        let json = json(tournament, round, draw, release, &start, proof);
        let hash = Hash32::of([json.as_bytes()]).to_string();
        let rendering = |text: String, letter| Rendering { body: text.into(), etag: tag(&hash, letter) };
        let place = match (tournament.policy.scope, tournament.policy.rehearsal) {
            (Scope::Round, false) => format!("round {round}"),
            (Scope::Round, true) => format!("REHEARSAL round {round}"),
            (Scope::Board, false) => format!("round {round} board {}", draw.board),
            (Scope::Board, true) => format!("REHEARSAL round {round} board {}", draw.board),
        };
        Self {
            svg: rendering(diagram::svg(&start, &format!("{}, {place}", tournament.name)), 's'),
            txt: rendering(format!("{} {} {}\n", start.number(), start.rank(), start.fen()) + stamp(tournament), 't'),
            pgn: rendering(skeleton(tournament, round, draw, release, &start).to_string(), 'p'),
            json: rendering(json, 'j'),
            date: date(tournament, release),
            start,
        }
    }

    /// The game of one board, as broadcasts read it: its head, and the moves of `report` where there is one.
    pub fn game(&self, tournament: &Tournament, round: u16, pairing: &Pairing, report: Option<&Value>) -> Skeleton {
        let game = Skeleton::new(&tournament.name, tournament.policy.rehearsal, round, Some(pairing.board))
            .dated(self.date.clone())
            .with("White", pairing.white.name.clone())
            .with("Black", pairing.black.name.clone())
            .from(&self.start);
        let ids = [("WhiteFideId", &pairing.white), ("BlackFideId", &pairing.black)];
        let teams = [("WhiteTeam", &pairing.white), ("BlackTeam", &pairing.black)];
        let ids = ids.into_iter().filter_map(|(tag, player)| Some((tag, player.fide_id.clone()?)));
        let teams = teams.into_iter().filter_map(|(tag, player)| Some((tag, player.team.clone()?)));
        let game = ids.chain(teams).fold(game, |game, (tag, value)| game.with(tag, value));
        let Some(report) = report else { return game };
        let moves = report["moves_san"].as_array().into_iter().flatten();
        let moves = moves.filter_map(Value::as_str).map(str::to_owned).collect();
        game.played(moves, report["result"].as_str().unwrap_or("*"))
    }
}

fn tag(hash: &str, letter: char) -> Bytes {
    format!("\"{}{letter}\"", &hash[..32]).into()
}

fn stamp(tournament: &Tournament) -> &'static str {
    if tournament.policy.rehearsal { "REHEARSAL\n" } else { "" }
}

fn json(
    tournament: &Tournament,
    round: u16,
    draw: &Draw,
    release: &Release,
    start: &StartPosition,
    proof: &ReleaseProof,
) -> String {
    let document = PositionDocument {
        tournament: tournament.slug.to_string(),
        round,
        board: (draw.board > 0).then_some(draw.board),
        number: start.number().get(),
        rank: start.rank().to_owned(),
        fen: start.fen(),
        fen_shredder: start.fen_shredder(),
        attempt: draw.attempt,
        grade: draw.grade(),
        witnessed: proof.witnessed,
        rehearsal: tournament.policy.rehearsal,
        ordered_at: whole(draw.ordered_at),
        drawn_at: whole(release.at),
        master_exported_at: draw.exported_at,
        log_restored_at: draw.restored_at,
        castling: castling::both(start),
        draw: Evidence::new(&tournament.origin, tournament.slug.as_str(), draw, proof.receipt.as_deref()),
    };
    serde_json::to_string(&document).expect("a position document has only strings and numbers")
}

fn skeleton(tournament: &Tournament, round: u16, draw: &Draw, release: &Release, start: &StartPosition) -> Skeleton {
    let board = (draw.board > 0).then_some(draw.board);
    Skeleton::new(&tournament.name, tournament.policy.rehearsal, round, board)
        .dated(date(tournament, release))
        .from(start)
}

fn date(tournament: &Tournament, release: &Release) -> String {
    let zone = crate::domain::schedule::zone(&tournament.time_zone, "").unwrap_or(TimeZone::UTC);
    release.at.to_zoned_datetime(zone).strftime("%Y.%m.%d").to_string()
}

/// Records show whole seconds, as the log does.
fn whole(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}
