//! A log entry in words, for the people of an appeals committee.

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
        "round" => format!("Round {} was scheduled.", number("round")),
        "order" => format!("A draw was ordered for {}: its commitment was published.", slot()),
        "dice" => format!("Dice were posted for round {}: {}.", number("round"), text("digits")),
        "entropy" => format!("What the draw for {} waited for is there; its number follows from it.", slot()),
        "manual" => format!("The throws for {} were made; a hash that binds them was published.", slot()),
        "release" => format!("Position {} was drawn and released for {}.", number("number"), slot()),
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
        "export" => format!("The tournament's secret left the server, as a {}.", text("to")),
        "key" => "The log is signed by another key from here on.".into(),
        "takeover" => format!("The server went on from a copy of the first {} entries of its log.", number("size")),
        "restored" => format!(
            "The server was restored from a copy of the first {} entries of its log; what came after them is lost, \
             and attempts up to {} are skipped.",
            number("size"),
            number("attempts")
        ),
        other => format!("Entry of kind {other}."),
    }
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
}
