//! Scratch: training settings.
use bellmino_engine::{Game, PlacementGame};
use bellmino_learn::*;
use std::time::Instant;

fn game(height: &str) -> PlacementGame {
    let game = Game::built_in("classic", &[format!("board.height={height}").parse().expect("")]);
    game.expect("").expect("").placement().expect("").clone()
}

fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let get = |name: &str, default: &str| -> String {
        a.iter()
            .find_map(|x| x.strip_prefix(&format!("{name}=")).map(str::to_owned))
            .unwrap_or(default.to_owned())
    };
    let height = get("height", "10");
    let game = game(&height);
    let features: Vec<Feature> = feature_set(&get("features", "dt8"), &game).expect("set");
    let n = features.len();
    let seed: u64 = get("seed", "1").parse().expect("");
    let population: usize = get("population", "100").parse().expect("");
    let elites: usize = get("elites", "10").parse().expect("");
    let noise: f64 = get("noise", "5").parse().expect("");
    let slow: f64 = get("slow", "10").parse().expect("");
    let optimiser = match get("method", "cem").as_str() {
        "cem" => Optimiser::Cem(
            Cem::new(vec![0.0; n], 100.0, population, elites, seed)
                .diagonal(get("diagonal", "no") == "yes")
                .noise(Noise::Decreasing { start: noise, slowness: slow }),
        ),
        "cma" => Optimiser::CmaEs(CmaEs::new(vec![0.0; n], 10.0, Some(population), seed)),
        _ => Optimiser::Snes(Snes::new(vec![0.0; n], 10.0, Some(population), seed)),
    };
    let plan = Plan {
        features: vec![],
        aim: Aim::Lines,
        games: get("games", "16").parse().expect(""),
        varying: false,
        racing: get("racing", "yes") == "yes",
        cap: 1000,
        generations: get("generations", "30").parse().expect(""),
        goal: None,
        seed,
    };
    let mut training = Training::new(plan, optimiser);
    let clock = Instant::now();
    while !training.is_done() {
        let g = training.step(&game, &features, &|| true).expect("");
        if get("verbose", "yes") == "yes" {
            println!(
                "{:3} best {:9.0} elite {:9.0} mean {:9.0} pieces {:6.1}M cap {} {:.1}s",
                g.generation,
                g.best,
                g.elite,
                g.mean,
                g.pieces as f64 / 1e6,
                g.cap,
                clock.elapsed().as_secs_f64()
            );
        }
    }
    let c = training.controller("x", &features).expect("");
    println!("{}", c.to_json().replace('\n', " "));
    std::fs::write(get("out", "/tmp/x.json"), c.to_json()).expect("");
}
