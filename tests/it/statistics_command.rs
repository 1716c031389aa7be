//! `draw960 statistics`, run beside a running server as people run it.

use crate::support::TestServer;
use serde_json::{Value, json};
use std::process::{Command, Output};

async fn run(server: &TestServer, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_draw960"));
    command.arg("statistics").arg("--data").arg(server.folder.path()).args(arguments);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

async fn counted(server: &TestServer) -> Value {
    let output = run(server, &["--json"]).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn everything_released_is_counted_and_rehearsals_are_not() {
    let server = TestServer::new().await;
    assert_eq!(counted(&server).await["verdict"], "too-little-to-tell");
    let rounds =
        json!([{"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T14:00"}]);
    let t = server.tournament("kaunas-2026-open", json!({"repeats": "never"}), rounds.clone()).await;
    let rehearsal = server.tournament("rehearsal-kaunas", json!({"rehearsal": true}), rounds).await;
    server.at("2026-12-05T07:45:00Z").await;
    server.get(&rehearsal.at("/rounds/1/position")).await.done(200);
    let position = server.get(&t.at("/rounds/1/position")).await.done(200);
    let draw = position["draw"]["id"].as_str().unwrap();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "leaked"})).await.done(200);
    let by_hand = json!({"method": "manual", "procedure": "digits"});
    let thrown = server.post(&t.at("/rounds/1/draws"), &t.arbiter, by_hand).await.done(201);
    let throws = json!({"throws": ["5", "1", "8"]});
    server
        .post(&format!("/api/v1/draws/{}/throws", thrown["id"].as_str().unwrap()), &t.arbiter, throws)
        .await
        .done(200);
    server.tick().await;
    assert_eq!(server.get(&t.at("/rounds/1/position")).await.done(200)["number"], 518);

    // The voided one was drawn too; the sealed one is in no count.
    let said = counted(&server).await;
    assert_eq!(json!([said["draws"], said["tournaments"], said["never_drawn"]]), json!([2, 1, 958]));
    assert_eq!(said["grades"], json!({"C": 1, "M": 1}));
    assert_eq!(said["by_hand"], json!([{"procedure": "digits", "draws": 1, "numbers": 1}]));
    let of = |number: &Value| said["numbers"][number.as_u64().unwrap() as usize]["drawn"].clone();
    assert_eq!((of(&position["number"]), of(&json!(518))), (json!(1), json!(1)));
    let drawn = said["numbers"].as_array().unwrap().iter().map(|number| number["drawn"].as_u64().unwrap());
    assert_eq!(drawn.sum::<u64>(), 2);
    let text = String::from_utf8(run(&server, &[]).await.stdout).unwrap();
    assert!(
        text.starts_with("2 draws released in 1 tournament,") && text.contains("too little to tell: 2 draws"),
        "{text}"
    );
    assert!(text.lines().count() <= 24, "{text}");
}

#[test]
fn a_folder_without_a_database_is_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_draw960"));
    let output = command.arg("statistics").arg("--data").arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("there is no database at"));
}
