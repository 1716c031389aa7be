//! The steps of the story. A step that does not end as told ends the story.

use super::{
    client::{Answer, Client},
    game,
};
use crate::{
    clock::{Clock, SystemClock},
    domain::start_position::StartPosition,
};
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::{error::Error, io::Write, time::Duration};

type Told = Result<(), Box<dyn Error>>;

const TOURNAMENT: &str = "/api/v1/tournaments/rehearsal-demo";
/// From scheduling to the start of play, which in this rehearsal is also the release.
const SECONDS: i64 = 4;
/// Where lines of prose are broken.
const COLUMNS: usize = 96;

/// The teller.
pub struct Story<'o, W> {
    out: &'o mut W,
    client: Client,
    operator: String,
    step: u32,
}

impl<'o, W: Write> Story<'o, W> {
    /// A story told to `out` about the server that `client` talks to.
    pub fn new(out: &'o mut W, client: Client, operator: String) -> Self {
        Self { out, client, operator, step: 0 }
    }

    /// Tells it.
    pub async fn tell(mut self) -> Told {
        writeln!(self.out, "draw960, the main job, on a server that lives as long as this story.")?;
        let arbiter = self.schedule().await?;
        self.publish_pairings(&arbiter).await?;
        self.ask_too_early().await?;
        let start = self.ask_in_time().await?;
        let slip = self.submit_a_slip(&arbiter).await?;
        self.submit(&arbiter, &start, &slip).await?;
        self.audit().await?;
        writeln!(self.out, "\nEverything ended as told. Begin for yourself: draw960 serve")?;
        Ok(())
    }

    async fn schedule(&mut self) -> Result<String, Box<dyn Error>> {
        self.say(&format!(
            "The operator creates a rehearsal with a round that starts in {SECONDS} seconds. The server commits to its draw: \
             it publishes a hash of the secret that, with nothing else, will make the number. No number exists yet."
        ))?;
        let starts_at = SystemClock.now() + SignedDuration::from_secs(SECONDS);
        let body = json!({
            "name": "Demo", "slug": "rehearsal-demo", "time_zone": "UTC",
            "policy": {"rehearsal": true, "custom_lead": true, "lead_minutes": 0},
            "rounds": [{"number": 1, "starts_at": starts_at.strftime("%FT%TZ").to_string()}],
        });
        let operator = self.operator.clone();
        let answer = self.ask("POST", "/api/v1/tournaments", Some(&operator), Some(&body), 201).await?;
        let token = answer.json()["tokens"]["arbiter"].as_str().map(str::to_owned);
        let round = self.ask("GET", &format!("{TOURNAMENT}/rounds/1"), None, None, 200).await?;
        self.show(&round, &["/state", "/release_at", "/draws/0/commitment"])?;
        token.ok_or_else(|| "the answer holds no arbiter's token".into())
    }

    async fn publish_pairings(&mut self, arbiter: &str) -> Told {
        self.say("The arbiter, or pairing software with a token of its own, publishes who plays on which board.")?;
        let body = json!({"boards": [{"board": 1, "white": {"name": "Ana"}, "black": {"name": "Ben"}}]});
        self.ask("PUT", &format!("{TOURNAMENT}/rounds/1/pairings"), Some(arbiter), Some(&body), 200).await?;
        Ok(())
    }

    async fn ask_too_early(&mut self) -> Told {
        self.say("A player asks for the position too early. Everybody gets this answer, the arbiter too.")?;
        let answer = self.ask("GET", &format!("{TOURNAMENT}/rounds/1/position"), None, None, 403).await?;
        self.show(&answer, &["/title", "/release_at"])
    }

    async fn ask_in_time(&mut self) -> Result<StartPosition, Box<dyn Error>> {
        self.say(
            "The release instant has come: the server derives the number, records it with its secret and shows it to all.",
        )?;
        self.wait_for_release().await?;
        let answer = self.ask("GET", &format!("{TOURNAMENT}/rounds/1/position"), None, None, 200).await?;
        self.show(&answer, &["/rank", "/fen", "/drawn_at", "/grade", "/draw/commitment", "/draw/secret"])?;
        let start = StartPosition::from_fen(answer.json()["fen"].as_str().unwrap_or_default())?;
        writeln!(self.out, "      That is position number {} of the 960.", start.number())?;
        Ok(start)
    }

    /// Boards ask again a little after the instant they were told.
    async fn wait_for_release(&mut self) -> Told {
        for _ in 0..20 * (SECONDS + 4) {
            let answer = self.client.get(&format!("{TOURNAMENT}/rounds/1/position")).await?;
            if answer.status == 200 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err("the position was not released in time".into())
    }

    async fn submit_a_slip(&mut self, arbiter: &str) -> Result<String, Box<dyn Error>> {
        self.say(
            "The game of board 1 is submitted, with a slip of the pen in it. It is replayed from the position drawn.",
        )?;
        let body =
            json!({"round": 1, "board": 1, "moves": ["e4", "e5", "Ke3"], "notation": "san", "result": "1/2-1/2"});
        let answer = self.ask("POST", &format!("{TOURNAMENT}/games"), Some(arbiter), Some(&body), 201).await?;
        self.show(&answer, &["/verdict", "/report/findings/0/article", "/report/findings/0/message"])?;
        self.expect(&answer, "/verdict", "illegal")?;
        let id = answer.json()["id"].as_str().map(str::to_owned);
        id.ok_or_else(|| "the answer holds no id".into())
    }

    async fn submit(&mut self, arbiter: &str, start: &StartPosition, slip: &str) -> Told {
        self.say("The corrected score takes its place; both stay on record.")?;
        let moves = game::moves(start);
        writeln!(self.out, "   {}", moves.join(" "))?;
        let body = json!({"round": 1, "board": 1, "moves": moves, "notation": "san", "result": "1/2-1/2",
                          "replaces": slip, "as": "correction"});
        let answer = self.ask("POST", &format!("{TOURNAMENT}/games"), Some(arbiter), Some(&body), 201).await?;
        self.show(&answer, &["/verdict", "/counts"])?;
        self.expect(&answer, "/verdict", "legal")
    }

    async fn audit(&mut self) -> Told {
        self.say("Afterwards anybody reads what happened, in order; each line is an entry of the append-only log.")?;
        let answer = self.ask("GET", &format!("{TOURNAMENT}/rounds/1/history"), None, None, 200).await?;
        for event in answer.json()["events"].as_array().into_iter().flatten() {
            let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            writeln!(self.out, "      {} {}  {}", event["entry"], text("at"), text("what"))?;
        }
        Ok(())
    }

    fn expect(&self, answer: &Answer, pointer: &str, word: &str) -> Told {
        let json = answer.json();
        let said = json.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if said.starts_with(word) { Ok(()) } else { Err(format!("{pointer} is {said:?}, not {word:?}").into()) }
    }

    fn say(&mut self, text: &str) -> Told {
        self.step += 1;
        let mut line = format!("\n{}.", self.step);
        for word in text.split_whitespace() {
            if line.trim_start().len() + word.len() >= COLUMNS {
                writeln!(self.out, "{line}")?;
                line = "  ".into();
            }
            line = line + " " + word;
        }
        writeln!(self.out, "{line}")?;
        Ok(())
    }

    async fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: Option<&Value>,
        expected: u16,
    ) -> Result<Answer, Box<dyn Error>> {
        let answer = self.client.send(method, path, token, body).await?;
        writeln!(self.out, "   {method} {path}  ->  {}", answer.status)?;
        if answer.status == expected {
            return Ok(answer);
        }
        Err(format!("{method} {path} answered {} instead of {expected}: {}", answer.status, answer.text).into())
    }

    fn show(&mut self, answer: &Answer, pointers: &[&str]) -> Told {
        let json = answer.json();
        for pointer in pointers {
            if let Some(value) = json.pointer(pointer) {
                writeln!(self.out, "      {}: {value}", pointer.rsplit('/').next().unwrap_or_default())?;
            }
        }
        Ok(())
    }
}
