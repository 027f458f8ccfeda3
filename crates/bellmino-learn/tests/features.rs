//! Every feature against its definition, cell by cell.

use bellmino_engine::placement::{AnyColumns, Board, Grid, Placement};
use bellmino_engine::{Game, Override, PlacementGame, Purpose, below, stream};
use bellmino_learn::{Afterstate, FEATURE_SETS, Feature, feature_set};

/// Whether a cell is filled; walls and floor are, above the board nothing is.
fn filled(board: &Board, x: i64, y: i64) -> bool {
    if x < 0 || y < 0 || x >= board.width() as i64 {
        return true;
    }
    y < board.height() as i64 && board.contains(x as usize, y as usize)
}

fn height(board: &Board, x: i64) -> i64 {
    (0..board.height() as i64).rev().find(|&y| filled(board, x, y)).map_or(0, |y| y + 1)
}

fn is_hole(board: &Board, x: i64, y: i64) -> bool {
    !filled(board, x, y) && (y + 1..board.height() as i64).any(|above| filled(board, x, above))
}

/// The definition, as plainly as it can be said.
fn slow(feature: Feature, state: &Afterstate<'_>) -> f64 {
    let Afterstate { game, before, after, placement, .. } = *state;
    let (width, rows) = (game.width() as i64, game.height() as i64);
    let columns = 0..width;
    let cells = || (0..width).flat_map(move |x| (0..rows).map(move |y| (x, y)));
    let shape = placement.shape(game);
    let lines = state.cleared.count_ones() as f64;
    let heights: Vec<i64> = columns.clone().map(|x| height(after, x)).collect();
    let steps: Vec<i64> = heights.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = heights.iter().sum::<i64>() as f64 / width as f64;
    let row_changes =
        |y: i64| (0..=width).filter(|&x| filled(after, x - 1, y) != filled(after, x, y)).count();
    let column_changes =
        |x: i64| (0..=rows).filter(|&y| filled(after, x, y - 1) != filled(after, x, y)).count();
    let count = |number: usize| number as f64;
    match feature {
        Feature::LandingHeight => f64::from(placement.row) + (shape.height() as f64 - 1.0) / 2.0,
        Feature::ErodedCells => {
            let gone = shape.cells().filter(|(_, y)| state.cleared >> y & 1 == 1).count();
            lines * count(gone)
        }
        Feature::RowTransitions => count((0..rows).map(row_changes).sum()),
        Feature::ColumnTransitions => count(columns.map(column_changes).sum()),
        Feature::Holes => count(cells().filter(|&(x, y)| is_hole(after, x, y)).count()),
        Feature::CumulativeWells => {
            let depth =
                |(x, y): (i64, i64)| (0..=y).rev().take_while(|&below| !filled(after, x, below)).count();
            let well = |&(x, y): &(i64, i64)| {
                !filled(after, x, y) && filled(after, x - 1, y) && filled(after, x + 1, y)
            };
            count(cells().filter(well).map(depth).sum())
        }
        Feature::HoleDepth => {
            let roof =
                |(x, y): (i64, i64)| (y + 1..rows).take_while(|&above| filled(after, x, above)).count();
            count(cells().filter(|&(x, y)| is_hole(after, x, y)).map(roof).sum())
        }
        Feature::RowsWithHoles => {
            count((0..rows).filter(|&y| (0..width).any(|x| is_hole(after, x, y))).count())
        }
        Feature::PatternDiversity => count((-2..=2).filter(|step| steps.contains(step)).count()),
        Feature::AggregateHeight => heights.iter().sum::<i64>() as f64,
        Feature::Lines => lines,
        Feature::Points => game.score().points(state.cleared.count_ones()),
        Feature::Bumpiness => steps.iter().map(|step| step.abs()).sum::<i64>() as f64,
        Feature::Height(x) => heights[x as usize] as f64,
        Feature::Difference(x) => steps[x as usize].abs() as f64,
        Feature::Contour(x) => steps[x as usize] as f64,
        Feature::MaxHeight => *heights.iter().max().unwrap() as f64,
        Feature::MinHeight => *heights.iter().min().unwrap() as f64,
        Feature::MeanHeight => mean,
        Feature::Constant => 1.0,
        Feature::Radial(i) => {
            let h = rows as f64;
            let distance = mean - f64::from(i) * h / 4.0;
            (-(distance * distance) / (2.0 * (h / 5.0) * (h / 5.0))).exp()
        }
        Feature::Steps(size) => {
            count(steps.iter().filter(|step| step.unsigned_abs().min(7) == u64::from(size)).count())
        }
        Feature::ReportLanding => heights[placement.column as usize] as f64,
        Feature::ReportContribution => {
            let x = i64::from(placement.column);
            (height(before, x) + shape.height() as i64 - height(after, x)) as f64
        }
        Feature::ReportRowTransitions => {
            count((0..rows).filter(|&y| (0..width).any(|x| filled(after, x, y))).map(row_changes).sum())
        }
        Feature::ReportColumnTransitions => {
            count((0..width).filter(|&x| heights[x as usize] > 0).map(column_changes).sum())
        }
        Feature::ReportWells => (0..width)
            .map(|x| {
                let beside = [x - 1, x + 1].into_iter().filter(|x| (0..width).contains(x));
                let lower = beside.map(|x| heights[x as usize]).min().unwrap_or(0);
                let depth = (lower - heights[x as usize]).max(0);
                (1..=depth).sum::<i64>() as f64
            })
            .sum(),
        Feature::Well(x) => {
            let x = i64::from(x);
            // From the top of the column up, as long as both sides are filled up to somewhere above.
            let beside = [x - 1, x + 1].into_iter().filter(|x| (0..width).contains(x));
            let high = |y: i64| beside.clone().all(|x| heights[x as usize] > y) && width > 1;
            count((heights[x as usize]..rows).filter(|&y| high(y)).count())
        }
        guideline => panic!("{guideline} is no feature of placement games"),
    }
}

fn every_feature(game: &PlacementGame) -> Vec<Feature> {
    let mut all: Vec<Feature> =
        FEATURE_SETS.iter().flat_map(|(name, _)| feature_set(name, game).unwrap()).collect();
    all.retain(|feature| !feature.is_of_guideline());
    all.extend((0..8).map(Feature::Steps).chain([Feature::Points]));
    all
}

fn built_in(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

#[test]
fn every_feature_is_as_defined() {
    let games = [
        built_in("classic", &[]),
        built_in("classic", &["board.height=8"]),
        built_in("small", &[]),
        built_in("classic", &["board.height=6", "score.lines=[0.1, 1.5, 2.75]"]),
        built_in("baby", &["board.height=48"]),
        built_in("classic", &["board.width=16"]),
        built_in("classic", &["board.width=1", "pieces.set=[\"I\"]"]),
    ];
    for game in &games {
        let features = every_feature(game);
        for seed in 0..80 {
            let mut generator = stream(seed, Purpose::Player, 4);
            let mut board = Board::new(game.width(), game.height());
            let emptiness = 1 + below(&mut generator, 9);
            for y in 0..below(&mut generator, game.height() + 1) {
                let gap = below(&mut generator, game.width());
                for x in (0..game.width()).filter(|&x| x != gap) {
                    if below(&mut generator, 10) >= emptiness {
                        board.insert(x, y);
                    }
                }
            }
            let piece = below(&mut generator, game.pieces().len());
            AnyColumns::from_board(&board).outcomes(game, piece, |placement, outcome| {
                let after = outcome.board.to_board(game);
                let state =
                    Afterstate { game, before: &board, after: &after, placement, cleared: outcome.cleared };
                for feature in &features {
                    let (found, expected) = (feature.value(&state), slow(*feature, &state));
                    let close = (found - expected).abs() <= 1e-5;
                    assert!(close, "{feature}: {found} instead of {expected}\n{after}\n{placement:?}");
                }
            });
        }
    }
}

/// The examples of docs/FEATURES.md.
#[test]
fn drawn_examples() {
    let game = built_in("classic", &["board.height=6"]);
    let board = Board::parse(10, 6, "#......... / #.##....#. / ####.##.#. / ##.####.##").unwrap();
    let placement = Placement { piece: 1, rotation: 0, column: 4, row: 2 };
    let outcome = board.place(&game, placement).unwrap();
    let after = outcome.board;
    let state =
        Afterstate { game: &game, before: &board, after: &after, placement, cleared: outcome.cleared };
    assert_eq!(after.to_string(), "..........\n..........\n#...##....\n#.####..#.\n####.##.#.\n##.####.##");
    for (feature, expected) in [
        ("landing-height", 2.5),
        ("row-transitions", 24.0),
        ("column-transitions", 14.0),
        ("holes", 2.0),
        ("cumulative-wells", 9.0),
        ("hole-depth", 4.0),
        ("rows-with-holes", 2.0),
        ("pattern-diversity", 3.0),
        ("aggregate-height", 26.0),
        ("bumpiness", 13.0),
        ("points", 0.0),
        ("max-height", 4.0),
        ("min-height", 0.0),
        ("mean-height", 2.6),
        ("steps-0", 2.0),
        ("steps-1", 2.0),
        ("well-7", 2.0),
    ] {
        let feature: Feature = feature.parse().unwrap();
        assert_eq!((feature, slow(feature, &state)), (feature, expected));
        assert_eq!(feature.value(&state), expected, "{feature}");
    }
}

#[test]
fn names_of_features() {
    let game = built_in("classic", &[]);
    for feature in every_feature(&game) {
        assert_eq!(feature.to_string().parse(), Ok(feature));
    }
    for wrong in ["", "hole", "height-16", "height-01", "height-+1", "radial-5", "steps-8", "contour-"] {
        assert!(wrong.parse::<Feature>().is_err(), "{wrong}");
    }
    assert!("hole".parse::<Feature>().unwrap_err().to_string().contains("did you mean `holes`?"));
    assert!(Feature::Height(9).check(&game).is_ok() && Feature::Contour(8).check(&game).is_ok());
    assert!(Feature::Height(10).check(&game).is_err() && Feature::Contour(9).check(&game).is_err());
}
