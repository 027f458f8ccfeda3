//! The fast simulator against the plain controller: the same choice on every board, the same games.

use std::sync::Arc;

use bellmino_engine::placement::{Allowance, AnyColumns, Board, DealtBy, Grid, Match, Placement, Stats};
use bellmino_engine::{Game, Override, PlacementGame, Purpose, below, stream, unit};
use bellmino_learn::{Afterstate, Caution, Controller, Feature, Simulator, Trial};

fn classic(overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in("classic", &overrides).unwrap().unwrap().placement().unwrap().clone()
}

/// Every feature the fast path knows, with weights that make ties rare.
fn everything(seed: u64) -> Controller {
    let names = [
        "landing-height",
        "eroded-cells",
        "lines",
        "row-transitions",
        "column-transitions",
        "holes",
        "cumulative-wells",
        "hole-depth",
        "rows-with-holes",
        "pattern-diversity",
        "aggregate-height",
        "mean-height",
        "max-height",
        "bumpiness",
        "steps-0",
        "steps-1",
        "steps-2",
        "steps-3",
        "steps-4",
        "steps-5",
        "steps-6",
        "steps-7",
    ];
    let features: Vec<Feature> = names.iter().map(|name| name.parse().unwrap()).collect();
    let mut generator = stream(seed, Purpose::Training, 0);
    let weights: Vec<f64> =
        features.iter().map(|_| below(&mut generator, 2001) as f64 / 1000.0 - 1.0).collect();
    Controller::new("everything", &features, &weights).unwrap()
}

/// Boards of all kinds: rows filled at random, denser or emptier, without full rows.
fn random_board(game: &PlacementGame, seed: u64) -> Board {
    let mut generator = stream(seed, Purpose::Player, 9);
    let mut board = Board::new(game.width(), game.height());
    let rows = below(&mut generator, game.height() + 1);
    let emptiness = 1 + below(&mut generator, 9);
    for y in 0..rows {
        let gap = below(&mut generator, game.width());
        for x in 0..game.width() {
            if x != gap && below(&mut generator, 10) >= emptiness {
                board.insert(x, y);
            }
        }
    }
    board
}

#[test]
fn the_choice_on_any_board_is_the_controllers() {
    let games = [
        classic(&[]),
        classic(&["board.height=6"]),
        classic(&["board.height=27", "landing.overflow=forbidden"]),
        classic(&["board.height=5", "landing.overflow=forbidden"]),
        classic(&["pieces.set=[\"O1\", \"I2\", \"L3\", \"I3\", \"S\"]", "board.height=12"]),
    ];
    let mut controllers: Vec<Controller> = ["dellacherie", "bcts", "dt20", "equal8", "lee4"]
        .map(|name| Controller::built_in(name).unwrap())
        .into();
    controllers.extend((0..20).map(everything));
    let bcts = Controller::built_in("bcts").unwrap();
    controllers
        .extend([(0, 40), (3, 4)].map(|(height, few)| bcts.clone().with_caution(Caution::new(height, few))));
    controllers.push(everything(20).with_caution(Caution::new(4, 2)));
    for game in &games {
        for controller in &controllers {
            let mut fast = Simulator::new(game, controller).unwrap();
            let mut portable = fast.clone().portable();
            // Whoever looks ahead takes its time.
            for seed in 0..if controller.caution().is_some() { 10 } else { 60 } {
                let board = random_board(game, seed);
                fast.set_board(&board);
                portable.set_board(&board);
                let grid = AnyColumns::from_board(&board);
                for piece in 0..game.pieces().len() {
                    let expected = controller
                        .choose(game, &grid, piece)
                        .filter(|&placement| !grid.place_unchecked(game, placement).fatal);
                    let context = || {
                        format!(
                            "{}\n{}\n{board}\n{:?}",
                            controller.to_json(),
                            game.pieces()[piece].name(),
                            game.landing()
                        )
                    };
                    assert_eq!(fast.choose(piece, None), expected, "{}", context());
                    assert_eq!(portable.choose(piece, None), expected, "{}", context());
                }
            }
        }
    }
}

/// With the next piece in sight: boards where both fit, boards where only one does, rows cleared by either or both.
#[test]
fn the_choice_with_a_preview_is_the_controllers() {
    let games = [
        classic(&["board.height=12"]),
        classic(&["board.height=6"]),
        classic(&["board.height=5", "landing.overflow=forbidden"]),
        classic(&["pieces.set=[\"O1\", \"I2\", \"L3\", \"I3\", \"S\"]", "board.height=8"]),
    ];
    for game in &games {
        let built_in = ["bcts", "lee4"].map(|name| Controller::built_in(name).unwrap());
        for controller in built_in.into_iter().chain((0..4).map(everything)) {
            let mut fast = Simulator::new(game, &controller).unwrap();
            let mut portable = fast.clone().portable();
            for seed in 0..12 {
                let board = random_board(game, seed);
                fast.set_board(&board);
                portable.set_board(&board);
                let grid = AnyColumns::from_board(&board);
                let mut generator = stream(seed, Purpose::Dealer, 7);
                for piece in 0..game.pieces().len() {
                    let next = below(&mut generator, game.pieces().len());
                    let expected = controller
                        .choose_in_sight(game, &grid, &[piece as u8, next as u8])
                        .filter(|&placement| !grid.place_unchecked(game, placement).fatal);
                    for simulator in [&fast, &portable] {
                        let context = || format!("{}\n{piece} {next}\n{board}", controller.to_json());
                        assert_eq!(simulator.choose(piece, Some(next)), expected, "{}", context());
                    }
                }
            }
        }
    }
}

#[test]
fn games_are_the_controllers() {
    let games = [
        classic(&["board.height=8"]),
        classic(&["board.height=7", "landing.overflow=forbidden"]),
        classic(&["board.height=8", "dealer.kind=bag"]),
        classic(&["board.height=8", "dealer.weights=[1, 2, 3, 1, 0, 1, 1]"]),
        classic(&["board.height=8", "dealer.weights=[0.5, 1, 1, 1, 1, 1, 1]"]),
        classic(&["board.height=8", "dealer.weights=[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]"]),
        classic(&["board.height=8", "dealer.kind=markov", "dealer.first=[0.1, 0.2, 0.1, 0, 3, 1, 1]"]),
        classic(&["board.height=6", "score.lines=[0.1, 0.7, 1.9, 3.3, 10.1]"]),
        classic(&["board.height=5", "previews=1"]),
        classic(&["board.height=5", "previews=1", "dealer.kind=bag", "landing.overflow=forbidden"]),
    ];
    for game in &games {
        let cautious = Controller::built_in("bcts").unwrap().with_caution(Caution::new(5, 5));
        for controller in [
            Controller::built_in("dt10").unwrap(),
            cautious,
            Controller::built_in("bcts").unwrap(),
            everything(3),
        ] {
            let mut fast = Simulator::new(game, &controller).unwrap();
            let mut portable = fast.clone().portable();
            for index in 0..5 {
                let allowance = Allowance { previews: game.previews(), hold: false };
                let chance = stream(5, Purpose::Dealer, index);
                let mut played: Match = Match::with(game.clone(), allowance, DealtBy::Chance, chance);
                let mut lost = false;
                while played.stats().pieces < 400 && !lost {
                    let pieces: Vec<u8> = played.queue().iter().map(|dealt| dealt.piece).collect();
                    let placement = controller.choose_in_sight(game, played.board(), &pieces);
                    lost = placement.is_none_or(|placement| played.play_unchecked(&placement).fatal);
                }
                let Stats { pieces, lines, score, .. } = *played.stats();
                for simulator in [&mut fast, &mut portable] {
                    simulator.start(stream(5, Purpose::Dealer, index));
                    // In two parts: a game may be interrupted anywhere.
                    simulator.play(123);
                    simulator.play(277);
                    let tally = simulator.tally();
                    assert_eq!((tally.pieces, tally.lines(), simulator.lost()), (pieces, lines, lost));
                    assert_eq!(tally.score, score, "summed in the same order, to the last bit");
                    if !lost {
                        assert_eq!(simulator.board(game), played.board().to_board(game));
                    }
                }
            }
        }
    }
}

/// The outcome of some games of the plain controller, and of the simulator: pieces, lines, score to the last bit, the end.
fn results(game: &PlacementGame, controller: &Controller) -> [Vec<(u64, u64, u64, bool)>; 2] {
    assert!(Simulator::new(game, controller).is_some());
    let game = Arc::new(game.clone());
    [Trial::plain(&game, controller), Trial::new(&game, controller)].map(|mut trial| {
        let games = (0..4).map(|index| trial.play(stream(3, Purpose::Dealer, index), 300));
        games.map(|one| (one.pieces, one.lines, one.score.to_bits(), one.outcome.is_some())).collect()
    })
}

/// Games of random weights and score tables: the simulator plays what the match plays, and weights that are written
/// larger or smaller change nothing.
#[test]
fn random_dealers_and_scores_are_the_same_by_either_road_and_at_any_scale() {
    let controller = Controller::built_in("lee4").unwrap();
    let mut generator = stream(11, Purpose::Player, 0);
    let list =
        |numbers: &[f64]| format!("[{}]", numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", "));
    for round in 0..60 {
        let mut weights: Vec<f64> = (0..7).map(|_| below(&mut generator, 5) as f64).collect();
        weights[below(&mut generator, 7)] += 1.0;
        // Down to a ten thousandth and up to ten thousand times as large.
        let factor = 10f64.powf(8.0 * unit(&mut generator) - 4.0);
        let scaled: Vec<f64> = weights.iter().map(|weight| weight * factor).collect();
        let points: Vec<f64> = (0..5).map(|lines| lines as f64 + unit(&mut generator)).collect();
        let memory = ["weighted", "markov"][round % 2];
        let key = ["weights", "first"][round % 2];
        let of = |weights: &[f64]| {
            classic(&[
                "board.height=8",
                &format!("dealer.kind={memory}"),
                &format!("dealer.{key}={}", list(weights)),
                &format!("score.lines={}", list(&points)),
            ])
        };
        let [plain, fast] = results(&of(&weights), &controller);
        assert_eq!(plain, fast, "{memory} {weights:?}");
        let [plain_scaled, fast_scaled] = results(&of(&scaled), &controller);
        assert_eq!(plain_scaled, fast_scaled, "{memory} {scaled:?}");
        assert_eq!(plain, plain_scaled, "{memory} {weights:?} times {factor}");
    }
}

/// What caution is, written out: every placement with every piece that may come next and every placement of that.
#[test]
fn caution_looks_at_every_piece_that_may_come() {
    let game = classic(&["board.height=6", "dealer.weights=[1, 2, 3, 1, 0, 1, 1]"]);
    let frequencies = [1.0, 2.0, 3.0, 1.0, 0.0, 1.0, 1.0];
    let plain = Controller::built_in("bcts").unwrap();
    let cautious = plain.clone().with_caution(Caution::new(0, 40));
    let weights = plain.scaled_weights(&game);
    let value = |before: &Board, after: &Board, placement, cleared, both: bool| {
        let state = Afterstate { game: &game, before, after, placement, cleared };
        let counted =
            plain.features().iter().zip(&weights).filter(|(feature, _)| both || feature.is_of_placement());
        counted.map(|(feature, weight)| feature.count(&state) * weight).sum::<i64>()
    };
    let mut changed = 0;
    for seed in 0..40 {
        let board = random_board(&game, seed);
        let grid = AnyColumns::from_board(&board);
        for piece in 0..game.pieces().len() {
            // Placements with how often nothing fits after them, what follows on average, and what they are worth alone.
            let mut known: Vec<(f64, f64, i64, Placement)> = Vec::new();
            grid.placements(&game, piece, |placement| {
                let landed = grid.place_unchecked(&game, placement);
                if landed.fatal {
                    return;
                }
                let between = landed.board.to_board(&game);
                let first = value(&board, &between, placement, landed.cleared, false);
                let (mut stuck, mut sum) = (0.0, 0.0);
                for (next, frequency) in frequencies.iter().enumerate() {
                    let mut best = None;
                    landed.board.placements(&game, next, |second| {
                        let end = landed.board.place_unchecked(&game, second);
                        if !end.fatal {
                            let after = end.board.to_board(&game);
                            best = best.max(Some(first + value(&between, &after, second, end.cleared, true)));
                        }
                    });
                    match best {
                        Some(best) => sum += frequency * best as f64,
                        None => stuck += frequency,
                    }
                }
                known.push((stuck, sum, value(&board, &between, placement, landed.cleared, true), placement));
            });
            let best = known.into_iter().reduce(|best, one| {
                let better = (one.0 < best.0) || (one.0 == best.0 && (one.1, one.2) > (best.1, best.2));
                if better { one } else { best }
            });
            let chosen =
                cautious.choose(&game, &grid, piece).filter(|&at| !grid.place_unchecked(&game, at).fatal);
            assert_eq!(chosen, best.map(|(_, _, _, placement)| placement), "{board}\n{piece}");
            changed += usize::from(chosen != plain.choose(&game, &grid, piece).filter(|_| chosen.is_some()));
            let few = plain.clone().with_caution(Caution::new(0, 1));
            assert_eq!(few.choose(&game, &grid, piece), plain.choose(&game, &grid, piece));
        }
    }
    assert!(changed > 20, "caution changed {changed} choices");
}

#[test]
fn a_game_goes_on_from_its_foothold() {
    for game in
        [classic(&["board.height=12"]), classic(&["board.height=12", "previews=1", "dealer.kind=bag"])]
    {
        let mut simulator = Simulator::new(&game, &Controller::built_in("dt10").unwrap()).unwrap();
        simulator.start(stream(1, Purpose::Dealer, 0));
        simulator.play(55);
        let (foothold, board) = (simulator.foothold(), simulator.board(&game));
        assert_eq!(simulator.aggregate_height(), (0..10).map(|x| board.column_height(x)).sum::<usize>());
        let mut after = [0, 1].map(|index| {
            simulator.play(400);
            simulator.go_on(&foothold, stream(2, Purpose::Dealer, index));
            assert_eq!((simulator.board(&game), simulator.tally().pieces), (board, 0));
            simulator.play(100);
            simulator.board(&game)
        });
        assert_ne!(after[0], after[1], "other pieces");
        simulator.go_on(&foothold, stream(2, Purpose::Dealer, 0));
        simulator.play(100);
        after[1] = simulator.board(&game);
        assert_eq!(after[0], after[1], "the same pieces");
    }
}

#[test]
fn what_it_cannot_play() {
    let controller = Controller::built_in("bcts").unwrap();
    for overrides in [
        ["landing.path=slide"],
        ["board.width=9"],
        ["board.height=28"],
        ["pieces.set=[\"I5\"]"],
        ["pieces.set=[\"U5\"]"],
    ] {
        assert!(Simulator::new(&classic(&overrides), &controller).is_none(), "{overrides:?}");
    }
    let unknown = Controller::new("x", &["contour-1".parse().unwrap()], &[1.0]).unwrap();
    assert!(Simulator::new(&classic(&[]), &unknown).is_none());
}
