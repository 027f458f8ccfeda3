//! Units: work as it travels, as a few bytes that say all that is needed, and the bench where they are done.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bellmino_engine::Game;
use bellmino_learn::TuplePlan;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::arena::{ArenaPart, ArenaSet, ArenaSettings, ArenaWork};
use crate::player::{Player, PlayerError};
use crate::training::{
    Approach, Recipe, SearchMethod, SearchOptions, Training, TuneFields, Work, WorkResult,
};

/// A piece of work that can be done anywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Unit {
    /// Of one round of training.
    Training {
        /// What it is for, in words.
        title: String,
        /// The work.
        work: Vec<Work>,
    },
    /// Games of an evaluation.
    Games(ArenaWork),
}

/// What came of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum UnitResult {
    /// Of one round of training.
    Training(Vec<WorkResult>),
    /// Games of an evaluation.
    Games(ArenaPart),
}

/// Why a unit cannot be done, or its result cannot be used.
#[derive(Debug, Error)]
pub enum UnitError {
    /// These are not the bytes of one.
    #[error("these bytes are no {what} of this version: {why}")]
    Bytes {
        /// What they should be.
        what: &'static str,
        /// What is wrong.
        why: postcard::Error,
    },
    /// It cannot be made bytes.
    #[error("this {what} cannot travel: {why}")]
    Written {
        /// What it is.
        what: &'static str,
        /// What is wrong.
        why: postcard::Error,
    },
    /// The result belongs to something else.
    #[error("{0}: the result is that of another unit")]
    NotAsked(String),
    /// The game cannot be read.
    #[error("{0}")]
    Game(String),
    /// There is no such player here.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// Its table is not here.
    #[error("table {0} has not arrived")]
    NoTable(u64),
}

impl Unit {
    /// What it is, in words.
    pub fn name(&self) -> String {
        match self {
            Unit::Training { title, work } => {
                let candidates = work.iter().map(|work| work.candidate);
                let (first, last) = (candidates.clone().min(), candidates.max());
                let (first, last) = (first.unwrap_or(0), last.unwrap_or(0));
                let round = work.first().map_or((0, 0), |work| (work.step + 1, work.round + 1));
                let whose = match first == last {
                    true => format!("candidate {first}"),
                    false => format!("candidates {first} to {last}"),
                };
                format!("{title}, step {}, round {}, {whose}, {} games", round.0, round.1, self.len())
            }
            Unit::Games(work) => work.name(),
        }
    }

    /// How many games, states or episodes it has.
    #[expect(clippy::len_without_is_empty, reason = "one without anything is never handed out")]
    pub fn len(&self) -> u64 {
        match self {
            Unit::Training { work, .. } => work.iter().map(|work| work.count).sum(),
            Unit::Games(work) => work.count,
        }
    }

    /// The table that it cannot be done without, by its checksum.
    pub fn tables(&self) -> &[u64] {
        match self {
            Unit::Training { .. } => &[],
            Unit::Games(work) => work.tables(),
        }
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, UnitError> {
        postcard::to_allocvec(self).map_err(|why| UnitError::Written { what: "unit of work", why })
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Unit, UnitError> {
        postcard::from_bytes(bytes).map_err(|why| UnitError::Bytes { what: "unit of work", why })
    }

    /// The first so many numbers of it, and the rest.
    pub(crate) fn split_at(self, size: u64) -> (Unit, Option<Unit>) {
        if self.len() <= size {
            return (self, None);
        }
        match self {
            Unit::Training { title, work } => {
                let (mut first, mut rest, mut left) = (Vec::new(), Vec::new(), size);
                for work in work {
                    let count = work.count.min(left);
                    left -= count;
                    if count == work.count {
                        first.push(work);
                        continue;
                    }
                    if count > 0 {
                        first.push(Work { count, ..work.clone() });
                    }
                    let (from, count) = (work.first.wrapping_add(count), work.count - count);
                    rest.push(Work { first: from, count, ..work });
                }
                let first = Unit::Training { title: title.clone(), work: first };
                (first, Some(Unit::Training { title, work: rest }))
            }
            Unit::Games(work) => {
                let (first, rest) = work.split_at(size);
                (Unit::Games(first), Some(Unit::Games(rest)))
            }
        }
    }

    /// The same work as two units, or as one if there is but one number.
    pub fn halves(self) -> Vec<Unit> {
        let half = self.len().div_ceil(2);
        let (first, rest) = self.split_at(half);
        [Some(first), rest].into_iter().flatten().collect()
    }

    /// Whether this can be its result.
    pub(crate) fn gives(&self, result: &UnitResult) -> bool {
        match (self, result) {
            (Unit::Training { work, .. }, UnitResult::Training(results)) => {
                let counts = results.iter().map(|result| result.done.len() as u64).sum::<u64>();
                counts == work.iter().map(|work| work.count).sum::<u64>()
            }
            (Unit::Games(work), UnitResult::Games(part)) => part.is_of(work),
            _ => false,
        }
    }
}

impl UnitResult {
    /// As bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, UnitError> {
        postcard::to_allocvec(self).map_err(|why| UnitError::Written { what: "result of work", why })
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<UnitResult, UnitError> {
        postcard::from_bytes(bytes).map_err(|why| UnitError::Bytes { what: "result of work", why })
    }
}

/// Where units are done, one after the other, with the threads of the pool it is called in.
///
/// ```
/// use bellmino_lab::{Workbench, Unit};
///
/// let unit = Unit::probes().remove(0);
/// let travelled = Unit::from_bytes(&unit.to_bytes()?)?;
/// let bench = Workbench::default();
/// assert_eq!(bench.work(&travelled)?, bench.work(&unit)?);
/// assert!(bench.signs() > 0);
/// # Ok::<(), bellmino_lab::UnitError>(())
/// ```
#[derive(Debug, Default)]
pub struct Workbench {
    signs: AtomicU64,
    /// Game, player and dealer of the last games.
    set: Mutex<Option<Arc<ArenaSet>>>,
    /// Tables by their checksums.
    tables: Mutex<Vec<(u64, Arc<Vec<u8>>)>>,
}

impl Workbench {
    /// Does a unit.
    pub fn work(&self, unit: &Unit) -> Result<UnitResult, UnitError> {
        let go_on = || {
            self.signs.fetch_add(1, Ordering::Relaxed);
            true
        };
        match unit {
            Unit::Training { work, .. } => {
                let alone = rayon::current_num_threads() == 1;
                // One by one where there are threads to share: games differ in length.
                let parts: Vec<Work> =
                    work.iter().flat_map(|work| work.split(if alone { u64::MAX } else { 1 })).collect();
                let results: Vec<WorkResult> = match alone {
                    true => parts.iter().filter_map(|work| work.run_while(&go_on)).collect(),
                    false => parts.par_iter().filter_map(|work| work.run_while(&go_on)).collect(),
                };
                Ok(UnitResult::Training(results))
            }
            Unit::Games(work) => {
                let mut kept = self.set.lock().unwrap_or_else(PoisonError::into_inner);
                let set = match kept.take().filter(|set| set.is_for(work)) {
                    Some(set) => set,
                    None => Arc::new(work.set(&|number| self.table(number))?),
                };
                *kept = Some(set.clone());
                drop(kept);
                Ok(UnitResult::Games(set.play(work, &go_on)?))
            }
        }
    }

    /// Takes a table that units need.
    pub fn put_table(&self, bytes: Vec<u8>) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.push((xxh3_64(&bytes), Arc::new(bytes)));
    }

    fn table(&self, number: u64) -> Result<Arc<Vec<u8>>, UnitError> {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let found = tables.iter().find(|(known, _)| *known == number);
        found.map(|(_, bytes)| bytes.clone()).ok_or(UnitError::NoTable(number))
    }

    /// Signs of life so far: it grows while something is done.
    pub fn signs(&self) -> u64 {
        self.signs.load(Ordering::Relaxed)
    }
}

/// The version, and a checksum over work of every kind and what comes of it here. Where it is the same, so are the form in
/// which work travels and the rounding of every operation that the work is made of.
pub fn fingerprint() -> String {
    let bench = Workbench::default();
    let mut bytes = Vec::new();
    for unit in Unit::probes() {
        let travelled =
            |bytes: Result<Vec<u8>, UnitError>| bytes.unwrap_or_else(|error| error.to_string().into_bytes());
        bytes.extend(travelled(unit.to_bytes()));
        bytes.extend(travelled(bench.work(&unit).and_then(|result| result.to_bytes())));
    }
    format!("{} {:016x}", env!("CARGO_PKG_VERSION"), xxh3_64(&bytes))
}

impl Unit {
    /// A little work of every kind.
    pub fn probes() -> Vec<Unit> {
        let game = |name: &str| Game::built_in(name, &[]).and_then(Result::ok);
        let few = || SearchOptions { population: Some(4), games: Some(1), ..SearchOptions::default() };
        let tuning = TuneFields { pieces: 12, games: 1, nodes: 500, ..TuneFields::default() };
        let td = bellmino_learn::TdPlan { cap: 200, ..Default::default() };
        let cbmpi = bellmino_learn::CbmpiPlan { states: 4, horizon: 50, ..Default::default() };
        let windows = TuplePlan { moves: 50, ..TuplePlan::default() };
        let units =
            TuplePlan { units: 8, curiosity: 0.0, temperature: 1.0, moves: 50, ..TuplePlan::default() };
        let value_features = crate::training::VALUE_FEATURES.to_owned();
        let approaches = [
            ("classic", Approach::Search(SearchMethod::CmaEs, few())),
            ("sprint", Approach::Search(SearchMethod::Snes, SearchOptions { cap: Some(20), ..few() })),
            ("blitz", Approach::Tune { plan: tuning, start: None }),
            ("classic", Approach::Td(td)),
            ("small", Approach::Tuples(windows)),
            ("small", Approach::Tuples(units)),
            ("classic", Approach::Cbmpi { plan: cbmpi, value_features, start: None }),
        ];
        let training = approaches.into_iter().filter_map(|(name, approach)| {
            let recipe = Recipe { game: game(name)?, seed: 1, features: None, low: None, approach };
            let work = Training::new(&recipe).ok()?.work();
            Some(Unit::Training { title: "probe".to_owned(), work })
        });
        let settings =
            ArenaSettings { games: 1, pieces: Some(12), discount: Some(0.9), ..Default::default() };
        let evaluations =
            [("classic", "weights:bcts"), ("blitz", "bot")].into_iter().filter_map(|(name, player)| {
                let game = game(name)?;
                let budget = bellmino_search::Budget::nodes(500);
                let player = Player::parse(player, &game, Some(budget)).ok()?;
                Some(Unit::Games(ArenaWork::new(&game, &player, &settings, Some(name)).ok()?.0))
            });
        training.chain(evaluations).collect()
    }
}
