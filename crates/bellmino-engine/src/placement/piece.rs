//! Pieces: polyominoes of one to five cells with their distinct rotations.

use thiserror::Error;

/// The largest number of cells in a piece, and so its largest width and height.
pub const MAX_CELLS: usize = 5;

/// A piece: a name and its distinct rotations, clockwise from the one drawn. Never mirrored.
///
/// ```
/// use bellmino_engine::placement::Piece;
///
/// let corner = Piece::drawn("corner", &["#.", "##"])?;
/// assert_eq!(corner.rotations().len(), 4);
/// let square = Piece::catalogue("O").unwrap();
/// assert_eq!(square.rotations().len(), 1);
/// # Ok::<(), bellmino_engine::placement::PieceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    name: String,
    rotations: Vec<Shape>,
}

/// One rotation of a piece, pushed into the lower left corner: the smallest column and the smallest row are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    width: u8,
    height: u8,
    /// Bit `y` of entry `x` is the cell in column `x`, row `y`.
    columns: [u8; MAX_CELLS],
    /// The lowest filled row of each column.
    bottoms: [u8; MAX_CELLS],
}

/// Why a drawing is not a piece.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PieceError {
    /// The drawing has no filled cell.
    #[error("has no cell; draw 1 to {MAX_CELLS} cells with `#`")]
    Empty,
    /// The drawing has more cells than a piece may have.
    #[error("has {0} cells; a piece has 1 to {MAX_CELLS}")]
    TooManyCells(usize),
    /// A character other than `#` and `.`.
    #[error("contains {0:?}; only `#` (filled) and `.` (empty) are allowed")]
    BadCharacter(char),
    /// The cells do not hang together edge to edge.
    #[error("is not connected edge to edge")]
    Disconnected,
    /// The drawing is larger than any piece could need.
    #[error("is drawn on {0} rows or columns; at most {limit} are allowed", limit = MAX_DRAWING)]
    TooLarge(usize),
}

const MAX_DRAWING: usize = 16;

/// Every catalogue piece: name and drawing, top row first.
///
/// One-sided pentominoes come in mirror pairs: `F5` and `G5`, `L5` and `J5`, `N5` and `M5`, `P5` and `Q5`, `Y5` and
/// `R5`, `Z5` and `S5`.
pub const CATALOGUE: [(&str, &[&str]); 29] = [
    ("O1", &["#"]),
    ("I2", &["##"]),
    ("I3", &["###"]),
    ("L3", &["#.", "##"]),
    ("I", &["####"]),
    ("O", &["##", "##"]),
    ("T", &[".#.", "###"]),
    ("S", &[".##", "##."]),
    ("Z", &["##.", ".##"]),
    ("J", &["#..", "###"]),
    ("L", &["..#", "###"]),
    ("F5", &[".##", "##.", ".#."]),
    ("G5", &["##.", ".##", ".#."]),
    ("I5", &["#####"]),
    ("L5", &["...#", "####"]),
    ("J5", &["#...", "####"]),
    ("N5", &["##..", ".###"]),
    ("M5", &["..##", "###."]),
    ("P5", &["##", "##", "#."]),
    ("Q5", &["##", "##", ".#"]),
    ("T5", &["###", ".#.", ".#."]),
    ("U5", &["#.#", "###"]),
    ("V5", &["#..", "#..", "###"]),
    ("W5", &["#..", "##.", ".##"]),
    ("X5", &[".#.", "###", ".#."]),
    ("Y5", &["..#.", "####"]),
    ("R5", &[".#..", "####"]),
    ("Z5", &["##.", ".#.", ".##"]),
    ("S5", &[".##", ".#.", "##."]),
];

impl Piece {
    /// The catalogue piece of this name.
    pub fn catalogue(name: &str) -> Option<Piece> {
        let (name, rows) = CATALOGUE.iter().find(|(known, _)| *known == name)?;
        Some(Piece::drawn(name, rows).expect("catalogue drawings are pieces"))
    }

    /// A piece drawn with `#` and `.`, top row first. Empty rows and columns around it do not matter.
    pub fn drawn<S: AsRef<str>>(name: &str, rows: &[S]) -> Result<Piece, PieceError> {
        let mut cells = Vec::new();
        let longest = rows.iter().map(|row| row.as_ref().chars().count()).chain([rows.len()]).max();
        if longest.is_some_and(|side| side > MAX_DRAWING) {
            return Err(PieceError::TooLarge(longest.unwrap_or(0)));
        }
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, character) in row.as_ref().chars().enumerate() {
                match character {
                    '#' => cells.push((x as i8, y as i8)),
                    '.' => {}
                    other => return Err(PieceError::BadCharacter(other)),
                }
            }
        }
        if cells.is_empty() {
            return Err(PieceError::Empty);
        }
        if cells.len() > MAX_CELLS {
            return Err(PieceError::TooManyCells(cells.len()));
        }
        if !is_connected(&cells) {
            return Err(PieceError::Disconnected);
        }
        let mut rotations: Vec<Shape> = Vec::with_capacity(4);
        for _ in 0..4 {
            let shape = Shape::normalised(&cells);
            if !rotations.contains(&shape) {
                rotations.push(shape);
            }
            for (x, y) in &mut cells {
                (*x, *y) = (*y, -*x);
            }
        }
        Ok(Piece { name: name.to_owned(), rotations })
    }

    /// The name of the piece.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The distinct rotations, clockwise from the one drawn.
    #[inline]
    pub fn rotations(&self) -> &[Shape] {
        &self.rotations
    }

    /// How many cells the piece has.
    #[inline]
    pub fn cells(&self) -> u32 {
        self.rotations[0].cells().count() as u32
    }

    /// The piece as its mirror image in a vertical axis, under the same name.
    pub fn mirrored(&self) -> Piece {
        let rows: Vec<String> =
            self.rotations[0].draw().iter().map(|row| row.chars().rev().collect()).collect();
        Piece::drawn(&self.name, &rows).expect("a mirrored piece is a piece")
    }
}

impl Shape {
    fn normalised(cells: &[(i8, i8)]) -> Shape {
        let left = cells.iter().map(|cell| cell.0).min().unwrap_or(0);
        let bottom = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
        let mut shape = Shape { width: 0, height: 0, columns: [0; MAX_CELLS], bottoms: [0; MAX_CELLS] };
        for &(x, y) in cells {
            let (x, y) = ((x - left) as u8, (y - bottom) as u8);
            shape.columns[x as usize] |= 1 << y;
            shape.width = shape.width.max(x + 1);
            shape.height = shape.height.max(y + 1);
        }
        for x in 0..shape.width() {
            shape.bottoms[x] = shape.columns[x].trailing_zeros() as u8;
        }
        shape
    }

    /// Columns the shape spans.
    #[inline]
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// The filled rows of each spanned column, row 0 in bit 0.
    #[inline]
    pub fn columns(&self) -> &[u8] {
        &self.columns[..self.width as usize]
    }

    /// Rows the shape spans.
    #[inline]
    pub fn height(&self) -> usize {
        self.height as usize
    }

    /// The lowest filled row of each spanned column.
    #[inline]
    pub fn bottoms(&self) -> &[u8] {
        &self.bottoms[..self.width as usize]
    }

    /// Where it lands by a straight drop: the row of its lowest cell, on columns of these heights under it.
    #[inline(always)]
    pub fn landing_row(&self, heights: &[u8]) -> u8 {
        let rows = heights.iter().zip(self.bottoms()).map(|(height, bottom)| height.saturating_sub(*bottom));
        rows.max().unwrap_or(0)
    }

    /// The filled cells as (column, row), column by column.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.width()).flat_map(move |x| {
            (0..self.height()).filter_map(move |y| (self.columns[x] >> y & 1 == 1).then_some((x, y)))
        })
    }

    /// How many cells lie in row `y` of the shape.
    pub fn cells_in_row(&self, y: usize) -> u32 {
        self.columns().iter().filter(|&&column| column >> y & 1 == 1).count() as u32
    }

    /// The drawing, top row first.
    pub fn draw(&self) -> Vec<String> {
        (0..self.height())
            .rev()
            .map(|y| {
                self.columns().iter().map(|column| if column >> y & 1 == 1 { '#' } else { '.' }).collect()
            })
            .collect()
    }
}

fn is_connected(cells: &[(i8, i8)]) -> bool {
    let mut reached = vec![cells[0]];
    let mut next = 0;
    while next < reached.len() {
        let (x, y) = reached[next];
        for neighbour in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
            if cells.contains(&neighbour) && !reached.contains(&neighbour) {
                reached.push(neighbour);
            }
        }
        next += 1;
    }
    reached.len() == cells.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn catalogue_is_every_one_sided_polyomino_once() {
        // One-sided polyominoes of 1..=5 cells: 1, 1, 2, 7, 18.
        let mut by_size = [0; MAX_CELLS + 1];
        let mut seen = BTreeSet::new();
        for (name, _) in CATALOGUE {
            let piece = Piece::catalogue(name).unwrap();
            by_size[piece.cells() as usize] += 1;
            let least = *piece.rotations().iter().min().unwrap();
            assert!(seen.insert(least), "{name} repeats another piece");
        }
        assert_eq!(by_size, [0, 1, 1, 2, 7, 18]);
    }

    #[test]
    fn distinct_rotations() {
        for (name, rotations) in
            [("O1", 1), ("I2", 2), ("I3", 2), ("L3", 4), ("I", 2), ("O", 1), ("T", 4), ("S", 2), ("X5", 1)]
        {
            assert_eq!(Piece::catalogue(name).unwrap().rotations().len(), rotations, "{name}");
        }
    }

    #[test]
    fn rotations_turn_clockwise() {
        let piece = Piece::catalogue("J").unwrap();
        assert_eq!(piece.rotations()[0].draw(), ["#..", "###"]);
        assert_eq!(piece.rotations()[1].draw(), ["##", "#.", "#."]);
        assert_eq!(piece.rotations()[2].draw(), ["###", "..#"]);
        assert_eq!(piece.rotations()[3].draw(), [".#", ".#", "##"]);
    }

    #[test]
    fn mirror_pairs() {
        for (left, right) in [
            ("S", "Z"),
            ("J", "L"),
            ("F5", "G5"),
            ("L5", "J5"),
            ("N5", "M5"),
            ("P5", "Q5"),
            ("Y5", "R5"),
            ("Z5", "S5"),
        ] {
            let mut mirrored = Piece::catalogue(left).unwrap().mirrored().rotations;
            let mut other = Piece::catalogue(right).unwrap().rotations;
            mirrored.sort();
            other.sort();
            assert_eq!(mirrored, other, "{left} {right}");
        }
    }

    #[test]
    fn bad_drawings() {
        let check = |rows: &[&str], expected: PieceError| {
            assert_eq!(Piece::drawn("X", rows), Err(expected), "{rows:?}");
        };
        check(&[], PieceError::Empty);
        check(&["..", ".."], PieceError::Empty);
        check(&["###", "###"], PieceError::TooManyCells(6));
        check(&["#x"], PieceError::BadCharacter('x'));
        check(&["#.", ".#"], PieceError::Disconnected);
        check(&["#".repeat(17).as_str()], PieceError::TooLarge(17));
    }
}
