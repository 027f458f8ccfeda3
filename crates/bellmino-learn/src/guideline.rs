//! Linear controllers in guideline games: what there is to choose from, and who chooses.
//!
//! ```
//! use bellmino_engine::Outcome;
//! use bellmino_engine::guideline::{Bag, Rules};
//! use bellmino_learn::{Controller, guideline};
//!
//! let pilot = guideline::Pilot::new(Controller::built_in("sprint4").unwrap())?;
//! let played = guideline::play(&Rules::SPRINT, &pilot, Bag::new(1), None);
//! assert_eq!((played.outcome, played.lines), (Some(Outcome::Goal), 40));
//! # Ok::<(), bellmino_learn::FeatureError>(())
//! ```

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{
    Bag, Board, Clear, HEIGHT, Keys, Kicks, Match, Orientation, Piece, Placement, Position, Rules, Spin,
    View, WIDTH, moves,
};
use bellmino_engine::{self as engine, PlacementGame};

use crate::controller::Controller;
use crate::feature::{Afterstate, Feature, FeatureError};
use crate::result::GameResult;

/// A controller in guideline games: looks one piece ahead at all pieces at hand.
#[derive(Clone, Debug)]
pub struct Pilot {
    controller: Controller,
    game: PlacementGame,
    weights: Vec<i64>,
    drops: bool,
    /// The rotation of each piece and orientation in `game`, and its lower left corner seen from our centre.
    names: BTreeMap<(Piece, Orientation), (u8, u8, i8, i8)>,
}

/// A placement to choose or not, and what it leads to.
#[derive(Clone, Debug)]
pub struct Prospect<'a> {
    /// The position before.
    pub before: &'a Position,
    /// The placement.
    pub placement: Placement,
    /// Whether another piece goes into hold for it.
    pub held: bool,
    /// The board after the clear.
    pub after: Board,
    /// What is cleared and scored.
    pub clear: Clear,
    /// The next piece cannot enter.
    pub fatal: bool,
}

impl Pilot {
    /// A controller whose features fit guideline games.
    pub fn new(controller: Controller) -> Result<Pilot, FeatureError> {
        controller.features().iter().try_for_each(|feature| feature.check_columns(WIDTH))?;
        let game = equivalent();
        let weights = controller.scaled_weights(&game);
        let drops = controller.note("path").is_some_and(|path| path == "drop");
        let mut names = BTreeMap::new();
        for piece in Piece::ALL {
            let index = game.piece_index(&piece.to_string()).unwrap_or(0);
            for orientation in Orientation::ALL {
                let cells = piece.cells(orientation);
                let (left, low) = cells.iter().fold((0, 0), |(x, y), cell| (cell.0.min(x), cell.1.min(y)));
                let mut shape = cells.map(|(x, y)| ((x - left) as usize, (y - low) as usize));
                shape.sort_unstable();
                let same = |rotation: &engine::placement::Shape| {
                    let mut cells: Vec<_> = rotation.cells().collect();
                    cells.sort_unstable();
                    cells == shape
                };
                let rotation = game.pieces()[index].rotations().iter().position(same).unwrap_or(0);
                names.insert((piece, orientation), (index as u8, rotation as u8, left, low));
            }
        }
        Ok(Pilot { controller, game, weights, drops, names })
    }

    /// The controller.
    pub fn controller(&self) -> &Controller {
        &self.controller
    }

    /// The prospects the pilot looks at, each with its worth: a fatal one less than any other.
    pub fn values<'a>(&self, view: &'a View) -> Vec<((bool, i64), Prospect<'a>)> {
        let prospects = if self.drops { drops(view) } else { prospects(view) };
        let values =
            prospects.into_iter().map(|prospect| ((!prospect.fatal, self.value(&prospect, view)), prospect));
        values.collect()
    }

    /// The prospect of the greatest worth, the first of equals; `None` if there is none.
    pub fn choose<'a>(&self, view: &'a View) -> Option<Prospect<'a>> {
        let values = self.values(view).into_iter();
        let best = values.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.map(|(_, prospect)| prospect)
    }

    /// The weighted sum of the features.
    pub fn value(&self, prospect: &Prospect<'_>, view: &View) -> i64 {
        let seen = Glance::new(prospect, view.rules.kicks);
        let count = |feature: &Feature| seen.count(*feature, self);
        self.controller.features().iter().map(count).zip(&self.weights).map(|(n, weight)| n * weight).sum()
    }

    /// How many units a feature is worth for a prospect.
    pub fn count(&self, feature: Feature, prospect: &Prospect<'_>, kicks: Kicks) -> i64 {
        Glance::new(prospect, kicks).count(feature, self)
    }

    /// What a feature of placement games counts, on the equivalent boards.
    fn plain_count(&self, feature: Feature, prospect: &Prospect<'_>) -> i64 {
        let at = &prospect.placement;
        let Some(&(piece, rotation, left, low)) = self.names.get(&(at.piece, at.orientation)) else {
            return 0;
        };
        let placement = engine::placement::Placement {
            piece,
            rotation,
            column: (at.x + left) as u8,
            row: (at.y + low) as u8,
        };
        let (before, after) = (plain(&prospect.before.board), plain(&prospect.after));
        let mut filled = prospect.before.board;
        at.cells().iter().for_each(|&(x, y)| filled.insert(x as usize, y as usize));
        let low = placement.row as usize;
        let cleared = (0..4).filter(|i| filled.row(low + i) == 0x3ff).fold(0, |bits, i| bits | 1 << i);
        feature.count(&Afterstate { game: &self.game, before: &before, after: &after, placement, cleared })
    }
}

/// Every placement of the pieces at hand, the same cells only once with their best spin, in the order of piece,
/// rotation, column and row.
pub fn prospects<'a>(view: &'a View) -> Vec<Prospect<'a>> {
    list(view, |_| true)
}

/// The placements that are straight drops.
pub fn drops<'a>(view: &'a View) -> Vec<Prospect<'a>> {
    list(view, |at| at.spin == Spin::None && is_drop(&view.position.board, at))
}

/// Whether nothing lies above the cells.
pub fn is_drop(board: &Board, at: &Placement) -> bool {
    at.cells().iter().all(|&(x, y)| board.column(x as usize).height() <= y as usize)
}

fn list<'a>(view: &'a View, wanted: impl Fn(&Placement) -> bool) -> Vec<Prospect<'a>> {
    let View { rules, position, queue, .. } = view;
    let mut list = vec![];
    for piece in position.at_hand(queue, rules.hold) {
        let mut placements = moves::placements(&position.board, piece, rules.kicks);
        placements.retain(&wanted);
        placements.sort_unstable_by_key(|at| (at.orientation, at.x, at.y, std::cmp::Reverse(at.spin)));
        placements.dedup_by_key(|at| Placement { spin: Spin::None, ..*at });
        let used = position.hold_after(piece, queue).map_or(1, |(_, used)| used);
        let next = queue.get(used);
        list.extend(placements.into_iter().map(|placement| {
            let mut after = *position;
            let clear = after.place_unchecked(&placement, &rules.score);
            let done = rules.goal.is_reached(view.pieces + 1, view.lines + u32::from(clear.lines));
            let fatal = !done && next.is_some_and(|&next| !after.board.fits(&Placement::spawn(next)));
            let held = Some(&piece) != queue.first();
            Prospect { before: position, placement, held, after: after.board, clear, fatal }
        }));
    }
    list
}

/// Plays a game to its end, or until so many pieces are placed.
pub fn play(rules: &Rules, pilot: &Pilot, bag: Bag, pieces: Option<u32>) -> GameResult {
    play_counting(rules, pilot, bag, pieces, false)
}

/// The same, with key presses if asked for.
pub fn play_counting(rules: &Rules, pilot: &Pilot, bag: Bag, pieces: Option<u32>, keys: bool) -> GameResult {
    let mut game = Match::from_position(*rules, Position::default(), bag);
    let mut pressed = 0;
    let mut outcome = game.outcome();
    while outcome.is_none() && pieces.is_none_or(|cap| game.stats().pieces < cap) {
        let view = game.view();
        let chosen = pilot.choose(&view);
        let press = |prospect: &Prospect<'_>| Glance::new(prospect, rules.kicks).keys() as u64;
        pressed += if keys { chosen.as_ref().map_or(0, press) } else { 0 };
        outcome = match chosen.map(|prospect| game.play_unchecked(&prospect.placement)) {
            Some(Ok(_)) => game.outcome(),
            // No placement, or the piece out of hold cannot enter.
            _ => Some(Outcome::ToppedOut),
        };
    }
    let stats = game.stats();
    let (pieces, lines) = (u64::from(stats.pieces), u64::from(stats.lines));
    let drop_points = stats.drop_points;
    GameResult { pieces, lines, score: stats.score as f64, outcome, keys: pressed, drop_points }
}

/// The placement game with the same board and pieces.
pub fn equivalent() -> PlacementGame {
    static GAME: OnceLock<PlacementGame> = OnceLock::new();
    let make = || {
        let overrides = ["board.height=40".parse().expect("an override")];
        let game = engine::Game::built_in("classic", &overrides).and_then(Result::ok);
        game.and_then(|game| game.placement().cloned()).expect("a built-in placement game")
    };
    GAME.get_or_init(make).clone()
}

/// The same cells as a board of a placement game.
pub fn plain(board: &Board) -> engine::placement::Board {
    let mut plain = engine::placement::Board::new(WIDTH, HEIGHT);
    for (x, column) in board.columns().iter().enumerate() {
        (0..column.height()).filter(|&y| column.contains(y)).for_each(|y| plain.insert(x, y));
    }
    plain
}

/// A prospect with what several features need.
struct Glance<'a> {
    prospect: &'a Prospect<'a>,
    kicks: Kicks,
    heights: [i64; WIDTH],
    keys: OnceCell<i64>,
}

impl<'a> Glance<'a> {
    fn new(prospect: &'a Prospect<'a>, kicks: Kicks) -> Glance<'a> {
        let heights = prospect.after.columns().map(|column| column.height() as i64);
        Glance { prospect, kicks, heights, keys: OnceCell::new() }
    }

    fn count(&self, feature: Feature, pilot: &Pilot) -> i64 {
        let Glance { prospect, heights, .. } = self;
        let clear = &prospect.clear;
        match feature {
            Feature::AggregateHeight => heights.iter().sum(),
            Feature::Lines => i64::from(clear.lines),
            Feature::Points => i64::from(clear.points),
            Feature::Holes => prospect.after.columns().iter().map(|column| column.holes() as i64).sum(),
            Feature::Bumpiness => heights.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum(),
            Feature::MaxHeight => heights.iter().copied().max().unwrap_or(0),
            Feature::Height(x) => heights[x as usize],
            Feature::Well(x) => {
                let x = x as usize;
                let left = if x > 0 { heights[x - 1] } else { i64::MAX };
                let right = heights.get(x + 1).copied().unwrap_or(i64::MAX);
                (left.min(right) - heights[x]).max(0)
            }
            Feature::Clear(kind) => i64::from(clear.kind() == Some(kind)),
            Feature::PerfectClear => i64::from(clear.perfect),
            Feature::BackToBack => i64::from(clear.back_to_back),
            Feature::BackToBackLost => i64::from(prospect.before.back_to_back && clear.is_easy()),
            Feature::Combo => i64::from(clear.combo.saturating_sub(1).min(1 << 16)),
            Feature::WastedT => {
                let used = clear.spin != Spin::None && clear.lines > 0;
                i64::from(prospect.placement.piece == Piece::T && !used)
            }
            Feature::TSlots => t_slots(&prospect.after),
            Feature::Keys => self.keys(),
            plain => pilot.plain_count(plain, prospect),
        }
    }

    fn keys(&self) -> i64 {
        *self.keys.get_or_init(|| {
            let Prospect { before, placement, held, .. } = self.prospect;
            i64::from(presses(&before.board, placement, self.kicks)) + i64::from(*held)
        })
    }
}

/// Places for a T that faces down and is turned in under an overhang on one side, the other side being open:
///
/// ```text
/// #..
/// TTT
/// #T#
/// ```
fn t_slots(board: &Board) -> i64 {
    let column = |x: usize| board.column(x);
    let slot = |x: usize, open: usize, under: usize| {
        // On the open side the T lies on the column.
        let y = column(open).height();
        let over = column(under);
        y > 0 && column(x).height() < y && over.contains(y - 1) && !over.contains(y) && over.contains(y + 1)
    };
    (1..WIDTH - 1).map(|x| i64::from(slot(x, x + 1, x - 1)) + i64::from(slot(x, x - 1, x + 1))).sum()
}

/// Boards up to this height do not hinder turns and shifts at the top.
const OPEN: usize = 16;

/// Key presses from the spawn, hard drop included. Straight drops on low boards take the way without a soft drop.
fn presses(board: &Board, placement: &Placement, kicks: Kicks) -> u32 {
    static TABLE: OnceLock<BTreeMap<(Piece, Orientation, i8), u32>> = OnceLock::new();
    let at = placement.canonical();
    let open = kicks == Kicks::Srs && board.height() <= OPEN && at.spin == Spin::None && is_drop(board, &at);
    let known = || {
        let table = TABLE.get_or_init(|| {
            let mut table = BTreeMap::new();
            for piece in Piece::ALL {
                let keys = Keys::search(&Board::EMPTY, piece, Kicks::Srs);
                for at in moves::placements(&Board::EMPTY, piece, Kicks::Srs) {
                    let presses = keys.to(&at).map_or(0, |inputs| inputs.len() as u32);
                    table.insert((piece, at.orientation, at.x), presses);
                }
            }
            table
        });
        table.get(&(at.piece, at.orientation, at.x)).copied()
    };
    let search = || Keys::search(board, at.piece, kicks).to(&at).map_or(0, |inputs| inputs.len() as u32);
    open.then(known).flatten().unwrap_or_else(search)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::guideline::ClearKind;
    use bellmino_engine::{Purpose, below, stream};

    fn board(text: &str) -> Board {
        text.parse().expect("a board")
    }

    #[test]
    fn slots_for_a_t() {
        assert_eq!(t_slots(&board("#.........\n....######\n##.#######")), 0, "nothing to turn under");
        assert_eq!(t_slots(&board("#.........\n...#######\n#.########")), 1);
        assert_eq!(t_slots(&board("...#......\n###...####\n####.#####")), 1);
        assert_eq!(t_slots(&board("..##......\n###...####\n####.#####")), 1);
        assert_eq!(t_slots(&board("...#.#....\n###...####\n####.#####")), 0, "closed on both sides");
        assert_eq!(t_slots(&board("###...####\n####.#####")), 0, "no overhang");
    }

    /// The table of ways without a soft drop is the search on the open board.
    #[test]
    fn presses_of_straight_drops() {
        let mut generator = stream(1, Purpose::Player, 0);
        for _ in 0..4 {
            let mut stack = Board::EMPTY;
            for x in 0..WIDTH {
                (0..below(&mut generator, 6)).for_each(|y| stack.insert(x, y));
            }
            for piece in Piece::ALL {
                let keys = Keys::search(&stack, piece, Kicks::Srs);
                for at in moves::placements(&stack, piece, Kicks::Srs) {
                    let shortest = keys.to(&at).expect("listed").len() as u32;
                    let ours = presses(&stack, &at, Kicks::Srs);
                    // A soft drop and a shift up to a wall of the stack may be shorter than single shifts.
                    assert!(
                        ours == shortest || is_drop(&stack, &at) && ours == shortest + 1,
                        "{at}\n{stack}"
                    );
                    assert!(ours <= 7);
                }
            }
        }
    }

    #[test]
    fn features_of_a_clear() {
        let pilot = Pilot::new(Controller::built_in("lee4").expect("built in")).expect("fits");
        let position = Position {
            board: board("...#......\n###...####\n####.#####"),
            back_to_back: true,
            combo: 2,
            ..Position::default()
        };
        let queue = vec![Piece::T, Piece::O];
        let view = View { rules: Rules::BLITZ, position, queue, bag: vec![], pieces: 0, lines: 0 };
        let all = prospects(&view);
        let count = |feature: &str, prospect: &Prospect<'_>| {
            pilot.count(feature.parse().expect("a feature"), prospect, Kicks::Srs)
        };
        let double = all.iter().find(|prospect| prospect.clear.kind() == Some(ClearKind::SpinDouble));
        let double = double.expect("a T-spin double");
        for (feature, expected) in [
            ("spin-double", 1),
            ("double", 0),
            ("lines", 2),
            ("points", i64::from(double.clear.points)),
            ("back-to-back", 1),
            ("back-to-back-lost", 0),
            ("combo", 2),
            ("wasted-t", 0),
            ("perfect-clear", 0),
            ("t-slots", 0),
            ("holes", 0),
            ("max-height", 1),
            ("landing-height", 1),
        ] {
            assert_eq!(count(feature, double), expected, "{feature}");
        }
        assert!(count("keys", double) >= 3);
        let flat =
            all.iter().find(|prospect| prospect.placement.to_string() == "T north 8,2").expect("listed");
        for (feature, expected) in [("wasted-t", 1), ("t-slots", 1), ("combo", 0), ("well-4", 1), ("keys", 2)]
        {
            assert_eq!(count(feature, flat), expected, "{feature}");
        }
        let held = all.iter().find(|prospect| prospect.held).expect("the O");
        assert_eq!((held.placement.piece, count("wasted-t", held)), (Piece::O, 0));
        // A T standing in column 4 is a straight drop and clears a row; one turned in is not.
        assert!(
            drops(&view).iter().all(|prospect| prospect.clear.spin == Spin::None && prospect.clear.lines < 2)
        );
        assert!(drops(&view).len() < all.len());
    }

    #[test]
    fn features_that_do_not_fit() {
        let wide = Controller::new("wide", &[Feature::Well(10)], &[1.0]).expect("sound");
        let why = Pilot::new(wide).expect_err("too wide").to_string();
        assert_eq!(why, "`well-10` does not fit a board 10 wide");
    }
}
