//! Games and players from what the user wrote.

use std::fs;
use std::path::Path;

use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_lab::Player;
use clap::Args;

use crate::failure::Failure;

/// Which game, with which changes.
#[derive(Args, Clone, Debug)]
pub struct GameArgs {
    /// A built-in game, or the path of a TOML file
    pub game: String,

    /// Override a value of the game: a dotted key and a TOML value, such as board.height=5
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// The largest game file that is read.
const MAX_FILE: u64 = 1 << 20;

impl GameArgs {
    /// Loads the game.
    pub fn load(&self) -> Result<Game, Failure> {
        let overrides: Vec<Override> = self
            .overrides
            .iter()
            .map(|text| text.parse().map_err(|error| Failure::input(format!("--set: {error}"))))
            .collect::<Result<_, _>>()?;
        if let Some(game) = Game::built_in(&self.game, &overrides) {
            return game.map_err(Failure::input);
        }
        let path = Path::new(&self.game);
        if !path.exists() {
            return Err(Failure::input(Game::unknown(&self.game)));
        }
        Game::read(&self.game, &read_text(path)?, &overrides).map_err(Failure::input)
    }

    /// Loads the game, which must be a placement game.
    pub fn load_placement(&self) -> Result<PlacementGame, Failure> {
        let game = self.load()?;
        let name = game.name().to_owned();
        game.placement().cloned().ok_or_else(|| {
            Failure::input(format!("`{name}` is a guideline game; this needs a placement game"))
        })
    }

    /// The game and its overrides as one text, for results.
    pub fn describe(&self, game: &Game) -> String {
        if self.overrides.is_empty() {
            game.name().to_owned()
        } else {
            format!("{} {}", game.name(), self.overrides.join(" "))
        }
    }
}

/// The players of these names.
pub fn players(names: &[String], game: &PlacementGame) -> Result<Vec<Player>, Failure> {
    names.iter().map(|name| Player::parse(name, game).map_err(Failure::input)).collect()
}

/// A text file of reasonable size; anything else is bad input.
fn read_text(path: &Path) -> Result<String, Failure> {
    let refuse = |why: &dyn std::fmt::Display| Failure::input(format!("{}: {why}", path.display()));
    let size = fs::metadata(path).map_err(|error| refuse(&error))?;
    if size.is_dir() {
        return Err(refuse(&"is a folder; give a TOML file"));
    }
    if size.len() > MAX_FILE {
        return Err(refuse(&format!("has {} bytes; a game file has at most {MAX_FILE}", size.len())));
    }
    let bytes = fs::read(path).map_err(|error| refuse(&error))?;
    String::from_utf8(bytes).map_err(|_| refuse(&"is not UTF-8 text; a game file is TOML in UTF-8"))
}
