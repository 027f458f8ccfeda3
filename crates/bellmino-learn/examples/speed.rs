//! Lines per loss and pieces per second of a controller on one core, without the command line around it:
//! `cargo run --release -p bellmino-learn --example speed -- bcts 10 20000000`.

use std::time::Instant;

use bellmino_engine::{Game, Purpose, stream};
use bellmino_learn::{Controller, Simulator};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or("bcts".into());
    let height = arguments.next().unwrap_or("20".into());
    let pieces: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10_000_000);
    let game = Game::built_in("classic", &[format!("board.height={height}").parse().expect("a height")]);
    let game = game.expect("classic is built in").expect("a game");
    let controller = Controller::built_in(&name).expect("a built-in controller");
    let mut simulator = Simulator::new(game.placement().expect("placements"), &controller).expect("playable");
    let clock = Instant::now();
    let (mut played, mut lines, mut losses) = (0, 0, 0);
    while played < pieces {
        simulator.start(stream(1, Purpose::Dealer, losses));
        losses += u64::from(simulator.play(pieces - played));
        played += simulator.tally().pieces;
        lines += simulator.tally().lines();
    }
    let speed = played as f64 / clock.elapsed().as_secs_f64() / 1e6;
    println!("{name} on 10x{height}: {played} pieces, {lines} lines, {losses} losses, {speed:.2} M pieces/s");
}
