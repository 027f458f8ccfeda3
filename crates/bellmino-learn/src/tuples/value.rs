//! The value of a board as a sum over windows.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{AnyColumns, Board, Column, Columns, Grid, Landed, Placement};
use serde_json::{Map, Value, json};

use super::layer::{Layer, LayerRoom, exp};
use super::window::{Layout, Window, WindowError};

/// The value of a board: the sum of one number for each window, looked up by the cells in it. It plays the placement of the
/// largest points plus value of the afterstate; one that ends the game comes last, and ties go to the first in order.
/// Instead of windows it may have a layer of units over the outline of the board.
#[derive(Clone, Debug, PartialEq)]
pub struct TupleValue {
    pub(super) game: PlacementGame,
    pub(super) windows: Vec<Window>,
    pub(super) discount: f32,
    pub(super) layout: Layout,
    /// Units instead of windows.
    pub(super) layer: Option<Layer>,
    /// With units: a placement brings exp(-holes / this) instead of its points, unless this is 0.
    pub(super) holes: f32,
    pub(super) numbers: Vec<f32>,
    pub(super) notes: Map<String, Value>,
}

/// What the windows show of one board.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The entry of each place.
    pub(super) entries: Vec<u32>,
    /// The number there.
    pub(super) numbers: Vec<f32>,
    /// Their sum: the value of the board.
    pub(super) value: f32,
}

/// A placement, what it led to and what that is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best<B> {
    pub(super) placement: Placement,
    pub(super) landed: Landed<B>,
    /// Points plus discounted value; `None` if the game is over then.
    pub(super) worth: Option<f32>,
}

impl TupleValue {
    /// A value that knows nothing: every number is 0.
    pub fn new(game: &PlacementGame, windows: &[Window], discount: f32) -> Result<TupleValue, WindowError> {
        let layout = Layout::new(windows, game)?;
        let numbers = vec![0.0; layout.numbers];
        let notes = Map::from_iter([("name".to_owned(), json!("tuples"))]);
        let (game, windows) = (game.clone(), windows.to_vec());
        Ok(TupleValue { game, windows, discount, layout, layer: None, holes: 0.0, numbers, notes })
    }

    /// A value of so many units over the outline of the board, every number 0. A placement brings `exp(-holes / H)` instead
    /// of its points if `H` is not 0.
    pub fn of_units(
        game: &PlacementGame,
        units: usize,
        discount: f32,
        holes: f32,
    ) -> Result<TupleValue, WindowError> {
        let layer = Layer::new(game, units)?;
        let (layout, numbers) = (Layout::none(game), vec![0.0; layer.numbers()]);
        let notes = Map::from_iter([("name".to_owned(), json!("units"))]);
        let (game, windows) = (game.clone(), Vec::new());
        Ok(TupleValue { game, windows, discount, layout, layer: Some(layer), holes, numbers, notes })
    }

    /// The game it was learned in.
    pub fn game(&self) -> &PlacementGame {
        &self.game
    }

    /// Its windows.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// Its units, 0 if it has windows.
    pub fn units(&self) -> usize {
        self.layer.map_or(0, |layer| layer.units)
    }

    /// Numbers in all tables, and how many of them are not 0.
    pub fn numbers(&self) -> (usize, usize) {
        (self.numbers.len(), self.numbers.iter().filter(|number| **number != 0.0).count())
    }

    /// The same value with a note for its file: `name`, `made` or `measured`.
    pub fn with_note(mut self, key: &str, value: Value) -> TupleValue {
        self.notes.insert(key.to_owned(), value);
        self
    }

    /// The notes of its file: `name`, `made` and `measured`.
    pub fn notes(&self) -> &Map<String, Value> {
        &self.notes
    }

    /// Why it cannot play a game, if it cannot: board and pieces must be those it was learned with.
    pub fn check(&self, game: &PlacementGame) -> Result<(), String> {
        let size = |game: &PlacementGame| (game.width(), game.height());
        let ((w, h), (width, height)) = (size(&self.game), size(game));
        if (w, h) != (width, height) {
            return Err(format!(
                "was learned on a board of {w}x{h}, and this one is {width}x{height}; train it on this one"
            ));
        }
        if self.game.pieces() != game.pieces() {
            return Err("was learned with other pieces; train it with these".to_owned());
        }
        Ok(())
    }

    /// The value of a board of the size it was learned on.
    pub fn of(&self, board: &Board) -> f64 {
        let columns = AnyColumns::from_board(board);
        let Some(layer) = self.layer else { return f64::from(self.read(&columns).value) };
        let mut room = LayerRoom::default();
        layer.outline.read(columns.columns(), &mut room.entries);
        f64::from(layer.value(&self.numbers, &mut room))
    }

    /// What these points and this afterstate are worth together.
    pub fn worth(&self, after: &Board, points: f64) -> f64 {
        let mut reward = points;
        if let Some(layer) = self.layer {
            let columns = AnyColumns::from_board(after);
            let holes = layer.outline.read(columns.columns(), &mut Vec::new());
            reward = f64::from(self.reward(holes, points as f32));
        }
        reward + f64::from(self.discount) * self.of(after)
    }

    /// What a placement brings by itself.
    #[inline]
    fn reward(&self, holes: u32, points: f32) -> f32 {
        if self.holes > 0.0 { exp(-(holes as f32) / self.holes) } else { points }
    }

    /// What these points and this afterstate are worth together, by the units.
    #[inline]
    pub(super) fn worth_by<C: Column, const W: usize>(
        &self,
        layer: Layer,
        after: &Columns<C, W>,
        points: f32,
        room: &mut LayerRoom,
    ) -> f32 {
        let holes = layer.outline.read(after.columns(), &mut room.entries);
        self.reward(holes, points) + self.discount * layer.value(&self.numbers, room)
    }

    /// The placement it takes, or `None` if none is legal. The game must be one of [`check`](TupleValue::check).
    pub fn choose<G: Grid>(&self, game: &PlacementGame, board: &G, piece: usize) -> Option<Placement> {
        let columns = AnyColumns::from_board(&board.to_board(game));
        if let Some(layer) = self.layer {
            return self.choose_by(layer, game, &columns, piece);
        }
        self.best(game, &columns, piece, &self.read(&columns), |_| false).map(|best| best.placement)
    }

    /// The placement that the units take: ties go to the first, and one that ends the game is taken if there is no other.
    fn choose_by<C: Column, const W: usize>(
        &self,
        layer: Layer,
        game: &PlacementGame,
        board: &Columns<C, W>,
        piece: usize,
    ) -> Option<Placement> {
        let mut room = LayerRoom::default();
        let (mut best, mut first): (Option<(Placement, f32)>, Option<Placement>) = (None, None);
        board.placements(game, piece, |placement| {
            first.get_or_insert(placement);
            let landed = board.place_unchecked(game, placement);
            if landed.fatal {
                return;
            }
            let points = game.score().points(landed.lines()) as f32;
            let worth = self.worth_by(layer, &landed.board, points, &mut room);
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((placement, worth));
            }
        });
        best.map(|(placement, _)| placement).or(first)
    }

    /// What the windows show of a board.
    pub(super) fn read<C: Column, const W: usize>(&self, board: &Columns<C, W>) -> Reading {
        let mut reading = Reading::default();
        self.read_into(board, &mut reading);
        reading
    }

    #[inline]
    pub(super) fn read_into<C: Column, const W: usize>(&self, board: &Columns<C, W>, into: &mut Reading) {
        into.entries.clear();
        into.entries.extend(self.layout.places.iter().map(|place| place.entry(board.columns())));
        self.look_up(into);
    }

    /// What the windows show after a placement on the board of which this is the reading.
    #[inline]
    pub(super) fn read_after<C: Column, const W: usize>(
        &self,
        placement: Placement,
        landed: &Landed<Columns<C, W>>,
        into: &mut Reading,
    ) {
        if landed.cleared != 0 {
            return self.read_into(&landed.board, into);
        }
        for touch in self.layout.touches(placement) {
            into.entries[usize::from(touch.place)] += touch.bits;
        }
        self.look_up(into);
    }

    /// Looks the numbers of all entries up.
    #[inline]
    fn look_up(&self, into: &mut Reading) {
        into.numbers.clear();
        into.numbers.extend(into.entries.iter().map(|&entry| self.numbers[entry as usize]));
        into.value = into.numbers.iter().sum();
    }

    /// The best placement on a board of which this is the reading: only windows whose cells may change are read anew. Where
    /// so many placements are equally good, `takes_last` says whether it is the last of them.
    #[inline]
    pub(super) fn best<C: Column, const W: usize>(
        &self,
        game: &PlacementGame,
        board: &Columns<C, W>,
        piece: usize,
        reading: &Reading,
        mut takes_last: impl FnMut(usize) -> bool,
    ) -> Option<Best<Columns<C, W>>> {
        let places = &self.layout.places;
        let mut top = None;
        let mut best: Option<Best<Columns<C, W>>> = None;
        let mut equal = 1;
        board.placements(game, piece, |placement| {
            let landed = board.place_unchecked(game, placement);
            let mut worth = None;
            if !landed.fatal {
                let columns = landed.board.columns();
                let mut value = reading.value;
                if landed.cleared == 0 {
                    for touch in self.layout.touches(placement) {
                        let place = usize::from(touch.place);
                        let entry = reading.entries[place] + touch.bits;
                        value += self.numbers[entry as usize] - reading.numbers[place];
                    }
                } else {
                    // Everything from the lowest cleared row up moves; above all cells nothing does.
                    let highest = || (0..game.width()).map(|x| board.height(game, x)).max().unwrap_or(0);
                    let end = (*top.get_or_insert_with(highest)).max(placement.top(game));
                    for (number, place) in places.iter().enumerate() {
                        if usize::from(place.row) >= end {
                            break;
                        }
                        if place.row + place.height > placement.row {
                            value += self.numbers[place.entry(columns) as usize] - reading.numbers[number];
                        }
                    }
                }
                let points = game.score().points(landed.lines()) as f32;
                worth = Some(points + self.discount * value);
            }
            let is_best = match best {
                Some(best) if worth == best.worth => {
                    equal += 1;
                    takes_last(equal)
                }
                Some(best) if worth < best.worth => false,
                _ => {
                    equal = 1;
                    true
                }
            };
            if is_best {
                best = Some(Best { placement, landed, worth });
            }
        });
        best
    }
}
