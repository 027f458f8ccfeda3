//! Solved tables at play: a table with its own dealer makes what was solved, or it is an error and never a loss.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bellmino_engine::placement::Match;
use bellmino_engine::{Game, Generator, Override, PlacementGame, Purpose, below, stream, unit};
use bellmino_exact::{
    Abstraction, DealerPolicy, Dealing, Objective, Policy, Sides, Silent, Solution, SolveError,
    SolveSettings, Table, Unmet, Watch, solve, solve_between,
};
use bellmino_lab::{
    ArenaReport, ArenaSettings, Clock, EnduranceSettings, Opponent, Player, PlayerError, Playthrough,
    ResourceError, ResourceKind, Resources, SolvePlan, Terms, endurance, evaluate,
};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn settings(objective: &str, dealing: &str) -> SolveSettings {
    let (objective, dealing) = (objective.parse().unwrap(), dealing.parse().unwrap());
    SolveSettings { dealing, keep_stages: true, ..SolveSettings::new(objective) }
}

/// The table as a player, and the dealer that it was solved for.
fn sides(table: Arc<Table>) -> (Player, Opponent) {
    let dealer = match table.settings().dealing {
        Dealing::Random => Opponent::Random,
        _ => Opponent::Table(table.clone()),
    };
    (Player::of_shared_table("table", table), dealer)
}

fn play(game: &PlacementGame, player: Player, asked: &ArenaSettings) -> Result<ArenaReport, PlayerError> {
    evaluate(&Game::Placement(game.clone()), &[player], asked, &|_| true)
}

/// Whether the mean of played games is the value, within five standard errors: one false alarm in 1.7 million comparisons, with
/// a fixed seed.
#[track_caller]
fn check(game: &PlacementGame, solution: Solution, games: u64, context: &dyn Fn() -> String) {
    let objective = solution.table.settings().objective;
    let value = solution.report.value.unwrap();
    let (player, dealer) = sides(Arc::new(solution.table));
    let discount = (objective.discount() < 1.0).then(|| objective.discount());
    // What is left of a discounted sum then is worth less than 1e-7. A horizon ends by itself.
    let pieces = discount.map(|discount| (1e-10_f64.ln() / discount.ln()).ceil() as u64);
    let asked = ArenaSettings { games, seed: 3, pieces, discount, dealer, ..ArenaSettings::default() };
    let report = play(game, player, &asked).unwrap_or_else(|error| panic!("{error}: {}", context()));
    let found = report.players[0].discounted.as_ref().unwrap_or(&report.players[0].score);
    let allowed = 5.0 * found.sd / (games as f64).sqrt() + 1e-6 * value.abs().max(1.0);
    assert!((found.mean - value).abs() <= allowed, "{} +- {allowed} for {value}: {}", found.mean, context());
    assert!(!report.players[0].interrupted, "{}", context());
}

/// What was found wrong at first, in the games of then.
#[test]
fn tables_with_their_own_dealers_make_what_was_solved() {
    for (name, overrides, objective, dealing) in [
        ("baby", &[][..], "discounted:0.9", "worst-before"),
        ("mini", &[], "horizon:12", "worst"),
        ("mini", &[], "horizon:12", "worst-before"),
        ("mini", &[], "total", "mixed:0.5"),
        ("baby", &[], "horizon:20", "mixed:0.3"),
        ("mini", &["previews=1"], "discounted:0.9", "mixed:0.5"),
    ] {
        let game = game(name, overrides);
        let asked = SolveSettings { preview: game.previews(), ..settings(objective, dealing) };
        let solution = solve(&game, &asked, &Silent).unwrap();
        check(&game, solution, 3000, &|| format!("{name} {overrides:?} {objective} {dealing}"));
    }
}

/// A small game of any kind.
fn any_game(chance: &mut Generator) -> PlacementGame {
    let all = ["I2", "I3", "L3", "O", "S", "Z", "T"];
    let count = 2 + below(chance, 2);
    let mut set: Vec<&str> = Vec::new();
    while set.len() < count {
        let piece = all[below(chance, all.len())];
        if !set.contains(&piece) {
            set.push(piece);
        }
    }
    let names = |set: &[&str]| {
        format!("[{}]", set.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(","))
    };
    let mut changes = vec![
        format!("board.width={}", 3 + below(chance, 2)),
        format!("board.height={}", 3),
        format!("pieces.set={}", names(&set)),
        format!("landing.path={}", ["drop", "slide", "anywhere"][below(chance, 3)]),
        format!("landing.overflow={}", ["forbidden", "clear-first"][below(chance, 2)]),
        format!("score.lines=[0,{},{},{}]", 1 + below(chance, 3), 3 + below(chance, 3), 7),
    ];
    match below(chance, 4) {
        0 => {
            let weights: Vec<String> =
                set.iter().map(|_| format!("{:.2}", 0.2 + 2.0 * unit(chance))).collect();
            changes.extend([
                "dealer.kind=weighted".to_owned(),
                format!("dealer.weights=[{}]", weights.join(",")),
            ]);
        }
        1 => changes.push("dealer.kind=markov".to_owned()),
        2 => changes.push("dealer.kind=bag".to_owned()),
        _ => {
            let order: Vec<&str> =
                (0..5).map(|place| set[if place < count { place } else { below(chance, count) }]).collect();
            changes.extend(["dealer.kind=sequence".to_owned(), format!("dealer.order={}", names(&order))]);
        }
    }
    let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
    game("baby", &changes)
}

/// Stops what takes long to solve: a game that hardly ever ends.
#[derive(Default)]
struct Brief(AtomicU32);

impl Watch for Brief {
    fn go_on(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) < 4000
    }
}

/// Random games, every dealer and objective, previews and holds: solved, evaluated exactly with both sides given, and played.
/// Some 150 comparisons of five standard errors: a false alarm once in 10,000 seeds, and the seed is fixed.
#[test]
fn random_games_are_played_as_they_are_solved() {
    let mut chance = stream(20, Purpose::Training, 0);
    let mut compared = [0; 4];
    for number in 0..14 {
        let game = any_game(&mut chance);
        for dealing in ["random", "worst", "worst-before", "mixed:0.4"] {
            for (kind, objective) in
                ["discounted:0.8", "horizon:7", "total", "average"].into_iter().enumerate()
            {
                let (preview, hold) = (below(&mut chance, 2), below(&mut chance, 4) == 0);
                let asked = SolveSettings { preview, hold, ..settings(objective, dealing) };
                let context = || {
                    format!(
                        "game {number}, {objective}, {dealing}, preview {preview}, hold {hold}\n{}",
                        game.to_toml()
                    )
                };
                let solution = match solve(&game, &asked, &Brief::default()) {
                    Ok(solution) => solution,
                    Err(SolveError::Unsupported(_) | SolveError::Interrupted) => continue,
                    Err(error) => panic!("{error}: {}", context()),
                };
                // What is infinite, or long to play, is left to the other objectives.
                let Some(value) = solution.report.value.filter(|value| *value < 300.0) else { continue };
                if solution.report.error_bound > 1e-6 {
                    continue;
                }
                if asked.objective == Objective::Average {
                    // A game that ends by chance may be long in doing so.
                    let survive = SolveSettings { objective: Objective::Survive, ..asked.clone() };
                    let survives = solve(&game, &survive, &Silent).unwrap().report.value;
                    let adversary = matches!(asked.dealing, Dealing::Worst | Dealing::WorstBefore);
                    if survives == Some(1.0) || adversary {
                        compared[kind] += 1;
                        check_average(&game, solution, &context);
                    }
                    continue;
                }
                compared[kind] += 1;
                if !hold {
                    let exactly = between(&game, &asked, &solution.table).report;
                    let error = (exactly.value.unwrap() - value).abs();
                    assert!(error <= 1e-6 * value.max(1.0), "{:?} for {value}: {}", exactly.value, context());
                }
                check(&game, solution, 800, &context);
            }
        }
    }
    assert!(compared.iter().all(|count| *count >= 12), "{compared:?}");
}

/// The exact value with player and dealer given by a table.
fn between(game: &PlacementGame, asked: &SolveSettings, table: &Table) -> Solution {
    let given = asked.dealing != Dealing::Random;
    let sides =
        Sides { player: Some(table as &dyn Policy), dealer: given.then_some(table as &dyn DealerPolicy) };
    let asked = SolveSettings { dealing: Dealing::Random, preview: table.queue(), ..asked.clone() };
    solve_between(game, &asked, sides, None, &Silent).unwrap()
}

/// In the long run the points per piece are the gain: 840 pieces, a multiple of most periods, after 840 others that lead there.
fn check_average(game: &PlacementGame, solution: Solution, context: &dyn Fn() -> String) {
    let gain = solution.report.value.unwrap();
    let (games, pieces) = (60, 840);
    let table = Arc::new(solution.table);
    let mean = |pieces: u64| {
        let (player, dealer) = sides(table.clone());
        let asked =
            ArenaSettings { games, seed: 3, pieces: Some(pieces), dealer, ..ArenaSettings::default() };
        let report = play(game, player, &asked).unwrap_or_else(|error| panic!("{error}: {}", context()));
        let score = &report.players[0].score;
        (score.mean, score.sd / (games as f64).sqrt())
    };
    // The same games, the first half of them and all.
    let ((half, half_error), (whole, error)) = (mean(pieces), mean(2 * pieces));
    let found = (whole - half) / pieces as f64;
    let allowed = 5.0 * (error + half_error) / pieces as f64 + 0.002;
    assert!((found - gain).abs() <= allowed, "{found} +- {allowed} for {gain}: {}", context());
}

/// What cannot be supplied is refused before the first piece, and says what would be right.
#[test]
fn what_a_table_lacks_is_an_error() {
    let game = game("mini", &[]);
    let table = |objective: &str, dealing: &str, preview, hold| {
        let asked = SolveSettings { preview, hold, ..settings(objective, dealing) };
        Arc::new(solve(&game, &asked, &Silent).unwrap().table)
    };
    let lowest = || Player::of_placement("lowest", &game).unwrap();
    let by_table = |table: &Arc<Table>| Opponent::Table(table.clone());
    let refused = |player: Player, dealer: Opponent, pieces| {
        let asked = ArenaSettings { games: 2, pieces, dealer: dealer.clone(), ..ArenaSettings::default() };
        let one = play(&game, player.clone(), &asked).map(|_| ()).unwrap_err();
        let begun = Playthrough::<Match, _>::placement(game.clone(), &player, &dealer, (1, 0), pieces);
        assert_eq!(begun.map(|_| ()).unwrap_err(), one);
        assert_eq!(Terms::new(&game, Some(&player), &dealer, pieces).unwrap_err(), one);
        match one {
            PlayerError::CannotPlay { why, .. } | PlayerError::CannotDeal(why) => why,
            error => panic!("{error}"),
        }
    };
    let ten = table("horizon:10", "worst", 0, false);
    let player = |table: &Arc<Table>| Player::of_shared_table("table", table.clone());
    assert_eq!(
        refused(player(&ten), Opponent::Random, Some(11)),
        Unmet::Horizon { horizon: 10, pieces: Some(11) }
    );
    assert_eq!(refused(lowest(), by_table(&ten), Some(11)), Unmet::Horizon { horizon: 10, pieces: Some(11) });
    let chance = table("discounted:0.9", "random", 0, false);
    assert_eq!(refused(lowest(), by_table(&chance), None), Unmet::NoDealer);
    let ahead = table("discounted:0.9", "random", 1, false);
    let worst = table("discounted:0.9", "worst", 0, false);
    assert_eq!(refused(player(&ahead), by_table(&worst), None), Unmet::DealsAhead { needed: 0, offered: 1 });
    let holds = table("discounted:0.9", "random", 0, true);
    assert_eq!(refused(player(&holds), by_table(&worst), None), Unmet::DealsWithoutHold);
    let brief =
        solve(&game, &SolveSettings { keep_stages: false, ..settings("horizon:10", "worst") }, &Silent);
    let brief = Arc::new(brief.unwrap().table);
    assert_eq!(refused(player(&brief), Opponent::Random, None), Unmet::NoStages { horizon: 10 });
    // A match between tables ends with the shorter one.
    let six = table("horizon:6", "worst", 0, false);
    assert_eq!(Terms::new(&game, Some(&player(&six)), &by_table(&ten), None).unwrap().pieces, Some(6));
    let asked = ArenaSettings { games: 20, dealer: by_table(&ten), ..ArenaSettings::default() };
    assert!(play(&game, player(&six), &asked).unwrap().players[0].pieces.max <= 6.0);
    // Lines per loss go on for ever.
    let endless = EnduranceSettings { runs: 1, climbs: 1, seed: 1, clock: Clock::STOPPED };
    let error = endurance(&game, &player(&six), &endless, &|_| true).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("solved for 6 pieces, and any number"), "{error}");
}

/// The same check where a player or a dealer is given to the solver.
#[test]
fn what_a_table_lacks_is_an_error_of_the_solver_too() {
    let game = game("mini", &[]);
    // A file's name says how its table is solved.
    struct Solved(PlacementGame);
    impl Resources for Solved {
        fn has(&self, _: &str) -> bool {
            true
        }

        fn read(&self, _: ResourceKind, name: &str) -> Result<Vec<u8>, ResourceError> {
            let [objective, dealing, preview, hold] = name.split(' ').collect::<Vec<_>>()[..] else {
                return Err(ResourceError::Missing(name.to_owned()));
            };
            let (preview, hold) = (preview.parse().unwrap(), hold == "true");
            let asked = SolveSettings { preview, hold, ..settings(objective, dealing) };
            let mut bytes = Vec::new();
            solve(&self.0, &asked, &Silent).unwrap().table.write(&mut bytes).unwrap();
            Ok(bytes)
        }
    }
    let files = Solved(game.clone());
    let file = |objective: &str, dealing: &str, preview: usize, hold: bool| {
        format!("table:{objective} {dealing} {preview} {hold}")
    };
    let plan = |objective: &str, dealer: &str, player: &str| {
        let asked = SolveSettings::new(objective.parse().unwrap());
        let plan = SolvePlan::new(&game, asked, dealer, Some(player), &files);
        plan.map(|_| ()).map_err(|error| error.to_string())
    };
    let ten = file("horizon:10", "worst", 0, false);
    let named = file("discounted:0.9", "worst-before", 0, false);
    let refused = |objective: &str, dealer: &str, player: &str, words: &str| {
        let error = plan(objective, dealer, player).unwrap_err();
        assert!(error.contains(words), "{error}");
    };
    refused("total", "random", &ten, "solved for 10 pieces, and any number");
    refused("horizon:11", &ten, "lowest", "solved for 10 pieces, and 11");
    refused("total", &file("total", "random", 0, false), "lowest", "has no other to offer");
    refused("total", "random", &named, "with 1 pieces in sight");
    refused("total", "random", &file("total", "random", 0, true), "plays with hold");
    assert_eq!(plan("horizon:9", &ten, &ten), Ok(()));
    // The piece that is named before the placement is in sight.
    assert_eq!(plan("discounted:0.9", "worst-before", &named), Ok(()));
    assert_eq!(plan("discounted:0.9", &named, &named), Ok(()));
}

/// With a view the value is that of a model; what the player makes is its true value, under a horizon too.
#[test]
fn a_view_makes_its_true_value() {
    for objective in ["horizon:10", "discounted:0.9", "total"] {
        let game = game("small", &["board.height=3"]);
        let asked = SolveSettings { view: Abstraction::Contour, ..settings(objective, "random") };
        let mut solution = solve(&game, &asked, &Silent).unwrap();
        let truth = solution.report.true_value.unwrap();
        assert!((solution.report.value.unwrap() - truth.unwrap()).abs() > 1.0, "the model is not the game");
        solution.report.value = truth;
        check(&game, solution, 4000, &|| objective.to_owned());
    }
}
