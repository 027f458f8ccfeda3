//! `docs/ARCHITECTURE.md` against the code: its map names every source file or a folder it lies in, and nothing that is
//! gone. Every dependency is used.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A row of the code map: the places it is about, as paths from the root, and the modules it names there.
struct Row {
    places: Vec<PathBuf>,
    modules: Vec<String>,
}

#[test]
fn the_code_map_is_complete_and_names_nothing_that_is_gone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let rows = code_map(&text);
    assert!(rows.len() > 10, "the code map has {} rows", rows.len());

    let places: BTreeSet<&Path> = rows.iter().flat_map(|row| &row.places).map(PathBuf::as_path).collect();
    let mut named: BTreeSet<PathBuf> = places.iter().map(|place| place.to_path_buf()).collect();
    for place in &places {
        assert!(root.join(place).exists(), "the code map names {}, which is gone", place.display());
    }
    for row in &rows {
        for module in &row.modules {
            let found =
                row.places.iter().flat_map(|place| [place.join(format!("{module}.rs")), place.join(module)]);
            let found: Vec<PathBuf> = found.filter(|path| root.join(path).exists()).collect();
            assert!(!found.is_empty(), "the code map names `{module}` in {:?}, which is gone", row.places);
            named.extend(found);
        }
    }

    let crates = fs::read_dir(root.join("crates")).unwrap();
    let files: Vec<PathBuf> = crates.flat_map(|entry| sources(&entry.unwrap().path().join("src"))).collect();
    assert!(files.len() > 50, "{} files", files.len());
    for file in files {
        let own = file.strip_prefix(&root).unwrap();
        let is_front_page = ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| own.ends_with(name));
        // `noun.rs` beside a folder `noun/` is named with it, a file in a folder that has no row of its own with the folder.
        let mut folders = own
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.ends_with("src") && !places.contains(*folder));
        let is_named = named.contains(own)
            || named.contains(&own.with_extension(""))
            || folders.any(|folder| named.contains(folder));
        assert!(is_front_page || is_named, "the code map does not name {}", own.display());
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

/// The rows of the table under "Code map". Places stand in backticks in the first column, those of a crate from
/// `crates/` on; modules are the words in backticks and small letters in the second column of a row about a source folder.
fn code_map(text: &str) -> Vec<Row> {
    let section = text.split("## Code map").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let mut cells = line.trim_matches('|').split(" | ");
        let in_backticks =
            |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
        let places = in_backticks(cells.next().unwrap());
        let is_source = places.iter().all(|place| place.contains("/src"));
        let modules = cells.flat_map(in_backticks).filter(|word| {
            is_source && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
        });
        let from_root = |place: &String| match place.starts_with("bellmino") {
            true => Path::new("crates").join(place.trim_end_matches('/')),
            false => PathBuf::from(place.trim_end_matches('/')),
        };
        Row { places: places.iter().map(from_root).collect(), modules: modules.collect() }
    })
    .collect()
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
