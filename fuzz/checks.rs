//! What each fuzz target holds true of any input. `bellmino-lab`'s test `corpora` replays `corpus/` through the same
//! functions.

use bellmino_engine::guideline::{Fumen, Rules};
use bellmino_engine::{AnyRecord, Game};
use bellmino_lab::Player;
use bellmino_lab::tbp::Protocol;

/// A fumen that can be read can be written and read again, the same.
pub fn fumen(text: &str) {
    for fumen in [Fumen::decode(text), Fumen::decode(&format!("v115@{text}")), Fumen::from_text(text)] {
        if let Ok(fumen) = fumen
            && let Ok(encoded) = fumen.encode()
        {
            let again = Fumen::decode(&encoded).expect("our own fumen").encode();
            assert_eq!(again, Ok(encoded));
        }
    }
}

/// Any text as a game file; what is accepted reads back as the same game.
pub fn game(text: &str) {
    if let Ok(game) = Game::read("fuzz", text, &[]) {
        assert_eq!(Game::read("again", &game.to_toml(), &[]), Ok(game));
    }
}

/// Any text as a record of either family; what is accepted reads back as the same record, and is replayed if it can be.
pub fn record(text: &str) {
    if let Ok(record) = AnyRecord::from_text(text) {
        assert_eq!(AnyRecord::from_text(&record.to_text()), Ok(record.clone()));
        let _ = match record {
            AnyRecord::Placement(record) => record.replay(|_, _| {}).map(drop),
            AnyRecord::Guideline(record) => record.replay(|_, _| {}).map(drop),
        };
    }
}

/// Any text, line by line, sent to the bot.
pub fn tbp(text: &str) {
    let player = Player::of_guideline("lowest", None).expect("a built-in player");
    let mut bot = Protocol::new(Rules::PRACTICE, &player).expect("a player of guideline games");
    for line in text.lines() {
        if bot.line(line).quit {
            break;
        }
    }
}
