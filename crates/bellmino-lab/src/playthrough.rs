//! One match, move by move: who is at it and what they do.

use std::sync::Arc;

use bellmino_engine::guideline::{self, Bag, Kicks, Position, Rules, WIDTH};
use bellmino_engine::placement::{self, Grid};
use bellmino_engine::{AnyMatch, Generator, Outcome, PlacementGame, Purpose, stream};

use bellmino_search::Forecast;
use thiserror::Error;

use crate::opponent::Opponent;
use crate::player::{AtWork, Mind, Player, PlayerError};
use crate::terms::Terms;

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

/// Somebody who has no answer in a match: a mistake of the program or of a file, and no way to lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoAnswer {
    /// The player makes no move, and there is one.
    #[error("the player has no answer to a position of the game")]
    Player,
    /// No piece is dealt.
    #[error("the dealer has no answer to a position of the game")]
    Dealer,
}

/// One move by somebody at work; `None` if the match is over.
#[inline]
pub fn take_turn<M: AnyMatch>(
    player: &mut impl Plays<M>,
    game: &mut M,
    chance: &mut Generator,
) -> Result<Option<Move<M>>, NoAnswer> {
    if game.outcome().is_some() {
        return Ok(None);
    }
    if game.wants_piece() {
        return Err(NoAnswer::Dealer);
    }
    match player.turn(game, chance) {
        Some(turn) => Ok(Some(turn)),
        // A hold can bring a piece that has no place.
        None if game.outcome().is_some() => Ok(None),
        None if game.wants_piece() => Err(NoAnswer::Dealer),
        None => Err(NoAnswer::Player),
    }
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
    /// It ends, unfinished, after so many pieces.
    pieces: Option<u64>,
    failed: bool,
}

impl<G: Grid> Playthrough<placement::Match<G>, AtWork> {
    /// A placement game against a dealer, which ends after so many pieces, see [`Terms`]. The grid must fit the game.
    pub fn placement(
        game: impl Into<Arc<PlacementGame>>,
        player: &Player,
        opponent: &Opponent,
        (seed, index): (u64, u64),
        pieces: Option<u64>,
    ) -> Result<Self, PlayerError> {
        let (chooser, game) = (player.chooser()?, game.into());
        let Terms { allowance, pieces } = Terms::new(&game, Some(player), opponent, pieces)?;
        let dealer = stream(seed, Purpose::Dealer, index);
        Ok(Playthrough {
            game: placement::Match::with(game, allowance, opponent.dealing(pieces), dealer),
            player: AtWork::new(chooser.clone(), pieces),
            chance: stream(seed, Purpose::Player, index),
            pieces,
            failed: false,
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
            pieces: None,
            failed: false,
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

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }
}

impl<M: AnyMatch, P: Plays<M>> Iterator for Playthrough<M, P> {
    type Item = Result<Move<M>, NoAnswer>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.pieces.is_some_and(|pieces| self.game.totals().pieces >= pieces) {
            return None;
        }
        let turn = take_turn(&mut self.player, &mut self.game, &mut self.chance);
        self.failed = turn.is_err();
        turn.transpose()
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
            let turn = turn.unwrap();
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
