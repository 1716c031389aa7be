//! Names of things: prefixed, time-ordered ids, round and board numbers, the tournament's slug.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

/// A text that is not an id, number or slug of the kind asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAName(pub &'static str);

impl fmt::Display for NotAName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotAName {}

macro_rules! prefixed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id: 48 bits of the instant in milliseconds, then chance, so that ids sort by age.
            pub fn new(now: jiff::Timestamp, chance: [u8; 10]) -> Self {
                let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
                Self(uuid::Builder::from_unix_timestamp_millis(millis, &chance).into_uuid())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0.simple())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = NotAName;

            fn from_str(s: &str) -> Result<Self, NotAName> {
                let hex = s.strip_prefix($prefix).filter(|hex| hex.len() == 32 && !hex.contains(|c: char| c.is_ascii_uppercase()));
                hex.and_then(|hex| Uuid::try_parse(hex).ok())
                    .map(Self)
                    .ok_or(NotAName(concat!("an id of this kind is ", $prefix, " and 32 hexadecimal digits")))
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

prefixed_id!(
    /// Id of a tournament, `trn_…`.
    TournamentId, "trn_"
);
prefixed_id!(
    /// Id of one attempt at a draw, `drw_…`.
    DrawId, "drw_"
);
prefixed_id!(
    /// Id of a submitted game, `gam_…`.
    GameId, "gam_"
);
prefixed_id!(
    /// Id of an access token, `tok_…`; the log names actors by it.
    TokenId, "tok_"
);

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $why:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "u16", into = "u16")]
        pub struct $name(u16);

        impl $name {
            /// The number as an integer, 1 to 9999.
            pub const fn get(self) -> u16 {
                self.0
            }
        }

        impl TryFrom<u16> for $name {
            type Error = NotAName;

            fn try_from(n: u16) -> Result<Self, NotAName> {
                if (1..=9999).contains(&n) { Ok(Self(n)) } else { Err(NotAName($why)) }
            }
        }

        impl From<$name> for u16 {
            fn from(n: $name) -> u16 {
                n.0
            }
        }

        impl FromStr for $name {
            type Err = NotAName;

            fn from_str(s: &str) -> Result<Self, NotAName> {
                let plain = s.bytes().all(|b| b.is_ascii_digit()) && !s.starts_with('0');
                s.parse().ok().filter(|_| plain).and_then(|n: u16| Self::try_from(n).ok()).ok_or(NotAName($why))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

numbered!(
    /// Number of a round, 1 to 9999; tie-breaks and replays by convention from 1001.
    RoundNumber, "a round number is a whole number from 1 to 9999"
);
numbered!(
    /// Number of a table in the hall, 1 to 9999.
    BoardNumber, "a board number is a whole number from 1 to 9999"
);

impl RoundNumber {
    /// Tie-breaks and replays are numbered from here and belong to no block.
    pub const FIRST_OUTSIDE_BLOCKS: u16 = 1001;

    /// First round of the block of `rounds_per_draw` rounds that shares its draw: r - ((r - 1) mod n).
    pub fn block_start(self, rounds_per_draw: u16) -> Self {
        if self.0 >= Self::FIRST_OUTSIDE_BLOCKS || rounds_per_draw == 0 {
            return self;
        }
        Self(self.0 - (self.0 - 1) % rounds_per_draw)
    }
}

/// The name of a tournament in its regulations, `[a-z0-9][a-z0-9-]{2,62}`: unique for ever, part of every draw's bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

impl Slug {
    /// What the slug of a rehearsal begins with.
    pub const REHEARSAL: &'static str = "rehearsal-";

    /// The slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Slug {
    type Error = NotAName;

    fn try_from(text: String) -> Result<Self, NotAName> {
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if (3..=63).contains(&text.len()) && text.bytes().all(allowed) && !text.starts_with('-') {
            Ok(Self(text))
        } else {
            Err(NotAName("a slug is 3 to 63 of a-z, 0-9 and -, not beginning with -, such as kaunas-2026-open"))
        }
    }
}

impl FromStr for Slug {
    type Err = NotAName;

    fn from_str(s: &str) -> Result<Self, NotAName> {
        Self::try_from(s.to_owned())
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> String {
        slug.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_from_their_text_and_sort_by_age() {
        let at = |s: i64| jiff::Timestamp::from_second(s).unwrap();
        let (old, new) = (DrawId::new(at(1_700_000_000), [255; 10]), DrawId::new(at(1_700_000_001), [0; 10]));
        assert!(old < new && old.to_string() < new.to_string());
        assert_eq!(old.to_string().parse::<DrawId>(), Ok(old));
        assert!(old.to_string().parse::<GameId>().is_err());
        assert!("drw_xyz".parse::<DrawId>().is_err());
        assert!(old.to_string().to_uppercase().parse::<DrawId>().is_err());
    }

    #[test]
    fn numbers_are_plain_decimals() {
        for bad in ["0", "01", "+1", "-1", "10000", "", "1.0", "٣"] {
            assert!(bad.parse::<RoundNumber>().is_err(), "{bad:?}");
        }
        assert_eq!("9999".parse::<BoardNumber>().unwrap().get(), 9999);
    }

    #[test]
    fn blocks_of_rounds_begin_where_the_design_says() {
        let start = |r: u16, n| RoundNumber::try_from(r).unwrap().block_start(n).get();
        assert_eq!([1, 2, 3, 4, 5].map(|r| start(r, 2)), [1, 1, 3, 3, 5]);
        assert_eq!([1, 4, 5, 8, 9].map(|r| start(r, 4)), [1, 1, 5, 5, 9]);
        assert_eq!(start(1002, 4), 1002);
        assert_eq!(start(7, 1), 7);
    }

    #[test]
    fn slugs() {
        for bad in ["ab", "-ab", "Kaunas", "a_b", "kaunas open", "", &"a".repeat(64), "žalgiris"] {
            assert!(bad.parse::<Slug>().is_err(), "{bad:?}");
        }
        for good in ["abc", "kaunas-2026-open", "1-2", &"a".repeat(63)] {
            assert!(good.parse::<Slug>().is_ok(), "{good:?}");
        }
    }
}
