//! The whole distribution of a result: how likely a given player makes at least so much.
//!
//! Let `G(k, n)` be the chance to make at least `k` more from node `n`. It is 1 for `k <= 0`, and else the mean of `G(k -
//! gain, next)` over what may be dealt. Placements that gain nothing add cells, so that the nodes of one level `k` are done
//! in the order of their cells, the fullest first, each once: nothing is iterated, and every level is as exact as the
//! arithmetic. Under a horizon the levels are kept for each number of pieces left instead.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Overflow;
use rayon::prelude::*;

use crate::bellman::{Boards, Operator, PlacementPolicy};
use crate::graph;
use crate::run::Run;
use crate::settings::{Abstraction, Dealing, Objective, Placing, SolveSettings};
use crate::sides::{DealerPolicy, Policy, Sides};
use crate::solve::{SolveError, check, explored};
use crate::space::Transition;
use crate::watch::{SolvePhase, SolveProgress, Watch};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultUnit {
    /// Points.
    Score,
    /// Rows cleared.
    Lines,
    /// Pieces placed, the one that ends the game included where it lands.
    Pieces,
}

/// How likely a result is.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// What is counted.
    pub unit: ResultUnit,
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
    /// Results, from the smallest on, each with the probability of at least that.
    pub at_least: Vec<(f64, f64)>,
    /// How far each of these probabilities can be from the truth, and the most that can lie beyond the last: proven.
    pub error_bound: f64,
}

impl Distribution {
    /// The smallest result that is not passed with at least this probability.
    pub fn quantile(&self, share: f64) -> f64 {
        let next = self.at_least.iter().skip(1).map(|(_, chance)| *chance).chain([0.0]);
        let mut passed = self.at_least.iter().zip(next);
        let found = passed.find(|(_, above)| 1.0 - above >= share);
        found.map_or(f64::INFINITY, |((result, _), _)| *result)
    }

    /// The mean of the worst results, if this share of all counts.
    pub fn mean_of_worst(&self, share: f64) -> f64 {
        let next = self.at_least.iter().skip(1).map(|(_, chance)| *chance).chain([0.0]);
        let (mut left, mut sum) = (share, 0.0);
        for ((result, chance), above) in self.at_least.iter().zip(next) {
            let taken = (chance - above).min(left);
            sum += taken * result;
            left -= taken;
        }
        sum / (share - left).max(f64::MIN_POSITIVE)
    }
}

/// The distribution of what a given player makes, against the game's own dealer or a given one, over a horizon or until the
/// game ends.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_exact::{Objective, ResultUnit, Sides, Silent, SolveSettings, distribution, solve};
///
/// let game = Game::built_in("mini", &[]).unwrap().unwrap();
/// let settings = SolveSettings::new(Objective::Total);
/// let best = solve(game.placement().unwrap(), &settings, &Silent)?;
/// let sides = Sides { player: Some(&best.table), dealer: None };
/// let found = distribution(game.placement().unwrap(), &settings, sides, ResultUnit::Score, &Silent)?;
/// assert!((found.mean - best.report.value.unwrap()).abs() < 1e-7);
/// assert_eq!(found.at_least[0], (0.0, 1.0));
/// # Ok::<(), bellmino_exact::SolveError>(())
/// ```
pub fn distribution(
    game: &PlacementGame,
    settings: &SolveSettings,
    sides: Sides<'_>,
    unit: ResultUnit,
    watch: &dyn Watch,
) -> Result<Distribution, SolveError> {
    let settings = &SolveSettings { keep_stages: false, reward: None, ..settings.clone() };
    check(game, settings, &sides)?;
    let refuse = |why: &str| Err(SolveError::Unsupported(why.to_owned()));
    if sides.player.is_none() && settings.placing == Placing::Best {
        return refuse("a distribution is that of a given player, or of all placements alike");
    }
    if settings.dealing != Dealing::Random || settings.hold || settings.view != Abstraction::Grid {
        return refuse(
            "a distribution needs the random dealer or a table that deals, no hold and no view; a worst dealer answers what it sees",
        );
    }
    if !matches!(settings.objective, Objective::Total | Objective::Horizon(_)) {
        return refuse("a distribution is that of the objective total or horizon:N");
    }
    let gains = StepGains::new(game, unit).ok_or_else(|| {
        SolveError::Unsupported("the points of this game have no common unit; ask for lines or pieces".into())
    })?;
    let by_time = sides.player.is_some_and(Policy::depends_on_time);
    let space = explored(game, settings, sides, None, sides.player.is_some() && !by_time, watch)?;
    let boards = space.boards();
    let run = Run { game, settings, space: &space, sides, watch, resume: None, boards };
    let levels = match settings.objective {
        Objective::Horizon(pieces) => Levels { run, gains: &gains }.horizon(pieces)?,
        _ => Levels { run, gains: &gains }.until_the_end()?,
    };
    Ok(levels.told(unit, gains.step))
}

/// What each placement gains, in whole steps.
struct StepGains {
    /// Points, rows or pieces of one step.
    step: f64,
    /// For 0, 1, 2, ... rows.
    by_lines: [u32; 8],
    /// For a placement that ends the game.
    fatal: u32,
    /// The most rows that one step stands for, and the most that a placement gains.
    rows: f64,
    most: u32,
}

impl StepGains {
    fn new(game: &PlacementGame, unit: ResultUnit) -> Option<StepGains> {
        let points: [f64; 8] = std::array::from_fn(|lines| match unit {
            ResultUnit::Score => game.score().points(lines as u32),
            ResultUnit::Lines => lines as f64,
            ResultUnit::Pieces => 1.0,
        });
        let step = common_step(&points)?;
        let by_lines = points.map(|points| (points / step).round() as u32);
        let lands = unit == ResultUnit::Pieces && game.landing().overflow == Overflow::ClearFirst;
        let rows = (1..8).map(|lines| lines as f64 / f64::from(by_lines[lines].max(1))).fold(0.0, f64::max);
        let most = by_lines.iter().copied().max()?;
        Some(StepGains { step, by_lines, fatal: u32::from(lands), rows, most })
    }
}

/// The largest number of which all points are whole multiples.
fn common_step(points: &[f64]) -> Option<f64> {
    let paid: Vec<f64> = points.iter().copied().filter(|points| *points > 0.0).collect();
    let Some(least) = paid.iter().copied().reduce(f64::min) else { return Some(1.0) };
    let is_whole = |step: f64| {
        paid.iter().all(|points| {
            let times = points / step;
            times < 1e6 && (times - times.round()).abs() <= 1e-9 * times
        })
    };
    (1..=1000).map(|part| least / f64::from(part)).find(|step| is_whole(*step))
}

/// What may come after a node.
struct ChainEdge {
    probability: f64,
    /// The node that follows, if the game goes on.
    next: Option<u32>,
    gain: u32,
}

/// All nodes with what may come after them.
struct Chain {
    first: Vec<u32>,
    edges: Vec<ChainEdge>,
}

impl Chain {
    fn after(&self, node: usize) -> &[ChainEdge] {
        &self.edges[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// The chances found: of at least 0, 1, 2, ... steps.
struct LevelChances {
    chances: Vec<f64>,
    rounding: f64,
}

impl LevelChances {
    fn told(self, unit: ResultUnit, step: f64) -> Distribution {
        let LevelChances { chances, rounding } = self;
        let beyond = chances.last().copied().unwrap_or(0.0);
        let mean: f64 = chances.iter().skip(1).sum();
        let above = chances.iter().skip(1).copied().chain([0.0]);
        let square =
            |(steps, (chance, above)): (usize, (&f64, f64))| (chance - above) * (steps as f64 - mean).powi(2);
        let variance: f64 = chances.iter().zip(above).enumerate().map(square).sum();
        let known = chances.iter().enumerate().filter(|(_, chance)| **chance > 0.0);
        Distribution {
            unit,
            mean: mean * step,
            variance: variance * step * step,
            at_least: known.map(|(steps, chance)| (steps as f64 * step, *chance)).collect(),
            error_bound: rounding + beyond.min(LEAST),
        }
    }
}

/// Chances below this are not followed further.
const LEAST: f64 = 1e-16;

struct Levels<'a> {
    run: Run<'a>,
    gains: &'a StepGains,
}

impl Levels<'_> {
    /// What may come after each node with so many pieces left.
    fn chain(&self, left: Option<u32>) -> Result<Chain, SolveError> {
        let Run { space, sides, .. } = self.run;
        let (supply, contexts, count) = (&space.supply, space.contexts(), space.supply.moves.len());
        let by_time = sides.player.is_some_and(Policy::depends_on_time);
        let steps = self.run.given_steps(left.filter(|_| by_time))?;
        let deals_by_time = sides.dealer.is_some_and(DealerPolicy::depends_on_time);
        let dealt = self.run.dealt(left.filter(|_| deals_by_time))?;
        let operator = self.run.operator(steps.as_deref(), dealt.as_deref());
        let mut chain = Chain { first: vec![0], edges: Vec::new() };
        for board in 0..space.index.len() {
            let mut all: Vec<Vec<Transition>> = vec![Vec::new(); supply.moves_of.len()];
            if matches!(operator.place, PlacementPolicy::Average) {
                space.steps(board, &mut vec![true; count], |piece, step| all[piece].push(step));
            }
            for (context, node) in (0..contexts).map(|context| (context, board * contexts + context)) {
                let deals = supply.contexts[context].deals.iter().enumerate();
                for (number, dealt) in deals.filter(|_| space.is_reached(node)) {
                    let own = dealt.probability;
                    let chance = operator.dealt.map_or(own, |given| given.probability(node, number, own));
                    let number = supply.hands[dealt.hand as usize].moves[0] as usize;
                    let given;
                    let list: &[Transition] = match operator.place {
                        PlacementPolicy::Given(steps) => {
                            given = [Transition(steps[board * count + number])];
                            &given
                        }
                        _ => &all[supply.moves[number].piece as usize],
                    };
                    let each = chance / list.len().max(1) as f64;
                    let edge = |step: &Transition| match step.is_fatal() {
                        true => ChainEdge { probability: each, next: None, gain: self.gains.fatal },
                        false => ChainEdge {
                            probability: each,
                            next: Some(step.node(supply, supply.moves[number].next) as u32),
                            gain: self.gains.by_lines[step.lines()],
                        },
                    };
                    chain.edges.extend(list.iter().map(edge).filter(|edge| edge.probability > 0.0));
                    if list.is_empty() {
                        chain.edges.push(ChainEdge { probability: chance, next: None, gain: 0 });
                    }
                }
                chain.first.push(chain.edges.len() as u32);
            }
        }
        Ok(chain)
    }

    /// By level until hardly anything is left.
    fn until_the_end(&self) -> Result<LevelChances, SolveError> {
        let Run { space, watch, game, .. } = self.run;
        let pays = self.gains.by_lines[1..=self.run.most_rows()].iter().all(|gain| *gain > 0);
        if !pays {
            return Err(SolveError::Unsupported(
                "some rows are cleared for nothing here: ask for lines, pieces or a horizon".into(),
            ));
        }
        let steps = self.run.given_steps(None)?;
        let dealt = self.run.dealt(None)?;
        let operator: Operator<'_> = self.run.operator(steps.as_deref(), dealt.as_deref());
        let safe = graph::safe(&operator, watch)?;
        if graph::reaches(&operator, &safe, self.run.start_nodes()) {
            return Err(SolveError::Unsupported(
                "the game may never end: ask for the distribution of horizon:N".into(),
            ));
        }
        let (nodes, contexts) = (space.nodes(), space.contexts());
        let chain = self.chain(None)?;
        let mut order: Vec<u32> = (0..nodes as u32).filter(|node| space.is_reached(*node as usize)).collect();
        order.sort_by_key(|node| {
            std::cmp::Reverse(space.index.board(*node as usize / contexts).0.count_ones())
        });
        // The levels that the next one looks back at; the newest at `level % ring.len()`.
        let ring_len = self.gains.most as usize + 1;
        let mut ring = vec![vec![1.0; nodes]; ring_len];
        let mut chances = vec![1.0];
        while chances.last().is_some_and(|chance| *chance >= LEAST) {
            let level = chances.len();
            let mut new = std::mem::take(&mut ring[level % ring_len]);
            for &node in &order {
                let one = |edge: &ChainEdge| {
                    let gain = edge.gain as usize;
                    let chance = match edge.next {
                        _ if gain >= level => 1.0,
                        None => 0.0,
                        Some(next) if gain == 0 => new[next as usize],
                        Some(next) => ring[(level - gain) % ring_len][next as usize],
                    };
                    edge.probability * chance
                };
                new[node as usize] = chain.after(node as usize).iter().map(one).sum();
            }
            chances.push(self.at_start(|node| new[node]));
            ring[level % ring_len] = new;
            watch.progress(&SolveProgress {
                phase: SolvePhase::Solve,
                boards: space.index.len() as u64,
                sweeps: level as u64,
                ..SolveProgress::default()
            });
            if !watch.go_on() {
                return Err(SolveError::Interrupted);
            }
        }
        let cells = (game.width() * game.height()) as f64;
        let rows = self.gains.rows * chances.len() as f64 * game.width() as f64;
        Ok(LevelChances { rounding: self.rounding(&chain, cells + rows), chances })
    }

    /// For each number of pieces left.
    fn horizon(&self, pieces: u32) -> Result<LevelChances, SolveError> {
        let Run { space, watch, game, settings, .. } = self.run;
        let cells = self.run.space.supply.moves.iter().map(|one| game.pieces()[one.piece as usize].cells());
        let rows = (f64::from(pieces) * f64::from(cells.max().unwrap_or(1))
            + f64::from(space.start.0.count_ones()))
            / game.width() as f64;
        let ratio =
            (1..8).map(|lines| f64::from(self.gains.by_lines[lines]) / lines as f64).fold(0.0, f64::max);
        let by_rows = if self.gains.by_lines[0] == 0 { (rows * ratio).floor() as usize } else { usize::MAX };
        let most = by_rows.min(pieces as usize * self.gains.most as usize);
        let width = most + 1;
        let bytes = 16 * (space.nodes() as u64).saturating_mul(width as u64);
        let limit = settings.memory.unwrap_or(1 << 32);
        if bytes > limit {
            return Err(SolveError::TooBig { bytes, limit, boards: Some(space.boards()) });
        }
        let mut before = vec![0.0; space.nodes() * width];
        before.chunks_mut(width).for_each(|chances| chances[0] = 1.0);
        let mut after = before.clone();
        let mut rounding = 0.0;
        let mut chain = None;
        let changes = self.run.sides.player.is_some_and(Policy::depends_on_time)
            || self.run.sides.dealer.is_some_and(DealerPolicy::depends_on_time);
        for left in 1..=pieces {
            if changes || chain.is_none() {
                chain = Some(self.chain(Some(left))?);
            }
            let Some(chain) = &chain else { break };
            after.par_chunks_mut(width).enumerate().for_each(|(node, chances)| {
                chances[1..].fill(0.0);
                for ChainEdge { probability, next, gain } in chain.after(node) {
                    let gain = (*gain as usize).min(most);
                    chances[1..=gain].iter_mut().for_each(|chance| *chance += probability);
                    if let Some(next) = next {
                        let next = &before[*next as usize * width..][1..width - gain];
                        let above = chances[gain + 1..].iter_mut().zip(next);
                        above.for_each(|(chance, next)| *chance += probability * next);
                    }
                }
            });
            std::mem::swap(&mut before, &mut after);
            rounding += self.rounding(chain, 1.0);
            if !watch.go_on() {
                return Err(SolveError::Interrupted);
            }
        }
        let mut chances: Vec<f64> =
            (0..width).map(|steps| self.at_start(|node| before[node * width + steps])).collect();
        while chances.last() == Some(&0.0) {
            chances.pop();
        }
        // Nothing lies beyond the last.
        chances.push(0.0);
        Ok(LevelChances { chances, rounding })
    }

    /// What is true of the start, from what is true of nodes.
    fn at_start(&self, chance: impl Fn(usize) -> f64) -> f64 {
        let space = self.run.space;
        let first = space.supply.first_distribution().into_iter();
        first.filter_map(|(context, p)| Some(p * chance(space.node(space.start, context)?))).sum()
    }

    /// How much rounding can change a chance on a way of so many cells or pieces.
    fn rounding(&self, chain: &Chain, way: f64) -> f64 {
        let terms = chain.first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        f64::from(terms + 4) * f64::EPSILON * way
    }
}
