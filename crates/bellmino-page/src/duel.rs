//! Duels as a table: a row for each game, machine and pace.

use serde_json::{Value, json};

use crate::archive::{Archive, ArchiveError};
use crate::kept::StoredGame;

/// The duels so far, the latest kind first.
pub fn duels(archive: &dyn Archive) -> Result<Vec<Value>, ArchiveError> {
    let mut kinds: Vec<(String, Vec<StoredGame>)> = Vec::new();
    for game in archive.duels()? {
        let duel = &game.summary["duel"];
        let kind = format!("{} {} {}", game.mode, duel["player"], duel["pace"]);
        let known = kinds.iter().position(|(known, _)| *known == kind);
        // The latest comes last.
        let (kind, mut games) = known.map_or((kind, vec![]), |place| kinds.remove(place));
        games.push(game);
        kinds.push((kind, games));
    }
    Ok(kinds.into_iter().rev().map(|(_, games)| row(&games)).collect())
}

fn row(games: &[StoredGame]) -> Value {
    let duel = |game: &StoredGame| game.summary["duel"].clone();
    let number = |verdict: &str| games.iter().filter(|game| duel(game)["verdict"] == verdict).count();
    let is_race = games.iter().any(|game| game.mode == "sprint");
    let own = games.iter().filter(|game| !is_race || game.state == "goal");
    let own: Vec<f64> =
        own.map(|game| if is_race { game.milliseconds as f64 } else { game.score as f64 }).collect();
    let measure = if is_race { "milliseconds" } else { "score" };
    let its: Vec<f64> = games.iter().filter_map(|game| duel(game)[measure].as_f64()).collect();
    json!({
        "mode": games.last().map(|game| &game.mode),
        "player": games.last().map(|game| duel(game)["player"].clone()),
        "pace": games.last().map(|game| duel(game)["pace"].clone()),
        "games": games.len(),
        "won": number("won"),
        "drawn": number("drawn"),
        "lost": number("lost"),
        "own_mean": mean(&own),
        "rival_mean": mean(&its),
    })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
