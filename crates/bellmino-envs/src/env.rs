//! Environments of any game.

use std::sync::Arc;

use bellmino_engine::guideline::{HEIGHT, Handling, Key, Piece, View, WIDTH};
use bellmino_engine::placement::{Allowance, Grid, TenColumns};
use bellmino_engine::{Game, PlacementGame};
use bellmino_exact::{Abstraction, Dealing, Placing, Table};
use bellmino_learn::guideline::{Pilot, equivalent};
use bellmino_learn::{Controller, Feature};

use crate::arrays::{Buffers, Slices, Widths};
use crate::decoded::Decoded;
use crate::error::{EnvError, OracleError};
use crate::guideline::{GuidelineLane, GuidelineRules};
use crate::keys::{KeysLane, KeysRules};
use crate::lanes::{Beginning, GameLanes, Lane, Stepping};
use crate::placement::{PlacementLane, PlacementRules};

/// Games of one kind side by side, each in its lane.
pub struct Env {
    family: EnvFamily,
    lanes: usize,
    sizes: Sizes,
    widths: Widths,
}

/// What an environment is to be.
#[derive(Clone)]
pub struct EnvOptions {
    /// How many games are played side by side.
    pub lanes: usize,
    /// A guideline game is played by keys, not by placements.
    pub keys: Option<KeyOptions>,
    /// Pieces in sight after the current one, in a placement game; the game's own if not given.
    pub previews: Option<usize>,
    /// Whether a piece may be held, in a placement game.
    pub hold: Option<bool>,
    /// A game is stopped after this many pieces.
    pub limit: Option<u64>,
    /// An illegal action ends the game instead of being refused.
    pub lose: bool,
    /// A game that is over begins anew at the next step, whose action is not looked at.
    pub autoreset: bool,
    /// Features to be seen of the board.
    pub features: Vec<Feature>,
    /// Features of the board after each action, not of the board as it is.
    pub afterstates: bool,
    /// The optimal values, of the same game with the same previews and hold.
    pub oracle: Option<Arc<Table>>,
}

/// How a game is played by keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyOptions {
    /// Milliseconds of a step.
    pub tick: u64,
    /// How keys repeat.
    pub handling: Handling,
}

/// The sizes of what is seen and done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Rows of the board.
    pub height: usize,
    /// Columns of the board.
    pub width: usize,
    /// Pieces of the game.
    pub pieces: usize,
    /// The current piece and those in sight.
    pub queue: usize,
    /// Actions, legal or not.
    pub actions: usize,
}

/// The most games side by side.
pub const MAX_LANES: usize = 1 << 20;
pub(crate) const MAX_BYTES: u64 = 8 << 30;
pub(crate) const MAX_PREVIEWS: usize = 64;
pub(crate) const MAX_TICK: u64 = 10_000;
pub(crate) const MAX_HANDLING: u32 = 60_000;

enum EnvFamily {
    Ten(GameLanes<PlacementLane<u32, 10>>),
    Any(GameLanes<PlacementLane<u64, 16>>),
    Guideline(Box<GameLanes<GuidelineLane>>),
    Keys(GameLanes<KeysLane>),
}

macro_rules! each {
    ($family:expr, $lanes:ident => $do:expr) => {
        match $family {
            EnvFamily::Ten($lanes) => $do,
            EnvFamily::Any($lanes) => $do,
            EnvFamily::Guideline($lanes) => $do,
            EnvFamily::Keys($lanes) => $do,
        }
    };
}

impl Default for EnvOptions {
    fn default() -> EnvOptions {
        EnvOptions {
            lanes: 1,
            keys: None,
            previews: None,
            hold: None,
            limit: None,
            lose: false,
            autoreset: false,
            features: vec![],
            afterstates: false,
            oracle: None,
        }
    }
}

impl Default for KeyOptions {
    fn default() -> KeyOptions {
        KeyOptions { tick: 17, handling: Handling::DEFAULT }
    }
}

impl Env {
    /// An environment. Lane `i` holds the first game of seed `i`; what is seen is written by the first [`Env::reset`].
    pub fn new(game: &Game, options: &EnvOptions) -> Result<Env, EnvError> {
        let EnvOptions { lanes, keys, features, afterstates, oracle, .. } = options;
        let (lanes, afterstates) = (*lanes, *afterstates);
        if !(1..=MAX_LANES).contains(&lanes) {
            return Err(EnvError::Lanes(lanes));
        }
        if options.limit == Some(0) {
            return Err(EnvError::Limit);
        }
        check_features(game, options)?;
        let (family, sizes) = family(game, options)?;
        let one = |wanted: bool, width: usize| if wanted { width } else { 0 };
        let (cells, told) = (sizes.height * sizes.width, oracle.is_some());
        let widths = Widths {
            board: cells,
            active: one(keys.is_some(), cells),
            queue: sizes.queue,
            mask: one(keys.is_none(), sizes.actions),
            features: features.len() * if afterstates { sizes.actions } else { 1 },
            values: one(told, sizes.actions),
            optimal: one(told, 1),
            regret: one(told, 1),
            piece: 1,
            hold: 1,
            reward: 1,
            terminated: 1,
            truncated: 1,
            pieces: 1,
            lines: 1,
            score: 1,
            outcome: 1,
        };
        if widths.bytes().saturating_mul(lanes as u64) > MAX_BYTES {
            return Err(EnvError::TooBig { lanes, bytes: widths.bytes() });
        }
        Ok(Env { family, lanes, sizes, widths })
    }

    /// How many games there are.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The sizes of what is seen and done.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// How many entries each game has in each array; none in those that are not written.
    pub fn widths(&self) -> Widths {
        self.widths
    }

    /// Arrays to write into.
    pub fn buffers(&self) -> Buffers {
        Buffers::new(self.widths, self.lanes)
    }

    /// Begins all games: lane `i` holds the first game of seed `seed + i`.
    pub fn reset_all(&mut self, seed: u64, out: Slices<'_>) -> Result<(), EnvError> {
        let lanes: Vec<_> =
            (0..self.lanes).map(|lane| (lane, Some(seed.wrapping_add(lane as u64)))).collect();
        self.reset(&lanes, None, out)
    }

    /// Begins some games anew: with a seed the first game of it, else the next one of the seed before. Either all of them
    /// begin, or there is an error and none does.
    pub fn reset(
        &mut self,
        lanes: &[(usize, Option<u64>)],
        beginning: Option<&Beginning>,
        out: Slices<'_>,
    ) -> Result<(), EnvError> {
        out.check(&self.widths, self.lanes)?;
        each!(&mut self.family, games => games.reset(lanes, beginning, out))
    }

    /// Takes one action in each game and writes what came of it. The arrays are those of the step before: what has not
    /// changed is not written again. If any action is refused, none is taken.
    pub fn step(&mut self, actions: &[i64], out: Slices<'_>) -> Result<(), EnvError> {
        out.check(&self.widths, self.lanes)?;
        each!(&mut self.family, games => games.step(actions, out, false))
    }

    /// The same, with the work shared out among the threads of the rayon pool that this is called in.
    pub fn step_shared(&mut self, actions: &[i64], out: Slices<'_>) -> Result<(), EnvError> {
        out.check(&self.widths, self.lanes)?;
        each!(&mut self.family, games => games.step(actions, out, true))
    }

    /// What an action is in one of the games; `None` if there is no such action.
    pub fn decode(&self, lane: usize, action: i64) -> Result<Option<Decoded>, EnvError> {
        let told =
            each!(&self.family, games => games.lane(lane).map(|(game, rules)| game.decode(rules, action)));
        told.ok_or(EnvError::NoLane(lane))
    }

    /// The number of an action that may be taken in one of the games; `None` if it may not.
    pub fn encode(&self, lane: usize, action: &Decoded) -> Result<Option<i64>, EnvError> {
        let told =
            each!(&self.family, games => games.lane(lane).map(|(game, rules)| game.encode(rules, action)));
        told.ok_or(EnvError::NoLane(lane))
    }

    /// The number of the piece that was placed last in a game, and its cells, `[column, row]`; `None` if there is none.
    #[expect(clippy::type_complexity, reason = "a piece and its cells")]
    pub fn placed(&self, lane: usize) -> Result<Option<(usize, Vec<[usize; 2]>)>, EnvError> {
        let told = each!(&self.family, games => games.lane(lane).map(|(game, rules)| game.placed(rules)));
        told.ok_or(EnvError::NoLane(lane))
    }

    /// The seed of a game, and which game of the seed it is.
    pub fn origin(&self, lane: usize) -> Result<(u64, u64), EnvError> {
        each!(&self.family, games => games.origin(lane)).ok_or(EnvError::NoLane(lane))
    }

    /// What the player of a guideline game sees; `None` in other games, and in games of keys.
    pub fn view(&self, lane: usize) -> Result<Option<View>, EnvError> {
        let EnvFamily::Guideline(games) = &self.family else { return Ok(None) };
        let (game, _) = games.lane(lane).ok_or(EnvError::NoLane(lane))?;
        Ok(Some(game.view()))
    }
}

fn family(game: &Game, options: &EnvOptions) -> Result<(EnvFamily, Sizes), EnvError> {
    let &EnvOptions { lanes, limit, lose, autoreset, afterstates, .. } = options;
    let stepping = Stepping { lose, limit, autoreset };
    match game {
        Game::Placement(game) => {
            let rules = placement_rules(game, options)?;
            let sizes = Sizes {
                height: game.height(),
                width: game.width(),
                pieces: game.pieces().len(),
                queue: 1 + rules.allowance.previews,
                actions: rules.count(),
            };
            let family = match TenColumns::fits(game) {
                true => EnvFamily::Ten(GameLanes::new(rules, lanes, stepping)?),
                false => EnvFamily::Any(GameLanes::new(rules, lanes, stepping)?),
            };
            Ok((family, sizes))
        }
        Game::Guideline(game) => {
            if options.previews.is_some() || options.hold.is_some() {
                return Err(EnvError::OfRules);
            }
            if options.oracle.is_some() {
                return Err(OracleError::Guideline.into());
            }
            let rules = *game.rules();
            let sizes = |actions| Sizes {
                height: HEIGHT,
                width: WIDTH,
                pieces: Piece::ALL.len(),
                queue: 1 + rules.previews,
                actions,
            };
            if let Some(keys) = options.keys {
                check_keys(&keys)?;
                let rules = KeysRules { rules, handling: keys.handling, tick: keys.tick };
                return Ok((
                    EnvFamily::Keys(GameLanes::new(rules, lanes, stepping)?),
                    sizes(1 << Key::ALL.len()),
                ));
            }
            let features = options.features.clone();
            let pilot = afterstates.then(|| pilot(&features)).transpose()?;
            let rules = GuidelineRules { rules, features, pilot };
            let sizes = sizes(rules.count());
            Ok((EnvFamily::Guideline(Box::new(GameLanes::new(rules, lanes, stepping)?)), sizes))
        }
    }
}

fn placement_rules(game: &PlacementGame, options: &EnvOptions) -> Result<PlacementRules, EnvError> {
    if options.keys.is_some() {
        return Err(EnvError::NoKeys(game.name().to_owned()));
    }
    let previews = options.previews.unwrap_or(game.previews());
    if previews > MAX_PREVIEWS {
        return Err(EnvError::Previews(previews));
    }
    let allowance = Allowance { previews, hold: options.hold.unwrap_or(false) };
    if let Some(table) = &options.oracle {
        check_oracle(game, allowance, table)?;
    }
    let mut rules = PlacementRules::new(Arc::new(game.clone()), allowance);
    rules.features.clone_from(&options.features);
    rules.afterstates = options.afterstates;
    rules.oracle.clone_from(&options.oracle);
    Ok(rules)
}

/// Whether a table has the optimal values of this very game, with so much in sight and in hand.
pub fn check_oracle(game: &PlacementGame, allowance: Allowance, table: &Table) -> Result<(), OracleError> {
    let (settings, given) = (table.settings(), table.given());
    if table.game() != game {
        return Err(OracleError::OtherGame(game.name().to_owned()));
    }
    if settings.dealing != Dealing::Random {
        return Err(OracleError::Dealing(settings.dealing));
    }
    if settings.placing != Placing::Best {
        return Err(OracleError::Placing);
    }
    if let Some(reward) = settings.reward {
        return Err(OracleError::Reward(reward));
    }
    if settings.view != Abstraction::Grid {
        return Err(OracleError::View(settings.view));
    }
    if given.player {
        return Err(OracleError::GivenPlayer);
    }
    if given.dealer {
        return Err(OracleError::GivenDealer);
    }
    if settings.hold != allowance.hold {
        return Err(OracleError::Hold { solved: settings.hold });
    }
    if table.queue() != allowance.previews {
        return Err(OracleError::Previews { solved: table.queue(), wanted: allowance.previews });
    }
    if !table.is_finished() {
        return Err(OracleError::Unfinished);
    }
    table.finished().value.map(|_| ()).ok_or(OracleError::Infinite)
}

fn check_keys(keys: &KeyOptions) -> Result<(), EnvError> {
    if !(1..=MAX_TICK).contains(&keys.tick) {
        return Err(EnvError::Tick(keys.tick));
    }
    let Handling { das, arr, soft_drop_first, soft_drop, das_cut, .. } = keys.handling;
    let names = ["das", "arr", "soft_drop_first", "soft_drop", "das_cut"];
    let given = [das, arr, soft_drop_first, soft_drop, das_cut];
    match names.into_iter().zip(given).find(|(_, given)| *given > MAX_HANDLING) {
        Some((name, given)) => Err(EnvError::Handling { name, given }),
        None => Ok(()),
    }
}

fn check_features(game: &Game, options: &EnvOptions) -> Result<(), EnvError> {
    let EnvOptions { features, afterstates, keys, .. } = options;
    if keys.is_some() && (*afterstates || !features.is_empty()) {
        return Err(EnvError::OfKeys);
    }
    if *afterstates && features.is_empty() {
        return Err(EnvError::NoFeatures);
    }
    for &feature in features {
        match game {
            Game::Placement(game) => feature.check(game)?,
            Game::Guideline(_) if feature.is_of_guideline() => {}
            Game::Guideline(_) => feature.check(&equivalent())?,
        }
        if feature.is_of_placement() && !afterstates {
            return Err(EnvError::OfPlacement(feature));
        }
    }
    Ok(())
}

fn pilot(features: &[Feature]) -> Result<Pilot, EnvError> {
    Ok(Pilot::new(Controller::new("features", features, &vec![1.0; features.len()])?)?)
}
