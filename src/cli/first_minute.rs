//! What a start prints: at the first, everything to begin with; later, where the server is.

use crate::config::Config;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The main job, for a shell. The game is legal from each of the 960: no pawn's step there can give or allow check.
const WALK: &str = include_str!("first_minute.sh");

/// The text of the first start; without a token where the environment preset one.
pub fn first(config: &Config, address: SocketAddr, log_key: &str, token: Option<&str>) -> String {
    let origin = log_key.split('+').next().unwrap_or(log_key);
    let url = url(address);
    let shown = match token {
        Some(token) => format!("Operator token, shown only now:\n\n    {token}\n"),
        None => "Operator token: the one of DRAW960_OPERATOR_TOKEN\n".to_owned(),
    };
    format!(
        "draw960 {version}: first start, log {origin}\n\
         \n\
         {shown}\n\
         The data folder {data} now holds draw960.db (every draw) and draw960.key. Without the key file no sealed draw\n\
         can be released; with both, sealed positions can be computed. Keep a copy of each, in different places.\n\
         \n\
         The log's key, for the regulations, so that players can verify every draw (draw960 verify --log-key):\n\n    {log_key}\n\
         \n\
         Serving {url}   (the interface: {url}/api/docs)\n\
         \n\
         The main job in half a minute. Paste into another terminal:\n\
         \n{walk}\n\
         The same as a story, without a server of your own: draw960 demo\n",
        version = env!("CARGO_PKG_VERSION"),
        data = config.data.display(),
        walk = walk(&url, token.unwrap_or("$DRAW960_OPERATOR_TOKEN")),
    )
}

/// The text of every later start.
pub fn later(address: SocketAddr, origin: &str) -> String {
    let (version, url) = (env!("CARGO_PKG_VERSION"), url(address));
    format!("draw960 {version}: serving {url}, log {origin}\nOperator token lost? draw960 token makes a new one.")
}

fn walk(url: &str, token: &str) -> String {
    let script = WALK.replace("@URL@", url).replace("@TOKEN@", token);
    let lines = script.lines().skip_while(|line| line.starts_with("#!") || line.starts_with("##"));
    lines.map(|line| if line.is_empty() { "\n".into() } else { format!("    {line}\n") }).collect()
}

/// Where a browser on this machine finds the server.
fn url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_start_says_all_there_is_to_know() {
        let address = "0.0.0.0:9600".parse().unwrap();
        let text = first(&Config::default(), address, "draw960.local/01234567+0a0b0c0d+AAAA", Some("d960_opr_secret"));
        for part in [
            "d960_opr_secret",
            "draw960.key",
            "http://127.0.0.1:9600/api/v1",
            "log draw960.local/01234567\n",
            "+AAAA",
            "curl",
        ] {
            assert!(text.contains(part), "{part} is missing:\n{text}");
        }
        assert!(
            !text.contains("@URL@") && !text.contains("@TOKEN@") && text.lines().all(|line| line.len() <= 130),
            "{text}"
        );
    }

    #[test]
    fn a_preset_token_is_not_repeated() {
        let text = first(&Config::default(), "127.0.0.1:9600".parse().unwrap(), "a/1", None);
        assert!(text.contains("OPERATOR=$DRAW960_OPERATOR_TOKEN") && !text.contains("d960_opr"), "{text}");
    }

    #[test]
    fn a_later_start_says_where_and_nothing_secret() {
        let text = later("[::]:80".parse().unwrap(), "a/1");
        assert!(text.contains("http://[::1]:80") && text.contains("draw960 token"), "{text}");
    }
}
