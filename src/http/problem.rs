//! Problems (RFC 9457): how each fault of the closed list looks over HTTP.

use crate::domain::fault::{Code, Fault};
use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Where the pages about problem types are served; with the code it makes the stable type URI.
pub const TYPES: &str = "/problems/";

/// A fault on its way out.
#[derive(Debug)]
pub struct Problem(pub Fault);

impl<T: Into<Fault>> From<T> for Problem {
    fn from(fault: T) -> Self {
        Self(fault.into())
    }
}

/// Status and title of a code, and what the one who asked can do.
pub struct Kind {
    /// HTTP status.
    pub status: StatusCode,
    /// Short name for people.
    pub title: &'static str,
    /// What it means and what helps.
    pub about: &'static str,
}

/// The table of problem types.
pub fn kind(code: Code) -> Kind {
    use Code as C;
    let (status, title, about) = match code {
        C::MalformedJson => (400, "Malformed JSON", "The body is not JSON, or ends too early. Nothing was done."),
        C::InvalidField => (
            422,
            "Invalid field",
            "A field, parameter or header has no possible meaning here, is missing or is not known. The member errors names each place by JSON pointer or name.",
        ),
        C::BodyTooLarge => (413, "Body too large", "The body is larger than this path reads."),
        C::BodyTooSlow => (
            408,
            "Body too slow",
            "The body did not arrive in time: fifteen seconds, and one more for every 64 KiB that came. Nothing was done.",
        ),
        C::BodyBroken => {
            (400, "Body broken", "The body broke off, or is not what its headers announce. Nothing was done.")
        }
        C::UnsupportedMediaType => {
            (415, "Unsupported media type", "This path reads application/json, and games also application/x-chess-pgn.")
        }
        C::Unauthenticated => (
            401,
            "Unauthenticated",
            "Send Authorization: Bearer with a token of this server. A token that was taken back is not known any more.",
        ),
        C::RoleNotAllowed => (403, "Role not allowed", "The token is good, but its role may not do this."),
        C::OutsideTokenScope => {
            (403, "Outside the token's scope", "The token is good, but belongs to another tournament or board.")
        }
        C::RouteUnknown => {
            (404, "Nothing here", "This server has nothing at this path. The paths are listed in /api/docs.")
        }
        C::MethodNotAllowed => (
            405,
            "Method not allowed",
            "The path exists, but not with this method; the header Allow names those that do.",
        ),
        C::TournamentUnknown => (404, "Tournament unknown", "No tournament on this server has this id or slug."),
        C::RoundUnknown => (404, "Round unknown", "The tournament has no round of this number."),
        C::BoardUnknown => (404, "Board unknown", "The round has no board of this number."),
        C::DrawUnknown => (404, "Draw unknown", "No draw has this id."),
        C::GameUnknown => (404, "Game unknown", "No recorded game has this id."),
        C::TokenUnknown => (404, "Token unknown", "The tournament has no such token, or it was taken back before."),
        C::EntryUnknown => (404, "Entry unknown", "The log has no entry of this index."),
        C::NotAPositionNumber => (
            422,
            "Not a position number",
            "Position numbers run from 0 to 959 (Scharnagl); 518 is the classical array. A DGT960 clock calls position 0 \"960\": name the scheme dgt960 for its numbers.",
        ),
        C::NotAStartPosition => (
            422,
            "Not a start position",
            "This is not one of the 960 start positions; detail says which rule it breaks.",
        ),
        C::NotAPosition => (422, "Not a position", "This FEN is not a legal position; detail says why."),
        C::PositionSealed => (
            403,
            "Position sealed",
            "The position of this round is not released. Nobody can see it before: no number exists yet. Ask again at release_at.",
        ),
        C::DrawVoided => {
            (410, "Draw voided", "The draw of this round was voided and not ordered again. The round's page shows why.")
        }
        C::PositionPerBoard => (
            409,
            "Position per board",
            "In this tournament each board has its own position: ask for /boards/{board}/position.",
        ),
        C::SlugTaken => (
            409,
            "Slug taken",
            "A slug is taken for ever, so that a tournament cannot be run twice and the better draw be shown. Choose another.",
        ),
        C::TournamentEnded => {
            (409, "Tournament ended", "The tournament was closed or cancelled: nothing more is drawn or moved in it.")
        }
        C::PolicyInvalid => {
            (422, "Policy invalid", "The policy contradicts the rules or itself; errors names the field.")
        }
        C::ProcedureRefused => (
            422,
            "Procedure refused",
            "This way of drawing by hand favours some positions. /api/v1/manual-procedures lists those that do not.",
        ),
        C::PolicyFixed => (
            409,
            "Policy fixed",
            "The policy is fixed from the first release on, and some of it from the first scheduled round on.",
        ),
        C::SmallPool => (
            409,
            "Small pool",
            "So few numbers are allowed that later positions can be narrowed down. If that is meant, declare small_pool in the policy; the public sees it.",
        ),
        C::NumbersExhausted => {
            (409, "Numbers exhausted", "Without repeats, no allowed number is left for another draw.")
        }
        C::TimeZoneUnknown => (422, "Time zone unknown", "Give an IANA name such as Europe/Vilnius."),
        C::LocalTimeNonexistent => (
            422,
            "Local time does not exist",
            "The clocks jump over this time that night. Send one of candidates, which carry their offset.",
        ),
        C::LocalTimeAmbiguous => (
            422,
            "Local time is ambiguous",
            "This time comes twice that night. Send one of candidates, which carry their offset.",
        ),
        C::StartInPast => (422, "Start in the past", "The start of play lies in the past."),
        C::TooLate => (
            409,
            "Too late",
            "Players need ten minutes with the position. Move the start to earliest_starts_at or later, or declare custom_lead in the policy.",
        ),
        C::ConfirmSchedule => (
            409,
            "Confirm the schedule",
            "This schedule looks like a mistake; warnings says why. If it is meant, repeat the request with confirm_release_at set to release_at.",
        ),
        C::ConfirmReleaseNow => (
            409,
            "Confirm the release",
            "This move would release the position within a minute. If it is meant, repeat the request with release_now: true.",
        ),
        C::ArbiterRequired => (
            403,
            "Arbiter required",
            "Pairing software may schedule a round and move its start later until 30 minutes before the release. The rest is for an arbiter.",
        ),
        C::RoundReleased => (
            409,
            "Position is public",
            "The position is public already. Say if_released: \"keep\" to keep it or \"void\" to void it.",
        ),
        C::RoundStarted => (409, "Round started", "Play has begun: the round cannot be moved."),
        C::RoundPostponed => (409, "Round postponed", "The round has no date: schedule it first."),
        C::DrawExists => (
            409,
            "Draw exists",
            "The slot has a live draw; draw names it. Void it, with a reason, before another is ordered.",
        ),
        C::DrawAlreadyVoided => (409, "Draw already voided", "The draw was voided before."),
        C::EntropyNotAwaited => (
            409,
            "Entropy not awaited",
            "No draw of this round waits for it: nothing is ordered, it came before, or the draw has another source.",
        ),
        C::EntropyAwaited => (
            409,
            "Entropy awaited",
            "The draw waits for dice or a beacon and cannot be released without. Post it, or void the draw and order the next attempt.",
        ),
        C::BeaconInvalid => (
            422,
            "Beacon invalid",
            "This is not the value of the beacon round: the signature is not the chain's. Nothing was changed; ask another relay.",
        ),
        C::ThrowsTooEarly => (
            409,
            "Throws too early",
            "No number may come twice in this tournament, and another one is to be released before this draw. Throw after that release.",
        ),
        C::DiceMismatch => (
            409,
            "Dice differ",
            "Two posts of one throw differ; both stay in the record. Void the waiting draws of the round, order them again and throw again.",
        ),
        C::SecondTokenRequired => (
            409,
            "Second token required",
            "This token posted the throw already. Another arbiter or deputy reads the dice and posts them with a token of their own.",
        ),
        C::DiceUsed => (
            422,
            "Dice used",
            "These digits were posted before the draw was ordered, so somebody could know its outcome. Throw again.",
        ),
        C::DiceUnderWay => (
            409,
            "Dice under way",
            "A throw for this round is posted and not settled. Confirm it first, or void every draw of the round that waits for it.",
        ),
        C::NotOverdue => (
            409,
            "Not overdue",
            "Only a release that was missed is sent by hand. All others are sent by themselves at their instant.",
        ),
        C::IdempotencyKeyReused => (
            422,
            "Idempotency key reused",
            "This Idempotency-Key came with another request before. Take a new key for a new request.",
        ),
        C::PairingsFrozen => (
            409,
            "Pairings frozen",
            "Pairings freeze at the release. A change after it needs a reason, which is shown.",
        ),
        C::BoardHasGame => {
            (409, "Board has a game", "A board with a recorded game cannot be dropped from the pairings.")
        }
        C::BoardUnpaired => {
            (409, "Board not paired", "Nobody is paired on this board in this round: publish the pairings first.")
        }
        C::GameExists => (
            409,
            "Game exists",
            "Another record of this game exists; game names it. Say replaces and as: \"correction\" or \"replay\" to put this one in its place.",
        ),
        C::GameAnnulled => (409, "Game annulled", "The game was annulled or replaced before."),
        C::ServerReadOnly => (
            503,
            "Server is read-only",
            "The database or log is not the one this server left: it reads, but orders, voids and releases nothing. detail says what the operator has to do.",
        ),
        C::Unavailable => (
            503,
            "Unavailable",
            "The database cannot be used now. Whether a change was made is unknown: ask again, with the same Idempotency-Key.",
        ),
        C::Internal => (
            500,
            "Internal error",
            "A mistake of this server. The request id in the header X-Request-Id finds the case in its log.",
        ),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Kind { status, title, about }
}

/// The problem document.
pub fn document(fault: &Fault) -> Value {
    let Kind { status, title, .. } = kind(fault.code);
    let mut document = Map::new();
    document.insert("type".into(), format!("{TYPES}{}", fault.code.as_str()).into());
    document.insert("title".into(), title.into());
    document.insert("status".into(), status.as_u16().into());
    document.insert("detail".into(), fault.detail.clone().into());
    if !fault.fields.is_empty() {
        let errors = fault.fields.iter().map(|(pointer, detail)| json!({"pointer": pointer, "detail": detail}));
        document.insert("errors".into(), errors.collect());
    }
    document.extend(fault.members.clone());
    document.into()
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(fault) = self;
        let mut response = Response::new(Body::from(document(&fault).to_string()));
        *response.status_mut() = kind(fault.code).status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(after) = retry_after(&fault) {
            headers.insert(header::RETRY_AFTER, after);
        }
        if fault.code == Code::Unauthenticated {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"draw960\""));
        }
        response.extensions_mut().insert(Reason(Arc::new(fault)));
        response
    }
}

/// A sealed position says when to ask again, as a date, because no read looks at the clock.
fn retry_after(fault: &Fault) -> Option<HeaderValue> {
    match fault.code {
        Code::PositionSealed => {
            let at: jiff::Timestamp = fault.members.get("release_at")?.as_str()?.parse().ok()?;
            let date = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&at).ok()?;
            HeaderValue::from_str(&date).ok()
        }
        Code::Unavailable => Some(HeaderValue::from_static("2")),
        _ => None,
    }
}

/// Goes with the answer, unseen by the caller, until it is written down once, under the id of the request.
#[derive(Clone)]
pub struct Reason(Arc<Fault>);

impl Reason {
    /// Writes the log line.
    pub fn write_down(&self) {
        log(&self.0);
    }
}

/// Mistakes of those who ask are not our errors.
pub(super) fn log(fault: &Fault) {
    let code = fault.code.as_str();
    match (&fault.cause, kind(fault.code).status.is_server_error()) {
        (Some(cause), true) => tracing::error!(problem = code, cause, "request failed"),
        (_, true) => tracing::error!(problem = code, detail = fault.detail, "request failed"),
        (_, false) => tracing::debug!(problem = code, detail = fault.detail, "request refused"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_kind() {
        for code in Code::ALL {
            let kind = kind(*code);
            assert!(kind.status.is_client_error() || kind.status.is_server_error(), "{code:?}");
            assert!(kind.title.len() > 3 && kind.about.ends_with('.'), "{code:?}");
        }
    }

    #[test]
    fn a_sealed_position_says_when() {
        let fault = crate::bulletin::sealed(Some("2026-12-05T07:45:00Z".parse().unwrap()));
        let response = Problem(fault).into_response();
        assert_eq!(response.status(), 403);
        assert_eq!(response.headers()["retry-after"], "Sat, 05 Dec 2026 07:45:00 GMT");
        assert_eq!(response.headers()["cache-control"], "no-store");
    }
}
