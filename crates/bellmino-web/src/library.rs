//! The library: games, players and tables of the lab's own folders. A page names them, and never a path: here is the only place of
//! the crate where a name becomes a file (`clippy.toml` refuses it elsewhere).
//!
//! ```text
//! games/NAME.toml     games beside the built-in ones
//! weights/NAME.json   controllers beside the built-in ones: player weights:NAME
//! tables/NAME         tables written by `solve -o`: player table:NAME
//! runs/NAME           training runs: player run:NAME; also those of the folder the lab was started in
//! ```
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is where names become files")]

use std::fs;
use std::path::{Path, PathBuf};

use bellmino_engine::{Game, PlacementGame};
use bellmino_exact::{SolveSettings, Table};
use bellmino_host::{Files, StoredRun, load_table, read_finished_table};
use bellmino_lab::load::{LoadError, built_in_game, load_game};
use bellmino_lab::{Baseline, Player, SolvePlan};
use bellmino_learn::Controller;
use bellmino_page::{Collection, LibraryError, MAX_BYTES, no_player, no_weights};

/// The most files of a folder that are listed.
const MAX_FILES: usize = 200;

/// The longest name.
const MAX_NAME: usize = 60;

/// A player as the crate below understands it: a built-in one, or a file of the lab's folders. Made of names only.
struct PlayerWords(String);

/// The lab's own folders.
#[derive(Clone, Debug)]
pub struct Library {
    folder: PathBuf,
    /// Folders of runs: the lab's own first.
    runs: [PathBuf; 2],
}

impl Library {
    /// The folders of a data folder.
    pub fn new(data: &Path) -> Library {
        Library { folder: data.to_owned(), runs: [data.join("runs"), PathBuf::from("runs")] }
    }

    /// The same with another folder for the runs of the command line.
    #[cfg(test)]
    pub fn with_other_runs(mut self, folder: PathBuf) -> Library {
        self.runs[1] = folder;
        self
    }

    /// Where the folders are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn words(&self, name: &str) -> Result<PlayerWords, LibraryError> {
        Ok(PlayerWords(match name.split_once(':') {
            None if Baseline::named(name).is_some() => name.to_owned(),
            Some(("weights", weights)) if Controller::built_in(weights).is_some() => name.to_owned(),
            Some(("weights", weights)) => format!("weights:{}", self.weights_file(weights)?.display()),
            Some(("table", table)) => format!("table:{}", self.table_file(table)?.display()),
            Some(("run", run)) => {
                let found = self.run(run).and_then(|folder| StoredRun::open(&folder).ok()?.player());
                found.ok_or_else(|| LibraryError::NoRun(run.to_owned()))?
            }
            _ => return Err(no_player(name)),
        }))
    }

    fn weights_file(&self, name: &str) -> Result<PathBuf, LibraryError> {
        self.file("weights", name, ".json").ok_or_else(|| no_weights(name))
    }

    fn table_file(&self, name: &str) -> Result<PathBuf, LibraryError> {
        let file = self.file("tables", name, "").ok_or_else(|| LibraryError::NoTable {
            name: name.to_owned(),
            folder: self.folder.join("tables"),
        })?;
        match fs::metadata(&file)?.len() >> 20 {
            mebibytes if mebibytes >= MAX_BYTES >> 20 => {
                Err(LibraryError::LargeTable { name: name.to_owned(), mebibytes })
            }
            _ => Ok(file),
        }
    }

    /// The folders of runs: the lab's own, and those of the command line.
    pub fn run_folders(&self) -> &[PathBuf; 2] {
        &self.runs
    }

    /// The folder of a run that exists.
    pub fn run(&self, name: &str) -> Option<PathBuf> {
        let mut folders = self.runs.iter().filter(|_| is_name(name)).map(|folder| folder.join(name));
        folders.find(|path| StoredRun::is_at(path))
    }

    /// A regular file of one of the folders.
    fn file(&self, folder: &str, name: &str, ending: &str) -> Option<PathBuf> {
        if !is_name(name) {
            return None;
        }
        let path = self.folder.join(folder).join(format!("{name}{ending}"));
        path.is_file().then_some(path)
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

impl Collection for Library {
    fn game(&self, name: &str, set: &[String]) -> Result<Game, LibraryError> {
        match built_in_game(name, set) {
            Err(LoadError::Unknown(why)) => {
                let file = self.file("games", name, ".toml").ok_or(LoadError::Unknown(why))?;
                Ok(load_game(&file.to_string_lossy(), set, &Files)?)
            }
            game => Ok(game?),
        }
    }

    fn games(&self) -> Vec<Game> {
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

    fn player(&self, name: &str, game: &Game) -> Result<Player, LibraryError> {
        Ok(Player::load(&self.words(name)?.0, game, None, &Files)?)
    }

    fn plan<'a>(
        &self,
        game: &'a PlacementGame,
        asked: SolveSettings,
        dealer: &str,
        player: Option<&str>,
    ) -> Result<SolvePlan<'a>, LibraryError> {
        let dealer = match dealer.strip_prefix("table:") {
            Some(name) => format!("table:{}", self.table_file(name)?.display()),
            None => dealer.to_owned(),
        };
        let player = player.map(|name| self.words(name)).transpose()?;
        Ok(SolvePlan::new(game, asked, &dealer, player.as_ref().map(|words| words.0.as_str()), &Files)?)
    }

    fn weights_names(&self) -> Vec<String> {
        self.names("weights", ".json")
    }

    fn table(&self, name: &str) -> Result<Table, LibraryError> {
        Ok(read_finished_table(&self.table_file(name)?)?)
    }

    fn table_of(&self, name: &str, game: &PlacementGame) -> Result<Table, LibraryError> {
        Ok(load_table(&self.table_file(name)?, game)?)
    }

    fn tables(&self) -> Vec<String> {
        self.names("tables", "")
    }
}

/// A name that is a single file or folder and no option: letters, digits, dots, dashes and underscores.
pub fn is_name(name: &str) -> bool {
    let fits = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_' | b'.');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(fits) && !name.starts_with(['.', '-'])
}

#[cfg(test)]
mod named;

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_learn::BUILT_IN_CONTROLLERS;

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
        let weights = BUILT_IN_CONTROLLERS.iter().find(|(name, _)| *name == "lee4").unwrap().1;
        fs::write(data.path().join("weights/w1.json"), weights).unwrap();
        fs::write(data.path().join("tables/baby.table"), "").unwrap();
        fs::write(data.path().join("secret.toml"), &mine).unwrap();
        assert_eq!(library.game("mine", &[]).unwrap().name(), "mine");
        assert_eq!(library.games().iter().filter(|game| game.name() == "mine").count(), 1);
        assert_eq!(
            (library.weights_names(), library.tables()),
            (vec!["w1".to_owned()], vec!["baby.table".to_owned()])
        );
        let player = |name: &str| library.player(name, &baby).map(|_| ()).map_err(|error| error.to_string());
        for known in ["lowest", "weights:lee4", "weights:w1"] {
            assert_eq!(player(known), Ok(()));
        }
        assert!(player("table:baby.table").unwrap_err().contains("no table of Bellmino"));
        assert!(player("run:none").unwrap_err().contains("no `run:none`"));
        assert!(player("lowst").unwrap_err().contains("did you mean `lowest`?"));
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
            let refused = library.game(name, &[]).unwrap_err().to_string();
            assert!(!refused.contains("root:"), "{refused}");
            assert!(matches!(library.table(name), Err(LibraryError::NoTable { .. })), "{name}");
            assert_eq!(library.run(name), None, "{name}");
            for kind in ["weights:", "table:", "run:", "tuples:", "bot:", ""] {
                let why = player(&format!("{kind}{name}")).unwrap_err();
                assert!(why.contains("there is no") || why.contains("there are no"), "{why}");
            }
        }
        let broken = library.game("broken", &[]).unwrap_err().to_string();
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
