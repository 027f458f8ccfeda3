//! The arena: many games, several players on identical pieces, summarised.

mod part;

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bellmino_data::plot::{Figure, distribution};
use bellmino_data::{GameHead, Made, Noted};
use bellmino_engine::guideline::{self, ClearKind, Rules, Stats, WIDTH};
use bellmino_engine::placement::{self, AnyColumns, Grid, TenColumns};
use bellmino_engine::{Game, Outcome, PlacementGame, Purpose, Totals, stream};
use bellmino_learn::Simulator;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::clock::{Clock, per_second};
use crate::crew::Crew;
use crate::opponent::Opponent;
use crate::page::{Binder, Page};
use crate::player::{Player, PlayerError};
use crate::playthrough::{Move, Plays, Playthrough};
use crate::statistics::{PerLoss, Summary};
use crate::terms::Terms;

pub(crate) use part::ArenaSet;
pub use part::{ArenaPart, ArenaWork};

/// How many games, and how.
#[derive(Clone, Debug)]
pub struct ArenaSettings {
    /// Games for each player.
    pub games: u64,
    /// Instead of a number of games: as many as it takes to lose this many.
    pub losses: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
    /// A game is stopped after this many pieces, unfinished unless the next one has no place; when absent, after as many as a table was solved for.
    pub pieces: Option<u64>,
    /// Also sum the score with this discount per piece.
    pub discount: Option<f64>,
    /// Who deals.
    pub dealer: Opponent,
    /// Also count key presses (guideline games): the shortest way to each placement is searched.
    pub keys: bool,
    /// For the seconds in the report.
    pub clock: Clock,
}

impl Default for ArenaSettings {
    fn default() -> Self {
        ArenaSettings {
            games: 1000,
            losses: None,
            seed: 0,
            pieces: None,
            discount: None,
            dealer: Opponent::Random,
            keys: false,
            clock: Clock::STOPPED,
        }
    }
}

/// What all players did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArenaReport {
    /// One entry per player, in order.
    pub players: Vec<PlayerReport>,
    /// Each later player minus the first, game by game.
    pub differences: Vec<Difference>,
}

/// How the results of players are distributed. The result of a game that ends after so many rows is the pieces it took,
/// if it got there; that of any other game is its score.
pub(crate) fn figure(players: &[PlayerReport], game: &Game, name: &str) -> Figure {
    let what = if is_race(game) { "pieces placed until the goal" } else { "score (points)" };
    let samples: Vec<(String, Vec<f64>)> = players
        .iter()
        .map(|player| (player.player.clone(), player.results.iter().flatten().copied().collect()))
        .collect();
    let seed = players.first().map_or(0, |player| player.seed);
    distribution(&format!("Results in {name}, seed {seed}"), what, &samples)
}

/// Whether the game is about clearing a number of rows with few pieces.
fn is_race(game: &Game) -> bool {
    matches!(game, Game::Guideline(game) if game.rules().goal.lines.is_some())
}

/// What one player did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlayerReport {
    /// The player.
    pub player: String,
    /// Games begun.
    pub games: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// Points.
    pub score: Summary,
    /// Rows cleared.
    pub lines: Summary,
    /// Pieces placed, the fatal one included.
    pub pieces: Summary,
    /// Discounted points, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discounted: Option<Summary>,
    /// What only guideline games have.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub guideline: Option<GuidelineReport>,
    /// Games stopped before they were lost or done.
    pub unfinished: u64,
    /// Lines per lost game.
    pub lines_per_loss: PerLoss,
    /// The evaluation was interrupted: fewer games than asked for.
    pub interrupted: bool,
    /// The result of each game in order, where it has one: see `figure`.
    #[serde(skip)]
    pub results: Vec<Option<f64>>,
    /// Wall-clock time.
    pub seconds: f64,
    /// Speed over all threads.
    pub pieces_per_second: f64,
}

/// What only guideline games have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GuidelineReport {
    /// Points for drops, which are no part of the score.
    pub drop_points: Summary,
    /// Points, those for drops included.
    pub score_with_drops: Summary,
    /// Clears and spins of all games by kind.
    #[serde(serialize_with = "write_clears")]
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub clears: [u64; ClearKind::ALL.len()],
    /// Clears of all games that emptied the board.
    pub perfect_clears: u64,
    /// Clears of all games that were raised for back-to-back.
    pub back_to_backs: u64,
    /// Games that reached their goal.
    pub cleared_goal: u64,
    /// Pieces put into hold in all games.
    pub holds: u64,
    /// Rows of all games of which one cell was missing before the last piece, by the column of that cell.
    pub wells: [u64; WIDTH],
    /// Tetrises of all games by column.
    pub tetris_wells: [u64; WIDTH],
    /// Key presses per game, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Summary>,
    /// Key presses per piece over all games, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys_per_piece: Option<f64>,
}

impl GuidelineReport {
    fn of(results: &[ArenaGame], done: u64, keys: bool) -> Option<GuidelineReport> {
        let stats: Vec<Stats> = results.iter().filter_map(|played| played.guideline).collect();
        if stats.is_empty() {
            return None;
        }
        let drop_points: Vec<f64> = stats.iter().map(|stats| stats.drop_points as f64).collect();
        let with_drops: Vec<f64> =
            results.iter().zip(&drop_points).map(|(one, drops)| one.score + drops).collect();
        let pressed: Vec<f64> = results.iter().map(|played| played.habits.keys as f64).collect();
        let pieces: u64 = results.iter().map(|played| played.pieces).sum();
        let by_column = |columns: fn(&Habits) -> &[u32; WIDTH]| {
            std::array::from_fn(|x| results.iter().map(|one| u64::from(columns(&one.habits)[x])).sum())
        };
        let total = |count: &dyn Fn(&Stats) -> u32| stats.iter().map(|stats| u64::from(count(stats))).sum();
        Some(GuidelineReport {
            drop_points: Summary::of(&drop_points),
            score_with_drops: Summary::of(&with_drops),
            clears: std::array::from_fn(|kind| total(&|stats| stats.clears[kind])),
            perfect_clears: total(&|stats| stats.perfect_clears),
            back_to_backs: total(&|stats| stats.back_to_backs),
            cleared_goal: done,
            holds: total(&|stats| stats.holds),
            wells: by_column(|habits| &habits.wells),
            tetris_wells: by_column(|habits| &habits.tetrises),
            keys_per_piece: keys.then(|| pressed.iter().sum::<f64>() / pieces.max(1) as f64),
            keys: keys.then(|| Summary::of(&pressed)),
        })
    }
}

fn write_clears<S: Serializer>(
    clears: &[u64; ClearKind::ALL.len()],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(ClearKind::ALL.iter().map(|kind| kind.name()).zip(clears))
}

/// A player minus the first player on the same pieces.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// The player.
    pub player: String,
    /// The one it is compared with.
    pub minus: String,
    /// Difference of the points.
    pub score: Summary,
    /// Difference of the rows.
    pub lines: Summary,
    /// Difference of the pieces.
    pub pieces: Summary,
}

/// Plays `settings.games` games with each player, in parallel; every player sees the same pieces in game number `i`.
///
/// The result does not depend on the number of threads. `progress` is called with the number of games done since the
/// last call, from any thread; when it says `false` the evaluation ends soon with what is known: games under way are
/// counted as unfinished.
pub fn evaluate(
    game: &Game,
    players: &[Player],
    settings: &ArenaSettings,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Result<ArenaReport, PlayerError> {
    play_all(game, players, settings, None, None, progress)
}

/// The same, and writes every game and every move into tables. `name` is what they call the game.
pub fn evaluate_into(
    binder: &dyn Binder,
    name: &str,
    game: &Game,
    players: &[Player],
    settings: &ArenaSettings,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Result<ArenaReport, PlayerError> {
    evaluate_by(None, Some((binder, name)), game, players, settings, progress)
}

/// The same, with tables or without, by a crew if there is one: the report and the tables are the same.
pub fn evaluate_by(
    crew: Option<&dyn Crew>,
    tables: Option<(&dyn Binder, &str)>,
    game: &Game,
    players: &[Player],
    settings: &ArenaSettings,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Result<ArenaReport, PlayerError> {
    let go_on = |games| progress(games) && !tables.is_some_and(|(binder, _)| binder.has_failed());
    play_all(game, players, settings, tables, crew, &go_on)
}

fn play_all(
    game: &Game,
    players: &[Player],
    settings: &ArenaSettings,
    tables: Option<(&dyn Binder, &str)>,
    crew: Option<&dyn Crew>,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Result<ArenaReport, PlayerError> {
    // All players place as many pieces.
    let pieces = settings.pieces.or_else(|| Terms::most_pieces(players, &settings.dealer));
    let settings = &ArenaSettings { pieces, ..settings.clone() };
    if let Game::Placement(game) = game {
        // Before anything is written or sent.
        for player in players {
            Terms::new(game, Some(player), &settings.dealer, pieces)?;
        }
    }
    let mut played = Vec::new();
    for player in players {
        let begin = settings.clock.now();
        let results = match crew.filter(|_| player.travels()) {
            Some(crew) => {
                let work = ArenaWork::new(game, player, settings, tables.map(|(_, name)| name))?;
                part::elsewhere(crew, work, tables.map(|(binder, _)| binder), settings, progress)?
            }
            None => {
                let written = tables.map(|(binder, name)| Written {
                    binder,
                    first: binder.games(),
                    head: head(name, player, settings),
                });
                Arena { settings, progress, written, part: None }.play_game(game, player)?
            }
        };
        played.push((player.name(), results, settings.clock.since(begin).as_secs_f64()));
    }
    let differences = played.first().map_or_else(Vec::new, |(first, base, _)| {
        played[1..].iter().map(|(name, results, _)| difference(name, results, first, base)).collect()
    });
    let players = played
        .iter()
        .map(|(name, results, seconds)| summarise(name, results, settings, *seconds, is_race(game)));
    Ok(ArenaReport { players: players.collect(), differences })
}

/// What the rows of all games of a player have in common.
fn head(name: &str, player: &Player, settings: &ArenaSettings) -> GameHead {
    let budget = player.budget();
    GameHead {
        game: name.into(),
        player: player.name().into(),
        nodes: budget.and_then(|budget| budget.nodes),
        think_milliseconds: budget.and_then(|budget| budget.time).map(|time| time.as_millis() as u64),
        seed: settings.seed.to_string().into(),
        ..GameHead::default()
    }
}

/// Games handed out to the threads at a time.
const BATCH: u64 = 1 << 16;

/// One game as the arena sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ArenaGame {
    score: f64,
    discounted: f64,
    lines: u64,
    pieces: u64,
    lost: bool,
    /// The goal was reached.
    done: bool,
    /// The counts of a guideline game.
    guideline: Option<Stats>,
    /// How a guideline game was played.
    habits: Habits,
}

/// How someone plays a guideline game, as far as the score does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Habits {
    /// Key presses, if they are counted.
    keys: u64,
    /// Rows of which one cell was missing before the last piece, by the column of that cell.
    wells: [u32; WIDTH],
    /// Tetrises by column.
    tetrises: [u32; WIDTH],
}

impl Habits {
    fn count(&mut self, turn: &Move<guideline::Match>) {
        if turn.clear.lines == 0 {
            return;
        }
        for column in turn.wells() {
            self.wells[column] += 1;
        }
        if turn.clear.lines == 4
            && let Some(column) = turn.wells().next()
        {
            self.tetrises[column] += 1;
        }
    }
}

struct Arena<'a> {
    settings: &'a ArenaSettings,
    progress: &'a (dyn Fn(u64) -> bool + Sync),
    written: Option<Written<'a>>,
    /// Only these games, whatever the settings say.
    part: Option<Range<u64>>,
}

/// Where the games of a player are written.
struct Written<'a> {
    binder: &'a dyn Binder,
    /// The number of the first game.
    first: u64,
    /// What all of them have in common.
    head: GameHead,
}

impl Arena<'_> {
    fn play_game(&self, game: &Game, player: &Player) -> Result<Vec<ArenaGame>, PlayerError> {
        match game {
            Game::Placement(game) => self.placement(game, player),
            Game::Guideline(game) => self.guideline(game.rules(), player),
        }
    }

    fn placement(&self, game: &PlacementGame, player: &Player) -> Result<Vec<ArenaGame>, PlayerError> {
        let chooser = player.chooser()?;
        let plain = matches!(self.settings.dealer, Opponent::Random)
            && self.settings.discount.is_none()
            && self.written.is_none();
        if let Some(simulator) = chooser.simulator().filter(|_| plain) {
            return self.all(|index| Ok(self.simulated(simulator.clone(), index)));
        }
        if TenColumns::fits(game) {
            self.on_grid::<TenColumns>(game, player)
        } else {
            self.on_grid::<AnyColumns>(game, player)
        }
    }

    fn on_grid<G: Grid>(&self, game: &PlacementGame, player: &Player) -> Result<Vec<ArenaGame>, PlayerError> {
        let game = Arc::new(game.clone());
        let ArenaSettings { dealer, seed, pieces, .. } = self.settings;
        self.all(|index| {
            let playthrough = Playthrough::<placement::Match<G>, _>::placement(
                game.clone(),
                player,
                dealer,
                (*seed, index),
                *pieces,
            )?;
            Ok(self.play(playthrough, index, 4096, |_, _| {})?.0)
        })
    }

    fn guideline(&self, rules: &Rules, player: &Player) -> Result<Vec<ArenaGame>, PlayerError> {
        self.all(|index| {
            let playthrough = Playthrough::guideline(rules, player, self.settings.seed, index)?;
            let (mut played, game) = self.play(playthrough, index, 1, |played, turn| {
                if self.settings.keys {
                    played.habits.keys += u64::from(turn.keys(rules.kicks).unwrap_or(0));
                }
                played.habits.count(turn);
            })?;
            played.guideline = Some(*game.stats());
            Ok(played)
        })
    }

    /// Plays as many games as are wanted. They are independent and kept in order, so the result is the same on any
    /// number of threads; after an interrupt the games never begun are left out.
    fn all(
        &self,
        one: impl Fn(u64) -> Result<ArenaGame, PlayerError> + Sync,
    ) -> Result<Vec<ArenaGame>, PlayerError> {
        let begun = |index: u64| (self.progress)(0).then(|| one(index));
        let play = |range: Range<u64>| match self.written {
            None => range.into_par_iter().filter_map(begun).collect(),
            Some(_) => self.in_order(range, &one),
        };
        match &self.part {
            Some(part) => play(part.clone()),
            None => in_batches(self.settings, self.progress, play),
        }
    }

    /// Plays games in parallel so that they begin in order, none left out: what is written down waits for those before it.
    fn in_order(
        &self,
        range: Range<u64>,
        one: &(impl Fn(u64) -> Result<ArenaGame, PlayerError> + Sync),
    ) -> Result<Vec<ArenaGame>, PlayerError> {
        let left = Mutex::new(range);
        let begin = || {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            if (self.progress)(0) { left.next() } else { None }
        };
        let play = || std::iter::from_fn(&begin).map(|index| (index, one(index))).collect::<Vec<_>>();
        let mut played: Vec<_> = rayon::broadcast(|_| play()).into_iter().flatten().collect();
        played.sort_unstable_by_key(|(index, _)| *index);
        played.into_iter().map(|(_, game)| game).collect()
    }

    /// Plays one game to its end or to the limit of pieces; asks whether to go on before every so many pieces.
    fn play<M: Noted, P: Plays<M>>(
        &self,
        mut playthrough: Playthrough<M, P>,
        index: u64,
        pause: u64,
        mut see: impl FnMut(&mut ArenaGame, &Move<M>),
    ) -> Result<(ArenaGame, M), PlayerError> {
        let mut played = ArenaGame::default();
        let mut page = self.written.as_ref().map(|written| Page::new(written.binder, written.first + index));
        let mut weight = 1.0;
        let cap = self.settings.pieces.unwrap_or(u64::MAX);
        let mut unasked = 0;
        while played.pieces < cap {
            if unasked == 0 {
                unasked = pause;
                if !(self.progress)(0) {
                    break;
                }
            }
            unasked -= 1;
            let Some(turn) = playthrough.next().transpose()? else { break };
            played.pieces += 1;
            played.discounted += weight * turn.points;
            weight *= self.settings.discount.unwrap_or(1.0);
            see(&mut played, &turn);
            if let Some(page) = &mut page {
                let Move { placement, held, clear, before, .. } = &turn;
                page.note(playthrough.game(), &Made { placement, held: *held, clear, before });
            }
        }
        (self.progress)(1);
        if let (Some(page), Some(written)) = (page, &self.written) {
            let head = GameHead { index, ..written.head.clone() };
            let row = page.notes().finish(head, playthrough.game(), playthrough.outcome());
            page.finish(row);
        }
        let Totals { lines, score, .. } = playthrough.game().totals();
        (played.lines, played.score) = (lines, score);
        played.lost = playthrough.outcome() == Some(Outcome::ToppedOut);
        played.done = playthrough.outcome() == Some(Outcome::Goal);
        Ok((played, playthrough.into_game()))
    }

    /// The same at full speed, by the learner's simulator.
    fn simulated(&self, mut simulator: Simulator, index: u64) -> ArenaGame {
        let cap = self.settings.pieces.unwrap_or(u64::MAX);
        simulator.start(stream(self.settings.seed, Purpose::Dealer, index));
        while !simulator.lost() && simulator.tally().pieces < cap {
            simulator.play((cap - simulator.tally().pieces).min(1 << 16));
            if !(self.progress)(0) {
                break;
            }
        }
        let tally = simulator.tally();
        (self.progress)(1);
        ArenaGame {
            score: tally.score,
            discounted: tally.score,
            lines: tally.lines(),
            pieces: tally.pieces,
            // Whether it is lost is the match's to say, at the limit of pieces too.
            lost: simulator.lost() || tally.pieces >= cap && simulator.is_stuck(),
            ..ArenaGame::default()
        }
    }
}

/// Plays, batch by batch, as many games as are wanted. Batches keep memory to what was played.
fn in_batches(
    settings: &ArenaSettings,
    progress: &(dyn Fn(u64) -> bool + Sync),
    mut play: impl FnMut(Range<u64>) -> Result<Vec<ArenaGame>, PlayerError>,
) -> Result<Vec<ArenaGame>, PlayerError> {
    let mut played = Vec::new();
    let mut next = 0;
    let mut left = settings.losses.unwrap_or(settings.games);
    while left > 0 && progress(0) {
        let end = next + left.min(BATCH);
        let batch = play(next..end)?;
        left -= match settings.losses {
            Some(_) => batch.iter().filter(|played| played.lost).count() as u64,
            None => end - next,
        };
        played.extend(batch);
        next = end;
    }
    Ok(played)
}

fn summarise(
    player: &str,
    results: &[ArenaGame],
    settings: &ArenaSettings,
    seconds: f64,
    is_race: bool,
) -> PlayerReport {
    let summary = |value: fn(&ArenaGame) -> f64| Summary::of(&results.iter().map(value).collect::<Vec<_>>());
    let losses = results.iter().filter(|played| played.lost).count() as u64;
    let done = results.iter().filter(|played| played.done).count() as u64;
    let lines: u64 = results.iter().map(|played| played.lines).sum();
    let pieces: u64 = results.iter().map(|played| played.pieces).sum();
    PlayerReport {
        player: player.to_owned(),
        games: results.len() as u64,
        seed: settings.seed,
        score: summary(|played| played.score),
        lines: summary(|played| played.lines as f64),
        pieces: summary(|played| played.pieces as f64),
        discounted: settings.discount.map(|_| summary(|played| played.discounted)),
        guideline: GuidelineReport::of(results, done, settings.keys),
        unfinished: results.len() as u64 - losses - done,
        lines_per_loss: PerLoss::new(lines as f64, losses),
        interrupted: settings
            .losses
            .map_or((results.len() as u64) < settings.games, |wanted| losses < wanted)
            || results
                .iter()
                .any(|played| !played.lost && !played.done && Some(played.pieces) != settings.pieces),
        results: match is_race {
            true => results.iter().map(|played| played.done.then_some(played.pieces as f64)).collect(),
            false => results.iter().map(|played| Some(played.score)).collect(),
        },
        seconds,
        pieces_per_second: per_second(pieces, seconds),
    }
}

fn difference(player: &str, results: &[ArenaGame], base: &str, base_results: &[ArenaGame]) -> Difference {
    let summary = |value: fn(&ArenaGame) -> f64| {
        let pairs = results.iter().zip(base_results);
        Summary::of(&pairs.map(|(played, base)| value(played) - value(base)).collect::<Vec<_>>())
    };
    Difference {
        player: player.to_owned(),
        minus: base.to_owned(),
        score: summary(|played| played.score),
        lines: summary(|played| played.lines as f64),
        pieces: summary(|played| played.pieces as f64),
    }
}
