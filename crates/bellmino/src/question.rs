//! What is asked of an exact solver: the flags that every such command has.

use std::fs;
use std::str::FromStr;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Board;
use bellmino_exact::{Objective, SolveSettings, Watch};

use crate::cli::Common;
use crate::failure::Failure;
use crate::interrupt;
use crate::load::{self, GameArgs};

/// The game, the objective, and what the player knows.
#[derive(clap::Args, Debug)]
pub struct Question {
    #[command(flatten)]
    game: GameArgs,

    /// What is maximised: discounted:L, horizon:N (pieces), total, average (per piece) or survive [default of solve: total,
    /// or average where the total is infinite]
    #[arg(long, value_name = "O", value_parser = Objective::from_str)]
    objective: Option<Objective>,

    /// How many pieces beyond the current one the player knows
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=8))]
    preview: u64,

    /// Start from this board instead of the empty one: rows of # and . from the top, apart by /, or `empty`
    #[arg(long, value_name = "BOARD")]
    from: Option<String>,

    /// The most memory to use, such as 600MiB or 12GiB [default: most of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
}

impl Question {
    /// The game, and how it is named in results.
    pub fn load(&self, common: &Common) -> Result<(String, PlacementGame), Failure> {
        let game = self.game.load(common)?;
        Ok((self.game.describe(&game), load::placement(&game)?))
    }

    /// The settings for an objective, so far as these flags go.
    pub fn settings(&self, game: &PlacementGame, objective: Objective) -> Result<SolveSettings, Failure> {
        Ok(SolveSettings {
            preview: self.preview as usize,
            from: self.from.as_ref().map(|text| board(game, "--from", text)).transpose()?,
            memory: Some(self.memory.unwrap_or_else(free_memory)),
            ..SolveSettings::new(objective)
        })
    }

    /// What is maximised, if that was said.
    pub fn objective(&self) -> Option<Objective> {
        self.objective
    }

    /// How many pieces beyond the current one the player knows.
    pub fn preview(&self) -> u64 {
        self.preview
    }
}

/// Lets a solver go on until the user interrupts it.
pub struct Interruptible;

impl Watch for Interruptible {
    fn go_on(&self) -> bool {
        interrupt::go_on()
    }
}

/// A board drawn in a flag.
pub fn board(game: &PlacementGame, flag: &str, text: &str) -> Result<Board, Failure> {
    Board::parse(game.width(), game.height(), text)
        .map_err(|error| Failure::input(format!("{flag}: {error}")))
}

/// Most of what is free, where the system tells; else 4 GiB.
pub fn free_memory() -> u64 {
    status_bytes("/proc/meminfo", "MemAvailable:").map_or(4 << 30, |free| free / 10 * 9)
}

/// A number of bytes that the system tells, where it does.
pub fn status_bytes(file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| 1024 * kibibytes)
}

fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let factor: Option<f64> = match unit.trim() {
        "" | "B" => Some(1.0),
        "KiB" | "K" => Some(1024.0),
        "MiB" | "M" => Some(1_048_576.0),
        "GiB" | "G" => Some(1_073_741_824.0),
        _ => None,
    };
    match (digits.parse::<f64>(), factor) {
        (Ok(number), Some(factor)) if number > 0.0 && number * factor < 1e18 => Ok((number * factor) as u64),
        _ => Err("give a size such as 600MiB or 12GiB".to_owned()),
    }
}
