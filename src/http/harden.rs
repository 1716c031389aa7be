//! What every request and answer goes through for safety: writes that nobody can tear, panics that become problems,
//! bodies that must arrive, and headers that keep browsers honest. [`super::layers::around`] puts them in their places.

use super::problem::Problem;
use crate::domain::fault::Fault;
use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use std::{any::Any, future::Future};

/// Carries a write through although the client hangs up: an act is done whole, with its log line and its place on the
/// bulletin board, or not at all.
pub async fn unbroken(reading: bool, answer: impl Future<Output = Response> + Send + 'static) -> Response {
    if reading {
        return answer.await;
    }
    match tokio::spawn(answer).await {
        Ok(response) => response,
        Err(why) => Problem(Fault::internal(why.to_string())).into_response(),
    }
}

/// A panic is a mistake of ours: the caller gets a problem, the log its message.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Problem(Fault::internal(format!("panic: {}", text.unwrap_or("without a message")))).into_response()
}

/// Security headers; what a handler has set itself stays.
pub async fn headers(reading: bool, answer: impl Future<Output = Response>) -> Response {
    let mut response = answer.await;
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        set(headers, name, value);
    }
    if reading {
        // What everybody may read, every web page may read. A page of another site cannot send a token: for that its
        // browser would first ask for permission, which is never given.
        set(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        set(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
    response
}

/// `date` is for screens that count down to a release: with it they go by the server's clock, not by their own.
const EXPOSED: &str = "date, etag, retry-after, x-request-id, x-draw960-checkpoint";

/// Pages bring all they need: no page of ours loads anything from elsewhere, or runs inside another site's frame.
const ALWAYS: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
    ),
];

fn set(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.entry(name).or_insert(HeaderValue::from_static(value));
}
