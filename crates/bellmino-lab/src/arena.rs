//! The arena: many games, several players on identical pieces, summarised.

use std::time::Instant;

use bellmino_engine::guideline::{ClearKind, Stats, WIDTH};
use bellmino_engine::placement::{AnyColumns, Grid, Landed, TenColumns};
use bellmino_engine::{Generator, PlacementGame, Purpose, stream};
use bellmino_exact::Choice;
use bellmino_learn::Simulator;
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use crate::deck::{Deck, Opponent};
use crate::guideline::Habits;
use crate::player::Player;
use crate::statistics::{PerLoss, Summary};

/// How many games, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Games for each player.
    pub games: u64,
    /// Instead of a number of games: as many as it takes to lose this many.
    pub losses: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
    /// A game is stopped, unfinished, after this many pieces.
    pub pieces: Option<u64>,
    /// Also sum the score with this discount per piece.
    pub discount: Option<f64>,
    /// Who deals.
    pub dealer: Opponent,
    /// Also count key presses (guideline games): the shortest way to each placement is searched.
    pub keys: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            games: 1000,
            losses: None,
            seed: 0,
            pieces: None,
            discount: None,
            dealer: Opponent::Random,
            keys: false,
        }
    }
}

/// What all players did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// One entry per player, in order.
    pub players: Vec<PlayerReport>,
    /// Each later player minus the first, game by game.
    pub differences: Vec<Difference>,
}

/// What one player did.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Wall-clock time.
    pub seconds: f64,
    /// Speed over all threads.
    pub pieces_per_second: f64,
}

/// What only guideline games have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GuidelineReport {
    /// Points for drops, which are no part of the score.
    pub drop_points: Summary,
    /// Clears and spins of all games by kind.
    #[serde(serialize_with = "write_clears")]
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
    fn of(results: &[Played], done: u64, keys: bool) -> Option<GuidelineReport> {
        let stats: Vec<Stats> = results.iter().filter_map(|played| played.guideline).collect();
        if stats.is_empty() {
            return None;
        }
        let drop_points: Vec<f64> = stats.iter().map(|stats| stats.drop_points as f64).collect();
        let pressed: Vec<f64> = results.iter().map(|played| played.habits.keys as f64).collect();
        let pieces: u64 = results.iter().map(|played| played.pieces).sum();
        let by_column = |columns: fn(&Habits) -> &[u32; WIDTH]| {
            std::array::from_fn(|x| results.iter().map(|one| u64::from(columns(&one.habits)[x])).sum())
        };
        let total = |count: &dyn Fn(&Stats) -> u32| stats.iter().map(|stats| u64::from(count(stats))).sum();
        Some(GuidelineReport {
            drop_points: Summary::of(&drop_points),
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    game: &PlacementGame,
    players: &[Player],
    settings: &Settings,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Report {
    report(players, Player::name, settings, |player| {
        if TenColumns::fits(game) {
            play_all::<TenColumns>(game, player, settings, progress)
        } else {
            play_all::<AnyColumns>(game, player, settings, progress)
        }
    })
}

/// Lets each player play, one after the other, and summarises what they did and how long it took.
pub(crate) fn report<P>(
    players: &[P],
    name: impl Fn(&P) -> &str,
    settings: &Settings,
    play: impl Fn(&P) -> Vec<Played>,
) -> Report {
    let played: Vec<(Vec<Played>, f64)> = players
        .iter()
        .map(|player| {
            let begin = Instant::now();
            (play(player), begin.elapsed().as_secs_f64())
        })
        .collect();
    let all = || players.iter().map(&name).zip(&played);
    let differences = all().next().map_or_else(Vec::new, |(first, (base, _))| {
        all().skip(1).map(|(name, (results, _))| difference(name, results, first, base)).collect()
    });
    let players =
        all().map(|(name, (results, seconds))| summarise(name, results, settings, *seconds)).collect();
    Report { players, differences }
}

/// Games handed out to the threads at a time.
const BATCH: u64 = 1 << 16;

/// One game as the arena sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Played {
    pub score: f64,
    pub discounted: f64,
    pub lines: u64,
    pub pieces: u64,
    pub lost: bool,
    /// The counts of a guideline game.
    pub guideline: Option<Stats>,
    /// The goal was reached.
    pub done: bool,
    /// How a guideline game was played.
    pub habits: Habits,
}

impl Played {
    /// Counts a placement; whether the game goes on. `weight` is what a point is worth now.
    fn count<G>(
        &mut self,
        game: &PlacementGame,
        outcome: &Landed<G>,
        weight: &mut f64,
        settings: &Settings,
    ) -> bool {
        self.pieces += 1;
        self.lost = outcome.fatal;
        if !outcome.fatal {
            let points = game.score().points(outcome.lines());
            self.score += points;
            self.discounted += *weight * points;
            *weight *= settings.discount.unwrap_or(1.0);
            self.lines += u64::from(outcome.lines());
        }
        !outcome.fatal
    }
}

fn play_all<G: Grid>(
    game: &PlacementGame,
    player: &Player,
    settings: &Settings,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Vec<Played> {
    // Games are independent and kept in order, so the result is the same on any number of threads; after an interrupt
    // the games never begun are left out. Batches keep memory to what was played.
    let plain = Deck::is_plain(player, &settings.dealer);
    let play = if plain { play::<G> } else { play_from_hand::<G> };
    let one = |index: u64| progress(0).then(|| play(game, player, settings, index, progress));
    let mut played = Vec::new();
    let mut next = 0;
    let mut left = settings.losses.unwrap_or(settings.games);
    while left > 0 && progress(0) {
        let end = next + left.min(BATCH);
        let batch: Vec<Played> = (next..end).into_par_iter().filter_map(one).collect();
        left -= match settings.losses {
            Some(_) => batch.iter().filter(|played| played.lost).count() as u64,
            None => end - next,
        };
        played.extend(batch);
        next = end;
    }
    played
}

fn play<G: Grid>(
    game: &PlacementGame,
    player: &Player,
    settings: &Settings,
    index: u64,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Played {
    let mut dealing = stream(settings.seed, Purpose::Dealer, index);
    if settings.discount.is_none()
        && let Some(simulator) = player.simulator()
    {
        return play_fast(game, simulator, settings, dealing, progress);
    }
    let mut choosing = stream(settings.seed, Purpose::Player, index);
    let mut state = game.dealer().start();
    let mut board = G::empty(game);
    let mut played = Played::default();
    let mut weight = 1.0;
    let cap = settings.pieces.unwrap_or(u64::MAX);
    while played.pieces < cap {
        let deal = game.dealer().deal(state, &mut dealing);
        let Some(placement) = player.choose(game, &board, deal.piece as usize, &mut choosing) else {
            played.lost = true;
            break;
        };
        let outcome = board.place_unchecked(game, placement);
        if !played.count(game, &outcome, &mut weight, settings) {
            break;
        }
        board = outcome.board;
        state = deal.next;
        if played.pieces % 65_536 == 0 && !progress(0) {
            break;
        }
    }
    progress(1);
    played
}

fn play_fast(
    game: &PlacementGame,
    mut simulator: Simulator,
    settings: &Settings,
    dealing: Generator,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Played {
    let cap = settings.pieces.unwrap_or(u64::MAX);
    simulator.start(dealing);
    while !simulator.lost() && simulator.tally().pieces < cap {
        simulator.play((cap - simulator.tally().pieces).min(1 << 20));
        if !progress(0) {
            break;
        }
    }
    let tally = simulator.tally();
    progress(1);
    let lost = simulator.lost();
    let score = tally.score(game.score());
    Played { score, discounted: score, lines: tally.lines(), pieces: tally.pieces, lost, ..Played::default() }
}

/// The same for players and dealers that look further than the current piece.
fn play_from_hand<G: Grid>(
    game: &PlacementGame,
    player: &Player,
    settings: &Settings,
    index: u64,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Played {
    let mut dealing = stream(settings.seed, Purpose::Dealer, index);
    let mut choosing = stream(settings.seed, Purpose::Player, index);
    let mut deck = Deck::new(game, player, &settings.dealer);
    let mut board = G::empty(game);
    let mut played = Played::default();
    let mut weight = 1.0;
    let cap = settings.pieces.unwrap_or(u64::MAX);
    while played.pieces < cap {
        deck.deal(&board, &mut dealing);
        let left = settings.pieces.and_then(|cap| u32::try_from(cap - played.pieces).ok());
        let mut choice = deck.decide(player, &board, left, &mut choosing);
        if choice == Some(Choice::PutAside) {
            deck.put_aside();
            deck.deal(&board, &mut dealing);
            choice = deck.decide_after_hold(player, &board, left, &mut choosing);
        }
        let placement = match choice {
            Some(Choice::Place(placement)) => {
                deck.placed();
                placement
            }
            Some(Choice::PlaceHeld(placement)) => {
                deck.put_aside();
                placement
            }
            Some(Choice::PutAside) | None => {
                played.lost = true;
                break;
            }
        };
        let outcome = board.place_unchecked(game, placement);
        if !played.count(game, &outcome, &mut weight, settings) {
            break;
        }
        board = outcome.board;
        if played.pieces % 4096 == 0 && !progress(0) {
            break;
        }
    }
    progress(1);
    played
}

fn summarise(player: &str, results: &[Played], settings: &Settings, seconds: f64) -> PlayerReport {
    let summary = |value: fn(&Played) -> f64| Summary::of(&results.iter().map(value).collect::<Vec<_>>());
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
        seconds,
        pieces_per_second: pieces as f64 / seconds.max(1e-9),
    }
}

fn difference(player: &str, results: &[Played], base: &str, base_results: &[Played]) -> Difference {
    let summary = |value: fn(&Played) -> f64| {
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
