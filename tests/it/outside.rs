//! The built program as its operator meets it: what it writes to, and what becomes of that.

use draw960::demo::client::Client;
use std::{
    fs::File,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

struct Server {
    process: Child,
    client: Client,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Serves on a free port, writing its log here.
    fn start(log: impl Into<Stdio>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_draw960"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address =
            said.find_map(|line| Some(line.split_once("http://")?.1.split_whitespace().next()?.parse().unwrap()));
        // Nobody reads any more, as after a pipe into head; the program has said what it had to.
        Self { process, client: Client::new(address.unwrap()), _folder: folder }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A log on a full disk, or into a pipe that nobody reads any more, costs log lines and nothing else.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_log_that_cannot_be_written_stops_nothing() {
    let server = Server::start(File::options().write(true).open("/dev/full").unwrap());
    for _ in 0..3 {
        assert_eq!(server.client.get("/api/v1/positions/518").await.unwrap().status, 200);
    }
    let mut server = Server::start(Stdio::piped());
    drop(server.process.stderr.take());
    for _ in 0..3 {
        assert_eq!(server.client.get("/api/v1/no-such-thing").await.unwrap().status, 404);
    }
    let passes = server.client.get("/metrics").await.unwrap().text;
    assert!(passes.contains("d960_release_last_pass_seconds"), "{passes}");
}
