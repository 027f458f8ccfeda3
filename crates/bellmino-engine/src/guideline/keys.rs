//! The shortest way to a placement in key presses.

use std::collections::HashMap;
use std::fmt;

use super::board::{Board, HEIGHT, WIDTH};
use super::kicks::Kicks;
use super::piece::{Orientation, Piece, Turn};
use super::placement::{Placement, Spin};
use super::plane::Plane;

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
        Keys::search_by(board, piece, |at| steps(board, at, kicks))
    }

    /// As [`Keys::search`], without soft drop: what is reached high above the stack and then dropped.
    pub fn search_above(board: &Board, piece: Piece, kicks: Kicks) -> Keys {
        Keys::search_by(board, piece, |at| {
            let mut steps = steps(board, at, kicks);
            steps.retain(|(_, input)| !matches!(input, Input::SoftDrop(_)));
            steps
        })
    }

    fn search_by(board: &Board, piece: Piece, steps: impl Fn(&Placement) -> Vec<(Placement, Input)>) -> Keys {
        let spawn = Placement::spawn(piece);
        let mut keys = Keys { board: *board, spawn, from: HashMap::new(), order: vec![] };
        if board.fits(&spawn) {
            keys.order.push(spawn);
        }
        let mut next = 0;
        while let Some(&at) = keys.order.get(next) {
            next += 1;
            for (to, input) in steps(&at) {
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

/// The fewest key presses that bring a piece there with that spin, hard drop included; `None` if there is no way. What
/// [`Keys`] finds place by place, for all places of a count of presses at once.
///
/// ```
/// use bellmino_engine::guideline::{Board, Kicks, fewest_keys};
/// assert_eq!(fewest_keys(&Board::EMPTY, &"O north 8,0".parse()?, Kicks::Srs), Some(2));
/// # Ok::<(), String>(())
/// ```
pub fn fewest_keys(board: &Board, placement: &Placement, kicks: Kicks) -> Option<u32> {
    let spawn = Placement::spawn(placement.piece);
    if !board.fits(&spawn) || !board.rests(placement) {
        return None;
    }
    let piece = placement.piece;
    let filled = Places::of(board);
    let free = Orientation::ALL.map(|orientation| Places::free(filled, piece, orientation));
    let wanted = wanted(placement, &free);
    // By orientation and spin: the places of the last count, and all that are known.
    let mut last = [[Places::EMPTY; 3]; 4];
    last[Orientation::North as usize][Spin::None as usize] = Places::single(4, 19);
    let mut known = last;
    for presses in 0.. {
        let is_there = (0..4).any(|o| (0..3).any(|s| !(last[o][s] & wanted[o][s]).is_empty()));
        if is_there {
            return Some(presses + 1);
        }
        let mut next = [[Places::EMPTY; 3]; 4];
        for o in 0..4 {
            let from = last[o].into_iter().fold(Places::EMPTY, |all, places| all | places);
            if from.is_empty() {
                continue;
            }
            next[o][Spin::None as usize] |= shifts(from, free[o]) | from.fallen(free[o]);
            for &turn in kicks.turns() {
                turn_all(board, (piece, Orientation::ALL[o]), turn, kicks, from, &free, &mut next);
            }
        }
        let mut is_over = true;
        for o in 0..4 {
            for s in 0..3 {
                next[o][s] &= !known[o][s];
                known[o][s] |= next[o][s];
                is_over &= next[o][s].is_empty();
            }
        }
        if is_over {
            return None;
        }
        last = next;
    }
    None
}

/// Places of any board.
type Places = Plane<4, 42>;

/// By orientation and spin, the places from which a hard drop makes the placement.
fn wanted(placement: &Placement, free: &[Places; 4]) -> [[Places; 3]; 4] {
    let mut wanted = [[Places::EMPTY; 3]; 4];
    for orientation in Orientation::ALL {
        // The same cells under another name.
        let (shape, (dx, dy)) = placement.piece.canonical(orientation);
        let at = placement.canonical();
        let (x, y) = (at.x - dx, at.y - dy);
        let inside = (0..WIDTH as i8).contains(&x) && (0..HEIGHT as i8).contains(&y);
        if shape != at.orientation || !inside {
            continue;
        }
        let o = orientation as usize;
        let mut place = Places::single(x as usize, y as usize);
        wanted[o][placement.spin as usize] |= place;
        if placement.spin == Spin::None {
            // A fall from further up takes any spin away.
            loop {
                place = place.moved(0, 1) & free[o];
                if place.is_empty() {
                    break;
                }
                wanted[o].iter_mut().for_each(|wanted| *wanted |= place);
            }
        }
    }
    wanted
}

/// One column to either side, and as far as it goes.
fn shifts(from: Places, free: Places) -> Places {
    let mut reached = Places::EMPTY;
    for dx in [-1, 1] {
        let mut at = from.moved(dx, 0) & free;
        reached |= at;
        let stops = free & !free.moved(-dx, 0);
        while !at.is_empty() {
            reached |= at & stops;
            at = at.moved(dx, 0) & free;
        }
    }
    reached
}

/// Turns the piece at all these places: each goes to the first place of its kicks that is free.
fn turn_all(
    board: &Board,
    (piece, orientation): (Piece, Orientation),
    turn: Turn,
    kicks: Kicks,
    from: Places,
    free: &[Places; 4],
    next: &mut [[Places; 3]; 4],
) {
    let to = orientation.turned(turn);
    let mut left = from;
    for (index, &(dx, dy)) in kicks.offsets(piece, orientation, turn).iter().enumerate() {
        let turned = left.moved(dx, dy) & free[to as usize];
        // Back down at most two rows at a time.
        left &= !if dy > 2 { turned.moved(0, -1).moved(-dx, 1 - dy) } else { turned.moved(-dx, -dy) };
        if piece != Piece::T {
            next[to as usize][Spin::None as usize] |= turned;
            continue;
        }
        turned.for_each(|x, y| {
            let at = Placement { piece, orientation: to, x, y, spin: Spin::None };
            let spin = Spin::after_turn(board, &at, kicks.makes_full(turn, index));
            next[to as usize][spin as usize] |= Places::single(x as usize, y as usize);
        });
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
    use crate::guideline::{Bag, Match, Position, Rules, moves};
    use crate::{Purpose, below, stream};

    /// The count for all places at once is the length of the way that is searched place by place.
    #[test]
    fn fewest_keys_is_the_length_of_the_shortest_way() {
        let mut generator = stream(3, Purpose::Player, 0);
        for (index, kicks) in Kicks::ALL.into_iter().cycle().take(24).enumerate() {
            let rules = Rules { kicks, ..Rules::BLITZ };
            let mut game = Match::from_position(rules, Position::default(), Bag::numbered(3, index as u64));
            while let Some(at) = {
                let list = game.placements();
                (!list.is_empty()).then(|| list[below(&mut generator, list.len())])
            } {
                game.play(&at).unwrap();
                // All places of one piece on every fourth board or so: low, high, with and without holes.
                if below(&mut generator, 4) > 0 || game.outcome().is_some() {
                    continue;
                }
                let board = game.position().board;
                let piece = Piece::ALL[below(&mut generator, 7)];
                let keys = Keys::search(&board, piece, kicks);
                for at in moves::placements(&board, piece, kicks) {
                    let expected = keys.to(&at).map(|inputs| inputs.len() as u32);
                    assert_eq!(fewest_keys(&board, &at, kicks), expected, "{at} on {board:?}");
                }
            }
        }
    }

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
