//! Trials: games that say what weights are worth.

use bellmino_engine::placement::{AnyColumns, Board, Grid};
use bellmino_engine::{Generator, PlacementGame};

use crate::controller::Controller;
use crate::simulator::Simulator;

/// A controller ready to play whole games of one game, as fast as it can be done.
#[derive(Clone, Debug)]
pub enum Trial<'a> {
    /// At full speed.
    Fast(Box<Simulator>),
    /// On any board.
    Plain(&'a PlacementGame, Box<Controller>),
}

/// What happened in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Played {
    /// Pieces placed.
    pub pieces: u64,
    /// Rows cleared.
    pub lines: u64,
    /// Points.
    pub score: f64,
    /// Whether the game was lost, not stopped.
    pub lost: bool,
}

impl<'a> Trial<'a> {
    /// Prepares a controller whose features fit the game.
    pub fn new(game: &'a PlacementGame, controller: &Controller) -> Trial<'a> {
        match Simulator::new(game, controller) {
            Some(simulator) => Trial::Fast(Box::new(simulator)),
            None => Trial::Plain(game, Box::new(controller.clone())),
        }
    }

    /// Plays one game with the dealer's chance from `generator`, at most `cap` pieces.
    pub fn play(&mut self, game: &PlacementGame, generator: Generator, cap: u64) -> Played {
        match self {
            Trial::Fast(simulator) => {
                simulator.start(generator);
                finish(simulator, game, cap)
            }
            Trial::Plain(_, controller) => {
                play_plain(game, controller, AnyColumns::empty(game), generator, cap).0
            }
        }
    }

    /// The same from another board; also gives the board at the end, which means nothing if the game was lost.
    pub fn play_from(
        &mut self,
        game: &PlacementGame,
        board: &Board,
        generator: Generator,
        cap: u64,
    ) -> (Played, Board) {
        match self {
            Trial::Fast(simulator) => {
                simulator.start(generator);
                simulator.set_board(board);
                let played = finish(simulator, game, cap);
                (played, simulator.board(game))
            }
            Trial::Plain(_, controller) => {
                let (played, board) =
                    play_plain(game, controller, AnyColumns::from_board(board), generator, cap);
                (played, board.to_board(game))
            }
        }
    }
}

fn finish(simulator: &mut Simulator, game: &PlacementGame, cap: u64) -> Played {
    let lost = simulator.play(cap);
    let tally = simulator.tally();
    Played { pieces: tally.pieces, lines: tally.lines(), score: tally.score(game.score()), lost }
}

fn play_plain(
    game: &PlacementGame,
    controller: &Controller,
    mut board: AnyColumns,
    mut generator: Generator,
    cap: u64,
) -> (Played, AnyColumns) {
    let mut state = game.dealer().start();
    let mut played = Played::default();
    while played.pieces < cap && !played.lost {
        let deal = game.dealer().deal(state, &mut generator);
        state = deal.next;
        let Some(placement) = controller.choose(game, &board, deal.piece as usize) else {
            played.lost = true;
            break;
        };
        let outcome = board.place_unchecked(game, placement);
        played.pieces += 1;
        played.lost = outcome.fatal;
        if !outcome.fatal {
            played.lines += u64::from(outcome.lines());
            played.score += game.score().points(outcome.lines());
            board = outcome.board;
        }
    }
    (played, board)
}
