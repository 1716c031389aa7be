//! What can be refused: the closed list of faults, each with the sentence for the one who asked.
//!
//! Core and store know faults by these codes; what status an HTTP answer has is decided in one table in `http`.

use serde_json::{Map, Value};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Code of a fault; its text is the last part of the problem's type URI and never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// The whole list.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Stable text of the code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The body is not JSON at all.
    MalformedJson = "malformed-json",
    /// A field of the body, path or query has no possible meaning.
    InvalidField = "invalid-field",
    /// The body is larger than the limit.
    BodyTooLarge = "body-too-large",
    /// The body did not arrive in time.
    BodyTooSlow = "body-too-slow",
    /// The body broke off, or its chunks are none.
    BodyBroken = "body-broken",
    /// The body is of a kind that is not read here.
    UnsupportedMediaType = "unsupported-media-type",
    /// No token, or one that is not known (any more).
    Unauthenticated = "unauthenticated",
    /// The token's role may not do this.
    RoleNotAllowed = "role-not-allowed",
    /// The token belongs to another tournament or board.
    OutsideTokenScope = "outside-token-scope",
    /// There is nothing at this path.
    RouteUnknown = "route-unknown",
    /// The path exists, the method does not.
    MethodNotAllowed = "method-not-allowed",
    /// No such tournament.
    TournamentUnknown = "tournament-unknown",
    /// No such round in the tournament.
    RoundUnknown = "round-unknown",
    /// No such board in the round.
    BoardUnknown = "board-unknown",
    /// No such draw.
    DrawUnknown = "draw-unknown",
    /// No such game.
    GameUnknown = "game-unknown",
    /// No such token.
    TokenUnknown = "token-unknown",
    /// No such log entry.
    EntryUnknown = "entry-unknown",
    /// Not a position number in the scheme named.
    NotAPositionNumber = "not-a-position-number",
    /// Not one of the 960 start positions.
    NotAStartPosition = "not-a-start-position",
    /// Not a legal position.
    NotAPosition = "not-a-position",
    /// The position is not released yet.
    PositionSealed = "position-sealed",
    /// The draw was voided and not ordered again.
    DrawVoided = "draw-voided",
    /// Each board has its own position: name the board.
    PositionPerBoard = "position-per-board",
    /// The slug is taken, for ever.
    SlugTaken = "slug-taken",
    /// The tournament has ended.
    TournamentEnded = "tournament-ended",
    /// A policy that contradicts itself or the rules.
    PolicyInvalid = "policy-invalid",
    /// A way of drawing by hand that does not give each position the same chance.
    ProcedureRefused = "procedure-refused",
    /// The policy is fixed since the first release.
    PolicyFixed = "policy-fixed",
    /// Fewer than twice as many allowed numbers as slots, and not said so.
    SmallPool = "small-pool",
    /// No number is left for another draw.
    NumbersExhausted = "numbers-exhausted",
    /// Not an IANA time zone.
    TimeZoneUnknown = "time-zone-unknown",
    /// The clocks jump over this local time.
    LocalTimeNonexistent = "local-time-nonexistent",
    /// This local time comes twice.
    LocalTimeAmbiguous = "local-time-ambiguous",
    /// The start of play lies in the past.
    StartInPast = "start-in-past",
    /// Too little time is left between release and start of play.
    TooLate = "too-late",
    /// A schedule that looks like a mistake: repeat the release instant to confirm it.
    ConfirmSchedule = "confirm-schedule",
    /// A move that would release at once: say release_now.
    ConfirmReleaseNow = "confirm-release-now",
    /// Only an arbiter may do this now.
    ArbiterRequired = "arbiter-required",
    /// The round's position is public: say what becomes of it.
    RoundReleased = "round-released",
    /// The round has started.
    RoundStarted = "round-started",
    /// The round has no date.
    RoundPostponed = "round-postponed",
    /// The slot has a live draw already.
    DrawExists = "draw-exists",
    /// The draw is voided already.
    DrawAlreadyVoided = "draw-already-voided",
    /// Nothing waits for this entropy.
    EntropyNotAwaited = "entropy-not-awaited",
    /// The draw cannot be released: its entropy is still to come.
    EntropyAwaited = "entropy-awaited",
    /// It is not the value of the beacon round.
    BeaconInvalid = "beacon-invalid",
    /// Another number may yet be released before the throws of a draw that must not repeat one.
    ThrowsTooEarly = "throws-too-early",
    /// Two posts of a throw differ.
    DiceMismatch = "dice-mismatch",
    /// The dice must be confirmed by another token.
    SecondTokenRequired = "second-token-required",
    /// These dice were thrown before the draw was ordered.
    DiceUsed = "dice-used",
    /// Dice of the round are posted and not settled: nothing is ordered for it meanwhile.
    DiceUnderWay = "dice-under-way",
    /// The round is not overdue.
    NotOverdue = "not-overdue",
    /// The same Idempotency-Key came with another request.
    IdempotencyKeyReused = "idempotency-key-reused",
    /// Pairings were frozen at the release.
    PairingsFrozen = "pairings-frozen",
    /// A board with a game cannot be dropped from the pairings.
    BoardHasGame = "board-has-game",
    /// The board has no pairing.
    BoardUnpaired = "board-unpaired",
    /// Another record of this game exists.
    GameExists = "game-exists",
    /// The game is annulled already.
    GameAnnulled = "game-annulled",
    /// The log or the database is not the one this server left: writing is refused.
    ServerReadOnly = "server-read-only",
    /// The database cannot be reached or written now.
    Unavailable = "unavailable",
    /// A mistake of ours.
    Internal = "internal",
}

/// A refusal: code, sentence, and the members that help a program to react.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Which of the closed list.
    pub code: Code,
    /// One sentence on this very case.
    pub detail: String,
    /// Fields at fault: JSON pointer or parameter name, and why.
    pub fields: Vec<(String, String)>,
    /// Further members of the problem document.
    pub members: Map<String, Value>,
    /// For our own log only: what lies behind an internal fault.
    pub cause: Option<String>,
}

impl Fault {
    /// A fault with its sentence.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), fields: Vec::new(), members: Map::new(), cause: None }
    }

    /// A field at fault, as JSON pointer (`/policy/lead_minutes`) or parameter name.
    pub fn field(pointer: impl Into<String>, why: impl Into<String>) -> Self {
        Self::at(Code::InvalidField, pointer, why)
    }

    /// A fault of another code that lies in one field.
    pub fn at(code: Code, pointer: impl Into<String>, why: impl Into<String>) -> Self {
        let (pointer, why) = (pointer.into(), why.into());
        let mut fault = Self::new(code, why.clone());
        fault.fields.push((pointer, why));
        fault
    }

    /// A mistake of ours: the one who asked learns no more than that, the log gets the cause.
    pub fn internal(cause: impl Into<String>) -> Self {
        let detail = "something went wrong on this server; the request id names the case in its log";
        Self { cause: Some(cause.into()), ..Self::new(Code::Internal, detail) }
    }

    /// What the operator is told at the command line: there the cause is no secret.
    pub fn told(self) -> String {
        self.cause.unwrap_or(self.detail)
    }

    /// Adds a member to the problem document.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_kebab_case() {
        let mut seen = std::collections::HashSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.as_str()));
            assert!(code.as_str().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
        }
    }
}
