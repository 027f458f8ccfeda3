//! A board that many pieces are tried on.

use super::board::{Board, Column, WIDTH};
use super::piece::{Orientation, Piece};
use super::placement::Placement;

/// The most columns of a piece.
const WIDEST: usize = 4;

/// A board with all that placements on it have in common: which rows are full in all columns before one, and from one on. So most
/// placements take a look at the columns of the piece, and no others.
///
/// ```
/// use bellmino_engine::guideline::{Board, Ground, Orientation, Piece, Placement, Spin};
/// let ground = Ground::of(&"######....\n#########.".parse::<Board>().unwrap());
/// let upright = Placement { piece: Piece::I, orientation: Orientation::East, x: 8, y: 3, spin: Spin::None };
/// let (first, columns) = ground.filled(&upright).unwrap();
/// assert_eq!((first, columns[0].height(), columns[1].height()), (8, 5, 0));
/// // In the last column it would clear a row.
/// assert!(ground.filled(&Placement { x: 9, y: 2, ..upright }).is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// The columns, and full ones beyond the last.
    columns: [u64; Ground::ROOM],
    /// At `x`: rows full in all columns before `x`, and in `x` and all after it.
    full_before: [u64; Ground::ROOM],
    full_from: [u64; Ground::ROOM],
}

impl Ground {
    /// Columns with room beyond the last, as many as four bits and the widest piece can count, so that no index has to be checked.
    pub const ROOM: usize = 16 + WIDEST;

    /// The ground that a board is.
    #[inline(always)]
    pub fn of(board: &Board) -> Ground {
        let mut ground = Ground {
            columns: [u64::MAX; Ground::ROOM],
            full_before: [u64::MAX; Ground::ROOM],
            full_from: [u64::MAX; Ground::ROOM],
        };
        for (to, column) in ground.columns.iter_mut().zip(board.columns()) {
            *to = column.bits();
        }
        for x in 1..WIDTH {
            ground.full_before[x] = ground.full_before[x - 1] & ground.columns[x - 1];
        }
        for x in (0..WIDTH).rev() {
            ground.full_from[x] = ground.full_from[x + 1] & ground.columns[x];
        }
        ground
    }

    /// The first column of a placement, and four columns from there on with the piece in them; `None` if it clears a row. What lies beyond
    /// the board means nothing. The placement must be one of the generator for this board.
    #[inline(always)]
    pub fn filled(&self, placement: &Placement) -> Option<(usize, [Column; WIDEST])> {
        let PieceColumns { left, columns } =
            &SHAPES[placement.piece as usize][placement.orientation as usize];
        let first = (placement.x + left) as usize % 16;
        let mut filled: [u64; WIDEST] = [0; WIDEST];
        let mut full = self.full_before[first] & self.full_from[first + WIDEST];
        for x in 0..WIDEST {
            filled[x] = self.columns[first + x] | columns[x] >> placement.y << LOWEST;
            full &= filled[x];
        }
        (full == 0).then(|| (first, filled.map(Column::from_bits)))
    }
}

/// How far below its centre a piece may reach.
const LOWEST: u32 = 2;

/// A piece as columns.
#[derive(Clone, Copy)]
struct PieceColumns {
    /// The first column, from the centre.
    left: i8,
    /// With the centre in row [`LOWEST`], a column of a board each.
    columns: [u64; WIDEST],
}

/// All pieces in all orientations.
static SHAPES: [[PieceColumns; 4]; Piece::ALL.len()] = {
    let mut shapes = [[PieceColumns { left: 0, columns: [0; WIDEST] }; 4]; Piece::ALL.len()];
    let mut piece = 0;
    while piece < shapes.len() {
        let mut orientation = 0;
        while orientation < 4 {
            let cells = Piece::ALL[piece].cells(Orientation::ALL[orientation]);
            let shape = &mut shapes[piece][orientation];
            shape.left = cells[0].0;
            let mut cell = 1;
            while cell < 4 {
                if cells[cell].0 < shape.left {
                    shape.left = cells[cell].0;
                }
                cell += 1;
            }
            cell = 0;
            while cell < 4 {
                let (x, y) = cells[cell];
                shape.columns[(x - shape.left) as usize] |= Column::bit((y + LOWEST as i8) as usize);
                cell += 1;
            }
            orientation += 1;
        }
        piece += 1;
    }
    shapes
};

#[cfg(test)]
mod tests {
    use super::super::{Kicks, moves};
    use super::*;

    /// Every placement on the boards of a long line of play is what the board itself makes of it.
    #[test]
    fn placements_are_what_the_board_makes_of_them() {
        let (mut filled, mut cleared) = (0, 0);
        let mut board = Board::EMPTY;
        for step in 0..600 {
            let ground = Ground::of(&board);
            for piece in Piece::ALL {
                for placement in moves::placements(&board, piece, Kicks::Srs) {
                    let mut after = board;
                    let lines = after.place_unchecked(&placement).lines;
                    match ground.filled(&placement) {
                        None => {
                            assert!(lines > 0, "{placement:?} on {board:?}");
                            cleared += 1;
                        }
                        Some((first, columns)) => {
                            assert_eq!(lines, 0, "{placement:?} on {board:?}");
                            let mut found = *board.columns();
                            for (to, column) in found[first..].iter_mut().zip(columns) {
                                *to = column;
                            }
                            assert_eq!(&found, after.columns(), "{placement:?} on {board:?}");
                            filled += 1;
                        }
                    }
                }
            }
            // Where it lies low, so that rows become full.
            let mut list = moves::placements(&board, Piece::ALL[step * 5 % 7], Kicks::Srs);
            list.sort_by_key(|placement| placement.cells().map(|(_, y)| i32::from(y)).iter().sum::<i32>());
            match list.get(step * 31 % 3).filter(|placement| placement.y < 30) {
                Some(placement) => drop(board.place_unchecked(placement)),
                None => board = Board::EMPTY,
            }
        }
        assert!(filled > 50_000 && cleared > 500, "{filled} and {cleared}");
    }
}
