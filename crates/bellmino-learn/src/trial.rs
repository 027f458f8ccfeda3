//! Trials: games that say what weights are worth.

use bellmino_engine::{AnyColumns, Generator, Grid, PlacementGame};

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
    pub fn play(&mut self, game: &PlacementGame, mut generator: Generator, cap: u64) -> Played {
        match self {
            Trial::Fast(simulator) => {
                simulator.start(generator);
                let lost = simulator.play(cap);
                let tally = simulator.tally();
                Played { pieces: tally.pieces, lines: tally.lines(), score: tally.score(game.score()), lost }
            }
            Trial::Plain(_, controller) => {
                let mut board = AnyColumns::empty(game);
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
                played
            }
        }
    }
}
