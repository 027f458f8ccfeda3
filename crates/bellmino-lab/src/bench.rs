//! The project's own benchmarks. Each does a fixed amount of work on one core and must give a known answer.

use std::time::Instant;

use bellmino_engine::{Game, PlacementGame, perft};
use serde::Serialize;
use thiserror::Error;

use crate::arena::{Settings, evaluate};
use crate::player::Player;

/// A fixed piece of work with its right answer.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is timed.
    pub what: &'static str,
    /// What is counted.
    pub unit: &'static str,
    /// The answer it must give.
    pub answer: &'static str,
    work: fn() -> (u64, String),
}

/// How long a benchmark took.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The benchmark.
    pub name: &'static str,
    /// What is counted.
    pub unit: &'static str,
    /// How many of them.
    pub work: u64,
    /// Wall-clock time on one thread.
    pub seconds: f64,
    /// Speed.
    pub per_second: f64,
    /// The answer, which was the right one.
    pub answer: String,
}

/// A benchmark gave another answer than it must.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "benchmark `{name}` answered `{found}` instead of `{expected}`: the code is wrong, its speed means nothing"
)]
pub struct WrongAnswer {
    name: &'static str,
    found: String,
    expected: &'static str,
}

/// All benchmarks.
pub const ALL: &[Benchmark] = &[
    Benchmark {
        name: "perft-baby",
        what: "every game of 7 pieces on `baby`",
        unit: "leaves",
        answer: "4567064",
        work: || {
            let leaves = perft(&game("baby"), 7, || true).unwrap_or(0);
            (leaves, leaves.to_string())
        },
    },
    Benchmark {
        name: "perft-classic",
        what: "every game of 3 pieces on `classic`",
        unit: "leaves",
        answer: "4251528",
        work: || {
            let leaves = perft(&game("classic"), 3, || true).unwrap_or(0);
            (leaves, leaves.to_string())
        },
    },
    Benchmark {
        name: "lowest-classic",
        what: "20,000 games of `lowest` on `classic`",
        unit: "pieces",
        answer: "136722 lines, 1170123 pieces",
        work: || played("classic", "lowest", 20_000),
    },
];

impl Benchmark {
    /// Does the work once, on this thread.
    pub fn run(&self) -> Result<Measured, WrongAnswer> {
        let begin = Instant::now();
        let (work, answer) = (self.work)();
        let seconds = begin.elapsed().as_secs_f64();
        if answer != self.answer {
            return Err(WrongAnswer { name: self.name, found: answer, expected: self.answer });
        }
        Ok(Measured {
            name: self.name,
            unit: self.unit,
            work,
            seconds,
            per_second: work as f64 / seconds,
            answer,
        })
    }
}

/// A checksum (64-bit FNV-1a) of all answers: a change that is meant not to change behaviour leaves it alone.
pub fn checksum<'a>(answers: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in answers.into_iter().flat_map(|answer| answer.bytes().chain([b'\n'])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

fn game(name: &str) -> PlacementGame {
    let game = Game::built_in(name, &[]).and_then(Result::ok);
    game.and_then(|game| game.placement().cloned()).expect("a built-in placement game")
}

/// Pieces played, and lines and pieces as the answer.
fn played(name: &str, player: &str, games: u64) -> (u64, String) {
    let game = game(name);
    let player = Player::parse(player, &game).expect("a built-in player");
    let settings = Settings { games, seed: 1, ..Settings::default() };
    // One thread: rates are per core.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let report = pool.install(|| evaluate(&game, &[player], &settings, &|_| true));
    let report = &report.players[0];
    let total = |mean: f64| (mean * report.games as f64).round() as u64;
    (
        total(report.pieces.mean),
        format!("{} lines, {} pieces", total(report.lines.mean), total(report.pieces.mean)),
    )
}
