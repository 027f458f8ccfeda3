//! A pair of roads, and how it is asked.

use std::fmt::Debug;
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bellmino_engine::{Game, GuidelineGame, PlacementGame};

use crate::random_game::{GameSort, random_game};
use crate::smallest::smallest;

/// Two roads to one answer, or more.
#[derive(Clone, Copy)]
pub struct Pair {
    /// A short name.
    pub name: &'static str,
    /// What is compared.
    pub about: &'static str,
    /// The games that are drawn for it. It may be asked about any game, and passes over those it has nothing to say about.
    pub sorts: &'static [GameSort],
    /// How many games `./test` asks about; `./test --long` asks about thirty times as many.
    pub games: u64,
    /// Asks all roads about one game and compares; an error says what differs.
    pub compare: fn(&Asked) -> Result<Compared, String>,
}

/// A game about which all roads are asked.
pub struct Asked {
    /// Its file.
    pub text: String,
    /// The game.
    pub game: Game,
    /// The seed of all that is done in it.
    pub seed: u64,
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Games played, or solved.
    pub games: u64,
    /// Moves, or states.
    pub moves: u64,
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Compared) {
        self.games += other.games;
        self.moves += other.moves;
    }
}

impl Asked {
    /// The placement game, if it is one.
    pub fn placement(&self) -> Option<&PlacementGame> {
        self.game.placement()
    }

    /// The guideline game, if it is one.
    pub fn guideline(&self) -> Option<&GuidelineGame> {
        self.game.guideline()
    }
}

/// Asks a pair about one game. A panic on any road is an error too.
pub fn ask(pair: &Pair, text: &str, seed: u64) -> Result<Compared, String> {
    let game = Game::read("game", text, &[]).map_err(|error| error.to_string())?;
    let asked = Asked { text: text.to_owned(), game, seed };
    catch_unwind(AssertUnwindSafe(|| (pair.compare)(&asked))).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panic: {}", said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without words")))
    })
}

/// Asks a pair about so many random games, from this seed on. The first that shows a difference is made small and told
/// with all that is needed to see it again.
pub fn ask_many(pair: &Pair, first: u64, games: u64) -> Result<Compared, String> {
    let mut all = Compared::default();
    for seed in first..first + games {
        let sort = pair.sorts[seed as usize % pair.sorts.len()];
        let text = random_game(sort, seed);
        match ask(pair, &text, seed) {
            Ok(compared) => all += compared,
            Err(why) => {
                let small = smallest(&text, |text| ask(pair, text, seed).is_err());
                let why_small = ask(pair, &small, seed).err().unwrap_or_default();
                return Err(format!(
                    "{}: seed {seed}, {sort:?}: {why}\n\nthe smallest game found that differs: {why_small}\n{small}",
                    pair.name
                ));
            }
        }
    }
    Ok(all)
}

/// An error unless both are the same.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, one: &T, other: &T) -> Result<(), String> {
    if one == other { Ok(()) } else { Err(format!("{what}: {one:?} by one road, {other:?} by the other")) }
}

/// An error unless both numbers are the same to the last bit.
pub(crate) fn same_bits(what: &str, one: f64, other: f64) -> Result<(), String> {
    if one.to_bits() == other.to_bits() {
        Ok(())
    } else {
        Err(format!("{what}: {one:?} by one road, {other:?} by the other"))
    }
}

/// An error unless both numbers are within so much of each other.
pub(crate) fn near(what: &str, one: f64, other: f64, within: f64) -> Result<(), String> {
    if (one - other).abs() <= within {
        Ok(())
    } else {
        Err(format!("{what}: {one:?} by one road, {other:?} by the other, more than {within:e} apart"))
    }
}

/// Any error as words.
pub(crate) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
