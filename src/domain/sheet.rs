//! The sheet: a tournament's master on paper, to be kept under seal and typed in again if the server dies.
//!
//! Four rows of sixteen digits, each with a check of four digits over its number and its digits, so that a slip or two rows
//! exchanged are found where they are. Whatever else stands on the sheet is for people.

use super::derivation::{Hash32, Master, is_origin, is_slug};
use std::{
    fmt::{self, Write},
    str::FromStr,
};
use zeroize::Zeroizing;

const ROWS: usize = 4;
const DIGITS: usize = 16;
const GROUP: usize = 4;
const CHECK: usize = 4;

/// The master of a tournament, and whose it is.
#[derive(Debug)]
pub struct Sheet {
    /// Slug of the tournament.
    pub tournament: String,
    /// Origin of the log when it was created.
    pub origin: String,
    /// The master.
    pub master: Master,
}

/// Why a text is no sheet; the sentence says where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotASheet(String);

impl fmt::Display for NotASheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotASheet {}

impl Sheet {
    /// The text of the sheet: it gives the master away.
    pub fn reveal(&self) -> Zeroizing<String> {
        let Self { tournament, origin, master } = self;
        let digits = Zeroizing::new(master.reveal_hex());
        let mut text = Zeroizing::new(String::with_capacity(2048));
        let _ = write!(text, "draw960 master sheet\n\ntournament  {tournament}\norigin      {origin}\n\n");
        for row in 1..=ROWS {
            let own = &digits[(row - 1) * DIGITS..row * DIGITS];
            let _ = write!(text, "{row} ");
            for at in (0..DIGITS).step_by(GROUP) {
                let _ = write!(text, " {}", &own[at..at + GROUP]);
            }
            let _ = writeln!(text, "  check {}", check(row, own));
        }
        text.push_str(ADVICE);
        text
    }
}

const ADVICE: &str = "
Whoever reads these digits can compute every position of this tournament as soon as
the server can: with local entropy all of them at once, with dice from the throw on,
with the beacon from its time on. Keep the sheet under seal; destroy every other copy.
The log says that it was made, and every draw released since says so too.

If the server dies, this sheet and a bundle of the log complete a draw on any machine,
once its release instant has passed:

  draw960 complete --sheet FILE --bundle FILE --round R

After the tournament is closed the digits are public.
";

/// Four digits by which a row is known to be typed right.
fn check(row: usize, digits: &str) -> String {
    let mut hash = Hash32::of([format!("draw960 sheet {row} ").as_bytes(), digits.as_bytes()]).to_string();
    hash.truncate(CHECK);
    hash
}

impl FromStr for Sheet {
    type Err = NotASheet;

    /// Reads a sheet, also one typed from paper: case, blanks, and whatever stands around tournament, origin and rows do
    /// not matter.
    fn from_str(text: &str) -> Result<Self, NotASheet> {
        let tournament = named(text, "tournament", is_slug)?;
        let origin = named(text, "origin", is_origin)?;
        let mut digits = Zeroizing::new(String::with_capacity(ROWS * DIGITS));
        for number in 1..=ROWS {
            digits.push_str(&row(text, number)?);
        }
        let master = Master::from_hex(&digits).map_err(|why| NotASheet(why.to_string()))?;
        Ok(Self { tournament, origin, master })
    }
}

/// What stands after a word at the beginning of a line.
fn named(text: &str, word: &str, is_one: fn(&str) -> bool) -> Result<String, NotASheet> {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix(word)?.strip_prefix([' ', '\t']));
    let values: Vec<&str> = lines.map(str::trim).collect();
    match values.as_slice() {
        [one] if is_one(one) => Ok((*one).to_owned()),
        [] => Err(NotASheet(format!("the sheet has no line that begins with {word}"))),
        [one] => Err(NotASheet(format!("{one:?} cannot be the {word} of the sheet"))),
        _ => Err(NotASheet(format!("the sheet has more than one line that begins with {word}"))),
    }
}

/// The digits of a row, once its check agrees. What was typed is not repeated: it is a secret.
fn row(text: &str, number: usize) -> Result<Zeroizing<String>, NotASheet> {
    let begins = |line: &&str| line.split_whitespace().next() == Some(number.to_string().as_str());
    let lines: Vec<&str> = text.lines().filter(begins).collect();
    let [line] = lines.as_slice() else {
        let found = if lines.is_empty() { "is missing" } else { "is there more than once" };
        return Err(NotASheet(format!("row {number} of the sheet {found}")));
    };
    let lower = Zeroizing::new(line.to_ascii_lowercase());
    let (digits, checked) = lower.split_once("check").ok_or_else(|| NotASheet(format!("row {number} has no check")))?;
    let digits = Zeroizing::new(digits.split_whitespace().skip(1).collect::<String>());
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    if digits.len() != DIGITS || !hex(&digits) {
        return Err(NotASheet(format!("row {number} is not {DIGITS} of the digits 0-9 and a-f before its check")));
    }
    if checked.split_whitespace().collect::<String>() != check(number, &digits) {
        return Err(NotASheet(format!(
            "row {number} does not fit its check: compare it with the sheet, digit by digit"
        )));
    }
    Ok(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let master = Master::from_bytes(std::array::from_fn(|i| i as u8 * 7 + 1));
        Sheet { tournament: "kaunas-2026-open".into(), origin: "draw960.local/3f1c9a20".into(), master }
    }

    fn refused(text: &str) -> String {
        text.parse::<Sheet>().unwrap_err().0
    }

    #[test]
    fn what_was_written_is_read() {
        let text = sheet().reveal();
        assert!(text.contains("\n1  0108 0f16 1d24 2b32  check "), "{}", *text);
        for typed in [
            text.to_string(),
            text.to_uppercase()
                .replace("TOURNAMENT  KAUNAS-2026-OPEN", "tournament kaunas-2026-open")
                .replace("ORIGIN      DRAW960.LOCAL/3F1C9A20", "origin draw960.local/3f1c9a20"),
            text.replace("  ", " ").replace('\n', "\r\n"),
        ] {
            let read: Sheet = typed.parse().unwrap();
            assert_eq!((&read.tournament, &read.origin), (&sheet().tournament, &sheet().origin));
            assert_eq!(read.master, sheet().master);
        }
    }

    #[test]
    fn every_slip_of_one_digit_is_found_in_its_row() {
        let text = sheet().reveal().to_string();
        for (row, line) in (1..).zip(text.lines().filter(|line| line.contains("  check "))) {
            let digits =
                line.char_indices().skip(3).filter(|(at, c)| c.is_ascii_hexdigit() && !line[*at..].starts_with('c'));
            let digits: Vec<usize> = digits.filter(|(at, _)| !line[..*at].ends_with("ch")).map(|(at, _)| at).collect();
            for at in digits {
                let other = if &line[at..=at] == "0" { "1" } else { "0" };
                let slip = format!("{}{other}{}", &line[..at], &line[at + 1..]);
                let said = refused(&text.replace(line, &slip));
                assert!(said.starts_with(&format!("row {row} ")), "{said}");
            }
        }
    }

    #[test]
    fn what_is_missing_or_exchanged_is_said_and_the_secret_is_not() {
        let text = sheet().reveal().to_string();
        let swapped = text.replace("\n2  ", "\nX  ").replace("\n3  ", "\n2  ").replace("\nX  ", "\n3  ");
        assert!(refused(&swapped).starts_with("row 2 does not fit its check"));
        assert_eq!(refused(&text.replace("\n4  ", "\n")), "row 4 of the sheet is missing");
        assert_eq!(refused(&text.replace("\n4  ", "\n1  ")), "row 1 of the sheet is there more than once");
        assert_eq!(refused(&text.replace("tournament  ", "")), "the sheet has no line that begins with tournament");
        assert!(refused(&text.replace("kaunas-2026-open", "Kaunas")).contains("cannot be the tournament"));
        let slip = refused(&text.replace("0108", "0109"));
        assert!(!slip.contains("0109"), "{slip}");
        assert!(refused("").contains("tournament"));
    }
}
