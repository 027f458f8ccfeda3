//! Analysis: what a move cost, and where a game went wrong.

use bellmino_engine::RecordError;
use bellmino_engine::guideline::{Placement, Record, View};

use crate::bot::{Bot, Thought, Unit};
use crate::budget::Budget;

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

/// Judges one move. The position after the move is thought about with the same pieces in sight, so that both values
/// look equally far. `None` if the move cannot be played.
pub fn judge(
    bot: &mut Bot,
    view: &View,
    played: &Placement,
    number: usize,
    budget: Budget,
) -> Option<Judgement> {
    let thought = bot.think(view, budget, None);
    let best = thought.candidates.first()?;
    let same = best.placement.canonical() == played.canonical();
    let loss =
        if same { 0.0 } else { (best.value - value_of(bot, view, played, thought.unit, budget)?).max(0.0) };
    let verdict = Verdict::of(loss, thought.unit);
    Some(Judgement { number, played: *played, thought, loss, verdict })
}

/// Judges every move of a record; `step` sees each judgement and says whether to go on.
pub fn review(
    record: &Record,
    budget: Budget,
    mut step: impl FnMut(&Judgement) -> bool,
) -> Result<Vec<Judgement>, RecordError> {
    let mut moves = vec![];
    record.replay(|placement, _| moves.push(*placement))?;
    let (mut game, _) = record.opening()?;
    let mut judgements = vec![];
    for (index, placement) in moves.iter().enumerate() {
        // A fresh mind for each move: what it planned before should not colour its judgement.
        let mut bot = Bot::for_rules(&record.rules);
        if let Some(judgement) = judge(&mut bot, &game.view(), placement, index + 1, budget) {
            let go_on = step(&judgement);
            judgements.push(judgement);
            if !go_on {
                break;
            }
        }
        game.play(placement).map_err(|error| RecordError::placement(index + 1, &error))?;
    }
    Ok(judgements)
}

/// The value of a placement in the unit asked for, from what follows it.
fn value_of(bot: &mut Bot, view: &View, played: &Placement, unit: Unit, budget: Budget) -> Option<f64> {
    let mut after = view.clone();
    let clear = after.play(played).ok()?;
    let weights = &bot.settings().weights;
    let share = weights.share(view.rules.goal.pieces_left(after.pieces));
    let step = f64::from(weights.step(played.piece, &clear, share));
    if after.is_done() {
        let exact = if after.position.board.is_empty() { 1.0 } else { 0.0 };
        return Some(if unit == Unit::Chance { exact } else { step });
    }
    if after.queue.is_empty() {
        return None;
    }
    let mut fresh = Bot::new(bot.settings().clone());
    let thought = fresh.think(&after, budget, None);
    let best = thought.candidates.first();
    Some(match (unit, thought.unit) {
        (Unit::Chance, Unit::Chance) => best.map_or(0.0, |best| best.value),
        (Unit::Chance, _) => 0.0,
        // The end came in sight: nothing was lost.
        (_, Unit::Chance) => f64::INFINITY,
        // Without a placement the game is lost.
        _ => step + best.map_or(-1e6, |best| best.value),
    })
}
