//! Each field of each request is declared in one place: a field of one type, of which flags, functions and JSON are made.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bellmino_lab::request::{RequestKind, Variants};
use serde_json::Value;

/// What a type of the sources declares.
#[derive(Clone, Debug, Default)]
struct Declared {
    file: String,
    /// Fields by their names in JSON.
    fields: Vec<String>,
    /// Types whose fields are its own too.
    flattened: Vec<String>,
    /// Of an enum: its kinds, with the types of their fields.
    kinds: Vec<String>,
}

/// Every field that a schema knows is found once among the types that the request is made of, and no other is.
#[test]
fn a_field_is_declared_in_one_place() {
    let types = declared("crates/bellmino-lab/src");
    let mut places = 0;
    for kind in RequestKind::ALL {
        let schema = kind.schema()["request"].clone();
        let name = format!("{}{}Request", kind.name[..1].to_uppercase(), &kind.name[1..]);
        for (variant, fields) in schema_fields(&schema) {
            let found = walk(&types, &name, variant.as_deref());
            let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
            for field in &found {
                *counts.entry(field).or_default() += 1;
            }
            let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
            assert!(twice.is_empty(), "{name} {variant:?} declares more than once: {twice:?}");
            let found: BTreeSet<String> = found.into_iter().collect();
            assert_eq!(found, fields, "{name} {variant:?}");
            places += found.len();
        }
    }
    assert!(places > 150, "{places}");
}

/// No other type repeats the knobs of a request: whoever needs them holds the type that declares them.
#[test]
fn no_type_repeats_what_another_declares() {
    /// Fewer may have the same names by chance.
    const FEW: usize = 4;
    let types = declared("crates/bellmino-lab/src");
    let mut parts = BTreeSet::new();
    for kind in RequestKind::ALL {
        let name = format!("{}{}Request", kind.name[..1].to_uppercase(), &kind.name[1..]);
        collect(&types, &name, &mut parts);
    }
    let mut others = types.clone();
    others.extend(declared("crates/bellmino/src"));
    for part in &parts {
        let own: BTreeSet<&String> = types[part].fields.iter().collect();
        for (name, other) in others.iter().filter(|(name, _)| *name != part && own.len() >= FEW) {
            let repeats = own.iter().all(|field| other.fields.contains(field));
            assert!(!repeats, "{name} in {} repeats the fields of {part}", other.file);
        }
    }
}

/// Commands that are requests declare no flag that is a field of their request.
#[test]
fn no_command_declares_a_field_by_hand() {
    for kind in RequestKind::ALL {
        let file = root().join(format!("crates/bellmino/src/commands/{}.rs", kind.name));
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let known: BTreeSet<String> = match kind.fields()["properties"].as_object() {
            Some(fields) => fields.keys().cloned().collect(),
            None => BTreeSet::new(),
        };
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for pair in lines.windows(2) {
            if pair[0].starts_with("#[arg(")
                && let Some((name, _)) = pair[1].trim_start_matches("pub ").split_once(':')
            {
                assert!(!known.contains(name), "{}: `{name}` is a field of its request", file.display());
            }
        }
    }
}

/// The fields of a request, or of each of its kinds.
fn schema_fields(schema: &Value) -> Vec<(Option<String>, BTreeSet<String>)> {
    let names = |schema: &Value| -> BTreeSet<String> {
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
    };
    match Variants::of(schema) {
        Some(variants) => {
            variants.all.iter().map(|one| (Some(one.name.clone()), names(&one.schema))).collect()
        }
        None => vec![(None, names(schema))],
    }
}

/// The fields that a type declares, with those of what it is made of; `variant` is the kind of a request that has several.
fn walk(types: &BTreeMap<String, Declared>, name: &str, variant: Option<&str>) -> Vec<String> {
    let found = types.get(name).unwrap_or_else(|| panic!("there is no type {name}"));
    let mut fields = found.fields.clone();
    for part in &found.flattened {
        fields.extend(walk(types, part, variant));
    }
    let chosen = found.kinds.iter().filter_map(|kind| kind.split_once(' '));
    for (_, part) in chosen.filter(|(kind, _)| Some(*kind) == variant) {
        fields.extend(walk(types, part, variant));
    }
    fields
}

/// The names of all types that a request is made of.
fn collect(types: &BTreeMap<String, Declared>, name: &str, parts: &mut BTreeSet<String>) {
    let found = types.get(name).unwrap_or_else(|| panic!("there is no type {name}"));
    parts.insert(name.to_owned());
    let kinds = found.kinds.iter().filter_map(|kind| Some(kind.split_once(' ')?.1));
    for part in found.flattened.iter().map(String::as_str).chain(kinds) {
        collect(types, part, parts);
    }
}

/// What the types of these formatted sources declare.
fn declared(folder: &str) -> BTreeMap<String, Declared> {
    let mut types = BTreeMap::new();
    for file in files(&root().join(folder)) {
        let text = fs::read_to_string(&file).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let words: Vec<&str> = line.split([' ', '<']).collect();
            let ["pub", what @ ("struct" | "enum"), name, ..] = words[..] else { continue };
            if line.ends_with("{}") {
                types.insert(name.to_owned(), Declared::default());
            }
            if !line.ends_with('{') {
                continue;
            }
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            let mut declared = Declared { file: file.display().to_string(), ..Declared::default() };
            match what {
                "enum" => declared.kinds = body.iter().filter_map(|line| kind_of(line)).collect(),
                _ => read_fields(&body, &mut declared),
            }
            types.insert(name.to_owned(), declared);
        }
    }
    types
}

fn read_fields(body: &[&str], declared: &mut Declared) {
    let mut attributes = String::new();
    for line in body {
        let Some(rest) = line.strip_prefix("    pub ") else {
            let is_doc = line.trim_start().starts_with("///");
            attributes += if is_doc { "" } else { line.trim() };
            continue;
        };
        let Some((name, of)) = rest.trim_end_matches(',').split_once(": ") else { continue };
        let renamed = attributes.split_once("rename = \"").and_then(|(_, rest)| rest.split('"').next());
        let field = renamed.unwrap_or(name.trim_start_matches("r#")).to_owned();
        if attributes.contains("serde(flatten") {
            let of = of.strip_prefix("Option<").map_or(of, |of| of.trim_end_matches('>'));
            declared.flattened.push(of.to_owned());
        } else if !attributes.contains("serde(skip)") {
            declared.fields.push(field);
        }
        attributes.clear();
    }
}

/// `CmaEs(SearchFields),` as `cma-es SearchFields`.
fn kind_of(line: &str) -> Option<String> {
    let (name, of) = line.trim().strip_suffix("),")?.split_once('(')?;
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('-');
        }
        words.push(letter.to_ascii_lowercase());
    }
    Some(format!("{words} {of}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
