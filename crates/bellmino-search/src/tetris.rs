//! Tetrises that empty the board: the best clear there is.
//!
//! Nothing is cleared before the last piece, so the question is a plain one: fill nine columns of four rows, leave
//! the tenth to the I. First the nine columns are tiled with the pieces at hand in any order, then an order is looked for in
//! which they come, with hold, and in which every piece can be brought to its place. The field is four bits a column.

use std::sync::LazyLock;

use bellmino_engine::guideline::{Board, Kicks, Piece, Placement, Spin, WIDTH, moves};

/// The rows that a tetris clears.
pub(crate) const ROWS: usize = 4;
/// The four rows of a column.
const COLUMN: u64 = 0b1111;
/// All four rows.
const FIELD: u64 = (1 << (4 * WIDTH)) - 1;
/// Every other cell, as on a chequerboard.
const CHEQUERED: u64 = 0xa5_a5a5_a5a5;

/// About as many steps of a search take as long as a node.
pub(crate) const STEPS: u64 = 2;

/// A board to be emptied by a tetris, and the pieces for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TetrisTask<'a> {
    pub board: &'a Board,
    /// The piece set aside.
    pub reserve: Option<Piece>,
    /// The pieces to come.
    pub pieces: &'a [Piece],
    pub kicks: Kicks,
}

/// Whether a board could be emptied by a tetris, whatever the pieces: nothing above four rows, a column for the I, and a number
/// of cells that pieces can complete.
#[inline(always)]
pub(crate) fn is_low(board: &Board) -> bool {
    let columns = board.columns();
    let any = columns.iter().fold(0, |any, column| any | column.bits());
    // The lowest row is the highest bit.
    any << ROWS == 0
        && columns.iter().any(|column| column.is_empty())
        && columns.iter().map(|column| column.len()).sum::<usize>().is_multiple_of(4)
}

/// Pieces to the tetris on such a board, the last one included.
pub(crate) fn needed(board: &Board) -> usize {
    WIDTH - board.len() / 4
}

impl TetrisTask<'_> {
    /// Looks for placements that fill four rows but for one column, and then the tetris. If a piece is to be `spared`, it is the one
    /// that is set aside in the end. Adds its steps to `steps`, and gives up when they reach `limit`.
    pub fn solve(&self, spared: Option<Piece>, steps: &mut u64, limit: u64) -> Option<Vec<Placement>> {
        let TetrisTask { board, reserve, pieces, .. } = *self;
        let needed = needed(board);
        if !is_low(board) || needed > pieces.len() + usize::from(reserve.is_some()) {
            return None;
        }
        let pieces = &pieces[..pieces.len().min(needed)];
        let mut counts = [0; Piece::ALL.len()];
        reserve.iter().chain(pieces).for_each(|&piece| counts[piece as usize] += 1);
        for taken in [Some(Piece::I), spared].into_iter().flatten() {
            counts[taken as usize] = u8::checked_sub(counts[taken as usize], 1)?;
        }
        if spared.is_some() && (reserve.is_none() || pieces.len() < needed) {
            return None;
        }
        let field = (0..WIDTH).fold(0, |field, x| {
            field | (0..4).fold(0, |bits, y| bits | u64::from(board.contains(x, y)) << (4 * x + y))
        });
        let task = TetrisTask { pieces, ..*self };
        let mut search = TetrisSearch { task, field, well: 0, counts, tiles: vec![], steps, limit };
        for well in 0..WIDTH {
            let beside = (1 << (4 * well)) - 1;
            search.well = COLUMN << (4 * well);
            let empty = FIELD & !field & !search.well;
            if field & search.well != 0 || !(empty & beside).count_ones().is_multiple_of(4) {
                continue;
            }
            // Every piece but the T covers as many cells of one colour as of the other.
            let spare =
                counts[Piece::T as usize].checked_sub(unbalance(empty & beside) + unbalance(empty & !beside));
            let Some(spare) = spare else { continue };
            search.counts[Piece::T as usize] = counts[Piece::T as usize] - spare % 2;
            if let Some(line) = search.cover(field | search.well | !FIELD) {
                return Some(line);
            }
        }
        None
    }
}

/// The fewest Ts that a region takes.
fn unbalance(region: u64) -> u8 {
    let [one, other] = [region & CHEQUERED, region & !CHEQUERED].map(u64::count_ones);
    (one.abs_diff(other) / 2) as u8
}

/// A piece in its place.
#[derive(Clone, Copy, Debug)]
struct Tile {
    piece: Piece,
    cells: u64,
    /// What lies above them.
    above: u64,
    /// What lies right below them.
    under: u64,
    /// Whether it lies on the floor.
    on_floor: bool,
}

/// The tiles whose first cell, column by column and from below, lies in the first column, by the row of that cell.
static TILES: LazyLock<[Vec<Tile>; 4]> = LazyLock::new(|| [0, 1, 2, 3].map(tiles));

fn tiles(row: i8) -> Vec<Tile> {
    let bit = |(x, y): (i8, i8)| 1u64 << (4 * x + y);
    let union = |cells: &mut dyn Iterator<Item = (i8, i8)>| cells.fold(0, |bits, cell| bits | bit(cell));
    let mut tiles = vec![];
    for piece in Piece::ALL {
        for &orientation in piece.shapes() {
            let shape = piece.cells(orientation);
            let Some(first) = shape.into_iter().min() else { continue };
            let shape = shape.map(|(x, y)| (x - first.0, y - first.1 + row));
            if shape.iter().any(|(_, y)| !(0..4).contains(y)) {
                continue;
            }
            let cells = union(&mut shape.into_iter());
            let above = union(&mut shape.iter().flat_map(|&(x, y)| (y + 1..4).map(move |y| (x, y))));
            let under = union(&mut shape.iter().filter(|cell| cell.1 > 0).map(|&(x, y)| (x, y - 1)));
            let on_floor = shape.iter().any(|cell| cell.1 == 0);
            tiles.push(Tile { piece, cells, above: above & !cells, under: under & !cells, on_floor });
        }
    }
    tiles
}

struct TetrisSearch<'a> {
    task: TetrisTask<'a>,
    field: u64,
    well: u64,
    /// Pieces that may still be used.
    counts: [u8; Piece::ALL.len()],
    tiles: Vec<Tile>,
    steps: &'a mut u64,
    limit: u64,
}

impl TetrisSearch<'_> {
    /// Tiles what is not filled, one empty cell after the other.
    fn cover(&mut self, filled: u64) -> Option<Vec<Placement>> {
        *self.steps += 1;
        if filled == u64::MAX {
            return self.line();
        }
        if *self.steps >= self.limit {
            return None;
        }
        let first = filled.trailing_ones();
        let column = first & !3;
        for tile in &TILES[(first & 3) as usize] {
            let cells = tile.cells << column;
            if self.counts[tile.piece as usize] == 0 || cells & filled != 0 {
                continue;
            }
            self.counts[tile.piece as usize] -= 1;
            self.tiles.push(Tile {
                cells,
                above: tile.above << column,
                under: tile.under << column,
                ..*tile
            });
            let line = self.cover(filled | cells);
            self.tiles.pop();
            self.counts[tile.piece as usize] += 1;
            if line.is_some() {
                return line;
            }
        }
        None
    }

    /// The tiles as placements in an order that can be played, and the tetris.
    fn line(&mut self) -> Option<Vec<Placement>> {
        *self.steps += 10;
        let mut order = vec![];
        let mut seen = [0; 16];
        if !self.put_in_order(0, self.field, self.task.reserve, &mut seen, &mut order) {
            return None;
        }
        let mut board = *self.task.board;
        let tiles = order.iter().map(|&index| (self.tiles[index].piece, self.tiles[index].cells));
        tiles
            .chain([(Piece::I, self.well)])
            .map(|(piece, cells)| {
                // The same cells may be reached with a spin, which is worth points.
                let ways = moves::placements(&board, piece, self.task.kicks);
                let ways = ways.into_iter().filter(|placement| field_of(placement) == Some(cells));
                let way = ways.max_by_key(|placement| placement.spin == Spin::Full)?;
                board.place_unchecked(&way);
                Some(way)
            })
            .collect()
    }

    /// Looks for an order in which the tiles can be placed, after those of the set `placed`. What is set aside follows from that set,
    /// so that no set has to be `seen` twice.
    fn put_in_order(
        &mut self,
        placed: u32,
        field: u64,
        reserve: Option<Piece>,
        seen: &mut [u64; 16],
        order: &mut Vec<usize>,
    ) -> bool {
        let next = self.task.pieces.get(order.len()).copied();
        if order.len() == self.tiles.len() {
            return [next, reserve].contains(&Some(Piece::I));
        }
        let (word, bit) = (placed as usize / 64, 1 << (placed % 64));
        if seen[word] & bit != 0 {
            return false;
        }
        seen[word] |= bit;
        let other = reserve.filter(|&piece| Some(piece) != next);
        for (piece, left) in [(next, reserve), (other, next)] {
            for index in 0..self.tiles.len() {
                let tile = self.tiles[index];
                let rests = tile.on_floor || tile.under & field != 0;
                if placed >> index & 1 != 0 || Some(tile.piece) != piece || !rests {
                    continue;
                }
                if tile.above & field != 0 && !self.is_reachable(field, &tile) {
                    continue;
                }
                order.push(index);
                if self.put_in_order(placed | 1 << index, field | tile.cells, left, seen, order) {
                    return true;
                }
                order.pop();
            }
        }
        false
    }

    /// Whether a piece can be moved or turned to a place that something lies above.
    fn is_reachable(&mut self, field: u64, tile: &Tile) -> bool {
        *self.steps += 10;
        let mut board = Board::EMPTY;
        for bit in (0..4 * WIDTH).filter(|bit| field >> bit & 1 != 0) {
            board.insert(bit / 4, bit % 4);
        }
        let ways = moves::placements(&board, tile.piece, self.task.kicks);
        ways.iter().any(|placement| field_of(placement) == Some(tile.cells))
    }
}

/// The cells of a placement; `None` if some lie above the four rows.
fn field_of(placement: &Placement) -> Option<u64> {
    placement.cells().iter().try_fold(0, |bits, &(x, y)| (y < 4).then_some(bits | 1 << (4 * x + y)))
}

#[cfg(test)]
mod tests {
    use bellmino_engine::guideline::Bag;

    use super::*;
    use crate::perfect::{Puzzle, SearchAnswer, Solver};

    /// A board of so many pieces of the bag, placed here and there within four rows, with few holes.
    fn board(pieces: usize, bag: &mut Bag, mut choice: u64) -> Board {
        let mut board = Board::EMPTY;
        for piece in bag.by_ref().take(pieces) {
            let mut ways = moves::placements(&board, piece, Kicks::Srs);
            ways.retain(|way| {
                let mut after = board;
                after.place_unchecked(way);
                let holes: usize = (0..WIDTH).map(|x| after.column(x).holes()).sum();
                after.height() <= 4
                    && after.len() == board.len() + 4
                    && holes <= usize::from(choice.is_multiple_of(3))
            });
            if ways.is_empty() {
                break;
            }
            board.place_unchecked(&ways[choice as usize % ways.len()]);
            choice = choice.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
        }
        board
    }

    /// The solver of real placements finds a tetris where, and only where, the tilings have one.
    #[test]
    fn tilings_find_what_placements_find() {
        let (mut found, mut below) = (0, 0);
        for seed in 0..400 {
            let mut bag = Bag::new(seed);
            let board = board(3 + seed as usize % 4, &mut bag, seed * seed + 1);
            let reserve = bag.next();
            let pieces: Vec<Piece> = bag.take(9).collect();
            let task = TetrisTask { board: &board, reserve, pieces: &pieces, kicks: Kicks::Srs };
            let line = task.solve(None, &mut 0, u64::MAX);
            let puzzle = Puzzle {
                board,
                pieces: pieces[..needed(&board).min(pieces.len())].to_vec(),
                reserve,
                rows: 4,
                kicks: Kicks::Srs,
                tetris: true,
            };
            match Solver::new().solve(&puzzle, 300_000) {
                SearchAnswer::Solved(_) => {
                    assert!(line.is_some(), "{}{reserve:?} {pieces:?}", board.to_text());
                }
                SearchAnswer::Impossible => {
                    assert_eq!(line, None, "{}{reserve:?} {pieces:?}", board.to_text());
                }
                SearchAnswer::Unknown => {}
            }
            if let Some(line) = line {
                found += 1;
                below += play(&task, &line, None);
            }
        }
        assert!(found > 50 && below > 0, "{found} found, {below} with a piece brought below another");
    }

    /// Plays a line with hold, as it must be possible, to the tetris that empties the board. Returns how many pieces had to be
    /// brought below something.
    fn play(task: &TetrisTask<'_>, line: &[Placement], spared: Option<Piece>) -> usize {
        let mut below = 0;
        let mut board = *task.board;
        let mut reserve = task.reserve;
        for (depth, placement) in line.iter().enumerate() {
            let next = task.pieces.get(depth).copied();
            if Some(placement.piece) != next {
                assert_eq!(reserve, Some(placement.piece));
                reserve = next;
            }
            assert!(moves::placements(&board, placement.piece, task.kicks).contains(placement));
            let is_covered = |&(x, y): &(i8, i8)| (y + 1..4).any(|y| board.contains(x as usize, y as usize));
            below += usize::from(placement.cells().iter().any(is_covered));
            let cleared = board.place(placement).unwrap();
            let last = depth + 1 == line.len();
            assert_eq!((cleared.lines, cleared.perfect), if last { (4, true) } else { (0, false) });
        }
        assert!(spared.is_none() || reserve == spared);
        below
    }

    #[test]
    fn a_piece_that_is_spared_is_set_aside_in_the_end() {
        let mut spared = 0;
        for seed in 0..60 {
            let mut bag = Bag::new(seed);
            let board = board(3, &mut bag, seed + 5);
            let reserve = bag.next();
            let pieces: Vec<Piece> = bag.take(9).collect();
            let task = TetrisTask { board: &board, reserve, pieces: &pieces, kicks: Kicks::Srs };
            for piece in Piece::ALL {
                if let Some(line) = task.solve(Some(piece), &mut 0, u64::MAX) {
                    play(&task, &line, Some(piece));
                    spared += 1;
                }
            }
        }
        assert!(spared > 0);
    }

    #[test]
    fn steps_have_a_bound() {
        let pieces: Vec<Piece> = Bag::new(3).take(11).collect();
        let task = TetrisTask { board: &Board::EMPTY, reserve: None, pieces: &pieces, kicks: Kicks::Srs };
        let mut steps = 0;
        task.solve(None, &mut steps, 50);
        assert!((50..100).contains(&steps), "{steps}");
    }
}
