//! What is wrong is an error that says so and changes nothing; never a panic.

mod common;

use bellmino_engine::guideline::Handling;
use bellmino_engine::{Game, below};
use bellmino_envs::{Beginning, Env, EnvError, EnvOptions, KeyOptions, MAX_LANES, Slices};
use bellmino_learn::Feature;
use common::{
    built_in_games, chance, changed, choose, difference, legal, random_guideline_games,
    random_placement_games,
};

fn options() -> EnvOptions {
    EnvOptions::default()
}

#[test]
fn options_that_make_no_sense() {
    let feature = |name: &str| vec![name.parse::<Feature>().unwrap()];
    let slow = Handling { arr: 60_001, ..Handling::DEFAULT };
    let keys = |tick, handling| Some(KeyOptions { tick, handling });
    let default = Handling::DEFAULT;
    let cases: [(&str, EnvOptions, &str); 17] = [
        ("baby", EnvOptions { lanes: 0, ..options() }, "lanes: 0 is not a whole number from 1"),
        ("baby", EnvOptions { lanes: MAX_LANES + 1, ..options() }, "lanes: 1048577"),
        ("baby", EnvOptions { limit: Some(0), ..options() }, "limit: give a whole number from 1"),
        ("baby", EnvOptions { previews: Some(65), ..options() }, "previews: 65"),
        (
            "baby",
            EnvOptions { keys: keys(17, default), ..options() },
            "`baby` is a placement game and has no keys",
        ),
        ("baby", EnvOptions { features: feature("lines"), ..options() }, "`lines` looks at a placement"),
        (
            "baby",
            EnvOptions { features: feature("height-9"), ..options() },
            "features: `height-9` does not fit",
        ),
        ("baby", EnvOptions { features: feature("t-slots"), afterstates: true, ..options() }, "features: "),
        ("baby", EnvOptions { afterstates: true, ..options() }, "features: name at least one"),
        ("sprint", EnvOptions { previews: Some(1), ..options() }, "previews and hold belong to the rules"),
        ("sprint", EnvOptions { hold: Some(false), ..options() }, "previews and hold belong to the rules"),
        ("sprint", EnvOptions { keys: keys(0, default), ..options() }, "tick: 0"),
        ("sprint", EnvOptions { keys: keys(10_001, default), ..options() }, "tick: 10001"),
        ("sprint", EnvOptions { keys: keys(17, slow), ..options() }, "handling: arr: 60001"),
        (
            "sprint",
            EnvOptions { keys: keys(17, default), features: feature("holes"), ..options() },
            "a game of keys is seen as it is",
        ),
        (
            "sprint",
            EnvOptions {
                features: [feature("holes"), feature("holes")].concat(),
                afterstates: true,
                ..options()
            },
            "features: ",
        ),
        (
            "classic",
            EnvOptions {
                lanes: MAX_LANES,
                features: vec![feature("holes")[0]; 64],
                afterstates: true,
                ..options()
            },
            "more than 8 GiB",
        ),
    ];
    for (name, options, wanted) in cases {
        let told = Env::new(&changed(name, &[]), &options).err().unwrap().to_string();
        assert!(told.contains(wanted), "{told}, not {wanted}");
    }
}

#[test]
fn beginnings_that_make_no_sense() {
    let check = |name: &str, board: &str, hold: Option<&str>, queue: Option<&str>, wanted: &str| {
        let mut env = Env::new(&changed(name, &[]), &EnvOptions { lanes: 2, ..options() }).unwrap();
        let mut seen = env.buffers();
        env.reset_all(1, seen.slices()).unwrap();
        let before = seen.clone();
        let beginning = Beginning {
            board: board.to_owned(),
            hold: hold.map(str::to_owned),
            queue: queue.map(str::to_owned),
        };
        let told =
            env.reset(&[(0, None), (1, Some(4))], Some(&beginning), seen.slices()).unwrap_err().to_string();
        assert!(told.contains(wanted), "{told}, not {wanted}");
        assert!(seen == before && env.origin(1) == Ok((2, 0)));
    };
    check("baby", "####", None, None, "full");
    check("baby", "#x..", None, None, "x");
    check("baby", "##", None, None, "");
    check("baby", "#.../#.../#.../#.../#...", None, None, "");
    check("baby", "###./###./###./###.", None, None, "no piece fits this board");
    check("baby", "", Some("I3"), None, "only `board` can be given");
    check("baby", "", None, Some("I3"), "only `board` can be given");
    check("sprint", "", Some("Q"), None, "hold: `Q` is no piece; give one of IOTLJSZ");
    check("sprint", "", Some("IO"), None, "hold: `IO` is no piece");
    check("sprint", "", Some(""), None, "hold: `` is no piece");
    check("sprint", "", None, Some("IQ"), "");
}

#[test]
fn arrays_and_lanes_of_another_environment() {
    let (baby, mini) = (changed("baby", &[]), changed("mini", &[]));
    let mut env = Env::new(&baby, &EnvOptions { lanes: 2, ..options() }).unwrap();
    let mut seen = env.buffers();
    let mut one = Env::new(&baby, &options()).unwrap().buffers();
    let mut other = Env::new(&mini, &EnvOptions { lanes: 2, ..options() }).unwrap().buffers();
    assert_eq!(env.reset_all(1, one.slices()), Err(EnvError::OtherArrays));
    assert_eq!(env.step(&[0, 0], other.slices()), Err(EnvError::OtherArrays));
    assert_eq!(env.reset(&[(2, None)], None, seen.slices()), Err(EnvError::NoLane(2)));
    assert_eq!(env.reset(&[(0, None), (2, None)], None, seen.slices()), Err(EnvError::NoLane(2)));
    assert_eq!(env.origin(0), Ok((0, 0)), "none begins if one cannot");
    assert_eq!(env.origin(2), Err(EnvError::NoLane(2)));
    assert_eq!(env.decode(2, 0), Err(EnvError::NoLane(2)));
    assert_eq!(env.placed(2), Err(EnvError::NoLane(2)));
    assert_eq!(env.view(0), Ok(None));
    assert_eq!(env.step(&[0], seen.slices()), Err(EnvError::Actions { given: 1, lanes: 2 }));
    assert!(seen.board(2).is_empty() && seen.values(0).is_empty());

    // Arrays from elsewhere have to have the right lengths.
    let mut short = seen.clone();
    let widths = env.widths();
    let mut cells = vec![0; 31];
    let arrays = bellmino_envs::LaneArrays { board: &mut cells, ..parts(&mut short) };
    let refused = Slices::new(&widths, 2, arrays).err();
    assert_eq!(refused, Some(EnvError::Array { name: "board", entries: 31, wanted: 32 }));
    let mut whole = seen.clone();
    env.reset_all(1, Slices::new(&widths, 2, parts(&mut whole)).unwrap()).unwrap();
    env.reset_all(1, seen.slices()).unwrap();
}

/// Arrays as somebody else may keep them: here leaked, once.
fn parts(like: &mut bellmino_envs::Buffers) -> bellmino_envs::LaneArrays<'static> {
    macro_rules! leaked {
        ($($(#[doc = $doc:literal])+ $name:ident: $type:ty),+ $(,)?) => {
            bellmino_envs::LaneArrays { $($name: [like.$name(0), like.$name(1)].concat().leak()),+ }
        };
    }
    bellmino_envs::each_array!(leaked)
}

#[test]
fn illegal_actions_are_refused_and_change_nothing() {
    let games: Vec<Game> = built_in_games()
        .into_iter()
        .chain(random_placement_games(40))
        .chain(random_guideline_games(6))
        .collect();
    let mut draw = chance(5);
    for game in &games {
        let hold = game.placement().map(|_| true);
        let mut env = Env::new(game, &EnvOptions { lanes: 2, hold, ..options() }).unwrap();
        let mut seen = env.buffers();
        env.reset_all(8, seen.slices()).unwrap();
        for _ in 0..12 {
            let all = env.sizes().actions as i64;
            let allowed = legal(&seen, 1);
            if allowed.is_empty() || legal(&seen, 0).is_empty() {
                break;
            }
            let good = choose(&env, &seen, 0, &mut draw);
            let before = seen.clone();
            let some = (0..20).map(|_| below(&mut draw, all as usize) as i64);
            for action in some.chain([-1, all, all + 1, i64::MIN, i64::MAX]) {
                if !allowed.contains(&action) {
                    let refused = env.step(&[good, action], seen.slices());
                    assert_eq!(refused, Err(EnvError::Illegal { lane: 1, action }), "{}", game.to_toml());
                    assert!(seen == before);
                    let told = env.decode(1, action).unwrap();
                    assert_eq!(told.is_some(), (0..all).contains(&action));
                    assert!(told.is_none_or(|told| !told.is_legal() && env.encode(1, &told) == Ok(None)));
                }
            }
            let other = choose(&env, &seen, 1, &mut draw);
            env.step(&[good, other], seen.slices()).unwrap();
        }
    }
}

#[test]
fn an_illegal_action_can_lose_instead() {
    let lose = EnvOptions { lose: true, autoreset: true, ..options() };
    for game in built_in_games().iter().chain(&random_placement_games(20)) {
        let mut env = Env::new(game, &lose).unwrap();
        let mut seen = env.buffers();
        env.reset_all(2, seen.slices()).unwrap();
        let begun = seen.clone();
        env.step(&[-1], seen.slices()).unwrap();
        assert_eq!(
            (seen.reward(0), seen.terminated(0), seen.outcome(0)),
            (&[0.0][..], &[true][..], &[2][..])
        );
        assert!(legal(&seen, 0).is_empty() && seen.board(0) == begun.board(0));
        env.step(&[-1], seen.slices()).unwrap();
        assert_eq!((seen.terminated(0), env.origin(0)), (&[false][..], Ok((2, 1))));
        env.reset_all(2, seen.slices()).unwrap();
        assert_eq!(difference(&seen, 0, &begun, 0), None);
    }
}

#[test]
fn a_game_that_is_over_is_reset_first() {
    let game = changed("baby", &[]);
    let mut env = Env::new(&game, &EnvOptions { limit: Some(1), ..options() }).unwrap();
    let mut seen = env.buffers();
    env.reset_all(2, seen.slices()).unwrap();
    let action = legal(&seen, 0)[0];
    env.step(&[action], seen.slices()).unwrap();
    assert_eq!((seen.truncated(0), seen.terminated(0)), (&[true][..], &[false][..]));
    assert_eq!(env.step(&[action], seen.slices()), Err(EnvError::Over(0)));
    env.reset(&[(0, None)], None, seen.slices()).unwrap();
    assert_eq!(env.origin(0), Ok((2, 1)));
    env.step(&[legal(&seen, 0)[0]], seen.slices()).unwrap();
}
