//! Games and players from what the user wrote.

use std::path::Path;

use bellmino_engine::guideline::{Board, Piece};
use bellmino_engine::{Game, PlacementGame};
use bellmino_host::{Files, load as host_load};
use bellmino_lab::Opponent;
use bellmino_lab::load::{LoadError, MAX_TEXT, load_game_noticing};
use bellmino_lab::request::{Context, guideline_board};
use bellmino_search::Budget;
use clap::Args;

use crate::cli::Common;
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

impl GameArgs {
    /// Loads the game, and says what was taken otherwise than it was written.
    pub fn load(&self, common: &Common) -> Result<Game, Failure> {
        let loaded = load_game_noticing(&self.game, &self.overrides, &Files).map_err(|error| match error {
            LoadError::Override(error) => Failure::input(format!("--set: {error}")),
            error => Failure::input(error),
        });
        let (game, notices) = loaded?;
        for notice in notices.iter().filter(|_| !common.quiet) {
            eprintln!("bellmino: {}: {}: {}", self.game, notice.key, notice.message);
        }
        Ok(game)
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

/// How long the look-ahead bot may think.
#[derive(Args, Clone, Copy, Debug)]
pub struct ThinkArgs {
    /// Placements the bot looks at for each move; the same number gives the same result everywhere
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: Option<u64>,

    /// Milliseconds of processor time the bot thinks about each move
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub think_ms: Option<u64>,
}

impl ThinkArgs {
    /// The budget asked for, if any.
    pub fn budget(&self) -> Option<Budget> {
        self.nodes.map(Budget::nodes).or(self.think_ms.map(Budget::millis))
    }

    /// The budget for a command that plays one game at a time, so that all threads asked for think about one move.
    pub fn budget_of_one(&self, default: Budget, common: &Common) -> Budget {
        self.budget().unwrap_or(default).on(common.threads.unwrap_or(1))
    }
}

/// Pieces by their letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces(pub Vec<Piece>);

/// Reads pieces by their letters.
pub fn pieces(text: &str) -> Result<Pieces, String> {
    let letter = |letter: char| {
        Piece::from_letter(letter.to_ascii_uppercase())
            .ok_or_else(|| format!("`{letter}` is none of IOTLJSZ"))
    };
    text.chars().map(letter).collect::<Result<_, _>>().map(Pieces)
}

/// Reads one piece by its letter.
pub fn piece(text: &str) -> Result<Piece, String> {
    match pieces(text)?.0[..] {
        [piece] => Ok(piece),
        _ => Err("give one of IOTLJSZ".to_owned()),
    }
}

/// A guideline board: `empty`, a fumen, a file with one or with rows, or rows with `/` between them.
pub fn board(input: &str) -> Result<Board, Failure> {
    let context = Context { resources: &Files, ..Context::default() };
    guideline_board(input, &context).map_err(Failure::input)
}

/// Who deals in a placement game.
pub fn opponent(dealer: Option<&str>, game: &PlacementGame) -> Result<Opponent, Failure> {
    Opponent::parse(dealer.unwrap_or("random"), game, &Files).map_err(Failure::input)
}

/// Guideline games have a dealer of their own.
pub fn refuse_dealer(dealer: Option<&str>, game: &str) -> Result<(), Failure> {
    match dealer {
        Some(_) => {
            Err(Failure::input(format!("--dealer: `{game}` is a guideline game and deals from its bag")))
        }
        None => Ok(()),
    }
}

/// In placement games nobody looks ahead.
pub fn refuse_thinking(think: &ThinkArgs, game: &str) -> Result<(), Failure> {
    let flag = match (think.nodes, think.think_ms) {
        (Some(_), _) => "--nodes",
        (_, Some(_)) => "--think-ms",
        _ => return Ok(()),
    };
    Err(Failure::input(format!("{flag} is for `bot` in guideline games; `{game}` is a placement game")))
}

/// A text file of reasonable size; anything else is bad input.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    host_load::read_text(path, MAX_TEXT).map_err(Failure::input)
}
