//! What is written down about requests: id, method, matched route, status and duration.
//!
//! Never the path or query as sent, a header or a body: those can hold tokens, and a sealed round's secrets must not
//! show in what the server writes. [`super::layers::around`] puts it in its place.

use super::{problem::Reason, state::AppState};
use crate::clock::Clock;
use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method},
    response::Response,
};
use metrics::{Counter, Histogram};
use std::{
    future::Future,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};
use tracing::{Instrument, Level, Span};

/// Names a request, in and out.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What is kept for the requests of one route: the clock and the number of the next request, which are those of all routes,
/// and its meters.
pub struct Trace {
    clock: Arc<dyn Clock>,
    serial: Arc<AtomicU32>,
    meters: Meters,
}

impl Trace {
    /// Counts from the first request of this server.
    pub fn new(state: &AppState) -> Self {
        Self { clock: Arc::clone(&state.desk.clock), serial: Arc::default(), meters: Meters::default() }
    }

    /// The same for a route of its own.
    pub fn of_route(&self) -> Self {
        Self { clock: Arc::clone(&self.clock), serial: Arc::clone(&self.serial), meters: Meters::default() }
    }

    /// What is known of a request before it is answered.
    pub fn asked(&self, request: &Request) -> Asked {
        Asked {
            began: Instant::now(),
            id: sent_id(request.headers()).unwrap_or_else(|| self.new_id()),
            method: known(request.method()),
            route: request.extensions().get::<MatchedPath>().cloned(),
        }
    }

    /// Unlike all others and in order of time; it need not be hard to guess.
    fn new_id(&self) -> HeaderValue {
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let mut id = *b"000000000000-000000";
        write_hex(&mut id[..12], self.clock.now().as_millisecond() as u64);
        write_hex(&mut id[13..], serial.into());
        HeaderValue::from_bytes(&id).unwrap_or(HeaderValue::from_static("none"))
    }
}

/// The last hexadecimal digits of a number, as many as there is room for.
fn write_hex(digits: &mut [u8], mut number: u64) {
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(number & 15) as usize];
        number >>= 4;
    }
}

/// A request as it is written down.
pub struct Asked {
    began: Instant,
    id: HeaderValue,
    method: &'static str,
    route: Option<MatchedPath>,
}

impl Asked {
    /// Whether it only reads.
    pub fn reading(&self) -> bool {
        matches!(self.method, "GET" | "HEAD")
    }

    fn route(&self) -> &str {
        self.route.as_ref().map_or("none", MatchedPath::as_str)
    }

    /// Of the highest level, so that lines of every level have the id.
    fn span(&self) -> Span {
        tracing::error_span!("request", id = self.id.to_str().ok(), method = self.method, route = self.route())
    }

    /// Answered reads are the many: at a release every screen in the hall asks at once. They are counted, and written down
    /// only where somebody looks closely.
    fn write_down(&self, span: Option<Span>, answer: &Response, took: Duration) {
        let (status, duration_ms) = (answer.status().as_u16(), took.as_secs_f64() * 1e3);
        let reason = answer.extensions().get::<Reason>();
        let quiet = is_probe(self.route()) || status < 400 && self.reading();
        if quiet && reason.is_none() && !tracing::enabled!(Level::DEBUG) {
            return;
        }
        let span = span.unwrap_or_else(|| self.span());
        span.in_scope(|| reason.inspect(|reason| reason.write_down()));
        span.in_scope(|| match quiet {
            true => tracing::debug!(status, duration_ms, "answered"),
            false => tracing::info!(status, duration_ms, "answered"),
        });
    }
}

/// Answers, names the answer after the request, and writes down what became of it.
///
/// A read that goes well has no span: making one costs as much as the answer, and a read writes no line of its own.
pub async fn request(trace: Arc<Trace>, asked: Asked, answer: impl Future<Output = Response>) -> Response {
    let span = (!asked.reading()).then(|| asked.span());
    let mut answer = match &span {
        Some(span) => answer.instrument(span.clone()).await,
        None => answer.await,
    };
    let took = asked.began.elapsed();
    asked.write_down(span, &answer, took);
    trace.meters.count(asked.route(), asked.method, answer.status().as_u16(), took);
    answer.headers_mut().insert(REQUEST_ID, asked.id);
    answer
}

fn is_probe(route: &str) -> bool {
    matches!(route, "/livez" | "/readyz" | "/metrics")
}

/// One meter of each route, method and status that was seen, so that a request does not look for it by its labels. Each route
/// keeps its own: there are few to look through.
#[derive(Default)]
struct Meters(RwLock<Vec<Meter>>);

struct Meter {
    route: String,
    method: &'static str,
    status: u16,
    duration: Histogram,
    requests: Counter,
}

impl Meters {
    fn count(&self, route: &str, method: &'static str, status: u16, took: Duration) {
        let same = |meter: &&Meter| (&*meter.route, meter.method, meter.status) == (route, method, status);
        if let Some(meter) = self.0.read().unwrap_or_else(PoisonError::into_inner).iter().find(same) {
            return meter.count(took);
        }
        let meter = Meter::new(route, method, status);
        meter.count(took);
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(meter);
    }
}

impl Meter {
    fn new(route: &str, method: &'static str, status: u16) -> Self {
        Self {
            route: route.to_owned(),
            method,
            status,
            duration: metrics::histogram!("d960_http_request_duration_seconds", "route" => route.to_owned()),
            requests: metrics::counter!("d960_http_requests_total", "route" => route.to_owned(), "method" => method,
                                        "status" => status.to_string()),
        }
    }

    fn count(&self, took: Duration) {
        self.duration.record(took.as_secs_f64());
        self.requests.increment(1);
    }
}

/// The caller's own id, if it is fit for a log line.
fn sent_id(headers: &HeaderMap) -> Option<HeaderValue> {
    let id = headers.get(REQUEST_ID)?;
    let sane = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
    ((1..=64).contains(&id.len()) && id.as_bytes().iter().all(sane)).then(|| id.clone())
}

/// Anybody may send a method of his own making; metrics must not grow with them.
fn known(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(value: &'static str) -> Option<HeaderValue> {
        sent_id(&HeaderMap::from_iter([(REQUEST_ID, HeaderValue::from_static(value))]))
    }

    #[test]
    fn a_caller_may_name_his_request() {
        assert_eq!(sent("pairing-tool_7.42").unwrap(), "pairing-tool_7.42");
        let long = "x".repeat(65).leak();
        for bad in ["", "a b", "a\tb", "id=\"x\"", long] {
            assert_eq!(sent(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn numbers_are_cut_to_their_room() {
        let mut digits = *b"--------";
        write_hex(&mut digits[..4], 0xa0f);
        write_hex(&mut digits[5..], 0x1_2345);
        assert_eq!(&digits, b"0a0f-345");
    }

    #[test]
    fn invented_methods_are_one() {
        assert_eq!(known(&Method::from_bytes(b"BREW").unwrap()), "other");
        assert_eq!(known(&Method::PATCH), "PATCH");
    }
}
