//! Who leads games into the positions that forecasts are fitted to and checked on.

use bellmino_engine::guideline::{Bag, Match, Position, Rules, View};
use bellmino_engine::{Purpose, below, stream, unit};
use bellmino_search::Budget;

use crate::player::{Player, PlayerError};
use crate::playthrough::Plays;

/// A player with or without a handicap, by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// What it is called in tables.
    pub name: &'static str,
    /// The player.
    player: &'static str,
    /// Nodes of a bot for each move, where they are not the usual ones.
    nodes: Option<u64>,
    /// How many of a hundred placements are any that is possible.
    slips: usize,
}

/// The bot, in full strength and with handicaps.
const BOT: Source = Source { name: "bot", player: "bot", nodes: None, slips: 0 };
const HASTY: Source = Source { name: "bot, 100 nodes", player: "bot", nodes: Some(100), slips: 0 };
const CARELESS: Source =
    Source { name: "bot, 5 of 100 at random", player: "bot", nodes: Some(1000), slips: 5 };

/// Linear controllers.
const fn weights(player: &'static str, name: &'static str) -> Source {
    Source { name, player, nodes: None, slips: 0 }
}

impl Source {
    /// So many of [`Source::all`], the first ones, are those that forecasts are checked on.
    pub const CHECKED: usize = 3;

    /// Those whose positions forecasts for games of these rules are fitted to, strong and weak.
    pub const fn all(rules: &Rules) -> &'static [Source] {
        const SPRINT: [Source; 5] = [
            BOT,
            weights("weights:sprint4", "sprint4"),
            HASTY,
            CARELESS,
            weights("weights:snes-sprint", "snes-sprint"),
        ];
        const BLITZ: [Source; 5] = [
            BOT,
            weights("weights:snes-blitz", "snes-blitz"),
            HASTY,
            CARELESS,
            weights("weights:snes-sprint", "snes-sprint"),
        ];
        if rules.goal.lines.is_some() { &SPRINT } else { &BLITZ }
    }

    /// The positions of a game before every placement, each with the points made so far.
    pub fn game(&self, rules: &Rules, seed: u64, index: u64) -> Result<Vec<(View, u64)>, PlayerError> {
        /// A game that is longer is none of interest.
        const LONGEST: usize = 2000;
        let player = Player::of_guideline(self.player, self.nodes.map(Budget::nodes))?;
        let mut mind = player.mind(rules)?;
        let mut chance = stream(seed, Purpose::Player, index);
        let mut game = Match::from_position(*rules, Position::default(), Bag::numbered(seed, index));
        let mut positions = vec![];
        while game.outcome().is_none() && positions.len() < LONGEST {
            positions.push((game.view(), game.stats().score));
            if self.slips > 0 && unit(&mut chance) * 100.0 < self.slips as f64 {
                let all = game.placements();
                let any = below(&mut chance, all.len().max(1));
                if all.get(any).is_none_or(|placement| game.play(placement).is_err()) {
                    break;
                }
            } else if mind.turn(&mut game, &mut chance).is_none() {
                break;
            }
        }
        Ok(positions)
    }
}
