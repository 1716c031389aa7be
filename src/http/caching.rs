//! Cache headers, decided once: what is public may be kept and must be asked about again; everything else is not kept.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

/// A public answer with an entity tag: 304 when the caller has it already.
pub fn tagged(request: &HeaderMap, etag: &str, media_type: &'static str, body: impl Into<Body>) -> Response {
    let known = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let known = known.flat_map(|value| value.split(',')).map(|tag| tag.trim().trim_start_matches("W/"));
    let mut response = if known.into_iter().any(|tag| tag == etag || tag == "*") {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, media_type)], body.into()).into_response()
    };
    if let Ok(etag) = HeaderValue::from_str(etag) {
        response.headers_mut().insert(header::ETAG, etag);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// An answer that no cache keeps.
pub fn fresh(response: impl IntoResponse) -> Response {
    let mut response = response.into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
