//! The fast boards against the slow reference, on every built-in game and on random games.

use bellmino_engine::placement::reference::{self, Cells};
use bellmino_engine::placement::{AnyColumns, Board, CATALOGUE, Grid, PackedBoard, Placement, TenColumns};
use bellmino_engine::{BUILT_IN, Game, Override, PlacementGame};
use proptest::prelude::*;

fn built_in(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn cells(board: &Board) -> Cells {
    let all = (0..board.width()).flat_map(|x| (0..board.height()).map(move |y| (x, y)));
    all.filter(|&(x, y)| board.contains(x, y)).map(|(x, y)| (x as i32, y as i32)).collect()
}

/// Compares one representation with the reference: the same placements in the same order with the same outcomes.
fn check_board<G: Grid>(game: &PlacementGame, board: &Board) {
    if !G::fits(game) {
        return;
    }
    let grid = G::from_board(board);
    assert_eq!(grid.to_board(game), *board);
    for x in 0..game.width() {
        assert_eq!(grid.height(game, x), board.column_height(x));
    }
    let slow_board = cells(board);
    let holes = (0..game.width())
        .map(|x| (0..board.column_height(x)).filter(|&y| !board.contains(x, y)).count() as u32)
        .sum::<u32>();
    assert_eq!(grid.holes(game), holes);
    for piece in 0..game.pieces().len() {
        let slow = reference::placements(game, &slow_board, piece);
        let mut fast = Vec::new();
        grid.placements(game, piece, |placement| fast.push(placement));
        let expected: Vec<Placement> = slow
            .iter()
            .map(|(resting, _)| Placement {
                piece: piece as u8,
                rotation: resting.rotation as u8,
                column: resting.corner.0 as u8,
                row: resting.corner.1 as u8,
            })
            .collect();
        assert_eq!(fast, expected, "\n{board}\n{}", game.to_toml());
        for (placement, (resting, after)) in fast.iter().zip(&slow) {
            let mut covered: Vec<_> = placement
                .shape(game)
                .cells()
                .map(|(x, y)| (x as i32 + i32::from(placement.column), y as i32 + i32::from(placement.row)))
                .collect();
            covered.sort_unstable();
            let mut slow_covered = resting.cells.clone();
            slow_covered.sort_unstable();
            assert_eq!(covered, slow_covered);
            let outcome = grid.place_unchecked(game, *placement);
            match after {
                None => assert!(outcome.fatal && outcome.lines() == 0, "{placement:?}\n{board}"),
                Some((after, lines)) => {
                    assert!(!outcome.fatal, "{placement:?}\n{board}");
                    assert_eq!(cells(&outcome.board.to_board(game)), *after, "{placement:?}\n{board}");
                    assert_eq!(outcome.lines(), *lines, "{placement:?}\n{board}");
                }
            }
        }
    }
}

fn check(game: &PlacementGame, board: &Board) {
    check_board::<AnyColumns>(game, board);
    check_board::<TenColumns>(game, board);
    check_board::<PackedBoard>(game, board);
    if PackedBoard::fits(game) {
        check_each_outcome(game, PackedBoard::from_board(board));
    }
}

/// All pieces at once are the same as one after the other.
fn check_each_outcome(game: &PlacementGame, board: PackedBoard) {
    let (mut together, mut apart) = (Vec::new(), Vec::new());
    board.each_outcome(game, !1, |placement, outcome| together.push((placement, outcome)));
    for piece in 1..game.pieces().len() {
        board.placements(game, piece, |placement| {
            apart.push((placement, board.place_unchecked(game, placement)));
        });
    }
    assert_eq!(together, apart, "\n{}", board.to_board(game));
}

/// A board without full rows from random rows; the topmost ones stay empty in most cases.
fn board_from(game: &PlacementGame, rows: &[u16], filled: usize) -> Board {
    let mut board = Board::new(game.width(), game.height());
    for (y, row) in rows.iter().enumerate().take(game.height().min(filled)) {
        for x in (0..game.width()).filter(|x| row >> x & 1 == 1) {
            board.insert(x, y);
        }
        if (0..game.width()).all(|x| board.contains(x, y)) {
            board.remove(*row as usize % game.width(), y);
        }
    }
    board
}

/// Rows that are mostly full, mostly empty or mixed.
fn rows() -> impl Strategy<Value = Vec<u16>> {
    let row = prop_oneof![
        any::<u16>(),
        (any::<u16>(), any::<u16>()).prop_map(|(a, b)| a | b),
        (0..16u32).prop_map(|gap| !(1 << gap)),
        (any::<u16>(), any::<u16>()).prop_map(|(a, b)| a & b),
    ];
    prop::collection::vec(row, 48)
}

fn random_game() -> impl Strategy<Value = PlacementGame> {
    let path = prop::sample::select(vec!["drop", "slide", "anywhere"]);
    let overflow = prop::sample::select(vec!["forbidden", "clear-first"]);
    let names: Vec<&str> = CATALOGUE.iter().map(|(name, _)| *name).collect();
    (1..=16i32, 1..=48i32, prop::bool::ANY, path, overflow, prop::sample::subsequence(names, 1..4))
        .prop_filter_map("a piece does not fit", |(width, height, low, path, overflow, set)| {
            let height = if low { (64 / width).clamp(1, 5) } else { height };
            let overrides = [
                format!("board.width={width}"),
                format!("board.height={height}"),
                format!("landing.path={path}"),
                format!("landing.overflow={overflow}"),
                format!("pieces.set={set:?}"),
            ];
            let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
            Some(Game::built_in("baby", &overrides).unwrap().ok()?.placement().unwrap().clone())
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn random_games_agree(game in random_game(), rows in rows(), filled in 0..=48usize) {
        check(&game, &board_from(&game, &rows, filled));
    }

    #[test]
    fn built_in_games_agree(index in 0..BUILT_IN.len(), rows in rows(), filled in 0..=48usize,
                            path in prop::sample::select(vec!["drop", "slide", "anywhere"])) {
        let name = BUILT_IN[index].0;
        if Game::built_in(name, &[]).unwrap().unwrap().placement().is_some() {
            let game = built_in(name, &[&format!("landing.path={path}")]);
            check(&game, &board_from(&game, &rows, filled));
        }
    }

    #[test]
    fn mirrored_packed_boards(rows in rows(), filled in 0..=48usize, width in 1..=8i32) {
        let game = built_in("baby", &[&format!("board.width={width}"), "board.height=8", "pieces.set=[\"O1\"]"]);
        let board = board_from(&game, &rows, filled);
        let mirrored = PackedBoard::from_board(&board).mirrored(&game);
        prop_assert_eq!(mirrored.to_board(&game), board.mirrored());
    }
}

#[test]
fn a_piece_alone_can_fill_a_row_above_the_top() {
    let game = built_in("mini", &["pieces.set=[\"I3\"]", "dealer.kind=weighted"]);
    let board = Board::parse(3, 3, "#../#../#..").unwrap();
    check(&game, &board);
}

#[test]
fn checked_place_refuses_what_is_not_legal() {
    let game = built_in("baby", &[]);
    let board = Board::new(4, 4);
    let legal = board.placements(&game, 0)[0];
    assert!(board.place(&game, legal).is_some());
    assert!(board.place(&game, Placement { row: 2, ..legal }).is_none());
    assert!(board.place(&game, Placement { piece: 9, ..legal }).is_none());
}

#[test]
fn symmetry_is_seen() {
    assert!(built_in("baby", &[]).is_symmetric());
    assert!(built_in("classic", &[]).is_symmetric());
    assert!(!built_in("small", &["dealer.weights=[1,1,2,1,1,1]"]).is_symmetric());
    assert!(!built_in("mini", &["dealer.kind=weighted"]).is_symmetric());
}
