//! Measures the perfect-clear solver: `perfect ROWS PIECES COUNT [tetris]`.

use std::time::Instant;

use bellmino_engine::guideline::{Bag, Board, Kicks};
use bellmino_search::{Answer, Puzzle, Solver};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rows: usize = words[0].parse().unwrap();
    let count: u64 = words[1].parse().unwrap();
    let tetris = words.get(2).is_some();
    let mut solved = 0;
    let mut unknown = 0;
    let begin = Instant::now();
    let mut nodes = vec![];
    for seed in 0..count {
        let mut pieces = Bag::new(seed);
        // Random phase of the bag.
        for _ in 0..seed % 7 {
            pieces.next();
        }
        let reserve = pieces.next();
        let needed = rows * 10 / 4;
        let puzzle = Puzzle {
            board: Board::EMPTY,
            rows,
            reserve,
            pieces: pieces.take(needed).collect(),
            kicks: Kicks::Srs,
            tetris,
        };
        let mut solver = Solver::new();
        match solver.solve(&puzzle, 5_000_000) {
            Answer::Solved(_) => solved += 1,
            Answer::Unknown => unknown += 1,
            Answer::Impossible => {}
        }
        nodes.push(solver.nodes);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let total: u64 = nodes.iter().sum();
    nodes.sort();
    println!(
        "{solved} of {count} solved, {unknown} unknown, median {} nodes, 90 % {}, max {}, {:.2} M nodes/s, {:.1} ms each",
        nodes[nodes.len() / 2],
        nodes[nodes.len() * 9 / 10],
        nodes[nodes.len() - 1],
        total as f64 / seconds / 1e6,
        seconds * 1e3 / count as f64
    );
}
