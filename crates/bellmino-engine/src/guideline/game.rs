//! A game in progress, placement by placement.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::bag::Bag;
use super::moves;
use super::piece::Piece;
use super::placement::Placement;
use super::position::{PlayError, Played, Position};
use super::rules::Rules;
use super::score::{Clear, ClearKind};

/// A game: rules, position, the queue and what has happened so far.
///
/// ```
/// use bellmino_engine::guideline::{Game, Rules};
/// let mut game = Game::new(Rules::SPRINT, 1);
/// let placement = game.placements()[0];
/// game.play(&placement).unwrap();
/// assert_eq!(game.stats().pieces, 1);
/// assert_eq!(game.queue().len(), 6);
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    rules: Rules,
    position: Position,
    /// The current piece, the previews and nothing more.
    queue: VecDeque<Piece>,
    bag: Bag,
    stats: Stats,
    outcome: Option<Outcome>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The goal was reached.
    Goal,
    /// The next piece could not enter.
    ToppedOut,
}

/// What has happened in a game so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Pieces placed.
    pub pieces: u32,
    /// Rows cleared.
    pub lines: u32,
    /// Points without drop points.
    pub score: u64,
    /// Points for soft and hard drops.
    pub drop_points: u64,
    /// Pieces put into hold.
    pub holds: u32,
    /// Clears that emptied the board.
    pub perfect_clears: u32,
    /// Clears raised for back-to-back.
    pub back_to_backs: u32,
    /// The longest run of clears.
    pub max_combo: u32,
    /// Clears by kind, in the order of [`ClearKind::ALL`].
    pub clears: [u32; 11],
}

impl Game {
    /// A new game with the pieces of this seed.
    pub fn new(rules: Rules, seed: u64) -> Game {
        Game::from_position(rules, Position::default(), Bag::new(seed))
    }

    /// A game from a position; the bag deals the current piece, the previews and all that follow.
    pub fn from_position(rules: Rules, position: Position, mut bag: Bag) -> Game {
        let queue = bag.by_ref().take(1 + rules.previews).collect();
        let mut game = Game { rules, position, queue, bag, stats: Stats::default(), outcome: None };
        game.check_spawn();
        game
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The current piece.
    pub fn current(&self) -> Piece {
        self.queue[0]
    }

    /// The current piece and the previews.
    pub fn queue(&mut self) -> &[Piece] {
        self.queue.make_contiguous()
    }

    /// The pieces left in the bag after the last one in sight.
    pub fn bag(&self) -> &[Piece] {
        self.bag.left()
    }

    /// What has happened so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Every placement of the current piece, then of the other piece at hand; none if the game is
    /// over. With no previews an empty hold slot offers no second piece, since it is not known.
    pub fn placements(&mut self) -> Vec<Placement> {
        let mut list = vec![];
        if self.outcome.is_none() {
            for piece in self.position.at_hand(self.queue.make_contiguous(), self.rules.hold) {
                moves::extend(&self.position.board, piece, self.rules.kicks, &mut list);
            }
        }
        list
    }

    /// Plays a placement, holding if need be.
    pub fn play(&mut self, placement: &Placement) -> Result<Clear, PlayError> {
        if self.outcome.is_some() {
            return Err(PlayError::Over);
        }
        let queue = self.queue.make_contiguous();
        if placement.piece != queue[0] && !self.rules.hold {
            return Err(PlayError::NotAtHand(placement.piece));
        }
        let before = self.position;
        let held = placement.piece != queue[0];
        let Played { clear, used } = self.position.play(placement, queue, &self.rules.score)?;
        let reachable = moves::placements(&before.board, placement.piece, self.rules.kicks);
        if !reachable.contains(&placement.canonical()) {
            self.position = before;
            return Err(PlayError::Unreachable(*placement));
        }
        self.stats.holds += u32::from(held);
        self.finish(&clear, used);
        Ok(clear)
    }

    /// Counts a placement, deals, and looks whether the game is over.
    fn finish(&mut self, clear: &Clear, used: usize) {
        self.stats.count(clear);
        self.queue.drain(..used);
        self.queue.extend(self.bag.by_ref().take(used));
        let Stats { lines, pieces, .. } = self.stats;
        let goal = self.rules.goal;
        if goal.lines.is_some_and(|goal| lines >= goal) || goal.pieces.is_some_and(|goal| pieces >= goal) {
            self.outcome = Some(Outcome::Goal);
        } else {
            self.check_spawn();
        }
    }

    fn check_spawn(&mut self) {
        if !self.position.board.fits(&Placement::spawn(self.queue[0])) {
            self.outcome = Some(Outcome::ToppedOut);
        }
    }
}

impl Stats {
    /// Adds a placement.
    pub fn count(&mut self, clear: &Clear) {
        self.pieces += 1;
        self.lines += u32::from(clear.lines);
        self.score += u64::from(clear.points);
        self.perfect_clears += u32::from(clear.perfect);
        self.back_to_backs += u32::from(clear.back_to_back);
        self.max_combo = self.max_combo.max(clear.combo);
        if let Some(kind) = clear.kind() {
            self.clears[kind as usize] += 1;
        }
    }

    /// The number of clears of a kind.
    pub fn clears_of(&self, kind: ClearKind) -> u32 {
        self.clears[kind as usize]
    }
}
