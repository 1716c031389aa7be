//! The server as a whole, over real TCP: who is cut, who is told to come back, and how it stops.

use draw960::{config::Config, demo::client::Client, server, store::OpenMode};
use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
};

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl Running {
    async fn start(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config { data: folder.path().join("data"), ..Config::default() };
        change(&mut config);
        let opened = server::open(&config, OpenMode::Create, None).await.unwrap();
        let listener = server::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task =
            tokio::spawn(async move { server::run(&config, opened, listener, async { drop(stopped.await) }).await });
        Self { address, stop, task, _folder: folder }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }

    /// A connection that has sent these bytes.
    async fn connect(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    }
}

/// All the server says until it closes.
async fn rest(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    // A reset is an end as well.
    let _ = stream.read_to_end(&mut text).await;
    String::from_utf8(text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_and_says_what_it_does() {
    let server = Running::start(|_| ()).await;
    let client = Client::new(server.address);
    assert_eq!(client.get("/livez").await.unwrap().text, "alive\n");
    assert_eq!(client.get("/readyz").await.unwrap().text, "ready\n");
    let metrics = client.get("/metrics").await.unwrap().text;
    for figure in
        ["d960_build_info{version=", "d960_http_requests_total{route=\"/readyz\",method=\"GET\",status=\"200\"}"]
    {
        assert!(metrics.contains(figure), "{figure} is missing:\n{metrics}");
    }
    let nothing = client.get("/api/v1/no-such-thing").await.unwrap();
    assert_eq!((nothing.status, nothing.json()["type"].as_str()), (404, Some("/problems/route-unknown")));
    assert!(nothing.headers.contains_key("x-request-id"));
    server.stop().await;
}

/// Half a request costs its sender the connection after ten seconds; so does saying nothing at all.
#[tokio::test(flavor = "multi_thread")]
async fn half_sent_and_silent_connections_are_cut() {
    let server = Running::start(|_| ()).await;
    let began = Instant::now();
    let half = server.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n").await;
    let silent = server.connect(b"").await;
    let idle = server.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let (half, silent, idle) = tokio::join!(rest(half), rest(silent), rest(idle));
    assert!(began.elapsed() > Duration::from_secs(9), "cut before their time");
    assert!(half.is_empty() || half.contains("408"), "{half}");
    assert_eq!(silent, "");
    assert!(idle.ends_with("alive\n"), "{idle}");
    server.stop().await;
}

/// A request that is under way for certain: the server asks for the body only when a handler reads it.
const UNDER_WAY: &[u8] = b"POST /api/v1/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
Expect: 100-continue\r\nContent-Length: 16\r\n\r\n";

/// Reads until the server has said this.
async fn until(stream: &mut TcpStream, end: &str) {
    let mut text = Vec::new();
    while !text.ends_with(end.as_bytes()) {
        text.push(stream.read_u8().await.unwrap());
    }
}

/// Whoever is connected, a stop comes to its end; requests under way are answered, idle connections closed.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_for_answers_but_not_for_ever() {
    let server = Running::start(|_| ()).await;
    let (mut answered, mut never) = (server.connect(UNDER_WAY).await, server.connect(UNDER_WAY).await);
    let mut idle = server.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await;
    until(&mut answered, "100 Continue\r\n\r\n").await;
    until(&mut never, "100 Continue\r\n\r\n").await;
    until(&mut idle, "alive\n").await;
    let stopping = tokio::spawn(server.stop());
    // It is closed by the stop alone: of itself it would be kept for ten seconds more.
    assert_eq!(rest(idle).await, "");
    answered.write_all(b"{\"moves\":[\"e4\"]}").await.unwrap();
    let answer = rest(answered).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"plies\":1"), "{answer}");
    stopping.await.unwrap();
    assert_eq!(rest(never).await, "", "cut at the deadline, which no other limit comes before");
}

/// A body that is no body is not called too large.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_breaks_off_is_named() {
    let server = Running::start(|_| ()).await;
    let head = "POST /api/v1/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let answer = rest(server.connect(format!("{head}no chunk\r\n").as_bytes()).await).await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("/problems/body-broken"), "{answer}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_finds_no_place_is_told_to_come_back() {
    let server = Running::start(|config| config.max_connections = 1).await;
    let mut first = server.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await;
    until(&mut first, "alive\n").await;
    let refused = rest(server.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await).await;
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 2"), "{refused}");
    drop(first);
    // The place is free as soon as the server has noticed.
    let client = Client::new(server.address);
    while client.get("/livez").await.map_or(0, |answer| answer.status) != 200 {
        tokio::task::yield_now().await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_data_folder_has_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().into(), ..Config::default() };
    let first = server::open(&config, OpenMode::Create, None).await.unwrap();
    assert!(first.first.is_some());
    let refused = server::open(&config, OpenMode::Create, None).await.err().unwrap();
    assert!(refused.0.contains("another draw960"), "{refused}");
    first.desk.store.close().await;
    drop(first);
    let later = server::open(&config, OpenMode::Existing, None).await.unwrap();
    assert!(later.first.is_none());
}

#[tokio::test]
async fn an_empty_folder_is_refused_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().into(), ..Config::default() };
    let refused = server::open(&config, OpenMode::Existing, None).await.err().unwrap();
    assert!(refused.0.contains("there is no database"), "{refused}");
    assert!(!config.database().exists() && !config.key_file().exists());
}

/// A lost database is not silently followed by an empty one.
#[tokio::test]
async fn a_key_without_its_database_is_no_first_start() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().into(), ..Config::default() };
    let made = server::open(&config, OpenMode::Create, None).await.unwrap();
    made.desk.store.close().await;
    drop(made);
    std::fs::remove_file(config.database()).unwrap();
    let refused = server::open(&config, OpenMode::Create, None).await.err().unwrap();
    assert!(refused.0.contains("restore the database"), "{refused}");
    assert!(!config.database().exists());
}

#[tokio::test]
async fn the_operator_token_of_the_environment_is_accepted_beside_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().into(), ..Config::default() };
    let made = server::open(&config, OpenMode::Create, None).await.unwrap();
    made.desk.store.close().await;
    drop(made);
    let token = "automation-0123456789-0123456789-01";
    let later = server::open(&config, OpenMode::Existing, Some(token)).await.unwrap();
    assert!(later.desk.actor(token).await.is_ok());
}
