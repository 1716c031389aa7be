//! The smallest HTTP client that can tell the story: one connection per request, answers as text.

use http_body_util::{BodyExt, Full};
use hyper::{
    Request,
    body::Bytes,
    client::conn::http1,
    header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap},
};
use hyper_util::rt::TokioIo;
use std::{error::Error, net::SocketAddr};
use tokio::net::TcpStream;

/// Talks to one server.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    server: SocketAddr,
}

/// What the server said.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body as text.
    pub text: String,
}

impl Answer {
    /// The body as JSON; null if it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

impl Client {
    /// A client of the server at this address.
    pub const fn new(server: SocketAddr) -> Self {
        Self { server }
    }

    /// Asks for something public.
    ///
    /// # Errors
    /// When the server cannot be reached or does not speak HTTP.
    pub async fn get(&self, path: &str) -> Result<Answer, Box<dyn Error>> {
        self.send("GET", path, None, None).await
    }

    /// Sends a request, with a bearer token and a JSON body where given.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        json: Option<&serde_json::Value>,
    ) -> Result<Answer, Box<dyn Error>> {
        let mut request = Request::builder().method(method).uri(path).header(HOST, self.server.to_string());
        request = request.header(CONNECTION, "close");
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if json.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = json.map(ToString::to_string).unwrap_or_default();
        self.exchange(request.body(Full::from(body))?).await
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Answer, Box<dyn Error>> {
        let stream = TcpStream::connect(self.server).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let (head, body) = sender.send_request(request).await?.into_parts();
        let bytes = body.collect().await?.to_bytes();
        connection.abort();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, text })
    }
}
