//! What the documents point at exists, and the two commands of the README are those that have to pass.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

fn documents() -> Vec<PathBuf> {
    let in_folder = |folder: &str| fs::read_dir(root().join(folder)).unwrap().map(|item| item.unwrap().path());
    let all = in_folder(".").chain(in_folder("docs")).chain(in_folder("docs/adr"));
    all.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// Targets of links: `[text](target)`.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

#[test]
fn every_link_between_documents_resolves() {
    let mut seen = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let target = document.parent().unwrap().join(link.split('#').next().unwrap());
            assert!(target.exists(), "{}: {link}", document.display());
            seen += 1;
        }
    }
    assert!(seen > 10, "the links are not where they were");
}

/// Files and folders named in code quotes, where the name says that it is one of ours.
#[test]
fn every_file_that_documents_name_exists() {
    let ours = ["docs/", "tools/", "tests/", "assets/", "config/", "src/", "examples/", "migrations/", "benches/"];
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let quoted = text.split('`').skip(1).step_by(2).filter(|quoted| ours.iter().any(|f| quoted.starts_with(f)));
        for name in quoted.filter(|name| !name.contains(['<', ' ', '*', '\n'])) {
            assert!(root().join(name).exists(), "{}: {name}", document.display());
        }
    }
}

/// ARCHITECTURE.md names every room, every room that it names exists, and so does every source file.
#[test]
fn the_architecture_is_that_of_the_tree() {
    let text = read("docs/ARCHITECTURE.md");
    let table = text.split("| --- | --- | --- |").nth(1).unwrap().split("\n\n").next().unwrap();
    let cells = table.lines().filter_map(|line| line.split('|').nth(1));
    let named: BTreeSet<String> =
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let rooms = fs::read_dir(root().join("src")).unwrap().map(|item| stem(item.unwrap().path()));
    let rooms: BTreeSet<String> = rooms.filter(|room| room != "lib" && room != "main").collect();
    assert_eq!(named, rooms);
    for file in text.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs") && !name.contains('<')) {
        assert!(root().join(file).exists() || root().join("src").join(file).exists(), "{file}");
    }
}

#[test]
fn every_decision_is_in_the_index() {
    let index = read("docs/adr/README.md");
    for decision in fs::read_dir(root().join("docs/adr")).unwrap().map(|item| item.unwrap().file_name()) {
        let name = decision.to_str().unwrap().to_owned();
        assert!(name == "README.md" || index.contains(&format!("({name})")), "{name}");
    }
}

#[test]
fn the_readme_begins_with_the_two_commands_and_ci_runs_the_same() {
    let readme = read("README.md");
    let blocks: Vec<&str> = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    assert_eq!(blocks[..2], ["cargo run --release", "cargo test"]);
    assert!(readme.lines().count() <= 160, "too long for an arbiter");
    assert!(read(".ci/run").contains("cargo test"));
    for recipe in ["    cargo run --release\n", "    cargo test\n", "    bash .ci/run\n"] {
        assert!(read("justfile").contains(recipe), "{recipe}");
    }
}

/// Every setting is described where people look: in the file with the defaults.
#[test]
fn every_setting_has_a_comment() {
    let text = read("config/default.toml");
    let mut before = "";
    for line in text.lines() {
        let is_setting = line.contains(" = ") && !line.starts_with('#');
        assert!(!is_setting || before.starts_with('#'), "{line}");
        before = line;
    }
}
