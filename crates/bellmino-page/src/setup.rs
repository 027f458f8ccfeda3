//! What a timed game begins with: its mode, the player's hands, and a position to practise from.

use bellmino_engine::RecordError;
use bellmino_engine::guideline::{
    Bag, HEIGHT, Handling, Kicks, Match, Piece, Rules, Start, Timed, Timing, WIDTH,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Forty lines against the clock.
    Sprint,
    /// Three minutes for points.
    Blitz,
    /// No goal; positions can be taken back and changed.
    Practice,
}

/// How a page wants its keys to repeat, in milliseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Hands {
    /// Before a held key repeats.
    pub das: u32,
    /// Between its repeats.
    pub arr: u32,
    /// Between rows of soft drop.
    pub soft: u32,
    /// Before a key held over acts on the next piece.
    pub cut: u32,
    /// Whether pieces go to the side at once.
    #[serde(default)]
    pub advanced: bool,
    /// Whether half turns are wanted, which the rules leave out by default.
    #[serde(default)]
    pub half: bool,
    /// Whether keys that are down when a piece enters turn or hold it at once.
    #[serde(default)]
    pub initial: bool,
    /// Whether pieces fall by themselves in Practice.
    #[serde(default = "yes")]
    pub gravity: bool,
}

fn yes() -> bool {
    true
}

/// A change of a position in Practice; what is left out stays as it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Change {
    /// Rows from the bottom; anything but `.` is filled.
    pub board: Option<Vec<String>>,
    /// The current piece and those that follow.
    pub queue: Option<String>,
    /// The held piece; none if it is empty.
    pub hold: Option<String>,
    /// Rows of garbage that come from below, and the column of their gap.
    pub garbage: Option<(usize, usize)>,
    /// Whether pieces fall by themselves.
    pub gravity: Option<bool>,
}

/// A position to practise from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// Rows from the bottom; anything but `.` is filled.
    pub board: Vec<String>,
    /// The current piece and those that follow.
    pub queue: String,
    /// The held piece.
    pub hold: Option<String>,
}

/// Why nobody can play from a position.
#[derive(Debug, Error)]
pub enum SetupError {
    /// More rows or pieces than anybody needs.
    #[error("the position is too large")]
    TooLarge,
    /// A letter of no piece.
    #[error("{0:?} is no piece; use I O T L J S Z")]
    NoPiece(char),
    /// The rules refuse it.
    #[error(transparent)]
    Position(#[from] RecordError),
}

impl Mode {
    /// The name in the store and in records.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Sprint => "sprint",
            Mode::Blitz => "blitz",
            Mode::Practice => "practice",
        }
    }

    /// The mode of a name.
    pub fn of(name: &str) -> Option<Mode> {
        [Mode::Sprint, Mode::Blitz, Mode::Practice].into_iter().find(|mode| mode.name() == name)
    }

    /// What the best games are best in: `time` or `score`.
    pub const fn ranked(self) -> Option<&'static str> {
        match self {
            Mode::Sprint => Some("time"),
            Mode::Blitz => Some("score"),
            Mode::Practice => None,
        }
    }

    /// The rules.
    pub const fn rules(self) -> Rules {
        match self {
            Mode::Sprint => Rules::SPRINT,
            Mode::Blitz => Rules::BLITZ,
            Mode::Practice => Rules::PRACTICE,
        }
    }
}

impl Hands {
    /// The rules of a mode with these hands.
    pub fn rules(self, mode: Mode) -> Rules {
        let kicks = if self.half { Kicks::Srs180 } else { Kicks::Srs };
        let rules = Rules { kicks, ..mode.rules() };
        if mode == Mode::Practice { with_gravity(rules, self.gravity) } else { rules }
    }

    /// As the engine has it.
    pub fn handling(self) -> Handling {
        let limit = |milliseconds: u32| milliseconds.min(1000);
        let soft_drop = limit(self.soft);
        Handling {
            das: limit(self.das),
            arr: if self.advanced { 0 } else { limit(self.arr) },
            // The first repeat waits about twice as long, as with the default of 75 and 35.
            soft_drop_first: if soft_drop == Handling::DEFAULT.soft_drop {
                Handling::DEFAULT.soft_drop_first
            } else {
                soft_drop * 2
            },
            soft_drop,
            das_cut: limit(self.cut),
            initial: self.initial,
        }
    }
}

impl Setup {
    /// The position as records keep it.
    pub fn start(&self) -> Result<Start, SetupError> {
        if self.board.len() > HEIGHT || self.queue.len() > 1000 {
            return Err(SetupError::TooLarge);
        }
        let hold = self
            .hold
            .as_deref()
            .unwrap_or("")
            .chars()
            .next()
            .map(|letter| Piece::from_letter(letter).ok_or(SetupError::NoPiece(letter)));
        // Rows from the top; empty cells at their end may be left out.
        let board = self.board.iter().rev().map(|row| format!("{row:.<WIDTH$}")).collect();
        Ok(Start { board, hold: hold.transpose()?, queue: self.queue.clone(), dealt: 0 })
    }
}

/// The rules with or without gravity.
pub fn with_gravity(rules: Rules, gravity: bool) -> Rules {
    Rules { timing: if gravity { Timing::DEFAULT } else { Timing::STILL }, ..rules }
}

/// A game before its first key.
pub fn timed(
    rules: Rules,
    seed: u64,
    start: Option<&Start>,
    handling: Handling,
) -> Result<Timed, SetupError> {
    Ok(match start {
        Some(start) => {
            let (game, colours) = start.game(rules, Bag::new(seed))?;
            Timed::new(game, handling).with_colours(colours)
        }
        None => Timed::new(Match::new(rules, seed), handling),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_to_practise_from_are_checked() {
        let from = |board: &[&str], queue: &str, hold: &str| {
            let board = board.iter().map(|&row| row.to_owned()).collect();
            let setup = Setup { board, queue: queue.to_owned(), hold: Some(hold.to_owned()) };
            timed(Rules::PRACTICE, 1, Some(&setup.start()?), Handling::DEFAULT)
        };
        let refused =
            |board: &[&str], queue: &str, hold: &str| from(board, queue, hold).err().unwrap().to_string();
        assert!(refused(&["GGGGGGGGGG"], "", "").contains("full"));
        assert!(refused(&["GGGGGGGGGGG"], "", "").contains("11 cells"));
        assert!(refused(&[], "IX", "").contains("no piece"));
        assert!(refused(&[], "", "X").contains("no piece"));
        assert!(refused(&["GGGGGGGGG."; 30], "", "").contains("no piece can enter"));
        let timed = from(&["GGG.GGGGGG"], "TTT", "I").unwrap();
        let game = timed.game().clone();
        assert_eq!(game.queue()[..3], [Piece::T; 3]);
        assert_eq!(game.position().hold, Some(Piece::I));
    }
}
