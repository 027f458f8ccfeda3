//! The rules of every stacking game.

pub mod guideline;
