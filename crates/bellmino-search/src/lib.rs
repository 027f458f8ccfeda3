//! Look-ahead for the guideline game: a bot that plans over hold and queue and knows its goal, a perfect-clear solver,
//! and the analysis of games.
//!
//! The bot plays:
//!
//! ```
//! use bellmino_engine::guideline::{Match, Rules};
//! use bellmino_search::{Bot, Budget};
//!
//! let mut game = Match::new(Rules::BLITZ, 1);
//! let mut bot = Bot::for_rules(&Rules::BLITZ);
//! for _ in 0..5 {
//!     let thought = bot.think(&game.view(), Budget::nodes(2000), None);
//!     game.play(&thought.candidates[0].placement).unwrap();
//! }
//! assert_eq!(game.stats().pieces, 5);
//! ```
//!
//! The solver empties boards:
//!
//! ```
//! use bellmino_engine::guideline::{Kicks, Piece};
//! use bellmino_search::{SearchAnswer, Puzzle, Solver};
//!
//! let puzzle = Puzzle {
//!     board: "######....\n######....".parse().unwrap(),
//!     rows: 2,
//!     reserve: Some(Piece::O),
//!     pieces: vec![Piece::T, Piece::O],
//!     kicks: Kicks::Srs,
//!     tetris: false,
//! };
//! // The first O comes from hold, and the T takes its place there.
//! let SearchAnswer::Solved(line) = Solver::new().solve(&puzzle, 10_000) else { panic!("not solved") };
//! assert!(line.iter().all(|placement| placement.piece == Piece::O));
//! ```
//!
//! | module | what |
//! |---|---|
//! | `bot` | the bot, and what it or another player thinks of a position |
//! | `beam` | the search over placements of the pieces in sight |
//! | `outlook` | what may come after them, by expectation over the bag |
//! | `expansion`, `hashing` | all that can follow positions; positions as numbers |
//! | `evaluation`, `network`, `weights` | what a board is worth |
//! | `endgame` | the end of a Sprint, over futures the bag allows |
//! | `tetris`, `cycle` | tetrises that empty the board, and the chance of one |
//! | `perfect` | the perfect-clear solver |
//! | `forecast` | what a game is expected to come to |
//! | `analysis` | what a move cost, and the review of a recorded game |
//! | `reason` | what a placement does worse, in words |
//! | `bag` | what may come next |
//! | `well` | games against dealers that mean ill |
//! | `budget`, `clock` | how long to think, and the only clock |
//!
//! Nothing here reads files, and `clippy.toml` says so; the budget's clock and the threads of `expansion` and `well` are the only
//! exceptions to what it forbids.
//!
//! # Files
//! - `bot`: thinks about a view and says what to play
//! - `budget`: for how long
//! - `clock`: the only clock
//! - `beam`: keeps the best positions
//! - `expansion`: finds what can follow one, on several threads
//! - `outlook`: looks beyond the pieces in sight
//! - `evaluation`: judges boards
//! - `batch`: the same for many at once, in lanes of the processor
//! - `network`: what a sum of features cannot say
//! - `tetris`: tetrises that empty the board
//! - `cycle`: the chance of one
//! - `endgame`: the end of a Sprint, its folder has the parts
//! - `perfect`: perfect clears
//! - `presses`: key presses, where they count
//! - `forecast`: what a game is expected to come to
//! - `analysis`: what a move cost
//! - `reason`: why, in words
//! - `weights`: the shipped weights
//! - `bag`: what is left in the bag
//! - `hashing`: positions as numbers
//! - `well`: games against dealers that mean ill, on wells as bits

mod analysis;
mod bag;
mod batch;
mod beam;
mod bot;
mod budget;
mod clock;
mod cycle;
mod endgame;
mod evaluation;
mod expansion;
mod forecast;
mod hashing;
mod network;
mod outlook;
mod perfect;
mod presses;
mod reason;
mod tetris;
mod weights;
pub mod well;

pub use analysis::{Analysis, Choice, Coin, Judgement, Step, Verdict, analyse, judge, review, steps};
pub use bot::{Bot, BotSettings, Candidate, Thought, ValueUnit};
pub use budget::Budget;
#[cfg(target_arch = "wasm32")]
pub use clock::set_clock;
pub use evaluation::{EvaluationState, Expected, Feature, Features, Weights, describe};
pub use forecast::{Calibration, EndInSight, Estimate, Forecast, LOST_PIECES, Signs, fewest};
pub use network::{Network, UNITS};
pub use perfect::{Puzzle, SearchAnswer, Solver};
pub use reason::Reason;
