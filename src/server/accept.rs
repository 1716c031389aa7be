//! The accept loop. Ours, because the web framework's has no deadline for a request that is never finished.

use super::connections::{Connections, Limits};
use axum::Router;
use std::{future::Future, io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

/// How long a refused client has to take its refusal.
const REFUSAL: Duration = Duration::from_secs(1);
/// Refusals under way; beyond them a connection is simply closed.
const REFUSALS: usize = 64;
/// What is sent when all places are taken.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
content-type: application/problem+json\r\n\
retry-after: 2\r\n\
cache-control: no-store\r\n\
connection: close\r\n\
content-length: 151\r\n\
\r\n\
{\"type\":\"/problems/unavailable\",\"title\":\"Unavailable\",\"status\":503,\"detail\":\"too many connections at this moment; nothing was done: ask again shortly\"}";

/// Serves connections until `stop` completes; gives back those still open. The listener is closed then.
pub async fn serve(listener: TcpListener, app: Router, limits: Limits, stop: impl Future<Output = ()>) -> Connections {
    let mut connections = Connections::new(app, limits.head);
    let refusals = Arc::new(Semaphore::new(REFUSALS));
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => return connections,
            () = connections.one_ended(), if !connections.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match limits.places.take(peer.ip()) {
                    Some(place) => admit(&mut connections, stream, place),
                    None => refuse(stream, &refusals),
                },
                Err(why) => pause_after(&why).await,
            },
        }
    }
}

fn admit(connections: &mut Connections, stream: TcpStream, place: super::places::Place) {
    // Answers are small and wanted at once.
    let _ = stream.set_nodelay(true);
    connections.serve(stream, place);
}

/// Says so, instead of hanging up.
fn refuse(mut stream: TcpStream, refusals: &Arc<Semaphore>) {
    metrics::counter!("d960_connections_refused_total").increment(1);
    let Ok(permit) = Arc::clone(refusals).try_acquire_owned() else { return };
    let say = async move {
        stream.write_all(FULL).await?;
        stream.shutdown().await?;
        // Closing with a request unread would reset the connection, and the refusal would be lost with it.
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    };
    tokio::spawn(async move {
        let _ = tokio::time::timeout(REFUSAL, say).await;
        drop(permit);
    });
}

/// A connection that broke while it waited is nothing; no descriptor left needs a moment until one is free.
async fn pause_after(why: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(why.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::warn!(%why, "cannot accept connections");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_says_its_length() {
        let text = std::str::from_utf8(FULL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{}", body.len());
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }
}
