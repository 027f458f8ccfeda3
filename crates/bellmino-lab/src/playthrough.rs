//! One match, move by move: who is at it and what they do.

use std::sync::Arc;

use bellmino_engine::guideline::{self, Bag, Kicks, Position, Rules, WIDTH};
use bellmino_engine::placement::{self, Allowance, Grid};
use bellmino_engine::{AnyMatch, Generator, Outcome, PlacementGame, Purpose, stream};

use bellmino_search::Forecast;

use crate::opponent::Opponent;
use crate::player::{AtWork, Mind, Player, PlayerError};

/// Somebody at work on a match.
pub trait Plays<M: AnyMatch> {
    /// Makes a move in the match: a hold, if wanted, and a placement. `None` if there is nothing to do.
    fn turn(&mut self, game: &mut M, chance: &mut Generator) -> Option<Move<M>>;
}

/// One move that was made.
#[derive(Clone, Copy, Debug)]
pub struct Move<M: AnyMatch> {
    /// Where the piece was put.
    pub placement: M::Placement,
    /// Whether another piece went into hold for it.
    pub held: bool,
    /// Points for it.
    pub points: f64,
    /// What was cleared and scored.
    pub clear: M::Clear,
    /// The board before.
    pub before: M::Board,
    /// What the bot expected of the game before it, where the bot plays and the game has an end.
    pub forecast: Option<Forecast>,
}

/// A match and who plays it: an iterator over its moves. It is game number `index` of an evaluation with the same seed.
///
/// ```
/// use bellmino_engine::{Game, Outcome};
/// use bellmino_lab::{Player, Playthrough};
///
/// let sprint = Game::built_in("sprint", &[]).unwrap().unwrap();
/// let player = Player::parse("weights:lee4", &sprint, None)?;
/// let mut playthrough = Playthrough::guideline(sprint.guideline().unwrap().rules(), &player, 1, 0)?;
/// assert!(playthrough.by_ref().count() >= 100);
/// assert_eq!(playthrough.outcome(), Some(Outcome::Goal));
/// # Ok::<(), bellmino_lab::PlayerError>(())
/// ```
pub struct Playthrough<M, P> {
    game: M,
    player: P,
    chance: Generator,
    stuck: bool,
}

impl<G: Grid> Playthrough<placement::Match<G>, AtWork> {
    /// A placement game against a dealer; `limit` is how many pieces the player may count on, for tables that depend on
    /// it. The grid must fit the game.
    pub fn placement(
        game: impl Into<Arc<PlacementGame>>,
        player: &Player,
        opponent: &Opponent,
        (seed, index): (u64, u64),
        limit: Option<u64>,
    ) -> Result<Self, PlayerError> {
        let (chooser, game) = (player.chooser()?, game.into());
        let (previews, hold) =
            chooser.table().map_or((0, false), |table| (table.settings().preview, table.settings().hold));
        let allowance =
            Allowance { previews: previews.max(opponent.names_ahead()).max(game.previews()), hold };
        let dealer = stream(seed, Purpose::Dealer, index);
        Ok(Playthrough {
            game: placement::Match::with(game, allowance, opponent.dealing(), dealer),
            player: AtWork::new(chooser.clone(), limit),
            chance: stream(seed, Purpose::Player, index),
            stuck: false,
        })
    }
}

impl Playthrough<guideline::Match, Box<dyn Mind>> {
    /// A guideline game.
    pub fn guideline(rules: &Rules, player: &Player, seed: u64, index: u64) -> Result<Self, PlayerError> {
        Ok(Playthrough {
            game: guideline::Match::from_position(*rules, Position::default(), Bag::numbered(seed, index)),
            player: player.mind(rules)?,
            chance: stream(seed, Purpose::Player, index),
            stuck: false,
        })
    }
}

impl<M: AnyMatch, P> Playthrough<M, P> {
    /// The match as it stands.
    pub fn game(&self) -> &M {
        &self.game
    }

    /// The match alone.
    pub fn into_game(self) -> M {
        self.game
    }

    /// How the game ended, if it has; a player that has nothing to do has lost.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome().or(self.stuck.then_some(Outcome::ToppedOut))
    }
}

impl<M: AnyMatch, P: Plays<M>> Iterator for Playthrough<M, P> {
    type Item = Move<M>;

    #[inline]
    fn next(&mut self) -> Option<Move<M>> {
        if self.outcome().is_some() {
            return None;
        }
        let turn = self.player.turn(&mut self.game, &mut self.chance);
        self.stuck = turn.is_none();
        turn
    }
}

impl Move<guideline::Match> {
    /// The fewest key presses for this move, hold and hard drop included; `None` if no keys lead there.
    pub fn keys(&self, kicks: Kicks) -> Option<u32> {
        Some(guideline::fewest_keys(&self.before, &self.placement, kicks)? + u32::from(self.held))
    }

    /// For every row the placement completed of which one cell was missing: the column of that cell.
    ///
    /// ```text
    /// ###.######    a tetris here: 3, 3, 3, 3
    /// ###.######
    /// ###.######
    /// ###.######
    /// ```
    pub fn wells(&self) -> impl Iterator<Item = usize> + use<> {
        let before = self.before;
        let mut rows: Vec<usize> = self.placement.cells().iter().map(|&(_, y)| y as usize).collect();
        rows.sort_unstable();
        rows.dedup();
        let gap = move |y: usize| {
            let gaps = !before.row(y) & ((1 << WIDTH) - 1);
            (gaps.count_ones() == 1).then_some(gaps.trailing_zeros() as usize)
        };
        rows.into_iter().filter_map(gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::guideline::Clear;
    use bellmino_learn::guideline::is_drop;

    /// The reported Sprint weights look at straight drops only.
    #[test]
    fn a_player_of_drops_never_tucks() {
        let player = Player::of_guideline("weights:sprint4", None).unwrap();
        for turn in Playthrough::guideline(&Rules::SPRINT, &player, 5, 0).unwrap() {
            assert!(is_drop(&turn.before, &turn.placement));
            assert!(turn.keys(Kicks::Srs).is_some_and(|keys| (1..=6).contains(&keys)));
        }
    }

    #[test]
    fn wells_are_columns_of_last_gaps() {
        let turn = |board: &str, at: &str| Move::<guideline::Match> {
            placement: at.parse().unwrap(),
            held: false,
            points: 0.0,
            clear: Clear::default(),
            before: board.parse().unwrap(),
            forecast: None,
        };
        let well = turn("###.######\n###.######\n#..#######\n###.######", "I east 3,2");
        assert_eq!(well.wells().collect::<Vec<_>>(), [3, 3, 3]);
        let flat = turn("######....", "I north 7,0");
        assert_eq!(flat.wells().count(), 0, "four cells were missing");
        assert_eq!(flat.keys(Kicks::Srs), Some(2));
    }
}
