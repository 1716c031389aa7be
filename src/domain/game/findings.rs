//! The findings of one game while it is read: overrides applied, repetitions counted, places found last.

use super::{
    finding::{Finding, FindingCode, Severity},
    options::Override,
    pgn::text::Places,
};

/// As many findings of one code are listed; further ones are counted.
const MAX_OF_A_CODE: usize = 20;

/// Collects findings.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    /// Codes of which more were found than are listed: place in the list and how many more.
    more: Vec<(usize, u32)>,
    /// Which overrides have been used.
    used: Vec<bool>,
}

impl Findings {
    /// Adds a finding, or counts it. When an override covers it, it is accepted and the override is answered.
    pub fn add<'o>(&mut self, mut finding: Finding, overrides: &'o [Override]) -> Option<&'o Override> {
        let accepted = self.accept(&mut finding, overrides);
        let same = self.list.iter().filter(|f| f.code == finding.code).count();
        if same < MAX_OF_A_CODE || accepted.is_some() {
            self.list.push(finding);
        } else {
            self.count_more(finding.code);
        }
        accepted
    }

    /// Adds a finding about spelling: the first of its code is listed, the others are counted.
    pub fn add_once(&mut self, finding: Finding) {
        if self.list.iter().any(|f| f.code == finding.code) {
            self.count_more(finding.code);
        } else {
            self.list.push(finding);
        }
    }

    /// Whether a finding of this code is listed.
    pub fn has(&self, code: FindingCode) -> bool {
        self.list.iter().any(|f| f.code == code)
    }

    /// Changes the first finding of this code.
    pub fn amend(&mut self, code: FindingCode, change: impl FnOnce(&mut Finding)) {
        if let Some(finding) = self.list.iter_mut().find(|f| f.code == code) {
            change(finding);
        }
    }

    /// Whether an error is listed that nobody accepted.
    pub fn has_error(&self) -> bool {
        self.list.iter().any(Finding::is_error)
    }

    fn count_more(&mut self, code: FindingCode) {
        let Some(last) = self.list.iter().rposition(|f| f.code == code) else { return };
        match self.more.iter_mut().find(|(at, _)| *at == last) {
            Some((_, count)) => *count += 1,
            None => self.more.push((last, 1)),
        }
    }

    fn accept<'o>(&mut self, finding: &mut Finding, overrides: &'o [Override]) -> Option<&'o Override> {
        self.used.resize(overrides.len(), false);
        let at = accept(finding, overrides)?;
        self.used[at] = true;
        Some(&overrides[at])
    }

    /// Ends the game: unused overrides are found, places are looked up in one pass, and the list is handed over.
    pub fn finish(&mut self, overrides: &[Override], text: &[u8], places: &mut Places) -> Vec<Finding> {
        self.used.resize(overrides.len(), false);
        for (o, used) in overrides.iter().zip(&self.used) {
            if !used {
                self.list.push(unused(o));
            }
        }
        for (at, count) in self.more.drain(..) {
            self.list[at].message.push_str(&format!(" More like it: {count}."));
        }
        self.used.clear();
        let mut list = std::mem::take(&mut self.list);
        set_places(&mut list, text, places);
        list
    }
}

/// Adds a finding to a list that is finished already. An override that covers it is not unused any more.
pub(super) fn add_late(list: &mut Vec<Finding>, mut finding: Finding, overrides: &[Override]) {
    if let Some(at) = accept(&mut finding, overrides) {
        list.retain(|other| !is_unused(other, &overrides[at]));
    }
    list.push(finding);
}

/// Whether a finding says that this override was not used.
pub(super) fn is_unused(finding: &Finding, o: &Override) -> bool {
    finding.code == FindingCode::OverrideUnused && finding.message == unused(o).message
}

/// Lets the finding stand if an override covers it; answers which.
fn accept(finding: &mut Finding, overrides: &[Override]) -> Option<usize> {
    if !finding.is_error() {
        return None;
    }
    let at = overrides.iter().position(|o| covers(o, finding))?;
    finding.severity = Severity::Warning;
    finding.accepted = Some(overrides[at].acceptance.clone());
    Some(at)
}

/// Whether an override is meant for this finding: each of ply and code that it names must fit, and it must name one.
fn covers(o: &Override, finding: &Finding) -> bool {
    finding.code != FindingCode::OverrideImpossible
        && (o.ply.is_some() || o.code.is_some())
        && o.ply.is_none_or(|ply| finding.ply == Some(ply))
        && o.code.is_none_or(|code| finding.code == code)
}

fn unused(o: &Override) -> Finding {
    let code = o.code.map_or("anything", FindingCode::as_str);
    let place = o.ply.map_or(String::new(), |ply| format!(" at half-move {ply}"));
    let finding = Finding::new(
        FindingCode::OverrideUnused,
        format!("an arbiter accepted {code}{place}, but no error of that kind was found there"),
    );
    Finding { ply: o.ply, ..finding }
}

fn set_places(list: &mut [Finding], text: &[u8], places: &mut Places) {
    let mut order: Vec<usize> = (0..list.len()).filter(|n| list[*n].offset.is_some()).collect();
    order.sort_by_key(|n| list[*n].offset);
    for n in order {
        if let Some(offset) = list[n].offset {
            let (line, column) = places.of(text, offset);
            list[n].line = Some(line);
            list[n].column = Some(column);
        }
    }
}
