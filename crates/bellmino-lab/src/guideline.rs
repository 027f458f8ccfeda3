//! Players of guideline games, and their arena.
//!
//! ```
//! use bellmino_engine::guideline::Rules;
//! use bellmino_lab::{Settings, guideline};
//!
//! let players = [guideline::Player::parse("weights:lee4", None)?];
//! let settings = Settings { games: 2, seed: 1, ..Settings::default() };
//! let report = guideline::evaluate(&Rules::SPRINT, &players, &settings, &|_| true);
//! assert_eq!(report.players[0].guideline.as_ref().unwrap().cleared_goal, 2);
//! # Ok::<(), bellmino_lab::PlayerError>(())
//! ```

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{
    Bag, Board, Clear, Keys, Match, Placement, Position, Rules, Stats, View, WIDTH,
};
use bellmino_engine::{Generator, Purpose, below, stream, suggestion};
use bellmino_learn::FeatureError;
use bellmino_learn::guideline::{Choice, Pilot, Scene, choices};
use bellmino_search::{Bot, BotSettings, Budget, Thought, Weights};
use rayon::prelude::*;

use crate::arena::{self, Played, Report, Settings};
use crate::player::{PlayerError, weights};
use crate::thinker::Pondering;

/// Who chooses placements.
#[derive(Clone)]
pub struct Player {
    name: String,
    make: Arc<Make>,
}

/// Makes a mind for a game of these rules.
type Make = dyn Fn(&Rules) -> Box<dyn Mind> + Send + Sync;

/// A player at work on one game.
pub trait Mind: Send {
    /// The placements for a position, best first; empty only if there is none.
    fn think(&mut self, view: &View, generator: &mut Generator) -> Thought;

    /// How it thinks while it waits; `None` if it has its answer at once anyway.
    fn pondering(&self) -> Option<Pondering> {
        None
    }

    /// Thinks within another budget, until it is stopped. Only asked of those with a [`pondering`](Mind::pondering).
    fn ponder(&mut self, _view: &View, _budget: Budget, _stop: &AtomicBool) -> Thought {
        Thought::default()
    }
}

impl Player {
    /// How players are written.
    pub const FORMS: [&'static str; 7] =
        ["random", "lowest", "fewest-holes", "weights:NAME-OR-FILE", "bot", "bot:DEPTH", "bot:FILE"];

    /// The nodes of `bot` per move when no budget is given and nobody waits.
    pub const NODES: u64 = 20_000;

    /// The player of this name. The budget is for each move of `bot`; the others need none.
    pub fn parse(text: &str, budget: Option<Budget>) -> Result<Player, PlayerError> {
        Ok(match text.split_once(':') {
            None if text == "random" => Player::new(text, |_| Box::new(Random)),
            None if text == "lowest" => Player::greedy(text, |choice| -i64::from(top(choice))),
            None if text == "fewest-holes" => Player::greedy(text, |choice| -holes(choice)),
            None if text == "bot" => Player::bot(text, budget, |_| {}),
            Some(("bot", depth)) if depth.bytes().all(|byte| byte.is_ascii_digit()) => {
                let Some(depth) = depth.parse().ok().filter(|depth| (1..=16).contains(depth)) else {
                    let hint = "give the pieces to look ahead, 1 to 16, as in `bot:1`".to_owned();
                    return Err(PlayerError::Unknown { name: text.to_owned(), hint });
                };
                Player::bot(text, budget, move |settings| settings.depth = depth)
            }
            Some(("bot", file)) => {
                let refuse = |hint: String| PlayerError::Unknown { name: text.to_owned(), hint };
                let content = std::fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
                let weights = Weights::read(&content).map_err(refuse)?;
                Player::bot(text, budget, move |settings| settings.weights = weights.clone())
            }
            Some(("weights", name)) => {
                let bad = |why: FeatureError| PlayerError::BadWeights {
                    name: name.to_owned(),
                    why: why.to_string(),
                };
                Player::of_pilot(text, Pilot::new(weights(name)?).map_err(bad)?)
            }
            _ => {
                let hint = suggestion(text, Player::FORMS);
                return Err(PlayerError::Unknown { name: text.to_owned(), hint });
            }
        })
    }

    /// A player that makes a fresh mind for each game.
    pub fn new(name: &str, make: impl Fn(&Rules) -> Box<dyn Mind> + Send + Sync + 'static) -> Player {
        Player { name: name.to_owned(), make: Arc::new(make) }
    }

    /// A player by a linear controller.
    pub fn of_pilot(name: &str, pilot: Pilot) -> Player {
        let pilot = Arc::new(pilot);
        Player::new(name, move |_| Box::new(Piloted(pilot.clone())))
    }

    /// The name, as written on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A mind for one game.
    pub fn start(&self, rules: &Rules) -> Box<dyn Mind> {
        (self.make)(rules)
    }

    /// The look-ahead bot, set up as shipped but for what `change` does.
    fn bot(
        name: &str,
        budget: Option<Budget>,
        change: impl Fn(&mut BotSettings) + Send + Sync + 'static,
    ) -> Player {
        Player::new(name, move |rules| {
            let mut settings = BotSettings::for_rules(rules);
            change(&mut settings);
            Box::new(LookAhead { bot: Bot::new(settings), budget })
        })
    }

    /// A player that takes the placement of the greatest worth.
    fn greedy(name: &str, worth: impl Fn(&Choice<'_>) -> i64 + Send + Sync + 'static) -> Player {
        let worth = Arc::new(worth);
        Player::new(name, move |_| Box::new(Greedy(worth.clone())))
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Player({})", self.name)
    }
}

/// Plays `settings.games` games with each player, in parallel; every player sees the same pieces in game number `i`,
/// and the result does not depend on the number of threads. `progress` is as in [`crate::evaluate`].
pub fn evaluate(
    rules: &Rules,
    players: &[Player],
    settings: &Settings,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Report {
    arena::report(players, Player::name, settings, |player| {
        let one = |index: u64| progress(0).then(|| play(rules, player, settings, index, progress));
        let results = (0..settings.games).into_par_iter().map(one).collect::<Vec<_>>();
        results.into_iter().flatten().collect()
    })
}

fn play(
    rules: &Rules,
    player: &Player,
    settings: &Settings,
    index: u64,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Played {
    let mut playthrough = Playthrough::new(rules, player, settings.seed, index);
    let mut played = Played::default();
    let mut weight = 1.0;
    let cap = settings.pieces.unwrap_or(u64::MAX);
    while played.pieces < cap && progress(0) {
        let Some(step) = playthrough.next() else { break };
        played.pieces += 1;
        if settings.keys {
            played.habits.keys += step.keys(rules).unwrap_or(0);
        }
        played.habits.count(&step);
        played.discounted += weight * f64::from(step.clear.points);
        weight *= settings.discount.unwrap_or(1.0);
    }
    progress(1);
    let stats = *playthrough.game.stats();
    played.score = stats.score as f64;
    played.lines = u64::from(stats.lines);
    played.lost = playthrough.outcome() == Some(Outcome::ToppedOut);
    played.done = playthrough.outcome() == Some(Outcome::Goal);
    played.guideline = Some(stats);
    played
}

/// A game being played: an iterator over its moves. It is game number `index` of an evaluation with the same seed.
pub struct Playthrough {
    game: Match,
    mind: Box<dyn Mind>,
    choosing: Generator,
    stuck: bool,
}

/// One move.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Where the piece was put.
    pub placement: Placement,
    /// Whether another piece went into hold for it.
    pub held: bool,
    /// What was cleared and scored.
    pub clear: Clear,
    /// The board before.
    pub before: Board,
    /// The position after.
    pub after: Position,
    /// Counts after the move.
    pub stats: Stats,
}

impl Step {
    /// The fewest key presses for this move, hold and hard drop included; `None` if no keys lead there.
    pub fn keys(&self, rules: &Rules) -> Option<u64> {
        let keys = Keys::search(&self.before, self.placement.piece, rules.kicks).to(&self.placement)?;
        Some(keys.len() as u64 + u64::from(self.held))
    }

    /// For every row the placement completed of which one cell was missing: the column of that cell.
    ///
    /// ```text
    /// ###.######    a tetris here: 3, 3, 3, 3
    /// ###.######
    /// ###.######
    /// ###.######
    /// ```
    pub fn wells(&self) -> impl Iterator<Item = usize> + use<> {
        let before = self.before;
        let mut rows: Vec<usize> = self.placement.cells().iter().map(|&(_, y)| y as usize).collect();
        rows.sort_unstable();
        rows.dedup();
        let gap = move |y: usize| {
            let gaps = !before.row(y) & ((1 << WIDTH) - 1);
            (gaps.count_ones() == 1).then_some(gaps.trailing_zeros() as usize)
        };
        rows.into_iter().filter_map(gap)
    }
}

/// How someone plays, as far as the score does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Habits {
    /// Key presses, if they are counted.
    pub keys: u64,
    /// Rows of which one cell was missing before the last piece, by the column of that cell.
    pub wells: [u32; WIDTH],
    /// Tetrises by column.
    pub tetrises: [u32; WIDTH],
}

impl Habits {
    fn count(&mut self, step: &Step) {
        if step.clear.lines == 0 {
            return;
        }
        for column in step.wells() {
            self.wells[column] += 1;
        }
        if step.clear.lines == 4
            && let Some(column) = step.wells().next()
        {
            self.tetrises[column] += 1;
        }
    }
}

impl Playthrough {
    /// Starts a game.
    pub fn new(rules: &Rules, player: &Player, seed: u64, index: u64) -> Playthrough {
        Playthrough {
            game: Match::from_position(*rules, Position::default(), Bag::numbered(seed, index)),
            mind: player.start(rules),
            choosing: stream(seed, Purpose::Player, index),
            stuck: false,
        }
    }

    /// The game as it stands.
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome().or(self.stuck.then_some(Outcome::ToppedOut))
    }
}

impl Iterator for Playthrough {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if self.outcome().is_some() {
            return None;
        }
        let view = self.game.view();
        let thought = self.mind.think(&view, &mut self.choosing);
        let before = self.game.position().board;
        let holds = self.game.stats().holds;
        let ranked = thought.candidates.iter().map(|candidate| candidate.placement);
        let played = ranked.into_iter().find_map(|at| Some((at, self.game.play(&at).ok()?)));
        let Some((placement, clear)) = played else {
            self.stuck = true;
            return None;
        };
        let stats = *self.game.stats();
        let after = *self.game.position();
        Some(Step { placement, held: stats.holds > holds, clear, before, after, stats })
    }
}

/// What a view is to a pilot.
fn scene(view: &View) -> Scene<'_> {
    let View { rules, position, queue, pieces, lines, .. } = view;
    Scene { rules, position, queue, pieces: *pieces, lines: *lines }
}

/// One more than the row of the highest cell of the piece.
fn top(choice: &Choice<'_>) -> i8 {
    choice.placement.cells().into_iter().map(|(_, y)| y + 1).max().unwrap_or(0)
}

/// Empty cells under filled ones after the clear.
fn holes(choice: &Choice<'_>) -> i64 {
    choice.after.columns().iter().map(|column| column.holes() as i64).sum()
}

struct Random;

impl Mind for Random {
    fn think(&mut self, view: &View, generator: &mut Generator) -> Thought {
        let choices = choices(&scene(view));
        let nodes = choices.len() as u64;
        if choices.is_empty() {
            return Thought::default();
        }
        let chosen = choices[below(generator, choices.len())].placement;
        Thought { nodes, ..Thought::of_single([(chosen, 0.0)]) }
    }
}

/// Takes the placement of the greatest worth; fatal ones come last, ties go to the first.
struct Greedy<F: ?Sized>(Arc<F>);

impl<F: Fn(&Choice<'_>) -> i64 + Send + Sync + ?Sized> Mind for Greedy<F> {
    fn think(&mut self, view: &View, _: &mut Generator) -> Thought {
        let choices = choices(&scene(view));
        let worth = |choice: &Choice<'_>| (choice.fatal, std::cmp::Reverse((self.0)(choice)));
        let mut ranked: Vec<_> = choices.iter().map(|choice| (worth(choice), choice.placement)).collect();
        ranked.sort_by_key(|(worth, _)| *worth);
        Thought::of_single(ranked.into_iter().map(|((_, worth), at)| (at, worth.0 as f64)))
    }
}

/// A linear controller.
struct Piloted(Arc<Pilot>);

impl Mind for Piloted {
    fn think(&mut self, view: &View, _: &mut Generator) -> Thought {
        let mut ranked = self.0.values(&scene(view));
        // Ties stay in order.
        ranked.sort_by_key(|(worth, _)| std::cmp::Reverse(*worth));
        Thought::of_single(ranked.into_iter().map(|((_, worth), choice)| (choice.placement, worth as f64)))
    }
}

/// The look-ahead bot.
struct LookAhead {
    bot: Bot,
    budget: Option<Budget>,
}

impl Mind for LookAhead {
    fn think(&mut self, view: &View, _: &mut Generator) -> Thought {
        self.bot.think(view, self.budget.unwrap_or(Budget::nodes(Player::NODES)), None)
    }

    /// With a number of nodes exactly those, so that every game is as in an evaluation; with a time at least that;
    /// else whatever the other side lets pass, and a moment's thought at least.
    fn pondering(&self) -> Option<Pondering> {
        let first = self.budget.unwrap_or(Budget::nodes(Player::NODES / 2));
        Some(Pondering { first, more: self.budget.is_none_or(|budget| budget.nodes.is_none()) })
    }

    fn ponder(&mut self, view: &View, budget: Budget, stop: &AtomicBool) -> Thought {
        self.bot.think(view, budget, Some(stop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::guideline::{Orientation, Piece};
    use bellmino_engine::{self as engine};
    use bellmino_learn::Controller;
    use bellmino_learn::guideline::{equivalent, plain};

    fn first(name: &str, board: &str, queue: &[Piece]) -> Placement {
        let position = Position { board: board.parse().unwrap(), ..Position::default() };
        let view = View {
            rules: Rules { hold: false, ..Rules::PRACTICE },
            position,
            queue: queue.to_vec(),
            bag: vec![],
            pieces: 0,
            lines: 0,
        };
        let mut mind = Player::parse(name, None).unwrap().start(&view.rules);
        mind.think(&view, &mut stream(0, Purpose::Player, 0)).candidates[0].placement
    }

    #[test]
    fn a_controller_sees_the_same_features_as_in_a_placement_game() {
        // On boards without overhangs both games have the same drops; the choice must agree.
        let game = equivalent();
        for name in ["lee4", "dellacherie", "bcts", "dt20"] {
            let controller = Controller::built_in(name).unwrap();
            let mut playthrough = Playthrough::new(
                &Rules { hold: false, ..Rules::PRACTICE },
                &Player::parse("lowest", None).unwrap(),
                3,
                0,
            );
            for _ in 0..40 {
                let mut view = playthrough.game.clone().view();
                let Some(step) = playthrough.next() else { break };
                view.position.board = flattened(&step.before);
                let ours = Player::parse(&format!("weights:{name}"), None)
                    .unwrap()
                    .start(&view.rules)
                    .think(&view, &mut stream(0, Purpose::Player, 0));
                let piece = game.piece_index(&view.queue[0].to_string()).unwrap();
                let grid = <engine::placement::AnyColumns as engine::placement::Grid>::from_board(&plain(
                    &view.position.board,
                ));
                let theirs = controller.choose(&game, &grid, piece).unwrap();
                let mut cells: Vec<(usize, usize)> = theirs
                    .shape(&game)
                    .cells()
                    .map(|(x, y)| (x + theirs.column as usize, y + theirs.row as usize))
                    .collect();
                let mut found = ours.candidates[0].placement.cells().map(|(x, y)| (x as usize, y as usize));
                found.sort_unstable();
                cells.sort_unstable();
                let pilot = Pilot::new(controller.clone()).unwrap();
                let value = |at: &Placement| {
                    let list = choices(&scene(&view));
                    pilot.value(list.iter().find(|choice| choice.placement == *at).unwrap(), &scene(&view))
                };
                // Ties may go another way: the rotations have another order.
                let same = choices(&scene(&view)).iter().any(|choice| {
                    let mut own = choice.placement.cells().map(|(x, y)| (x as usize, y as usize));
                    own.sort_unstable();
                    own[..] == cells[..] && value(&choice.placement) == value(&ours.candidates[0].placement)
                });
                assert!(same || found[..] == cells[..], "{name} on {:?}", view.position.board);
            }
        }
    }

    /// The board with its holes filled up, so that only straight drops are left; full rows stay open at the right.
    fn flattened(board: &Board) -> Board {
        let mut flat = Board::EMPTY;
        for (x, column) in board.columns().iter().enumerate().take(9) {
            (0..column.height()).for_each(|y| flat.insert(x, y));
        }
        flat
    }

    #[test]
    fn baselines_choose_as_defined() {
        let flat = first("lowest", "..........", &[Piece::I, Piece::O]);
        assert_eq!((flat.orientation, flat.y), (Orientation::North, 0));
        let snug = first("fewest-holes", ".########.", &[Piece::O, Piece::O]);
        assert_eq!((snug.x, snug.y), (1, 1), "not over the gap at the wall");
    }

    #[test]
    fn nobody_dies_without_need() {
        // A wall under the spawn: anything put on top of it blocks the next piece.
        let wall = ".....##...\n".repeat(19);
        for name in ["lowest", "fewest-holes", "weights:lee4"] {
            let at = first(name, &wall, &[Piece::O, Piece::O]);
            assert!(at.cells().iter().all(|&(_, y)| y < 19), "{name}: {at}");
        }
    }

    #[test]
    fn unknown_players() {
        let error = |name: &str| Player::parse(name, None).unwrap_err().to_string();
        assert_eq!(error("bto"), "there is no player `bto`; did you mean `bot`?");
        assert!(error("weights:lee5").contains("did you mean `lee4`?"));
    }

    /// The reported Sprint weights look at straight drops only.
    #[test]
    fn a_player_of_drops_never_tucks() {
        let player = Player::parse("weights:sprint4", None).unwrap();
        let steps: Vec<Step> = Playthrough::new(&Rules::SPRINT, &player, 5, 0).collect();
        assert!(steps.iter().all(|step| bellmino_learn::guideline::is_drop(&step.before, &step.placement)));
        assert!(
            steps.iter().all(|step| step.keys(&Rules::SPRINT).is_some_and(|keys| (1..=6).contains(&keys)))
        );
    }

    #[test]
    fn wells_are_columns_of_last_gaps() {
        let step = |board: &str, at: &str| Step {
            placement: at.parse().unwrap(),
            held: false,
            clear: Clear::default(),
            before: board.parse().unwrap(),
            after: Position::default(),
            stats: Stats::default(),
        };
        let well = step("###.######\n###.######\n#..#######\n###.######", "I east 3,2");
        assert_eq!(well.wells().collect::<Vec<_>>(), [3, 3, 3]);
        let flat = step("######....", "I north 7,0");
        assert_eq!(flat.wells().count(), 0, "four cells were missing");
        assert_eq!(flat.keys(&Rules::SPRINT), Some(2));
    }
}
