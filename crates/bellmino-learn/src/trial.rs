//! Trials: games that say what weights are worth.

use std::sync::Arc;

use bellmino_engine::placement::{Allowance, AnyColumns, Board, DealtBy, Grid, Match, Stats};
use bellmino_engine::{Generator, Outcome, PlacementGame};

use crate::controller::Controller;
use crate::result::GameResult;
use crate::simulator::Simulator;

/// A controller ready to play whole games of one game, as fast as it can be done.
#[derive(Clone, Debug)]
pub struct Trial {
    game: Arc<PlacementGame>,
    player: TrialPlayer,
}

#[derive(Clone, Debug)]
enum TrialPlayer {
    /// At full speed.
    Fast(Box<Simulator>),
    /// On any board.
    Plain(Box<Controller>),
}

impl Trial {
    /// Prepares a controller whose features fit the game.
    pub fn new(game: &Arc<PlacementGame>, controller: &Controller) -> Trial {
        let player = match Simulator::new(game, controller) {
            Some(simulator) => TrialPlayer::Fast(Box::new(simulator)),
            None => TrialPlayer::Plain(Box::new(controller.clone())),
        };
        Trial { game: game.clone(), player }
    }

    /// Plays one game with the dealer's chance from `generator`, at most `cap` pieces.
    pub fn play(&mut self, generator: Generator, cap: u64) -> GameResult {
        match &mut self.player {
            TrialPlayer::Fast(simulator) => {
                simulator.start(generator);
                finish(simulator, &self.game, cap)
            }
            TrialPlayer::Plain(controller) => {
                play_plain(&self.game, controller, AnyColumns::empty(&self.game), generator, cap).0
            }
        }
    }

    /// The same from another board; also gives the board at the end, which means nothing if the game was lost.
    pub fn play_from(&mut self, board: &Board, generator: Generator, cap: u64) -> (GameResult, Board) {
        match &mut self.player {
            TrialPlayer::Fast(simulator) => {
                simulator.start(generator);
                simulator.set_board(board);
                let played = finish(simulator, &self.game, cap);
                (played, simulator.board(&self.game))
            }
            TrialPlayer::Plain(controller) => {
                let board = AnyColumns::from_board(board);
                let (played, board) = play_plain(&self.game, controller, board, generator, cap);
                (played, board.to_board(&self.game))
            }
        }
    }
}

fn finish(simulator: &mut Simulator, game: &PlacementGame, cap: u64) -> GameResult {
    let lost = simulator.play(cap);
    let tally = simulator.tally();
    let (lines, score) = (tally.lines(), tally.score(game.score()));
    let outcome = lost.then_some(Outcome::ToppedOut);
    GameResult { pieces: tally.pieces, lines, score, outcome, ..GameResult::default() }
}

fn play_plain(
    game: &Arc<PlacementGame>,
    controller: &Controller,
    board: AnyColumns,
    chance: Generator,
    cap: u64,
) -> (GameResult, AnyColumns) {
    let mut game = Match::from_board(game.clone(), board, Allowance::default(), DealtBy::Chance, chance);
    let mut lost = false;
    while game.stats().pieces < cap && !lost {
        let piece = game.current().filter(|_| game.outcome().is_none());
        let placement = piece.and_then(|piece| controller.choose(game.game(), game.board(), piece as usize));
        // Whether the piece after the last one has a place is not asked.
        lost = placement.is_none_or(|placement| game.play_unchecked(&placement).fatal);
    }
    let Stats { pieces, lines, score, .. } = *game.stats();
    let outcome = lost.then_some(Outcome::ToppedOut);
    (GameResult { pieces, lines, score, outcome, ..GameResult::default() }, *game.board())
}
