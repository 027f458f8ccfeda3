//! Tables of games and moves: what happened in every game, for statistics.
//!
//! Every column is declared once, with its meaning:
//!
//! ```
//! use bellmino_data::{MOVES, dictionary};
//!
//! assert!(MOVES.iter().any(|column| column.name == "well_column"));
//! assert!(dictionary().contains("| `pattern` | text |"));
//! ```
//!
//! What a board looks like, in words of players:
//!
//! ```
//! use bellmino_data::BoardShape;
//!
//! let shape = BoardShape::of_guideline(&"######.###\n######.###\n######.###".parse()?);
//! assert_eq!(shape.pattern(), Some("6-3"));
//! # Ok::<(), bellmino_engine::guideline::BoardError>(())
//! ```
//!
//! # Map
//! - [`GAMES`] and [`MOVES`]: the columns of the two tables; [`dictionary`]: all of them for people.
//! - [`GameRow`] and [`MoveRow`]: one row. [`Notes`]: the rows of one game, taken as it is played.
//! - [`Tables`] writes both tables, [`TableReader`] reads one.
//! - [`BoardShape`], [`Well`], [`TUse`], [`t_slots`]: style of play.
//! - [`plot`]: figures as SVG. [`report`]: one page about many games. [`statistics`]: summaries and intervals.
//!   [`MeanTest`]: whether two means differ.
//! - [`numbers`] and [`text`]: both made fit for people.
//!
//! The crate touches no file and reads no clock: it takes and gives bytes.
//!
//! # Files
//! - `column`: what a column is
//! - `game_row` and `move_row`: the rows of the two tables and all their columns
//! - `style`: wells, patterns and what became of each T
//! - `notes`: the rows of one game, taken as it is played
//! - `writer` and `reader`: both tables as bytes
//! - `seal`: the checksum of a Parquet file
//! - `guard`: panics of others as errors
//! - `statistics`: summaries and intervals
//! - `mean_test`: whether two means differ
//! - `numbers` and `text`: made fit for people
//! - `plot`: figures as SVG
//! - `report`: one page about many games

mod column;
mod game_row;
mod guard;
mod mean_test;
mod move_row;
mod notes;
pub mod numbers;
pub mod plot;
mod reader;
pub mod report;
mod seal;
pub mod statistics;
mod style;
pub mod text;
mod writer;

pub use column::{Family, Kind, TableCell, TableColumn};
pub use game_row::{GAMES, GameHead, GameRow, KeyCount, outcome_name};
pub use mean_test::{MeanTest, TestMethod};
pub use move_row::{GuidelineMove, MOVES, MoveRow};
pub use notes::{ByHand, Made, Noted, Notes};
pub use reader::{ReadError, RowBatch, TableReader};
pub use style::{BoardShape, TUse, WELL_DEPTH, Well, t_slots};
pub use writer::{Format, Tables};

/// All columns and their meaning, in Markdown: what `bellmino tables --dictionary` prints.
pub fn dictionary() -> String {
    let (games, moves) = (column::describe(GAMES), column::describe(MOVES));
    format!(
        "### `games`: one row for each game\n\n{games}\n### `moves`: one row for each placement\n\n{moves}"
    )
}
