//! A game in which full rows score but never leave, over every board there could be.
//!
//! The first runs of seed 000 visit all boards of the grid and look up the value of the board *before* its full rows
//! are removed. Boards only fill up, so the values settle after as many sweeps as pieces fit in. It is kept as a model of
//! its own, so that those runs can be repeated.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Grid, PackedBoard};
use rayon::prelude::*;

use crate::solve::SolveError;

/// What was found over all boards.
#[derive(Clone, Debug, PartialEq)]
pub struct NeverClear {
    /// The mean value over all boards and pieces.
    pub mean_value: f64,
    /// The largest change of each sweep; the last is 0.
    pub changes: Vec<f64>,
}

/// Values of every board and piece when full rows score again with each placement and are never removed. More full rows
/// than a piece can clear at once score nothing.
///
/// ```
/// let game = bellmino_engine::Game::built_in("baby", &[]).unwrap().unwrap();
/// let found = bellmino_exact::never_clear(game.placement().unwrap(), 0.1).unwrap();
/// assert!((found.mean_value - 0.412926).abs() < 1e-6);
/// ```
pub fn never_clear(game: &PlacementGame, discount: f64) -> Result<NeverClear, SolveError> {
    let cells = game.width() * game.height();
    if cells > 24 || game.dealer().states() != 1 {
        let why = "all boards are visited on at most 24 cells, with a weighted dealer";
        return Err(SolveError::Unsupported(why.to_owned()));
    }
    let deals = game.dealer().deals(game.dealer().start());
    let shapes = game.pieces().iter().flat_map(bellmino_engine::placement::Piece::rotations);
    let most_rows = shapes.map(bellmino_engine::placement::Shape::height).max().unwrap_or(0) as u32;
    let row = (1u64 << game.width()) - 1;
    let full_rows =
        |board: u64| (0..game.height()).filter(|y| board >> (y * game.width()) & row == row).count() as u32;
    let worth = |board: u64, piece: u8, values: &[f64]| {
        let mut best = 0.0f64;
        PackedBoard(board).placements(game, piece as usize, |placement| {
            if placement.top(game) > game.height() {
                return;
            }
            let corner = placement.row as usize * game.width() + placement.column as usize;
            let shape = placement.shape(game).cells();
            let mask = shape.fold(0u64, |mask, (x, y)| mask | 1 << (corner + y * game.width() + x));
            let rows = full_rows(board | mask);
            let points = if rows > most_rows { 0.0 } else { game.score().points(rows) };
            let later = &values[(board | mask) as usize * deals.len()..][..deals.len()];
            let later: f64 = deals.iter().zip(later).map(|(deal, value)| deal.probability * value).sum();
            best = best.max(points + discount * later);
        });
        best
    };
    // By board and deal.
    let mut values = vec![0.0; deals.len() << cells];
    let mut changes = Vec::new();
    loop {
        let mut next = vec![0.0; values.len()];
        next.par_chunks_mut(deals.len()).enumerate().for_each(|(board, next)| {
            for (next, deal) in next.iter_mut().zip(deals) {
                *next = worth(board as u64, deal.piece, &values);
            }
        });
        let change = next.iter().zip(&values).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        values = next;
        changes.push(change);
        if change == 0.0 {
            break;
        }
    }
    Ok(NeverClear { mean_value: values.iter().sum::<f64>() / values.len() as f64, changes })
}
