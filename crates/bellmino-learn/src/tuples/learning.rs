//! Learning of tuple values: temporal differences of afterstates, with a step for each number by how much its errors agree.

use std::collections::VecDeque;
use std::sync::Arc;

use bellmino_engine::placement::{Column, Columns, Deal, Grid, Landed, Placement, TenColumns};
use bellmino_engine::{Generator, PlacementGame, Purpose, below, stream, unit};
use serde::{Deserialize, Serialize};

use super::file::Sparse;
use super::layer_learning::LayerLearner;
use super::value::{Reading, TupleValue};
use super::window::{Window, WindowError};

/// How a tuple value is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuplePlan {
    /// The windows.
    pub windows: Vec<Window>,
    /// Steps to learn in.
    pub steps: u64,
    /// Moves in each of them; a game that is under way at the end of one is given up.
    pub moves: u64,
    /// The part of an error that is corrected at once, where errors agree.
    pub rate: f64,
    /// What the next points are worth compared with these.
    pub discount: f64,
    /// How much the error of each later move counts in the correction of a board, compared with the move before; 0 counts
    /// the first alone. A move out of curiosity ends it: what follows is not the worth of the best.
    #[serde(default)]
    pub trace: f64,
    /// The most moves whose errors count.
    #[serde(default = "usual_reach")]
    pub reach: usize,
    /// An error is that of all pieces that may come, by their probability, not that of the one that comes: no chance is in it, at
    /// the cost of a look at the placements of each.
    #[serde(default)]
    pub every_piece: bool,
    /// The probability of any placement instead of the best; what is learned is the value of the best all the same. One game
    /// in sixteen goes without, and these make the learning curve.
    pub curiosity: f64,
    /// If not 0: instead of windows so many units over the outline of the board (heights, differences of neighbours, holes),
    /// learned by gradients. `curiosity` and `every_piece` are for windows.
    #[serde(default)]
    pub units: usize,
    /// With units: placements are made by lot, each `e` times as likely as one that is worth less by the temperature. This is
    /// the first one; it falls to a fiftieth over all steps.
    #[serde(default)]
    pub temperature: f64,
    /// With units: a placement brings exp(-holes / this) instead of its points, unless this is 0.
    #[serde(default)]
    pub holes: f64,
    /// Seed of everything random.
    pub seed: u64,
}

/// Learning under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TupleTd {
    /// How the value is learned.
    pub plan: TuplePlan,
    /// What is known.
    pub tables: TupleTables,
    /// What has happened.
    pub history: Vec<TupleStep>,
}

/// All that learning changes: the numbers of all tables, and how well the errors of each agreed. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredTables", into = "StoredTables")]
pub struct TupleTables {
    numbers: Arc<Vec<f32>>,
    coherence: Arc<Vec<Coherence>>,
    /// With units: the mean of the numbers over the last step, which plays; learning goes on from the numbers.
    means: Arc<Vec<f32>>,
}

/// How well the errors of a number agreed: steps are long as long as they do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Coherence {
    /// The sum of the errors.
    sum: f32,
    /// The sum of their sizes.
    size: f32,
}

/// The tables as text: most numbers are 0.
#[derive(Serialize, Deserialize)]
struct StoredTables {
    numbers: Sparse,
    sums: Sparse,
    sizes: Sparse,
    #[serde(default)]
    means: Sparse,
}

/// What happened in one step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TupleStep {
    /// Moves made so far.
    pub moves: u64,
    /// Games without curiosity that ended in this step; with units all that did.
    pub games: u64,
    /// Their mean score; 0 if there is none.
    pub score: f64,
    /// Their mean number of rows.
    pub lines: f64,
}

/// What a step has taught.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TupleLesson {
    /// What is known after it.
    pub tables: TupleTables,
    /// What happened in it.
    pub step: TupleStep,
}

impl Default for TuplePlan {
    fn default() -> TuplePlan {
        TuplePlan {
            windows: Vec::new(),
            steps: 100,
            moves: 100_000,
            rate: 1.0,
            discount: 1.0,
            trace: 0.0,
            reach: usual_reach(),
            every_piece: false,
            curiosity: 0.02,
            units: 0,
            temperature: 0.0,
            holes: 0.0,
            seed: 0,
        }
    }
}

/// The reach unless asked otherwise, and that of plans that were stored without: they have no trace.
fn usual_reach() -> usize {
    8
}

impl TupleTd {
    /// Learning from its beginning: every number is 0.
    pub fn new(plan: TuplePlan) -> TupleTd {
        TupleTd { plan, tables: TupleTables::default(), history: Vec::new() }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.history.len() as u64 >= self.plan.steps
    }

    /// The value learned so far; with units that of the means of their numbers over the last step.
    pub fn value(&self, game: &PlacementGame) -> Result<TupleValue, WindowError> {
        let mut value = self.plan.value(game, &self.tables)?;
        if self.tables.means.len() == value.numbers.len() {
            value.numbers.clone_from(&*self.tables.means);
        }
        Ok(value)
    }

    /// Takes what the next step has taught.
    pub fn take(&mut self, lesson: TupleLesson) {
        self.tables = lesson.tables;
        self.history.push(lesson.step);
    }
}

impl TuplePlan {
    /// What is learned with units, unless asked otherwise.
    pub fn of_units(units: usize) -> TuplePlan {
        TuplePlan {
            rate: 0.0003,
            discount: 0.99,
            trace: 0.55,
            curiosity: 0.0,
            units,
            temperature: 0.5,
            holes: 33.0,
            ..TuplePlan::default()
        }
    }

    /// The value that these tables make.
    fn value(&self, game: &PlacementGame, tables: &TupleTables) -> Result<TupleValue, WindowError> {
        let mut value = match self.units {
            0 => TupleValue::new(game, &self.windows, self.discount as f32)?,
            _ if !self.windows.is_empty() => return Err(WindowError::Both),
            units => TupleValue::of_units(game, units, self.discount as f32, self.holes as f32)?,
        };
        if tables.numbers.len() == value.numbers.len() {
            value.numbers.clone_from(&*tables.numbers);
        } else if let Some(layer) = value.layer {
            value.numbers = layer.first_numbers(self.seed);
        }
        Ok(value)
    }

    /// Makes step `number`, from 0, and learns from every move of it. `go_on` is asked in between; when it says no, nothing
    /// has happened. Windows that do not fit the game teach nothing.
    pub fn step(
        &self,
        game: &PlacementGame,
        tables: &TupleTables,
        number: u64,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<TupleLesson> {
        // Moves are made by chance alone, and not by what a dealer sees.
        if game.dealer().sees_board().is_some() {
            return None;
        }
        let moves = self.moves.saturating_mul(number.saturating_add(1));
        let Ok(value) = self.value(game, tables) else {
            let step = TupleStep { moves, games: 0, score: 0.0, lines: 0.0 };
            return Some(TupleLesson { tables: tables.clone(), step });
        };
        if let Some(layer) = value.layer {
            let mut learner = LayerLearner::new(value, layer, self);
            let played = if TenColumns::fits(game) {
                learner.play::<u32, 10>(game, self, number, go_on)
            } else {
                learner.play::<u64, 16>(game, self, number, go_on)
            };
            let step = TupleStep { moves, ..played? };
            let (means, coherence) = (Arc::new(learner.means()), Arc::default());
            let tables = TupleTables { numbers: Arc::new(learner.value.numbers), coherence, means };
            return Some(TupleLesson { tables, step });
        }
        let mut coherence = tables.coherence.to_vec();
        coherence.resize(value.numbers.len(), Coherence::default());
        let fade = (self.discount * self.trace) as f32;
        let reach = if fade > 0.0 { self.reach.max(1) } else { 1 };
        let waiting = VecDeque::with_capacity(reach);
        let mut learner = Learner { value, coherence, rate: self.rate as f32, fade, reach, waiting };
        let played = if TenColumns::fits(game) {
            learner.play::<u32, 10>(game, self, number, go_on)
        } else {
            learner.play::<u64, 16>(game, self, number, go_on)
        };
        let step = TupleStep { moves, ..played? };
        let Learner { value, coherence, .. } = learner;
        let (numbers, coherence) = (Arc::new(value.numbers), Arc::new(coherence));
        let tables = TupleTables { numbers, coherence, means: Arc::default() };
        Some(TupleLesson { tables, step })
    }
}

/// One game in so many is played as well as can be.
const SOBER: u64 = 16;

/// A value that is being learned.
struct Learner {
    value: TupleValue,
    coherence: Vec<Coherence>,
    rate: f32,
    /// How much less the error of the next move counts.
    fade: f32,
    /// Moves whose errors count.
    reach: usize,
    /// Boards whose correction is not complete, from the oldest on.
    waiting: VecDeque<Correction>,
}

/// A board that is to be corrected.
struct Correction {
    /// What the windows showed of it.
    entries: Vec<u32>,
    /// Its error, and those of later moves as far as they count.
    error: f32,
}

impl Learner {
    fn play<C: Column, const W: usize>(
        &mut self,
        game: &PlacementGame,
        plan: &TuplePlan,
        step: u64,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<TupleStep> {
        let mut chance = stream(plan.seed, Purpose::Training, step);
        let empty = Columns::<C, W>::empty(game);
        let (mut board, mut state) = (empty, game.dealer().start());
        let (mut score, mut lines) = (0.0, 0);
        let (mut games, mut is_curious) = (0u64, false);
        let mut all = TupleStep { moves: 0, games: 0, score: 0.0, lines: 0.0 };
        let mut reading = self.value.read(&board);
        for number in 0..plan.moves {
            if number % 4096 == 0 && !go_on() {
                return None;
            }
            let deal = game.dealer().deal(state, &mut chance);
            let best = self.value.best(game, &board, usize::from(deal.piece), &reading, |equal| {
                below(&mut chance, equal) == 0
            });
            let worth = best.and_then(|best| best.worth);
            let mut target = worth.unwrap_or(0.0);
            if plan.every_piece {
                let of = |one: &Deal| {
                    let other = || self.value.best(game, &board, usize::from(one.piece), &reading, |_| false);
                    let worth =
                        if one.piece == deal.piece { worth } else { other().and_then(|best| best.worth) };
                    one.probability as f32 * worth.unwrap_or(0.0)
                };
                target = game.dealer().deals(state).iter().map(of).sum();
            }
            state = deal.next;
            self.note(&reading, target - reading.value);
            let taken = best.filter(|_| worth.is_some()).map(|best| (best.placement, best.landed));
            let explores = is_curious && taken.is_some() && unit(&mut chance) < plan.curiosity;
            if explores || taken.is_none() {
                self.correct_all();
            }
            let taken = if explores { any(game, &board, deal.piece.into(), &mut chance) } else { taken };
            match taken {
                Some((placement, landed)) => {
                    board = landed.board;
                    self.value.read_after(placement, &landed, &mut reading);
                    score += game.score().points(landed.lines());
                    lines += u64::from(landed.lines());
                }
                None => {
                    if !is_curious {
                        all.games += 1;
                        all.score += score;
                        all.lines += lines as f64;
                    }
                    games += 1;
                    is_curious = plan.curiosity > 0.0 && games % SOBER != 0;
                    (board, state) = (empty, game.dealer().start());
                    (score, lines) = (0.0, 0);
                    self.value.read_into(&board, &mut reading);
                }
            }
        }
        self.correct_all();
        let games = all.games.max(1) as f64;
        Some(TupleStep { score: all.score / games, lines: all.lines / games, ..all })
    }

    /// Takes note of the error of a move on the board of which this is the reading. The board waits for the errors of the
    /// moves after it; the one that has waited longest is corrected.
    #[inline]
    fn note(&mut self, reading: &Reading, error: f32) {
        if self.reach == 1 {
            return self.correct(&reading.entries, error);
        }
        let mut counts = error;
        for earlier in self.waiting.iter_mut().rev() {
            counts *= self.fade;
            earlier.error += counts;
        }
        let mut entries = Vec::new();
        if self.waiting.len() >= self.reach - 1
            && let Some(oldest) = self.waiting.pop_front()
        {
            self.correct(&oldest.entries, oldest.error);
            entries = oldest.entries;
        }
        entries.clone_from(&reading.entries);
        self.waiting.push_back(Correction { entries, error });
    }

    /// Corrects all that wait: no more errors will count.
    fn correct_all(&mut self) {
        while let Some(oldest) = self.waiting.pop_front() {
            self.correct(&oldest.entries, oldest.error);
        }
    }

    /// Moves the value of a board by a part of the error. Each number's part is by how much its errors agreed so far.
    #[inline]
    fn correct(&mut self, entries: &[u32], error: f32) {
        let part = self.rate * error / entries.len() as f32;
        let size = error.abs();
        for &entry in entries {
            let known = &mut self.coherence[entry as usize];
            let agreement = if known.size > 0.0 { known.sum.abs() / known.size } else { 1.0 };
            self.value.numbers[entry as usize] += agreement * part;
            known.sum += error;
            known.size += size;
        }
    }
}

/// Any placement that does not end the game.
fn any<G: Grid>(
    game: &PlacementGame,
    board: &G,
    piece: usize,
    chance: &mut Generator,
) -> Option<(Placement, Landed<G>)> {
    let (mut count, mut taken) = (0, None);
    board.outcomes(game, piece, |placement, landed| {
        count += 1;
        if below(chance, count) == 0 {
            taken = Some((placement, landed));
        }
    });
    taken
}

impl From<TupleTables> for StoredTables {
    fn from(tables: TupleTables) -> StoredTables {
        let of = |part: fn(&Coherence) -> f32| Sparse(tables.coherence.iter().map(part).collect());
        let (sums, sizes) = (of(|known| known.sum), of(|known| known.size));
        let [numbers, means] = [&tables.numbers, &tables.means].map(|numbers| Sparse(numbers.to_vec()));
        StoredTables { numbers, sums, sizes, means }
    }
}

impl From<StoredTables> for TupleTables {
    fn from(stored: StoredTables) -> TupleTables {
        let both = stored.sums.0.into_iter().zip(stored.sizes.0);
        let coherence: Vec<_> = both.map(|(sum, size)| Coherence { sum, size }).collect();
        let [numbers, means] = [stored.numbers.0, stored.means.0].map(Arc::new);
        TupleTables { numbers, coherence: Arc::new(coherence), means }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Game;

    /// Each board is corrected by the errors from its move on, as far as they reach, each counting `fade` times the one
    /// before; the oldest boards first, and none is left out at the end.
    #[test]
    fn errors_reach_back() {
        let game = Game::built_in("small", &[]).unwrap().unwrap().placement().unwrap().clone();
        let errors = [1.0f32, -2.0, 0.5, 4.0, 0.0, -1.0, 3.0];
        for (reach, fade) in [(1, 0.5), (2, 0.5), (3, 0.9), (7, 1.0), (20, 0.25)] {
            let plan = TuplePlan { windows: vec!["3x3".parse().unwrap()], ..TuplePlan::default() };
            let value = plan.value(&game, &TupleTables::default()).unwrap();
            let coherence = vec![Coherence::default(); value.numbers.len()];
            let mut learner = Learner { value, coherence, rate: 1.0, fade, reach, waiting: VecDeque::new() };
            for (number, &error) in errors.iter().enumerate() {
                // A board of one window, the only one that reads this entry: it takes the whole error.
                let reading = Reading { entries: vec![number as u32], ..Reading::default() };
                learner.note(&reading, error);
                assert!(learner.waiting.len() < reach);
            }
            learner.correct_all();
            for first in 0..errors.len() {
                let counted = errors[first..].iter().take(reach).enumerate();
                let expected: f32 = counted.map(|(later, error)| fade.powi(later as i32) * error).sum();
                assert!((learner.value.numbers[first] - expected).abs() < 1e-5, "{reach} {fade} {first}");
            }
            assert!(learner.waiting.is_empty());
        }
    }
}
