//! What the tests of environments share: games to try, and a player for them.

#![allow(dead_code, reason = "not every test needs all of it")]

use bellmino_engine::{Game, Generator, Purpose, below, stream};
use bellmino_envs::{Buffers, Decoded, Env};

/// Chance number `index` of the tests.
pub fn chance(index: u64) -> Generator {
    stream(20, Purpose::Player, index)
}

/// Every built-in game.
pub fn built_in_games() -> Vec<Game> {
    Game::built_in_names().map(|name| Game::built_in(name, &[]).unwrap().unwrap()).collect()
}

/// A built-in game with changes.
pub fn changed(name: &str, changes: &[&str]) -> Game {
    let changes: Vec<_> = changes.iter().map(|change| change.parse().unwrap()).collect();
    Game::built_in(name, &changes).unwrap().unwrap()
}

/// So many random games of placements: every width, path, overflow and kind of dealer, weights that do not sum to 1.
pub fn random_placement_games(count: usize) -> Vec<Game> {
    let mut draw = chance(1);
    let mut games = Vec::new();
    while games.len() < count {
        let names = ["O1", "I2", "I3", "L3", "I", "O", "T", "S", "Z", "J", "L", "F5", "U5", "X5"];
        let first = below(&mut draw, names.len());
        let set: Vec<&str> =
            names.iter().copied().cycle().skip(first).step_by(3).take(1 + below(&mut draw, 3)).collect();
        let width = if below(&mut draw, 3) == 0 { 10 } else { 1 + below(&mut draw, 12) };
        let height = 1 + below(&mut draw, 10);
        let weights: Vec<f64> = set.iter().map(|_| [0.1, 0.5, 1.0, 3.0][below(&mut draw, 4)]).collect();
        let dealer = match below(&mut draw, 4) {
            0 => format!("kind = \"weighted\"\nweights = {weights:?}"),
            1 => "kind = \"bag\"".to_owned(),
            2 => {
                let even = vec![1.0 / set.len() as f64; set.len()];
                let mut certain = vec![0.0; set.len()];
                certain[0] = 1.0;
                let mut rows = vec![even.clone(); set.len()];
                rows[set.len() - 1] = certain;
                format!("kind = \"markov\"\nmatrix = {rows:?}\nfirst = {even:?}")
            }
            _ => format!("kind = \"sequence\"\norder = {:?}", [&set[..], &set[..1]].concat()),
        };
        let path = ["drop", "slide", "anywhere"][below(&mut draw, 3)];
        let overflow = ["forbidden", "clear-first"][below(&mut draw, 2)];
        let previews = below(&mut draw, 3);
        let text = format!(
            "name = \"random\"\npreviews = {previews}\n[board]\nwidth = {width}\nheight = {height}\n[pieces]\n\
             set = {set:?}\n[dealer]\n{dealer}\n[landing]\npath = \"{path}\"\noverflow = \"{overflow}\"\n[score]\n\
             lines = [0, 1, 2.5, 6]\n"
        );
        // A piece may not fit the board.
        games.extend(Game::read("random", &text, &[]));
    }
    games
}

/// So many random guideline games.
pub fn random_guideline_games(count: usize) -> Vec<Game> {
    let mut draw = chance(2);
    let one = |_| {
        let base = ["sprint", "blitz", "practice"][below(&mut draw, 3)];
        let hold = format!("hold={}", below(&mut draw, 2) == 0);
        let previews = format!("previews={}", below(&mut draw, 7));
        let kicks = format!("kicks={}", ["srs", "none"][below(&mut draw, 2)]);
        let goal = format!("goal.pieces={}", 5 + below(&mut draw, 60));
        changed(base, &[&hold, &previews, &kicks, &goal])
    };
    (0..count).map(one).collect()
}

/// The legal actions of a lane, by its mask.
pub fn legal(seen: &Buffers, lane: usize) -> Vec<i64> {
    let mask = seen.mask(lane).iter().enumerate();
    mask.filter(|(_, legal)| **legal == 1).map(|(number, _)| number as i64).collect()
}

/// A legal action of a lane, or 0 where there is none: mostly the lowest, so that rows are cleared, else any.
pub fn choose(env: &Env, seen: &Buffers, lane: usize, draw: &mut Generator) -> i64 {
    let legal = legal(seen, lane);
    if legal.is_empty() {
        return 0;
    }
    if below(draw, 4) == 0 {
        return legal[below(draw, legal.len())];
    }
    let row = |action: &i64| match env.decode(lane, *action).unwrap().unwrap() {
        Decoded::Placement { row, .. } => row.unwrap() as i64,
        Decoded::Guideline { placement, .. } => {
            placement.unwrap().cells().iter().map(|cell| i64::from(cell.1)).sum()
        }
        Decoded::PutAside { .. } => 1,
        Decoded::Keys(_) => 0,
    };
    legal.into_iter().min_by_key(row).unwrap()
}

macro_rules! compare {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty),+ $(,)?) => {
        /// Names the first array in which two lanes differ.
        pub fn difference(one: &Buffers, lane: usize, other: &Buffers, other_lane: usize) -> Option<&'static str> {
            // As text, in which "not a number" is equal to itself.
            $(if format!("{:?}", one.$name(lane)) != format!("{:?}", other.$name(other_lane)) {
                return Some(stringify!($name));
            })+
            None
        }
    };
}

bellmino_envs::each_array!(compare);
