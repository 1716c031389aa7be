//! `draw960 verify BUNDLE|URL`: everything that can be checked about a tournament, offline.

use super::print;
use crate::{
    domain::{
        log::{LogKey, SignedNote, WitnessKey},
        verify::{Bundle, Report, Trust, Verdict, verify},
    },
    fetch,
};
use clap::Args;
use std::{error::Error, fmt::Write, fs, path::PathBuf, process::ExitCode, time::Duration};

/// A whole log over a slow line.
const FETCH_WITHIN: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub struct Verify {
    /// A bundle file, or the http:// URL of a server, tournament or bundle
    #[arg(value_name = "BUNDLE|URL")]
    bundle: String,
    /// Slug of the tournament, as the regulations print it
    #[arg(long, value_name = "SLUG")]
    slug: Option<String>,
    /// The log's key, as the regulations print it
    #[arg(long, value_name = "VKEY")]
    log_key: Option<LogKey>,
    /// A checkpoint file kept from before; may be repeated
    #[arg(long, value_name = "FILE")]
    checkpoint: Vec<PathBuf>,
    /// Key of a witness whose cosignatures count; may be repeated
    #[arg(long, value_name = "VKEY")]
    witness: Vec<WitnessKey>,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

/// Exit status: nothing that can be checked is wrong.
const SOUND: u8 = 0;
/// Something is wrong.
const WRONG: u8 = 1;

/// Reports, and answers the exit status.
///
/// # Errors
/// When the bundle or what the verifier brings cannot be read.
pub async fn run(command: Verify) -> Result<ExitCode, Box<dyn Error>> {
    let mut trust = Trust { log_key: command.log_key, witnesses: command.witness, kept: Vec::new() };
    for file in &command.checkpoint {
        trust.kept.push(kept(file)?);
    }
    let mut bundle = bundle(&command.bundle, command.slug.as_deref()).await?;
    if let Some(slug) = command.slug {
        // The bundle has the whole log: the tournament that is asked about is the verifier's word, not the server's.
        bundle.tournament = slug;
    }
    let report = verify(&bundle, &trust);
    print(&if command.json { serde_json::to_string_pretty(&report)? } else { told(&report) })?;
    Ok(ExitCode::from(if report.verdict() == Verdict::Fail { WRONG } else { SOUND }))
}

/// The bundle in a file or at a URL; `slug` names the tournament where the URL is that of a server.
pub(super) async fn bundle(place: &str, slug: Option<&str>) -> Result<Bundle, Box<dyn Error>> {
    let text = if place.contains("://") {
        fetched(place, slug).await?
    } else {
        fs::read_to_string(place).map_err(|why| format!("{place}: {why}"))?
    };
    Ok(serde_json::from_str(&text).map_err(|why| format!("{place} is no bundle: {why}"))?)
}

fn kept(file: &PathBuf) -> Result<SignedNote, String> {
    let text = fs::read_to_string(file).map_err(|why| format!("{}: {why}", file.display()))?;
    text.parse().map_err(|why| format!("{} is no checkpoint: {why}", file.display()))
}

async fn fetched(url: &str, slug: Option<&str>) -> Result<String, Box<dyn Error>> {
    let url = bundle_url(url, slug)?;
    let answer = fetch::get(&url, FETCH_WITHIN).await?;
    match answer.status {
        200 => Ok(answer.text),
        status => Err(format!("{url} answers {status}: {}", answer.text).into()),
    }
}

/// Where the bundle is, for the URL of a server, a tournament, or the bundle itself.
fn bundle_url(url: &str, slug: Option<&str>) -> Result<String, Box<dyn Error>> {
    let (host, path) = fetch::split(url)?;
    match (path.trim_end_matches('/'), slug) {
        ("" | "/api/v1", Some(slug)) => Ok(format!("http://{host}/api/v1/tournaments/{slug}/bundle")),
        ("" | "/api/v1", None) => Err(format!("{url} is a server: name the tournament with --slug").into()),
        (path, _) if path.ends_with("/bundle") => Ok(format!("http://{host}{path}")),
        (path, _) => Ok(format!("http://{host}{path}/bundle")),
    }
}

/// The report, and what it came to in a sentence that promises no more than it says.
fn told(report: &Report) -> String {
    let count = |verdict| report.checks.iter().filter(|check| check.verdict() == verdict).count();
    let (pass, fail, open) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::NotCheckable));
    let mut text = report.to_string();
    if !report.others.is_empty() {
        let _ = writeln!(
            text,
            "Whoever runs several tournaments alike may show the one whose positions they like: the slug must be the one \
             printed in the regulations."
        );
    }
    let _ = write!(text, "{pass} checks passed, {fail} failed, {open} could not be told from what was brought.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_a_tournament_and_a_bundle_are_told_apart() {
        let at = |url, slug| bundle_url(url, slug).map_err(|why| why.to_string());
        let bundle = "http://hall:9600/api/v1/tournaments/kaunas-open/bundle".to_owned();
        assert_eq!(at("http://hall:9600/", Some("kaunas-open")), Ok(bundle.clone()));
        assert_eq!(at("http://hall:9600/api/v1/tournaments/kaunas-open", None), Ok(bundle.clone()));
        assert_eq!(at(&bundle, None), Ok(bundle.clone()));
        assert!(at("http://hall:9600", None).unwrap_err().contains("--slug"));
        assert!(at("https://hall", Some("a")).unwrap_err().contains("TLS"));
    }
}
