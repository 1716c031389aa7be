//! A check: its name, what it found wrong, what it could not tell.

use serde::Serialize;
use std::fmt;

/// One of V1 to V10 with its findings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// `V1` to `V10`.
    pub id: &'static str,
    /// What is claimed.
    pub claim: &'static str,
    /// Where the claim is false.
    pub faults: Vec<String>,
    /// Where it cannot be told, and why.
    pub gaps: Vec<String>,
    /// What is worth knowing.
    pub remarks: Vec<String>,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim holds everywhere.
    Pass,
    /// It is false somewhere.
    Fail,
    /// It is false nowhere, but cannot be told everywhere.
    NotCheckable,
}

impl Check {
    pub(super) fn new(id: &'static str, claim: &'static str) -> Self {
        Self { id, claim, faults: Vec::new(), gaps: Vec::new(), remarks: Vec::new() }
    }

    /// What it came to.
    pub fn verdict(&self) -> Verdict {
        match (self.faults.is_empty(), self.gaps.is_empty()) {
            (false, _) => Verdict::Fail,
            (true, false) => Verdict::NotCheckable,
            (true, true) => Verdict::Pass,
        }
    }

    pub(super) fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    pub(super) fn gap(&mut self, why: impl Into<String>) {
        self.gaps.push(why.into());
    }

    pub(super) fn remark(&mut self, what: impl Into<String>) {
        self.remarks.push(what.into());
    }

    /// Notes a fault unless the claim holds.
    pub(super) fn demand(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.fault(what());
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::NotCheckable => "not checkable",
        })
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:3} {}: {}", self.id, self.verdict(), self.claim)?;
        self.faults.iter().try_for_each(|fault| writeln!(f, "      wrong: {fault}"))?;
        self.gaps.iter().try_for_each(|gap| writeln!(f, "      cannot tell: {gap}"))?;
        self.remarks.iter().try_for_each(|remark| writeln!(f, "      note: {remark}"))
    }
}
