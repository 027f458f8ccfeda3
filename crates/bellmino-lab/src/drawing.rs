//! Boards drawn as text.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, Placement};

/// The rows of a board with a placement on it as `@`, before the clear, the top row first; rows above the top are added
/// where the piece needs them.
pub fn placed_rows(game: &PlacementGame, before: &Board, placement: Placement) -> Vec<String> {
    let height = placement.top(game).max(game.height());
    let shape = placement.shape(game);
    let (left, bottom) = (placement.column as usize, placement.row as usize);
    let is_piece = |x: usize, y: usize| shape.cells().any(|(dx, dy)| (left + dx, bottom + dy) == (x, y));
    let cell = |x: usize, y: usize| match () {
        () if is_piece(x, y) => '@',
        () if before.contains(x, y) => '#',
        () => '.',
    };
    (0..height).rev().map(|y| (0..game.width()).map(|x| cell(x, y)).collect()).collect()
}

/// The rows of a board, the top row first.
pub fn rows(board: &Board) -> Vec<String> {
    board.to_string().lines().map(str::to_owned).collect()
}
