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
        let game = self.submit(&arbiter, &start).await?;
        self.submit_an_illegal_one(&arbiter, &game).await?;
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
        self.show(&answer, &["/number", "/rank", "/fen", "/drawn_at", "/grade", "/draw/commitment", "/draw/secret"])?;
        let position = answer.json();
        let fen = position["fen"].as_str().unwrap_or_default();
        let start = StartPosition::from_fen(fen)?;
        writeln!(
            self.out,
            "   position number {}, drawn from {} words of keystream",
            start.number(),
            position["draw"]["words_used"]
        )?;
        Ok(start)
    }

    /// Boards ask again a little after the instant they were told.
    async fn wait_for_release(&mut self) -> Told {
        for _ in 0..20 * (SECONDS + 4) {
            let answer = self.client.get(&format!("{TOURNAMENT}/rounds/1")).await?;
            if answer.json()["state"] == "released" {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err("the position was not released in time".into())
    }

    async fn submit(&mut self, arbiter: &str, start: &StartPosition) -> Result<Vec<String>, Box<dyn Error>> {
        self.say(
            "The game of board 1 is submitted. It is replayed under the rules of Chess960 from the position drawn.",
        )?;
        let moves = game::moves(start);
        writeln!(self.out, "   {}", moves.join(" "))?;
        let body = json!({"round": 1, "board": 1, "moves": moves, "notation": "san", "result": "1/2-1/2"});
        let answer = self.ask("POST", &format!("{TOURNAMENT}/games"), Some(arbiter), Some(&body), 201).await?;
        self.show(&answer, &["/id", "/verdict", "/report/verdict"])?;
        Ok(moves)
    }

    async fn submit_an_illegal_one(&mut self, arbiter: &str, moves: &[String]) -> Told {
        self.say("A second record of the same game is refused unless it says what it replaces.")?;
        let body = json!({"round": 1, "board": 1, "moves": moves[..2], "notation": "san", "result": "1-0"});
        let answer = self.ask("POST", &format!("{TOURNAMENT}/games"), Some(arbiter), Some(&body), 409).await?;
        self.show(&answer, &["/title", "/detail"])
    }

    async fn audit(&mut self) -> Told {
        self.say("Afterwards anybody reads what happened, in order; each line is an entry of the append-only log.")?;
        let answer = self.ask("GET", &format!("{TOURNAMENT}/rounds/1/history"), None, None, 200).await?;
        self.show(&answer, &[])
    }

    fn say(&mut self, text: &str) -> Told {
        self.step += 1;
        writeln!(self.out, "\n{}. {text}", self.step)?;
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
