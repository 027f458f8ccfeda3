//! A second implementation of dealing, play and values, as plainly as they can be said. It takes the dealer from the game's
//! file, cells from the slow reference of the engine, and shares nothing with what is fast.

use std::collections::HashMap;

use bellmino_engine::placement::reference::{self, Cells, Resting, Settled};
use bellmino_engine::placement::{Board, Placement};
use bellmino_engine::{Generator, PlacementGame, unit};
use toml::{Table, Value};

/// A dealer as its file describes it, weights as they are written. What it remembers is a number.
#[derive(Clone, Debug)]
pub(crate) enum PlainDealer {
    /// Independent pieces.
    Weighted(Vec<f64>),
    /// A row for each piece that was dealt last, and one for the first.
    Markov(Vec<Vec<f64>>, Vec<f64>),
    /// All pieces once, in any order, then again.
    Bag(usize),
    /// These, for ever.
    Sequence(Vec<usize>),
}

/// A piece that may come: how likely, which, and what the dealer remembers then.
pub(crate) type PlainDeal = (f64, usize, usize);

impl PlainDealer {
    /// The dealer of a game file.
    pub fn read(text: &str) -> PlainDealer {
        let file: Table = text.parse().expect("a game file");
        let names: Vec<&str> = file["pieces"]["set"]
            .as_array()
            .expect("a set")
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let count = names.len();
        let dealer = file.get("dealer").and_then(Value::as_table).cloned().unwrap_or_default();
        let numbers = |value: &Value| value.as_array().unwrap().iter().map(number).collect::<Vec<f64>>();
        let weights = |key: &str| dealer.get(key).map_or(vec![1.0; count], numbers);
        match dealer.get("kind").map_or("weighted", |kind| kind.as_str().unwrap()) {
            "weighted" => PlainDealer::Weighted(weights("weights")),
            "markov" => {
                let rows = dealer.get("matrix").map_or(vec![vec![1.0; count]; count], |rows| {
                    rows.as_array().unwrap().iter().map(numbers).collect()
                });
                PlainDealer::Markov(rows, weights("first"))
            }
            "bag" => PlainDealer::Bag(count),
            "sequence" => {
                let place = |name: &Value| names.iter().position(|known| Some(*known) == name.as_str());
                let order = dealer["order"].as_array().unwrap().iter();
                PlainDealer::Sequence(order.map(|name| place(name).unwrap()).collect())
            }
            other => panic!("dealer {other}"),
        }
    }

    /// What it remembers before the first piece.
    pub const START: usize = 0;

    /// What may come, in the order of the pieces.
    pub fn deals(&self, memory: usize) -> Vec<PlainDeal> {
        let by = |weights: &[f64], after: &dyn Fn(usize) -> usize| {
            let sum: f64 = weights.iter().sum();
            let deal = |piece: usize| (weights[piece] / sum, piece, after(piece));
            (0..weights.len()).filter(|&piece| weights[piece] > 0.0).map(deal).collect()
        };
        match self {
            PlainDealer::Weighted(weights) => by(weights, &|_| 0),
            // Remembers one more than the last piece.
            PlainDealer::Markov(_, first) if memory == 0 => by(first, &|piece| piece + 1),
            PlainDealer::Markov(rows, _) => by(&rows[memory - 1], &|piece| piece + 1),
            // Remembers the pieces that are gone, as bits.
            PlainDealer::Bag(count) => {
                let left: Vec<f64> =
                    (0..*count).map(|piece| f64::from(u8::from(memory >> piece & 1 == 0))).collect();
                by(&left, &|piece| match memory | 1 << piece {
                    gone if gone == (1 << count) - 1 => 0,
                    gone => gone,
                })
            }
            PlainDealer::Sequence(order) => vec![(1.0, order[memory], (memory + 1) % order.len())],
        }
    }

    /// Deals by chance. Where one piece alone may come no chance is taken.
    pub fn deal(&self, memory: usize, chance: &mut Generator) -> (usize, usize) {
        let deals = self.deals(memory);
        let mut point = if deals.len() == 1 { 0.0 } else { unit(chance) };
        for (probability, piece, next) in &deals {
            if point < *probability {
                return (*piece, *next);
            }
            point -= probability;
        }
        let last = deals[deals.len() - 1];
        (last.1, last.2)
    }
}

/// A number of a game file; fractions are text.
pub(crate) fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::String(text) => {
            let (above, below) = text.split_once('/').expect("a fraction");
            above.trim().parse::<f64>().unwrap() / below.trim().parse::<f64>().unwrap()
        }
        other => panic!("{other} is no number"),
    }
}

/// A match as the rules tell it.
#[derive(Clone)]
pub(crate) struct PlainMatch<'a> {
    game: &'a PlacementGame,
    dealer: &'a PlainDealer,
    chance: Generator,
    memory: usize,
    previews: usize,
    may_hold: bool,
    pub board: Cells,
    pub queue: Vec<usize>,
    pub held: Option<usize>,
    hold_spent: bool,
    pub pieces: u64,
    pub lines: u64,
    pub score: f64,
    pub is_over: bool,
}

impl<'a> PlainMatch<'a> {
    /// A match from the empty board.
    pub fn new(
        game: &'a PlacementGame,
        dealer: &'a PlainDealer,
        (previews, may_hold): (usize, bool),
        chance: Generator,
    ) -> PlainMatch<'a> {
        let mut begun = PlainMatch {
            game,
            dealer,
            chance,
            memory: PlainDealer::START,
            previews,
            may_hold,
            board: Cells::new(),
            queue: Vec::new(),
            held: None,
            hold_spent: false,
            pieces: 0,
            lines: 0,
            score: 0.0,
            is_over: false,
        };
        begun.fill();
        begun
    }

    /// The pieces that can be placed now: the current one, then the other one at hand if there is one.
    pub fn at_hand(&self) -> Vec<usize> {
        let mut hand = vec![self.queue[0]];
        if self.can_hold() {
            hand.extend(self.held.or(self.queue.get(1).copied()).filter(|piece| *piece != self.queue[0]));
        }
        hand
    }

    /// Whether the current piece can be put aside.
    pub fn can_hold(&self) -> bool {
        self.may_hold && !self.hold_spent
    }

    /// Every placement of every piece at hand with what it leads to; none if the game is over.
    pub fn placements(&self) -> Vec<(Placement, Settled)> {
        if self.is_over {
            return Vec::new();
        }
        self.at_hand().into_iter().flat_map(|piece| placements(self.game, &self.board, piece)).collect()
    }

    /// Puts the current piece aside; the piece that was there, or the next one, becomes the current one.
    pub fn hold(&mut self) {
        let current = self.queue[0];
        match self.held.replace(current) {
            Some(held) => self.queue[0] = held,
            None => drop(self.queue.remove(0)),
        }
        self.hold_spent = true;
        self.fill();
    }

    /// Plays one of the placements.
    pub fn play(&mut self, placement: Placement, after: &Settled) {
        if usize::from(placement.piece) != self.queue[0] {
            let current = self.queue[0];
            match self.held.replace(current) {
                Some(held) => self.queue[0] = held,
                None => drop(self.queue.remove(0)),
            }
        }
        self.pieces += 1;
        match after {
            None => self.is_over = true,
            Some((board, rows)) => {
                self.board = board.clone();
                self.lines += u64::from(*rows);
                self.score += self.game.score().points(*rows);
                self.hold_spent = false;
                self.queue.remove(0);
                self.fill();
            }
        }
    }

    fn fill(&mut self) {
        while self.queue.len() <= self.previews {
            let (piece, memory) = self.dealer.deal(self.memory, &mut self.chance);
            self.queue.push(piece);
            self.memory = memory;
        }
        let fits = |piece: usize| !placements(self.game, &self.board, piece).is_empty();
        // What comes when a piece goes into the empty slot is not known yet: the game goes on.
        let by_hold = self.can_hold() && self.held.is_none_or(fits);
        self.is_over = !fits(self.queue[0]) && !by_hold;
    }
}

/// Every placement of a piece on a board with what it leads to, in the order rotation, column, row.
pub(crate) fn placements(game: &PlacementGame, board: &Cells, piece: usize) -> Vec<(Placement, Settled)> {
    let named = |(Resting { rotation, corner, .. }, after): (Resting, Settled)| {
        let [rotation, column, row] = [rotation as i32, corner.0, corner.1].map(|number| number as u8);
        (Placement { piece: piece as u8, rotation, column, row }, after)
    };
    reference::placements(game, board, piece).into_iter().map(named).collect()
}

/// The cells of a board.
pub(crate) fn cells(board: &Board) -> Cells {
    let all = (0..board.width()).flat_map(|x| (0..board.height()).map(move |y| (x, y)));
    all.filter(|&(x, y)| board.contains(x, y)).map(|(x, y)| (x as i32, y as i32)).collect()
}

/// The first of the placements of the greatest worth; one that ends the game only if there is no other.
pub(crate) fn first_best<W: PartialOrd>(
    list: &[(Placement, Settled)],
    worth: impl Fn(&Placement, &Cells, u32) -> W,
) -> Option<usize> {
    let mut best: Option<(usize, W)> = None;
    for (index, (placement, after)) in list.iter().enumerate() {
        let Some((board, rows)) = after else { continue };
        let worth = worth(placement, board, *rows);
        if best.as_ref().is_none_or(|(_, most)| worth > *most) {
            best = Some((index, worth));
        }
    }
    best.map(|(index, _)| index).or((!list.is_empty()).then_some(0))
}

/// Empty cells under filled ones.
pub(crate) fn holes(game: &PlacementGame, board: &Cells) -> usize {
    let column = |x: i32| {
        let top = board.iter().filter(|cell| cell.0 == x).map(|cell| cell.1 + 1).max().unwrap_or(0);
        (0..top).filter(|y| !board.contains(&(x, *y))).count()
    };
    (0..game.width() as i32).map(column).sum()
}

/// Who deals in [`PlainValue`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PlainDealing {
    /// The game's dealer.
    Chance,
    /// The worst of all pieces that may come.
    Worst,
    /// The worst with this probability, else the game's dealer.
    Mixed(f64),
}

/// The most points that can be expected of so many pieces, by plain recursion.
pub(crate) struct PlainValue<'a> {
    pub game: &'a PlacementGame,
    pub dealer: &'a PlainDealer,
    pub dealing: PlainDealing,
    pub previews: usize,
    pub hold: bool,
    pub discount: f64,
    known: HashMap<ValueKey, f64>,
}

/// Cells, what the dealer remembers, what is in sight, what is held, how many pieces are left.
type ValueKey = (Vec<(i32, i32)>, usize, Vec<usize>, Option<usize>, u32);

impl<'a> PlainValue<'a> {
    /// With nothing known.
    pub fn new(
        game: &'a PlacementGame,
        dealer: &'a PlainDealer,
        dealing: PlainDealing,
        (previews, hold): (usize, bool),
        discount: f64,
    ) -> PlainValue<'a> {
        PlainValue { game, dealer, dealing, previews, hold, discount, known: HashMap::new() }
    }

    /// From the empty board.
    pub fn of_game(&mut self, pieces: u32) -> f64 {
        self.before_deal(&Cells::new(), PlainDealer::START, &[], None, pieces)
    }

    fn before_deal(
        &mut self,
        board: &Cells,
        memory: usize,
        queue: &[usize],
        held: Option<usize>,
        left: u32,
    ) -> f64 {
        if left == 0 {
            return 0.0;
        }
        let mut sorted: Vec<_> = board.iter().copied().collect();
        sorted.sort_unstable();
        let key = (sorted, memory, queue.to_vec(), held, left);
        if let Some(value) = self.known.get(&key) {
            return *value;
        }
        let mut values = Vec::new();
        for (probability, piece, next) in self.dealer.deals(memory) {
            let queue = [queue, &[piece]].concat();
            let value = if queue.len() <= self.previews {
                self.before_deal(board, next, &queue, held, left)
            } else {
                self.in_hand(board, next, &queue, held, left)
            };
            values.push((probability, value));
        }
        let value = self.of_deals(&values);
        self.known.insert(key, value);
        value
    }

    fn of_deals(&self, values: &[(f64, f64)]) -> f64 {
        let mean: f64 = values.iter().map(|(probability, value)| probability * value).sum();
        let least = values.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
        match self.dealing {
            PlainDealing::Chance => mean,
            PlainDealing::Worst => least,
            PlainDealing::Mixed(share) => share * least + (1.0 - share) * mean,
        }
    }

    fn in_hand(
        &mut self,
        board: &Cells,
        memory: usize,
        queue: &[usize],
        held: Option<usize>,
        left: u32,
    ) -> f64 {
        let mut all = vec![self.placed(board, queue[0], memory, &queue[1..], held, left)];
        match held {
            _ if !self.hold => {}
            Some(piece) => all.push(self.placed(board, piece, memory, &queue[1..], Some(queue[0]), left)),
            None => {
                // Another piece is dealt, and the one that comes up has to be placed; where it cannot be, all is over.
                let (mut values, mut any) = (Vec::new(), false);
                for (probability, piece, next) in self.dealer.deals(memory) {
                    let rest = [&queue[1..], &[piece]].concat();
                    let value = self.placed(board, rest[0], next, &rest[1..], Some(queue[0]), left);
                    any |= value.is_some();
                    values.push((probability, value.unwrap_or(0.0)));
                }
                all.push(any.then(|| self.of_deals(&values)));
            }
        }
        all.into_iter().flatten().reduce(f64::max).unwrap_or(0.0)
    }

    fn placed(
        &mut self,
        board: &Cells,
        piece: usize,
        memory: usize,
        queue: &[usize],
        held: Option<usize>,
        left: u32,
    ) -> Option<f64> {
        let mut best: Option<f64> = None;
        for (_, after) in placements(self.game, board, piece) {
            if let Some((after, rows)) = after {
                let later = self.before_deal(&after, memory, queue, held, left - 1);
                let value = self.game.score().points(rows) + self.discount * later;
                best = Some(best.map_or(value, |best| best.max(value)));
            }
        }
        best
    }
}
