//! Look-ahead for the guideline game.

mod analysis;
mod beam;
mod bot;
mod budget;
mod endgame;
mod evaluation;
mod perfect;
mod tetris;
mod weights;

pub use analysis::{Judgement, Verdict, judge, review};
pub use bot::{Bot, Candidate, Settings, Thought, Unit, View};
pub use budget::Budget;
pub use evaluation::{Feature, Features, Standing, Weights, describe};
pub use perfect::{Answer, Chance, Puzzle, Solver};
