//! How many Sprints take exactly 100 pieces if only their ends are played with care: the first 78 pieces with 3,000 nodes each, the
//! rest with so many milliseconds. A twentieth of the cost of whole games.
//!
//! `cargo run --release -p bellmino-search --example sprint_ends -- GAMES FIRST_SEED MILLISECONDS`
#![expect(clippy::disallowed_macros, reason = "an example talks to people")]

use bellmino_engine::guideline::{Match, Rules};
use bellmino_search::{Bot, Budget};

fn main() {
    let numbers: Option<Vec<u64>> = std::env::args().skip(1).map(|word| word.parse().ok()).collect();
    let Some([games, seed, millis]) = numbers.as_deref() else {
        println!("sprint_ends GAMES FIRST_SEED MILLISECONDS");
        return;
    };
    let mut others = vec![];
    for seed in *seed..seed + games {
        let mut game = Match::new(Rules::SPRINT, seed);
        let mut bot = Bot::for_rules(&Rules::SPRINT);
        while game.outcome().is_none() {
            if game.stats().pieces == 78 {
                bot = Bot::for_rules(&Rules::SPRINT);
            }
            let budget = if game.stats().pieces < 78 { Budget::nodes(3000) } else { Budget::millis(*millis) };
            let thought = bot.think(&game.view(), budget, None);
            let Some(best) = thought.best() else { break };
            if game.play(&best.placement).is_err() {
                break;
            }
        }
        if game.stats().pieces != 100 {
            others.push((seed, game.stats().pieces));
        }
    }
    println!(
        "{} of {games} took 100 pieces; seeds and pieces of the others: {others:?}",
        games - others.len() as u64
    );
}
