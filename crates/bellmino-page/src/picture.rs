//! A board as the page draws it: every cell with the colour of the piece it came from; pieces by their letters.

use bellmino_engine::PlacementGame;
use bellmino_engine::guideline::{self, ColourBoard, WIDTH};
use bellmino_engine::placement::Placement;

/// Rows of colours, bottom first; the rows above the highest filled one are left out.
///
/// A colour is the letter of a tetromino, or `G` for cells without a history; `.` is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    rows: Vec<Vec<u8>>,
}

impl Picture {
    /// Nothing filled.
    pub fn new(width: usize) -> Picture {
        Picture { width, rows: Vec::new() }
    }

    /// A guideline board.
    pub fn of(board: &ColourBoard) -> Picture {
        let rows = (0..board.height()).map(|y| board.row_text(y).into_bytes()).collect();
        Picture { width: WIDTH, rows }
    }

    /// Colours cells.
    pub fn put(&mut self, cells: impl IntoIterator<Item = (usize, usize)>, colour: u8) {
        for (x, y) in cells {
            if x < self.width {
                while self.rows.len() <= y {
                    self.rows.push(vec![b'.'; self.width]);
                }
                self.rows[y][x] = colour;
            }
        }
    }

    /// Takes out the full rows and says which they were.
    pub fn clear(&mut self) -> Vec<usize> {
        let full: Vec<usize> =
            (0..self.rows.len()).filter(|&y| self.rows[y].iter().all(|&cell| cell != b'.')).collect();
        for &y in full.iter().rev() {
            self.rows.remove(y);
        }
        full
    }

    /// The rows as text, bottom first.
    pub fn rows(&self) -> Vec<String> {
        let filled =
            self.rows.iter().rposition(|row| row.iter().any(|&cell| cell != b'.')).map_or(0, |y| y + 1);
        self.rows[..filled].iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect()
    }
}

/// The colour of each piece of a game: its own letter for a tetromino, else that of one that looks like it or is free.
pub fn colours(game: &PlacementGame) -> Vec<u8> {
    const LETTERS: [u8; 7] = *b"ITLSZJO";
    let mut taken = Vec::new();
    for piece in game.pieces() {
        let name = piece.name();
        let first = name.bytes().next().unwrap_or(b'I');
        let likes = if LETTERS.contains(&first) { first } else { b'T' };
        let free = || LETTERS.into_iter().find(|letter| !taken.contains(letter)).unwrap_or(likes);
        taken.push(if taken.contains(&likes) { free() } else { likes });
    }
    taken
}

/// The cells of a guideline placement.
pub fn guideline_cells(placement: &guideline::Placement) -> Vec<[usize; 2]> {
    let on_board = |(x, y): (i8, i8)| Some([usize::try_from(x).ok()?, usize::try_from(y).ok()?]);
    placement.cells().into_iter().filter_map(on_board).collect()
}

/// Pieces as letters.
pub fn letters(pieces: &[guideline::Piece]) -> String {
    pieces.iter().map(|piece| piece.letter()).collect()
}

/// The cells of a placement.
pub fn cells(game: &PlacementGame, placement: Placement) -> Vec<[usize; 2]> {
    let (left, bottom) = (usize::from(placement.column), usize::from(placement.row));
    placement.shape(game).cells().map(|(x, y)| [left + x, bottom + y]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Game;

    #[test]
    fn full_rows_go_and_the_rest_moves_down() {
        let mut picture = Picture::new(3);
        picture.put([(0, 0), (1, 0), (0, 1), (2, 2)], b'L');
        picture.put([(2, 0)], b'I');
        assert_eq!(picture.rows(), ["LLI", "L..", "..L"]);
        assert_eq!(picture.clear(), [0]);
        assert_eq!(picture.rows(), ["L..", "..L"]);
    }

    #[test]
    fn tetrominoes_keep_their_letter_and_colours_differ_while_they_last() {
        let colours_of =
            |name: &str| colours(Game::built_in(name, &[]).unwrap().unwrap().placement().unwrap());
        assert_eq!(colours_of("baby"), *b"IL");
        assert_eq!(colours_of("mini"), *b"LSI");
        assert_eq!(colours_of("classic"), *b"IOTSZJL");
    }
}
