//! Windows: rectangles of cells at every place of a board, and where their tables lie.

use std::fmt;
use std::str::FromStr;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Column, Piece, Placement};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::layer::MAX_UNITS;

/// The size of a window: `3x5` is three columns wide and five rows high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Window {
    /// Columns.
    pub width: u8,
    /// Rows.
    pub height: u8,
}

/// Why windows cannot be laid on a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WindowError {
    /// A text that names none.
    #[error("`{0}` is no window; give columns x rows, such as 3x5, of 1 to {MAX_WINDOW} cells")]
    Text(String),
    /// It is larger than the board.
    #[error("a window of {window} does not fit a board {width} wide and {height} high")]
    TooLarge {
        /// The window.
        window: Window,
        /// Columns of the board.
        width: usize,
        /// Rows of the board.
        height: usize,
    },
    /// The same window twice.
    #[error("the window {0} stands twice")]
    Twice(Window),
    /// Nothing to learn.
    #[error("there is no window; give at least one, such as 3x5")]
    None,
    /// More than memory is wanted for.
    #[error(
        "these windows have {0} numbers on this board; at most {MAX_NUMBERS} are kept, so give smaller ones"
    )]
    TooMany(u64),
    /// No such number of units.
    #[error("{0} units cannot be; give a multiple of 8 up to {MAX_UNITS}")]
    Units(usize),
    /// Both.
    #[error("windows and units do not go together; leave one of them out")]
    Both,
}

/// The most cells of a window.
pub const MAX_WINDOW: usize = 22;

/// The most numbers in all tables.
const MAX_NUMBERS: u64 = 1 << 26;

impl Window {
    fn cells(self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }

    /// The windows a value has on the board of a game, unless asked otherwise: of three by five cells on boards that are
    /// hardly larger, of four by four on others, cut to the board.
    pub fn default_for(game: &PlacementGame) -> Vec<Window> {
        let (width, height) = (game.width() as u8, game.height() as u8);
        let cut = |w: u8, h: u8| Window { width: w.min(width), height: h.min(height) };
        let wanted = if width <= 6 && height <= 6 { vec![cut(3, 5), cut(5, 3)] } else { vec![cut(4, 4)] };
        let mut windows: Vec<Window> = Vec::new();
        wanted.into_iter().for_each(|window| {
            if !windows.contains(&window) {
                windows.push(window);
            }
        });
        windows
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Window {
    type Err = WindowError;

    fn from_str(text: &str) -> Result<Window, WindowError> {
        let refuse = || WindowError::Text(text.to_owned());
        let (width, height) = text.trim().split_once('x').ok_or_else(refuse)?;
        let side = |text: &str| text.parse::<u8>().ok().filter(|side| (1..=MAX_WINDOW as u8).contains(side));
        let window =
            Window { width: side(width).ok_or_else(refuse)?, height: side(height).ok_or_else(refuse)? };
        if window.cells() <= MAX_WINDOW { Ok(window) } else { Err(refuse()) }
    }
}

impl TryFrom<String> for Window {
    type Error = WindowError;

    fn try_from(text: String) -> Result<Window, WindowError> {
        text.parse()
    }
}

impl From<Window> for String {
    fn from(window: Window) -> String {
        window.to_string()
    }
}

/// A window at its place. Its cells, column by column from the bottom, are the bits of a number: which entry of its table
/// it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    column: u8,
    pub(super) row: u8,
    width: u8,
    pub(super) height: u8,
    /// The columns are read from the right: it shares the table of its mirror image.
    reversed: bool,
    /// The first entry of its table.
    first: u32,
}

impl Place {
    /// The entry that the window reads on a board of these columns.
    #[inline]
    pub(super) fn entry<C: Column>(&self, columns: &[C]) -> u32 {
        let mask = (1u64 << self.height) - 1;
        let column = |x: u8| (columns[usize::from(x)].to_bits() >> self.row) & mask;
        let mut bits = 0u64;
        if self.reversed {
            for x in self.column..self.column + self.width {
                bits = bits << self.height | column(x);
            }
        } else {
            for x in (self.column..self.column + self.width).rev() {
                bits = bits << self.height | column(x);
            }
        }
        self.first + bits as u32
    }

    /// The bit of a cell in the entry, if the window sees the cell.
    fn bit(&self, x: usize, y: usize) -> Option<u32> {
        let (x, y) = (x.checked_sub(self.column.into())?, y.checked_sub(self.row.into())?);
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let column = if self.reversed { (width - 1).checked_sub(x)? } else { x };
        (x < width && y < height).then(|| 1 << (column * height + y))
    }
}

/// What a piece that comes to rest adds to the entry of a window that sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    /// The number of the place.
    pub(super) place: u16,
    /// Its cells.
    pub(super) bits: u32,
}

/// Where windows lie on a board. Each place has its own table; mirror images share one where the game looks the same in a
/// mirror, and a window in the middle then reads its table twice, once from either side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// All places, from the lowest up.
    pub(super) places: Vec<Place>,
    /// Entries of all tables.
    pub(super) numbers: usize,
    width: usize,
    height: usize,
    /// The number of the first rotation of each piece.
    shapes: Vec<usize>,
    /// What a piece at rest adds, by rotation, column and row: where its list ends in `touches`; the one before is where it
    /// begins.
    ends: Vec<u32>,
    touches: Vec<Touch>,
}

impl Layout {
    /// No window at all.
    pub(super) fn none(game: &PlacementGame) -> Layout {
        let (width, height) = (game.width(), game.height());
        let (places, shapes, touches) = (Vec::new(), Vec::new(), Vec::new());
        Layout { places, numbers: 0, width, height, shapes, ends: vec![0], touches }
    }

    pub(super) fn new(windows: &[Window], game: &PlacementGame) -> Result<Layout, WindowError> {
        let (width, height, mirrored) = (game.width(), game.height(), game.is_symmetric());
        if windows.is_empty() {
            return Err(WindowError::None);
        }
        let mut places = Vec::new();
        let mut numbers = 0u64;
        for (index, &window) in windows.iter().enumerate() {
            let (w, h) = (usize::from(window.width), usize::from(window.height));
            if w > width || h > height {
                return Err(WindowError::TooLarge { window, width, height });
            }
            if windows[..index].contains(&window) {
                return Err(WindowError::Twice(window));
            }
            for row in 0..=height - h {
                for column in 0..=width - w {
                    let image = width - w - column;
                    if mirrored && image < column {
                        continue;
                    }
                    let first = u32::try_from(numbers).unwrap_or(u32::MAX);
                    numbers += 1 << window.cells();
                    let place = |column: usize, reversed: bool| Place {
                        column: column as u8,
                        row: row as u8,
                        width: window.width,
                        height: window.height,
                        reversed,
                        first,
                    };
                    places.push(place(column, false));
                    if mirrored {
                        places.push(place(image, true));
                    }
                }
            }
        }
        if numbers > MAX_NUMBERS {
            return Err(WindowError::TooMany(numbers));
        }
        places.sort_by_key(|place| (place.row, place.first));
        let mut layout = Layout {
            places,
            numbers: numbers as usize,
            width,
            height,
            shapes: Vec::new(),
            ends: vec![0],
            touches: Vec::new(),
        };
        game.pieces().iter().for_each(|piece| layout.add_piece(piece));
        Ok(layout)
    }

    fn add_piece(&mut self, piece: &Piece) {
        self.shapes.push((self.ends.len() - 1) / (self.width * self.height));
        for shape in piece.rotations() {
            for column in 0..self.width {
                for row in 0..self.height {
                    let touch = |(number, place): (usize, &Place)| {
                        let cells = shape.cells().filter_map(|(x, y)| place.bit(column + x, row + y));
                        let bits = cells.sum();
                        (bits != 0).then_some(Touch { place: number as u16, bits })
                    };
                    self.touches.extend(self.places.iter().enumerate().filter_map(touch));
                    self.ends.push(self.touches.len() as u32);
                }
            }
        }
    }

    /// What a placement that lies inside the board adds to each window that sees it, before rows clear.
    #[inline]
    pub(super) fn touches(&self, placement: Placement) -> &[Touch] {
        let Placement { piece, rotation, column, row } = placement;
        let shape = self.shapes[usize::from(piece)] + usize::from(rotation);
        let list = (shape * self.width + usize::from(column)) * self.height + usize::from(row);
        &self.touches[self.ends[list] as usize..self.ends[list + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::placement::{AnyColumns, Board, Grid};
    use bellmino_engine::{Game, Override};

    fn game(overrides: &[&str]) -> PlacementGame {
        let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
        Game::built_in("classic", &overrides).unwrap().unwrap().placement().unwrap().clone()
    }

    #[test]
    fn windows_as_text() {
        for text in ["3x5", "1x1", "22x1", "4x4"] {
            assert_eq!(text.parse::<Window>().unwrap().to_string(), text);
        }
        for text in ["", "3", "3x", "x3", "0x4", "5x5", "23x1", "3x5x1", "-1x3", "3 x 5"] {
            assert_eq!(text.parse::<Window>(), Err(WindowError::Text(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn layouts_that_cannot_be() {
        let layout = |windows: &[&str], width, height| {
            let windows: Vec<Window> = windows.iter().map(|text| text.parse().unwrap()).collect();
            let game = game(&[&format!("board.width={width}"), &format!("board.height={height}")]);
            Layout::new(&windows, &game).unwrap_err().to_string()
        };
        assert!(layout(&[], 5, 5).contains("no window"));
        assert!(layout(&["3x5"], 5, 4).contains("does not fit a board 5 wide and 4 high"));
        assert!(layout(&["2x2", "3x3", "2x2"], 5, 5).contains("2x2 stands twice"));
        assert!(layout(&["1x22"], 16, 48).contains("smaller ones"));
    }

    /// An entry says what the cells are, and the mirror image reads the same table in the mirror.
    #[test]
    fn entries_are_cells() {
        let board = Board::parse(4, 3, "#... / #.#. / .##.").unwrap();
        let columns = AnyColumns::from_board(&board);
        let game = game(&["board.width=4", "board.height=3"]);
        let layout = Layout::new(&["2x2".parse().unwrap()], &game).unwrap();
        // Six places, one pair of them in the middle of each of two rows: three tables of 16 in each.
        assert_eq!((layout.places.len(), layout.numbers), (8, 4 * 16));
        let read: Vec<(u8, u8, bool, u32)> = layout
            .places
            .iter()
            .map(|place| {
                (place.row, place.column, place.reversed, place.entry(columns.columns()) - place.first)
            })
            .collect();
        assert!(read.contains(&(0, 0, false, 0b0110)), "{read:?}");
        assert!(read.contains(&(0, 2, true, 0b1100)), "{read:?}");
        assert!(read.contains(&(0, 1, false, 0b1101)), "{read:?}");
        assert!(read.contains(&(0, 1, true, 0b0111)), "{read:?}");
        assert!(read.contains(&(1, 0, false, 0b0011)), "{read:?}");
    }

    /// What a placement adds is what the windows read afterwards, where no row clears.
    #[test]
    fn touches_are_what_changes() {
        let windows: Vec<Window> = ["2x3", "3x1", "3x3"].iter().map(|text| text.parse().unwrap()).collect();
        let game = game(&["board.width=5", "board.height=6"]);
        let layout = Layout::new(&windows, &game).unwrap();
        let board = AnyColumns::from_board(&Board::parse(5, 6, "#..#. / ##.#.").unwrap());
        let mut looked = 0;
        for piece in 0..game.pieces().len() {
            board.outcomes(&game, piece, |placement, landed| {
                if landed.cleared != 0 || placement.top(&game) > game.height() {
                    return;
                }
                let mut entries: Vec<u32> =
                    layout.places.iter().map(|place| place.entry(board.columns())).collect();
                for touch in layout.touches(placement) {
                    entries[usize::from(touch.place)] += touch.bits;
                }
                let after = layout.places.iter().map(|place| place.entry(landed.board.columns()));
                assert_eq!(entries, after.collect::<Vec<_>>(), "{placement:?}");
                looked += 1;
            });
        }
        assert!(looked > 50, "{looked}");
    }
}
