//! Contests of people against machines: the names under which their games are kept, and games read by them.

use bellmino_engine::AnyRecord;
use bellmino_lab::{ContestGame, ContestSeries, Contestant, contests};
use serde_json::Value;

use crate::archive::{Archive, ArchiveError};
use crate::kept::{KeptGame, PLAYER, SAME_PIECES};

/// The name under which a person's game beside a machine is kept.
pub const CONTESTANT: &str = "you, in a contest";

/// The name under which a game is kept that a person placed and the worst dealer dealt.
pub const PLACED: &str = "you, against the worst dealer";

/// How the name begins under which such a game is kept if another dealer dealt; its name follows.
pub const PLACED_OTHERWISE: &str = "you, against the dealer ";

/// The name under which a game is kept that a person dealt and the best player placed.
pub const DEALT: &str = "the best, you dealt";

/// What the machine is called where each deals to the other.
pub const TAKING_TURNS: &str = "the best, each dealing to the other";

/// The contests of all games that have ended.
pub fn contest_series(archive: &dyn Archive) -> Result<Vec<ContestSeries>, ArchiveError> {
    let mut games = Vec::new();
    archive.visit(&mut |game| {
        games.extend(contest_game(&game));
        true
    })?;
    Ok(contests(games))
}

/// A kept game, if contests look at it.
pub fn contest_game(game: &KeptGame) -> Option<ContestGame> {
    let against = game.summary.get("against").and_then(Value::as_str).map(str::to_owned);
    let contestant = match game.player.as_str() {
        CONTESTANT => Contestant::Person(against),
        PLAYER => Contestant::Person(Some(against?)),
        SAME_PIECES => return None,
        PLACED => Contestant::Person(Some(TAKING_TURNS.to_owned())),
        DEALT => Contestant::Machine(TAKING_TURNS.to_owned()),
        other if other.starts_with(PLACED_OTHERWISE) => return None,
        machine => Contestant::Machine(machine.to_owned()),
    };
    ContestGame::of(&AnyRecord::from_text(game.record.as_ref()?).ok()?, game.id, contestant)
}
