//! The `bellmino` command.
fn main() {}
