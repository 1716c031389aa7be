//! From request to typed values: who asks, which path and query, which body. Every rejection is a problem.
//!
//! Bodies are read late, by [`Payload`], because a request about a sealed slot is refused before its body is looked at.

use super::{problem::Problem, slow_body::TooSlow, state::AppState};
use crate::{
    desk::Actor,
    domain::fault::{Code, Fault},
};
use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, header, request::Parts},
};
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;

/// Largest JSON body.
pub const JSON_LIMIT: usize = 1 << 20;
/// Largest body of games: a round of a large open, with comments.
pub const GAMES_LIMIT: usize = 8 << 20;

/// Who asks; none for the public.
pub struct Caller(pub Option<Actor>);

impl Caller {
    /// The holder of a token.
    ///
    /// # Errors
    /// `unauthenticated` without one.
    pub fn actor(&self) -> Result<&Actor, Fault> {
        self.0.as_ref().ok_or_else(|| Fault::new(Code::Unauthenticated, "this needs a token: Authorization: Bearer …"))
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let Some(value) = parts.headers.get(header::AUTHORIZATION) else { return Ok(Self(None)) };
        let bearer = value.to_str().ok().and_then(|text| text.split_once(' '));
        let token = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
        let token = token.ok_or_else(|| Fault::new(Code::Unauthenticated, "the scheme is Bearer"))?;
        Ok(Self(Some(state.desk.actor(token).await?)))
    }
}

/// The path's parameters.
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<AppState> for Path<T> {
    type Rejection = Problem;

    #[expect(clippy::disallowed_types, reason = "the one place that turns its rejection into a problem")]
    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0)).map_err(|why| Problem(Fault::field("path", why.body_text())))
    }
}

/// The query's parameters.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for Query<T> {
    type Rejection = Problem;

    #[expect(clippy::disallowed_types, reason = "the one place that turns its rejection into a problem")]
    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        let query = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        query.map(|query| Self(query.0)).map_err(|why| Problem(Fault::field("query", why.body_text())))
    }
}

/// A body that is not read yet.
pub struct Payload {
    /// The request's headers.
    pub headers: HeaderMap,
    body: Body,
}

impl<S: Sync> FromRequest<S> for Payload {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        Ok(Self { headers: parts.headers, body })
    }
}

impl Payload {
    /// The media type without parameters, lower-case.
    pub fn media_type(&self) -> String {
        let value = self.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    fn is_json(&self) -> bool {
        let media_type = self.media_type();
        media_type == "application/json" || media_type.ends_with("+json")
    }

    /// A header's text.
    ///
    /// # Errors
    /// `invalid-field` when it is not visible ASCII or longer than 255 characters.
    pub fn text_header(&self, name: &'static str) -> Result<Option<String>, Fault> {
        let Some(value) = self.headers.get(name) else { return Ok(None) };
        let text = value.to_str().ok().filter(|text| (1..=255).contains(&text.len()));
        text.map(|text| Some(text.to_owned())).ok_or_else(|| Fault::field(name, "1 to 255 visible ASCII characters"))
    }

    /// The bytes, at most `limit`.
    ///
    /// # Errors
    /// `body-too-large`, `body-too-slow`, `body-broken`.
    pub async fn bytes(self, limit: usize) -> Result<Bytes, Fault> {
        let too_large = || Fault::new(Code::BodyTooLarge, format!("this path reads at most {limit} bytes"));
        let announced = self.headers.get(header::CONTENT_LENGTH).and_then(|n| n.to_str().ok()?.parse::<usize>().ok());
        if announced.is_some_and(|n| n > limit) {
            return Err(too_large());
        }
        to_bytes(self.body, limit).await.map_err(|why| match std::error::Error::source(&why) {
            Some(source) if source.is::<LengthLimitError>() => too_large(),
            _ if TooSlow::caused(&why) => Fault::new(Code::BodyTooSlow, TooSlow.to_string()),
            _ => Fault::new(Code::BodyBroken, "the body broke off, or is not what the headers announce"),
        })
    }

    /// The body as JSON, and its bytes.
    ///
    /// # Errors
    /// `unsupported-media-type`, `malformed-json`, or `invalid-field` with the pointer.
    pub async fn json_and_bytes<T: DeserializeOwned>(self) -> Result<(T, Bytes), Fault> {
        if !self.is_json() {
            return Err(not_json());
        }
        let bytes = self.bytes(JSON_LIMIT).await?;
        parse(&bytes).map(|value| (value, bytes))
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// As [`Payload::json_and_bytes`].
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, Fault> {
        self.json_and_bytes().await.map(|(value, _)| value)
    }

    /// The body as JSON, or the default where there is none.
    ///
    /// # Errors
    /// As [`Payload::json_and_bytes`].
    pub async fn json_or_default<T: DeserializeOwned + Default>(self) -> Result<(T, Bytes), Fault> {
        let is_json = self.is_json();
        let bytes = self.bytes(JSON_LIMIT).await?;
        match (bytes.is_empty(), is_json) {
            (true, _) => Ok((T::default(), bytes)),
            (false, true) => parse(&bytes).map(|value| (value, bytes)),
            (false, false) => Err(not_json()),
        }
    }
}

fn not_json() -> Fault {
    Fault::new(Code::UnsupportedMediaType, "this path reads application/json")
}

/// Reads JSON, with a pointer to the field at fault.
///
/// # Errors
/// `malformed-json` for what is not JSON, `invalid-field` for what is but does not fit.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    if bytes.trim_ascii_start().starts_with(b"[") {
        // It would be taken for the fields in their order, which no document promises.
        return Err(Fault::field("", "a JSON object is expected, not a list"));
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let pointer = pointer(error.path());
        let inner = error.into_inner();
        match inner.classify() {
            serde_json::error::Category::Data => Fault::field(pointer, inner.to_string()),
            _ => Fault::new(Code::MalformedJson, format!("the body is not JSON: {inner}")),
        }
    })?;
    json.end().map_err(|why| Fault::new(Code::MalformedJson, format!("more than one JSON value: {why}")))?;
    Ok(value)
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |mut text, segment| {
        let part = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } | Segment::Enum { variant: key } => key.replace('~', "~0").replace('/', "~1"),
            Segment::Unknown => "?".to_owned(),
        };
        text.push('/');
        text.push_str(&part);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::CreateRequest;

    fn fault(body: &str) -> Fault {
        parse::<CreateRequest>(body.as_bytes()).unwrap_err()
    }

    #[test]
    fn the_place_of_a_fault_is_a_json_pointer() {
        let unknown = fault(r#"{"name":"a","slug":"abc","time_zone":"UTC","policy":{"leed_minutes":5}}"#);
        assert_eq!((unknown.code, unknown.fields[0].0.as_str()), (Code::InvalidField, "/policy/leed_minutes"));
        let wrong = fault(r#"{"name":"a","slug":"abc","time_zone":"UTC","rounds":[{"number":1},{"number":"x"}]}"#);
        assert_eq!((wrong.code, wrong.fields[0].0.as_str()), (Code::InvalidField, "/rounds/1"));
        assert_eq!(fault(r#"{"name":"a""#).code, Code::MalformedJson);
        assert_eq!(fault("{} {}").code, Code::InvalidField);
        assert_eq!(fault(r#"["a","abc","UTC"]"#).code, Code::InvalidField);
        assert_eq!(parse::<()>(b"null null").unwrap_err().code, Code::MalformedJson);
        assert_eq!(fault("\u{feff}{}").code, Code::MalformedJson);
    }

    #[test]
    fn a_round_in_a_new_tournament_refuses_unknown_fields() {
        let fault = fault(r#"{"name":"a","slug":"abc","time_zone":"UTC","rounds":[{"number":1,"start":"x"}]}"#);
        assert!(fault.detail.contains("unknown field `start`"), "{}", fault.detail);
    }
}
