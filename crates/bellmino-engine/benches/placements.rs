//! The three boards side by side on the same position: `cargo bench -p bellmino-engine`.

use std::hint::black_box;

use bellmino_engine::placement::{AnyColumns, Board, Grid, PackedBoard, TenColumns};
use bellmino_engine::{Game, PlacementGame};
use criterion::{Criterion, criterion_group, criterion_main};

/// Lists and makes every placement of every piece; the sum of lines keeps the work from being skipped.
fn all_outcomes<G: Grid>(game: &PlacementGame, board: &G) -> u32 {
    let mut lines = 0;
    for piece in 0..game.pieces().len() {
        board.outcomes(game, piece, |_, outcome| lines += 1 + outcome.lines());
    }
    lines
}

fn compare(criterion: &mut Criterion, name: &str, drawing: &str) {
    let game = Game::built_in(name, &[]).and_then(Result::ok).expect("a built-in game");
    let game = game.placement().expect("a placement game");
    let board = Board::parse(game.width(), game.height(), drawing).expect("a board");
    let expected = all_outcomes(game, &AnyColumns::from_board(&board));
    let mut group = criterion.benchmark_group(name);
    fn measure<G: Grid>(
        group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
        label: &str,
        game: &PlacementGame,
        board: &Board,
        expected: u32,
    ) {
        if G::fits(game) {
            let grid = G::from_board(board);
            assert_eq!(all_outcomes(game, &grid), expected, "{label}");
            group.bench_function(label, |bencher| bencher.iter(|| all_outcomes(game, black_box(&grid))));
        }
    }
    measure::<AnyColumns>(&mut group, "any", game, &board, expected);
    measure::<TenColumns>(&mut group, "ten", game, &board, expected);
    measure::<PackedBoard>(&mut group, "packed", game, &board, expected);
    group.finish();
}

fn placements(criterion: &mut Criterion) {
    compare(criterion, "baby", "#... / ##.#");
    compare(criterion, "small", "#..../##.#.");
    compare(criterion, "classic", "#........#/##.#..####/##.#######/###.######");
}

criterion_group!(benches, placements);
criterion_main!(benches);
