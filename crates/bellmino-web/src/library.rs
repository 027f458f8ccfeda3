//! The library: games, weights and tables of the lab's own folders. A page names them, and never a path.
//!
//! ```text
//! games/NAME.toml     games beside the built-in ones
//! weights/NAME.json   controllers beside the built-in ones: player weights:NAME
//! tables/NAME         tables written by `solve -o`
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use bellmino_engine::Game;
use bellmino_host::Files;
use bellmino_lab::load::{LoadError, built_in_game, load_game};
use bellmino_learn::{BUILT_IN_CONTROLLERS, Controller};

use crate::shelf::MAX_BYTES;

/// The most files of a folder that are listed.
const MAX_FILES: usize = 200;

/// The longest name.
const MAX_NAME: usize = 60;

/// The lab's own folders.
#[derive(Clone, Debug)]
pub struct Library {
    folder: PathBuf,
}

impl Library {
    /// The folders of a data folder.
    pub fn new(data: &Path) -> Library {
        Library { folder: data.to_owned() }
    }

    /// Where the folders are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A built-in game or one of `games`, with changes.
    pub fn game(&self, name: &str, set: &[String]) -> Result<Game, String> {
        match built_in_game(name, set) {
            Err(LoadError::Unknown(why)) => {
                let file = self.file("games", name, ".toml").ok_or(why)?;
                load_game(&file.to_string_lossy(), set, &Files).map_err(|error| error.to_string())
            }
            game => game.map_err(|error| error.to_string()),
        }
    }

    /// A game as the command line names it: a built-in one, or the path of its file.
    pub fn game_argument(&self, name: &str) -> Result<String, String> {
        self.game(name, &[])?;
        let own = self.file("games", name, ".toml").filter(|_| Game::built_in(name, &[]).is_none());
        Ok(own.map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned()))
    }

    /// Every game: the built-in ones, then one's own that can be read.
    pub fn games(&self) -> Vec<Game> {
        let built_in = bellmino_engine::BUILT_IN.iter().map(|(name, _)| (*name).to_owned());
        let own = self.names("games", ".toml");
        let mut games: Vec<Game> = Vec::new();
        for name in built_in.chain(own) {
            // A file is named as its game, else nobody could tell them apart.
            if let Ok(game) = self.game(&name, &[])
                && game.name() == name
                && games.iter().all(|known| known.name() != name)
            {
                games.push(game);
            }
        }
        games
    }

    /// A player `weights:NAME` as the library below understands it: a built-in controller, or the path of a file.
    pub fn weights(&self, name: &str) -> Result<String, String> {
        if Controller::built_in(name).is_some() {
            return Ok(format!("weights:{name}"));
        }
        let hint = || bellmino_engine::suggestion(name, BUILT_IN_CONTROLLERS.iter().map(|(known, _)| *known));
        let file = self.file("weights", name, ".json");
        let file = file.ok_or_else(|| format!("there are no weights `{name}` in the lab; {}", hint()))?;
        Ok(format!("weights:{}", file.display()))
    }

    /// One's own weights.
    pub fn weights_names(&self) -> Vec<String> {
        self.names("weights", ".json")
    }

    /// The file of a table that is small enough for the lab.
    pub fn table(&self, name: &str) -> Result<PathBuf, String> {
        let file = self.file("tables", name, "").ok_or_else(|| {
            let folder = self.folder.join("tables");
            format!("there is no table `{name}`; put tables of `bellmino solve -o` into {}", folder.display())
        })?;
        match fs::metadata(&file).map_err(|error| error.to_string())?.len() >> 20 {
            large if large >= MAX_BYTES >> 20 => Err(format!(
                "the table `{name}` has {large} MiB, and the lab keeps {} of all; `bellmino solve --state` looks into it",
                MAX_BYTES >> 20
            )),
            _ => Ok(file),
        }
    }

    /// The tables there are.
    pub fn tables(&self) -> Vec<String> {
        self.names("tables", "")
    }

    /// A regular file of one of the folders.
    fn file(&self, folder: &str, name: &str, ending: &str) -> Option<PathBuf> {
        let path = self.folder.join(folder).join(format!("{name}{ending}"));
        (is_name(name) && path.is_file()).then_some(path)
    }

    fn names(&self, folder: &str, ending: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder.join(folder)) else { return vec![] };
        let files = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let names = files.filter_map(|file| Some(file.strip_suffix(ending)?.to_owned()));
        let mut names: Vec<String> =
            names.filter(|name| self.file(folder, name, ending).is_some()).take(MAX_FILES).collect();
        names.sort();
        names
    }
}

/// A name that is a single file or folder and no option: letters, digits, dots, dashes and underscores.
pub fn is_name(name: &str) -> bool {
    let fits = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_' | b'.');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(fits) && !name.starts_with(['.', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_labs_own_files_are_named() {
        let data = tempfile::tempdir().unwrap();
        let library = Library::new(data.path());
        assert!(library.games().len() >= 8 && library.tables().is_empty());
        for folder in ["games", "weights", "tables"] {
            fs::create_dir(data.path().join(folder)).unwrap();
        }
        let baby = Game::built_in("baby", &[]).unwrap().unwrap();
        let mine = baby.placement().unwrap().to_toml().replace("\"baby\"", "\"mine\"");
        fs::write(data.path().join("games/mine.toml"), &mine).unwrap();
        fs::write(data.path().join("games/other.toml"), &mine).unwrap();
        fs::write(data.path().join("games/broken.toml"), "no game").unwrap();
        fs::write(data.path().join("weights/w1.json"), "{}").unwrap();
        fs::write(data.path().join("tables/baby.table"), "").unwrap();
        fs::write(data.path().join("secret.toml"), &mine).unwrap();
        assert_eq!(library.game("mine", &[]).unwrap().name(), "mine");
        assert_eq!(library.games().iter().filter(|game| game.name() == "mine").count(), 1);
        assert!(library.game_argument("mine").unwrap().ends_with("games/mine.toml"));
        assert_eq!(library.game_argument("baby").unwrap(), "baby");
        assert_eq!(
            (library.weights_names(), library.tables()),
            (vec!["w1".to_owned()], vec!["baby.table".to_owned()])
        );
        assert!(library.weights("w1").unwrap().ends_with("w1.json") && library.table("baby.table").is_ok());
        let own = data.path().join("games/mine.toml");
        for name in [
            "../secret",
            "/etc/passwd",
            "games/mine",
            "--help",
            "-",
            "",
            ".",
            "/dev/zero",
            own.to_str().unwrap(),
        ] {
            let refused = library.game(name, &[]).unwrap_err();
            assert!(!refused.contains("root:"), "{refused}");
            assert!(library.game_argument(name).is_err(), "{name}");
            assert!(library.weights(name).is_err() && library.table(name).is_err(), "{name}");
        }
        let broken = library.game("broken", &[]).unwrap_err();
        assert!(broken.contains("broken.toml"), "{broken}");
    }

    #[test]
    fn names_are_single_files() {
        for name in ["a", "run-1", "x_y.z"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "-x", "a/b", "a\\b", "ä", &"x".repeat(61)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
