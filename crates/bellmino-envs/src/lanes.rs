//! Many games side by side, whatever they are: each takes an action and writes what came of it.

use bellmino_engine::{Outcome, Totals};

use crate::arrays::{LaneArrays, Slices};
use crate::decoded::Decoded;
use crate::error::EnvError;

/// One game of an environment.
pub trait Lane: Sized + Send {
    /// What all games have in common.
    type Rules: Send + Sync;

    /// Game number `index` of a seed, from its own beginning or from another.
    fn begin(
        rules: &Self::Rules,
        seed: u64,
        index: u64,
        beginning: Option<&Beginning>,
    ) -> Result<Self, EnvError>;

    /// How it ended, if it has.
    fn outcome(&self) -> Option<Outcome>;

    /// Whether the action may be taken.
    fn is_legal(&self, rules: &Self::Rules, action: i64) -> bool;

    /// Takes a legal action and gives its points.
    fn play(&mut self, rules: &Self::Rules, action: i64) -> f64;

    /// Pieces, rows and points so far.
    fn totals(&self) -> Totals;

    /// Whether everything that [`Lane::show`] needs is known.
    fn is_known(&self, _rules: &Self::Rules) -> bool {
        true
    }

    /// Writes what is seen: all of it, or what the last action has changed.
    fn show(&mut self, rules: &Self::Rules, out: &mut LaneArrays<'_>, all: bool) -> Result<(), Unknown>;

    /// What an action is; `None` if there is no such number.
    fn decode(&self, rules: &Self::Rules, action: i64) -> Option<Decoded>;

    /// The number of a legal action.
    fn encode(&self, rules: &Self::Rules, action: &Decoded) -> Option<i64>;

    /// The number of the piece that was placed last, and its cells, `[column, row]`.
    fn placed(&self, rules: &Self::Rules) -> Option<(usize, Vec<[usize; 2]>)>;
}

/// The oracle does not know a board. (Small, as it is handed up in the innermost loop.)
#[derive(Clone, Copy, Debug)]
pub struct Unknown;

impl From<Unknown> for EnvError {
    fn from(_: Unknown) -> EnvError {
        EnvError::UnknownBoard
    }
}

/// Where a game begins that does not begin with an empty board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// The board, rows from the top apart by `/` or line breaks.
    pub board: String,
    /// The held piece, of guideline games.
    pub hold: Option<String>,
    /// The current piece and those after it, of guideline games.
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
pub struct GameLanes<L: Lane> {
    rules: L::Rules,
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

/// The outcome of a lost game.
const LOST: i8 = 2;

impl<L: Lane> GameLanes<L> {
    /// So many games; game `i` is the first of seed `i`.
    pub fn new(rules: L::Rules, lanes: usize, stepping: Stepping) -> Result<GameLanes<L>, EnvError> {
        let slot = |number: usize| Slot::begin(&rules, number as u64, 0, None);
        let slots = (0..lanes).map(slot).collect::<Result<_, _>>()?;
        Ok(GameLanes { rules, stepping, slots })
    }

    /// Begins some games anew: with a seed the first game of it, else the next one of the seed before. All or none.
    pub fn reset(
        &mut self,
        lanes: &[(usize, Option<u64>)],
        beginning: Option<&Beginning>,
        mut out: Slices<'_>,
    ) -> Result<(), EnvError> {
        let begin = |&(number, seed): &(usize, Option<u64>)| {
            let slot = self.slots.get(number).ok_or(EnvError::NoLane(number))?;
            let (seed, index) = seed.map_or((slot.seed, slot.index.wrapping_add(1)), |seed| (seed, 0));
            let begun = Slot::<L>::begin(&self.rules, seed, index, beginning)?;
            if beginning.is_some() && begun.over {
                return Err(EnvError::NoRoom);
            }
            if beginning.is_some() && !begun.lane.is_known(&self.rules) {
                return Err(EnvError::UnknownBoard);
            }
            Ok((number, begun))
        };
        let begun = lanes.iter().map(begin).collect::<Result<Vec<_>, EnvError>>()?;
        for (number, begun) in begun {
            let slot = &mut self.slots[number];
            *slot = begun;
            slot.write_begin(&self.rules, &mut out.lane(number))?;
        }
        Ok(())
    }

    /// Takes one action in each game. Nothing happens after an action is refused. If `shared`, the threads of the pool
    /// that this is called in take part.
    pub fn step(&mut self, actions: &[i64], out: Slices<'_>, shared: bool) -> Result<(), EnvError> {
        let GameLanes { rules, stepping, slots } = self;
        if actions.len() != slots.len() {
            return Err(EnvError::Actions { given: actions.len(), lanes: slots.len() });
        }
        for (lane, (slot, &action)) in slots.iter().zip(actions).enumerate() {
            if slot.over {
                if !stepping.autoreset {
                    return Err(EnvError::Over(lane));
                }
            } else if !stepping.lose && !slot.lane.is_legal(rules, action) {
                return Err(EnvError::Illegal { lane, action });
            }
        }
        let step = if shared { step_apart } else { step_some };
        Ok(step(rules, *stepping, slots, actions, out)?)
    }

    /// A game and the rules of all of them.
    pub fn lane(&self, number: usize) -> Option<(&L, &L::Rules)> {
        self.slots.get(number).map(|slot| (&slot.lane, &self.rules))
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
) -> Result<(), Unknown> {
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
) -> Result<(), Unknown> {
    for (number, (slot, &action)) in slots.iter_mut().zip(actions).enumerate() {
        let mut out = out.lane(number);
        if slot.over {
            // Begun like this, a game knows no reason to refuse.
            if let Ok(begun) = Slot::begin(rules, slot.seed, slot.index.wrapping_add(1), None) {
                *slot = begun;
            }
            slot.write_begin(rules, &mut out)?;
        } else {
            slot.step(rules, stepping, action, &mut out)?;
        }
    }
    Ok(())
}

impl<L: Lane> Slot<L> {
    fn begin(
        rules: &L::Rules,
        seed: u64,
        index: u64,
        beginning: Option<&Beginning>,
    ) -> Result<Slot<L>, EnvError> {
        let lane = L::begin(rules, seed, index, beginning)?;
        let over = lane.outcome().is_some();
        Ok(Slot { lane, seed, index, over })
    }

    fn write_begin(&mut self, rules: &L::Rules, out: &mut LaneArrays<'_>) -> Result<(), Unknown> {
        out.reward[0] = 0.0;
        out.terminated[0] = false;
        out.truncated[0] = false;
        out.regret.fill(0.0);
        self.show(rules, out, true)
    }

    #[inline]
    fn step(
        &mut self,
        rules: &L::Rules,
        stepping: Stepping,
        action: i64,
        out: &mut LaneArrays<'_>,
    ) -> Result<(), Unknown> {
        if stepping.lose && !self.lane.is_legal(rules, action) {
            self.over = true;
            out.reward[0] = 0.0;
            out.terminated[0] = true;
            out.truncated[0] = false;
            out.outcome[0] = LOST;
            out.mask.fill(0);
            if !out.values.is_empty() {
                out.regret[0] = out.optimal[0];
                out.values.fill(f64::NAN);
                out.optimal[0] = 0.0;
            }
            return Ok(());
        }
        if !out.values.is_empty() {
            let value = usize::try_from(action).ok().and_then(|action| out.values.get(action));
            // Both may be without bound; then nothing is given away.
            let lost =
                |value: &f64| if *value == out.optimal[0] { 0.0 } else { (out.optimal[0] - value).max(0.0) };
            out.regret[0] = value.map_or(0.0, lost);
        }
        out.reward[0] = self.lane.play(rules, action);
        let over = self.lane.outcome().is_some();
        let stopped = !over && stepping.limit.is_some_and(|limit| self.lane.totals().pieces >= limit);
        out.terminated[0] = over;
        out.truncated[0] = stopped;
        self.over = over || stopped;
        self.show(rules, out, false)
    }

    #[inline]
    fn show(&mut self, rules: &L::Rules, out: &mut LaneArrays<'_>, all: bool) -> Result<(), Unknown> {
        let totals = self.lane.totals();
        out.pieces[0] = totals.pieces as i64;
        out.lines[0] = totals.lines as i64;
        out.score[0] = totals.score;
        out.outcome[0] = match self.lane.outcome() {
            None => 0,
            Some(Outcome::Goal) => 1,
            Some(Outcome::ToppedOut) => LOST,
        };
        self.lane.show(rules, out, all)
    }
}
