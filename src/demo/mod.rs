//! The main job as a story: a throw-away server, spoken to over real HTTP, each step printed.

pub mod client;
mod game;
mod story;

use crate::{
    config::Config,
    server::{self, Opened},
    store::OpenMode,
};
use client::Client;
use std::{error::Error, fs, io::Write, net::Ipv4Addr, path::PathBuf};
use story::Story;
use tokio::sync::oneshot;

/// Performs the story and prints it.
///
/// # Errors
/// When a step did not end as told, or the throw-away server could not be made.
pub async fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let folder = Folder::new()?;
    let config = Config { data: folder.0.clone(), ..Config::default() };
    let opened = server::open(&config, OpenMode::Create, None).await?;
    let listener = server::bind((Ipv4Addr::LOCALHOST, 0).into())?;
    let client = Client::new(listener.local_addr()?);
    let operator = operator_token(&opened)?;
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        let stopped = async { drop(stopped.await) };
        server::run(&config, opened, listener, stopped).await;
    });
    let told = Story::new(out, client, operator).tell().await;
    drop(stop);
    serving.await?;
    told
}

fn operator_token(opened: &Opened) -> Result<String, &'static str> {
    opened.first.as_ref().map(|first| first.operator_token.clone()).ok_or("the throw-away server is not new")
}

/// A folder that goes away with the story.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("draw960-demo-{}", std::process::id()));
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_story_ends_well() {
        let mut out = Vec::new();
        let told = super::run(&mut out).await;
        let text = String::from_utf8(out).unwrap();
        told.unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert!(text.contains("403") && text.contains("legal-complete"), "{text}");
        assert!(!text.contains("d960_"), "a token is printed:\n{text}");
    }
}
