//! How answers are made: JSON that no cache keeps, and times as people and programs read them.

use super::caching::fresh;
use crate::domain::schedule;
use axum::{
    body::Body,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;

/// JSON with a status.
pub fn json_with(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => fresh((status, [(header::CONTENT_TYPE, "application/json")], Body::from(text))),
        Err(why) => super::problem::Problem(crate::domain::fault::Fault::internal(why.to_string())).into_response(),
    }
}

/// JSON with status 200.
pub fn json(value: &impl Serialize) -> Response {
    json_with(StatusCode::OK, value)
}

/// Text of some kind with status 200.
pub fn text(media_type: &'static str, text: impl Into<Body>) -> Response {
    fresh(([(header::CONTENT_TYPE, media_type)], text.into()))
}

/// Whole seconds, as in the log.
pub fn whole(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}

/// An instant in the zone of the hall, RFC 3339 with offset.
pub fn local(at: Timestamp, zone: &TimeZone) -> String {
    schedule::local(at, zone)
}

/// Rows as CSV. A cell that a spreadsheet would run as a formula is quoted by an apostrophe in front.
pub fn csv(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Response {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |row: &[String]| writer.write_record(row);
    let mut written = write(&header.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    for row in rows {
        written = written.and_then(|()| write(&row.into_iter().map(harmless).collect::<Vec<_>>()));
    }
    match (written, writer.into_inner()) {
        (Ok(()), Ok(bytes)) => text("text/csv; charset=utf-8", bytes),
        _ => super::problem::Problem(crate::domain::fault::Fault::internal("CSV")).into_response(),
    }
}

fn harmless(cell: String) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_begins_a_formula() {
        for evil in ["=1+1", "+1", "-1", "@x", "\tx", "\rx"] {
            assert_eq!(harmless(evil.into()), format!("'{evil}"));
        }
        assert_eq!(harmless("Ona =".into()), "Ona =");
    }
}
