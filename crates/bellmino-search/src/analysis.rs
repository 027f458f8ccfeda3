//! Analysis: what a move cost, and where a game went wrong.

use bellmino_engine::RecordError;
use bellmino_engine::guideline::{Placement, Record, View};

use crate::bot::{Bot, Thought, Unit};
use crate::budget::Budget;
use crate::evaluation::Weights;

/// What a lost game costs.
const LOST: f64 = 1e6;

/// What the bot thinks of a move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Which move of the game, counted from 1.
    pub number: usize,
    /// The placement.
    pub played: Placement,
    /// What the bot thinks of the position before it.
    pub thought: Thought,
    /// What the move lost against the best one, in the unit of the thought; 0 if it is as good.
    pub loss: f64,
    /// The loss in a word.
    pub verdict: Verdict,
}

impl Judgement {
    /// Whether the bot would have done the same.
    pub fn is_best(&self) -> bool {
        self.thought.best().is_some_and(|best| best.placement.canonical() == self.played.canonical())
    }

    /// Whether it lost the whole game.
    pub fn is_fatal(&self) -> bool {
        self.loss > LOST / 20.0
    }
}

/// The loss of a move in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Nothing worth mentioning.
    Good,
    /// A small loss.
    Inaccuracy,
    /// A loss that matters.
    Mistake,
    /// A loss of a big clear, or of the goal.
    Blunder,
}

impl Verdict {
    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Inaccuracy => "inaccuracy",
            Verdict::Mistake => "mistake",
            Verdict::Blunder => "blunder",
        }
    }

    /// The word for a loss. A blunder costs more than a back-to-back tetris, or most of the chance of an exact end.
    pub fn of(loss: f64, unit: Unit) -> Verdict {
        let bounds = match unit {
            Unit::Points => [200.0, 600.0, 1200.0],
            Unit::Stack | Unit::Own => [100.0, 300.0, 600.0],
            Unit::Chance => [0.1, 0.3, 0.6],
        };
        match bounds.iter().filter(|&&bound| loss >= bound).count() {
            0 => Verdict::Good,
            1 => Verdict::Inaccuracy,
            2 => Verdict::Mistake,
            _ => Verdict::Blunder,
        }
    }
}

/// Judges a move, number `number` of its game, by a bot that knows nothing of the game before. The position after the
/// move is thought about with the same pieces in sight, so that both values look equally far. `None` if the move cannot
/// be played.
pub fn judge(view: &View, played: &Placement, number: usize, budget: Budget) -> Option<Judgement> {
    let mut bot = Bot::for_rules(&view.rules);
    let thought = bot.think(view, budget, None);
    let best = thought.best()?;
    let loss = if best.placement.canonical() == played.canonical() {
        0.0
    } else {
        (best.value - value_of(&bot.settings().weights, view, played, thought.unit, budget)?).max(0.0)
    };
    let verdict = Verdict::of(loss, thought.unit);
    Some(Judgement { number, played: *played, thought, loss, verdict })
}

/// Judges every move of a record, each as [`judge`] does by itself; `step` hears each judgement and says whether to go
/// on.
pub fn review(
    record: &Record,
    budget: Budget,
    mut step: impl FnMut(Judgement) -> bool,
) -> Result<(), RecordError> {
    for (index, (view, placement)) in record.moves()?.iter().enumerate() {
        if let Some(judgement) = judge(view, placement, index + 1, budget)
            && !step(judgement)
        {
            break;
        }
    }
    Ok(())
}

/// The value of a placement in the unit asked for, from what follows it.
fn value_of(weights: &Weights, view: &View, played: &Placement, unit: Unit, budget: Budget) -> Option<f64> {
    let mut after = view.clone();
    let clear = after.play(played).ok()?;
    let share = weights.share(view.rules.goal.pieces_left(after.pieces));
    let step = f64::from(weights.step(played.piece, &clear, share));
    if after.is_done() {
        let exact = if after.position.board.is_empty() { 1.0 } else { 0.0 };
        return Some(if unit == Unit::Chance { exact } else { step });
    }
    if after.queue.is_empty() {
        return None;
    }
    let thought = Bot::for_rules(&after.rules).think(&after, budget, None);
    let best = thought.best();
    Some(match (unit, thought.unit) {
        (Unit::Chance, Unit::Chance) => best.map_or(0.0, |best| best.value),
        (Unit::Chance, _) => 0.0,
        // The end came in sight: nothing was lost.
        (_, Unit::Chance) => f64::INFINITY,
        // Without a placement the game is lost.
        _ => step + best.map_or(-LOST, |best| best.value),
    })
}
