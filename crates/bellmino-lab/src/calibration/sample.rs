//! A position and what came of playing on from it.

use bellmino_engine::guideline::{Match, Piece, Position, Rules, View};
use bellmino_engine::{Generator, Outcome};
use bellmino_search::{Bot, Budget};
use serde::{Deserialize, Serialize};

/// How long the bot thinks about each move when it plays on.
pub const PLAYING_ON: Budget = Budget::nodes(5000);

/// A position, and what came of it when the bot played on with pieces dealt anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The number of the game it comes from.
    pub game: u64,
    /// Points made so far.
    pub score: u64,
    /// Rows from the top, `/` between them.
    board: String,
    hold: String,
    queue: String,
    bag: String,
    back_to_back: bool,
    combo: u32,
    pieces: u32,
    lines: u32,
    /// What came of it.
    pub result: SampleResult,
}

/// What came of a game that was played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleResult {
    /// Pieces of the whole game.
    pub pieces: u32,
    /// Points of the whole game.
    pub points: u64,
    /// Whether the board was empty at the end.
    pub empty: bool,
    /// Whether it topped out.
    pub lost: bool,
}

impl Sample {
    /// Plays on from a position.
    pub fn play_on(game: u64, view: &View, score: u64, chance: Generator) -> Sample {
        let mut bot = Bot::for_rules(&view.rules);
        let mut on = Match::resume(view, chance);
        while on.outcome().is_none() {
            let thought = bot.think(&on.view(), PLAYING_ON, None);
            if thought.best().is_none_or(|best| on.play(&best.placement).is_err()) {
                break;
            }
        }
        let letters = |pieces: &[Piece]| pieces.iter().map(|piece| piece.letter()).collect();
        Sample {
            game,
            score,
            board: view.position.board.to_text().trim_end().replace('\n', "/"),
            hold: letters(view.position.hold.as_slice()),
            queue: letters(&view.queue),
            bag: letters(&view.bag),
            back_to_back: view.position.back_to_back,
            combo: view.position.combo,
            pieces: view.pieces,
            lines: view.lines,
            result: SampleResult {
                pieces: on.stats().pieces,
                points: score + on.stats().score,
                empty: on.position().board.is_empty(),
                lost: on.outcome() != Some(Outcome::Goal),
            },
        }
    }

    /// Whether another sample is of the same position of the same game.
    pub fn is_of_the_same_position(&self, other: &Sample) -> bool {
        Sample { result: self.result, ..other.clone() } == *self
    }

    /// The position in a game of these rules; `None` if it was not written by [`Sample::play_on`].
    pub fn view(&self, rules: &Rules) -> Option<View> {
        let pieces = |text: &str| text.chars().map(Piece::from_letter).collect::<Option<Vec<Piece>>>();
        let position = Position {
            board: self.board.replace('/', "\n").parse().ok()?,
            hold: pieces(&self.hold)?.first().copied(),
            back_to_back: self.back_to_back,
            combo: self.combo,
        };
        let (queue, bag) = (pieces(&self.queue)?, pieces(&self.bag)?);
        Some(View { rules: *rules, position, queue, bag, pieces: self.pieces, lines: self.lines })
    }
}
