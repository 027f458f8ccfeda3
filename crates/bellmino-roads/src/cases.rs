//! Games that ever showed a difference: kept as files, asked about always.

use std::path::{Path, PathBuf};

/// A game that showed something.
#[derive(Clone, Debug)]
pub struct KeptCase {
    /// The file.
    pub file: PathBuf,
    /// The game; its first lines, comments, say what it showed.
    pub text: String,
    /// The seeds with which it showed it, from the line `# seeds: 1, 2`; 0 if there is none.
    pub seeds: Vec<u64>,
    /// What has to be mended before it is asked about, from the line `# waits: WHY`.
    pub waits: Option<String>,
}

/// All cases of the folder `cases`, by name.
pub fn kept_cases() -> Vec<KeptCase> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|file| file.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).ok()?;
        let seeds = text.lines().find_map(|line| line.strip_prefix("# seeds:")).unwrap_or("0");
        let seeds = seeds.split(',').filter_map(|seed| seed.trim().parse().ok()).collect();
        let waits = text.lines().find_map(|line| line.strip_prefix("# waits: ")).map(str::to_owned);
        Some(KeptCase { file, text, seeds, waits })
    };
    files.into_iter().filter_map(read).collect()
}
