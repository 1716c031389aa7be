//! The smallest HTTP client for other machines: `http://` only, one connection a request, bounded in time and size.
//!
//! No TLS: what is fetched proves itself by signatures, and is fetched from the hall's own network.

use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Method, Request,
    body::Bytes,
    client::conn::http1,
    header::{CONNECTION, CONTENT_LENGTH, HOST},
};
use hyper_util::rt::TokioIo;
use std::{error::Error, fmt, time::Duration};
use tokio::{net::TcpStream, time::timeout};

/// No answer is longer: a whole log of a long season.
const MOST_BYTES: usize = 256 << 20;

/// What the other machine said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// HTTP status.
    pub status: u16,
    /// Body as text.
    pub text: String,
}

/// Why nothing was fetched.
#[derive(Debug)]
pub struct FetchError(String);

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for FetchError {}

/// Asks for a URL, within this time.
///
/// # Errors
/// When it is no `http://` URL, or nobody answers in time.
pub async fn get(url: &str, within: Duration) -> Result<Fetched, FetchError> {
    send(Method::GET, url, String::new(), within).await
}

/// Sends a text to a URL, within this time.
///
/// # Errors
/// As [`get`].
pub async fn post(url: &str, body: String, within: Duration) -> Result<Fetched, FetchError> {
    send(Method::POST, url, body, within).await
}

/// Host with port, and path, of an `http://` URL.
///
/// # Errors
/// When it is another kind of URL.
pub fn split(url: &str) -> Result<(String, String), FetchError> {
    if url.starts_with("https://") {
        let why = "this program speaks no TLS; fetch it with another tool (curl -o FILE) and give the file";
        return Err(FetchError(format!("{url}: {why}")));
    }
    let rest = url.strip_prefix("http://").ok_or_else(|| FetchError(format!("{url} is no http:// URL")))?;
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    if host.is_empty() || !host.bytes().all(|b| b.is_ascii_graphic() && b != b'@') {
        return Err(FetchError(format!("{url} names no host")));
    }
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let host = if has_port { host.to_owned() } else { format!("{host}:80") };
    Ok((host, path.to_owned()))
}

async fn send(method: Method, url: &str, body: String, within: Duration) -> Result<Fetched, FetchError> {
    let (host, path) = split(url)?;
    let path = if path.is_empty() { "/" } else { &path };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, &host)
        .header(CONNECTION, "close")
        .header(CONTENT_LENGTH, body.len())
        .body(Full::from(body))
        .map_err(|why| FetchError(format!("{url}: {why}")))?;
    match timeout(within, exchange(&host, request)).await {
        Ok(done) => done.map_err(|why| FetchError(format!("{url}: {why}"))),
        Err(_) => Err(FetchError(format!("{url}: no answer within {} s", within.as_secs()))),
    }
}

async fn exchange(host: &str, request: Request<Full<Bytes>>) -> Result<Fetched, Box<dyn Error + Send + Sync>> {
    let stream = TcpStream::connect(host).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let (head, body) = sender.send_request(request).await?.into_parts();
    let bytes = Limited::new(body, MOST_BYTES).collect().await;
    connection.abort();
    let text = String::from_utf8(bytes?.to_bytes().to_vec())?;
    Ok(Fetched { status: head.status.as_u16(), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split_or_refused() {
        let parts = |host: &str, path: &str| (host.to_owned(), path.to_owned());
        assert_eq!(split("http://hall:9600/a/b?c=1").unwrap(), parts("hall:9600", "/a/b?c=1"));
        assert_eq!(split("http://hall").unwrap(), parts("hall:80", ""));
        assert_eq!(split("http://[::1]:9600/").unwrap(), parts("[::1]:9600", "/"));
        for url in ["ftp://a", "hall:9600", "http://", "http:///x", "http://me@hall/"] {
            assert!(split(url).is_err(), "{url}");
        }
        assert!(split("https://hall/").unwrap_err().to_string().contains("TLS"));
    }
}
