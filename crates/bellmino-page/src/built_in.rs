//! A collection of what is built in: for a page without a server, and for tests.

use std::path::PathBuf;

use bellmino_engine::{BUILT_IN, Game, PlacementGame, suggestion};
use bellmino_exact::{SolveSettings, Table};
use bellmino_lab::load::built_in_game;
use bellmino_lab::{Baseline, BuiltIn, Player, SolvePlan};
use bellmino_learn::{BUILT_IN_CONTROLLERS, Controller};

use crate::collection::{Collection, LibraryError};

/// Built-in games and players, and nothing of one's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInCollection;

impl Collection for BuiltInCollection {
    fn game(&self, name: &str, set: &[String]) -> Result<Game, LibraryError> {
        Ok(built_in_game(name, set)?)
    }

    fn games(&self) -> Vec<Game> {
        BUILT_IN.iter().filter_map(|(name, _)| built_in_game(name, &[]).ok()).collect()
    }

    fn player(&self, name: &str, game: &Game) -> Result<Player, LibraryError> {
        check_player(name)?;
        Ok(Player::load(name, game, None, &BuiltIn)?)
    }

    fn plan<'a>(
        &self,
        game: &'a PlacementGame,
        asked: SolveSettings,
        dealer: &str,
        player: Option<&str>,
    ) -> Result<SolvePlan<'a>, LibraryError> {
        if let Some(name) = dealer.strip_prefix("table:") {
            return Err(no_table(name));
        }
        player.map(check_player).transpose()?;
        Ok(SolvePlan::new(game, asked, dealer, player, &BuiltIn)?)
    }

    fn weights_names(&self) -> Vec<String> {
        vec![]
    }

    fn table(&self, name: &str) -> Result<Table, LibraryError> {
        Err(no_table(name))
    }

    fn table_of(&self, name: &str, _: &PlacementGame) -> Result<Table, LibraryError> {
        Err(no_table(name))
    }

    fn tables(&self) -> Vec<String> {
        vec![]
    }
}

/// Whether a player of this name is built in.
fn check_player(name: &str) -> Result<(), LibraryError> {
    match name.split_once(':') {
        None if Baseline::named(name).is_some() => Ok(()),
        Some(("weights", weights)) if Controller::built_in(weights).is_some() => Ok(()),
        Some(("weights", weights)) => Err(no_weights(weights)),
        Some(("table", table)) => Err(no_table(table)),
        Some(("run", run)) => Err(LibraryError::NoRun(run.to_owned())),
        _ => Err(no_player(name)),
    }
}

/// What is answered to a name of no player.
pub fn no_player(name: &str) -> LibraryError {
    let simple = Baseline::ALL.iter().map(|(known, _)| *known);
    let hint = suggestion(name, simple.chain(["weights:NAME", "table:NAME", "run:NAME"]));
    LibraryError::NoPlayer { name: name.to_owned(), hint }
}

/// What is answered to a name of no weights.
pub fn no_weights(name: &str) -> LibraryError {
    let hint = suggestion(name, BUILT_IN_CONTROLLERS.iter().map(|(known, _)| *known));
    LibraryError::NoWeights { name: name.to_owned(), hint }
}

fn no_table(name: &str) -> LibraryError {
    LibraryError::NoTable { name: name.to_owned(), folder: PathBuf::from("tables") }
}
