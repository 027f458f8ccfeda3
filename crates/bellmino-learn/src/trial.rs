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

    /// The same without the simulator: the plain twin that it is compared with.
    pub fn plain(game: &Arc<PlacementGame>, controller: &Controller) -> Trial {
        Trial { game: game.clone(), player: TrialPlayer::Plain(Box::new(controller.clone())) }
    }

    /// Plays one game with the dealer's chance from `generator`, at most `cap` pieces.
    pub fn play(&mut self, generator: Generator, cap: u64) -> GameResult {
        match &mut self.player {
            TrialPlayer::Fast(simulator) => {
                simulator.start(generator);
                finish(simulator, cap)
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
                let played = finish(simulator, cap);
                (played, simulator.board(&self.game))
            }
            TrialPlayer::Plain(controller) => {
                let board = AnyColumns::from_board(board);
                let (played, board) = play_plain(&self.game, controller, board, generator, cap);
                (played, board.to_board(&self.game))
            }
        }
    }

    /// Plays at most `cap` pieces from the empty board, and shows the height of every board before a piece, with a way to see
    /// the board.
    pub fn walk(&mut self, generator: Generator, cap: u64, mut show: impl FnMut(usize, &dyn Fn() -> Board)) {
        let game = self.game.clone();
        match &mut self.player {
            TrialPlayer::Fast(simulator) => {
                simulator.start(generator);
                for _ in 0..cap {
                    show(simulator.height(), &|| simulator.board(&game));
                    if simulator.play(1) {
                        return;
                    }
                }
            }
            TrialPlayer::Plain(controller) => {
                let board = AnyColumns::empty(&game);
                play_shown(&game, controller, board, generator, cap, |board| {
                    let board = board.to_board(&game);
                    let height = (0..game.width()).map(|x| board.column_height(x)).max().unwrap_or(0);
                    show(height, &|| board);
                });
            }
        }
    }
}

fn finish(simulator: &mut Simulator, cap: u64) -> GameResult {
    let lost = simulator.play(cap);
    let tally = simulator.tally();
    let outcome = lost.then_some(Outcome::ToppedOut);
    GameResult {
        pieces: tally.pieces,
        lines: tally.lines(),
        score: tally.score,
        outcome,
        ..GameResult::default()
    }
}

fn play_plain(
    game: &Arc<PlacementGame>,
    controller: &Controller,
    board: AnyColumns,
    chance: Generator,
    cap: u64,
) -> (GameResult, AnyColumns) {
    play_shown(game, controller, board, chance, cap, |_| {})
}

/// The same, and shows every board before a piece.
fn play_shown(
    game: &Arc<PlacementGame>,
    controller: &Controller,
    board: AnyColumns,
    chance: Generator,
    cap: u64,
    mut show: impl FnMut(&AnyColumns),
) -> (GameResult, AnyColumns) {
    let allowance = Allowance { previews: game.previews(), hold: false };
    let mut game = Match::from_board(game.clone(), board, allowance, DealtBy::Chance, chance);
    let mut lost = false;
    while game.stats().pieces < cap && !lost {
        show(game.board());
        let pieces: Vec<u8> = game.queue().iter().map(|dealt| dealt.piece).collect();
        let placement = match game.outcome() {
            None => controller.choose_in_sight(game.game(), game.board(), &pieces),
            Some(_) => None,
        };
        // Whether the piece after the last one has a place is not asked.
        lost = placement.is_none_or(|placement| game.play_unchecked(&placement).fatal);
    }
    let Stats { pieces, lines, score, .. } = *game.stats();
    let outcome = lost.then_some(Outcome::ToppedOut);
    (GameResult { pieces, lines, score, outcome, ..GameResult::default() }, *game.board())
}
