//! From column values to domain values, with a described inconsistency instead of a panic.

use super::StoreError;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use std::{fmt::Display, str::FromStr};

/// A column whose value must convert.
#[derive(Clone, Copy)]
pub(super) struct Column(pub &'static str, pub &'static str);

impl Column {
    fn wrong(self, why: impl Display) -> StoreError {
        StoreError::Inconsistent { table: self.0, column: self.1, why: why.to_string() }
    }

    pub(super) fn parse<T: FromStr<Err: Display>>(self, text: &str) -> Result<T, StoreError> {
        text.parse().map_err(|why| self.wrong(why))
    }

    pub(super) fn json<T: DeserializeOwned>(self, text: &str) -> Result<T, StoreError> {
        serde_json::from_str(text).map_err(|why| self.wrong(why))
    }

    /// A unit variant written as bare text.
    pub(super) fn word<T: DeserializeOwned>(self, text: String) -> Result<T, StoreError> {
        serde_json::from_value(text.into()).map_err(|why| self.wrong(why))
    }

    pub(super) fn instant(self, micros: i64) -> Result<Timestamp, StoreError> {
        Timestamp::from_microsecond(micros).map_err(|why| self.wrong(why))
    }

    pub(super) fn second(self, second: i64) -> Result<Timestamp, StoreError> {
        Timestamp::from_second(second).map_err(|why| self.wrong(why))
    }

    pub(super) fn number<T: TryFrom<i64, Error: Display>>(self, n: i64) -> Result<T, StoreError> {
        T::try_from(n).map_err(|why| self.wrong(why))
    }

    pub(super) fn hash(self, bytes: &[u8]) -> Result<[u8; 32], StoreError> {
        bytes.try_into().map_err(|why| self.wrong(why))
    }
}

/// JSON text of a value made of strings, numbers and lists.
pub(super) fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("rows hold only values that serialise")
}

/// Bare text of a unit variant.
pub(super) fn word<T: serde::Serialize>(value: &T) -> String {
    json(value).trim_matches('"').to_owned()
}
