//! A rival: a machine that plays beside a person, with the same pieces and a placement at every beat of its pace.

use std::collections::VecDeque;

use bellmino_engine::guideline::{ColourBoard, Goal, Match, Piece, Placement, Rules, View};
use bellmino_engine::{Outcome, Purpose, stream};
use bellmino_lab::{Player, PlayerError};
use bellmino_search::{Bot, Budget};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::catalogue::{BOTS, OTHERS};
use crate::desk::Desk;
use crate::picture::letters;

/// How many placements it thinks ahead of the clock.
const AHEAD: usize = 16;

/// How long it thinks at a time, in milliseconds.
const AT_ONCE: f64 = 20.0;

/// The slowest and the fastest pace, in pieces a second.
const PACES: (f64, f64) = (0.1, 10.0);

/// Which machine plays, and how fast.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub struct RivalOrder {
    /// Its name.
    pub player: String,
    /// Pieces a second.
    pub pace: f64,
}

/// A machine at play.
pub struct Rival {
    order: RivalOrder,
    game: Match,
    colours: ColourBoard,
    /// What it has thought of and not done yet.
    ahead: VecDeque<Placement>,
    thinking: Whereabouts,
    last_clear: Option<String>,
    /// When its game ended, in milliseconds.
    ended: Option<u64>,
}

/// A rival as the page draws it.
#[derive(Debug, Serialize)]
pub struct RivalView<'a> {
    #[serde(flatten)]
    order: &'a RivalOrder,
    rows: Vec<String>,
    hold: Option<char>,
    queue: String,
    pieces: u32,
    lines: u32,
    score: u64,
    lines_left: Option<u32>,
    last_clear: Option<&'a str>,
    ended: Option<u64>,
    outcome: Option<Outcome>,
}

/// Where its thoughts are.
enum Whereabouts {
    /// They wait for work.
    Idle(Box<Thoughts>),
    /// Somebody is at it.
    Away,
    /// It knows nothing more to do.
    Done,
}

/// The thoughts of a machine: work that can be done anywhere, and goes back to it.
pub struct Thoughts {
    game: Match,
    think: Think,
    /// How many placements are wanted.
    wanted: usize,
    found: Vec<Placement>,
    is_done: bool,
}

/// Why nobody plays beside.
#[derive(Debug, Error)]
pub enum RivalError {
    /// A name of nobody who plays duels.
    #[error("`{0}` does not play duels; `bot` does")]
    Nobody(String),
    /// It cannot play.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

impl Thoughts {
    /// Thinks on for a moment.
    pub fn think(&mut self, desk: &dyn Desk) {
        let begin = desk.now();
        while self.found.len() < self.wanted && !self.is_done && desk.go_on() {
            let placement = match self.game.outcome() {
                Some(_) => None,
                None => (self.think)(&self.game.view()),
            };
            match placement.filter(|placement| self.game.play_unchecked(placement).is_ok()) {
                Some(placement) => self.found.push(placement),
                None => self.is_done = true,
            }
            if desk.now() - begin >= AT_ONCE {
                break;
            }
        }
    }
}

/// A placement for a position.
type Think = Box<dyn FnMut(&View) -> Option<Placement> + Send>;

impl Rival {
    /// Sits down beside a person: a game of these rules with the pieces of this seed.
    pub fn new(order: &RivalOrder, rules: Rules, seed: u64) -> Result<Rival, RivalError> {
        let pace = order.pace.clamp(PACES.0, PACES.1);
        let order = RivalOrder { pace: if order.pace.is_finite() { pace } else { 1.0 }, ..order.clone() };
        let rules = Rules { goal: goal(rules.goal, order.pace), ..rules };
        let game = Match::new(rules, seed);
        let think = thinker(&order.player, &rules, seed)?;
        let thoughts = Thoughts { game: game.clone(), think, wanted: 0, found: vec![], is_done: false };
        Ok(Rival {
            order,
            game,
            colours: ColourBoard::EMPTY,
            ahead: VecDeque::new(),
            thinking: Whereabouts::Idle(Box::new(thoughts)),
            last_clear: None,
            ended: None,
        })
    }

    /// Its thoughts, if there is something to think about: somebody lets them think and gives them back.
    pub fn thoughts(&mut self) -> Option<Box<Thoughts>> {
        let wanted = AHEAD - self.ahead.len().min(AHEAD);
        if wanted == 0 || !matches!(self.thinking, Whereabouts::Idle(_)) {
            return None;
        }
        match std::mem::replace(&mut self.thinking, Whereabouts::Away) {
            Whereabouts::Idle(thoughts) => Some(Box::new(Thoughts { wanted, ..*thoughts })),
            Whereabouts::Away | Whereabouts::Done => None,
        }
    }

    /// Takes its thoughts back.
    pub fn take_back(&mut self, mut thoughts: Box<Thoughts>) {
        self.ahead.extend(thoughts.found.drain(..));
        self.thinking = if thoughts.is_done { Whereabouts::Done } else { Whereabouts::Idle(thoughts) };
    }

    /// What was asked for.
    pub fn order(&self) -> &RivalOrder {
        &self.order
    }

    /// Makes the placements that are due at a time of the game, so far as it has thought of them; whether there were any.
    pub fn advance_to(&mut self, time: u64) -> bool {
        let mut has_moved = false;
        while self.game.outcome().is_none() {
            let due = (f64::from(self.game.stats().pieces + 1) * 1000.0 / self.order.pace).round() as u64;
            if due > time {
                break;
            }
            let Some(placement) = self.ahead.pop_front() else {
                if matches!(self.thinking, Whereabouts::Done) {
                    self.ended.get_or_insert(due);
                }
                break;
            };
            // It was found in this very game.
            let Ok(clear) = self.game.play_unchecked(&placement) else { break };
            self.colours.place(&placement);
            self.last_clear = clear.kind().map(|_| clear.to_string()).or(self.last_clear.take());
            has_moved = true;
            if self.game.outcome().is_some() {
                self.ended = Some(due);
            }
        }
        has_moved
    }

    /// Whether its game is over.
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// What came of its game so far.
    pub fn result(&self) -> RaceResult {
        let stats = self.game.stats();
        let goal = (self.game.outcome() == Some(Outcome::Goal)).then_some(self.ended).flatten();
        RaceResult { goal, lines: stats.lines, score: stats.score }
    }

    /// What the page draws.
    pub fn view(&self) -> RivalView<'_> {
        let stats = self.game.stats();
        RivalView {
            order: &self.order,
            rows: (0..self.colours.height()).map(|y| self.colours.row_text(y)).collect(),
            hold: self.game.position().hold.map(Piece::letter),
            queue: letters(self.game.queue()),
            pieces: stats.pieces,
            lines: stats.lines,
            score: stats.score,
            lines_left: self.game.rules().goal.lines_left(stats.lines),
            last_clear: self.last_clear.as_deref(),
            ended: self.ended,
            outcome: self.game.outcome(),
        }
    }
}

/// What came of one game of a duel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceResult {
    /// When the goal was reached, in milliseconds.
    pub goal: Option<u64>,
    /// Rows.
    pub lines: u32,
    /// Points.
    pub score: u64,
}

/// Who has won a duel, by the goal's own measure: in a race whoever reached it first, else whoever came nearer; against time
/// whoever has more points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DuelVerdict {
    /// The person.
    Won,
    /// Nobody.
    Drawn,
    /// The machine.
    Lost,
}

impl DuelVerdict {
    /// Of a person's game that has ended beside the machine's; `None` while it depends on how the machine goes on.
    pub fn of(
        goal: &Goal,
        person: RaceResult,
        machine: RaceResult,
        machine_has_ended: bool,
    ) -> Option<DuelVerdict> {
        let by = |order: std::cmp::Ordering| match order {
            std::cmp::Ordering::Greater => DuelVerdict::Won,
            std::cmp::Ordering::Equal => DuelVerdict::Drawn,
            std::cmp::Ordering::Less => DuelVerdict::Lost,
        };
        if goal.lines.is_none() {
            return machine_has_ended.then(|| by(person.score.cmp(&machine.score)));
        }
        match (person.goal, machine.goal) {
            (Some(own), Some(its)) => Some(by(its.cmp(&own))),
            (Some(_), None) => Some(DuelVerdict::Won),
            (None, Some(_)) => Some(DuelVerdict::Lost),
            (None, None) => machine_has_ended.then(|| by(person.lines.cmp(&machine.lines))),
        }
    }
}

/// A goal in seconds is one in pieces for whoever plays at a pace.
fn goal(goal: Goal, pace: f64) -> Goal {
    let pieces = goal.seconds.map(|seconds| ((f64::from(seconds) * pace).floor() as u32).max(1));
    Goal { seconds: None, pieces, ..goal }
}

/// The machine of this name.
fn thinker(player: &str, rules: &Rules, seed: u64) -> Result<Think, RivalError> {
    if let Some((_, nodes)) = BOTS.iter().find(|(name, _)| *name == player) {
        let (mut bot, budget) = (Bot::for_rules(rules), Budget::nodes(*nodes));
        return Ok(Box::new(move |view| {
            bot.think(view, budget, None).candidates.first().map(|best| best.placement)
        }));
    }
    let machine = Player::of_guideline(player, None).ok().filter(|_| OTHERS.contains(&player));
    let machine = machine.ok_or_else(|| RivalError::Nobody(player.to_owned()))?;
    let mut mind = machine.mind(rules)?;
    let mut choosing = stream(seed, Purpose::Player, 0);
    Ok(Box::new(move |view| mind.think(view, &mut choosing).best().map(|best| best.placement)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::QuietDesk;

    /// The machine's game up to a time, once it has thought of it.
    fn played(order: &RivalOrder, rules: Rules, time: u64) -> Rival {
        let mut rival = Rival::new(order, rules, 3).unwrap();
        let due = (time as f64 / 1000.0 * order.pace) as u32;
        while rival.game.stats().pieces < due && !rival.has_ended() {
            if let Some(mut thoughts) = rival.thoughts() {
                thoughts.think(&QuietDesk);
                rival.take_back(thoughts);
            }
            rival.advance_to(time);
        }
        rival
    }

    #[test]
    fn it_keeps_its_pace_on_the_same_pieces() {
        let order = RivalOrder { player: "weights:sprint4".to_owned(), pace: 2.0 };
        let mut rival = played(&order, Rules::SPRINT, 10_499);
        assert_eq!(rival.game.stats().pieces, 20);
        assert!(!rival.advance_to(10_499));
        let rival = played(&order, Rules::SPRINT, 200_000);
        let result = rival.result();
        assert_eq!(result.goal, Some(u64::from(rival.game.stats().pieces) * 500), "{result:?}");
        assert!(rival.has_ended() && result.lines >= 40);
        let blitz = played(&RivalOrder { pace: 0.5, ..order }, Rules::BLITZ, 180_000);
        assert_eq!((blitz.game.stats().pieces, blitz.has_ended()), (90, true));
        assert!(
            Rival::new(&RivalOrder { player: "nobody".to_owned(), pace: 1.0 }, Rules::SPRINT, 1).is_err()
        );
    }

    #[test]
    fn duels_are_won_by_the_goals_own_measure() {
        let result = |goal, lines, score| RaceResult { goal, lines, score };
        let race = Rules::SPRINT.goal;
        let of = |goal: &Goal, person, machine, ended| DuelVerdict::of(goal, person, machine, ended);
        assert_eq!(of(&race, result(Some(50), 40, 0), result(None, 30, 9), false), Some(DuelVerdict::Won));
        assert_eq!(
            of(&race, result(Some(50), 40, 0), result(Some(49), 40, 0), true),
            Some(DuelVerdict::Lost)
        );
        assert_eq!(
            of(&race, result(Some(50), 40, 0), result(Some(50), 41, 0), true),
            Some(DuelVerdict::Drawn)
        );
        assert_eq!(of(&race, result(None, 30, 0), result(None, 10, 0), false), None);
        assert_eq!(of(&race, result(None, 30, 0), result(Some(90), 40, 0), true), Some(DuelVerdict::Lost));
        assert_eq!(of(&race, result(None, 30, 0), result(None, 10, 0), true), Some(DuelVerdict::Won));
        let points = Rules::BLITZ.goal;
        assert_eq!(of(&points, result(Some(180_000), 9, 500), result(None, 90, 400), false), None);
        assert_eq!(
            of(&points, result(None, 9, 500), result(Some(180_000), 90, 400), true),
            Some(DuelVerdict::Won)
        );
    }
}
