//! Any bytes, split into lines, sent to the bot.
#![no_main]

use bellmino_engine::guideline::Rules;
use bellmino_lab::Player;
use bellmino_lab::tbp::Protocol;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let player = Player::of_guideline("lowest", None).expect("a built-in player");
    let mut bot = Protocol::new(Rules::PRACTICE, &player).expect("a player of guideline games");
    for line in String::from_utf8_lossy(data).lines() {
        if bot.line(line).quit {
            break;
        }
    }
});
