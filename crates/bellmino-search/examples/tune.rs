//! Tunes the weights for points by a separable evolution strategy, from a file if it is there:
//! `tune blitz PIECES GAMES NODES GENERATIONS FILE SEED`. The file is written after every generation.

use std::{env, fs};

use bellmino_engine::guideline::{Game, Outcome, Rules};
use bellmino_engine::{Purpose, stream, unit};
use bellmino_search::{Bot, Budget, Settings, View, Weights};

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let number = |index: usize| words[index].parse::<u64>().unwrap();
    let (pieces, games, nodes, generations) = (number(1) as u32, number(2), number(3), number(4));
    let file = &words[5];
    let mut rng = stream(number(6), Purpose::Training, 0);
    let start = match fs::read_to_string(file) {
        Ok(text) => Weights::read(&text).unwrap(),
        Err(_) => Weights::blitz(),
    };
    let mut mean: Vec<f64> = start.features.iter().map(|&w| f64::from(w)).collect();
    mean.push(f64::from(start.horizon) * 20.0);
    let n = mean.len();
    let mut sigma: Vec<f64> = mean.iter().map(|m| (m.abs() * 0.15).max(8.0)).collect();
    let population = 16;
    let rate = 0.6 * (3.0 + (n as f64).ln()) / (5.0 * (n as f64).sqrt());
    let mut utility: Vec<f64> = (0..population)
        .map(|i| ((population as f64 / 2.0 + 1.0).ln() - ((i + 1) as f64).ln()).max(0.0))
        .collect();
    let sum: f64 = utility.iter().sum();
    utility.iter_mut().for_each(|u| *u = *u / sum - 1.0 / population as f64);
    let weights = |x: &[f64]| {
        let mut w = start.clone();
        w.features.iter_mut().zip(x).for_each(|(w, &x)| *w = x as f32);
        w.horizon = (x[n - 1] / 20.0).max(1.0) as f32;
        w
    };
    let mut normal = || {
        let (a, b) = (unit(&mut rng).max(1e-300), unit(&mut rng));
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    };
    for generation in 0..generations {
        let mut tried: Vec<(f64, Vec<f64>)> = vec![];
        let mut half: Vec<Vec<f64>> = vec![];
        for i in 0..population {
            // Mirrored pairs.
            let z: Vec<f64> = if i % 2 == 1 {
                half[i / 2].iter().map(|z| -z).collect()
            } else {
                (0..n).map(|_| normal()).collect()
            };
            if i % 2 == 0 {
                half.push(z.clone());
            }
            let x: Vec<f64> = (0..n).map(|k| mean[k] + sigma[k] * z[k]).collect();
            tried.push((play(&weights(&x), pieces, games, nodes, 1_000_000 + generation * games), z));
        }
        let average = tried.iter().map(|t| t.0).sum::<f64>() / population as f64;
        tried.sort_by(|a, b| b.0.total_cmp(&a.0));
        for k in 0..n {
            let g: f64 = tried.iter().zip(&utility).map(|(t, u)| u * t.1[k]).sum();
            let h: f64 = tried.iter().zip(&utility).map(|(t, u)| u * (t.1[k] * t.1[k] - 1.0)).sum();
            mean[k] += sigma[k] * g;
            sigma[k] *= (rate / 2.0 * h).exp();
        }
        let spread: f64 = sigma.iter().zip(&mean).map(|(s, m)| s / m.abs().max(15.0)).sum::<f64>() / n as f64;
        eprintln!("{generation}: mean {average:.1} best {:.1} spread {spread:.3}", tried[0].0);
        fs::write(file, weights(&mean).write()).unwrap();
    }
}

/// Points per piece.
fn play(weights: &Weights, pieces: u32, games: u64, nodes: u64, seed: u64) -> f64 {
    let mut rules = Rules::BLITZ;
    rules.goal.pieces = Some(pieces);
    let mut total = 0.0;
    for index in 0..games {
        let mut game = Game::new(rules, seed + index);
        let mut bot = Bot::new(Settings { weights: weights.clone(), ..Settings::for_rules(&rules) });
        while game.outcome().is_none() {
            let thought = bot.think(&View::of(&mut game), Budget::nodes(nodes), None);
            let Some(best) = thought.candidates.first() else { break };
            game.play(&best.placement).unwrap();
        }
        total += game.stats().score as f64;
        if game.outcome() != Some(Outcome::Goal) {
            total -= 20_000.0;
        }
    }
    total / games as f64 / f64::from(pieces)
}
