//! A draw: one attempt of one slot, from order to release or void, and which attempt a round goes by.

use super::{
    beacon::Beacon,
    derivation::{EntropyLine, Source, Terms},
    ids::{DrawId, TournamentId},
    number_set::NumberSet,
    position_number::PositionNumber,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a draw is voided: a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VoidReason {
    /// Something was entered wrongly.
    WrongEntry,
    /// The round was scheduled wrongly.
    WrongSchedule,
    /// The round moved so far that its beacon round no longer fits.
    Moved,
    /// The round was postponed when its position was already public.
    PostponedAfterRelease,
    /// Somebody knew the position early.
    Leaked,
    /// The beacon did not arrive.
    BeaconUnavailable,
    /// The policy was amended.
    PolicyAmended,
    /// The board was not used.
    BoardUnused,
    /// The round was not played.
    NotPlayed,
    /// The server was down and the draw was made by hand.
    ServerUnavailable,
    /// The organiser's decision.
    OrganiserDecision,
    /// The server was restored from a copy that cannot show what became of the draw.
    Restored,
}

impl VoidReason {
    /// Every reason.
    pub const ALL: [Self; 12] = [
        Self::WrongEntry,
        Self::WrongSchedule,
        Self::Moved,
        Self::PostponedAfterRelease,
        Self::Leaked,
        Self::BeaconUnavailable,
        Self::PolicyAmended,
        Self::BoardUnused,
        Self::NotPlayed,
        Self::ServerUnavailable,
        Self::OrganiserDecision,
        Self::Restored,
    ];

    /// Code of the reason.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WrongEntry => "wrong-entry",
            Self::WrongSchedule => "wrong-schedule",
            Self::Moved => "moved",
            Self::PostponedAfterRelease => "postponed-after-release",
            Self::Leaked => "leaked",
            Self::BeaconUnavailable => "beacon-unavailable",
            Self::PolicyAmended => "policy-amended",
            Self::BoardUnused => "board-unused",
            Self::NotPlayed => "not-played",
            Self::ServerUnavailable => "server-unavailable",
            Self::OrganiserDecision => "organiser-decision",
            Self::Restored => "restored",
        }
    }
}

/// What the draw protects against, as one letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum Grade {
    /// A beacon round that nobody could know when the commitment was published.
    A,
    /// Dice thrown in public after the commitment was published.
    B,
    /// The server's secret only.
    C,
    /// Drawn by hand.
    M,
}

/// State of a draw towards the public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawState {
    /// Ordered; dice, a beacon or throws are still to come.
    AwaitingEntropy,
    /// Ordered and ready; no number exists.
    Sealed,
    /// Its position is public.
    Released,
    /// It does not count.
    Voided,
}

/// One attempt of one slot.
#[derive(Clone, Debug)]
pub struct Draw {
    /// Id of the attempt.
    pub id: DrawId,
    /// Whose draw it is.
    pub tournament: TournamentId,
    /// Round, or first round of the block.
    pub round: u16,
    /// Board, 0 for all.
    pub board: u16,
    /// Attempt, from 1.
    pub attempt: u16,
    /// First round of the block that this attempt serves.
    pub serves_from: u16,
    /// When it was ordered.
    pub ordered_at: Timestamp,
    /// Token that ordered it, or `server`.
    pub ordered_by: String,
    /// What the commitment binds.
    pub terms: Terms,
    /// The published commitment, lower-case hex.
    pub commitment: String,
    /// Log index of the order.
    pub entry: u64,
    /// What answered its sources, once that came; always none for local entropy.
    pub arrived: Option<Arrived>,
    /// When it was made by hand, if it was recorded only afterwards.
    pub performed_at: Option<Timestamp>,
    /// When dice for it were first posted.
    pub thrown_at: Option<Timestamp>,
    /// When the master first left the server, if that was before the release or the void: since then its holder could know
    /// what the operator could know.
    pub exported_at: Option<Timestamp>,
    /// When the server was last restored from an older copy, if that was before the release or the void: what its log had
    /// lost by then, this slot's included, cannot be told.
    pub restored_at: Option<Timestamp>,
    /// The release, if it came to one.
    pub release: Option<Release>,
    /// The void, if it came to one.
    pub void: Option<Void>,
}

/// What answered the sources of a draw.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// When.
    pub at: Timestamp,
    /// One line for each source.
    pub lines: Vec<EntropyLine>,
    /// Log index of the arrival.
    pub entry: u64,
}

/// What is public from the release on.
#[derive(Clone, Debug)]
pub struct Release {
    /// When.
    pub at: Timestamp,
    /// Token that released it, or `server`.
    pub by: String,
    /// What was drawn.
    pub number: PositionNumber,
    /// The slot's secret, hex.
    pub secret: String,
    /// What answered the sources.
    pub entropy: Vec<EntropyLine>,
    /// Numbers skipped because they were released before.
    pub used: NumberSet,
    /// The seed, hex; empty for a draw by hand.
    pub seed: String,
    /// The throws of a draw by hand, as a comma list.
    pub throws: Option<String>,
    /// How many words of the keystream were read; none for a draw by hand.
    pub words_used: u32,
    /// Log index of the release.
    pub entry: u64,
}

/// The end of an attempt that does not count.
#[derive(Clone, Debug)]
pub struct Void {
    /// When.
    pub at: Timestamp,
    /// Token that voided it, or `server`.
    pub by: String,
    /// Why.
    pub reason: VoidReason,
    /// Whether anybody could know the outcome then.
    pub knowable: bool,
    /// First round of the block that the void applies to.
    pub from_round: u16,
    /// Whether that round had started: its games stay judged by this draw.
    pub after_start: bool,
    /// The slot's secret, hex.
    pub secret: String,
    /// What the draw would have given, once its beacon is known.
    pub abandoned: Option<PositionNumber>,
    /// Log index of the void.
    pub entry: u64,
}

impl Draw {
    /// Its state towards the public.
    pub fn state(&self) -> DrawState {
        match (&self.void, &self.release) {
            (Some(_), _) => DrawState::Voided,
            (None, Some(_)) => DrawState::Released,
            (None, None) if self.ready_at().is_none() => DrawState::AwaitingEntropy,
            (None, None) => DrawState::Sealed,
        }
    }

    /// The beacon round that it names.
    pub fn beacon(&self) -> Option<Beacon> {
        Beacon::named_in(&self.terms.sources)
    }

    /// When everything was there that its number follows from; none while entropy is to come.
    pub fn ready_at(&self) -> Option<Timestamp> {
        match &self.arrived {
            Some(arrived) => Some(self.ordered_at.max(arrived.at)),
            None => (self.terms.sources == [Source::None]).then_some(self.ordered_at),
        }
    }

    /// Whether it is neither released nor voided.
    pub fn is_live(&self) -> bool {
        self.release.is_none() && self.void.is_none()
    }

    /// What its number is drawn from, once everything is there.
    pub fn entropy(&self) -> Option<Vec<EntropyLine>> {
        match &self.arrived {
            Some(arrived) => Some(arrived.lines.clone()),
            None => self.ready_at().map(|_| vec![EntropyLine::None]),
        }
    }

    /// The release of a draw that counts.
    pub fn public(&self) -> Option<&Release> {
        self.release.as_ref().filter(|_| self.void.is_none())
    }

    /// What it protects against.
    pub fn grade(&self) -> Grade {
        let has = |wanted: fn(&Source) -> bool| self.terms.sources.iter().any(wanted);
        match () {
            () if has(|s| matches!(s, Source::Drand { .. })) => Grade::A,
            () if has(|s| matches!(s, Source::Dice)) => Grade::B,
            () if has(|s| matches!(s, Source::Manual { .. })) => Grade::M,
            () => Grade::C,
        }
    }

    /// Since when somebody could know the outcome, namely whoever holds the master, made at `master_made_at`: with local
    /// entropy alone from then on, with dice from the throw on, with a beacon from its time on.
    pub fn knowable_since(&self, master_made_at: Timestamp) -> Option<Timestamp> {
        match self.grade() {
            Grade::C => Some(master_made_at),
            Grade::A => self.beacon().and_then(Beacon::fires_at),
            _ => self.performed_at.or(self.thrown_at).or(self.arrived.as_ref().map(|arrived| arrived.at)),
        }
    }

    /// Whether somebody could know the outcome at this instant.
    pub fn is_knowable(&self, master_made_at: Timestamp, now: Timestamp) -> bool {
        self.release.is_some() || self.knowable_since(master_made_at).is_some_and(|since| since <= now)
    }

    /// Whether this attempt counts for `round` of its block.
    fn counts_for(&self, round: u16) -> bool {
        self.serves_from <= round && self.void.as_ref().is_none_or(|void| void.from_round > round)
    }
}

/// The attempt among `attempts` of one slot, in order, that `round` goes by: live, or voided only for later rounds.
pub fn current(attempts: &[Draw], round: u16) -> Option<&Draw> {
    attempts.iter().rev().find(|draw| draw.counts_for(round))
}

/// The attempt that a game of `round` is judged by: the one released when its round started. A later void marks the
/// report and never changes it.
pub fn judging(attempts: &[Draw], round: u16) -> Option<&Draw> {
    let started_under = |draw: &&Draw| {
        draw.release.is_some() && draw.void.as_ref().is_some_and(|v| v.after_start && v.from_round == round)
    };
    attempts.iter().find(started_under).or_else(|| current(attempts, round).filter(|draw| draw.release.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::derivation::Repeats;

    fn attempt(n: u16, serves_from: u16, released: bool, void: Option<(u16, bool)>) -> Draw {
        let at = Timestamp::UNIX_EPOCH;
        Draw {
            id: DrawId::new(at, [n as u8; 10]),
            tournament: TournamentId::new(at, [0; 10]),
            round: 1,
            board: 0,
            attempt: n,
            serves_from,
            ordered_at: at,
            ordered_by: "server".into(),
            terms: Terms { sources: vec![Source::None], excluded: NumberSet::default(), repeats: Repeats::Allowed },
            commitment: String::new(),
            entry: 0,
            arrived: None,
            performed_at: None,
            thrown_at: None,
            exported_at: None,
            restored_at: None,
            release: released.then(|| Release {
                at,
                by: "server".into(),
                number: PositionNumber::CLASSICAL,
                secret: String::new(),
                entropy: vec![],
                used: NumberSet::default(),
                seed: String::new(),
                throws: None,
                words_used: 1,
                entry: 1,
            }),
            void: void.map(|(from_round, after_start)| Void {
                at,
                by: "server".into(),
                reason: VoidReason::Leaked,
                knowable: true,
                from_round,
                after_start,
                secret: String::new(),
                abandoned: None,
                entry: 2,
            }),
        }
    }

    fn number(draw: Option<&Draw>) -> Option<u16> {
        draw.map(|draw| draw.attempt)
    }

    #[test]
    fn a_void_in_the_middle_of_a_block_leaves_the_played_round_alone() {
        let attempts = [attempt(1, 1, true, Some((2, false))), attempt(2, 2, false, None)];
        assert_eq!(number(current(&attempts, 1)), Some(1));
        assert_eq!(number(current(&attempts, 2)), Some(2));
        assert_eq!(number(judging(&attempts, 1)), Some(1));
        assert_eq!(number(judging(&attempts, 2)), None);
    }

    #[test]
    fn a_game_is_judged_by_the_attempt_its_round_started_with() {
        let attempts = [attempt(1, 1, true, Some((1, true))), attempt(2, 1, true, None)];
        assert_eq!(number(judging(&attempts, 1)), Some(1));
        assert_eq!(number(current(&attempts, 1)), Some(2));
        let redrawn = [attempt(1, 1, true, Some((1, false))), attempt(2, 1, true, None)];
        assert_eq!(number(judging(&redrawn, 1)), Some(2));
    }

    #[test]
    fn nothing_is_current_after_a_void_without_a_new_order() {
        let attempts = [attempt(1, 1, true, Some((1, false)))];
        assert!(current(&attempts, 1).is_none() && judging(&attempts, 1).is_none());
    }

    #[test]
    fn dice_are_awaited_and_known_from_the_throw_on() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut draw = attempt(1, 1, false, None);
        assert_eq!((draw.state(), draw.knowable_since(at(-9))), (DrawState::Sealed, Some(at(-9))));
        draw.terms.sources = vec![Source::Dice];
        assert_eq!((draw.state(), draw.grade(), draw.entropy()), (DrawState::AwaitingEntropy, Grade::B, None));
        assert!(!draw.is_knowable(at(-9), at(100)));
        draw.thrown_at = Some(at(50));
        assert!(!draw.is_knowable(at(-9), at(49)) && draw.is_knowable(at(-9), at(50)));
        let lines = vec![EntropyLine::Dice { digits: "63454660390103169462".into() }];
        draw.arrived = Some(Arrived { at: at(60), lines: lines.clone(), entry: 3 });
        assert_eq!((draw.state(), draw.ready_at(), draw.entropy()), (DrawState::Sealed, Some(at(60)), Some(lines)));
        assert_eq!(draw.knowable_since(at(-9)), Some(at(50)));
    }

    #[test]
    fn reasons_print_as_they_are_read() {
        for reason in VoidReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
        }
    }
}
