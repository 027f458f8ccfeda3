//! `docs/ARCHITECTURE.md` and the crates' front pages against the code: front pages name every source file and nothing that is gone,
//! every check that is said to keep an invariant exists, every dependency is used.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The front page of a folder of sources, if it has one with a list of files.
fn files_of(folder: &Path) -> Option<BTreeSet<String>> {
    let pages = [folder.join("lib.rs"), folder.join("mod.rs"), folder.with_extension("rs")];
    let page = pages.iter().find_map(|page| fs::read_to_string(page).ok())?;
    let mut lines = page.lines().skip_while(|line| *line != "//! # Files");
    lines.next()?;
    let entries = lines.take_while(|line| line.starts_with("//! -") || line.starts_with("//!   "));
    let mut names = BTreeSet::new();
    for entry in entries.filter_map(|line| line.strip_prefix("//! - ")) {
        let (files, about) = entry.split_once(": ").unwrap_or_else(|| panic!("{entry}: what is it?"));
        assert!(!about.trim().is_empty(), "{entry}: what is it?");
        names.extend(files.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    Some(names)
}

/// Checks one folder and those below it; whether it tells of its files.
fn check_folder(folder: &Path) -> bool {
    let named = files_of(folder);
    let mut found = BTreeSet::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if path.is_dir() {
            check_folder(&path);
            found.insert(stem);
        } else if is_source && !["lib", "main", "mod"].contains(&stem.as_str()) {
            found.insert(stem);
        }
    }
    if let Some(named) = &named {
        let missing: Vec<&String> = found.difference(named).collect();
        assert!(missing.is_empty(), "the front page of {} does not tell of {missing:?}", folder.display());
        let gone: Vec<&String> = named.difference(&found).collect();
        assert!(gone.is_empty(), "the front page of {} tells of {gone:?}, which is gone", folder.display());
    }
    named.is_some() || found.is_empty()
}

#[test]
fn front_pages_tell_of_every_file_and_of_nothing_that_is_gone() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in fs::read_dir(crates).unwrap() {
        let sources = entry.unwrap().path().join("src");
        assert!(check_folder(&sources), "{} has no list `# Files`", sources.display());
    }
}

/// Every invariant names what keeps it: a file, or a test in one.
#[test]
fn every_invariant_has_a_check() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let section = text.split("## Invariants").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 15, "{} invariants", rows.len());
    for row in rows {
        let checks = row.trim_matches('|').split(" | ").nth(1).unwrap();
        let checks: Vec<&str> = checks.split('`').skip(1).step_by(2).collect();
        assert!(!checks.is_empty(), "nothing keeps: {row}");
        for check in checks {
            let (file, test) = check.split_once(' ').unwrap_or((check, ""));
            let code = fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("{file} is gone"));
            assert!(test.is_empty() || code.contains(&format!("fn {test}(")), "{file} has no test {test}");
        }
    }
}

#[test]
fn every_dependency_is_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let code = |parts: &[&str]| -> String {
            let files = parts.iter().flat_map(|part| sources(&folder.join(part)));
            files.map(|file| fs::read_to_string(file).unwrap()).collect()
        };
        let check = |kind: &str, code: &str| {
            let dependencies = manifest.get(kind).and_then(toml::Value::as_table);
            for name in dependencies.into_iter().flat_map(toml::Table::keys) {
                let word = name.replace('-', "_");
                let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
                let is_used = code.split(|letter| !is_letter(letter)).any(|found| found == word);
                assert!(is_used, "{} does not use {name} of its {kind}", folder.display());
            }
        };
        check("dependencies", &code(&["src"]));
        check("dev-dependencies", &code(&["src", "tests", "benches"]));
    }
}

/// Every file with an `unsafe` block is listed with its reason and the test that would notice, which exists.
#[test]
fn every_unsafe_block_is_accounted_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let section = text.split("## Unsafe code").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut listed = BTreeSet::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let file = Path::new("crates").join(cells[0].trim().trim_matches('`'));
        let (test, name) = cells[2].trim().trim_matches('`').split_once(' ').unwrap();
        let code = fs::read_to_string(root.join("crates").join(test)).unwrap();
        assert!(code.contains(&format!("fn {name}(")), "{test} has no test {name}");
        listed.insert(file);
    }
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let files = crates.flat_map(|entry| sources(&entry.unwrap().path().join("src")));
    let has_block = |file: &PathBuf| {
        let code = fs::read_to_string(file).unwrap();
        // As a word of the language: a space follows, or the block at once.
        let is_word = |line: &str| line.split("unsafe").skip(1).any(|rest| rest.starts_with([' ', '{']));
        code.lines().any(|line| !line.trim_start().starts_with("//") && is_word(line))
    };
    let own = |file: PathBuf| file.strip_prefix(&root).unwrap().to_path_buf();
    assert_eq!(files.filter(has_block).map(own).collect::<BTreeSet<_>>(), listed);
}

/// Every Rust file in a folder and the folders below it; none if it is not there.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let files = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false if path.extension().is_some_and(|extension| extension == "rs") => vec![path],
        false => Vec::new(),
    };
    paths.flat_map(files).collect()
}
