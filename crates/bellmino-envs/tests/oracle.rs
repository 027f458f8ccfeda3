//! Exact values beside the play, and tables that cannot give them.

mod common;

use std::sync::Arc;

use bellmino_engine::Game;
use bellmino_engine::placement::Board;
use bellmino_envs::{Beginning, Env, EnvError, EnvOptions, OracleError};
use bellmino_exact::{
    Abstraction, Dealing, Objective, Placing, Sides, Silent, SolveSettings, Table, solve, solve_between,
};
use common::{chance, changed, choose, legal, random_placement_games};

fn solved(game: &Game, settings: &SolveSettings) -> Arc<Table> {
    Arc::new(solve(game.placement().unwrap(), settings, &Silent).unwrap().table)
}

fn discounted() -> SolveSettings {
    SolveSettings::new(Objective::Discounted(0.9))
}

/// Plays beside a table; `known` gives the value of a placement by another road, if there is one.
fn play(
    game: &Game,
    options: EnvOptions,
    steps: usize,
    known: impl Fn(&Board, usize, i64) -> Option<f64>,
) -> f64 {
    let rules = game.placement().unwrap();
    let mut env = Env::new(game, &EnvOptions { autoreset: true, ..options }).unwrap();
    let mut seen = env.buffers();
    env.reset_all(3, seen.slices()).unwrap();
    let mut draw = chance(11);
    let mut given_away = 0.0;
    for _ in 0..steps {
        let values = seen.values(0).to_vec();
        let mask: Vec<bool> = seen.mask(0).iter().map(|legal| *legal == 1).collect();
        assert_eq!(
            values.iter().map(|value| !value.is_nan()).collect::<Vec<_>>(),
            mask,
            "{}",
            game.to_toml()
        );
        let best = values.iter().copied().filter(|value| !value.is_nan()).fold(f64::NEG_INFINITY, f64::max);
        let going = mask.contains(&true);
        assert_eq!(seen.optimal(0), [if going { best } else { 0.0 }]);
        let rows = seen.board(0).chunks(rules.width());
        let rows: Vec<String> =
            rows.map(|row| row.iter().map(|cell| if *cell == 1 { '#' } else { '.' }).collect()).collect();
        let board = Board::parse(rules.width(), rules.height(), &rows.join("/")).unwrap();
        for action in legal(&seen, 0) {
            if let Some(value) = known(&board, seen.piece(0)[0] as usize, action) {
                assert_eq!(values[action as usize], value);
            }
        }
        let action = choose(&env, &seen, 0, &mut draw);
        env.step(&[action], seen.slices()).unwrap();
        assert_eq!(seen.regret(0), [if going { best - values[action as usize] } else { 0.0 }]);
        given_away += seen.regret(0)[0];
    }
    given_away
}

#[test]
fn values_and_regret_are_those_of_the_table() {
    let game = changed("baby", &[]);
    let table = solved(&game, &discounted());
    let width = game.placement().unwrap().width() as i64;
    let known = |board: &Board, piece: usize, action: i64| {
        let values = table.placement_values(board, piece).unwrap();
        let same = |at: bellmino_engine::placement::Placement| {
            i64::from(at.rotation) * width + i64::from(at.column) == action
        };
        values.iter().find(|one| same(one.placement)).map(|one| if one.fatal { 0.0 } else { one.value })
    };
    let options = EnvOptions { oracle: Some(table.clone()), ..EnvOptions::default() };
    assert!(play(&game, options, 400, known) > 1.0);
}

#[test]
fn random_games_have_values_with_previews_and_hold() {
    let mut solved_games = 0;
    for (number, game) in random_placement_games(200).iter().enumerate() {
        let rules = game.placement().unwrap();
        if rules.width() * rules.height() > 12 || rules.previews() > 1 {
            continue;
        }
        let hold = number % 2 == 0;
        let settings = SolveSettings { preview: rules.previews(), hold, ..discounted() };
        let Ok(solution) = solve(rules, &settings, &Silent) else { continue };
        let oracle = Some(Arc::new(solution.table));
        play(game, EnvOptions { oracle, hold: Some(hold), ..EnvOptions::default() }, 40, |_, _, _| None);
        solved_games += 1;
    }
    assert!(solved_games > 15, "{solved_games}");
}

#[test]
fn tables_of_another_question_are_refused() {
    let game = changed("baby", &[]);
    let refused = |table: Arc<Table>| {
        Env::new(&game, &EnvOptions { oracle: Some(table), ..EnvOptions::default() }).err()
    };
    assert_eq!(refused(solved(&game, &discounted())), None);
    let cases = [
        (SolveSettings { dealing: Dealing::Worst, ..discounted() }, OracleError::Dealing(Dealing::Worst)),
        (
            SolveSettings { dealing: Dealing::Mixed(0.5), ..discounted() },
            OracleError::Dealing(Dealing::Mixed(0.5)),
        ),
        (SolveSettings { placing: Placing::Average, ..discounted() }, OracleError::Placing),
        (
            SolveSettings { reward: Some("lines=1".parse().unwrap()), ..discounted() },
            OracleError::Reward("lines=1".parse().unwrap()),
        ),
        (
            SolveSettings { view: Abstraction::Heights, ..discounted() },
            OracleError::View(Abstraction::Heights),
        ),
        (SolveSettings { hold: true, ..discounted() }, OracleError::Hold { solved: true }),
        (SolveSettings { preview: 1, ..discounted() }, OracleError::Previews { solved: 1, wanted: 0 }),
        (SolveSettings::new(Objective::Total), OracleError::Infinite),
    ];
    for (settings, wanted) in cases {
        assert_eq!(refused(solved(&game, &settings)), Some(EnvError::Oracle(wanted)), "{settings:?}");
    }
    let best = solved(&game, &discounted());
    let worst = solved(&game, &SolveSettings { dealing: Dealing::Worst, ..discounted() });
    for (sides, wanted) in [
        (Sides { player: Some(&*best), dealer: None }, OracleError::GivenPlayer),
        (Sides { player: None, dealer: Some(&*worst) }, OracleError::GivenDealer),
    ] {
        let rules = game.placement().unwrap();
        let table = solve_between(rules, &discounted(), sides, None, &Silent).unwrap().table;
        let mut bytes = vec![];
        table.write(&mut bytes).unwrap();
        let again = Table::read(bytes).unwrap();
        for table in [table, again] {
            assert_eq!(refused(Arc::new(table)), Some(EnvError::Oracle(wanted.clone())));
        }
    }
    for other in [
        changed("mini", &[]),
        changed("baby", &["dealer.weights=[1,2]"]),
        changed("baby", &["score.lines=[0,1,2,3]"]),
    ] {
        let wanted = OracleError::OtherGame("baby".to_owned());
        assert_eq!(refused(solved(&other, &discounted())), Some(EnvError::Oracle(wanted)));
    }
    let sprint = changed("sprint", &[]);
    let options = EnvOptions { oracle: Some(solved(&game, &discounted())), ..EnvOptions::default() };
    assert_eq!(Env::new(&sprint, &options).err(), Some(EnvError::Oracle(OracleError::Guideline)));
}

#[test]
fn a_board_the_oracle_does_not_know_changes_nothing() {
    let game = changed("baby", &[]);
    let table = solved(&game, &discounted());
    let known: std::collections::BTreeSet<u64> = table.boards().iter().map(|board| board.0).collect();
    let options = EnvOptions { oracle: Some(table), lanes: 2, ..EnvOptions::default() };
    let mut env = Env::new(&game, &options).unwrap();
    let mut seen = env.buffers();
    env.reset_all(1, seen.slices()).unwrap();
    let before = format!("{seen:?}");
    let rows = ["....", "#...", ".#..", "##..", "#.#.", ".##.", "#..#", "###.", ".###", "##.#"];
    let drawings = rows.iter().flat_map(|high| rows.iter().map(move |low| format!("{high}/{low}")));
    let packed = |drawing: &str| {
        bellmino_exact::packed(game.placement().unwrap(), &Board::parse(4, 4, drawing).unwrap()).unwrap().0
    };
    let mut unknown = drawings.filter(|drawing| !known.contains(&packed(drawing)));
    let beginning = Beginning { board: unknown.next().unwrap(), ..Beginning::default() };
    let refused = env.reset(&[(0, None), (1, None)], Some(&beginning), seen.slices());
    assert_eq!(refused, Err(EnvError::UnknownBoard));
    assert_eq!((format!("{seen:?}"), env.origin(0)), (before, Ok((1, 0))));
    let action = legal(&seen, 0)[0];
    env.step(&[action, legal(&seen, 1)[0]], seen.slices()).unwrap();
}
