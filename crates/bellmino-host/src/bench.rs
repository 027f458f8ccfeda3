//! The project's own benchmarks. Each does a fixed amount of work, on one core unless it says that it takes all of them,
//! and must give a known answer.

use std::time::Instant;

use bellmino_engine::guideline::{self, Board, Kicks, Piece, Rules, Spin, moves};
use bellmino_engine::placement::{Grid, MAX_CELLS, TenColumns, perft};
use bellmino_engine::{Game, PlacementGame, Purpose, below, stream};
use bellmino_exact::Objective;
use bellmino_lab::{ArenaSettings, Player, Playthrough, evaluate};
use bellmino_learn::{Controller, Simulator};
use bellmino_search::{Bot, Budget};
use serde::Serialize;
use thiserror::Error;

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
    cores: Cores,
    work: fn() -> (u64, String),
}

/// How many cores a benchmark takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cores {
    One,
    All,
}

/// How long a benchmark took, and what it answered, right or wrong.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The benchmark.
    pub name: &'static str,
    /// What is counted.
    pub unit: &'static str,
    /// How many of them.
    pub work: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// Speed.
    pub per_second: f64,
    /// The answer; [`Measured::check`] tells whether it is the right one.
    pub answer: String,
    #[serde(skip)]
    expected: &'static str,
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
        cores: Cores::One,
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
        cores: Cores::One,
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
        cores: Cores::One,
        work: || played("classic", "lowest", 20_000),
    },
    Benchmark {
        name: "greedy-classic",
        what: "3,000,000 pieces of `weights:bcts` (eight features) on `classic`",
        unit: "pieces",
        answer: "1199997 lines",
        cores: Cores::One,
        work: || {
            let game = game("classic");
            let controller = Controller::built_in("bcts").expect("built in");
            let mut simulator = Simulator::new(&game, &controller).expect("a board ten wide");
            simulator.start(stream(1, Purpose::Dealer, 0));
            simulator.play(3_000_000);
            (simulator.tally().pieces, format!("{} lines", simulator.tally().lines()))
        },
    },
    Benchmark {
        name: "drop-classic",
        what: "10,000,000 pieces dropped anywhere on `classic`, without a player",
        unit: "placements",
        answer: "6298 lines, 503139 losses",
        cores: Cores::One,
        work: || dropped(10_000_000),
    },
    Benchmark {
        name: "perft-guideline",
        what: "every way to place IOLJSZT by the guideline rules",
        unit: "leaves",
        answer: "2647076135",
        cores: Cores::One,
        work: || {
            let leaves = guideline::perft(&Board::EMPTY, &BAG, Kicks::Srs, || true).unwrap_or(0);
            (leaves, leaves.to_string())
        },
    },
    Benchmark {
        name: "list-o",
        what: "placements of O on mid-game boards, with spins",
        unit: "lists",
        answer: "7200 placements, 0 spins",
        cores: Cores::One,
        work: || listed(Piece::O),
    },
    Benchmark {
        name: "list-t",
        what: "placements of T on mid-game boards, with spins",
        unit: "lists",
        answer: "27615 placements, 409 spins",
        cores: Cores::One,
        work: || listed(Piece::T),
    },
    Benchmark {
        name: "search-blitz",
        what: "the bot in the middle of a Blitz, 20,000 nodes for each of 60 pieces",
        unit: "nodes",
        answer: "1211034 nodes, score 15000",
        cores: Cores::One,
        work: searched,
    },
    Benchmark {
        name: "solve-baby-5",
        what: "`baby`, height 5, discounted:0.9, on all cores",
        unit: "boards",
        answer: "182101 boards, mean 4.542366",
        cores: Cores::All,
        work: || {
            let report = solved("baby", &["board.height=5"], Objective::Discounted(0.9));
            let mean = report.mean_value.unwrap_or(f64::NAN);
            (report.boards, format!("{} boards, mean {mean:.6}", report.boards))
        },
    },
    Benchmark {
        name: "solve-mini-1000",
        what: "`mini`, horizon:1000",
        unit: "stages",
        answer: "13.157418247",
        cores: Cores::One,
        work: || {
            let report = solved("mini", &[], Objective::Horizon(1000));
            (1000, format!("{:.9}", report.value.unwrap_or(f64::NAN)))
        },
    },
    Benchmark {
        name: "solve-5x5",
        what: "seven tetrominoes on 5x5, total, on all cores",
        unit: "boards",
        answer: "6437226 boards, value 13.70156445",
        cores: Cores::All,
        work: || {
            let overrides = ["board.width=5", "board.height=5", "landing.overflow=forbidden"];
            let report = solved("classic", &overrides, Objective::Total);
            let value = report.value.unwrap_or(f64::NAN);
            (report.boards, format!("{} boards, value {value:.8}", report.boards))
        },
    },
];

impl Benchmark {
    /// Does the work once.
    pub fn run(&self) -> Measured {
        match self.cores {
            Cores::All => self.timed(),
            Cores::One => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
                pool.install(|| self.timed())
            }
        }
    }

    fn timed(&self) -> Measured {
        let begin = Instant::now();
        let (work, answer) = (self.work)();
        let seconds = begin.elapsed().as_secs_f64();
        let (name, unit, expected) = (self.name, self.unit, self.answer);
        Measured { name, unit, work, seconds, per_second: work as f64 / seconds, answer, expected }
    }
}

impl Measured {
    /// Whether the answer is the one it must be.
    pub fn check(&self) -> Result<(), WrongAnswer> {
        if self.answer == self.expected {
            return Ok(());
        }
        Err(WrongAnswer { name: self.name, found: self.answer.clone(), expected: self.expected })
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

fn solved(name: &str, overrides: &[&str], objective: Objective) -> bellmino_exact::SolveReport {
    let overrides: Vec<_> = overrides.iter().filter_map(|text| text.parse().ok()).collect();
    let game = Game::built_in(name, &overrides).and_then(Result::ok);
    let game = game.as_ref().and_then(Game::placement).expect("a benchmark's game is built in");
    bellmino_exact::solve(game, &bellmino_exact::SolveSettings::new(objective), &bellmino_exact::Silent)
        .expect("a benchmark's game can be solved")
        .report
}

fn game(name: &str) -> PlacementGame {
    let game = Game::built_in(name, &[]).and_then(Result::ok);
    game.and_then(|game| game.placement().cloned()).expect("a built-in placement game")
}

/// Drops pieces in random rotations and columns; a lost game is begun again.
fn dropped(count: u64) -> (u64, String) {
    let game = game("classic");
    let mut all = Vec::new();
    for piece in 0..game.pieces().len() {
        TenColumns::empty(&game).placements(&game, piece, |placement| all.push(placement));
    }
    let mut generator = stream(1, Purpose::Dealer, 0);
    let mut board = TenColumns::empty(&game);
    let (mut lines, mut losses) = (0, 0);
    for _ in 0..count {
        let mut placement = all[below(&mut generator, all.len())];
        let (shape, left) = (placement.shape(&game), placement.column as usize);
        let mut heights = [0; MAX_CELLS];
        for (dx, height) in heights.iter_mut().enumerate().take(shape.width()) {
            *height = board.height(&game, left + dx) as u8;
        }
        placement.row = shape.landing_row(&heights[..shape.width()]);
        let outcome = board.place_unchecked(&game, placement);
        lines += outcome.lines();
        losses += u32::from(outcome.fatal);
        board = if outcome.fatal { TenColumns::empty(&game) } else { outcome.board };
    }
    (count, format!("{lines} lines, {losses} losses"))
}

/// Placements applied and evaluated by the bot, and their number and the score as the answer.
fn searched() -> (u64, String) {
    let mut game = guideline::Match::new(Rules::BLITZ, 1);
    let mut bot = Bot::for_rules(&Rules::BLITZ);
    let mut nodes = 0;
    for _ in 0..60 {
        let thought = bot.think(&game.view(), Budget::nodes(20_000), None);
        nodes += thought.nodes;
        let best = thought.candidates.first().map(|best| game.play(&best.placement));
        if !matches!(best, Some(Ok(_))) {
            break;
        }
    }
    (nodes, format!("{nodes} nodes, score {}", game.stats().score))
}

/// Pieces played, and lines and pieces as the answer.
fn played(name: &str, player: &str, games: u64) -> (u64, String) {
    let game = Game::Placement(game(name));
    let player = Player::parse(player, &game, None).expect("a built-in player");
    let settings = ArenaSettings { games, seed: 1, ..ArenaSettings::default() };
    let report = evaluate(&game, &[player], &settings, &|_| true).expect("its own player");
    let report = &report.players[0];
    let total = |mean: f64| (mean * report.games as f64).round() as u64;
    (
        total(report.pieces.mean),
        format!("{} lines, {} pieces", total(report.lines.mean), total(report.pieces.mean)),
    )
}

/// A whole bag in the order of the published counts.
const BAG: [Piece; 7] = [Piece::I, Piece::O, Piece::L, Piece::J, Piece::S, Piece::Z, Piece::T];

/// Lists made of `piece` on the boards of a few games, and the number of placements and spins as the answer.
fn listed(piece: Piece) -> (u64, String) {
    let player = Player::of_guideline("weights:lee4", None).expect("a built-in player");
    let boards: Vec<Board> = (0..4)
        .flat_map(|index| {
            let mut game =
                Playthrough::guideline(&Rules::PRACTICE, &player, 1, index).expect("its own player");
            (0..100).map_while(move |_| game.next().map(|_| *game.game().position())).zip(1..)
        })
        .flat_map(|(position, pieces)| {
            // As it is, and lifted by rows of garbage with holes.
            let shift: usize = pieces;
            let garbage = (0..6).map(move |row| 0x3ff & !(1 << ((shift + 3 * row) % 10)));
            let lifted = Board::from_rows(garbage.chain((0..24).map(|y| position.board.row(y))));
            [position.board, lifted]
        })
        .collect();
    let mut list = Vec::with_capacity(256);
    let (mut placements, mut spins) = (0, 0);
    const ROUNDS: u64 = 500;
    for round in 0..ROUNDS {
        for board in &boards {
            list.clear();
            moves::extend(board, piece, Kicks::Srs, &mut list);
            placements += list.len();
            if round == 0 {
                spins += list.iter().filter(|at| at.spin != Spin::None).count();
            }
        }
    }
    let lists = ROUNDS * boards.len() as u64;
    (lists, format!("{} placements, {spins} spins", placements as u64 / ROUNDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_benchmark_says_that_it_takes_all_cores() {
        for benchmark in ALL {
            let told = benchmark.what.ends_with("on all cores");
            assert_eq!(told, benchmark.cores == Cores::All, "{}", benchmark.name);
        }
        assert_eq!(run(Cores::One, || (1, rayon::current_num_threads().to_string())).answer, "1");
    }

    #[test]
    fn a_wrong_answer_is_measured_and_then_refused() {
        let right = run(Cores::One, || (1, "right".into()));
        assert_eq!((right.work, right.check()), (1, Ok(())));
        let wrong = run(Cores::One, || (1, "wrong".into()));
        let message = wrong.check().unwrap_err().to_string();
        assert!(message.contains("answered `wrong` instead of `right`"), "{message}");
        assert_ne!(checksum([right.answer.as_str()]), checksum([wrong.answer.as_str()]));
    }

    fn run(cores: Cores, work: fn() -> (u64, String)) -> Measured {
        Benchmark { name: "own", what: "", unit: "", answer: "right", cores, work }.run()
    }
}
