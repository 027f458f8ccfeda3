//! Perfect clears, or how likely they are.

use bellmino_engine::guideline::{Board, Kicks, Piece, Placement, Position, ScoreTable};
use bellmino_search::{Puzzle, Solver};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::position::{guideline_board, guideline_piece, guideline_pieces};
use super::{Chance, Context, Request, RequestError, named};

/// Find perfect clears, or how likely they are
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcRequest {
    /// The board: a fumen, a file, or rows from the top such as "##........ / ####.#####"; "empty" is the empty board
    #[schemars(extend("x-positional" = true))]
    pub board: String,

    /// The current piece and the next ones
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECES"))]
    pub queue: String,

    /// The held piece
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECE"))]
    pub hold: Option<String>,

    /// Never hold
    #[serde(default)]
    #[schemars(extend("x-excludes" = ["hold"]))]
    pub no_hold: bool,

    /// The pieces left in the bag after the queue [default: what the queue leaves of its last seven]
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECES"))]
    pub bag: Option<String>,

    /// Rows to clear [default: the fewest that pieces can fill exactly, from 2; on the empty board 4]
    #[serde(default)]
    #[schemars(range(min = 1, max = 6), extend("x-value" = "N"))]
    pub rows: Option<u8>,

    /// Only clears of four rows at once by the last piece
    #[serde(default)]
    pub tetris: bool,

    /// List every solution, the most points first
    #[serde(default)]
    pub all: bool,

    /// The last clear keeps back-to-back alive
    #[serde(default)]
    pub back_to_back: bool,

    /// Placements to look at, at most
    #[serde(default = "most_nodes")]
    #[schemars(range(min = 1, max = 10_000_000_000u64), extend("x-value" = "N"))]
    pub nodes: u64,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

fn most_nodes() -> u64 {
    20_000_000
}

/// The most solutions listed.
const MOST: usize = 100_000;

/// Solutions shown unless all are wanted.
const SHOWN: usize = 1;

/// Solutions, or chances where some pieces are unknown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PcAnswer {
    /// All pieces are known.
    Solutions(PcSolutions),
    /// Some are not.
    Chances(PcChances),
}

/// Perfect clears with known pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PcSolutions {
    /// Rows to clear.
    pub rows: usize,
    /// Pieces that takes.
    pub pieces: usize,
    /// The most points first.
    pub solutions: Vec<PcLine>,
    /// Whether everything was looked at.
    pub complete: bool,
    /// Placements looked at.
    pub nodes: u64,
}

/// One perfect clear.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PcLine {
    /// Its points.
    pub points: u32,
    /// Its placements.
    pub line: Vec<String>,
}

/// How likely a perfect clear is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PcChances {
    /// Rows to clear.
    pub rows: usize,
    /// Pieces that takes.
    pub pieces: usize,
    /// Futures of the pieces not known.
    pub futures: usize,
    /// The best first placements, from the likeliest on.
    pub chances: Vec<PcChance>,
}

/// A first placement and its chance.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PcChance {
    /// The placement.
    pub placement: String,
    /// The part of the futures in which it leads to a perfect clear.
    pub chance: f64,
}

impl Request for PcRequest {
    const NAME: &'static str = "pc";
    type Answer = PcAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<PcAnswer, RequestError> {
        let board = guideline_board(&self.board, context)?;
        let queue = guideline_pieces("queue", &self.queue)?;
        let puzzle = self.puzzle(board, &queue)?;
        let rows = puzzle.rows;
        let Some(needed) = puzzle.needed().filter(|&needed| needed > 0) else {
            return Err(RequestError::input(format!(
                "{rows} rows of this board cannot be filled by whole pieces"
            )));
        };
        let known = puzzle.pieces.len() + usize::from(puzzle.reserve.is_some());
        if known >= needed {
            return Ok(PcAnswer::Solutions(self.solutions(&puzzle, needed)));
        }
        if self.tetris || self.all || puzzle.pieces.is_empty() {
            let queue = named("queue");
            return Err(RequestError::input(format!(
                "a perfect clear of {rows} rows needs {needed} pieces, and {known} are known; give more with {queue}, such as \
                 {queue} IOTLJSZ"
            )));
        }
        let bag = match &self.bag {
            Some(bag) => guideline_pieces("bag", bag)?,
            None => rest_of_bag(&queue),
        };
        let (chances, futures) = puzzle.chances(&bag, self.chance.seed, self.nodes);
        let chances = chances
            .iter()
            .map(|chance| PcChance { placement: chance.placement.to_string(), chance: chance.value });
        Ok(PcAnswer::Chances(PcChances { rows, pieces: needed, futures, chances: chances.collect() }))
    }
}

impl PcRequest {
    fn puzzle(&self, board: Board, queue: &[Piece]) -> Result<Puzzle, RequestError> {
        let mut pieces = queue.to_vec();
        let mut reserve = self.hold.as_deref().map(|hold| guideline_piece("hold", hold)).transpose()?;
        if reserve.is_none() && !self.no_hold && !pieces.is_empty() {
            // Nothing held: the first piece counts as set aside, which gives the same choices.
            reserve = Some(pieces.remove(0));
        }
        let rows = match self.rows {
            Some(rows) => usize::from(rows),
            None => fewest_rows(&board).ok_or_else(|| {
                RequestError::input(format!(
                    "no perfect clear of six rows or fewer is possible; give {}",
                    named("rows")
                ))
            })?,
        };
        Ok(Puzzle { board, rows, reserve, pieces, kicks: Kicks::Srs, tetris: self.tetris })
    }

    fn solutions(&self, puzzle: &Puzzle, needed: usize) -> PcSolutions {
        let mut solver = Solver::new();
        let most = if self.all { MOST } else { SHOWN };
        let (lines, complete) = solver.solutions(puzzle, most, self.nodes);
        let mut scored: Vec<(u32, Vec<Placement>)> =
            lines.into_iter().map(|line| (points(&puzzle.board, self.back_to_back, &line), line)).collect();
        scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let written = |(points, line): &(u32, Vec<Placement>)| PcLine {
            points: *points,
            line: line.iter().map(ToString::to_string).collect(),
        };
        let solutions = scored.iter().map(written).collect();
        PcSolutions { rows: puzzle.rows, pieces: needed, solutions, complete, nodes: solver.nodes }
    }
}

/// The fewest rows, at least two, that whole pieces can fill; four on the empty board, where two are hardly ever cleared.
fn fewest_rows(board: &Board) -> Option<usize> {
    if *board == Board::EMPTY {
        return Some(4);
    }
    (2..=6).find(|&rows| {
        let puzzle =
            Puzzle { board: *board, rows, reserve: None, pieces: vec![], kicks: Kicks::Srs, tetris: false };
        puzzle.needed().is_some_and(|needed| needed > 0)
    })
}

/// What the pieces seen leave of the last bag, if they begin with a full one.
fn rest_of_bag(queue: &[Piece]) -> Vec<Piece> {
    let seen = &queue[queue.len() / 7 * 7..];
    Piece::ALL.into_iter().filter(|piece| !seen.contains(piece)).collect()
}

/// The points of a line of play.
fn points(board: &Board, back_to_back: bool, line: &[Placement]) -> u32 {
    let mut position = Position { board: *board, back_to_back, ..Position::default() };
    line.iter().map(|placement| position.place_unchecked(placement, &ScoreTable::SEED).points).sum()
}
