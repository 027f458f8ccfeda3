//! What may differ from one guideline game to another.

use serde::{Deserialize, Serialize};

use super::kicks::Kicks;
use super::score::ScoreTable;

/// The rules of a guideline game: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// How pieces turn.
    pub kicks: Kicks,
    /// Points.
    pub score: ScoreTable,
    /// How many pieces after the current one are in sight.
    pub previews: usize,
    /// Whether a piece may be held, once per piece.
    pub hold: bool,
    /// When the game is done.
    pub goal: Goal,
    /// How fast timed play goes.
    pub timing: Timing,
}

/// When a game is done; whichever comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// Rows to clear.
    pub lines: Option<u32>,
    /// Pieces to place. In timed play a goal in seconds takes its place.
    pub pieces: Option<u32>,
    /// Seconds of timed play.
    pub seconds: Option<u32>,
}

impl Goal {
    /// Whether a game with so many pieces placed and rows cleared is done; the time is not asked.
    #[inline]
    pub fn is_reached(&self, pieces: u32, lines: u32) -> bool {
        self.lines.is_some_and(|goal| lines >= goal) || self.pieces.is_some_and(|goal| pieces >= goal)
    }

    /// Pieces until the game is done, if their number is bounded.
    #[inline]
    pub fn pieces_left(&self, pieces: u32) -> Option<u32> {
        self.pieces.map(|goal| goal.saturating_sub(pieces))
    }

    /// Rows until the game is done, if their number is bounded.
    #[inline]
    pub fn lines_left(&self, lines: u32) -> Option<u32> {
        self.lines.map(|goal| goal.saturating_sub(lines))
    }
}

/// The clockwork of timed play, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Time to fall one row; 0 falls to the ground at once, [`Timing::NEVER`] not at all.
    pub gravity: u32,
    /// How long a piece lies still on the ground before it locks; [`Timing::NEVER`] waits for a hard drop.
    pub lock_delay: u32,
    /// How long a piece may lie on the ground altogether, however much it is moved.
    pub lock_limit: u32,
    /// Time between locking and the entry of the next piece.
    pub entry_delay: u32,
}

impl Timing {
    /// Longer than anybody plays.
    pub const NEVER: u32 = u32::MAX;

    /// Nothing happens by itself: pieces float until they are dropped.
    pub const STILL: Timing = Timing {
        gravity: Timing::NEVER,
        lock_delay: Timing::NEVER,
        lock_limit: Timing::NEVER,
        entry_delay: 0,
    };

    /// Slow gravity, a short lock delay, no entry delay.
    pub const DEFAULT: Timing = Timing { gravity: 1000, lock_delay: 250, lock_limit: 2000, entry_delay: 0 };
}

impl Default for Timing {
    fn default() -> Self {
        Timing::DEFAULT
    }
}

impl Rules {
    /// No goal.
    pub const PRACTICE: Rules = Rules {
        kicks: Kicks::Srs,
        score: ScoreTable::SEED,
        previews: 5,
        hold: true,
        goal: Goal { lines: None, pieces: None, seconds: None },
        timing: Timing::DEFAULT,
    };

    /// Forty rows.
    pub const SPRINT: Rules =
        Rules { goal: Goal { lines: Some(40), pieces: None, seconds: None }, ..Rules::PRACTICE };

    /// 360 pieces, or three minutes in timed play.
    pub const BLITZ: Rules =
        Rules { goal: Goal { lines: None, pieces: Some(360), seconds: Some(180) }, ..Rules::PRACTICE };
}

impl Rules {
    /// The most pieces in sight.
    pub const MAX_PREVIEWS: usize = 64;
    /// The longest time in [`Timing`], in milliseconds.
    pub const MAX_MILLISECONDS: u32 = 600_000;
    /// The most points for anything.
    pub const MAX_POINTS: u32 = 1_000_000;

    /// The most percent for back-to-back.
    pub const MAX_PERCENT: u32 = 1_000;

    /// Whether every number is within bounds; the first that is not is named.
    pub fn check(&self) -> Result<(), String> {
        if self.previews > Rules::MAX_PREVIEWS {
            return Err(format!("{} previews are more than {}", self.previews, Rules::MAX_PREVIEWS));
        }
        let Timing { gravity, lock_delay, lock_limit, entry_delay } = self.timing;
        for time in [gravity, lock_delay, lock_limit, entry_delay] {
            if time > Rules::MAX_MILLISECONDS && (time != Timing::NEVER || time == entry_delay) {
                return Err(format!("{time} ms are more than {}", Rules::MAX_MILLISECONDS));
            }
        }
        let ScoreTable { lines, mini, full, perfect, .. } = self.score;
        let ScoreTable { back_to_back_percent, combo, perfect_back_to_back, soft_drop, hard_drop, .. } =
            self.score;
        if back_to_back_percent > Rules::MAX_PERCENT {
            return Err(format!("{back_to_back_percent} percent are more than {}", Rules::MAX_PERCENT));
        }
        let single = [combo, perfect_back_to_back, soft_drop, hard_drop];
        let points = lines.into_iter().chain(mini).chain(full).chain(perfect).chain(single);
        for number in points {
            if number > Rules::MAX_POINTS {
                return Err(format!("{number} points are more than {}", Rules::MAX_POINTS));
            }
        }
        let Goal { lines, pieces, seconds } = self.goal;
        match [lines, pieces, seconds].contains(&Some(0)) {
            true => Err("a goal of 0 is reached before it begins".to_owned()),
            false => Ok(()),
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Rules::PRACTICE
    }
}
