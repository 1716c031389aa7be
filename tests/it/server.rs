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

    /// Stops it; how long that took.
    async fn stop(self) -> Duration {
        let began = Instant::now();
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
        began.elapsed()
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
    assert!(server.stop().await < Duration::from_secs(1));
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
    let took = began.elapsed();
    assert!(took > Duration::from_secs(9) && took < Duration::from_secs(13), "{took:?}");
    assert!(half.is_empty() || half.contains("408"), "{half}");
    assert_eq!(silent, "");
    assert!(idle.ends_with("alive\n"), "{idle}");
    server.stop().await;
}

/// Whoever is connected, and however slow, a stop takes no more than five seconds; requests under way are answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_for_answers_but_not_for_ever() {
    let server = Running::start(|_| ()).await;
    let slow = server.connect(b"POST /api/v1/tournaments HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{").await;
    let idle = server.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let took = server.stop().await;
    assert!(took < Duration::from_millis(5500), "{took:?}");
    assert!(rest(idle).await.ends_with("alive\n"));
    drop(slow);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_finds_no_place_is_told_to_come_back() {
    let server = Running::start(|config| config.max_connections = 1).await;
    let first = server.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let refused = rest(server.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await).await;
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 2"), "{refused}");
    drop(first);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(Client::new(server.address).get("/livez").await.unwrap().status, 200);
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
