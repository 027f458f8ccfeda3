//! Minds of guideline games: linear controllers, the look-ahead bot and the simple players.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bellmino_engine::guideline::{Match, Rules, View};
use bellmino_engine::{Generator, below};
use bellmino_learn::FeatureError;
use bellmino_learn::guideline::{Pilot, prospects};
use bellmino_search::{Bot, BotSettings, Budget, Forecast, Thought, Weights};

use super::baseline::Baseline;
use super::{Origin, PlayerError, weights};
use crate::playthrough::{Move, Plays};
use crate::resources::{ResourceKind, Resources, read_text};

/// Makes a mind for a game of these rules.
pub type MakeMind = Arc<dyn Fn(&Rules) -> Box<dyn Mind> + Send + Sync>;

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

/// How a mind likes to think ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pondering {
    /// What must be thought before there is an answer.
    pub first: Budget,
    /// Whether to look again with twice the nodes, and again, until the next position or enough of it.
    pub more: bool,
}

/// Somebody who thinks about the latest position while the other side is at it.
pub trait Ponders: Send {
    /// Thinks about this position from now on.
    fn look_at(&self, view: View);

    /// The best so far for the latest position; waits for the first answer. `None` if there is none and there will be none.
    fn best(&self) -> Option<Thought>;
}

/// Has a mind think ahead, where there is somebody who can; `None` where there is not.
pub type StartPondering = fn(Box<dyn Mind>, Pondering) -> Option<Box<dyn Ponders>>;

/// How players are written, besides the simple ones.
pub(super) const FORMS: [&str; 5] = ["weights:NAME-OR-FILE", "bot", "bot:DEPTH", "bot:keys", "bot:FILE"];

/// What a key press costs for `bot:keys`, in the unit of the evaluation.
const KEY_PRICE: f32 = 200.0;

/// The nodes of `bot` per move when no budget is given and nobody waits.
pub const BOT_NODES: u64 = 20_000;

/// What makes minds, and what it is made of.
type Parsed = (MakeMind, Origin);

/// The player of this name, with what it is made of, or `None` if there is none.
pub(super) fn parse(
    text: &str,
    budget: Option<Budget>,
    resources: &dyn Resources,
) -> Result<Option<Parsed>, PlayerError> {
    let mut origin = Origin::Name;
    let make = match text.split_once(':') {
        None if text == "bot" => bot(budget, |_| {}),
        Some(("bot", depth)) if depth.bytes().all(|byte| byte.is_ascii_digit()) => {
            let Some(depth) = depth.parse().ok().filter(|depth| (1..=16).contains(depth)) else {
                let hint = "give the pieces to look ahead, 1 to 16, as in `bot:1`".to_owned();
                return Err(PlayerError::Unknown { name: text.to_owned(), hint });
            };
            bot(budget, move |settings| settings.depth = depth)
        }
        Some(("bot", keys)) if keys.split(':').next() == Some("keys") => {
            let price = keys.split_once(':').map_or(Some(KEY_PRICE), |(_, price)| price.parse().ok());
            let Some(price) = price.filter(|price| (0.0..=1e6).contains(price)) else {
                let hint = "give what a key press costs, 0 to 1000000, as in `bot:keys:200`".to_owned();
                return Err(PlayerError::Unknown { name: text.to_owned(), hint });
            };
            bot(budget, move |settings| settings.key_price = price)
        }
        Some(("bot", file)) => {
            let refuse = |hint: String| PlayerError::Unknown { name: text.to_owned(), hint };
            let content = read_text(resources, ResourceKind::Bot, file);
            let content = content.map_err(|error| refuse(error.to_string()))?;
            let weights = Weights::read(&content).map_err(refuse)?;
            origin = Origin::Bot(content.into());
            bot_with(weights, budget)
        }
        Some(("weights", name)) => {
            let bad =
                |why: FeatureError| PlayerError::BadWeights { name: name.to_owned(), why: why.to_string() };
            let pilot = Arc::new(Pilot::new(weights(name, resources)?).map_err(bad)?);
            origin = Origin::Pilot(pilot.clone());
            piloted(pilot)
        }
        _ => match Baseline::named(text) {
            Some(baseline) => Arc::new(move |_: &Rules| Box::new(Simple(baseline)) as Box<dyn Mind>),
            None => return Ok(None),
        },
    };
    Ok(Some((make, origin)))
}

/// A linear controller.
pub(super) fn piloted(pilot: Arc<Pilot>) -> MakeMind {
    Arc::new(move |_| Box::new(Piloted(pilot.clone())))
}

/// The look-ahead bot with weights of one's own.
pub(super) fn bot_with(weights: Weights, budget: Option<Budget>) -> MakeMind {
    bot(budget, move |settings| settings.weights = weights.clone())
}

/// The look-ahead bot, set up as shipped but for what `change` does.
fn bot(budget: Option<Budget>, change: impl Fn(&mut BotSettings) + Send + Sync + 'static) -> MakeMind {
    Arc::new(move |rules| {
        let mut settings = BotSettings::for_rules(rules);
        change(&mut settings);
        Box::new(LookAhead { bot: Bot::new(settings), budget })
    })
}

impl Plays<Match> for Box<dyn Mind> {
    fn turn(&mut self, game: &mut Match, chance: &mut Generator) -> Option<Move<Match>> {
        let view = game.view();
        let thought = self.think(&view, chance);
        let forecast = Forecast::of(&view, &thought);
        let before = game.position().board;
        let holds = game.stats().holds;
        let ranked = thought.candidates.iter().map(|candidate| candidate.placement);
        let (placement, clear) = ranked.into_iter().find_map(|at| Some((at, game.play(&at).ok()?)))?;
        let held = game.stats().holds > holds;
        Some(Move { placement, held, points: f64::from(clear.points), clear, before, forecast })
    }
}

/// A simple player.
struct Simple(Baseline);

impl Mind for Simple {
    fn think(&mut self, view: &View, generator: &mut Generator) -> Thought {
        let choices = prospects(view);
        if matches!(self.0, Baseline::Random | Baseline::RandomRotation) {
            let nodes = choices.len() as u64;
            let mut likely: Vec<_> = choices.iter().map(|choice| choice.placement).collect();
            if self.0 == Baseline::RandomRotation {
                let mut turns: Vec<_> = likely.iter().map(|at| (at.piece, at.orientation)).collect();
                turns.dedup();
                let turn = (!turns.is_empty()).then(|| turns[below(generator, turns.len())]);
                likely.retain(|at| Some((at.piece, at.orientation)) == turn);
            }
            let chosen = (!likely.is_empty()).then(|| likely[below(generator, likely.len())]);
            return Thought { nodes, ..Thought::of_single(chosen.map(|chosen| (chosen, 0.0))) };
        }
        // Fatal placements come last; ties stay in order.
        let mut ranked: Vec<_> =
            choices.iter().map(|choice| (choice.fatal, self.0.worth(choice), choice)).collect();
        ranked.sort_by_key(|(fatal, worth, _)| (*fatal, std::cmp::Reverse(*worth)));
        if !self.0.is_certain() {
            let same = |one: &(bool, i64, _)| (one.0, one.1) == (ranked[0].0, ranked[0].1);
            let ties = ranked.iter().take_while(|one| same(one)).count();
            if ties > 1 {
                ranked.swap(0, below(generator, ties));
            }
        }
        Thought::of_single(ranked.into_iter().map(|(_, worth, choice)| (choice.placement, worth as f64)))
    }
}

/// A linear controller.
struct Piloted(Arc<Pilot>);

impl Mind for Piloted {
    fn think(&mut self, view: &View, _: &mut Generator) -> Thought {
        let mut ranked = self.0.values(view);
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
        self.bot.think(view, self.budget.unwrap_or(Budget::nodes(BOT_NODES)), None)
    }

    /// With a number of nodes exactly those, so that every game is as in an evaluation; with a time at least that;
    /// else whatever the other side lets pass, and a moment's thought at least.
    fn pondering(&self) -> Option<Pondering> {
        let first = self.budget.unwrap_or(Budget::nodes(BOT_NODES / 2));
        Some(Pondering { first, more: self.budget.is_none_or(|budget| budget.nodes.is_none()) })
    }

    fn ponder(&mut self, view: &View, budget: Budget, stop: &AtomicBool) -> Thought {
        self.bot.think(view, budget, Some(stop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Player;
    use crate::playthrough::Playthrough;
    use bellmino_engine::guideline::{Board, Placement, Position};
    use bellmino_engine::guideline::{Orientation, Piece};
    use bellmino_engine::{self as engine};
    use bellmino_engine::{Purpose, stream};
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
        let mut mind = Player::of_guideline(name, None).unwrap().mind(&view.rules).unwrap();
        mind.think(&view, &mut stream(0, Purpose::Player, 0)).candidates[0].placement
    }

    #[test]
    fn a_controller_sees_the_same_features_as_in_a_placement_game() {
        // On boards without overhangs both games have the same drops; the choice must agree.
        let game = equivalent();
        for name in ["lee4", "dellacherie", "bcts", "dt20"] {
            let controller = Controller::built_in(name).unwrap();
            let rules = Rules { hold: false, ..Rules::PRACTICE };
            let lowest = Player::of_guideline("lowest", None).unwrap();
            let mut playthrough = Playthrough::guideline(&rules, &lowest, 3, 0).unwrap();
            for _ in 0..40 {
                let mut view = playthrough.game().view();
                let Some(step) = playthrough.next() else { break };
                view.position.board = flattened(&step.unwrap().before);
                let ours = Player::of_guideline(&format!("weights:{name}"), None)
                    .unwrap()
                    .mind(&view.rules)
                    .unwrap()
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
                    let list = prospects(&view);
                    pilot.value(list.iter().find(|choice| choice.placement == *at).unwrap(), &view)
                };
                // Ties may go another way: the rotations have another order.
                let same = prospects(&view).iter().any(|choice| {
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
}
