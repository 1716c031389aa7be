//! A log entry in words, for the people of an appeals committee.

use jiff::Timestamp;
use serde_json::Value;

/// One sentence on what the entry says.
pub fn sentence(entry: &Value) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or("?").to_owned();
    let number = |key: &str| entry[key].as_u64().map_or_else(|| "?".to_owned(), |n| n.to_string());
    let slot = || {
        let board = entry["board"].as_u64().unwrap_or(0);
        let boards = if board == 0 { "all boards".to_owned() } else { format!("board {board}") };
        format!("round {}, {boards}, attempt {}", number("round"), number("attempt"))
    };
    match entry["t"].as_str().unwrap_or_default() {
        "tournament" => {
            "The tournament was created; its policy and the commitment to its secret were published.".into()
        }
        "amend" => "The policy was amended.".into(),
        "round" if entry["starts_at"].is_null() => format!("Round {} was postponed without a date.", number("round")),
        "round" => format!(
            "Round {} was scheduled: play starts at {}, release at {}.",
            number("round"),
            instant(&entry["starts_at"]),
            instant(&entry["release_at"])
        ),
        "order" => format!(
            "A draw{} was ordered for {}: its commitment was published.",
            by_hand(ordered_by_hand(entry)),
            slot()
        ),
        "dice" => format!("Dice were posted for round {}: {}.", number("round"), text("digits")),
        "entropy" => format!("What the draw for {} waited for is there; its number follows from it.", slot()),
        "manual" => format!("The throws for {} were made; a hash that binds them was published.", slot()),
        "release" => {
            let hand = by_hand(entry["throws"].is_string());
            format!("Position {} was drawn{hand} and released for {}.", number("number"), slot())
        }
        "void" if entry["reason"] == "restored" => format!(
            "The draw for {} was voided: it may have been released in the part of the log that is lost.",
            slot()
        ),
        "void" => format!(
            "The draw for {} was voided, reason {}; its outcome {} be known by then.",
            slot(),
            text("reason"),
            if entry["knowable"] == Value::Bool(true) { "could" } else { "could not" }
        ),
        "pairings" => format!("Pairings of round {} were published.", number("round")),
        "game" => format!("A game was recorded for {}: {}.", slot(), text("verdict")),
        "override" => format!("An arbiter decided about game {} by article {}.", text("game"), text("article")),
        "note" => format!("A note was written about entry {}.", number("about")),
        "close" => "The tournament ended; its secret was revealed.".into(),
        "export" => format!(
            "The tournament's secret left the server, as a {}: its holder could know from here on what the operator could.",
            text("to")
        ),
        "key" => format!("The log is signed by another key from here on: {}.", text("new")),
        "takeover" => {
            let more = match entry["replayed"].as_u64() {
                None | Some(0) => String::new(),
                Some(more) => format!(" and took up {more} more that others had kept"),
            };
            format!("The server went on from a copy of the first {} entries of its log{more}.", number("size"))
        }
        "restored" => format!(
            "The server was restored from a copy of the first {} entries of its log; what came after them is lost. \
             Draws ordered from here on are attempts after {}, for the lost ones may have used those before.",
            number("size"),
            number("attempts")
        ),
        other => format!("Entry of kind {other}."),
    }
}

/// In UTC, as the entry has it; the dossier's other column has the hall's time of the entry itself.
fn instant(seconds: &Value) -> String {
    let at = seconds.as_i64().and_then(|at| Timestamp::from_second(at).ok());
    at.map_or_else(|| "?".to_owned(), |at| at.to_string())
}

fn ordered_by_hand(order: &Value) -> bool {
    let sources = order["sources"].as_array().map_or(&[][..], Vec::as_slice);
    sources.iter().any(|source| source.as_str().is_some_and(|source| source.starts_with("manual ")))
}

const fn by_hand(by_hand: bool) -> &'static str {
    if by_hand { " by hand" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sentences_name_the_slot_and_the_fact() {
        let void = json!({"t": "void", "round": 3, "board": 0, "attempt": 1, "reason": "leaked", "knowable": true});
        assert_eq!(
            sentence(&void),
            "The draw for round 3, all boards, attempt 1 was voided, reason leaked; its outcome could be known by then."
        );
        let release = json!({"t": "release", "round": 3, "board": 7, "attempt": 2, "number": 518});
        assert_eq!(sentence(&release), "Position 518 was drawn and released for round 3, board 7, attempt 2.");
    }

    #[test]
    fn a_round_says_when_and_a_draw_by_hand_how() {
        let round = json!({"t": "round", "round": 3, "starts_at": 1_796_457_600, "release_at": 1_796_456_700});
        assert_eq!(
            sentence(&round),
            "Round 3 was scheduled: play starts at 2026-12-05T08:00:00Z, release at 2026-12-05T07:45:00Z."
        );
        let order = json!({"t": "order", "round": 3, "board": 0, "attempt": 1, "sources": ["manual d6"]});
        assert!(sentence(&order).starts_with("A draw by hand was ordered for round 3"), "{}", sentence(&order));
        let release = json!({"t": "release", "round": 3, "board": 0, "attempt": 1, "number": 7, "throws": "3,5,1"});
        assert!(sentence(&release).starts_with("Position 7 was drawn by hand and released"), "{}", sentence(&release));
    }

    #[test]
    fn what_the_server_lost_and_found_is_told() {
        let takeover = |replayed| sentence(&json!({"t": "takeover", "size": 15, "replayed": replayed}));
        assert_eq!(takeover(0), "The server went on from a copy of the first 15 entries of its log.");
        assert!(takeover(5).contains("and took up 5 more"), "{}", takeover(5));
        let void = json!({"t": "void", "round": 3, "board": 0, "attempt": 1, "reason": "restored", "knowable": true});
        assert!(sentence(&void).ends_with("may have been released in the part of the log that is lost."));
    }
}
