//! The first line: which version, what the passphrase costs, and the random bytes of this file.

use super::BadCustody;
use crate::domain::hex;
use std::{fmt, str::FromStr};

/// What the line begins with.
const NAME: &str = "draw960-custody/v1";
/// What the line of any version begins with.
const ANY_VERSION: &str = "draw960-custody/";

/// No first line is longer, in bytes with its LF: whoever looks for its end need not read a whole disk.
pub const LONGEST_LINE: usize = 256;

/// What Argon2id takes to make the key of a passphrase (RFC 9106).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Memory in KiB.
    pub memory: u32,
    /// Passes over it.
    pub passes: u32,
    /// Lanes in it.
    pub lanes: u32,
}

impl Costs {
    /// The second recommended option of RFC 9106 section 4: 64 MiB, for machines that have other work too.
    pub const RECOMMENDED: Self = Self { memory: 64 << 10, passes: 3, lanes: 4 };

    /// A file is read before it is trusted: it must not take a small machine's memory, or an hour.
    pub(super) const fn are_bearable(self) -> bool {
        let lanes = self.lanes >= 1 && self.lanes <= 16;
        lanes && self.passes >= 1 && self.passes <= 16 && self.memory >= 8 * self.lanes && self.memory <= 256 << 10
    }
}

/// The first line of a file. Displays as the line, with its LF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the key cost.
    pub costs: Costs,
    /// Salt of the key.
    pub salt: [u8; 16],
    /// Tells a wrong passphrase from a damaged file.
    pub check: [u8; 16],
    /// Fresh for every file.
    pub nonce: [u8; 19],
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Costs { memory, passes, lanes } = self.costs;
        let [salt, check, nonce] = [&self.salt[..], &self.check, &self.nonce].map(hex::encode);
        writeln!(f, "{NAME} argon2id m={memory} t={passes} p={lanes} salt={salt} check={check} nonce={nonce}")
    }
}

/// Reads the line, with its LF, in the one spelling that is written.
impl FromStr for Header {
    type Err = BadCustody;

    fn from_str(line: &str) -> Result<Self, BadCustody> {
        match line.strip_prefix(ANY_VERSION) {
            None => return Err(BadCustody::NotOne),
            Some(_) if !line.starts_with(&format!("{NAME} ")) => return Err(BadCustody::OtherVersion),
            Some(_) => {}
        }
        let header = read(line).ok_or(BadCustody::Header)?;
        if header.to_string() != line {
            return Err(BadCustody::Header);
        }
        if header.costs.are_bearable() { Ok(header) } else { Err(BadCustody::Costs) }
    }
}

fn read(line: &str) -> Option<Header> {
    let mut words = line.trim_end().split(' ').skip(2);
    let mut value = |key: &str| words.next()?.strip_prefix(key);
    let (memory, passes, lanes) = (value("m=")?, value("t=")?, value("p=")?);
    let costs = Costs { memory: memory.parse().ok()?, passes: passes.parse().ok()?, lanes: lanes.parse().ok()? };
    let (salt, check, nonce) = (value("salt=")?, value("check=")?, value("nonce=")?);
    Some(Header { costs, salt: hex::decode(salt)?, check: hex::decode(check)?, nonce: hex::decode(nonce)? })
}
