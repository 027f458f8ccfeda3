//! The bot: thinks about a position and says what to play.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bellmino_engine::guideline::{Board, Goal, Piece, Placement, Rules, View};

use crate::beam::Beam;
use crate::budget::{Budget, ENOUGH, Meter, UNBOUNDED};
use crate::cycle::{self, Cycle, Cycles};
use crate::endgame::{self, Endgame, EndgameAim, Scope};
use crate::evaluation::{EvaluationState, Weights};
use crate::expansion::Root;
use crate::outlook::Outlook;

/// How the bot is set up.
#[derive(Clone, Debug, PartialEq)]
pub struct BotSettings {
    /// The evaluation.
    pub weights: Weights,
    /// The most positions kept after each piece; bounds the memory.
    pub width: usize,
    /// The most pieces to look ahead.
    pub depth: usize,
    /// Seed of the pieces imagined beyond the queue at the end of a Sprint.
    pub seed: u64,
    /// What a key press costs, in the unit of the evaluation; 0 if keys do not matter.
    pub key_price: f32,
}

/// What the bot thinks of a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thought {
    /// Placements, the best first; empty only if there is none.
    pub candidates: Vec<Candidate>,
    /// What the values of the candidates mean.
    pub unit: ValueUnit,
    /// Placements applied and evaluated.
    pub nodes: u64,
    /// Pieces looked ahead.
    pub depth: usize,
    /// The time it took; for the bot, processor time.
    pub time: Duration,
}

impl Thought {
    /// What a player thinks that looks at each placement by itself, the best first.
    pub fn of_single(ranked: impl IntoIterator<Item = (Placement, f64)>) -> Thought {
        let candidate = |(placement, value)| Candidate { placement, value, line: vec![placement] };
        let candidates: Vec<Candidate> = ranked.into_iter().map(candidate).collect();
        let nodes = candidates.len() as u64;
        Thought { candidates, unit: ValueUnit::Own, nodes, depth: 1, ..Thought::default() }
    }

    /// The best candidate.
    pub fn best(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    /// Whether more thinking would change nothing: the goal is reached whatever comes.
    pub fn is_certain(&self) -> bool {
        self.unit == ValueUnit::Chance && self.best().is_some_and(|best| best.value >= 1.0)
    }
}

/// What the value of a placement means; more is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueUnit {
    /// Points: made in the line of play, and expected after it for the state of the board.
    #[default]
    Points,
    /// The state of the stack where points do not count; 0 is an empty board.
    Stack,
    /// The chance of clearing the last row with an empty board.
    Chance,
    /// The measure of a player that is not the bot, such as the sum of a linear controller.
    Own,
}

impl ValueUnit {
    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            ValueUnit::Points => "points",
            ValueUnit::Stack => "stack",
            ValueUnit::Chance => "chance",
            ValueUnit::Own => "own",
        }
    }
}

/// A placement the bot has considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The placement.
    pub placement: Placement,
    /// Its worth, see [`Thought::unit`].
    pub value: f64,
    /// How play might go on, this placement first.
    pub line: Vec<Placement>,
}

/// A player that looks ahead.
#[derive(Debug)]
pub struct Bot {
    settings: BotSettings,
    beam: Beam,
    /// What is known of the ways of [`WAYS`].
    endgame: [Endgame; WAYS.len()],
    sure: Option<Sure>,
    /// Nodes a second, to turn a time into a width.
    speed: f64,
}

/// A line of play that surely empties the board.
#[derive(Debug)]
struct Sure {
    /// The board it starts from.
    board: Board,
    line: Vec<Placement>,
    /// The chance that the game ends on an empty board.
    value: f64,
}

/// An empty board to aim for.
#[derive(Debug)]
struct Way {
    /// Rows left to clear from there.
    rows: u32,
    aim: EndgameAim,
    /// The chance that the game ends on an empty board from there.
    chance: f64,
    /// The same if it is missed.
    otherwise: f64,
}

/// The ways to the end, the best first. From an empty board with ten pieces to go it depends on the piece held how likely the end
/// is: a T helps most, an S or a Z least.
const WAYS: [Way; 4] = [
    Way {
        rows: 4,
        aim: EndgameAim { scope: Scope::Near, share: 0.25, left: &[Piece::T] },
        chance: 0.998,
        otherwise: 0.97,
    },
    Way {
        rows: 4,
        aim: EndgameAim {
            scope: Scope::Near,
            share: 0.5,
            left: &[Piece::I, Piece::O, Piece::T, Piece::L, Piece::J],
        },
        chance: 0.99,
        otherwise: 0.93,
    },
    Way {
        rows: 4,
        aim: EndgameAim { scope: Scope::Near, share: 0.7, left: &Piece::ALL },
        chance: 0.95,
        otherwise: 0.9,
    },
    Way {
        rows: 0,
        aim: EndgameAim { scope: Scope::Near, share: 1.0, left: &Piece::ALL },
        chance: 1.0,
        otherwise: 0.0,
    },
];

impl BotSettings {
    /// The shipped settings for a game of these rules: for the fewest pieces if a number of rows is the goal, else
    /// for points.
    pub fn for_rules(rules: &Rules) -> BotSettings {
        let weights = if rules.goal.lines.is_some() { Weights::sprint() } else { Weights::blitz() };
        BotSettings { weights, width: 4000, depth: 16, seed: 0, key_price: 0.0 }
    }
}

impl Bot {
    /// A bot.
    pub fn new(settings: BotSettings) -> Bot {
        Bot { settings, beam: Beam::default(), endgame: Default::default(), sure: None, speed: 2e6 }
    }

    /// The shipped bot for a game of these rules.
    pub fn for_rules(rules: &Rules) -> Bot {
        Bot::new(BotSettings::for_rules(rules))
    }

    /// How it is set up.
    pub fn settings(&self) -> &BotSettings {
        &self.settings
    }

    /// Thinks about a position. `stop` ends it early, with the best so far.
    pub fn think(&mut self, view: &View, budget: Budget, stop: Option<&AtomicBool>) -> Thought {
        let mut meter = Meter::new(budget, self.speed, stop);
        let goal = view.rules.goal;
        let (mut queue, mut bag) = (view.queue.clone(), view.bag.as_slice());
        // The last piece of a bag is as good as in sight. The end of a game of rows looks at the bag by itself, and with few nodes a
        // wider search is better than a deeper one. Where nothing is in sight it would be at hand, by hold, and no match allows that.
        let is_hidden = view.rules.hold && view.position.hold.is_none() && queue.len() == 1;
        if let ([last], None) = (bag, goal.lines)
            && !is_hidden
            && meter.left(UNBOUNDED) >= ENOUGH
        {
            queue.push(*last);
            bag = &[];
        }
        let mut queue = queue.as_slice();
        let mut reserve = view.position.hold;
        if view.rules.hold && reserve.is_none() && queue.len() > 1 {
            reserve = Some(queue[0]);
            queue = &queue[1..];
        }
        let root = Root {
            board: view.position.board,
            standing: EvaluationState {
                reserve,
                back_to_back: view.position.back_to_back,
                combo: view.position.combo,
            },
            pieces: queue,
            bag,
            rules: &view.rules,
            goal: Goal {
                pieces: goal.pieces_left(view.pieces),
                lines: goal.lines_left(view.lines),
                seconds: None,
            },
            key_price: self.settings.key_price,
            held: view.position.hold.is_some(),
        };
        let candidates = self.plan(&root, &mut meter);
        if !candidates.is_empty() {
            let depth = candidates[0].line.len();
            return Thought {
                candidates,
                unit: ValueUnit::Chance,
                nodes: meter.nodes,
                depth,
                time: meter.elapsed(),
            };
        }
        let BotSettings { weights, width, seed, .. } = &self.settings;
        let all = meter.left(UNBOUNDED);
        self.beam.low = if cycle::are_likely(&root, weights, all) { cycle::KEPT } else { 0 };
        self.beam.begin(&root);
        let depth = queue.len().min(self.settings.depth);
        let outlook = Outlook::within(all, &root, depth);
        self.beam.extend(&root, weights, depth, *width, outlook.spare, &mut meter);
        if meter.is_stopped() {
            self.beam.fall_back();
        }
        if self.beam.low > 0 {
            meter.held_back = cycle::spare(&root, &self.beam, all);
        }
        let beyond = self.beam.look_beyond(&root, weights, outlook, &mut meter) as usize;
        let nodes = std::mem::take(&mut meter.held_back);
        let mut found = vec![];
        if nodes > 0 {
            let cycles = Cycles { root: &root, beam: &self.beam, weights, beyond, seed: *seed };
            found = cycles.find(nodes, &mut meter);
            // With what they left over.
            self.beam.look_beyond(&root, weights, outlook, &mut meter);
        }
        let mut candidates = self.ranked();
        let top = candidates.first().map_or(0.0, |best| best.value);
        for Cycle { value, line } in found {
            let (placement, gain) = (line[0], f64::from(value) - top);
            let place = candidates.iter().position(|candidate| candidate.placement == placement);
            if let Some(place) = place.filter(|_| gain > 0.0) {
                candidates.remove(place);
                candidates.insert(0, Candidate { placement, value: top + cycle::KEEPS * gain, line });
            }
        }
        candidates.truncate(64);
        self.speed = meter.speed();
        let unit = if self.settings.weights.points > 0.0 { ValueUnit::Points } else { ValueUnit::Stack };
        Thought { candidates, unit, nodes: meter.nodes, depth: self.beam.layers.len(), time: meter.elapsed() }
    }

    /// The positions after the last piece in sight that the last thought came to, the best first.
    pub fn frontier(&self) -> impl Iterator<Item = (Board, EvaluationState)> {
        self.beam.layers.last().into_iter().flatten().map(|node| (node.stage.board, node.stage.standing))
    }

    /// The end of a game of a given number of rows, as soon as it can be solved, and before that an empty board ten pieces
    /// before the end: from there it can nearly always be solved.
    fn plan(&mut self, root: &Root<'_>, meter: &mut Meter<'_>) -> Vec<Candidate> {
        if let Some(Sure { board, line, value }) = self.sure.take()
            && board == root.board
            && !line.is_empty()
        {
            let mut after = board;
            if after.place(&line[0]).is_some() {
                self.sure = Some(Sure { board: after, line: line[1..].to_vec(), value });
                return vec![Candidate { placement: line[0], value, line }];
            }
        }
        let mut plan = vec![];
        for (way, endgame) in WAYS.iter().zip(&mut self.endgame) {
            let Some(lines) = root.goal.lines.and_then(|lines| lines.checked_sub(way.rows)) else { continue };
            // Who pays for keys takes a detour only where it is the end.
            if way.rows > 0 && root.key_price != 0.0 {
                continue;
            }
            // The last piece has to be within the depth.
            let needed = (lines as usize * 10).saturating_sub(root.board.len()) / 4;
            if needed == 0 || needed > self.settings.depth {
                continue;
            }
            let root = Root { goal: Goal { lines: Some(lines), ..root.goal }, ..root.clone() };
            let (mut candidates, _) = endgame::solve(endgame, &root, self.settings.seed, way.aim, meter);
            for Candidate { value, .. } in &mut candidates {
                *value = *value * way.chance + (1.0 - *value) * way.otherwise;
            }
            let value = |candidates: &[Candidate]| candidates.first().map_or(0.0, |best| best.value);
            if value(&candidates) <= value(&plan) {
                continue;
            }
            // All pieces of the line are known: it can be played to its end.
            let best = &candidates[0];
            if best.line.len() == needed && needed <= root.pieces.len() {
                let mut after = root.board;
                after.place(&best.line[0]);
                self.sure = Some(Sure { board: after, line: best.line[1..].to_vec(), value: best.value });
            }
            plan = candidates;
            if value(&plan) >= way.chance {
                break;
            }
        }
        plan
    }

    /// The first placements by the best position they lead to; those whose positions were all dropped come last.
    fn ranked(&self) -> Vec<Candidate> {
        let Some(first) = self.beam.layers.first() else { return vec![] };
        let mut seen = vec![false; first.len()];
        let mut ranked = vec![];
        for depth in (0..self.beam.layers.len()).rev() {
            for (index, node) in self.beam.layers[depth].iter().enumerate() {
                if !std::mem::replace(&mut seen[node.first as usize], true) {
                    let line = self.beam.line(depth, index);
                    ranked.push(Candidate { placement: line[0], value: f64::from(node.value), line });
                }
            }
        }
        ranked
    }
}
