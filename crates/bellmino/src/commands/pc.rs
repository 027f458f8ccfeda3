//! `bellmino pc`: perfect clears.

use std::io::{self, Write};

use bellmino_engine::guideline::{Board, Kicks, Piece, Placement, Position, ScoreTable};
use bellmino_search::{Puzzle, Solver};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::{load, output};

/// Arguments of `pc`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The board: a fumen, a file, or rows from the top such as "##........ / ####.#####"; "empty" is the empty board
    board: String,

    /// The current piece and the next ones
    #[arg(long, value_name = "PIECES", default_value = "", value_parser = load::pieces)]
    queue: load::Pieces,

    /// The held piece
    #[arg(long, value_name = "PIECE", value_parser = load::piece)]
    hold: Option<Piece>,

    /// Never hold
    #[arg(long, conflicts_with = "hold")]
    no_hold: bool,

    /// The pieces left in the bag after the queue [default: what the queue leaves of its last seven]
    #[arg(long, value_name = "PIECES", value_parser = load::pieces)]
    bag: Option<load::Pieces>,

    /// Rows to clear [default: the fewest that pieces can fill exactly, from 2; on the empty board 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=6))]
    rows: Option<u8>,

    /// Only clears of four rows at once by the last piece
    #[arg(long)]
    tetris: bool,

    /// List every solution, the most points first
    #[arg(long)]
    all: bool,

    /// The last clear keeps back-to-back alive
    #[arg(long)]
    back_to_back: bool,

    /// Placements to look at, at most
    #[arg(long, value_name = "N", default_value_t = 20_000_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    nodes: u64,
}

/// The most solutions listed.
const MOST: usize = 100_000;

/// Solutions shown without `--all`.
const SHOWN: usize = 1;

/// Finds perfect clears.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let board = load::board(&args.board)?;
    let mut pieces = args.queue.0.clone();
    let mut reserve = args.hold;
    if reserve.is_none() && !args.no_hold && !pieces.is_empty() {
        // Nothing held: the first piece counts as set aside, which gives the same choices.
        reserve = Some(pieces.remove(0));
    }
    let rows = match args.rows {
        Some(rows) => usize::from(rows),
        None => fewest_rows(&board).ok_or_else(|| {
            Failure::input("no perfect clear of six rows or fewer is possible; give --rows")
        })?,
    };
    let puzzle = Puzzle { board, rows, reserve, pieces, kicks: Kicks::Srs, tetris: args.tetris };
    let Some(needed) = puzzle.needed().filter(|&needed| needed > 0) else {
        return Err(Failure::input(format!("{rows} rows of this board cannot be filled by whole pieces")));
    };
    let known = puzzle.pieces.len() + usize::from(puzzle.reserve.is_some());
    if known < needed {
        if args.tetris || args.all || puzzle.pieces.is_empty() {
            return Err(Failure::input(format!(
                "a perfect clear of {rows} rows needs {needed} pieces, and {known} are known; give more with --queue, such as \
                 --queue IOTLJSZ"
            )));
        }
        return chances(args, common, &puzzle, needed);
    }
    let mut solver = Solver::new();
    let most = if args.all { MOST } else { SHOWN };
    let (lines, complete) = solver.solutions(&puzzle, most, args.nodes);
    let mut scored: Vec<(u32, Vec<Placement>)> =
        lines.into_iter().map(|line| (points(&board, args.back_to_back, &line), line)).collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    if common.json {
        let solution = |(points, line): &(u32, Vec<Placement>)| json!({ "points": points, "line": line.iter().map(ToString::to_string).collect::<Vec<_>>() });
        return output::json(&json!({
            "rows": rows,
            "pieces": needed,
            "solutions": scored.iter().map(solution).collect::<Vec<_>>(),
            "complete": complete,
            "nodes": solver.nodes,
        }));
    }
    let mut out = io::stdout().lock();
    for (points, line) in &scored {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        writeln!(out, "{points} points: {}", line.join("; "))?;
    }
    if scored.is_empty() {
        let why = if complete { "there is none" } else { "none found within --nodes" };
        writeln!(out, "no perfect clear of {rows} rows: {why}")?;
    } else if args.all {
        let kind = if complete { "all" } else { "not all" };
        writeln!(out, "{} solutions ({kind} there are)", scored.len())?;
    }
    Ok(())
}

/// The chance of the best first placements when some pieces are unknown.
fn chances(args: &Args, common: &Common, puzzle: &Puzzle, needed: usize) -> Result<(), Failure> {
    let bag = match &args.bag {
        Some(bag) => bag.0.clone(),
        None => rest_of_bag(&args.queue.0),
    };
    let (chances, futures) = puzzle.chances(&bag, common.seed(), args.nodes);
    if common.json {
        let list: Vec<_> = chances
            .iter()
            .map(|chance| json!({ "placement": chance.placement.to_string(), "chance": chance.value }))
            .collect();
        return output::json(
            &json!({ "rows": puzzle.rows, "pieces": needed, "futures": futures, "chances": list }),
        );
    }
    let mut out = io::stdout().lock();
    for chance in &chances {
        writeln!(out, "{:5.1} % {}", 100.0 * chance.value, chance.placement)?;
    }
    if chances.is_empty() {
        writeln!(out, "no future was solved")?;
    }
    writeln!(out, "{needed} pieces, {futures} futures of the pieces not known")?;
    Ok(())
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
