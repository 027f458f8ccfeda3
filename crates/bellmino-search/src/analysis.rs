//! Analysis: the best placements of a position, what a move cost, and where a game went wrong, in the game's own coin.

use bellmino_engine::guideline::{Clear, Placement, Play, Record, View};
use bellmino_engine::{Outcome, RecordError};

use crate::bot::{Bot, Candidate, Thought, ValueUnit};
use crate::budget::Budget;
use crate::evaluation::Weights;
use crate::expansion::DONE;
use crate::forecast::{Calibration, Forecast};
use crate::reason::{Reason, holes};

/// What the bot thinks of a position, placement by placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// What it thought.
    pub thought: Thought,
    /// What losses are counted in.
    pub coin: Coin,
    /// What is expected of the game if the best placement is played; `None` in a game without an end.
    pub forecast: Option<Forecast>,
    /// Placements, those that lose least first; the first is the bot's own and loses nothing.
    pub choices: Vec<Choice>,
}

/// A placement beside the best one.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The placement.
    pub placement: Placement,
    /// Whether another piece goes into hold for it.
    pub held: bool,
    /// What it clears.
    pub clear: Clear,
    /// How play might go on, this placement first.
    pub line: Vec<Placement>,
    /// What is expected of the game after it; never better than after the best one.
    pub forecast: Option<Forecast>,
    /// What it loses against the best one, in the coin of the game; 0 if it is as good.
    pub loss: f64,
    /// Whether it loses the whole game.
    pub fatal: bool,
    /// What it does worse, as far as that has words.
    pub reasons: Vec<Reason>,
    /// How far it is behind the best one in the unit of the search.
    behind: f64,
}

/// What losses are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coin {
    /// Pieces until the last row is cleared.
    Pieces,
    /// Points.
    Points,
}

impl Coin {
    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Coin::Pieces => "pieces",
            Coin::Points => "points",
        }
    }

    /// The coin of a game.
    fn of(view: &View) -> Coin {
        if view.rules.goal.lines.is_some() { Coin::Pieces } else { Coin::Points }
    }

    /// An amount for people, with no more digits than are known: points to the ten, pieces to the tenth.
    pub fn rounded(self, amount: f64) -> f64 {
        match self {
            Coin::Points => (amount / 10.0).round() * 10.0,
            Coin::Pieces => (amount * 10.0).round() / 10.0,
        }
    }
}

/// A move of a recorded game.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which move of the game, counted from 1.
    pub number: usize,
    /// What the player saw before it.
    pub view: View,
    /// Points made before it.
    pub score: u64,
    /// The placement.
    pub played: Placement,
    /// Whether there were more holes than before it for long: over the next seven pieces, or until the game was lost.
    pub holes_stay: bool,
}

/// What the bot thinks of a move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Which move of the game, counted from 1.
    pub number: usize,
    /// Points made before it.
    pub score: u64,
    /// What the bot thinks of the position before it; the move is among the choices.
    pub analysis: Analysis,
    /// Which of the choices it is.
    choice: usize,
    /// The loss in a word.
    pub verdict: Verdict,
}

impl Judgement {
    /// The move.
    pub fn played(&self) -> &Choice {
        &self.analysis.choices[self.choice]
    }

    /// Which of the choices the move is, from 0.
    pub fn place(&self) -> usize {
        self.choice
    }

    /// The best choice.
    pub fn best(&self) -> &Choice {
        &self.analysis.choices[0]
    }

    /// Whether the bot would have done the same, or something just as good.
    pub fn is_best(&self) -> bool {
        self.choice == 0
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

    /// The word for a loss: a blunder costs more than a T-spin double, or a piece. How often each comes up in games of
    /// players of several strengths is in `docs/BOT.md`.
    pub fn of(loss: f64, coin: Coin) -> Verdict {
        let bounds = match coin {
            Coin::Points => [1300.0, 1800.0, 2500.0],
            Coin::Pieces => [0.15, 0.4, 1.0],
        };
        match bounds.iter().filter(|&&bound| loss >= bound).count() {
            0 => Verdict::Good,
            1 => Verdict::Inaccuracy,
            2 => Verdict::Mistake,
            _ => Verdict::Blunder,
        }
    }
}

/// The best placements of a position, `top` of them at most, by a bot that knows nothing of the game before; `None` if there
/// is none.
pub fn analyse(view: &View, top: usize, budget: Budget) -> Option<Analysis> {
    compare(view, top, None, budget).map(|(analysis, _)| analysis)
}

/// Judges a move beside the best placements, `top` of them at most. `None` if the move cannot be played.
///
/// The bot mends any stack it survives, so that early in a Sprint hardly anything costs a piece. Whoever makes a hole that the best
/// placement does not make, is far behind it by the search's own measure, and does not mend it, is told so all the same: it is
/// an inaccuracy at least.
pub fn judge(step: &Step, top: usize, budget: Budget) -> Option<Judgement> {
    let (mut analysis, choice) = compare(&step.view, top, Some(&step.played), budget)?;
    let coin = analysis.coin;
    let played = &mut analysis.choices[choice];
    let mut verdict = Verdict::of(played.loss, coin);
    let makes_holes = |reason: &Reason| matches!(reason, Reason::MakesHoles(_));
    if step.holes_stay
        && coin == Coin::Pieces
        && played.behind >= MUCH
        && let Some(place) = played.reasons.iter().position(makes_holes)
    {
        verdict = verdict.max(Verdict::Inaccuracy);
        played.reasons.insert(place + 1, Reason::HolesStay);
    }
    Some(Judgement { number: step.number, score: step.score, analysis, choice, verdict })
}

/// Judges every move of a record, each as [`judge`] does by itself beside the best one; `hear` hears each judgement and says
/// whether to go on.
pub fn review(
    record: &Record,
    budget: Budget,
    mut hear: impl FnMut(Judgement) -> bool,
) -> Result<(), RecordError> {
    for step in steps(record)? {
        if let Some(judgement) = judge(&step, 1, budget)
            && !hear(judgement)
        {
            break;
        }
    }
    Ok(())
}

/// The moves of a record as they are judged: a game that ended with its time has as many pieces as were placed in that time,
/// and one that was lost before as many as the game has without a clock.
pub fn steps(record: &Record) -> Result<Vec<Step>, RecordError> {
    let moves = record.moves()?;
    let timed = matches!(record.play, Play::Timed { .. }) && record.rules.goal.seconds.is_some();
    let topped_out = record.summary.as_ref().is_some_and(|end| end.outcome == Some(Outcome::ToppedOut));
    let placed = moves.len() as u32;
    let whole = record.rules.goal.pieces.filter(|_| topped_out).map_or(placed, |pieces| pieces.max(placed));
    let mut score = 0;
    let step = |(index, (mut view, played)): (usize, (View, Placement))| {
        let before = score;
        score += view.clone().play(&played).map_or(0, |clear| u64::from(clear.points));
        if timed {
            view.rules.goal.pieces = Some(whole);
        }
        Step { number: index + 1, view, score: before, played, holes_stay: false }
    };
    let holes: Vec<i32> = moves.iter().map(|(view, _)| holes(&view.position.board)).collect();
    let stay = |number: usize| {
        let later = &holes[number.min(holes.len())..(number + LONG).min(holes.len())];
        (later.len() == LONG || topped_out) && later.iter().all(|&then| then > holes[number - 1])
    };
    let steps = moves.into_iter().enumerate().map(step);
    Ok(steps.map(|step| Step { holes_stay: stay(step.number), ..step }).collect())
}

/// So far behind the best placement, in the unit of the search, a hole is no matter of taste: the bot's own are not.
const MUCH: f64 = 1000.0;

/// Over so many pieces holes are there for long.
const LONG: usize = 7;

/// The best placements and one more, all by one measure, and which of them that one is.
fn compare(view: &View, top: usize, also: Option<&Placement>, budget: Budget) -> Option<(Analysis, usize)> {
    let mut bot = Bot::for_rules(&view.rules);
    let thought = bot.think(view, budget, None);
    let coin = Coin::of(view);
    let best = thought.best()?.clone();
    let scale = LossScale { view, thought: &thought, weights: &bot.settings().weights, best: &best, budget };
    let also = also.map(Placement::canonical);
    let mut listed: Vec<Placement> =
        thought.candidates.iter().take(top.max(1)).map(|one| one.placement).collect();
    listed.extend(also.filter(|also| listed.iter().all(|one| one.canonical() != *also)));
    let mut choices =
        listed.iter().map(|placement| scale.choice(placement)).collect::<Option<Vec<Choice>>>()?;
    // The bot's own stays first among equal ones.
    choices.sort_by(|one, other| one.loss.total_cmp(&other.loss));
    let forecast = choices[0].forecast;
    let is_it = |choice: &Choice| Some(choice.placement.canonical()) == also;
    let place = choices.iter().position(is_it).unwrap_or(0);
    Some((Analysis { thought, coin, forecast, choices }, place))
}

/// What placements of one position are measured by.
struct LossScale<'a> {
    view: &'a View,
    thought: &'a Thought,
    weights: &'a Weights,
    best: &'a Candidate,
    budget: Budget,
}

/// What is known of a placement.
struct Worth {
    /// In the unit of the thought; compared where there is no forecast.
    value: f64,
    forecast: Option<Forecast>,
    line: Vec<Placement>,
    fatal: bool,
}

impl LossScale<'_> {
    fn choice(&self, placement: &Placement) -> Option<Choice> {
        let clear = self.view.clone().play(placement).ok()?;
        let same = |candidate: &&Candidate| candidate.placement.canonical() == placement.canonical();
        let known = self.thought.candidates.iter().find(same).filter(|candidate| self.is_compared(candidate));
        let worth = match known {
            Some(candidate) => self.of_candidate(candidate),
            None => self.of_what_follows(placement, &clear)?,
        };
        let best = self.of_candidate(self.best);
        let loss = match (best.forecast, worth.forecast) {
            (Some(best), Some(forecast)) => best.worth() - forecast.worth(),
            _ => best.value - worth.value,
        };
        let is_worse = loss > 0.0;
        let mut reasons =
            if is_worse { Reason::of(self.view, placement, &self.best.placement) } else { vec![] };
        if worth.fatal {
            reasons.insert(0, Reason::EndsTheGame);
        }
        Some(Choice {
            placement: *placement,
            held: self.view.queue.first() != Some(&placement.piece),
            clear,
            line: worth.line,
            forecast: if is_worse { worth.forecast } else { best.forecast },
            loss: loss.max(0.0),
            fatal: worth.fatal && is_worse,
            reasons,
            behind: best.value - worth.value,
        })
    }

    /// Whether the search followed a candidate as far as the best one.
    fn is_compared(&self, candidate: &Candidate) -> bool {
        let done = f64::from(DONE);
        match self.thought.unit {
            ValueUnit::Chance => true,
            _ if self.best.value >= done => candidate.value >= done,
            _ => candidate.line.len() >= self.best.line.len(),
        }
    }

    fn of_candidate(&self, candidate: &Candidate) -> Worth {
        Worth {
            value: candidate.value,
            forecast: Calibration::shipped().forecast(self.view, self.thought, candidate),
            line: candidate.line.clone(),
            fatal: false,
        }
    }

    /// A placement that was not followed far enough: the position after it is thought about, with the same pieces in sight, so
    /// that both look equally far.
    fn of_what_follows(&self, placement: &Placement, clear: &Clear) -> Option<Worth> {
        let mut after = self.view.clone();
        after.play(placement).ok()?;
        let share = self.weights.share(self.view.rules.goal.pieces_left(after.pieces));
        let step = f64::from(self.weights.step(placement.piece, clear, share));
        let here = |value: f64, rest: &[Placement]| {
            let line: Vec<Placement> = [*placement].into_iter().chain(rest.iter().copied()).collect();
            self.of_candidate(&Candidate { placement: *placement, value, line })
        };
        if after.is_done() {
            let rows = Coin::of(&after) == Coin::Pieces;
            return Some(here(if rows { f64::from(DONE) } else { step }, &[]));
        }
        if after.queue.is_empty() {
            // Nothing more is known than that the search dropped it.
            let last = self.thought.candidates.last()?;
            return Some(here(last.value.min(step), &[]));
        }
        let thought = Bot::for_rules(&after.rules).think(&after, self.budget, None);
        let Some(best) = thought.best() else {
            let forecast = Forecast::lost(self.view).map(|lost| match lost {
                Forecast::Points { .. } => Forecast::Points { to_come: f64::from(clear.points) },
                lost => lost,
            });
            return Some(Worth { value: step - LOST, forecast, line: vec![*placement], fatal: true });
        };
        let done = f64::from(DONE);
        Some(match (self.thought.unit, thought.unit) {
            (_, ValueUnit::Stack) if best.value >= done => here(done, &best.line),
            (one, other) if one == other && one != ValueUnit::Chance => here(step + best.value, &best.line),
            _ => {
                let worth = here(step + best.value, &best.line);
                Worth { forecast: Calibration::shipped().forecast(&after, &thought, best), ..worth }
            }
        })
    }
}

/// What losing a game without an end costs, in points.
const LOST: f64 = 1e5;
