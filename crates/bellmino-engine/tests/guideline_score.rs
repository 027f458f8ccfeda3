//! The scoring table entry by entry, on real boards.

use bellmino_engine::guideline::{
    Board, Clear, ClearKind, Cleared, Kicks, Orientation, Piece, Placement, Position, ScoreTable, Spin, moves,
};

/// Scores one clear from a running state.
fn score(lines: u8, spin: Spin, perfect: bool, back_to_back: bool, combo: u32) -> Clear {
    let (mut back_to_back, mut combo) = (back_to_back, combo);
    ScoreTable::SEED.clear(Cleared { lines, perfect }, spin, &mut back_to_back, &mut combo)
}

#[test]
fn points_by_lines_and_spin() {
    let table = [
        (Spin::None, 0, 0, None),
        (Spin::None, 1, 100, Some(ClearKind::Single)),
        (Spin::None, 2, 300, Some(ClearKind::Double)),
        (Spin::None, 3, 500, Some(ClearKind::Triple)),
        (Spin::None, 4, 800, Some(ClearKind::Tetris)),
        (Spin::Mini, 0, 100, Some(ClearKind::Mini)),
        (Spin::Mini, 1, 200, Some(ClearKind::MiniSingle)),
        (Spin::Mini, 2, 400, Some(ClearKind::MiniDouble)),
        (Spin::Full, 0, 400, Some(ClearKind::Spin)),
        (Spin::Full, 1, 800, Some(ClearKind::SpinSingle)),
        (Spin::Full, 2, 1200, Some(ClearKind::SpinDouble)),
        (Spin::Full, 3, 1600, Some(ClearKind::SpinTriple)),
    ];
    for (spin, lines, points, kind) in table {
        let clear = score(lines, spin, false, false, 0);
        assert_eq!((clear.points, clear.kind()), (points, kind), "{spin:?} {lines}");
        // Only tetrises and spins with lines are raised.
        let raised = lines == 4 || (spin != Spin::None && lines > 0);
        let again = score(lines, spin, false, true, 0);
        assert_eq!(again.back_to_back, raised);
        assert_eq!(
            again.points,
            if raised { points * 3 / 2 } else { points },
            "{spin:?} {lines} back-to-back"
        );
    }
}

#[test]
fn perfect_clears_add() {
    for (lines, bonus) in [(1, 800), (2, 1200), (3, 1200), (4, 2000)] {
        let plain = score(lines, Spin::None, false, false, 0).points;
        assert_eq!(score(lines, Spin::None, true, false, 0).points, plain + bonus, "{lines}");
    }
    assert_eq!(score(4, Spin::None, true, true, 0).points, 1200 + 3200);
    let guideline = ScoreTable::from_name("guideline").unwrap();
    let triple = Cleared { lines: 3, perfect: true };
    assert_eq!(guideline.clear(triple, Spin::None, &mut false, &mut 0).points, 500 + 1800);
}

#[test]
fn combos_add_fifty_per_clear_after_the_first() {
    let (mut back_to_back, mut combo) = (false, 0);
    let single = Cleared { lines: 1, perfect: false };
    let mut points = || ScoreTable::SEED.clear(single, Spin::None, &mut back_to_back, &mut combo).points;
    assert_eq!([points(), points(), points()], [100, 150, 200]);
    ScoreTable::SEED.clear(Cleared::default(), Spin::None, &mut back_to_back, &mut combo);
    assert_eq!(combo, 0);
}

#[test]
fn only_an_easy_clear_ends_back_to_back() {
    let mut running = (false, 0);
    let mut next = |lines, spin| {
        let cleared = Cleared { lines, perfect: false };
        ScoreTable::SEED.clear(cleared, spin, &mut running.0, &mut running.1).back_to_back
    };
    assert!(!next(4, Spin::None));
    assert!(!next(0, Spin::Full), "a spin without lines is not raised");
    assert!(!next(0, Spin::Mini));
    assert!(!next(0, Spin::None));
    assert!(next(2, Spin::Full), "and does not end it");
    assert!(next(1, Spin::Mini));
    assert!(!next(1, Spin::None));
    assert!(!next(4, Spin::None));
    assert!(next(4, Spin::None));
}

/// Finds the one placement of a T with this spin and number of lines, and its points.
fn spin_on(board: &str, spin: Spin, lines: u8) -> Option<u32> {
    let board: Board = board.parse().unwrap();
    let found = moves::placements(&board, Piece::T, Kicks::Srs).into_iter().filter(|at| at.spin == spin);
    found
        .map(|at| {
            Position { board, ..Position::default() }.play(&at, &[Piece::T], &ScoreTable::SEED).unwrap()
        })
        .find(|played| played.clear.lines == lines)
        .map(|played| played.clear.points)
}

#[test]
fn spins_on_real_boards() {
    let double = "
        ##........
        #...######
        ##.#######
    ";
    assert_eq!(spin_on(double, Spin::Full, 2), Some(1200));
    let single = "
        ##........
        #...#####.
        ##.#######
    ";
    assert_eq!(spin_on(single, Spin::Full, 1), Some(800));
    // Only the last kick leads in, from above.
    let triple = "
        ##........
        #.........
        #.########
        #..#######
        #.########
    ";
    assert_eq!(spin_on(triple, Spin::Full, 3), Some(1600));
    // The third kick leads in; only one corner in front is filled.
    let mini = "
        #..#......
        ...#######
    ";
    assert_eq!(spin_on(mini, Spin::Mini, 1), Some(200));
    assert_eq!(spin_on(mini, Spin::Full, 1), None);
    // The same corners by the last kick make a full spin.
    let no_lines = "
        ##........
        #.........
        #.######.#
        #..#####.#
        #.######.#
    ";
    assert_eq!(spin_on(no_lines, Spin::Full, 0), Some(400));
    let no_lines = "
        #..#......
        ...######.
    ";
    assert_eq!(spin_on(no_lines, Spin::Mini, 0), Some(100));
}

#[test]
fn a_fall_or_a_shift_after_the_turn_cancels_the_spin() {
    // The same cells with and without a spin are two placements where both ways exist.
    let board: Board = "
        ####.#####
        ###...####
        ####.#####
    "
    .parse()
    .unwrap();
    let list = moves::placements(&board, Piece::T, Kicks::Srs);
    assert!(list.iter().all(|at| at.spin != Spin::None || at.y > 1), "nothing falls into the closed slot");
    let open: Board = "
        ...#######
        #.########
    "
    .parse()
    .unwrap();
    let at = |spin| Placement { piece: Piece::T, orientation: Orientation::South, x: 1, y: 1, spin };
    let list = moves::placements(&open, Piece::T, Kicks::Srs);
    assert!(list.contains(&at(Spin::None)));
    assert!(!list.contains(&at(Spin::Full)), "two corners are filled");
}
