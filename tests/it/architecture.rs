//! The rooms of the program and who may use what, checked over the sources.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A source file: its path below `src` and its code without comments and unit tests.
struct Source {
    path: String,
    code: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    assert!(files.len() > 50, "the sources are not where they were");
    files
        .iter()
        .map(|file| Source {
            path: file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/"),
            code: without_comments(&fs::read_to_string(file).unwrap()),
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for item in fs::read_dir(folder).unwrap() {
        let path = item.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn without_comments(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Whether `word` stands in `code` as a whole path: `std::fs` is not in `std::fsx`.
fn names(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        !code[..at].chars().next_back().is_some_and(part) && !code[at + word.len()..].chars().next().is_some_and(part)
    })
}

#[track_caller]
fn only_in(word: &str, allowed: &[&str]) {
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|source| names(&source.code, word) && !allowed.iter().any(|room| source.path.starts_with(room)))
        .map(|source| source.path)
        .collect();
    assert!(found.is_empty(), "{word} is named in {found:?}, and belongs in {allowed:?} only");
}

#[test]
fn the_core_takes_values_and_gives_values() {
    let foreign = [
        "async",
        "await",
        "tokio",
        "sqlx",
        "axum",
        "hyper",
        "tower_http",
        "std::fs",
        "std::env",
        "std::net",
        "std::thread",
        "SystemTime",
        "Instant",
        "getrandom",
        "tracing",
    ];
    for source in sources().iter().filter(|source| source.path.starts_with("domain/")) {
        for word in foreign {
            assert!(!names(&source.code, word), "{} names {word}", source.path);
        }
        assert!(!names(&source.code, "Timestamp::now"), "{} reads the clock", source.path);
    }
}

#[test]
fn the_core_uses_no_other_room() {
    let rooms = [
        "store",
        "ledger",
        "bulletin",
        "desk",
        "http",
        "web",
        "release",
        "clock",
        "entropy",
        "cli",
        "server",
        "telemetry",
    ];
    for source in sources().iter().filter(|source| source.path.starts_with("domain/")) {
        for (at, _) in source.code.match_indices("crate::") {
            let rest = &source.code[at + "crate::".len()..];
            let next: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            assert!(next.is_empty() || next == "domain", "{} uses crate::{next}", source.path);
            let group = rest.strip_prefix('{').and_then(|group| group.split(';').next()).unwrap_or_default();
            assert!(!rooms.iter().any(|room| names(group, room)), "{} uses {group}", source.path);
        }
    }
}

/// Each room names only the rooms below it.
#[test]
fn arrows_between_rooms_point_down() {
    let above: [(&str, &[&str]); 6] = [
        ("store/", &["ledger", "bulletin", "desk", "http", "web", "release", "cli", "server"]),
        ("ledger/", &["bulletin", "desk", "http", "web", "release", "cli", "server"]),
        ("bulletin/", &["desk", "http", "web", "release", "cli", "server"]),
        ("desk/", &["http", "web", "relays", "custody", "cli", "server"]),
        ("http/", &["web", "cli", "server"]),
        ("custody/", &["http", "web", "release", "relays", "cli", "server"]),
    ];
    for source in sources() {
        let Some((_, forbidden)) = above.iter().find(|(room, _)| source.path.starts_with(room)) else { continue };
        for room in *forbidden {
            assert!(!names(&source.code, &format!("crate::{room}")), "{} uses crate::{room}", source.path);
            let grouped = format!("crate::{{\n    {room}::");
            assert!(!source.code.contains(&grouped), "{} uses crate::{room}", source.path);
        }
    }
}

#[test]
fn sql_is_in_the_store_only() {
    only_in("sqlx", &["store/"]);
    for source in sources().iter().filter(|source| !source.path.starts_with("store/")) {
        for words in ["\"select ", "\"insert into ", "\"update ", "\"delete from ", "\"pragma ", "\"begin"] {
            assert!(!source.code.to_lowercase().contains(words), "{} holds SQL: {words}", source.path);
        }
    }
}

#[test]
fn time_is_read_in_one_place() {
    for word in ["Timestamp::now", "Zoned::now", "SystemTime::now"] {
        only_in(word, &["clock.rs"]);
    }
}

#[test]
fn chance_is_read_in_one_place() {
    for word in ["getrandom", "OsRng", "thread_rng", "rand::rng", "Uuid::new_v4", "Uuid::now_v7"] {
        only_in(word, &["entropy.rs"]);
    }
}

#[test]
fn the_draw_uses_no_range_and_no_shuffle() {
    for source in sources().iter().filter(|source| source.path.starts_with("domain/derivation/")) {
        for word in ["random_range", "gen_range", "shuffle", "choose", "SliceRandom", "Uniform"] {
            assert!(!names(&source.code, word), "{} names {word}", source.path);
        }
    }
}

#[test]
fn the_chess_library_has_one_door() {
    only_in("shakmaty", &["domain/rules.rs"]);
}

#[test]
fn the_web_framework_stays_at_the_edge() {
    only_in("axum", &["http/", "web/", "server", "cli", "witness/"]);
    for source in sources().iter().filter(|source| source.path.starts_with("http/")) {
        let code = source.code.split("#[cfg(test)]").next().unwrap_or_default();
        assert!(!names(code, "Store::open"), "{} opens a database", source.path);
    }
}

#[test]
fn people_are_asked_at_the_command_line_only() {
    only_in("rpassword", &["cli/"]);
}

#[test]
fn the_checks_see_what_they_look_for() {
    assert!(names("use std::fs;", "std::fs") && !names("std::fsx", "std::fs") && !names("my_async", "async"));
    assert!(!names(&without_comments("let a = 1; // async"), "async"));
}
