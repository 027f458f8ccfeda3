//! What a page needs first: the lab, its games and players, and what the user has set.

use bellmino_engine::Game;
use serde_json::{Map, Value, json};

use bellmino_page::{Collection, PLAYER, describe};

use crate::Lab;
use crate::store::{GameStore, StoreError};

/// Settings a page may keep.
pub const SETTINGS: [&str; 7] = ["keys", "handling", "look", "touch", "sound", "practice", "duel"];

/// What the store knows: settings, which of them are damaged, and the best games.
pub fn known(store: &GameStore) -> Result<Value, StoreError> {
    let (mut settings, mut damaged) = (Map::new(), Vec::new());
    for key in SETTINGS {
        let value = match store.setting(key) {
            Err(StoreError::DamagedSetting(key)) => {
                damaged.push(key);
                None
            }
            value => value?,
        };
        settings.insert(key.to_owned(), value.unwrap_or_default());
    }
    let mut bests = Map::new();
    for mode in ["sprint", "blitz"] {
        bests.insert(mode.to_owned(), json!(store.bests(mode, PLAYER, 1)?.first()));
    }
    Ok(json!({ "bests": bests, "settings": settings, "damaged": damaged }))
}

/// Everything: what the store knows and what the lab has.
pub fn welcome(lab: &Lab, mut known: Value) -> Value {
    let own = lab.library.weights_names();
    let games: Vec<Value> = lab.library.games().iter().map(|game| with_own(lab, game, &own)).collect();
    known["version"] = json!(env!("CARGO_PKG_VERSION"));
    known["largest"] = json!(crate::MAX_MESSAGE);
    known["store"] = json!(lab.keeper.path().display().to_string());
    known["folder"] = json!(lab.library.folder().display().to_string());
    known["games"] = json!(games);
    known["tables"] = json!(lab.library.tables());
    known
}

/// A game, also with the user's own weights that fit it.
fn with_own(lab: &Lab, game: &Game, own: &[String]) -> Value {
    let mut told = describe(game);
    let players = own.iter().map(|name| format!("weights:{name}"));
    let more = players.filter(|name| lab.library.player(name, game).is_ok()).map(|name| json!(name));
    if let Some(players) = told["players"].as_array_mut() {
        players.extend(more);
    }
    told
}
