//! Any text as a game file; what is accepted reads back as the same game.
#![no_main]

use bellmino_engine::Game;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(game) = Game::read("fuzz", text, &[]) {
        assert_eq!(Game::read("again", &game.to_toml(), &[]), Ok(game));
    }
});
