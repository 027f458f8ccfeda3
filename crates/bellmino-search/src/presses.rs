//! Key presses as the search counts them: quickly, and right for straight drops on a low board.

use std::sync::OnceLock;

use bellmino_engine::guideline::{Board, Kicks, Piece, Placement, WIDTH, fewest_keys, moves};

/// Key presses by piece, orientation and column of the centre.
#[derive(Debug)]
pub(crate) struct Presses([[[u8; WIDTH]; 4]; 7]);

/// What a placement under something else takes besides: soft drop, and a shift or a turn below.
const BELOW: u8 = 2;

impl Presses {
    /// The presses on an open board.
    pub fn on_open_board() -> &'static Presses {
        static TABLE: OnceLock<Presses> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut table = [[[0; WIDTH]; 4]; 7];
            for piece in Piece::ALL {
                for at in moves::placements(&Board::EMPTY, piece, Kicks::Srs) {
                    let presses = fewest_keys(&Board::EMPTY, &at, Kicks::Srs).unwrap_or(0);
                    table[piece as usize][at.orientation as usize][at.x as usize] = presses as u8;
                }
            }
            Presses(table)
        })
    }

    /// The presses for a placement of the move generator, hard drop included.
    pub fn of(&self, board: &Board, at: &Placement) -> u8 {
        let open = self.0[at.piece as usize][at.orientation as usize][at.x as usize];
        let is_below = at.cells().iter().any(|&(x, y)| board.column(x as usize).height() > y as usize);
        open + if is_below { BELOW } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_drops_are_counted_right() {
        let board: Board = "#.........\n##......##\n###....###".parse().unwrap();
        let presses = Presses::on_open_board();
        let (mut drops, mut others) = (0, 0);
        for piece in Piece::ALL {
            for at in moves::placements(&board, piece, Kicks::Srs) {
                let exact = fewest_keys(&board, &at, Kicks::Srs).unwrap();
                let is_drop =
                    at.cells().iter().all(|&(x, y)| board.column(x as usize).height() <= y as usize);
                let is_spin = at.spin != bellmino_engine::guideline::Spin::None;
                if is_drop && !is_spin {
                    drops += 1;
                    assert_eq!(u32::from(presses.of(&board, &at)), exact, "{at}");
                } else {
                    others += 1;
                }
            }
        }
        assert!(drops > 150 && others < 10, "{drops} drops, {others} others");
    }
}
