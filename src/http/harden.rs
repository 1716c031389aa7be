//! What every request and answer goes through for safety: writes that nobody can tear, panics that become problems,
//! bodies that must arrive, and headers that keep browsers honest. [`super::layers::around`] puts them in their places.

use super::problem::{self, Problem};
use crate::domain::fault::Fault;
use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use std::{
    any::Any,
    convert::Infallible,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

/// Carries a write through although the client hangs up: an act is done whole, with its log line and its place on the
/// bulletin board, or not at all.
pub async fn unbroken(reading: bool, answer: impl Future<Output = Response> + Send + 'static) -> Response {
    if reading {
        return answer.await;
    }
    match tokio::spawn(answer).await {
        Ok(response) => response,
        Err(why) => {
            let fault = Fault::internal(why.to_string());
            problem::log(&fault);
            Problem(fault).into_response()
        }
    }
}

/// A panic is a mistake of ours: the caller gets a problem, not a cut connection, and the log its message.
pub async fn caught(answer: impl Future<Output = Result<Response, Infallible>>) -> Response {
    let mut answer = pin!(answer);
    // Nothing of it is used after a panic but for being dropped.
    let answered = poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
        Ok(answered) => answered.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    });
    match answered.await {
        Ok(Ok(response)) => response,
        Err(panic) => panicked(panic),
    }
}

fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Problem(Fault::internal(format!("panic: {}", text.unwrap_or("without a message")))).into_response()
}

/// Security headers; what a handler has set itself stays.
pub async fn headers(reading: bool, answer: impl Future<Output = Response>) -> Response {
    let mut response = answer.await;
    let headers = response.headers_mut();
    ALWAYS.into_iter().for_each(|(name, value)| set(headers, name, value));
    if reading {
        // What everybody may read, every web page may read. A page of another site cannot send a token: for that its
        // browser would first ask for permission, which is never given.
        READABLE.into_iter().for_each(|(name, value)| set(headers, name, value));
    }
    response
}

/// Pages bring all they need: no page of ours loads anything from elsewhere, or runs inside another site's frame.
const ALWAYS: [(HeaderName, HeaderValue); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'",
        ),
    ),
];

/// `date` is for screens that count down to a release: with it they go by the server's clock, not by their own.
const READABLE: [(HeaderName, HeaderValue); 2] = [
    (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    (
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("date, etag, retry-after, x-request-id, x-draw960-checkpoint"),
    ),
];

fn set(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) {
    headers.entry(name).or_insert(value);
}
