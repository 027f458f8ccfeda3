//! Many games side by side, whatever they are: each takes an action and writes what came of it.

use bellmino_engine::{Outcome, Totals};
use rayon::ThreadPool;
use serde_json::Value;

use super::arrays::{Row, Slices};

/// One game of an environment.
pub trait Lane: Sized + Send {
    /// What all games have in common.
    type Rules: Send + Sync;

    /// Game number `index` of a seed, from its own beginning or from another.
    fn begin(rules: &Self::Rules, seed: u64, index: u64, start: Option<&Start>) -> Result<Self, String>;

    /// How it ended, if it has.
    fn outcome(&self) -> Option<Outcome>;

    /// Whether the action may be taken.
    fn is_legal(&self, rules: &Self::Rules, action: i64) -> bool;

    /// Takes a legal action and gives its points.
    fn play(&mut self, rules: &Self::Rules, action: i64) -> f64;

    /// Pieces, rows and points so far.
    fn totals(&self) -> Totals;

    /// Writes what is seen: all of it, or what the last action has changed.
    fn show(&mut self, rules: &Self::Rules, row: &mut Row<'_>, all: bool) -> Result<(), String>;

    /// What an action is, for people.
    fn describe(&self, rules: &Self::Rules, action: i64) -> Option<Value>;

    /// The number of the piece that was placed last, and its cells, `[column, row]`.
    fn placed(&self, rules: &Self::Rules) -> Option<(usize, Vec<[usize; 2]>)>;
}

/// Where a game begins that does not begin with an empty board.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The board, rows from the top apart by `/` or line breaks.
    pub board: String,
    /// The held piece.
    pub hold: Option<String>,
    /// The current piece and those after it.
    pub queue: Option<String>,
}

/// How games are stepped.
#[derive(Clone, Copy, Debug)]
pub struct Stepping {
    /// An illegal action ends the game instead of being refused.
    pub lose: bool,
    /// A game is stopped after this many pieces.
    pub limit: Option<u64>,
    /// A game that is over begins anew at the next step.
    pub autoreset: bool,
}

/// Games side by side.
pub struct Lanes<L: Lane> {
    pub rules: L::Rules,
    stepping: Stepping,
    slots: Vec<Slot<L>>,
}

struct Slot<L> {
    lane: L,
    seed: u64,
    index: u64,
    over: bool,
}

/// Games that one thread takes at a time.
const CHUNK: usize = 64;

impl<L: Lane> Lanes<L> {
    pub fn new(rules: L::Rules, games: usize, stepping: Stepping) -> Result<Lanes<L>, String> {
        let slot = |number: usize| Slot::begin(&rules, number as u64, 0, None);
        let slots = (0..games).map(slot).collect::<Result<_, _>>()?;
        Ok(Lanes { rules, stepping, slots })
    }

    /// Begins some games anew: with a seed the first game of it, else the next one of the seed before.
    pub fn reset(
        &mut self,
        games: &[(usize, Option<u64>)],
        start: Option<&Start>,
        mut out: Slices<'_>,
    ) -> Result<(), String> {
        for &(number, seed) in games {
            let slot = self.slots.get_mut(number).ok_or_else(|| format!("there is no game {number}"))?;
            let (seed, index) = seed.map_or((slot.seed, slot.index.wrapping_add(1)), |seed| (seed, 0));
            let begun = Slot::<L>::begin(&self.rules, seed, index, start)?;
            if start.is_some() && begun.over {
                return Err("no piece fits this board; give one with room".to_owned());
            }
            *slot = begun;
            slot.write_begin(&self.rules, &mut out.row(number))?;
        }
        Ok(())
    }

    /// Takes one action in each game. Nothing happens after an action is refused.
    pub fn step(
        &mut self,
        actions: &[i64],
        out: Slices<'_>,
        pool: Option<&ThreadPool>,
    ) -> Result<(), String> {
        let Lanes { rules, stepping, slots } = self;
        for (number, (slot, &action)) in slots.iter().zip(actions).enumerate() {
            if slot.over {
                if !stepping.autoreset {
                    return Err("the game is over; call reset()".to_owned());
                }
            } else if !stepping.lose && !slot.lane.is_legal(rules, action) {
                let one = if actions.len() > 1 { format!(" in environment {number}") } else { String::new() };
                return Err(format!(
                    "action {action} is not legal{one}; the action mask has the legal ones, and illegal=\"lose\" ends the \
                     game instead"
                ));
            }
        }
        match pool {
            Some(pool) if slots.len() > CHUNK => {
                pool.install(|| step_apart(rules, *stepping, slots, actions, out))
            }
            _ => step_some(rules, *stepping, slots, actions, out),
        }
    }

    /// A game.
    pub fn lane(&self, number: usize) -> Option<&L> {
        self.slots.get(number).map(|slot| &slot.lane)
    }

    /// The seed and the number of a game.
    pub fn origin(&self, number: usize) -> Option<(u64, u64)> {
        self.slots.get(number).map(|slot| (slot.seed, slot.index))
    }
}

fn step_apart<L: Lane>(
    rules: &L::Rules,
    stepping: Stepping,
    slots: &mut [Slot<L>],
    actions: &[i64],
    out: Slices<'_>,
) -> Result<(), String> {
    if slots.len() <= CHUNK {
        return step_some(rules, stepping, slots, actions, out);
    }
    let half = slots.len() / 2;
    let (slots, others) = slots.split_at_mut(half);
    let (actions, other_actions) = actions.split_at(half);
    let (out, other_out) = out.split_at(half);
    let (one, other) = rayon::join(
        || step_apart(rules, stepping, slots, actions, out),
        || step_apart(rules, stepping, others, other_actions, other_out),
    );
    one.and(other)
}

fn step_some<L: Lane>(
    rules: &L::Rules,
    stepping: Stepping,
    slots: &mut [Slot<L>],
    actions: &[i64],
    mut out: Slices<'_>,
) -> Result<(), String> {
    for (number, (slot, &action)) in slots.iter_mut().zip(actions).enumerate() {
        let mut row = out.row(number);
        if slot.over {
            *slot = Slot::begin(rules, slot.seed, slot.index.wrapping_add(1), None)?;
            slot.write_begin(rules, &mut row)?;
        } else {
            slot.step(rules, stepping, action, &mut row)?;
        }
    }
    Ok(())
}

impl<L: Lane> Slot<L> {
    fn begin(rules: &L::Rules, seed: u64, index: u64, start: Option<&Start>) -> Result<Slot<L>, String> {
        let lane = L::begin(rules, seed, index, start)?;
        let over = lane.outcome().is_some();
        Ok(Slot { lane, seed, index, over })
    }

    fn write_begin(&mut self, rules: &L::Rules, row: &mut Row<'_>) -> Result<(), String> {
        row.reward[0] = 0.0;
        row.terminated[0] = false;
        row.truncated[0] = false;
        row.regret.fill(0.0);
        self.show(rules, row, true)
    }

    #[inline]
    fn step(
        &mut self,
        rules: &L::Rules,
        stepping: Stepping,
        action: i64,
        row: &mut Row<'_>,
    ) -> Result<(), String> {
        if stepping.lose && !self.lane.is_legal(rules, action) {
            self.over = true;
            row.reward[0] = 0.0;
            row.terminated[0] = true;
            row.truncated[0] = false;
            row.outcome[0] = LOST;
            row.mask.fill(0);
            if !row.values.is_empty() {
                row.regret[0] = row.optimal[0];
                row.values.fill(f64::NAN);
                row.optimal[0] = 0.0;
            }
            return Ok(());
        }
        if !row.values.is_empty() {
            let value = usize::try_from(action).ok().and_then(|action| row.values.get(action));
            // Both may be without bound; then nothing is given away.
            let lost =
                |value: &f64| if *value == row.optimal[0] { 0.0 } else { (row.optimal[0] - value).max(0.0) };
            row.regret[0] = value.map_or(0.0, lost);
        }
        row.reward[0] = self.lane.play(rules, action);
        let over = self.lane.outcome().is_some();
        let stopped = !over && stepping.limit.is_some_and(|limit| self.lane.totals().pieces >= limit);
        row.terminated[0] = over;
        row.truncated[0] = stopped;
        self.over = over || stopped;
        self.show(rules, row, false)
    }

    #[inline]
    fn show(&mut self, rules: &L::Rules, row: &mut Row<'_>, all: bool) -> Result<(), String> {
        let totals = self.lane.totals();
        row.pieces[0] = totals.pieces as i64;
        row.lines[0] = totals.lines as i64;
        row.score[0] = totals.score;
        row.outcome[0] = match self.lane.outcome() {
            None => 0,
            Some(Outcome::Goal) => 1,
            Some(Outcome::ToppedOut) => LOST,
        };
        self.lane.show(rules, row, all)
    }
}

/// The outcome of a lost game.
const LOST: i8 = 2;
