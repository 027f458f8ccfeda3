//! The table `games`: one row for each game.

use std::sync::Arc;

use bellmino_engine::guideline::{ClearKind, Stats};
use bellmino_engine::{Outcome, Totals};
use serde::{Deserialize, Serialize};

use crate::column::{Family, Kind, TableCell, TableColumn};

/// One game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameRow {
    /// Its number in the file, from 0; given when it is written.
    pub game_id: u64,
    /// Which game was played, by whom, and which one of the seed.
    pub head: GameHead,
    /// Pieces, rows and points.
    pub totals: Totals,
    /// How it ended; `None` if it did not.
    pub outcome: Option<Outcome>,
    /// The counts of a guideline game.
    pub guideline: Option<Stats>,
    /// Key presses of a guideline game.
    pub keys: Option<KeyCount>,
    /// How long a person played.
    pub milliseconds: Option<u64>,
}

/// What is known of a game before it is played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameHead {
    /// The game, with what was changed in it.
    #[serde(with = "shared_text")]
    pub game: Arc<str>,
    /// Who plays.
    #[serde(with = "shared_text")]
    pub player: Arc<str>,
    /// Placements that the bot looks at for each move.
    pub nodes: Option<u64>,
    /// The time that the bot thinks about each move.
    pub think_milliseconds: Option<u64>,
    /// The seed, in digits.
    #[serde(with = "shared_text")]
    pub seed: Arc<str>,
    /// Which game of the seed.
    pub index: u64,
    /// The record it comes from.
    #[serde(with = "shared_text::maybe")]
    pub source: Option<Arc<str>>,
    /// When it began, in milliseconds since 1970.
    pub started_at: Option<i64>,
}

/// Key presses of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyCount {
    /// Made.
    pub made: u64,
    /// The fewest that lead to the same placements.
    pub fewest: u64,
    /// Beyond the fewest, placement by placement.
    pub extra: u64,
}

impl GameRow {
    fn clears(&self, kind: ClearKind) -> TableCell<'static> {
        TableCell::maybe(self.guideline.map(|stats| stats.clears_of(kind)))
    }
}

/// How a game ended, by name.
pub fn outcome_name(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Goal) => "goal",
        Some(Outcome::ToppedOut) => "lost",
        None => "unfinished",
    }
}

const fn column(
    name: &'static str,
    kind: Kind,
    family: Family,
    meaning: &'static str,
    value: for<'a> fn(&'a GameRow, &'a [String]) -> TableCell<'a>,
) -> TableColumn<GameRow> {
    TableColumn { name, kind, family, meaning, value }
}

const fn clears(
    name: &'static str,
    meaning: &'static str,
    value: for<'a> fn(&'a GameRow, &'a [String]) -> TableCell<'a>,
) -> TableColumn<GameRow> {
    column(name, Kind::Int, Family::Guideline, meaning, value)
}

/// The columns of `games`, in order.
pub static GAMES: &[TableColumn<GameRow>] = &[
    column(
        "game_id",
        Kind::Long,
        Family::All,
        "Number of the game in this file, from 0; joins `moves`",
        |row, _| TableCell::int(row.game_id),
    ),
    column("game", Kind::Text, Family::All, "The game, and what was changed in it", |row, _| {
        TableCell::text(&*row.head.game)
    }),
    column("player", Kind::Text, Family::All, "Who played", |row, _| TableCell::text(&*row.head.player)),
    column(
        "nodes",
        Kind::Long,
        Family::Guideline,
        "Placements the bot looked at for each move, if that was its limit",
        |row, _| TableCell::maybe(row.head.nodes),
    ),
    column(
        "think_milliseconds",
        Kind::Long,
        Family::Guideline,
        "Processor time the bot had for each move, if that was its limit",
        |row, _| TableCell::maybe(row.head.think_milliseconds),
    ),
    column(
        "seed",
        Kind::Text,
        Family::All,
        "Seed of the pieces; a text, since not every program holds whole numbers of 64 bits",
        |row, _| TableCell::text(&*row.head.seed),
    ),
    column("index", Kind::Long, Family::All, "Which game of the seed, from 0", |row, _| {
        TableCell::int(row.head.index)
    }),
    column("pieces", Kind::Long, Family::All, "Pieces placed, a fatal one included", |row, _| {
        TableCell::int(row.totals.pieces)
    }),
    column("lines", Kind::Long, Family::All, "Rows cleared", |row, _| TableCell::int(row.totals.lines)),
    column("score", Kind::Real, Family::All, "Points, without those for drops", |row, _| {
        TableCell::Real(row.totals.score)
    }),
    column(
        "outcome",
        Kind::Text,
        Family::All,
        "`lost`, `goal`, or `unfinished`: stopped before either",
        |row, _| TableCell::text(outcome_name(row.outcome)),
    ),
    column(
        "drop_points",
        Kind::Long,
        Family::Guideline,
        "Points for soft and hard drops, no part of `score`",
        |row, _| TableCell::maybe(row.guideline.map(|stats| stats.drop_points)),
    ),
    column("holds", Kind::Int, Family::Guideline, "Pieces put into hold", |row, _| {
        TableCell::maybe(row.guideline.map(|stats| stats.holds))
    }),
    column(
        "keys",
        Kind::Long,
        Family::Guideline,
        "Key presses; of players other than people the fewest that do it",
        |row, _| TableCell::maybe(row.keys.map(|keys| keys.made)),
    ),
    column(
        "fewest_keys",
        Kind::Long,
        Family::Guideline,
        "The fewest key presses that lead to the same placements",
        |row, _| TableCell::maybe(row.keys.map(|keys| keys.fewest)),
    ),
    column(
        "extra_keys",
        Kind::Long,
        Family::Guideline,
        "Key presses beyond the fewest, summed over the placements",
        |row, _| TableCell::maybe(row.keys.map(|keys| keys.extra)),
    ),
    column("perfect_clears", Kind::Int, Family::Guideline, "Clears that emptied the board", |row, _| {
        TableCell::maybe(row.guideline.map(|stats| stats.perfect_clears))
    }),
    column("back_to_backs", Kind::Int, Family::Guideline, "Clears raised for back-to-back", |row, _| {
        TableCell::maybe(row.guideline.map(|stats| stats.back_to_backs))
    }),
    column(
        "max_combo",
        Kind::Int,
        Family::Guideline,
        "The longest run of placements that each cleared rows",
        |row, _| TableCell::maybe(row.guideline.map(|stats| stats.max_combo)),
    ),
    clears("clears_single", "Clears of one row without a spin", |row, _| row.clears(ClearKind::Single)),
    clears("clears_double", "Clears of two rows without a spin", |row, _| row.clears(ClearKind::Double)),
    clears("clears_triple", "Clears of three rows without a spin", |row, _| row.clears(ClearKind::Triple)),
    clears("clears_tetris", "Clears of four rows", |row, _| row.clears(ClearKind::Tetris)),
    clears("clears_mini", "Mini T-spins without rows", |row, _| row.clears(ClearKind::Mini)),
    clears("clears_mini_single", "Mini T-spins with one row", |row, _| row.clears(ClearKind::MiniSingle)),
    clears("clears_mini_double", "Mini T-spins with two rows", |row, _| row.clears(ClearKind::MiniDouble)),
    clears("clears_spin", "T-spins without rows", |row, _| row.clears(ClearKind::Spin)),
    clears("clears_spin_single", "T-spins with one row", |row, _| row.clears(ClearKind::SpinSingle)),
    clears("clears_spin_double", "T-spins with two rows", |row, _| row.clears(ClearKind::SpinDouble)),
    clears("clears_spin_triple", "T-spins with three rows", |row, _| row.clears(ClearKind::SpinTriple)),
    column("milliseconds", Kind::Long, Family::People, "How long the game took", |row, _| {
        TableCell::maybe(row.milliseconds)
    }),
    column("started_at", Kind::Time, Family::People, "When the game began", |row, _| {
        TableCell::maybe(row.head.started_at)
    }),
    column(
        "source",
        Kind::Text,
        Family::All,
        "Where the record lies that the game comes from, or `lab:` and its number there",
        |row, _| TableCell::text(row.head.source.as_deref()),
    ),
];

/// Texts that many rows share travel as texts.
mod shared_text {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        Ok(String::deserialize(from)?.into())
    }

    /// The same for texts that need not be there.
    pub mod maybe {
        use std::sync::Arc;

        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub fn serialize<S: Serializer>(text: &Option<Arc<str>>, to: S) -> Result<S::Ok, S::Error> {
            text.as_deref().serialize(to)
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Arc<str>>, D::Error> {
            Ok(Option::<String>::deserialize(from)?.map(Into::into))
        }
    }
}
