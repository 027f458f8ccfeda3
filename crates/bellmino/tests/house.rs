//! What was agreed about sizes and names, so that it does not come back. Each exception stands here with its reason; a number that
//! is above what was agreed may only fall.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a source file.
const FILE_LINES: usize = 600;

/// Files that are longer.
const LONG_FILES: [(&str, &str); 3] = [
    ("crates/bellmino-engine/src/guideline/moves.rs", "the move generator and its tests, hot in one piece"),
    ("crates/bellmino-learn/src/simulator.rs", "the fast twin of a match, hot in one piece"),
    ("crates/bellmino-search/src/batch.rs", "the judgement of many boards at once, compiled in one piece"),
];

/// The most lines of a function.
const FUNCTION_LINES: usize = 80;

/// Functions that are longer.
const LONG_FUNCTIONS: [(&str, &str, &str); 16] = [
    ("crates/bellmino/tests/attack.rs", "every_kind", "one message of each kind, a list"),
    (
        "crates/bellmino/tests/train.rs",
        "bad_requests_are_refused",
        "requests with what they are told, a list",
    ),
    ("crates/bellmino-engine/tests/game_files.rs", "bad_values_are_named_with_what_would_be_right", "a list"),
    ("crates/bellmino-exact/src/abstraction.rs", "solve", "the outer loop of one method, to be divided"),
    (
        "crates/bellmino-exact/src/export.rs",
        "new",
        "to be divided: states, then actions, then their probabilities",
    ),
    ("crates/bellmino-exact/src/fixed_point.rs", "solve", "one loop and what it reports, two lines too long"),
    ("crates/bellmino-exact/src/report.rs", "report", "to be divided by kind of objective"),
    ("crates/bellmino-learn/src/simulator/surface.rs", "score", "hot: every feature of a board in one pass"),
    (
        "crates/bellmino-learn/src/td.rs",
        "episode",
        "hot: a move, its lesson and the next, over the same lists",
    ),
    ("crates/bellmino-learn/tests/features.rs", "slow", "the plain definition of each feature, one match"),
    ("crates/bellmino-search/src/batch.rs", "judge", "hot: many boards judged in registers, in one piece"),
    ("crates/bellmino-search/src/batch.rs", "slots", "hot: the same for slots of a T"),
    ("crates/bellmino-search/src/beam.rs", "grow", "hot: layers share their buffers from first to last"),
    (
        "crates/bellmino-search/src/bot.rs",
        "think",
        "the order in which a thought asks its parts, to be read at once",
    ),
    ("crates/bellmino-search/src/evaluation.rs", "look", "hot: every feature of a board in one pass"),
    ("crates/bellmino-search/src/evaluation.rs", "look_for_slots", "hot: the same for slots of a T"),
];

/// The most characters of a line of JavaScript.
const SCRIPT_WIDTH: usize = 120;

/// Lines of the binary crate; 4,500 is the aim, the requests lead there.
const BINARY_LINES: usize = 5_194;

/// Names of types that several files own; 25 is the aim, the nouns of the two families of games among them.
const DOUBLED_NAMES: usize = 25;

#[test]
fn files_are_short() {
    let mut long = BTreeSet::new();
    for file in files("crates", "rs") {
        if text(&file).lines().count() > FILE_LINES {
            long.insert(name(&file));
        }
    }
    let known: BTreeSet<String> = LONG_FILES.iter().map(|(file, _)| (*file).to_owned()).collect();
    let new: Vec<&String> = long.difference(&known).collect();
    assert!(new.is_empty(), "longer than {FILE_LINES} lines: {new:?}");
    let gone: Vec<&String> = known.difference(&long).collect();
    assert!(gone.is_empty(), "no exceptions any more: {gone:?}");
}

#[test]
fn functions_are_short() {
    let mut long = BTreeSet::new();
    for file in files("crates", "rs") {
        for (function, lines) in functions(&text(&file)) {
            if lines > FUNCTION_LINES {
                long.insert((name(&file), function));
            }
        }
    }
    let known = LONG_FUNCTIONS.map(|(file, function, _)| (file.to_owned(), function.to_owned()));
    let known = BTreeSet::from(known);
    let new: Vec<_> = long.difference(&known).collect();
    assert!(new.is_empty(), "longer than {FUNCTION_LINES} lines: {new:?}");
    let gone: Vec<_> = known.difference(&long).collect();
    assert!(gone.is_empty(), "no exceptions any more: {gone:?}");
}

#[test]
fn scripts_are_narrow() {
    let mut wide = Vec::new();
    for file in files("web/src", "js").into_iter().chain(own_files("web/tests", "js")) {
        for (number, line) in text(&file).lines().enumerate() {
            if line.chars().count() > SCRIPT_WIDTH {
                wide.push(format!("{}:{}", name(&file), number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "wider than {SCRIPT_WIDTH} characters: {wide:?}");
}

#[test]
fn the_binary_is_thin() {
    let lines: usize = files("crates/bellmino/src", "rs").iter().map(|file| text(file).lines().count()).sum();
    assert!(lines <= BINARY_LINES, "the binary crate has {lines} lines, more than {BINARY_LINES}");
}

/// Libraries are asked by pages, by Python and by programs too: what they say names fields, and flags nowhere but where they
/// write down or start a command.
#[test]
fn libraries_name_no_flags() {
    let commands = ["bellmino-lab/src/training/", "bellmino-web/src/train.rs", "bellmino-python/src/game.rs"];
    let mut named = Vec::new();
    for file in files("crates", "rs").iter().filter(|file| name(file).contains("/src/")) {
        let (place, text) = (name(file), text(file));
        let is_front = place.starts_with("crates/bellmino/") || place.contains("/tests");
        if is_front || commands.iter().any(|known| place.contains(known)) {
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (number, line) in
            code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            let words = line.split(|letter: char| " \"`('".contains(letter));
            let is_flag = |word: &str| {
                word.strip_prefix("--").is_some_and(|flag| flag.starts_with(char::is_alphabetic))
            };
            // The words of the columns are those of the document.
            if words.into_iter().any(is_flag) && !line.contains("evaluate --json") {
                named.push(format!("{place}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(named.is_empty(), "say the field: {named:#?}");
}

#[test]
fn a_name_has_one_owner() {
    let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files("crates", "rs").iter().filter(|file| name(file).contains("/src/")) {
        let text = text(file);
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for declared in code.lines().filter_map(declared_type) {
            owners.entry(declared.to_owned()).or_default().insert(name(file));
        }
    }
    owners.retain(|_, files| files.len() > 1);
    assert!(
        owners.len() <= DOUBLED_NAMES,
        "{} names of types have several owners, {DOUBLED_NAMES} had: {owners:#?}",
        owners.len()
    );
}

/// The functions of a formatted file with their lines: they end at a brace as deep as they begin.
fn functions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut open: Vec<(String, String, usize)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        if let Some(function) = declared_function(code)
            && !line.ends_with(['}', ';'])
        {
            open.push((function, format!("{indent}}}"), number));
        } else if let Some((function, end, begin)) = open.last()
            && line == end
        {
            found.push((function.clone(), number - begin + 1));
            open.pop();
        } else if code.ends_with(';') && open.last().is_some_and(|(_, end, _)| end.len() == indent.len() + 1)
        {
            // Declared only, in a trait.
            open.pop();
        }
    }
    found
}

fn declared_function(code: &str) -> Option<String> {
    let mut words = code.split_whitespace();
    let is_before = |word: &str| {
        word.starts_with("pub") || matches!(word, "const" | "unsafe" | "async" | "extern" | "in" | "crate)")
    };
    let first = words.by_ref().find(|word| !is_before(word))?;
    let rest = if first == "fn" { words.next()? } else { return None };
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

fn declared_type(line: &str) -> Option<&str> {
    let is_inner = line.starts_with(' ');
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    let kind = words.next()?;
    let is_type = matches!(kind, "struct" | "enum" | "trait" | "union") || (kind == "type" && !is_inner);
    let declared = words.next().filter(|_| is_type)?;
    let end =
        declared.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(declared.len());
    Some(&declared[..end]).filter(|name| name.starts_with(|first: char| first.is_uppercase()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn name(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string().replace('\\', "/")
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}

/// The files of a folder itself.
fn own_files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|found| found == ending)).collect();
    files.sort();
    files
}

/// The files of a folder and of all folders in it.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut files = own_files(folder, ending);
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&name(&path), ending));
        }
    }
    files
}
