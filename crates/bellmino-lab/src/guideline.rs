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

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bellmino_engine::guideline::{
    Bag, Board, Clear, Game, Orientation, Outcome, Piece, Placement, Position, Rules, Spin, Stats, moves,
};
use bellmino_engine::{self as engine, Generator, PlacementGame, Purpose, below, stream, suggestion};
use bellmino_learn::{Afterstate, Controller};
use bellmino_search::{Bot, Budget, View, Weights};
use rayon::prelude::*;

use crate::arena::{self, Played, Report, Settings};
use crate::player::{PlayerError, controller};

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
    fn think(&mut self, view: &View, generator: &mut Generator) -> Ranking;
}

/// Placements, best first, and what it took to find them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Placements, best first.
    pub moves: Vec<Placement>,
    /// Placements looked at.
    pub nodes: u64,
    /// Pieces looked ahead.
    pub depth: usize,
}

impl Player {
    /// How players are written.
    pub const FORMS: [&'static str; 7] =
        ["random", "lowest", "fewest-holes", "weights:NAME-OR-FILE", "bot", "bot:DEPTH", "bot:FILE"];

    /// The nodes of `bot` per move when no budget is given.
    pub const NODES: u64 = 20_000;

    /// The player of this name. The budget is for each move of `bot`; the others need none.
    pub fn parse(text: &str, budget: Option<Budget>) -> Result<Player, PlayerError> {
        Ok(match text.split_once(':') {
            None if text == "random" => Player::new(text, |_| Box::new(Random)),
            None if text == "lowest" => Player::greedy(text, |option| -i64::from(option.top())),
            None if text == "fewest-holes" => Player::greedy(text, |option| -option.holes()),
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
                let linear = Arc::new(Linear::new(controller(name, &equivalent())?));
                Player::greedy(text, move |option| linear.value(option))
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
        change: impl Fn(&mut bellmino_search::Settings) + Send + Sync + 'static,
    ) -> Player {
        let budget = budget.unwrap_or(Budget::nodes(Player::NODES));
        Player::new(name, move |rules| {
            let mut settings = bellmino_search::Settings::for_rules(rules);
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
    let played: Vec<(Vec<Played>, f64)> = players
        .iter()
        .map(|player| {
            let begin = Instant::now();
            let one = |index: u64| progress(0).then(|| play(rules, player, settings, index, progress));
            let results = (0..settings.games).into_par_iter().map(one).collect::<Vec<_>>();
            (results.into_iter().flatten().collect(), begin.elapsed().as_secs_f64())
        })
        .collect();
    let names: Vec<&str> = players.iter().map(Player::name).collect();
    arena::report(&names, &played, settings)
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
    game: Game,
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

impl Playthrough {
    /// Starts a game.
    pub fn new(rules: &Rules, player: &Player, seed: u64, index: u64) -> Playthrough {
        Playthrough {
            game: Game::from_position(*rules, Position::default(), Bag::numbered(seed, index)),
            mind: player.start(rules),
            choosing: stream(seed, Purpose::Player, index),
            stuck: false,
        }
    }

    /// The game as it stands.
    pub fn game(&self) -> &Game {
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
        let view = View::of(&mut self.game);
        let ranking = self.mind.think(&view, &mut self.choosing);
        let before = self.game.position().board;
        let holds = self.game.stats().holds;
        let played = ranking.moves.iter().find_map(|at| Some((*at, self.game.play(at).ok()?)));
        let Some((placement, clear)) = played else {
            self.stuck = true;
            return None;
        };
        let stats = *self.game.stats();
        let after = *self.game.position();
        Some(Step { placement, held: stats.holds > holds, clear, before, after, stats })
    }
}

/// A placement to choose or not.
pub(crate) struct Choice<'a> {
    before: &'a Board,
    after: Board,
    placement: Placement,
    /// The next piece cannot enter.
    fatal: bool,
}

impl Choice<'_> {
    /// One more than the row of the highest cell of the piece.
    fn top(&self) -> i8 {
        self.placement.cells().into_iter().map(|(_, y)| y + 1).max().unwrap_or(0)
    }

    /// Empty cells under filled ones after the clear.
    fn holes(&self) -> i64 {
        self.after.columns().iter().map(|column| column.holes() as i64).sum()
    }
}

/// Every placement of the pieces at hand, cells only once with their best spin, in the order of piece, rotation, column
/// and row.
fn choices<'a>(view: &'a View) -> Vec<Choice<'a>> {
    let board = &view.position.board;
    let mut list = vec![];
    for piece in view.position.at_hand(&view.queue, view.rules.hold) {
        let mut placements = moves::placements(board, piece, view.rules.kicks);
        placements.sort_unstable_by_key(|at| (at.orientation, at.x, at.y, std::cmp::Reverse(at.spin)));
        placements.dedup_by_key(|at| Placement { spin: Spin::None, ..*at });
        let used = view.position.hold_after(piece, &view.queue).map_or(1, |(_, used)| used);
        let next = view.queue.get(used);
        list.extend(placements.into_iter().map(|placement| {
            let mut after = *board;
            let cleared = after.place_unchecked(&placement);
            let goal = view.rules.goal;
            let done = goal.lines.is_some_and(|goal| view.lines + u32::from(cleared.lines) >= goal)
                || goal.pieces.is_some_and(|goal| view.pieces + 1 >= goal);
            let fatal = !done && next.is_some_and(|&next| !after.fits(&Placement::spawn(next)));
            Choice { before: board, after, placement, fatal }
        }));
    }
    list
}

struct Random;

impl Mind for Random {
    fn think(&mut self, view: &View, generator: &mut Generator) -> Ranking {
        let choices = choices(view);
        let nodes = choices.len() as u64;
        if choices.is_empty() {
            return Ranking::default();
        }
        let chosen = choices[below(generator, choices.len())].placement;
        Ranking { moves: vec![chosen], nodes, depth: 1 }
    }
}

/// Takes the placement of the greatest worth; fatal ones come last, ties go to the first.
struct Greedy<F: ?Sized>(Arc<F>);

impl<F: Fn(&Choice<'_>) -> i64 + Send + Sync + ?Sized> Mind for Greedy<F> {
    fn think(&mut self, view: &View, _: &mut Generator) -> Ranking {
        let choices = choices(view);
        let worth = |choice: &Choice<'_>| (choice.fatal, std::cmp::Reverse((self.0)(choice)));
        let mut ranked: Vec<_> = choices.iter().map(|choice| (worth(choice), choice.placement)).collect();
        ranked.sort_by_key(|(worth, _)| *worth);
        let nodes = ranked.len() as u64;
        Ranking { moves: ranked.into_iter().map(|(_, at)| at).collect(), nodes, depth: 1 }
    }
}

/// The look-ahead bot.
struct LookAhead {
    bot: Bot,
    budget: Budget,
}

impl Mind for LookAhead {
    fn think(&mut self, view: &View, _: &mut Generator) -> Ranking {
        let thought = self.bot.think(view, self.budget, None);
        let moves = thought.candidates.iter().map(|candidate| candidate.placement).collect();
        Ranking { moves, nodes: thought.nodes, depth: thought.depth }
    }
}

/// A linear controller of placement games, on guideline boards.
struct Linear {
    controller: Controller,
    game: PlacementGame,
    weights: Vec<i64>,
    /// The rotation of each piece and orientation there, and its lower left corner seen from our centre.
    names: BTreeMap<(Piece, Orientation), (u8, u8, i8, i8)>,
}

impl Linear {
    fn new(controller: Controller) -> Linear {
        let game = equivalent();
        let weights = controller.scaled_weights(&game);
        let mut names = BTreeMap::new();
        for piece in Piece::ALL {
            let index = game.piece_index(&piece.to_string()).unwrap_or(0);
            for orientation in Orientation::ALL {
                let cells = piece.cells(orientation);
                let (left, low) = cells.iter().fold((0, 0), |(x, y), cell| (cell.0.min(x), cell.1.min(y)));
                let mut shape = cells.map(|(x, y)| ((x - left) as usize, (y - low) as usize));
                shape.sort_unstable();
                let same = |rotation: &engine::Shape| {
                    let mut cells: Vec<_> = rotation.cells().collect();
                    cells.sort_unstable();
                    cells == shape
                };
                let rotation = game.pieces()[index].rotations().iter().position(same).unwrap_or(0);
                names.insert((piece, orientation), (index as u8, rotation as u8, left, low));
            }
        }
        Linear { controller, game, weights, names }
    }

    fn value(&self, choice: &Choice<'_>) -> i64 {
        let at = &choice.placement;
        let (piece, rotation, left, low) = self.names[&(at.piece, at.orientation)];
        let placement =
            engine::Placement { piece, rotation, column: (at.x + left) as u8, row: (at.y + low) as u8 };
        let before = plain(choice.before);
        let after = plain(&choice.after);
        let mut filled = *choice.before;
        at.cells().iter().for_each(|&(x, y)| filled.insert(x as usize, y as usize));
        let low = placement.row as usize;
        let cleared = (0..4).filter(|i| filled.row(low + i) == 0x3ff).fold(0, |bits, i| bits | 1 << i);
        let state = Afterstate { game: &self.game, before: &before, after: &after, placement, cleared };
        let counts = self.controller.features().iter().map(|feature| feature.count(&state));
        counts.zip(&self.weights).map(|(count, weight)| count * weight).sum()
    }
}

/// The placement game with the same board and pieces.
fn equivalent() -> PlacementGame {
    let overrides = ["board.height=40".parse().expect("an override")];
    let game = engine::Game::built_in("classic", &overrides).and_then(Result::ok);
    game.and_then(|game| game.placement().cloned()).expect("a built-in placement game")
}

fn plain(board: &Board) -> engine::Board {
    let height = bellmino_engine::guideline::HEIGHT;
    let mut plain = engine::Board::new(bellmino_engine::guideline::WIDTH, height);
    for (x, column) in board.columns().iter().enumerate() {
        (0..column.height()).filter(|&y| column.contains(y)).for_each(|y| plain.insert(x, y));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

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
        mind.think(&view, &mut stream(0, Purpose::Player, 0)).moves[0]
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
                let mut view = View::of(&mut playthrough.game.clone());
                let Some(step) = playthrough.next() else { break };
                view.position.board = flattened(&step.before);
                let ours = Player::parse(&format!("weights:{name}"), None)
                    .unwrap()
                    .start(&view.rules)
                    .think(&view, &mut stream(0, Purpose::Player, 0));
                let piece = game.piece_index(&view.queue[0].to_string()).unwrap();
                let grid = <engine::AnyColumns as engine::Grid>::from_board(&plain(&view.position.board));
                let theirs = controller.choose(&game, &grid, piece).unwrap();
                let mut cells: Vec<(usize, usize)> = theirs
                    .shape(&game)
                    .cells()
                    .map(|(x, y)| (x + theirs.column as usize, y + theirs.row as usize))
                    .collect();
                let mut found = ours.moves[0].cells().map(|(x, y)| (x as usize, y as usize));
                found.sort_unstable();
                cells.sort_unstable();
                let linear = Linear::new(controller.clone());
                let value = |at: &Placement| {
                    let list = choices(&view);
                    linear.value(list.iter().find(|choice| choice.placement == *at).unwrap())
                };
                // Ties may go another way: the rotations have another order.
                let same = choices(&view).iter().any(|choice| {
                    let mut own = choice.placement.cells().map(|(x, y)| (x as usize, y as usize));
                    own.sort_unstable();
                    own[..] == cells[..] && value(&choice.placement) == value(&ours.moves[0])
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
}
