//! Games as they are kept: what is written of them, and how lists show them.

use bellmino_engine::guideline::Play;
use bellmino_engine::{AnyMatch, AnyRecord, Outcome, RecordError, Totals};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The name of the person at the keyboard.
pub const PLAYER: &str = "you";

/// The same person with pieces that were seen before: such games do not count among the bests.
pub const SAME_PIECES: &str = "you, with the same pieces again";

/// A game as lists show it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct StoredGame {
    /// Its number.
    pub id: i64,
    /// `sprint`, `blitz`, `practice`, or another game's name.
    pub mode: String,
    /// Who played.
    pub player: String,
    /// `open`, `goal`, `topped-out` or `stopped`; `damaged` if its checksum does not fit, and then nothing else is known.
    pub state: String,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// How long it took.
    pub milliseconds: i64,
    /// Points.
    pub score: i64,
    /// Rows cleared.
    pub lines: i64,
    /// Pieces placed.
    pub pieces: i64,
    /// The statistics of the end screen.
    pub summary: Value,
}

/// What is written about a game as it goes on.
#[derive(Clone, Debug, Default)]
pub struct GameEntry {
    /// How long it has taken.
    pub milliseconds: i64,
    /// Points.
    pub score: i64,
    /// Rows cleared.
    pub lines: i64,
    /// Pieces placed.
    pub pieces: i64,
    /// The statistics of the end screen.
    pub summary: Value,
    /// The game itself, to be opened again.
    pub record: String,
}

/// A game that was played in the lab, to be read by others.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptGame {
    /// Its number.
    pub id: i64,
    /// Who played.
    pub player: String,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// What else is known of it.
    pub summary: Value,
    /// The game itself; `None` if it is damaged.
    pub record: Option<String>,
}

/// A recorded game as it is to be kept.
#[derive(Clone, Debug)]
pub struct RecordToKeep {
    /// The game's name.
    pub mode: String,
    /// Who played.
    pub player: String,
    /// How it ended.
    pub state: &'static str,
    /// All that is written of it.
    pub standing: GameEntry,
}

impl RecordToKeep {
    /// The same game of a person against this machine.
    pub fn against(mut self, machine: Option<&str>) -> RecordToKeep {
        self.standing.summary = machine.map_or_else(|| json!({}), |machine| json!({ "against": machine }));
        self
    }

    /// A recorded game under the name of its player, who is not the person at the keyboard: it never counts among the bests.
    pub fn new(record: &AnyRecord, player: &str) -> Result<RecordToKeep, RecordError> {
        let (totals, outcome, milliseconds) = played_again(record)?;
        let standing = GameEntry {
            milliseconds,
            score: totals.score.round() as i64,
            lines: totals.lines as i64,
            pieces: totals.pieces as i64,
            summary: json!({}),
            record: record.to_text(),
        };
        let (mode, player) = (record.game().to_owned(), player.to_owned());
        Ok(RecordToKeep { mode, player, state: state_of(outcome), standing })
    }
}

/// What came of a recorded game: its sums, how it ended, and how long it took.
fn played_again(record: &AnyRecord) -> Result<(Totals, Option<Outcome>, i64), RecordError> {
    Ok(match record {
        AnyRecord::Placement(record) => {
            let game = record.replay(|_, _| {})?;
            (game.totals(), game.outcome(), 0)
        }
        AnyRecord::Guideline(record) => {
            let game = record.replay(|_, _| {})?;
            let milliseconds = match &record.play {
                Play::Timed { end, .. } => *end as i64,
                Play::Placements { .. } => 0,
            };
            (game.totals(), game.outcome(), milliseconds)
        }
    })
}

/// How a game ended, as it is kept.
pub fn state_of(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Goal) => "goal",
        Some(Outcome::ToppedOut) => "topped-out",
        None => "stopped",
    }
}
