//! Lanes are matches: on every built-in game and on random ones an environment shows, move for move, what a `Match` of the
//! same seed does.

mod common;

use std::collections::BTreeSet;

use bellmino_engine::guideline::{self, Bag, Key, Position, Timed};
use bellmino_engine::placement::{self, Allowance, Board, DealtBy, Grid, Path};
use bellmino_engine::{AnyMatch, Game, Outcome, PlacementGame, Purpose, Totals, below, stream};
use bellmino_envs::{Beginning, Buffers, Decoded, Env, EnvOptions, KeyOptions};
use bellmino_learn::{Afterstate, Controller, FEATURE_SETS, Feature, feature_set};
use common::{
    built_in_games, chance, changed, choose, difference, legal, random_guideline_games,
    random_placement_games,
};

/// The game that a lane should be, played on the general board by the checked road.
#[derive(Clone)]
enum Twin {
    Placement(Box<placement::Match>),
    Guideline(Box<guideline::Match>),
}

impl Twin {
    fn new(game: &Game, options: &EnvOptions, seed: u64, index: u64) -> Twin {
        match game {
            Game::Placement(game) => {
                let previews = options.previews.unwrap_or(game.previews());
                let allowance = Allowance { previews, hold: options.hold.unwrap_or(false) };
                let chance = stream(seed, Purpose::Dealer, index);
                Twin::Placement(Box::new(placement::Match::with(
                    game.clone(),
                    allowance,
                    DealtBy::Chance,
                    chance,
                )))
            }
            Game::Guideline(game) => {
                let bag = Bag::numbered(seed, index);
                let begun = guideline::Match::from_position(*game.rules(), Position::default(), bag);
                Twin::Guideline(Box::new(begun))
            }
        }
    }

    /// The filled cells, the top row first.
    fn cells(&self) -> Vec<u8> {
        match self {
            Twin::Placement(game) => {
                let (board, rules) = (game.board().to_board(game.game()), game.game());
                let row = |y| (0..rules.width()).map(move |x| (x, y));
                let cells = (0..rules.height()).rev().flat_map(row);
                cells.map(|(x, y)| u8::from(board.contains(x, y))).collect()
            }
            Twin::Guideline(game) => {
                let board = game.position().board;
                let row = |y| (0..guideline::WIDTH).map(move |x| (x, y));
                let cells = (0..guideline::HEIGHT).rev().flat_map(row);
                cells.map(|(x, y)| u8::from(board.column(x).contains(y))).collect()
            }
        }
    }

    /// The held piece, and the current one with those in sight.
    fn hand(&self) -> (i64, Vec<i64>) {
        match self {
            Twin::Placement(game) => (
                game.held().map_or(0, |held| i64::from(held) + 1),
                game.queue().iter().map(|dealt| i64::from(dealt.piece)).collect(),
            ),
            Twin::Guideline(game) => (
                game.position().hold.map_or(0, |held| held as i64 + 1),
                game.queue().iter().map(|piece| *piece as i64).collect(),
            ),
        }
    }

    /// Every legal action with its number as the documents have it, where they do.
    fn legal(&self) -> BTreeSet<(Option<i64>, String)> {
        let told = |number: Option<i64>, action: &Decoded| (number, format!("{action:?}"));
        match self {
            Twin::Placement(game) if game.outcome().is_none() => {
                let (rules, board) = (game.game(), game.board().to_board(game.game()));
                let most = rules.pieces().iter().map(|piece| piece.rotations().len()).max().unwrap();
                let drop = rules.landing().path == Path::Drop;
                let single = most * rules.width() * if drop { 1 } else { rules.height() + 1 };
                let held = game.held().filter(|held| game.may_hold() && Some(*held) != game.current());
                let mut all = BTreeSet::new();
                for (piece, half) in
                    game.current().map(|piece| (piece, 0)).into_iter().chain(held.map(|held| (held, 1)))
                {
                    for at in board.placements(rules, piece as usize) {
                        let (rotation, column, row) =
                            (at.rotation as usize, at.column as usize, at.row as usize);
                        let place = rotation * rules.width() + column;
                        let number = if drop { place } else { place * (rules.height() + 1) + row };
                        let action = Decoded::Placement {
                            piece: Some(piece),
                            rotation,
                            column,
                            row: Some(row),
                            held: half == 1,
                            legal: true,
                        };
                        all.insert(told(Some((half * single + number) as i64), &action));
                    }
                }
                if game.may_hold() && game.held().is_none() {
                    let action = Decoded::PutAside { piece: game.current(), legal: true };
                    all.insert(told(Some(2 * single as i64), &action));
                }
                all
            }
            Twin::Placement(_) => BTreeSet::new(),
            Twin::Guideline(game) => {
                let current = game.current();
                let action = |at: guideline::Placement| Decoded::Guideline {
                    placement: Some(at),
                    held: at.piece != current,
                };
                game.placements().into_iter().map(|at| told(None, &action(at))).collect()
            }
        }
    }

    fn play(&mut self, action: &Decoded) -> f64 {
        match (self, action) {
            (Twin::Placement(game), Decoded::PutAside { .. }) => {
                game.hold().unwrap();
                0.0
            }
            (Twin::Placement(game), &Decoded::Placement { piece, rotation, column, row, .. }) => {
                let at = placement::Placement {
                    piece: piece.unwrap(),
                    rotation: rotation as u8,
                    column: column as u8,
                    row: row.unwrap() as u8,
                };
                game.play(&at).unwrap().points
            }
            (Twin::Guideline(game), Decoded::Guideline { placement, .. }) => {
                let before = AnyMatch::totals(&**game).score;
                game.play(&placement.unwrap()).unwrap();
                AnyMatch::totals(&**game).score - before
            }
            _ => unreachable!("an action of another family"),
        }
    }

    fn totals(&self) -> Totals {
        match self {
            Twin::Placement(game) => AnyMatch::totals(&**game),
            Twin::Guideline(game) => AnyMatch::totals(&**game),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self {
            Twin::Placement(game) => game.outcome(),
            Twin::Guideline(game) => game.outcome(),
        }
    }
}

/// What was met on the way.
#[derive(Default)]
struct Met {
    lines: u64,
    ends: usize,
    held: usize,
    aside: usize,
}

/// Steps an environment of three lanes beside its twins and compares all that is seen.
fn play_beside(game: &Game, options: EnvOptions, steps: usize, seed: u64, met: &mut Met) {
    let options = EnvOptions { lanes: 3, autoreset: true, ..options };
    let mut env = Env::new(game, &options).unwrap();
    let mut seen = env.buffers();
    env.reset_all(seed, seen.slices()).unwrap();
    let mut twins: Vec<(Twin, u64, bool, f64)> =
        (0..3).map(|lane| (Twin::new(game, &options, seed + lane, 0), 0, false, 0.0)).collect();
    for twin in &mut twins {
        twin.2 = twin.0.outcome().is_some();
    }
    let mut draw = chance(seed);
    for _ in 0..steps {
        let mut actions = vec![];
        for (lane, (twin, index, _, rewards)) in twins.iter().enumerate() {
            let told = format!("lane {lane} of {}", game.to_toml());
            assert_eq!(env.origin(lane), Ok((seed + lane as u64, *index)));
            assert_eq!(seen.board(lane), twin.cells(), "{told}");
            let (hold, queue) = twin.hand();
            assert_eq!((seen.hold(lane), seen.queue(lane)), (&[hold][..], &queue[..]), "{told}");
            assert_eq!(seen.piece(lane), [queue[0]]);
            let Totals { pieces, lines, score } = twin.totals();
            assert_eq!((seen.pieces(lane), seen.lines(lane)), (&[pieces as i64][..], &[lines as i64][..]));
            assert_eq!(seen.score(lane), [score]);
            assert_eq!(*rewards, score, "rewards sum to the score: {told}");
            let outcome = twin.outcome().map_or(0, |end| if end == Outcome::Goal { 1 } else { 2 });
            assert_eq!(seen.outcome(lane), [outcome]);
            // The mask has exactly the legal placements, and every number means what it should and comes back.
            let wanted = twin.legal();
            let actions_of_lane = legal(&seen, lane);
            assert_eq!(actions_of_lane.len(), wanted.len(), "{told}");
            for action in actions_of_lane {
                let decoded = env.decode(lane, action).unwrap().unwrap();
                let number = matches!(twin, Twin::Placement(_)).then_some(action);
                assert!(
                    decoded.is_legal() && wanted.contains(&(number, format!("{decoded:?}"))),
                    "{decoded:?}, {told}"
                );
                assert_eq!(env.encode(lane, &decoded), Ok(Some(action)));
            }
            actions.push(choose(&env, &seen, lane, &mut draw));
        }
        let decoded: Vec<Option<Decoded>> =
            actions.iter().enumerate().map(|(lane, action)| env.decode(lane, *action).unwrap()).collect();
        env.step(&actions, seen.slices()).unwrap();
        for (lane, (twin, index, over, rewards)) in twins.iter_mut().enumerate() {
            if *over {
                *index += 1;
                *twin = Twin::new(game, &options, seed + lane as u64, *index);
                *rewards = 0.0;
                *over = twin.outcome().is_some();
                assert_eq!((seen.reward(lane), seen.terminated(lane)), (&[0.0][..], &[false][..]));
                assert_eq!((seen.truncated(lane), env.placed(lane)), (&[false][..], Ok(None)));
                met.ends += 1;
                continue;
            }
            let action = decoded[lane].as_ref().unwrap();
            met.held += usize::from(matches!(
                action,
                Decoded::Placement { held: true, .. } | Decoded::Guideline { held: true, .. }
            ));
            met.aside += usize::from(matches!(action, Decoded::PutAside { .. }));
            let lines = twin.totals().lines;
            let points = twin.play(action);
            assert_eq!(seen.reward(lane), [points], "{}", game.to_toml());
            *rewards += points;
            met.lines += twin.totals().lines - lines;
            let limited = options.limit.is_some_and(|limit| twin.totals().pieces >= limit);
            let ended = twin.outcome().is_some();
            assert_eq!(
                (seen.terminated(lane), seen.truncated(lane)),
                (&[ended][..], &[limited && !ended][..])
            );
            *over = ended || limited;
        }
    }
}

#[test]
fn every_built_in_game_is_played_as_its_match() {
    for (number, game) in built_in_games().iter().enumerate() {
        let (mut met, seed) = (Met::default(), 100 * number as u64);
        let steps = if game.placement().is_some() { 250 } else { 120 };
        let limit = game.placement().is_none().then_some(50);
        play_beside(game, EnvOptions { limit, ..EnvOptions::default() }, steps, seed, &mut met);
        assert!(met.lines > 0 && met.ends > 0, "{}: {} lines, {} ends", game.name(), met.lines, met.ends);
        if game.placement().is_some() {
            let options = EnvOptions { previews: Some(2), hold: Some(true), ..EnvOptions::default() };
            play_beside(game, options, steps, seed + 50, &mut met);
            assert!(met.held > 0 && met.aside > 0, "{}", game.name());
        }
    }
}

#[test]
fn only_s_and_z_is_among_them() {
    assert!(built_in_games().iter().any(|game| game.name() == "sz"));
    let (game, mut met) = (changed("sz", &[]), Met::default());
    play_beside(&game, EnvOptions::default(), 400, 5, &mut met);
    assert!(met.lines > 0 && met.ends > 0);
}

#[test]
fn random_placement_games_are_played_as_their_matches() {
    let mut met = Met::default();
    for (number, game) in random_placement_games(120).iter().enumerate() {
        let hold = (number % 3 == 0).then_some(true);
        let limit = (number % 4 == 0).then_some(7);
        play_beside(game, EnvOptions { hold, limit, ..EnvOptions::default() }, 40, number as u64, &mut met);
    }
    let Met { lines, ends, held, aside } = met;
    assert!(lines > 500 && ends > 500 && held > 50 && aside > 50, "{lines} {ends} {held} {aside}");
}

#[test]
fn random_guideline_games_are_played_as_their_matches() {
    let mut met = Met::default();
    for (number, game) in random_guideline_games(24).iter().enumerate() {
        play_beside(game, EnvOptions::default(), 40, number as u64, &mut met);
    }
    assert!(met.lines > 50 && met.ends > 10 && met.held > 50);
}

#[test]
fn games_of_keys_are_timed_games() {
    for (number, game) in
        [changed("sprint", &["goal.lines=1"]), changed("blitz", &["hold=false"])].iter().enumerate()
    {
        let keys = KeyOptions { tick: 40, ..KeyOptions::default() };
        let options = EnvOptions { keys: Some(keys), autoreset: true, ..EnvOptions::default() };
        let mut env = Env::new(game, &options).unwrap();
        let mut seen = env.buffers();
        env.reset_all(3, seen.slices()).unwrap();
        let begin = |index| {
            let Twin::Guideline(game) = Twin::new(game, &options, 3, index) else { unreachable!() };
            Timed::new(*game, keys.handling)
        };
        let (mut timed, mut now, mut index, mut sum, mut ends) = (begin(0), 0, 0, 0.0, 0);
        let mut draw = chance(number as u64);
        for _ in 0..3000 {
            assert_eq!(seen.board(0), Twin::Guideline(Box::new(timed.game().clone())).cells());
            let cells =
                |at: guideline::Placement| at.cells().map(|(x, y)| (39 - y as usize) * 10 + x as usize);
            let mut active = vec![0; 400];
            timed.active().into_iter().flat_map(cells).for_each(|cell| active[cell] = 1);
            assert_eq!(seen.active(0), active);
            assert_eq!(seen.score(0), [sum]);
            assert_eq!(seen.terminated(0), [timed.outcome().is_some()]);
            let action = (below(&mut draw, 256) & below(&mut draw, 256) & below(&mut draw, 256)) as i64;
            let told = env.decode(0, action).unwrap().unwrap();
            assert_eq!(env.encode(0, &told), Ok(Some(action)));
            let Decoded::Keys(down) = told else { unreachable!() };
            env.step(&[action], seen.slices()).unwrap();
            if timed.outcome().is_some() {
                (index, now, sum, ends) = (index + 1, 0, 0.0, ends + 1);
                timed = begin(index);
                continue;
            }
            for key in Key::ALL {
                if down.contains(&key) {
                    timed.press(key, now);
                } else {
                    timed.release(key, now);
                }
            }
            now += 40;
            timed.advance_to(now);
            sum += seen.reward(0)[0];
            assert_eq!(AnyMatch::totals(timed.game()).score, sum);
        }
        assert!(ends > 0);
    }
}

#[test]
fn many_lanes_are_the_same_as_one_at_a_time() {
    let random = random_placement_games(6);
    let games = built_in_games().into_iter().chain(random).chain(random_guideline_games(2));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for game in games {
        let features = vec!["holes".parse::<Feature>().unwrap()];
        let one = EnvOptions { autoreset: true, limit: Some(20), features, ..EnvOptions::default() };
        let lanes = if game.placement().is_some() { 150 } else { 70 };
        let many = EnvOptions { lanes, ..one.clone() };
        let mut together = [Env::new(&game, &many).unwrap(), Env::new(&game, &many).unwrap()];
        let mut seen = together.each_ref().map(Env::buffers);
        let mut alone: Vec<(Env, Buffers)> = (0..lanes)
            .map(|_| Env::new(&game, &one).unwrap())
            .map(|env| {
                let seen = env.buffers();
                (env, seen)
            })
            .collect();
        for (env, seen) in together.iter_mut().zip(&mut seen) {
            env.reset_all(9, seen.slices()).unwrap();
        }
        for (lane, (env, seen)) in alone.iter_mut().enumerate() {
            env.reset(&[(0, Some(9 + lane as u64))], None, seen.slices()).unwrap();
        }
        let mut draw = chance(4);
        for _ in 0..25 {
            let actions: Vec<i64> =
                (0..lanes).map(|lane| choose(&together[0], &seen[0], lane, &mut draw)).collect();
            together[0].step(&actions, seen[0].slices()).unwrap();
            pool.install(|| together[1].step_shared(&actions, seen[1].slices())).unwrap();
            for (lane, (env, own)) in alone.iter_mut().enumerate() {
                env.step(&actions[lane..=lane], own.slices()).unwrap();
                assert_eq!(difference(&seen[0], lane, own, 0), None, "lane {lane} of {}", game.to_toml());
                assert_eq!(
                    difference(&seen[1], lane, own, 0),
                    None,
                    "shared: lane {lane} of {}",
                    game.to_toml()
                );
            }
        }
    }
}

#[test]
fn features_are_those_of_the_board_and_of_each_afterstate() {
    let sets = FEATURE_SETS.iter().map(|(name, _)| *name);
    let mut games = random_placement_games(25);
    games.push(changed("classic", &[]));
    for (game, set) in games.iter().zip(sets.cycle()) {
        let rules = game.placement().unwrap();
        let Some(features) = feature_set(set, rules) else { continue };
        let features: Vec<Feature> =
            features.into_iter().filter(|feature| feature.check(rules).is_ok()).collect();
        if features.is_empty() || Controller::new("all", &features, &vec![1.0; features.len()]).is_err() {
            continue;
        }
        let of_board: Vec<Feature> =
            features.iter().copied().filter(|feature| !feature.is_of_placement()).collect();
        for (features, afterstates) in [(features, true), (of_board, false)] {
            if !features.is_empty() {
                check_features(game, rules, &features, afterstates);
            }
        }
    }
}

fn check_features(game: &Game, rules: &PlacementGame, features: &[Feature], afterstates: bool) {
    let options =
        EnvOptions { features: features.to_vec(), afterstates, autoreset: true, ..EnvOptions::default() };
    let mut env = Env::new(game, &options).unwrap();
    let mut seen = env.buffers();
    env.reset_all(1, seen.slices()).unwrap();
    let mut draw = chance(7);
    for _ in 0..15 {
        let rows: Vec<String> = seen
            .board(0)
            .chunks(rules.width())
            .map(|row| row.iter().map(|cell| if *cell == 1 { '#' } else { '.' }).collect())
            .collect();
        let before = Board::parse(rules.width(), rules.height(), &rows.join("/")).unwrap();
        let values = |after: &Board, placement, cleared| -> Vec<f32> {
            let state = Afterstate { game: rules, before: &before, after, placement, cleared };
            features.iter().map(|feature| feature.value(&state) as f32).collect()
        };
        let piece = seen.piece(0)[0] as u8;
        if afterstates {
            let mut wanted = vec![0.0; env.sizes().actions * features.len()];
            for action in legal(&seen, 0) {
                let Some(Decoded::Placement { rotation, column, row, .. }) = env.decode(0, action).unwrap()
                else {
                    unreachable!()
                };
                let (rotation, column, row) = (rotation as u8, column as u8, row.unwrap() as u8);
                let placement = placement::Placement { piece, rotation, column, row };
                let landed = before.place(rules, placement).unwrap();
                let after = if landed.fatal { before } else { landed.board };
                wanted[action as usize * features.len()..][..features.len()].copy_from_slice(&values(
                    &after,
                    placement,
                    landed.cleared,
                ));
            }
            assert_eq!(seen.features(0), wanted, "{}", game.to_toml());
        } else {
            let none = placement::Placement { piece: 0, rotation: 0, column: 0, row: 0 };
            assert_eq!(seen.features(0), values(&before, none, 0), "{}", game.to_toml());
        }
        let action = choose(&env, &seen, 0, &mut draw);
        env.step(&[action], seen.slices()).unwrap();
    }
}

#[test]
fn games_begin_where_they_are_told() {
    let mut env = Env::new(&changed("baby", &[]), &EnvOptions { lanes: 2, ..EnvOptions::default() }).unwrap();
    let mut seen = env.buffers();
    env.reset_all(1, seen.slices()).unwrap();
    let beginning = Beginning { board: "#... / ###.".to_owned(), ..Beginning::default() };
    env.reset(&[(1, None)], Some(&beginning), seen.slices()).unwrap();
    assert_eq!(seen.board(1), [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0]);
    assert_eq!((seen.board(0), env.origin(0), env.origin(1)), (&[0; 16][..], Ok((1, 0)), Ok((2, 1))));

    let mut env = Env::new(&changed("sprint", &[]), &EnvOptions::default()).unwrap();
    let mut seen = env.buffers();
    let (hold, queue) = (Some("I".to_owned()), Some("TO".to_owned()));
    let beginning = Beginning { board: ".#########".to_owned(), hold, queue };
    env.reset(&[(0, Some(1))], Some(&beginning), seen.slices()).unwrap();
    assert_eq!(
        (seen.hold(0), &seen.queue(0)[..2], seen.board(0)[390..].iter().sum::<u8>()),
        (&[1][..], &[2, 1][..], 9)
    );
    assert_eq!(env.view(0).unwrap().unwrap().queue[0], guideline::Piece::T);
}
