//! A game in which full rows score but never leave, over every board there could be.
//!
//! The first runs of seed 000 visit all boards of the grid and look up the value of the board *before* its full rows
//! are removed. Boards only fill up, so the values settle after as many sweeps as pieces fit in. It is kept as a model of
//! its own, so that those runs can be repeated: its values can be written, and played with in the game as it is.

use std::io::{self, Write};

use bellmino_engine::placement::{Grid, PackedBoard, Piece, Placement, Shape};
use bellmino_engine::{Game, PlacementGame};
use rayon::prelude::*;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::solve::SolveError;
use crate::table::TableError;

/// What was found over all boards.
#[derive(Clone, Debug, PartialEq)]
pub struct NeverClear {
    /// The mean value over all boards and pieces.
    pub mean_value: f64,
    /// The largest change of each sweep; the last is 0.
    pub changes: Vec<f64>,
    /// The values, which choose placements.
    pub values: NeverClearValues,
}

/// Values of every board when full rows never leave. They play the game as it is, in which rows do leave.
#[derive(Clone, Debug, PartialEq)]
pub struct NeverClearValues {
    game: PlacementGame,
    discount: f64,
    /// By board: what is to come before the next piece is known.
    values: Vec<f64>,
}

const MAGIC: &[u8; 8] = b"BELLNEVR";
const VERSION: u32 = 1;

/// The most cells of a board, for there are 2 to this many of them.
const MAX_CELLS: usize = 24;

/// Values closer together than this are taken as equal; ties go to the first placement.
const TIE: f64 = 1e-9;

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
    if !is_small(game) || game.dealer().sees_board().is_some() {
        let why = "all boards are visited on at most 24 cells, with a weighted dealer";
        return Err(SolveError::Unsupported(why.to_owned()));
    }
    let deals = game.dealer().deals(game.dealer().start());
    let most_rows =
        game.pieces().iter().flat_map(Piece::rotations).map(Shape::height).max().unwrap_or(0) as u32;
    let row = (1u64 << game.width()) - 1;
    let full_rows =
        |board: u64| (0..game.height()).filter(|y| board >> (y * game.width()) & row == row).count() as u32;
    // What is to come from each board on, before the next piece is known.
    let mut later = vec![0.0; 1 << cells];
    let worth = |board: u64, piece: u8, later: &[f64]| {
        let mut best = 0.0f64;
        PackedBoard(board).placements(game, piece as usize, |placement| {
            let Some(after) = placed(game, board, placement) else { return };
            let rows = full_rows(after);
            let points = if rows > most_rows { 0.0 } else { game.score().points(rows) };
            best = best.max(points + discount * later[after as usize]);
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
                *next = worth(board as u64, deal.piece, &later);
            }
        });
        let change = next.iter().zip(&values).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        values = next;
        later = values
            .chunks(deals.len())
            .map(|values| deals.iter().zip(values).map(|(deal, value)| deal.probability * value).sum())
            .collect();
        changes.push(change);
        if change == 0.0 {
            break;
        }
    }
    Ok(NeverClear {
        mean_value: values.iter().sum::<f64>() / values.len() as f64,
        changes,
        values: NeverClearValues { game: game.clone(), discount, values: later },
    })
}

impl NeverClearValues {
    /// The game.
    pub fn game(&self) -> &PlacementGame {
        &self.game
    }

    /// The placement of the most points and discounted value of the board before its full rows leave; ties go to the
    /// first. `None` if no placement lies inside.
    pub fn choose(&self, board: PackedBoard, piece: usize) -> Option<Placement> {
        let game = &self.game;
        let mut best: Option<(f64, Placement)> = None;
        board.placements(game, piece, |placement| {
            let Some(after) = placed(game, board.0, placement) else { return };
            let lines = board.place_unchecked(game, placement).lines();
            let worth = game.score().points(lines) + self.discount * self.values[after as usize];
            if best.is_none_or(|(most, _)| worth > most + TIE) {
                best = Some((worth, placement));
            }
        });
        best.map(|(_, placement)| placement)
    }

    /// Whether these bytes begin like such values, and not like a table.
    pub fn is_begun_by(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Writes the values as a file: `BELLNEVR`, the version of the format (4 bytes), the length of the header (4), the
    /// header (JSON), one value for each board (8 each), the XXH3-64 checksum of all bytes before (8); little-endian.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let header = json!({ "game": self.game.to_toml(), "discount": self.discount }).to_string();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(self.values.iter().flat_map(|value| value.to_le_bytes()));
        let checksum = xxh3_64(&bytes);
        out.write_all(&bytes)?;
        out.write_all(&checksum.to_le_bytes())
    }

    /// Reads such a file.
    pub fn read(bytes: &[u8]) -> Result<NeverClearValues, TableError> {
        let bad = |why: &str| TableError::Header(why.to_owned());
        let word = |at: usize| {
            let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
            four.map(u32::from_le_bytes).ok_or(TableError::Length { found: bytes.len(), wanted: 24 })
        };
        if !NeverClearValues::is_begun_by(bytes) {
            return Err(TableError::Foreign);
        }
        let version = word(8)?;
        if version != VERSION {
            return Err(TableError::Version(version));
        }
        let header_end = 16usize.saturating_add(word(12)? as usize);
        let short = || TableError::Length { found: bytes.len(), wanted: header_end };
        let header = bytes.get(16..header_end).ok_or_else(short)?;
        let header: Value = serde_json::from_slice(header).map_err(|error| bad(&error.to_string()))?;
        let text = header["game"].as_str().ok_or_else(|| bad("game"))?;
        let game = Game::read("table", text, &[]).map_err(|error| bad(&error.to_string()))?;
        let game = game.placement().filter(|game| is_small(game)).ok_or_else(|| bad("game"))?.clone();
        let discount = header["discount"].as_f64().filter(|discount| (0.0..=1.0).contains(discount));
        let discount = discount.ok_or_else(|| bad("discount"))?;
        let values_end = header_end + (8 << (game.width() * game.height()));
        if bytes.len() != values_end + 8 {
            return Err(TableError::Length { found: bytes.len(), wanted: values_end + 8 });
        }
        let (content, checksum) = bytes.split_at(values_end);
        if xxh3_64(content).to_le_bytes() != checksum {
            return Err(TableError::Checksum);
        }
        let eight = |eight: &[u8]| eight.try_into().map_or(f64::NAN, f64::from_le_bytes);
        let values: Vec<f64> = content[header_end..].chunks(8).map(eight).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err(bad("a value is no number"));
        }
        Ok(NeverClearValues { game, discount, values })
    }
}

/// Whether every board of the game can be visited.
fn is_small(game: &PlacementGame) -> bool {
    game.width() * game.height() <= MAX_CELLS && PackedBoard::fits(game) && game.dealer().states() == 1
}

/// The board with a piece on it and no row removed; `None` if the piece does not lie inside.
fn placed(game: &PlacementGame, board: u64, placement: Placement) -> Option<u64> {
    if placement.top(game) > game.height() {
        return None;
    }
    let corner = placement.row as usize * game.width() + placement.column as usize;
    let cells = placement.shape(game).cells();
    Some(cells.fold(board, |board, (x, y)| board | 1 << (corner + y * game.width() + x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_written_and_refused_when_changed() {
        let game = Game::built_in("mini", &["dealer.kind=weighted".parse().unwrap()]).unwrap().unwrap();
        let values = never_clear(game.placement().unwrap(), 0.4).unwrap().values;
        let mut bytes = Vec::new();
        values.write(&mut bytes).unwrap();
        assert_eq!(NeverClearValues::read(&bytes), Ok(values));
        for end in [0, 7, 11, 15, 40, bytes.len() - 1] {
            assert!(NeverClearValues::read(&bytes[..end]).is_err(), "{end}");
        }
        for place in (0..bytes.len()).step_by(97) {
            let mut changed = bytes.clone();
            changed[place] ^= 4;
            assert!(NeverClearValues::read(&changed).is_err(), "{place}");
        }
    }
}
