//! Every path of the server that can be read, taken from its own description.

use super::{Answer, TestServer, Tournament};

/// Values for the parameters of paths; a new parameter must be named here.
pub struct Fill<'a> {
    pub tournament: &'a str,
    pub round: &'a str,
    pub draw: &'a str,
}

impl TestServer {
    /// Every operation of the API: method and path as the description has them.
    pub async fn operations(&self) -> Vec<(String, String)> {
        let spec = self.get("/api/openapi.json").await.done(200);
        let paths = spec["paths"].as_object().unwrap().clone();
        let mut all = Vec::new();
        for (path, item) in paths {
            for method in item.as_object().unwrap().keys().filter(|key| *key != "parameters") {
                all.push((method.to_uppercase(), path.clone()));
            }
        }
        all
    }

    /// Every path that answers GET, with its parameters filled in.
    pub async fn readable(&self, fill: &Fill<'_>) -> Vec<String> {
        let described = self.operations().await.into_iter().filter(|(method, _)| method == "GET");
        let described = described.map(|(_, path)| format!("/api/v1{}", filled(&path, fill)));
        let pages = ["/", "/api/docs", "/api/openapi.json", "/problems", "/problems/position-sealed"];
        described.chain(pages.map(str::to_owned)).collect()
    }

    /// What every readable path answers to everybody: path, role, answer.
    pub async fn everything(&self, t: &Tournament, round: &str) -> Vec<(String, &'static str, Answer)> {
        let draw = self.get(&t.at(&format!("/rounds/{round}"))).await.json();
        let draw = draw["draws"].as_array().and_then(|draws| draws.last()?["id"].as_str().map(str::to_owned));
        let fill = Fill { tournament: t.slug(), round, draw: draw.as_deref().unwrap_or("drw_none") };
        let callers = [
            ("public", ""),
            ("arbiter", &t.arbiter),
            ("pairing", &t.pairing),
            ("board", &t.board),
            ("auditor", &t.auditor),
            ("operator", &self.operator),
        ];
        let mut all = Vec::new();
        for path in self.readable(&fill).await {
            for (role, token) in callers {
                all.push((path.clone(), role, self.get_as(&path, token).await));
            }
        }
        all
    }
}

fn filled(path: &str, fill: &Fill<'_>) -> String {
    let value = |name: &str| match name {
        "t" => fill.tournament,
        "r" => fill.round,
        "d" => fill.draw,
        "b" => "1",
        "n" => "0",
        "i" => "0",
        "g" => "gam_00000000000000000000000000000000",
        "k" | "id" => "none",
        _ => panic!("give the parameter {name} of {path} a value in tests/it/support/paths.rs"),
    };
    path.split('/')
        .map(|part| match part.strip_prefix('{').and_then(|part| part.split_once('}')) {
            Some((name, suffix)) => format!("{}{suffix}", value(name)),
            None => part.to_owned(),
        })
        .collect::<Vec<_>>()
        .join("/")
}
