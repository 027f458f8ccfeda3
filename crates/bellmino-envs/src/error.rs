//! Why an environment cannot be made, or does not do what it is told.

use bellmino_engine::RecordError;
use bellmino_engine::guideline::Piece;
use bellmino_engine::placement::BoardError;
use bellmino_exact::{Abstraction, Dealing, Reward};
use bellmino_learn::{ControllerError, Feature, FeatureError};
use thiserror::Error;

use crate::env::{MAX_BYTES, MAX_HANDLING, MAX_LANES, MAX_PREVIEWS, MAX_TICK};

/// Why an environment cannot be made, or does not do what it is told. Nothing changes after an error.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EnvError {
    /// As many games as this cannot be played side by side.
    #[error("lanes: {0} is not a whole number from 1 to {MAX_LANES}")]
    Lanes(usize),
    /// The arrays would be too big.
    #[error("lanes: {lanes} games of {bytes} bytes are more than {} GiB", MAX_BYTES >> 30)]
    TooBig {
        /// The games.
        lanes: usize,
        /// The bytes of one.
        bytes: u64,
    },
    /// A game cannot be stopped before its first piece.
    #[error("limit: give a whole number from 1")]
    Limit,
    /// So many pieces cannot be in sight.
    #[error("previews: {0} is not a whole number from 0 to {MAX_PREVIEWS}")]
    Previews(usize),
    /// What is in sight was given for a game that says it itself.
    #[error("previews and hold belong to the rules of a guideline game; override them in the game")]
    OfRules,
    /// A placement game is not played by keys.
    #[error("`{0}` is a placement game and has no keys")]
    NoKeys(String),
    /// A step takes no or too much time.
    #[error("tick: {0} is not a number of milliseconds from 1 to {MAX_TICK}")]
    Tick(u64),
    /// A key repeats too slowly.
    #[error("handling: {name}: {given} is not a number of milliseconds from 0 to {MAX_HANDLING}")]
    Handling {
        /// Which setting.
        name: &'static str,
        /// What it was.
        given: u32,
    },
    /// A feature does not fit the game.
    #[error("features: {0}")]
    Feature(#[from] FeatureError),
    /// The features do not go together.
    #[error("features: {0}")]
    Features(#[from] ControllerError),
    /// A feature that looks at a placement was asked for of the board.
    #[error(
        "features: `{0}` looks at a placement, not only at the board; ask for afterstates, or for other features"
    )]
    OfPlacement(Feature),
    /// Afterstates were asked for without features.
    #[error("features: name at least one to see of each afterstate")]
    NoFeatures,
    /// Features of a game that is played by keys.
    #[error("features: a game of keys is seen as it is")]
    OfKeys,
    /// The table is not one of the optimal values of this environment.
    #[error("oracle: {0}")]
    Oracle(#[from] OracleError),
    /// The oracle does not know the board.
    #[error("the oracle does not know this board: it cannot be reached from the empty one")]
    UnknownBoard,
    /// A drawing of a board is wrong.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// Where a guideline game is to begin makes no sense.
    #[error(transparent)]
    Beginning(#[from] RecordError),
    /// The held piece is none.
    #[error("hold: `{0}` is no piece; give one of {letters}", letters = Piece::LETTERS)]
    Hold(String),
    /// More than the board was given for a placement game.
    #[error("only `board` can be given in placement games: the dealer deals the pieces")]
    OnlyBoard,
    /// A game would be over at once.
    #[error("no piece fits this board; give one with room")]
    NoRoom,
    /// There is no such game.
    #[error("there is no lane {0}")]
    NoLane(usize),
    /// As many actions as games are needed.
    #[error("{given} actions for {lanes} lanes; give one for each")]
    Actions {
        /// Actions given.
        given: usize,
        /// Games.
        lanes: usize,
    },
    /// The action may not be taken.
    #[error("action {action} is not legal in lane {lane}; the mask has the legal ones")]
    Illegal {
        /// Which game.
        lane: usize,
        /// The action.
        action: i64,
    },
    /// The game has ended.
    #[error("the game of lane {0} is over; reset it")]
    Over(usize),
    /// An array has the wrong length.
    #[error("{name}: {entries} entries; give {wanted}")]
    Array {
        /// Which array.
        name: &'static str,
        /// Its length.
        entries: usize,
        /// The right length.
        wanted: usize,
    },
    /// The arrays were made for another environment.
    #[error("these arrays are of another environment: give arrays of its widths and lanes")]
    OtherArrays,
}

/// Why a table cannot tell the optimal values of an environment.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OracleError {
    /// Guideline games are never solved.
    #[error("a guideline game is too big to be solved")]
    Guideline,
    /// It is of another game.
    #[error("solved for another game than `{0}`, or for other rules of it")]
    OtherGame(String),
    /// With hold and without are two games.
    #[error("solved {}, and the environment is {}", told(*.solved), told(!*.solved))]
    Hold {
        /// Whether it was solved with hold.
        solved: bool,
    },
    /// It knows another number of pieces.
    #[error("solved for {solved} previews, and the environment has {wanted}")]
    Previews {
        /// Previews of the table.
        solved: usize,
        /// Previews of the environment.
        wanted: usize,
    },
    /// Another dealer deals.
    #[error("solved against another dealer, {0}, and the game's own deals here; solve with dealer random")]
    Dealing(Dealing),
    /// It is of somebody who does not choose the best placement.
    #[error("solved for a player who places at random; solve for the best one")]
    Placing,
    /// It is of a player who was given, not of the best one.
    #[error("it has the values of a given player; solve for the best one")]
    GivenPlayer,
    /// A dealer was given.
    #[error("solved against a given dealer, and the game's own deals here; solve with dealer random")]
    GivenDealer,
    /// It maximises something else than the score.
    #[error("solved for the reward {0}, and the environment gives points; solve without a reward")]
    Reward(Reward),
    /// It is of a player who sees less.
    #[error("solved for a player who sees only the {} of a board; solve without a view", seen(*.0))]
    View(Abstraction),
    /// The run was stopped.
    #[error("the table is not finished; let its run go on to the end")]
    Unfinished,
    /// All values are infinite.
    #[error(
        "the total is infinite, no placement is worth more than another; ask for average, survive or discounted:L"
    )]
    Infinite,
}

fn told(hold: bool) -> &'static str {
    if hold { "with hold" } else { "without hold" }
}

fn seen(view: Abstraction) -> &'static str {
    match view {
        Abstraction::Grid => "cells",
        Abstraction::Heights => "heights",
        Abstraction::Contour => "contour",
    }
}
