//! Climbs: how many lines a player makes per loss, if it loses too rarely to wait for it.
//!
//! A good player comes back from nearly every high stack. So the way to a loss is cut into levels of the sum of the column
//! heights. Play as usual tells how often the stack leaves a low board for the first level; from where it got there, climbs
//! tell how often it gets to the second before it is low again, and so on until every climb that goes on is lost. The rate of
//! losses is the product of all these. This is multilevel splitting with a fixed number of successes for each level: nothing is
//! assumed about how the chances change from level to level, and levels that are chosen badly cost precision, not truth.

use bellmino_engine::{Purpose, stream};
use thiserror::Error;

use crate::simulator::{Foothold, Simulator};

/// Someone who plays a game piece by piece, and can go on from where a game once stood.
pub trait Climber {
    /// Where a game stands.
    type Foothold: Clone;

    /// Starts a game on the empty board. The same index brings the same pieces.
    fn start(&mut self, index: u64);

    /// Goes on from there with other pieces; lines and pieces are counted from 0.
    fn go_on(&mut self, from: &Self::Foothold, index: u64);

    /// Plays one piece; says whether the game is lost.
    fn play(&mut self) -> bool;

    /// The sum of the heights of all columns.
    fn aggregate_height(&self) -> usize;

    /// Where the game stands.
    fn foothold(&self) -> Self::Foothold;

    /// Rows cleared and pieces placed since the start, or since it went on.
    fn counts(&self) -> (u64, u64);
}

/// How an ascent is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climbing {
    /// Climbs that must succeed at each level.
    climbs: usize,
    /// What counts as a low board, and how far levels are apart: heights of all columns together.
    low: usize,
    step: usize,
}

/// What one ascent from play as usual to losses tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Ascent {
    /// Losses per line.
    pub rate: f64,
    /// Each level, by the sum of the column heights, and the chance to get there from the one before.
    pub levels: Vec<(usize, f64)>,
    /// Climbs that ended with a loss.
    pub losses: u64,
    /// Pieces placed in all.
    pub pieces: u64,
}

/// Why an ascent has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoAscent {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// A level that hardly any climb reaches.
    #[error(
        "hardly any climb gets from the level before to heights of {0} in all columns together: this player may never lose"
    )]
    TooRare(usize),
}

/// Pieces of play as usual that say what a low board is.
const PILOT: usize = 4000;
/// Their games are counted from here on.
const PILOT_INDEX: u64 = 1 << 63;
/// Tries at each level, and thousands of pieces of play as usual, for each success that is wanted.
const PATIENCE: u64 = 1000;
/// Indices of climbs are counted from here on for each run.
const RUN: u64 = 1 << 40;

impl Climbing {
    /// So many climbs must succeed at each level (at least two), levels are `step` apart in the sum of the column heights; a board
    /// is low if it is not above the mean of this climber's play as usual.
    pub fn new<C: Climber>(climber: &mut C, climbs: usize, step: usize) -> Climbing {
        let mut sum = 0;
        let mut index = PILOT_INDEX;
        climber.start(index);
        for _ in 0..PILOT {
            if climber.play() {
                index += 1;
                climber.start(index);
            }
            sum += climber.aggregate_height();
        }
        Climbing { climbs: climbs.max(2), low: sum / PILOT, step: step.max(1) }
    }

    /// Ascends once. Runs of different numbers are independent; the same number gives the same. `go_on` is asked now and then.
    pub fn ascend<C: Climber>(
        &self,
        climber: &mut C,
        run: u64,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Ascent, NoAscent> {
        let mut indices = run * RUN..;
        let mut index = || indices.next().unwrap_or_default();
        let Climbing { climbs: wanted, low, step } = *self;
        let mut level = low + step;

        // Play as usual: how often does the stack leave the low boards?
        let mut ledge: Vec<Option<C::Foothold>> = Vec::with_capacity(wanted);
        let (mut lines, mut pieces) = (0, 0);
        let mut count = |climber: &C| {
            let (cleared, placed) = climber.counts();
            lines += cleared;
            pieces += placed;
        };
        climber.start(index());
        let mut was_low = true;
        let mut patience = PATIENCE * PATIENCE * wanted as u64;
        while ledge.len() < wanted {
            patience = patience.checked_sub(1).ok_or(NoAscent::TooRare(level))?;
            if patience.is_multiple_of(4096) && !go_on() {
                return Err(NoAscent::Stopped);
            }
            if climber.play() {
                if was_low {
                    ledge.push(None);
                }
                count(climber);
                climber.start(index());
                was_low = true;
                continue;
            }
            let height = climber.aggregate_height();
            if height <= low {
                was_low = true;
            } else if was_low && height >= level {
                was_low = false;
                ledge.push(Some(climber.foothold()));
            }
        }
        count(climber);
        let mut rate = ledge.len() as f64 / lines.max(1) as f64;

        // From level to level, until all that is left is lost. A lost climb has passed every level.
        let mut levels = Vec::new();
        while ledge.iter().any(Option::is_some) {
            level += step;
            let mut next = Vec::with_capacity(wanted);
            let mut tried: u64 = 0;
            for from in ledge.iter().cycle() {
                if !go_on() {
                    return Err(NoAscent::Stopped);
                }
                tried += 1;
                if tried > PATIENCE * wanted as u64 {
                    return Err(NoAscent::TooRare(level));
                }
                if let Some(end) = climb(climber, from.as_ref(), index(), low..level, &mut pieces) {
                    next.push(end);
                    if next.len() == wanted {
                        break;
                    }
                }
            }
            // With a fixed number of successes this is the estimate without a bias.
            let chance = (wanted - 1) as f64 / (tried - 1) as f64;
            rate *= chance;
            levels.push((level, chance));
            ledge = next;
        }
        Ok(Ascent { rate, levels, losses: wanted as u64, pieces })
    }
}

/// One climb from somewhere: `None` if the stack is low again first, else where it got to the end of `levels`, or that it is lost.
fn climb<C: Climber>(
    climber: &mut C,
    from: Option<&C::Foothold>,
    index: u64,
    levels: std::ops::Range<usize>,
    pieces: &mut u64,
) -> Option<Option<C::Foothold>> {
    let Some(from) = from else { return Some(None) };
    climber.go_on(from, index);
    let end = loop {
        let height = climber.aggregate_height();
        if height >= levels.end {
            break Some(Some(climber.foothold()));
        }
        if height <= levels.start {
            break None;
        }
        if climber.play() {
            break Some(None);
        }
    };
    *pieces += climber.counts().1;
    end
}

/// The simulator as a climber, with all chance from one seed.
#[derive(Clone, Debug)]
pub struct SimulatorClimber {
    simulator: Simulator,
    seed: u64,
}

impl SimulatorClimber {
    /// A climber whose pieces come from this seed.
    pub fn new(simulator: Simulator, seed: u64) -> SimulatorClimber {
        SimulatorClimber { simulator, seed }
    }
}

impl Climber for SimulatorClimber {
    type Foothold = Foothold;

    fn start(&mut self, index: u64) {
        self.simulator.start(stream(self.seed, Purpose::Dealer, index));
    }

    fn go_on(&mut self, from: &Foothold, index: u64) {
        self.simulator.go_on(from, stream(self.seed, Purpose::Dealer, index));
    }

    fn play(&mut self) -> bool {
        self.simulator.play(1)
    }

    fn aggregate_height(&self) -> usize {
        self.simulator.aggregate_height()
    }

    fn foothold(&self) -> Foothold {
        self.simulator.foothold()
    }

    fn counts(&self) -> (u64, u64) {
        let tally = self.simulator.tally();
        (tally.lines(), tally.pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk on 0, 1, ..., `top`: up with probability 0.4, else down; every step is a line. At the top it is lost.
    struct Walk {
        place: usize,
        top: usize,
        lines: u64,
        chance: bellmino_engine::Generator,
    }

    impl Climber for Walk {
        type Foothold = usize;

        fn start(&mut self, index: u64) {
            self.go_on(&0, index);
        }

        fn go_on(&mut self, from: &usize, index: u64) {
            (self.place, self.lines) = (*from, 0);
            self.chance = stream(7, Purpose::Dealer, index);
        }

        fn play(&mut self) -> bool {
            self.lines += 1;
            let up = bellmino_engine::unit(&mut self.chance) < 0.4;
            self.place = if up { self.place + 1 } else { self.place.saturating_sub(1) };
            self.place == self.top
        }

        fn aggregate_height(&self) -> usize {
            self.place
        }

        fn foothold(&self) -> usize {
            self.place
        }

        fn counts(&self) -> (u64, u64) {
            (self.lines, self.lines)
        }
    }

    /// The expected time from 0 to `top`, from its recurrence: `up[k]` is the time from `k` to `k + 1`.
    fn expected_time(top: usize) -> f64 {
        let mut up = vec![1.0 / 0.4];
        for k in 1..top {
            up.push((1.0 + 0.6 * up[k - 1]) / 0.4);
        }
        up.iter().sum()
    }

    #[test]
    fn a_walk_is_lost_as_often_as_its_recurrence_says() {
        // Beyond four standard errors of ten runs (nine degrees of freedom): one seed in some 300 for each; the seed is fixed.
        for (top, step) in [(12, 1), (40, 2), (40, 3)] {
            let start = || Walk { place: 0, top, lines: 0, chance: stream(7, Purpose::Dealer, 0) };
            let climbing = Climbing::new(&mut start(), 400, step);
            let rates: Vec<f64> = (0..10)
                .map(|run| climbing.ascend(&mut start(), run, &|| true).expect("not stopped").rate)
                .collect();
            let mean = rates.iter().sum::<f64>() / 10.0;
            let spread = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / 9.0;
            let error = (spread / 10.0).sqrt();
            let truth = 1.0 / expected_time(top);
            assert!((mean - truth).abs() < 4.0 * error, "{top} {step}: {mean} {truth} {error}");
            assert!(error < 0.15 * truth, "{top} {step}: {error} of {truth}");
        }
    }

    #[test]
    fn who_never_gets_there_is_told_so() {
        // From 0 to 60 at once is beyond patience.
        let mut walk = Walk { place: 0, top: 90, lines: 0, chance: stream(7, Purpose::Dealer, 0) };
        let climbing = Climbing::new(&mut walk, 2, 60);
        let why = climbing.ascend(&mut walk, 0, &|| true).unwrap_err();
        assert!(matches!(why, NoAscent::TooRare(60..)), "{why}");
    }

    #[test]
    fn an_ascent_can_be_stopped() {
        let mut walk = Walk { place: 0, top: 40, lines: 0, chance: stream(7, Purpose::Dealer, 0) };
        let climbing = Climbing::new(&mut walk, 100, 1);
        assert_eq!(climbing.ascend(&mut walk, 0, &|| false), Err(NoAscent::Stopped));
    }
}
