//! Random games, and every pair of roads to one answer asked about them.
//!
//! The same question travels by many roads: a game is played by the `Match`, by the fast simulator, by the arena with and
//! without tables, from its record; a value is solved, evaluated, and met in play. Whatever the road, the answer is one.
//! Here each pair of roads is asked the same question about whole random games, move for move where there are moves.
//!
//! ```
//! use bellmino_roads::{PAIRS, GameSort, ask, random_game};
//!
//! let pair = PAIRS.iter().find(|pair| pair.name == "match").unwrap();
//! let compared = ask(pair, &random_game(GameSort::Any, 1), 1)?;
//! assert!(compared.games > 0);
//! # Ok::<(), String>(())
//! ```
//!
//! # Map
//! - [`random_game`]: a game file from a seed. `dice`: the chance it is drawn with.
//! - [`PAIRS`]: the table of all pairs; a file of `pairs` for each subject. A new pair is tested by being listed.
//! - `plain`: a second implementation of dealing, play and values, as plainly as they can be said.
//! - [`smallest`]: makes a game that shows something small. [`kept_cases`]: games that ever showed something.
//!
//! `cargo test -p bellmino-roads` asks about some games of each pair and all kept cases, `--ignored` about many more;
//! `cargo run -p bellmino-roads` prints how much was compared. What only a front knows (command line, Python, page) lies
//! beside it and takes its games from here: `crates/bellmino/tests/roads.rs` is the command line.
//!
//! # Files
//! - `random_game`: whole games from a seed
//! - `dice`: their chance
//! - `pair`: two roads to one answer and how they are asked
//! - `pairs`: the table of all of them, a file for each subject
//! - `plain`: dealing, play and values told a second time, as plainly as can be
//! - `smallest`: makes a game that shows something small
//! - `cases`: games that ever did, kept in `bellmino-roads/cases`

mod cases;
mod dice;
mod pair;
mod pairs;
mod plain;
mod random_game;
mod smallest;

pub use cases::{KeptCase, kept_cases};
pub use dice::Dice;
pub use pair::{Asked, Compared, Pair, ask, ask_many};
pub use pairs::PAIRS;
pub use random_game::{GameSort, random_game};
pub use smallest::smallest;
