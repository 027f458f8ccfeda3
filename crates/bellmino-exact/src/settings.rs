//! What is asked of a solver: the objective, who deals, who places, what is known, and how.

use std::fmt;
use std::str::FromStr;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, Grid, PackedBoard, ScoreTable};
use thiserror::Error;

use crate::sides::Policy;

/// Everything that defines a solution beside the game itself.
///
/// ```
/// use bellmino_exact::{Dealing, Objective, SolveSettings};
///
/// let settings = SolveSettings { dealing: Dealing::Worst, ..SolveSettings::new(Objective::Discounted(0.9)) };
/// assert_eq!(settings.objective.to_string(), "discounted:0.9");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SolveSettings {
    /// What is maximised.
    pub objective: Objective,
    /// Who chooses the next piece.
    pub dealing: Dealing,
    /// Who chooses among the placements.
    pub placing: Placing,
    /// How many pieces beyond the current one are known.
    pub preview: usize,
    /// Whether one piece can be put aside.
    pub hold: bool,
    /// What the player sees of a board.
    pub view: Abstraction,
    /// Weights of a reward other than the score.
    pub reward: Option<Reward>,
    /// The wanted proven bound on the value; 1e-9 times max(1, |value|) when absent.
    pub epsilon: Option<f64>,
    /// How the fixed point is found.
    pub method: SolveMethod,
    /// The most sweeps to make; the bound is then what it is. Unlimited when absent.
    pub max_sweeps: Option<u64>,
    /// Where the game starts; the empty board when absent.
    pub from: Option<Board>,
    /// The most memory to use, in bytes; unlimited when absent.
    pub memory: Option<u64>,
    /// Whether every stage of a `horizon` is kept, so that its time-dependent policy can be played.
    pub keep_stages: bool,
}

impl SolveSettings {
    /// The plain optimum against the game's own dealer.
    pub fn new(objective: Objective) -> SolveSettings {
        SolveSettings {
            objective,
            dealing: Dealing::Random,
            placing: Placing::Best,
            preview: 0,
            hold: false,
            view: Abstraction::Grid,
            reward: None,
            epsilon: None,
            method: SolveMethod::Auto,
            max_sweeps: None,
            from: None,
            memory: None,
            keep_stages: false,
        }
    }

    /// How many pieces beyond the current one are on the table when the dealer chooses: one more than the player's
    /// preview if the dealer names the next piece before the placement.
    pub fn queue(&self) -> usize {
        self.preview + usize::from(self.dealing == Dealing::WorstBefore)
    }

    /// How many pieces beyond the current one a given player sees.
    pub(crate) fn seen_by(&self, player: &dyn Policy) -> usize {
        if player.sees_named() { self.queue() } else { self.preview }
    }

    pub(crate) fn wanted(&self, value: f64) -> f64 {
        self.epsilon.unwrap_or(1e-9 * value.abs().max(1.0))
    }
}

/// What is maximised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The sum of rewards, each step worth this factor less than the one before.
    Discounted(f64),
    /// The sum of rewards of this many pieces.
    Horizon(u32),
    /// The sum of rewards until the game ends.
    Total,
    /// The reward per piece in the long run.
    Average,
    /// The probability of never losing.
    Survive,
}

/// Who chooses the next piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dealing {
    /// The game's own dealer.
    Random,
    /// An adversary who answers the placement with any piece of positive probability.
    Worst,
    /// An adversary who names the next piece before the placement.
    WorstBefore,
    /// The adversary with this probability, else the game's own dealer.
    Mixed(f64),
}

/// Who chooses among the placements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// The best one.
    Best,
    /// Every one with the same probability.
    Average,
}

/// What the player sees of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abstraction {
    /// Every cell.
    Grid,
    /// The heights of the columns.
    Heights,
    /// The differences of neighbouring heights.
    Contour,
}

/// How the fixed point is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveMethod {
    /// The fastest safe one: modified policy iteration.
    Auto,
    /// Value iteration: improve in every sweep.
    Value,
    /// Modified policy iteration: some sweeps of evaluation between improvements.
    Modified,
    /// Policy iteration: evaluate each policy to the end before it is improved.
    Policy,
    /// The textbook's value iteration: from 0, every state of a sweep from the values of the sweep before.
    Plain,
}

/// A reward made of the clear and of the afterstate: `lines * rows - height * highest cell + score * points - gaps *
/// holes`.
///
/// ```
/// let reward: bellmino_exact::Reward = "lines=1,height=0.5,gaps=2".parse().unwrap();
/// assert_eq!(reward.height, 0.5);
/// assert_eq!(reward.to_string(), "lines=1,height=0.5,score=0,gaps=2");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reward {
    /// For each row cleared.
    pub lines: f64,
    /// Against each row up to the highest filled cell of the afterstate.
    pub height: f64,
    /// For each point scored.
    pub score: f64,
    /// Against each hole of the afterstate.
    pub gaps: f64,
}

impl Reward {
    /// The most that a weight can be: as much as one placement can score.
    pub const MOST: f64 = ScoreTable::MOST;

    /// What it gives on arrival at a board.
    pub(crate) fn arrival(&self, game: &PlacementGame, board: PackedBoard) -> f64 {
        let highest = (0..game.width()).map(|x| board.height(game, x)).max().unwrap_or(0);
        -self.height * highest as f64 - self.gaps * f64::from(board.holes(game))
    }
}

/// A text that is not what was wanted, with what would be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not {wanted}")]
pub struct NotUnderstood {
    /// The text.
    pub text: String,
    /// What is understood.
    pub wanted: &'static str,
}

impl Objective {
    /// The factor by which the next step is worth less.
    pub fn discount(&self) -> f64 {
        if let Objective::Discounted(factor) = self { *factor } else { 1.0 }
    }
}

impl FromStr for Objective {
    type Err = NotUnderstood;

    fn from_str(text: &str) -> Result<Objective, NotUnderstood> {
        let objective = match text.split_once(':') {
            None => match text {
                "total" => Some(Objective::Total),
                "average" => Some(Objective::Average),
                "survive" => Some(Objective::Survive),
                _ => None,
            },
            Some(("discounted", factor)) => {
                factor.parse().ok().filter(|f| (0.0..1.0).contains(f)).map(Objective::Discounted)
            }
            Some(("horizon", pieces)) => pieces.parse().ok().map(Objective::Horizon),
            Some(_) => None,
        };
        objective.ok_or(NotUnderstood {
            text: text.to_owned(),
            wanted: "an objective: discounted:L with 0 <= L < 1, horizon:N, total, average or survive",
        })
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objective::Discounted(factor) => write!(f, "discounted:{factor}"),
            Objective::Horizon(pieces) => write!(f, "horizon:{pieces}"),
            Objective::Total => f.write_str("total"),
            Objective::Average => f.write_str("average"),
            Objective::Survive => f.write_str("survive"),
        }
    }
}

impl FromStr for Dealing {
    type Err = NotUnderstood;

    fn from_str(text: &str) -> Result<Dealing, NotUnderstood> {
        let dealing = match text.split_once(':') {
            None => match text {
                "random" => Some(Dealing::Random),
                "worst" => Some(Dealing::Worst),
                "worst-before" => Some(Dealing::WorstBefore),
                _ => None,
            },
            Some(("mixed", share)) => {
                share.parse().ok().filter(|e| (0.0..=1.0).contains(e)).map(|share: f64| match share {
                    0.0 => Dealing::Random,
                    1.0 => Dealing::Worst,
                    share => Dealing::Mixed(share),
                })
            }
            Some(_) => None,
        };
        dealing.ok_or(NotUnderstood {
            text: text.to_owned(),
            wanted: "a dealer: random, worst, worst-before, or mixed:E with 0 <= E <= 1",
        })
    }
}

impl fmt::Display for Dealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dealing::Random => f.write_str("random"),
            Dealing::Worst => f.write_str("worst"),
            Dealing::WorstBefore => f.write_str("worst-before"),
            Dealing::Mixed(share) => write!(f, "mixed:{share}"),
        }
    }
}

macro_rules! named {
    ($type:ty, $wanted:literal, $($name:literal => $value:expr),+) => {
        impl FromStr for $type {
            type Err = NotUnderstood;

            fn from_str(text: &str) -> Result<$type, NotUnderstood> {
                match text {
                    $($name => Ok($value),)+
                    _ => Err(NotUnderstood { text: text.to_owned(), wanted: $wanted }),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(if *self == $value { return f.write_str($name); })+
                Ok(())
            }
        }
    };
}

named!(Placing, "a placer: best or average", "best" => Placing::Best, "average" => Placing::Average);
named!(
    Abstraction, "a view: grid, heights or contour",
    "grid" => Abstraction::Grid, "heights" => Abstraction::Heights, "contour" => Abstraction::Contour
);
named!(
    SolveMethod, "a method: auto, value, modified, policy or plain",
    "auto" => SolveMethod::Auto, "value" => SolveMethod::Value,
    "modified" => SolveMethod::Modified, "policy" => SolveMethod::Policy, "plain" => SolveMethod::Plain
);

impl FromStr for Reward {
    type Err = NotUnderstood;

    fn from_str(text: &str) -> Result<Reward, NotUnderstood> {
        let fail = || NotUnderstood {
            text: text.to_owned(),
            wanted: "a reward: weights such as lines=1,height=0.5,score=1,gaps=2 (absent ones are 0, none beyond 1e100)",
        };
        let mut reward = Reward::default();
        for part in text.split(',') {
            let (name, weight) = part.split_once('=').ok_or_else(fail)?;
            let weight: f64 = weight.trim().parse().map_err(|_| fail())?;
            if !(-Reward::MOST..=Reward::MOST).contains(&weight) {
                return Err(fail());
            }
            match name.trim() {
                "lines" => reward.lines = weight,
                "height" => reward.height = weight,
                "score" => reward.score = weight,
                "gaps" => reward.gaps = weight,
                _ => return Err(fail()),
            }
        }
        Ok(reward)
    }
}

impl fmt::Display for Reward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reward { lines, height, score, gaps } = self;
        write!(f, "lines={lines},height={height},score={score},gaps={gaps}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in ["discounted:0.9", "horizon:99", "total", "average", "survive"] {
            assert_eq!(text.parse::<Objective>().unwrap().to_string(), text);
        }
        for text in ["random", "worst", "worst-before", "mixed:0.25"] {
            assert_eq!(text.parse::<Dealing>().unwrap().to_string(), text);
        }
        for text in ["grid", "heights", "contour"] {
            assert_eq!(text.parse::<Abstraction>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in
            ["", "discounted", "discounted:1", "discounted:-0.1", "discounted:x", "horizon:-1", "totals"]
        {
            assert!(text.parse::<Objective>().is_err(), "{text}");
        }
        for text in ["", "mixed", "mixed:2", "mixed:nan", "best"] {
            assert!(text.parse::<Dealing>().is_err(), "{text}");
        }
        for text in ["", "lines", "lines=x", "lines=inf", "lines=nan", "gaps=-1e101", "rows=1"] {
            assert!(text.parse::<Reward>().is_err(), "{text}");
        }
    }
}
