//! Any bytes, split into lines, sent to the bot.
#![no_main]

use bellmino_engine::guideline::Rules;
use bellmino_lab::guideline::Player;
use bellmino_lab::tbp::Protocol;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let player = Player::parse("lowest", None).expect("a built-in player");
    let mut bot = Protocol::new(Rules::PRACTICE, player);
    for line in String::from_utf8_lossy(data).lines() {
        if bot.line(line).quit {
            break;
        }
    }
});
