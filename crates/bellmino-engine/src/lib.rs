//! The rules of every stacking game.
