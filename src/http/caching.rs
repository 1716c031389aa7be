//! Cache headers, decided once: what is public may be kept and must be asked about again; everything else is not kept.

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

/// Headers that an answer has room for from the start: growing their table costs more than all that is put into it.
const ROOM: usize = 12;

/// A public answer with an entity tag: 304 when the caller has it already.
pub fn tagged(request: &HeaderMap, etag: &Bytes, media_type: &'static str, body: &Bytes) -> Response {
    let known = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let known = known.flat_map(|value| value.split(',')).map(|tag| tag.trim().trim_start_matches("W/"));
    let mut response = Response::new(Body::empty());
    let mut headers = HeaderMap::with_capacity(ROOM);
    if known.into_iter().any(|tag| tag.as_bytes() == etag || tag == "*") {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        *response.body_mut() = body.clone().into();
    }
    if let Ok(etag) = HeaderValue::from_maybe_shared(etag.clone()) {
        headers.insert(header::ETAG, etag);
    }
    headers.insert(header::CACHE_CONTROL, const { HeaderValue::from_static("no-cache") });
    *response.headers_mut() = headers;
    response
}

/// An answer that no cache keeps.
pub fn fresh(response: impl IntoResponse) -> Response {
    let mut response = response.into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
