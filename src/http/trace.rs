//! What is written down about requests: id, method, matched route, status and duration.
//!
//! Never the path or query as sent, a header or a body: those can hold tokens, and a sealed round's secrets must not
//! show in what the server writes. [`request`] is a middleware; [`super::layers::around`] puts it in its place.

use super::state::AppState;
use crate::clock::Clock;
use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method},
    response::Response,
};
use metrics::{Counter, Histogram};
use std::{
    collections::HashMap,
    future::Future,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};
use tracing::Instrument;

/// Names a request, in and out.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What the middleware keeps: the clock and the number of the next request.
#[derive(Clone)]
pub struct Trace {
    clock: Arc<dyn Clock>,
    serial: Arc<AtomicU32>,
    meters: Arc<Meters>,
}

impl Trace {
    /// Counts from the first request of this server.
    pub fn new(state: &AppState) -> Self {
        Self { clock: Arc::clone(&state.desk.clock), serial: Arc::default(), meters: Arc::default() }
    }

    /// Unlike all others and in order of time; it need not be hard to guess.
    fn new_id(&self) -> String {
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        format!("{:012x}-{:06x}", self.clock.now().as_millisecond(), serial & 0xff_ffff)
    }
}

/// Gives the request its id, and writes down what became of it.
pub async fn request<F: Future<Output = Response>>(
    trace: Trace,
    request: Request,
    run: impl FnOnce(Request) -> F,
) -> Response {
    let began = Instant::now();
    let id = sent_id(request.headers()).unwrap_or_else(|| trace.new_id());
    let method = known(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let span = tracing::info_span!("request", id, method, route);
    let mut response = run(request).instrument(span.clone()).await;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let (status, took) = (response.status().as_u16(), began.elapsed());
    span.in_scope(|| write_down(route, method, status, took));
    trace.meters.count(route, method, status, took);
    response
}

/// Answered reads are the many: at a release every screen in the hall asks at once. They are counted, and written down
/// only where somebody looks closely.
fn write_down(route: &str, method: &'static str, status: u16, took: Duration) {
    let duration_ms = took.as_secs_f64() * 1e3;
    if is_probe(route) || status < 400 && matches!(method, "GET" | "HEAD") {
        tracing::debug!(status, duration_ms, "answered");
    } else {
        tracing::info!(status, duration_ms, "answered");
    }
}

fn is_probe(route: &str) -> bool {
    matches!(route, "/livez" | "/readyz" | "/metrics")
}

/// One meter of each route, method and status that was seen, so that a request does not look for it by its labels.
#[derive(Default)]
struct Meters(RwLock<HashMap<String, Vec<Meter>>>);

#[derive(Clone)]
struct Meter {
    method: &'static str,
    status: u16,
    duration: Histogram,
    requests: Counter,
}

impl Meters {
    fn count(&self, route: &str, method: &'static str, status: u16, took: Duration) {
        let meter = self.known(route, method, status).unwrap_or_else(|| self.add(route, method, status));
        meter.duration.record(took.as_secs_f64());
        meter.requests.increment(1);
    }

    fn known(&self, route: &str, method: &'static str, status: u16) -> Option<Meter> {
        let meters = self.0.read().unwrap_or_else(PoisonError::into_inner);
        meters.get(route)?.iter().find(|meter| meter.method == method && meter.status == status).cloned()
    }

    fn add(&self, route: &str, method: &'static str, status: u16) -> Meter {
        let meter = Meter {
            method,
            status,
            duration: metrics::histogram!("d960_http_request_duration_seconds", "route" => route.to_owned()),
            requests: metrics::counter!("d960_http_requests_total", "route" => route.to_owned(), "method" => method,
                                        "status" => status.to_string()),
        };
        let mut meters = self.0.write().unwrap_or_else(PoisonError::into_inner);
        meters.entry(route.to_owned()).or_default().push(meter.clone());
        meter
    }
}

/// The caller's own id, if it is fit for a log line.
fn sent_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let sane = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    ((1..=64).contains(&id.len()) && id.chars().all(sane)).then(|| id.to_owned())
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

    fn sent(value: &'static str) -> Option<String> {
        sent_id(&HeaderMap::from_iter([(REQUEST_ID, HeaderValue::from_static(value))]))
    }

    #[test]
    fn a_caller_may_name_his_request() {
        assert_eq!(sent("pairing-tool_7.42").as_deref(), Some("pairing-tool_7.42"));
        let long = "x".repeat(65).leak();
        for bad in ["", "a b", "a\tb", "id=\"x\"", long] {
            assert_eq!(sent(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn invented_methods_are_one() {
        assert_eq!(known(&Method::from_bytes(b"BREW").unwrap()), "other");
        assert_eq!(known(&Method::PATCH), "PATCH");
    }
}
