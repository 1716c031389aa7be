//! `draw960 verify` on bundles of a real server: what is sound passes, and every kind of tampering is found.

use crate::support::{TestServer, Tournament};
use draw960::{clock::ManualClock, config::Config, server, store::OpenMode};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tokio::sync::oneshot;

/// A server after a release, a void and a new order.
async fn played() -> (TestServer, Tournament) {
    let server = TestServer::new().await;
    let rounds =
        json!([{"number": 1, "starts_at": "2026-12-05T10:00"}, {"number": 2, "starts_at": "2026-12-05T14:00"}]);
    let t = server.tournament("kaunas-2026-open", json!({"repeats": "never"}), rounds).await;
    server.at("2026-12-05T07:45:00Z").await;
    let draw = server.get(&t.at("/rounds/2")).await.json()["draws"][0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/draws/{draw}/void"), &t.arbiter, json!({"reason": "leaked"})).await.done(200);
    server.post(&t.at("/rounds/2/draws"), &t.arbiter, json!({})).await.done(201);
    server.at("2026-12-05T11:45:00Z").await;
    (server, t)
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_draw960")).arg("verify").args(arguments).output().unwrap()
}

/// Exit status, and what was said.
fn verify(folder: &Path, bundle: &Value, arguments: &[&str]) -> (i32, String) {
    let file = folder.join("bundle.json");
    fs::write(&file, bundle.to_string()).unwrap();
    said(&run(&[&[file.to_str().unwrap()], arguments].concat()))
}

fn said(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

async fn vkey(server: &TestServer) -> String {
    server.get("/api/v1/log/vkey").await.text().trim().to_owned()
}

#[tokio::test]
async fn a_sound_bundle_passes_as_far_as_it_can_be_told() {
    let (server, t) = played().await;
    let bundle = server.get(&t.at("/bundle")).await.done(200);
    let key = vkey(&server).await;
    let kept = server.folder.path().join("kept.note");
    fs::write(&kept, server.get("/api/v1/log/checkpoint").await.text()).unwrap();
    let kept = kept.to_str().unwrap();
    let (status, text) =
        verify(server.folder.path(), &bundle, &["--log-key", &key, "--checkpoint", kept, "--slug", "kaunas-2026-open"]);
    assert_eq!(status, 0, "{text}");
    for part in
        ["V1  pass", "V2  pass", "V6  not checkable", "V7  pass", "V8  pass", "V9  pass", "V10 pass", "0 failed"]
    {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    assert!(text.contains("voided (leaked), its outcome could be known"), "{text}");
    let (status, text) = verify(server.folder.path(), &bundle, &["--json"]);
    assert_eq!(status, 0);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((report["checks"].as_array().unwrap().len(), report["draws"].as_array().unwrap().len()), (10, 3));
}

#[tokio::test]
async fn every_kind_of_tampering_is_found() {
    let (server, t) = played().await;
    let (honest, key) = (server.get(&t.at("/bundle")).await.done(200), vkey(&server).await);
    let find = |kind: &str| {
        let entries = honest["entries"].as_array().unwrap();
        entries.iter().position(|entry| entry.as_str().unwrap().starts_with(&format!("{{\"t\":\"{kind}\""))).unwrap()
    };
    let (order, release, void) = (find("order"), find("release"), find("void"));
    let edit = |bundle: &mut Value, index: usize, from: &str, to: &str| {
        let edited = bundle["entries"][index].as_str().unwrap().replacen(from, to, 1);
        assert_ne!(bundle["entries"][index], edited.as_str());
        bundle["entries"][index] = edited.into();
    };
    let entries =
        |bundle: &mut Value, change: &dyn Fn(&mut Vec<Value>)| change(bundle["entries"].as_array_mut().unwrap());
    type Tampering<'a> = (&'a str, &'a str, Box<dyn Fn(&mut Value) + 'a>);
    let all: Vec<Tampering> = vec![
        ("a byte of an order", "V1", Box::new(|b| edit(b, order, "\"at\":17", "\"at\":16"))),
        ("another number", "V7", Box::new(|b| edit(b, release, "\"number\":", "\"number\":1"))),
        ("another secret", "V6", Box::new(|b| edit(b, release, "\"secret\":\"", "\"secret\":\"0"))),
        ("terms rewritten", "V6", Box::new(|b| edit(b, order, "\"exclude\":[]", "\"exclude\":[518]"))),
        ("a release made early", "V4", Box::new(|b| edit(b, release, "\"at\":17", "\"at\":16"))),
        ("a void denied", "V10", Box::new(|b| edit(b, void, "\"knowable\":true", "\"knowable\":false"))),
        ("a void left out", "V8", Box::new(|b| entries(b, &|e| drop(e.remove(void))))),
        ("an order left out", "V8", Box::new(|b| entries(b, &|e| drop(e.remove(order))))),
        ("the end cut off", "V1", Box::new(|b| entries(b, &|e| drop(e.pop())))),
        ("two entries exchanged", "V1", Box::new(|b| entries(b, &|e| e.swap(1, 2)))),
        ("an entry twice", "V8", Box::new(|b| entries(b, &|e| e.push(e[release].clone())))),
        (
            "used numbers hidden",
            "V9",
            Box::new(|b| {
                let last = honest["entries"].as_array().unwrap().len() - 1;
                let text = b["entries"][last].as_str().unwrap().to_owned();
                let (head, rest) = text.split_once("\"used\":[").unwrap();
                b["entries"][last] = format!("{head}\"used\":[{}", &rest[rest.find(']').unwrap()..]).into();
            }),
        ),
        (
            "another checkpoint",
            "V1",
            Box::new(|b| {
                let text = b["checkpoint"].as_str().unwrap().replacen("/", "/0", 1);
                b["checkpoint"] = text.into();
            }),
        ),
        ("another key", "V1", Box::new(|b| b["log_key"] = "x+00000000+AQ==".into())),
        ("another tournament's bundle", "V1", Box::new(|b| b["tournament"] = "vilnius-2026-open".into())),
    ];
    for (what, check, tamper) in all {
        let mut bundle = honest.clone();
        tamper(&mut bundle);
        let (status, text) = verify(server.folder.path(), &bundle, &["--log-key", &key]);
        assert_eq!(status, 1, "{what}: {text}");
        assert!(text.contains(&format!("{check:3} FAIL")), "{what} is not found by {check}:\n{text}");
    }
}

/// Who holds the log's key can sign another history, but not the one that somebody kept a checkpoint of.
#[tokio::test]
async fn a_log_that_was_forked_contradicts_a_kept_checkpoint() {
    let server = TestServer::new().await;
    let t = server.kaunas().await;
    server.desk.store.close().await;
    let copy = tempfile::tempdir().unwrap();
    for file in ["draw960.db", "draw960.key", "draw960.highwater"] {
        fs::copy(server.folder.path().join(file), copy.path().join(file)).unwrap();
    }
    let server = server.restart(2).await;
    server.at("2026-12-05T07:45:00Z").await;
    let kept = server.folder.path().join("kept.note");
    fs::write(&kept, server.get("/api/v1/log/checkpoint").await.text()).unwrap();

    let forked = TestServer::open(copy, ManualClock::new("2026-12-05T06:30:00Z".parse().unwrap()), 3).await;
    forked.put(&t.at("/rounds/2"), &t.arbiter, json!({"starts_at": "2026-12-06T10:00"})).await.done(200);
    let bundle = forked.get(&t.at("/bundle")).await.done(200);
    let key = vkey(&forked).await;
    assert_eq!(verify(forked.folder.path(), &bundle, &["--log-key", &key]).0, 0);
    let (status, text) =
        verify(forked.folder.path(), &bundle, &["--log-key", &key, "--checkpoint", kept.to_str().unwrap()]);
    assert!(status == 1 && text.contains("V2  FAIL") && text.contains("the log was rewritten"), "{text}");
}

#[tokio::test]
async fn tournaments_that_overlap_are_reported() {
    let (server, t) = played().await;
    let twin = json!([{"number": 1, "starts_at": "2026-12-06T10:00"}]);
    server.tournament("kaunas-2026-twin", json!({}), twin).await;
    server.post(&t.at("/close"), &t.arbiter, json!({})).await.done(200);
    let bundle = server.get(&t.at("/bundle")).await.done(200);
    let (status, text) = verify(server.folder.path(), &bundle, &[]);
    assert!(status == 0 && text.contains("at the same time: kaunas-2026-twin") && text.contains("V6  pass"), "{text}");
}

#[tokio::test]
async fn what_cannot_be_read_ends_with_status_two() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.json");
    fs::write(&file, "{\"format\":1").unwrap();
    let file = file.to_str().unwrap();
    for arguments in [
        vec![file],
        vec!["no/such/file"],
        vec!["https://hall.example"],
        vec!["http://127.0.0.1:1/", "--slug", "kaunas-2026-open"],
        vec![file, "--log-key", "nonsense"],
        vec![file, "--checkpoint", "no/such/file"],
    ] {
        let (status, text) = said(&run(&arguments));
        assert_eq!(status, 2, "{arguments:?}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_server_is_verified_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().join("data"), ..Config::default() };
    let opened = server::open(&config, OpenMode::Create, Some("operator-0123456789-0123456789-01")).await.unwrap();
    let listener = server::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving =
        tokio::spawn(async move { server::run(&config, opened, listener, async { drop(stopped.await) }).await });
    let client = draw960::demo::client::Client::new(address);
    let body = json!({"name": "K", "slug": "kaunas-2026-open", "time_zone": "UTC", "rounds": [{"number": 1, "starts_at": "2099-12-05T10:00"}]});
    let token = Some("operator-0123456789-0123456789-01");
    let made = client.send("POST", "/api/v1/tournaments", token, Some(&body)).await.unwrap();
    assert_eq!(made.status, 201, "{}", made.text);
    let url = format!("http://{address}");
    let asked = [&[url.as_str(), "--slug", "kaunas-2026-open"][..], &[url.as_str(), "--slug", "no-such-open"]];
    let answers = asked.map(|arguments| {
        let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
        tokio::task::spawn_blocking(move || said(&run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())))
    });
    let [sound, unknown] = answers;
    let (sound, unknown) = (sound.await.unwrap(), unknown.await.unwrap());
    assert!(sound.0 == 0 && sound.1.contains("tournament kaunas-2026-open"), "{}", sound.1);
    assert!(unknown.0 == 2 && unknown.1.contains("tournament-unknown"), "{}", unknown.1);
    stop.send(()).unwrap();
    serving.await.unwrap();
}
