//! Scratch: td settings.
use bellmino_engine::{Game, PlacementGame, Purpose, stream};
use bellmino_learn::*;
use rayon::prelude::*;

fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let get = |name: &str, default: &str| -> String {
        a.iter()
            .find_map(|x| x.strip_prefix(&format!("{name}=")).map(str::to_owned))
            .unwrap_or(default.to_owned())
    };
    let f = |name: &str, default: &str| -> f64 { get(name, default).parse().expect("number") };
    let game =
        Game::built_in(&get("game", "classic"), &["score.lines=[0,100,400,900,1600]".parse().expect("")]);
    let game: PlacementGame = game.expect("").expect("").placement().expect("").clone();
    let mut features: Vec<Feature> = vec![];
    for n in get("features", "contour").split(',') {
        features.extend(feature_set(n, &game).unwrap_or_else(|| vec![n.parse().expect("feature")]));
    }
    let runs: u64 = f("runs", "15") as u64;
    let games = f("games", "20") as u64;
    let out: Vec<(Vec<f64>, f64, Vec<f64>)> = (0..runs)
        .into_par_iter()
        .map(|seed| {
            let mut td = Td::new(TdPlan {
                features: features.iter().map(std::string::ToString::to_string).collect(),
                episodes: f("episodes", "50") as u64,
                steps: f("n", "1") as usize,
                discount: f("discount", "0.9"),
                rate: f("rate", "0.1"),
                rate_episodes: f("C", "20"),
                relative: get("relative", "yes") == "yes",
                exploration: f("X", "10"),
                curiosity: f("curiosity", "0"),
                reward: Reward {
                    height: f("rh", "1"),
                    holes: f("ro", "1"),
                    score: f("rs", "0"),
                    loss: f("rl", "0"),
                },
                scaled: get("scaled", "yes") == "yes",
                normalised: get("normalised", "no") == "yes",
                cap: f("cap", "20000") as u64,
                seed,
            });
            while !td.is_done() {
                td.step(&game, &features, &|| true);
            }
            let c = td.controller("x", &game, &features).expect("c");
            let mut sum = 0.0;
            for g in 0..games {
                sum +=
                    Trial::new(&game, &c).play(&game, stream(seed + 1000, Purpose::Dealer, g), 20000).score;
            }
            (td.history.iter().map(|e| e.score).collect(), sum / games as f64, td.weights.clone())
        })
        .collect();
    let n = out[0].0.len();
    let mean: Vec<f64> = (0..n).map(|k| out.iter().map(|o| o.0[k]).sum::<f64>() / runs as f64).collect();
    for (i, c) in mean.chunks(10).enumerate() {
        println!("{:3}.. {:8.0}", i * 10 + 1, c.iter().sum::<f64>() / c.len() as f64);
    }
    let finals: Vec<f64> = out.iter().map(|o| o.1).collect();
    println!(
        "final {:.0} {:?}",
        finals.iter().sum::<f64>() / runs as f64,
        finals.iter().map(|x| x.round()).collect::<Vec<_>>()
    );
    println!(
        "{:?}",
        features
            .iter()
            .map(std::string::ToString::to_string)
            .zip(out[0].2.iter().map(|x| (x * 1000.0).round() / 1000.0))
            .collect::<Vec<_>>()
    );
}
