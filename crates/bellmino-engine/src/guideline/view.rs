//! What a player sees of a match, and how play goes on from there.

use super::r#match::Match;
use super::piece::Piece;
use super::placement::Placement;
use super::position::{PlayError, Position};
use super::rules::Rules;
use super::score::Clear;

/// What a player sees of a match: all but the pieces that are not in sight.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The rules, with the goal.
    pub rules: Rules,
    /// The current piece and the previews.
    pub queue: Vec<Piece>,
    /// Board, held piece and running bonuses.
    pub position: Position,
    /// The pieces left in the bag after the last one of the queue; empty if unknown.
    pub bag: Vec<Piece>,
    /// Pieces placed so far.
    pub pieces: u32,
    /// Rows cleared so far.
    pub lines: u32,
}

impl View {
    /// Whether the goal is reached.
    pub fn is_done(&self) -> bool {
        self.rules.goal.is_reached(self.pieces, self.lines)
    }

    /// Plays a placement of what is at hand, holding if need be; no new piece comes into sight. Nothing changes after an
    /// error. Whether a way leads there is not asked.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Match, Rules};
    /// let mut game = Match::new(Rules::SPRINT, 1);
    /// let mut view = game.view();
    /// let placement = game.placements()[0];
    /// view.play(&placement).unwrap();
    /// assert_eq!((view.pieces, view.queue.len()), (1, 5));
    /// ```
    pub fn play(&mut self, placement: &Placement) -> Result<Clear, PlayError> {
        let played = self.position.play(placement, &self.queue, &self.rules.score)?;
        self.queue.drain(..played.used);
        self.pieces += 1;
        self.lines += u32::from(played.clear.lines);
        Ok(played.clear)
    }
}

impl Match {
    /// What its player sees.
    pub fn view(&self) -> View {
        View {
            rules: *self.rules(),
            position: *self.position(),
            queue: self.queue().to_vec(),
            bag: self.bag().to_vec(),
            pieces: self.stats().pieces,
            lines: self.stats().lines,
        }
    }
}
