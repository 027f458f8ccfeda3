//! The shortest way to a placement in key presses.

use std::collections::HashMap;
use std::fmt;

use super::board::Board;
use super::kicks::Kicks;
use super::piece::{Piece, Turn};
use super::placement::{Placement, Spin};

/// One thing a person does with one key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// One column to the left.
    Left,
    /// One column to the right.
    Right,
    /// Left, held until the piece stops after so many columns.
    FarLeft(u8),
    /// Right, held until the piece stops after so many columns.
    FarRight(u8),
    /// A turn.
    Turn(Turn),
    /// Soft drop, held for so many rows.
    SoftDrop(u8),
    /// Hold.
    Hold,
    /// Hard drop.
    HardDrop,
}

/// All places a piece can get to from its spawn, each with the fewest key presses.
#[derive(Clone, Debug)]
pub struct Keys {
    board: Board,
    spawn: Placement,
    /// The place each place was first reached from, and how; the spin says how the last input
    /// would score.
    from: HashMap<Placement, (Placement, Input)>,
    /// In the order of reaching, so that the first that drops to a placement is the shortest.
    order: Vec<Placement>,
}

impl Keys {
    /// Searches from the spawn; nothing is reached if it is blocked.
    pub fn search(board: &Board, piece: Piece, kicks: Kicks) -> Keys {
        let spawn = Placement::spawn(piece);
        let mut keys = Keys { board: *board, spawn, from: HashMap::new(), order: vec![] };
        if board.fits(&spawn) {
            keys.order.push(spawn);
        }
        let mut next = 0;
        while let Some(&at) = keys.order.get(next) {
            next += 1;
            for (to, input) in steps(board, &at, kicks) {
                if to != spawn && !keys.from.contains_key(&to) {
                    keys.from.insert(to, (at, input));
                    keys.order.push(to);
                }
            }
        }
        keys
    }

    /// The inputs that bring the piece there with that spin, hard drop included; `None` if there
    /// is no way. The name of the cells does not matter.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Board, Input, Keys, Kicks, Orientation, Piece, Placement, Spin};
    /// let keys = Keys::search(&Board::EMPTY, Piece::O, Kicks::Srs);
    /// let corner = Placement { piece: Piece::O, orientation: Orientation::North, x: 8, y: 0, spin: Spin::None };
    /// assert_eq!(keys.to(&corner), Some(vec![Input::FarRight(4), Input::HardDrop]));
    /// ```
    pub fn to(&self, placement: &Placement) -> Option<Vec<Input>> {
        let wanted = placement.canonical();
        let mut at = *self.order.iter().find(|at| dropped(&self.board, at).canonical() == wanted)?;
        let mut inputs = vec![Input::HardDrop];
        while at != self.spawn {
            let (before, input) = self.from[&at];
            inputs.push(input);
            at = before;
        }
        inputs.reverse();
        Some(inputs)
    }
}

/// Where a piece comes to rest if it falls straight down; a fall takes the spin away.
pub fn dropped(board: &Board, at: &Placement) -> Placement {
    let mut at = *at;
    while let Some(below) = shifted(board, &at, 0, -1) {
        at = below;
    }
    at
}

/// The piece moved by this much without its spin, if it fits there.
pub(super) fn shifted(board: &Board, at: &Placement, dx: i8, dy: i8) -> Option<Placement> {
    let to = Placement { x: at.x + dx, y: at.y + dy, spin: Spin::None, ..*at };
    board.fits(&to).then_some(to)
}

/// Everything one input can do.
fn steps(board: &Board, at: &Placement, kicks: Kicks) -> Vec<(Placement, Input)> {
    let mut steps = vec![];
    type Name = fn(u8) -> Input;
    let sides: [(i8, Name, Name); 2] =
        [(-1, |_| Input::Left, Input::FarLeft), (1, |_| Input::Right, Input::FarRight)];
    for (dx, near, far) in sides {
        let mut columns = 0;
        let mut to = *at;
        while let Some(next) = shifted(board, &to, dx, 0) {
            columns += 1;
            to = next;
            if columns == 1 {
                steps.push((to, near(1)));
            }
        }
        if columns > 1 {
            steps.push((to, far(columns)));
        }
    }
    for &turn in kicks.turns() {
        if let Some(to) = kicks.turned(board, at, turn) {
            steps.push((to, Input::Turn(turn)));
        }
    }
    let mut rows = 0;
    let mut to = *at;
    while let Some(below) = shifted(board, &to, 0, -1) {
        rows += 1;
        to = below;
        steps.push((to, Input::SoftDrop(rows)));
    }
    steps
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Left => f.write_str("left"),
            Input::Right => f.write_str("right"),
            Input::FarLeft(_) => f.write_str("far-left"),
            Input::FarRight(_) => f.write_str("far-right"),
            Input::Turn(Turn::Clockwise) => f.write_str("clockwise"),
            Input::Turn(Turn::Counter) => f.write_str("counter"),
            Input::Turn(Turn::Half) => f.write_str("half"),
            Input::SoftDrop(rows) => write!(f, "soft-drop {rows}"),
            Input::Hold => f.write_str("hold"),
            Input::HardDrop => f.write_str("hard-drop"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guideline::{Orientation, moves};

    /// Players call this finesse: four presses and the drop are enough on an open board.
    #[test]
    fn a_t_needs_at_most_four_presses_and_a_drop() {
        let keys = Keys::search(&Board::EMPTY, Piece::T, Kicks::Srs);
        let presses = |orientation, x, y| {
            let at = Placement { piece: Piece::T, orientation, x, y, spin: Spin::None };
            keys.to(&at).map(|inputs| inputs.len())
        };
        assert_eq!(presses(Orientation::North, 4, 0), Some(1));
        assert_eq!(presses(Orientation::North, 1, 0), Some(2));
        assert_eq!(presses(Orientation::North, 2, 0), Some(3));
        assert_eq!(presses(Orientation::East, 4, 1), Some(2));
        assert_eq!(presses(Orientation::South, 7, 1), Some(5));
        assert_eq!(presses(Orientation::South, 7, 0), None);
        let most = moves::placements(&Board::EMPTY, Piece::T, Kicks::Srs)
            .iter()
            .filter_map(|placement| keys.to(placement))
            .map(|inputs| inputs.len())
            .max();
        assert_eq!(most, Some(5));
    }
}
