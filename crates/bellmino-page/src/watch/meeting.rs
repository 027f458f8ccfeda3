//! Two machines that meet in many games: which of them is better.

use bellmino_engine::Game;
use bellmino_lab::Comparison;
use serde_json::{Value, json};

use super::{PATIENCE, Source, WatchError, guideline, placement};
use crate::desk::{Desk, JobKind};
use crate::shelf::Reserved;

/// The most games of a meeting.
pub const MAX_GAMES: usize = 400;

/// A game is stopped after so many pieces: classic games of good players hardly end.
const MAX_PIECES: u64 = 1000;

/// How long a meeting may take, in milliseconds.
const MAX_TIME: f64 = 300_000.0;

/// Two machines, and how far they are.
pub struct Meeting {
    comparison: Comparison,
    kind: JobKind,
    wanted: usize,
    most_pieces: Option<u64>,
    begin: f64,
    _memory: Vec<Reserved>,
}

impl Meeting {
    /// A meeting before its first game.
    pub fn open(
        name: &str,
        players: &[String],
        seed: u64,
        games: usize,
        source: &Source<'_>,
    ) -> Result<Meeting, WatchError> {
        let [first, second] = players else { return Err(WatchError::Two) };
        if !(2..=MAX_GAMES).contains(&games) {
            return Err(WatchError::Games(games));
        }
        let game = source.library.game(name, &[])?;
        let mut memory = Vec::new();
        let mut machine = |name: &String| match &game {
            _ if name == "human" => Err(WatchError::Person),
            Game::Placement(game) => placement::machine(game, name, source).map(|(player, reserved)| {
                memory.extend(reserved);
                player
            }),
            Game::Guideline(game) => guideline::machine(game, name, source),
        };
        let machines = [machine(first)?, machine(second)?];
        let goal = game.guideline().map(|game| game.rules().goal);
        let has_goal = goal.is_some_and(|goal| goal.lines.is_some() || goal.pieces.is_some());
        let most_pieces = (!has_goal).then_some(MAX_PIECES);
        let thinks = game.guideline().is_some() && players.iter().any(|player| guideline::thinks(player));
        Ok(Meeting {
            comparison: Comparison::new(game, machines, seed, most_pieces),
            kind: if thinks { JobKind::Think } else { JobKind::Short },
            wanted: games,
            most_pieces,
            begin: source.desk.now(),
            _memory: memory,
        })
    }

    /// What kind of work its games are.
    pub fn kind(&self) -> JobKind {
        self.kind
    }

    /// Plays on for a moment; says whether a game was finished.
    pub fn play_on(&mut self, desk: &dyn Desk) -> Result<bool, WatchError> {
        let begin = desk.now();
        let go_on = || desk.go_on() && desk.now() - begin < PATIENCE;
        Ok(self.comparison.play_on(&go_on)?)
    }

    /// Whether all games are played, or it has taken too long.
    pub fn is_over(&self, now: f64) -> bool {
        self.comparison.standing().games >= self.wanted || now - self.begin > MAX_TIME
    }

    /// How it stands, for the page.
    pub fn shown(&self) -> Value {
        json!({ "wanted": self.wanted, "most_pieces": self.most_pieces, "standing": self.comparison.standing() })
    }
}
