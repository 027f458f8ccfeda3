//! Plays whole games and prints a summary: `measure sprint|blitz GAMES MILLIS|NODESn [SEED [WEIGHTS]]`. For trying things
//! out that have no flag in `bellmino evaluate`: `SET=name=number,...` changes weights, `DEPTH`, `FUTURES` and `BEYOND`
//! the settings, `EARLY=1` hurries through the first 80 pieces of a Sprint, `VERBOSE=1` prints every game.

use std::env;

use bellmino_engine::guideline::{Game, Outcome, Rules};
use bellmino_search::{Bot, Budget, Feature, Settings, View, Weights};

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let sprint = words[0] == "sprint";
    let games: u64 = words[1].parse().unwrap();
    let budget = match words[2].strip_suffix('n') {
        Some(nodes) => Budget::nodes(nodes.parse().unwrap()),
        None => Budget::millis(words[2].parse().unwrap()),
    };
    let seed: u64 = words.get(3).map_or(1000, |word| word.parse().unwrap());
    let early = sprint && env::var("EARLY").is_ok();
    let rules = if sprint { Rules::SPRINT } else { Rules::BLITZ };
    let weights = match words.get(4) {
        Some(file) => Weights::read(&std::fs::read_to_string(file).unwrap()).unwrap(),
        None if sprint => Weights::sprint(),
        None => Weights::blitz(),
    };
    let mut weights = weights;
    // NAME=NUMBER,... changes single weights.
    for pair in env::var("SET").unwrap_or_default().split(',').filter(|pair| !pair.is_empty()) {
        let (name, number) = pair.split_once('=').unwrap();
        let feature = Feature::ALL.iter().find(|feature| feature.name() == name);
        match feature {
            Some(&feature) => weights.features[feature as usize] = number.parse().unwrap(),
            None => weights.horizon = number.parse().unwrap(),
        }
    }
    let number = |name: &str, default: usize| env::var(name).map_or(default, |text| text.parse().unwrap());
    let settings = Settings { weights, depth: number("DEPTH", 16), ..Settings::for_rules(&rules) };
    let budget = budget.on(number("THREADS", 1));
    let (mut nodes, mut time) = (0, 0.0);
    let mut results = vec![];
    let mut clears = [0u32; 11];
    let mut perfects = 0;
    let mut topped = 0;
    for index in 0..games {
        let mut game = Game::new(rules, seed + index);
        let mut bot = Bot::new(settings.clone());
        while game.outcome().is_none() {
            let view = View::of(&mut game);
            // The beginning of a Sprint needs no thought.
            let budget = if early && view.pieces < 80 { Budget::nodes(6000) } else { budget };
            let thought = bot.think(&view, budget, None);
            nodes += thought.nodes;
            time += thought.time.as_secs_f64();
            let Some(best) = thought.candidates.first() else { break };
            game.play(&best.placement).unwrap();
        }
        topped += u32::from(game.outcome() != Some(Outcome::Goal));
        let stats = game.stats();
        for (sum, count) in clears.iter_mut().zip(stats.clears) {
            *sum += count;
        }
        perfects += stats.perfect_clears;
        results.push(if sprint { f64::from(stats.pieces) } else { stats.score as f64 });
        if env::var("VERBOSE").is_ok() {
            eprintln!("{index}: {} pieces {} score", stats.pieces, stats.score);
        }
    }
    let mean = results.iter().sum::<f64>() / games as f64;
    let sd = (results.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (games as f64 - 1.0).max(1.0)).sqrt();
    let exact = results.iter().filter(|&&r| r == 100.0).count();
    println!(
        "mean {mean:.2} +- {:.2} sd {sd:.2}, exactly 100: {exact}, topped {topped}, {:.2} M nodes/s, {:.2} s/game",
        1.96 * sd / (games as f64).sqrt(),
        nodes as f64 / time / 1e6,
        time / games as f64
    );
    let names = ["1", "2", "3", "4", "mini", "mini1", "mini2", "ts0", "tss", "tsd", "tst"];
    let per: Vec<String> =
        names.iter().zip(clears).map(|(n, c)| format!("{n} {:.1}", f64::from(c) / games as f64)).collect();
    println!("per game: {} pc {:.2}", per.join(" "), f64::from(perfects) / games as f64);
}
