//! Parts of an evaluation: games that can be played anywhere, and what came of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bellmino_data::GameHead;
use bellmino_engine::Game;
use bellmino_exact::Table;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Arena, ArenaGame, ArenaSettings, Written, in_batches};
use crate::crew::{Crew, have_done};
use crate::opponent::Opponent;
use crate::page::{Binder, LoosePages, WrittenGame};
use crate::player::{Parcel, Player, PlayerError};
use crate::unit::{Unit, UnitError, UnitResult};

/// Games of one player, to be played anywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArenaWork {
    /// The number of the first.
    pub first: u64,
    /// How many.
    pub count: u64,
    #[serde(with = "shared")]
    task: Arc<ArenaTask>,
}

/// What all games of a player have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ArenaTask {
    /// The game's name and file.
    game: (String, String),
    player: Parcel,
    /// The tables of the player and of the dealer, by their checksums: those that there are, in this order.
    tables: Vec<u64>,
    /// Whether a table deals.
    is_dealt_by_table: bool,
    seed: u64,
    pieces: Option<u64>,
    discount: Option<f64>,
    keys: bool,
    /// For tables: what all rows have in common.
    head: Option<GameHead>,
}

/// Games that were played somewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArenaPart {
    /// The number of the first.
    pub first: u64,
    games: Vec<ArenaGame>,
    /// For tables: the same games as they are written.
    written: Vec<WrittenGame>,
}

/// A table as it travels.
pub(crate) type TravellingTable = (u64, Arc<Vec<u8>>);

impl ArenaWork {
    /// All games of a player at first, with the tables that have to travel too. `name` is what tables of games call the
    /// game, if there are to be any.
    pub(crate) fn new(
        game: &Game,
        player: &Player,
        settings: &ArenaSettings,
        name: Option<&str>,
    ) -> Result<(ArenaWork, Vec<TravellingTable>), PlayerError> {
        let (parcel, table) = player.parcel()?;
        let dealing = if let Opponent::Table(table) = &settings.dealer { Some(table) } else { None };
        let tables: Vec<TravellingTable> =
            table.iter().chain(dealing).map(|table| travelling(table)).collect::<Result<_, _>>()?;
        let file = match game {
            Game::Placement(game) => game.to_toml(),
            Game::Guideline(game) => game.to_toml(),
        };
        let task = ArenaTask {
            game: (game.name().to_owned(), file),
            player: parcel,
            tables: tables.iter().map(|(number, _)| *number).collect(),
            is_dealt_by_table: dealing.is_some(),
            seed: settings.seed,
            pieces: settings.pieces,
            discount: settings.discount,
            keys: settings.keys,
            head: name.map(|name| super::head(name, player, settings)),
        };
        Ok((ArenaWork { first: 0, count: settings.games, task: Arc::new(task) }, tables))
    }

    /// What it is, in words.
    pub(crate) fn name(&self) -> String {
        let ArenaWork { first, count, task } = self;
        let (game, player, last) = (&task.game.0, task.player.name(), first + count.saturating_sub(1));
        format!("evaluate {game}, {player}, seed {}, games {first} to {last}", task.seed)
    }

    /// The tables that it cannot be done without.
    pub(crate) fn tables(&self) -> &[u64] {
        &self.task.tables
    }

    /// The first so many games, and the rest.
    pub(crate) fn split_at(self, size: u64) -> (ArenaWork, ArenaWork) {
        let rest = ArenaWork { first: self.first + size, count: self.count - size, task: self.task.clone() };
        (ArenaWork { count: size, ..self }, rest)
    }

    /// Game, player and dealer.
    pub(crate) fn set(
        &self,
        table: &dyn Fn(u64) -> Result<Arc<Vec<u8>>, UnitError>,
    ) -> Result<ArenaSet, UnitError> {
        let task = &self.task;
        let game = Game::read(&task.game.0, &task.game.1, &[])
            .map_err(|error| UnitError::Game(error.to_string()))?;
        let mut tables = task.tables.iter().map(|number| {
            let bytes = Bytes(table(*number)?);
            Table::read(bytes).map_err(|error| UnitError::Game(format!("table: {error}")))
        });
        let dealing = if task.is_dealt_by_table { tables.next_back().transpose()? } else { None };
        let player = task.player.open(&game, tables.next().transpose()?)?;
        let settings = ArenaSettings {
            seed: task.seed,
            pieces: task.pieces,
            discount: task.discount,
            keys: task.keys,
            dealer: dealing.map_or(Opponent::Random, |table| Opponent::Table(Arc::new(table))),
            ..ArenaSettings::default()
        };
        Ok(ArenaSet { task: task.clone(), game, player, settings })
    }
}

impl ArenaPart {
    /// Whether these are the games of that work.
    pub(crate) fn is_of(&self, work: &ArenaWork) -> bool {
        let written = if work.task.head.is_some() { work.count } else { 0 };
        (self.first, self.games.len() as u64, self.written.len() as u64) == (work.first, work.count, written)
    }
}

/// Game, player and dealer, ready to play.
#[derive(Debug)]
pub(crate) struct ArenaSet {
    task: Arc<ArenaTask>,
    game: Game,
    player: Player,
    settings: ArenaSettings,
}

impl ArenaSet {
    /// Whether it is what this work needs.
    pub fn is_for(&self, work: &ArenaWork) -> bool {
        self.task == work.task
    }

    /// Plays games.
    pub fn play(
        &self,
        work: &ArenaWork,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<ArenaPart, PlayerError> {
        let pages = LoosePages::default();
        let progress = |_| go_on();
        let written =
            self.task.head.as_ref().map(|head| Written { binder: &pages, first: 0, head: head.clone() });
        let arena = Arena {
            settings: &self.settings,
            progress: &progress,
            written,
            part: Some(work.first..work.first + work.count),
        };
        let games = arena.play_game(&self.game, &self.player)?;
        Ok(ArenaPart { first: work.first, games, written: pages.games() })
    }
}

/// Has others play the games of a player. After an interrupt the games up to the first that is missing are kept.
pub(super) fn elsewhere(
    crew: &dyn Crew,
    (work, tables): (ArenaWork, Vec<TravellingTable>),
    binder: Option<&dyn Binder>,
    settings: &ArenaSettings,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Vec<ArenaGame>, PlayerError> {
    let title = format!("evaluate {}, {}", work.task.game.0, work.task.player.name());
    in_batches(settings, progress, |range| {
        let (mut games, mut next) = (Vec::new(), range.start);
        let mut early: BTreeMap<u64, ArenaPart> = BTreeMap::new();
        let mut take = |result| {
            if let UnitResult::Games(part) = result {
                early.insert(part.first, part);
            }
            while let Some(part) = early.remove(&next) {
                next += part.games.len() as u64;
                progress(part.games.len() as u64);
                games.extend(part.games);
                if let Some(binder) = binder {
                    part.written.into_iter().for_each(|game| binder.take(binder.games(), game));
                }
            }
            early.values().flat_map(|part| &part.written).map(|game| game.moves.len()).sum()
        };
        let unit =
            Unit::Games(ArenaWork { first: range.start, count: range.end - range.start, ..work.clone() });
        have_done(crew, title.clone(), unit, &tables, &|| progress(0), &mut take)?;
        Ok(games)
    })
}

fn travelling(table: &Table) -> Result<TravellingTable, PlayerError> {
    let mut bytes = Vec::new();
    table.write(&mut bytes).map_err(|error| PlayerError::BadTable(error.to_string()))?;
    Ok((xxh3_64(&bytes), Arc::new(bytes)))
}

/// Bytes that several tables may share.
struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// What units share travels with each.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::ArenaTask;

    pub fn serialize<S: Serializer>(task: &Arc<ArenaTask>, to: S) -> Result<S::Ok, S::Error> {
        (**task).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<ArenaTask>, D::Error> {
        ArenaTask::deserialize(from).map(Arc::new)
    }
}
