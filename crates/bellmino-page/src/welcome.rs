//! What a page needs first: the lab, its games and players, and what the user has set.

use bellmino_engine::Game;
use serde_json::{Map, Value, json};

use crate::archive::{Archive, ArchiveError};
use crate::catalogue::describe;
use crate::kept::PLAYER;
use crate::premises::Premises;
use crate::session::MAX_MESSAGE;

/// Settings a page may keep.
pub const SETTINGS: [&str; 7] = ["keys", "handling", "look", "touch", "sound", "practice", "duel"];

/// What the archive knows: settings, which of them are damaged, and the best games.
pub fn known(archive: &dyn Archive) -> Result<Value, ArchiveError> {
    let (mut settings, mut damaged) = (Map::new(), Vec::new());
    for key in SETTINGS {
        let value = match archive.setting(key) {
            Err(ArchiveError::DamagedSetting(key)) => {
                damaged.push(key);
                None
            }
            value => value?,
        };
        settings.insert(key.to_owned(), value.unwrap_or_default());
    }
    let mut bests = Map::new();
    for mode in ["sprint", "blitz"] {
        bests.insert(mode.to_owned(), json!(archive.bests(mode, PLAYER, 1)?.first()));
    }
    Ok(json!({ "bests": bests, "settings": settings, "damaged": damaged }))
}

/// Everything: what the archive knows and what the host has.
pub fn welcome(premises: &dyn Premises, mut known: Value) -> Value {
    let collection = premises.collection();
    let own = collection.weights_names();
    let games: Vec<Value> = collection.games().iter().map(|game| with_own(premises, game, &own)).collect();
    let (store, folder) = premises.places();
    known["version"] = json!(env!("CARGO_PKG_VERSION"));
    known["largest"] = json!(MAX_MESSAGE);
    known["store"] = json!(store);
    known["folder"] = json!(folder);
    known["games"] = json!(games);
    known["tables"] = json!(collection.tables());
    known
}

/// A game, also with the user's own weights that fit it.
fn with_own(premises: &dyn Premises, game: &Game, own: &[String]) -> Value {
    let mut told = describe(game);
    let players = own.iter().map(|name| format!("weights:{name}"));
    let fits = |name: &String| premises.collection().player(name, game).is_ok();
    let more = players.filter(fits).map(|name| json!(name));
    if let Some(players) = told["players"].as_array_mut() {
        players.extend(more);
    }
    told
}
