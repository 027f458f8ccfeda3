//! Pieces per second of the greedy player: `cargo run --release --example speed -- [CONTROLLER] [HEIGHT] [PIECES]`.

use std::time::Instant;

use bellmino_engine::{Game, Purpose, stream};
use bellmino_learn::{Controller, Simulator};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or("bcts".into());
    let height = arguments.next().unwrap_or("20".into());
    let pieces: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10_000_000);
    let portable = arguments.next().is_some();
    let game = Game::built_in("classic", &[format!("board.height={height}").parse().expect("a height")]);
    let game = game.expect("classic is built in").expect("a game");
    let controller = Controller::built_in(&name).expect("a built-in controller");
    let mut simulator = Simulator::new(game.placement().expect("placements"), &controller).expect("playable");
    if portable {
        simulator = simulator.portable();
    }
    let clock = Instant::now();
    let (mut played, mut lines, mut losses) = (0, 0, 0);
    while played < pieces {
        simulator.start(stream(1, Purpose::Dealer, losses));
        losses += u64::from(simulator.play(pieces - played));
        played += simulator.tally().pieces;
        lines += simulator.tally().lines();
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "{name} on 10x{height}: {played} pieces, {lines} lines, {losses} losses, {:.2} M pieces/s",
        played as f64 / seconds / 1e6
    );
}
