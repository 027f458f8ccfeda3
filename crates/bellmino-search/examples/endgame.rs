//! Shows how sure the end of a Sprint is, piece by piece: `endgame MILLIS SEED...`.

use bellmino_engine::guideline::{Game, Rules};
use bellmino_search::{Bot, Budget, Settings, View, Weights};

fn main() {
    let words: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().unwrap()).collect();
    for &seed in &words[1..] {
        let mut game = Game::new(Rules::SPRINT, seed);
        let mut bot = Bot::new(Settings { weights: Weights::sprint(), width: 4000, depth: 16, seed: 0 });
        print!("{seed}:");
        while game.outcome().is_none() {
            let view = View::of(&mut game);
            let thought = bot.think(&view, Budget::millis(words[0]), None);
            let Some(best) = thought.candidates.first() else { break };
            if view.lines >= 33 {
                let height = view.position.board.height();
                print!(
                    " {}l{}h{}:{:.2}/{}",
                    100 - view.pieces as i32,
                    40 - view.lines,
                    height,
                    best.value,
                    thought.candidates.len()
                );
            }
            game.play(&best.placement).unwrap();
        }
        println!(" = {}", game.stats().pieces);
    }
}
