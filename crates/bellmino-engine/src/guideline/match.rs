//! A match: a game in progress, placement by placement.

use serde::{Deserialize, Serialize};

use super::bag::Bag;
use super::board::Board;
use super::moves;
use super::piece::Piece;
use super::placement::Placement;
use super::position::{PlayError, Position};
use super::rules::Rules;
use super::score::{Clear, ClearKind};
use super::view::View;
use crate::any_match::{AnyMatch, Totals, delegate_to_match};
use crate::outcome::Outcome;
use crate::rng::Generator;

/// A game in progress: rules, position, the queue and what has happened so far. Cheap to clone.
///
/// ```
/// use bellmino_engine::guideline::{Match, Rules};
/// let mut game = Match::new(Rules::SPRINT, 1);
/// let placement = game.placements()[0];
/// game.play(&placement).unwrap();
/// assert_eq!(game.stats().pieces, 1);
/// assert_eq!(game.queue().len(), 6);
/// ```
#[derive(Clone, Debug)]
pub struct Match {
    rules: Rules,
    position: Position,
    /// The current piece, the previews and nothing more.
    queue: Vec<Piece>,
    hold_spent: bool,
    bag: Bag,
    stats: Stats,
    outcome: Option<Outcome>,
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

impl Match {
    /// A new game with the pieces of this seed; see [`Bag::numbered`] for more games of a seed.
    pub fn new(rules: Rules, seed: u64) -> Match {
        Match::from_position(rules, Position::default(), Bag::new(seed))
    }

    /// A game from a position; the bag deals the current piece, the previews and all that follow.
    pub fn from_position(rules: Rules, position: Position, mut bag: Bag) -> Match {
        let queue = bag.by_ref().take(1 + rules.previews).collect();
        let mut game =
            Match { rules, position, queue, hold_spent: false, bag, stats: Stats::default(), outcome: None };
        game.check_spawn();
        game
    }

    /// A game that goes on from what a player sees of another one; what is not in sight is dealt anew, from what is left in
    /// the bag. Pieces and rows are counted on, everything else begins at 0.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Match, Rules};
    /// use bellmino_engine::{Purpose, stream};
    /// let mut game = Match::new(Rules::SPRINT, 1);
    /// game.play(&game.placements()[0]).unwrap();
    /// let other = Match::resume(&game.view(), stream(2, Purpose::Dealer, 0));
    /// assert_eq!(other.view(), game.view());
    /// ```
    pub fn resume(view: &View, generator: Generator) -> Match {
        let View { rules, position, queue, bag, pieces, lines } = view;
        let bag = Bag::with(bag, generator).after(queue.iter().copied());
        let mut game = Match::from_position(*rules, *position, bag);
        (game.stats.pieces, game.stats.lines) = (*pieces, *lines);
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
    pub fn queue(&self) -> &[Piece] {
        &self.queue
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
    pub fn placements(&self) -> Vec<Placement> {
        let mut list = vec![];
        if self.outcome.is_none() {
            let may_hold = self.may_hold();
            for piece in self.position.at_hand(&self.queue, may_hold) {
                moves::extend(&self.position.board, piece, self.rules.kicks, &mut list);
            }
        }
        list
    }

    /// Plays a placement, holding if need be. Nothing changes after an error.
    ///
    /// Drop points are those of a hard drop from the spawn if the way down is free, else those of
    /// a soft drop over the same rows.
    pub fn play(&mut self, placement: &Placement) -> Result<Clear, PlayError> {
        self.check(placement)?;
        let reachable = moves::placements(&self.position.board, placement.piece, self.rules.kicks);
        if !reachable.contains(&placement.canonical()) {
            return Err(PlayError::Unreachable(*placement));
        }
        self.play_unchecked(placement)
    }

    /// Plays a placement that is known to be reachable, such as one of [`Match::placements`]. One
    /// that is not scores what it should not.
    pub fn play_unchecked(&mut self, placement: &Placement) -> Result<Clear, PlayError> {
        self.check(placement)?;
        if placement.piece != self.current() {
            self.hold()?;
        }
        let at = placement.canonical();
        let board = &self.position.board;
        let in_sight = at.cells().iter().all(|&(x, y)| board.column(x as usize).height() <= y as usize);
        let rows = u32::try_from(Placement::spawn(at.piece).y - at.y).unwrap_or(0);
        let table = &self.rules.score;
        Ok(self.lock(placement, rows * if in_sight { table.hard_drop } else { table.soft_drop }))
    }

    /// Puts the current piece into hold; the held one, or the next, becomes the current one. The
    /// game is over if that one cannot enter.
    pub fn hold(&mut self) -> Result<(), PlayError> {
        if self.outcome.is_some() {
            return Err(PlayError::Over);
        }
        if !self.may_hold() {
            return Err(PlayError::HoldSpent);
        }
        let current = self.queue[0];
        match self.position.hold.replace(current) {
            Some(held) => self.queue[0] = held,
            None => self.deal(),
        }
        self.hold_spent = true;
        self.stats.holds += 1;
        self.check_spawn();
        Ok(())
    }

    /// Whether the current piece may be put into hold.
    pub fn may_hold(&self) -> bool {
        self.rules.hold && !self.hold_spent
    }

    /// Locks the current piece where it is, scores it and brings the next. Wrong to call with
    /// another piece or one that does not rest there.
    pub(super) fn lock(&mut self, placement: &Placement, drop_points: u32) -> Clear {
        debug_assert!(placement.piece == self.current() && self.position.board.rests(placement));
        let clear = self.position.place_unchecked(placement, &self.rules.score);
        self.stats.count(&clear);
        self.stats.drop_points += u64::from(drop_points);
        self.deal();
        self.hold_spent = false;
        let Stats { lines, pieces, .. } = self.stats;
        if self.rules.goal.is_reached(pieces, lines) {
            self.outcome = Some(Outcome::Goal);
        } else {
            self.check_spawn();
        }
        clear
    }

    /// The same game for a person: a goal in seconds replaces one in pieces.
    pub(super) fn for_timed_play(mut self) -> Match {
        if self.rules.goal.seconds.is_some() {
            self.rules.goal.pieces = None;
        }
        self
    }

    /// Ends the game, if it has not ended: the time is up.
    pub(super) fn end(&mut self, outcome: Outcome) {
        self.outcome.get_or_insert(outcome);
    }

    /// Whether the placement is of a piece at hand and rests on this board.
    fn check(&self, placement: &Placement) -> Result<(), PlayError> {
        if self.outcome.is_some() {
            return Err(PlayError::Over);
        }
        let may_hold = self.may_hold();
        let mut at_hand = self.position.at_hand(&self.queue, may_hold);
        if !at_hand.any(|piece| piece == placement.piece) {
            return Err(PlayError::NotAtHand(placement.piece));
        }
        let board = &self.position.board;
        match (board.fits(placement), board.rests(placement)) {
            (false, _) => Err(PlayError::DoesNotFit(*placement)),
            (_, false) => Err(PlayError::Floats(*placement)),
            _ => Ok(()),
        }
    }

    /// Brings the next piece to the front of the queue and one from the bag to its end.
    fn deal(&mut self) {
        self.queue.remove(0);
        self.queue.extend(self.bag.next());
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

impl AnyMatch for Match {
    type Placement = Placement;
    type Board = Board;
    type Clear = Clear;
    type Error = PlayError;

    fn board(&self) -> &Board {
        &self.position.board
    }

    delegate_to_match!();

    fn totals(&self) -> Totals {
        let Stats { pieces, lines, score, .. } = self.stats;
        Totals { pieces: u64::from(pieces), lines: u64::from(lines), score: score as f64 }
    }
}
