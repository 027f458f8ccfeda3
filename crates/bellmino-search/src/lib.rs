//! Look-ahead for the guideline game.

mod beam;
mod bot;
mod budget;
mod endgame;
mod evaluation;
mod perfect;
mod weights;

pub use bot::{Bot, Candidate, Settings, Thought, View};
pub use budget::Budget;
pub use evaluation::{Feature, Features, Standing, Weights, describe};
pub use perfect::{Answer, Puzzle, Solver};
