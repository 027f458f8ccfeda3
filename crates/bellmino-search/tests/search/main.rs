//! The bot, the solver and the analysis against plain definitions and known positions.

mod analysis;
mod bot;
mod ends;
mod evaluation;
mod solver;

use bellmino_engine::guideline::{Bag, Board, Kicks, Piece, Position, Rules, View, moves};
use bellmino_engine::{Purpose, below, stream};
use bellmino_search::Bot;

fn board(text: &str) -> Board {
    text.parse().unwrap()
}

fn pieces(letters: &str) -> Vec<Piece> {
    letters.chars().map(|letter| Piece::from_letter(letter).unwrap()).collect()
}

/// The last piece of a Blitz.
fn last_piece(board: Board, queue: &str, back_to_back: bool) -> View {
    View {
        rules: Rules::BLITZ,
        position: Position { board, back_to_back, ..Position::default() },
        queue: pieces(queue),
        bag: vec![],
        pieces: 359,
        lines: 0,
    }
}

fn bot(rules: &Rules) -> Bot {
    Bot::for_rules(rules)
}

/// A board as random play leaves it.
fn random_board(seed: u64, pieces: usize) -> Board {
    let mut generator = stream(seed, Purpose::Player, 0);
    let mut board = Board::EMPTY;
    for piece in Bag::new(seed).take(pieces) {
        let mut placements = moves::placements(&board, piece, Kicks::Srs);
        // Low placements, so that the boards look like boards.
        placements.sort_by_key(|at| at.cells().iter().map(|&(_, y)| i32::from(y)).sum::<i32>());
        placements.truncate(6);
        if placements.is_empty() {
            break;
        }
        board.place_unchecked(&placements[below(&mut generator, placements.len())]);
    }
    board
}
