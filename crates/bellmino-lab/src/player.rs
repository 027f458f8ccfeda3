//! Players of every game, by name.

mod baseline;
mod guideline;
mod parcel;
mod placement;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use bellmino_engine::guideline::Rules;
use bellmino_engine::{Game, PlacementGame, nearest, suggestion};
use bellmino_exact::{Table, Unmet};
use bellmino_learn::guideline::Pilot;
use bellmino_learn::{BUILT_IN_CONTROLLERS, Controller, TupleValue};
use bellmino_search::Budget;
use thiserror::Error;

use crate::crew::CrewError;
use crate::playthrough::NoAnswer;
use crate::resources::{BuiltIn, ResourceKind, Resources, read_text};

pub use baseline::{Baseline, Seen};
pub use guideline::{BOT_NODES, MakeMind, Mind, Pondering, Ponders, StartPondering};
pub(crate) use parcel::Parcel;
pub(crate) use placement::with_hand;
pub use placement::{AtWork, Chooser};

/// Who chooses placements, in placement games or in guideline games.
#[derive(Clone)]
pub struct Player {
    name: String,
    family: PlayerFamily,
    /// For each move, if it looks ahead.
    budget: Option<Budget>,
}

#[derive(Clone)]
enum PlayerFamily {
    Placement(Arc<Chooser>),
    /// What makes minds, and what it is made of.
    Guideline(MakeMind, Origin),
}

/// What a player of guideline games is made of.
#[derive(Clone)]
enum Origin {
    /// The name says all.
    Name,
    /// A linear controller.
    Pilot(Arc<Pilot>),
    /// The text of a weight file of the look-ahead bot.
    Bot(Arc<str>),
}

/// Why a text names no player of a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// No such player.
    #[error("there is no player `{name}`; {hint}")]
    Unknown {
        /// The text.
        name: String,
        /// The nearest valid choice, or all.
        hint: String,
    },
    /// Neither a built-in controller nor a file.
    #[error("there are no weights `{name}`, built in or as a file; {hint}")]
    UnknownWeights {
        /// The text.
        name: String,
        /// The nearest valid choice, or all.
        hint: String,
    },
    /// A weight file that cannot be used with this game.
    #[error("weights `{name}`: {why}")]
    BadWeights {
        /// The built-in name or the file.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// Tuples that cannot be used with this game.
    #[error("tuples `{name}`: {why}")]
    BadTuples {
        /// The file.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A table that cannot be used with this game.
    #[error("{0}")]
    BadTable(String),
    /// A table that cannot play the match as it was solved.
    #[error("`{name}` cannot play here: {why}")]
    CannotPlay {
        /// The player.
        name: String,
        /// What it lacks.
        why: Unmet,
    },
    /// A table that cannot deal in the match as it was solved.
    #[error("the table cannot deal here: {0}")]
    CannotDeal(Unmet),
    /// Somebody has no answer in the course of a match.
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
    /// A player of the other family of games.
    #[error("player `{0}` is for another kind of game")]
    OtherFamily(String),
    /// Others should have played, and could not.
    #[error(transparent)]
    Crew(#[from] CrewError),
}

impl Player {
    /// The built-in player of this name in a game. The budget is for each move of `bot`; the others need none.
    pub fn parse(text: &str, game: &Game, budget: Option<Budget>) -> Result<Player, PlayerError> {
        Player::load(text, game, budget, &BuiltIn)
    }

    /// The same, built in or from outside.
    pub fn load(
        text: &str,
        game: &Game,
        budget: Option<Budget>,
        resources: &dyn Resources,
    ) -> Result<Player, PlayerError> {
        match game {
            Game::Placement(game) => Player::load_placement(text, game, resources),
            Game::Guideline(_) => Player::load_guideline(text, budget, resources),
        }
    }

    /// The built-in player of this name in a placement game.
    pub fn of_placement(text: &str, game: &PlacementGame) -> Result<Player, PlayerError> {
        Player::load_placement(text, game, &BuiltIn)
    }

    /// The same, built in or from outside.
    pub fn load_placement(
        text: &str,
        game: &PlacementGame,
        resources: &dyn Resources,
    ) -> Result<Player, PlayerError> {
        let chooser = Chooser::parse(text, game, resources)?
            .ok_or_else(|| unknown(text, &Chooser::FORMS, resources))?;
        Ok(Player { name: text.to_owned(), family: PlayerFamily::Placement(Arc::new(chooser)), budget: None })
    }

    /// The built-in player of this name in guideline games. The budget is for each move of `bot`; the others need none.
    pub fn of_guideline(text: &str, budget: Option<Budget>) -> Result<Player, PlayerError> {
        Player::load_guideline(text, budget, &BuiltIn)
    }

    /// The same, built in or from outside.
    pub fn load_guideline(
        text: &str,
        budget: Option<Budget>,
        resources: &dyn Resources,
    ) -> Result<Player, PlayerError> {
        let (make, origin) = guideline::parse(text, budget, resources)?
            .ok_or_else(|| unknown(text, &guideline::FORMS, resources))?;
        let looks_ahead = text.split(':').next() == Some("bot");
        let budget = looks_ahead.then(|| budget.unwrap_or(Budget::nodes(BOT_NODES)));
        Ok(Player { name: text.to_owned(), family: PlayerFamily::Guideline(make, origin), budget })
    }

    /// A player of a placement game by a controller whose features fit it.
    pub fn of_controller(name: &str, controller: Controller, game: &PlacementGame) -> Player {
        let chooser = Chooser::of_controller(controller, game);
        Player { name: name.to_owned(), family: PlayerFamily::Placement(Arc::new(chooser)), budget: None }
    }

    /// A solved table as a player.
    pub fn of_table(name: &str, table: Table) -> Player {
        Player::of_shared_table(name, Arc::new(table))
    }

    /// A solved table as a player, which may deal as well.
    pub fn of_shared_table(name: &str, table: Arc<Table>) -> Player {
        let chooser = Chooser::Table(table);
        Player { name: name.to_owned(), family: PlayerFamily::Placement(Arc::new(chooser)), budget: None }
    }

    /// A player of a placement game by a tuple value of its board.
    pub fn of_tuples(name: &str, value: TupleValue) -> Player {
        let chooser = Chooser::Tuples(Arc::new(value));
        Player { name: name.to_owned(), family: PlayerFamily::Placement(Arc::new(chooser)), budget: None }
    }

    /// A player of guideline games by a linear controller.
    pub fn of_pilot(name: &str, pilot: Pilot) -> Player {
        let pilot = Arc::new(pilot);
        let family = PlayerFamily::Guideline(guideline::piloted(pilot.clone()), Origin::Pilot(pilot));
        Player { name: name.to_owned(), family, budget: None }
    }

    /// The name, as written on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long it thinks about each move, if it looks ahead.
    pub fn budget(&self) -> Option<Budget> {
        self.budget
    }

    /// How it chooses in placement games.
    pub fn chooser(&self) -> Result<&Arc<Chooser>, PlayerError> {
        match &self.family {
            PlayerFamily::Placement(chooser) => Ok(chooser),
            PlayerFamily::Guideline(..) => Err(PlayerError::OtherFamily(self.name.clone())),
        }
    }

    /// A mind for one guideline game.
    pub fn mind(&self, rules: &Rules) -> Result<Box<dyn Mind>, PlayerError> {
        Ok(self.minds()?(rules))
    }

    /// What makes minds for guideline games.
    pub fn minds(&self) -> Result<MakeMind, PlayerError> {
        match &self.family {
            PlayerFamily::Placement(_) => Err(PlayerError::OtherFamily(self.name.clone())),
            PlayerFamily::Guideline(make, _) => Ok(make.clone()),
        }
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Player({})", self.name)
    }
}

fn unknown(text: &str, forms: &[&'static str], resources: &dyn Resources) -> PlayerError {
    let is_of_guideline = forms.contains(&"bot");
    let names: Vec<&str> = Baseline::ALL.iter().map(|(name, _)| *name).chain(forms.iter().copied()).collect();
    let controllers = BUILT_IN_CONTROLLERS.iter().map(|(name, _)| *name);
    let file = resources.has(text).then(|| Path::new(text).extension().unwrap_or_default());
    let meant = |kind: &str, name: &str| format!("did you mean `{kind}:{name}`?");
    let hint = if text == "human" {
        "people play in the lab: run `bellmino lab`".to_owned()
    } else if !is_of_guideline && text.split(':').next() == Some("bot") {
        "the bot plays guideline games, such as `sprint` and `blitz`".to_owned()
    } else if is_of_guideline && text.starts_with("table:") {
        "tables play the placement games that they were solved for".to_owned()
    } else if is_of_guideline && text.starts_with("tuples:") {
        "tuples play placement games, on the board that they were learned on".to_owned()
    } else if let Some(ending) = file {
        match ending.to_str() {
            Some("json") => meant("weights", text),
            Some("tuples") if !is_of_guideline => meant("tuples", text),
            Some("toml") if is_of_guideline => meant("bot", text),
            _ if is_of_guideline => meant("weights", text),
            _ => meant("table", text),
        }
    } else if let (None, Some(name)) = (nearest(text, names.iter().copied()), nearest(text, controllers)) {
        meant("weights", name)
    } else {
        let all = suggestion(text, names);
        if all.starts_with("valid") { all + "; `bellmino weights` lists the weights" } else { all }
    };
    PlayerError::Unknown { name: text.to_owned(), hint }
}

/// The tuple value of this name, for this game.
fn tuples(name: &str, game: &PlacementGame, resources: &dyn Resources) -> Result<TupleValue, PlayerError> {
    let bad = |why: String| PlayerError::BadTuples { name: name.to_owned(), why };
    let bytes = resources.read(ResourceKind::Tuples, name).map_err(|error| bad(error.to_string()))?;
    let value = TupleValue::read_bytes(&bytes).map_err(|error| bad(error.to_string()))?;
    value.check(game).map_err(bad)?;
    Ok(value)
}

/// A built-in controller or one from outside.
pub(crate) fn weights(name: &str, resources: &dyn Resources) -> Result<Controller, PlayerError> {
    let bad =
        |why: &dyn fmt::Display| PlayerError::BadWeights { name: name.to_owned(), why: why.to_string() };
    match Controller::built_in(name) {
        Some(controller) => Ok(controller),
        None if resources.has(name) => {
            let text = read_text(resources, ResourceKind::Weights, name).map_err(|error| bad(&error))?;
            Controller::read(&text).map_err(|error| bad(&error))
        }
        None => {
            let hint = suggestion(name, BUILT_IN_CONTROLLERS.iter().map(|(known, _)| *known));
            Err(PlayerError::UnknownWeights { name: name.to_owned(), hint })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::ResourceError;

    #[test]
    fn unknown_players() {
        let error = |name: &str, game: &str| {
            let game = Game::built_in(game, &[]).unwrap().unwrap();
            Player::parse(name, &game, None).unwrap_err().to_string()
        };
        assert_eq!(error("lowst", "baby"), "there is no player `lowst`; did you mean `lowest`?");
        assert!(error("weights:lee5", "baby").contains("did you mean `lee4`?"));
        assert!(error("nobody", "baby").contains("valid: `random`"));
        assert_eq!(error("bto", "sprint"), "there is no player `bto`; did you mean `bot`?");
        assert!(error("weights:lee5", "sprint").contains("did you mean `lee4`?"));
    }

    #[test]
    fn what_was_probably_meant() {
        let error = |name: &str, game: &str| {
            let game = Game::built_in(game, &[]).unwrap().unwrap();
            Player::parse(name, &game, None).unwrap_err().to_string()
        };
        for game in ["classic", "sprint"] {
            assert!(error("dellacherie", game).contains("did you mean `weights:dellacherie`?"));
            assert!(error("delacherie", game).contains("did you mean `weights:dellacherie`?"));
            assert!(error("lee4", game).contains("did you mean `weights:lee4`?"));
            assert!(error("human", game).contains("`bellmino lab`"));
        }
        assert!(error("bot", "classic").contains("guideline games"));
        assert!(error("bot:3", "classic").contains("guideline games"));
        assert!(error("table:x", "sprint").contains("placement games"));
        assert!(error("tuples:x", "sprint").contains("placement games"));
        /// Has a file of any name.
        struct Anything;
        impl Resources for Anything {
            fn has(&self, _: &str) -> bool {
                true
            }
            fn read(&self, _: ResourceKind, _: &str) -> Result<Vec<u8>, ResourceError> {
                Ok(Vec::new())
            }
        }
        for (name, game, kind) in [
            ("mine.json", "classic", "weights"),
            ("mine.json", "sprint", "weights"),
            ("mine.toml", "sprint", "bot"),
            ("baby.table", "baby", "table"),
            ("baby.tuples", "baby", "tuples"),
        ] {
            let game = Game::built_in(game, &[]).unwrap().unwrap();
            let path = format!("some/folder/{name}");
            let error = Player::load(&path, &game, None, &Anything).unwrap_err().to_string();
            assert!(error.contains(&format!("did you mean `{kind}:{path}`?")), "{name}: {error}");
        }
    }
}
