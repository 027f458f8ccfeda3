//! What is gained per piece where a game falls apart: the classes of boards that can be kept to for ever, the gain in each,
//! and the best way into them.
//!
//! An *end component* is a set of nodes in which the player can stay for ever whatever is dealt, and get from any node to any
//! other. Within one the best gain per piece is the same everywhere, and plain iteration finds it with a bound: the gain lies
//! between the least and the greatest change of a sweep. Every play that goes on for ever ends up in one, so that the value of
//! a node is the greatest mean of the gains that can be reached. That is iterated from below and from above, each end
//! component taken as one node: what cannot be left unless one chooses to cannot hide what lies behind it.

use crate::bellman::{Boards, Operator, PlacementPolicy};
use crate::solve::SolveError;
use crate::space::Transition;
use crate::supply::DealBackup;
use crate::watch::Watch;

/// A game written out. Without hold every deal has one move.
struct Graph {
    /// For each node, where its deals begin.
    first_deal: Vec<u32>,
    deals: Vec<DealtEdge>,
    /// For each deal, where its choices begin.
    first_choice: Vec<u32>,
    choices: Vec<Successor>,
    /// Whether all placements are made with the same probability.
    is_average: bool,
    /// A bound on the rounding of one backup, for values of size 1.
    rounding: f64,
}

struct DealtEdge {
    probability: f64,
    /// The placements there are, with those that end the game.
    placements: u32,
}

#[derive(Clone, Copy)]
struct Successor {
    target: u32,
    lines: u8,
}

/// Where the game can go on for ever.
struct Components {
    /// For each node, the number of its end component.
    of_node: Vec<u32>,
    /// For each end component, its nodes.
    nodes: Vec<Vec<u32>>,
}

/// What is gained per piece from every node.
pub(crate) struct Gains {
    /// By node.
    pub(crate) gains: Vec<f64>,
    /// How far they can be from the truth, by node.
    pub(crate) bounds: Vec<f64>,
    /// Values to play by: whoever prefers the greater one gains as much.
    pub(crate) values: Vec<f64>,
    pub(crate) sweeps: u64,
}

/// Of no end component.
const NONE: u32 = u32::MAX;

/// The largest game that is written out: a gigabyte.
const MOST_CHOICES: usize = 1 << 27;

/// How much more a gain counts than what is gained on the way, in values to play by.
const GAIN_FIRST: f64 = 1e6;

const MOST_SWEEPS: u64 = 200_000;

/// The gains of a game in which a random dealer deals; `None` where there is one end component only, or where the game
/// cannot be written out. `wanted` is the bound to reach.
pub(crate) fn gains(
    operator: &Operator<'_>,
    memory: Option<u64>,
    wanted: f64,
    watch: &dyn Watch,
) -> Result<Option<Gains>, SolveError> {
    let Some(graph) = Graph::new(operator, memory) else { return Ok(None) };
    let components = graph.components();
    if components.nodes.len() < 2 {
        return Ok(None);
    }
    let rewards = &operator.rewards;
    let mut sweeps = 0;
    // Half of the bound for what is gained within, half for the way there.
    let mut within = Vec::new();
    for number in 0..components.nodes.len() {
        within.push(graph.gain_within(&components, number, rewards, 0.5 * wanted, &mut sweeps, watch)?);
    }
    let [low, high] = graph.reach(&components, &within, 0.5 * wanted, &mut sweeps, watch)?;
    let gains: Vec<f64> = low.iter().zip(&high).map(|(low, high)| 0.5 * (low + high)).collect();
    let bounds = low.iter().zip(&high).map(|(low, high)| 0.5 * (high - low)).collect();
    let values = graph.values_to_play(&gains, rewards, &mut sweeps, watch)?;
    Ok(Some(Gains { gains, bounds, values, sweeps }))
}

impl Graph {
    fn new(operator: &Operator<'_>, memory: Option<u64>) -> Option<Graph> {
        let (space, supply) = (operator.space, &operator.space.supply);
        let has_hold = supply.hands.iter().any(|hand| hand.moves.len() != 1 || !hand.put_aside.is_empty());
        if operator.deal != DealBackup::Mean || has_hold || space.nodes() >= NONE as usize {
            return None;
        }
        let most = memory.map_or(MOST_CHOICES, |bytes| MOST_CHOICES.min(bytes as usize / 32));
        let (contexts, count) = (space.contexts(), supply.moves.len());
        let mut graph = Graph {
            first_deal: vec![0],
            deals: Vec::new(),
            first_choice: vec![0],
            choices: Vec::new(),
            is_average: matches!(operator.place, PlacementPolicy::Average),
            rounding: operator.rounding(1.0)
                / (1.0 + operator.rewards.iter().fold(0.0, |a: f64, b| a.max(*b))),
        };
        let mut active = vec![true; count];
        let mut steps: Vec<Vec<Transition>> = vec![Vec::new(); supply.moves_of.len()];
        for board in 0..space.index.len() {
            steps.iter_mut().for_each(Vec::clear);
            if !matches!(operator.place, PlacementPolicy::Given(_)) {
                space.steps(board, &mut active, |piece, step| steps[piece].push(step));
            }
            for context in 0..contexts {
                let node = board * contexts + context;
                let deals = supply.contexts[context].deals.iter().enumerate().map(|(number, dealt)| {
                    let own = dealt.probability;
                    (operator.dealt.map_or(own, |given| given.probability(node, number, own)), dealt)
                });
                for (probability, dealt) in deals.filter(|(p, _)| space.is_reached(node) && *p > 0.0) {
                    let number = supply.hands[dealt.hand as usize].moves[0] as usize;
                    let given;
                    let list: &[Transition] = match operator.place {
                        PlacementPolicy::Given(all) => {
                            given = [Transition(all[board * count + number])];
                            &given
                        }
                        // What is gained per piece is never asked of some placements alone.
                        PlacementPolicy::Best | PlacementPolicy::Average | PlacementPolicy::Among(..) => {
                            &steps[supply.moves[number].piece as usize]
                        }
                    };
                    let alive = list.iter().filter(|step| !step.is_fatal());
                    graph.choices.extend(alive.map(|step| Successor {
                        target: step.node(supply, supply.moves[number].next) as u32,
                        lines: step.lines() as u8,
                    }));
                    graph.deals.push(DealtEdge { probability, placements: list.len() as u32 });
                    graph.first_choice.push(graph.choices.len() as u32);
                }
                graph.first_deal.push(graph.deals.len() as u32);
            }
            if graph.choices.len() > most {
                return None;
            }
        }
        Some(graph)
    }

    fn len(&self) -> usize {
        self.first_deal.len() - 1
    }

    /// The deals in a node, each with its choices.
    fn deals(&self, node: usize) -> impl Iterator<Item = (&DealtEdge, &[Successor])> {
        let deals = self.first_deal[node] as usize..self.first_deal[node + 1] as usize;
        deals.map(|deal| {
            let choices = self.first_choice[deal] as usize..self.first_choice[deal + 1] as usize;
            (&self.deals[deal], &self.choices[choices])
        })
    }

    /// What a node is worth if each choice is worth this, and no choice 0.
    fn backup(&self, node: usize, worth: impl Fn(Successor) -> Option<f64>) -> f64 {
        let one = |(dealt, choices): (&DealtEdge, &[Successor])| {
            let worths = choices.iter().filter_map(|choice| worth(*choice));
            let value = if self.is_average {
                worths.sum::<f64>() / f64::from(dealt.placements.max(1))
            } else {
                worths.reduce(f64::max).unwrap_or(0.0)
            };
            dealt.probability * value
        };
        self.deals(node).map(one).sum()
    }

    /// Takes the game apart: into what is strongly connected, without what can be driven out, until nothing changes.
    fn components(&self) -> Components {
        let mut of_node = vec![0; self.len()];
        loop {
            let count = self.connect(&mut of_node);
            let stays = |node: usize, of_node: &[u32]| {
                self.deals(node).all(|(dealt, choices)| {
                    let mut inside =
                        choices.iter().map(|choice| of_node[choice.target as usize] == of_node[node]);
                    if self.is_average {
                        choices.len() == dealt.placements as usize
                            && !choices.is_empty()
                            && inside.all(|stays| stays)
                    } else {
                        inside.any(|stays| stays)
                    }
                }) && self.deals(node).next().is_some()
            };
            let out: Vec<usize> =
                (0..self.len()).filter(|node| of_node[*node] != NONE && !stays(*node, &of_node)).collect();
            if !out.is_empty() {
                out.iter().for_each(|node| of_node[*node] = NONE);
                continue;
            }
            let mut nodes = vec![Vec::new(); count as usize];
            for (node, component) in of_node.iter().enumerate().filter(|(_, component)| **component != NONE) {
                nodes[*component as usize].push(node as u32);
            }
            return Components { of_node, nodes };
        }
    }

    /// Splits each part into its strongly connected ones (Tarjan's algorithm, without recursion); how many there are.
    fn connect(&self, of_node: &mut [u32]) -> u32 {
        let part = of_node.to_vec();
        let (mut order, mut lowest) = (vec![NONE; self.len()], vec![0; self.len()]);
        let mut is_open = vec![false; self.len()];
        // Nodes whose component is not known yet, and the way to the present one with the next choice of each.
        let (mut open, mut path): (Vec<u32>, Vec<(usize, u32)>) = (Vec::new(), Vec::new());
        let (mut met, mut count) = (0, 0);
        for root in (0..self.len()).filter(|node| part[*node] != NONE) {
            let mut news = (order[root] == NONE).then_some(root);
            loop {
                if let Some(node) = news.take() {
                    (order[node], lowest[node], is_open[node]) = (met, met, true);
                    met += 1;
                    open.push(node as u32);
                    path.push((node, self.first_choice[self.first_deal[node] as usize]));
                }
                let Some((node, next)) = path.last_mut() else { break };
                let node = *node;
                if *next < self.first_choice[self.first_deal[node + 1] as usize] {
                    let target = self.choices[*next as usize].target as usize;
                    *next += 1;
                    if part[target] == part[node] && order[target] == NONE {
                        news = Some(target);
                    } else if part[target] == part[node] && is_open[target] {
                        lowest[node] = lowest[node].min(order[target]);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    lowest[*parent] = lowest[*parent].min(lowest[node]);
                }
                if lowest[node] < order[node] {
                    continue;
                }
                while let Some(member) = open.pop() {
                    is_open[member as usize] = false;
                    of_node[member as usize] = count;
                    if member as usize == node {
                        break;
                    }
                }
                count += 1;
            }
        }
        count
    }

    /// The least and the greatest that the gain within an end component can be.
    fn gain_within(
        &self,
        components: &Components,
        number: usize,
        rewards: &[f64; 8],
        wanted: f64,
        sweeps: &mut u64,
        watch: &dyn Watch,
    ) -> Result<[f64; 2], SolveError> {
        let nodes = &components.nodes[number];
        let mut values = vec![0.0; nodes.len()];
        let mut next = values.clone();
        // Places of the nodes in the list, which is in ascending order.
        let place = |node: u32| nodes.binary_search(&node).unwrap_or(0);
        let most_reward = rewards.iter().fold(0.0, |most: f64, reward| most.max(reward.abs()));
        let mut best = [0.0, f64::INFINITY];
        for sweep in 1.. {
            let (mut low, mut high, mut largest) = (f64::INFINITY, f64::NEG_INFINITY, most_reward);
            for (at, node) in nodes.iter().enumerate() {
                let worth = |choice: Successor| {
                    (components.of_node[choice.target as usize] as usize == number)
                        .then(|| rewards[choice.lines as usize] + values[place(choice.target)])
                };
                next[at] = self.backup(*node as usize, worth);
                let change = next[at] - values[at];
                (low, high) = (low.min(change), high.max(change));
                largest = largest.max(next[at].abs());
            }
            *sweeps += 1;
            let rounding = self.rounding * (largest + most_reward);
            best = [best[0].max(low - rounding), best[1].min(high + rounding)];
            let is_floor = high - low <= 8.0 * rounding;
            if best[1] - best[0] <= 2.0 * wanted || is_floor || sweep >= MOST_SWEEPS {
                break;
            }
            if !watch.go_on() {
                return Err(SolveError::Interrupted);
            }
            // Half a step at a time: without it a periodic chain would never settle.
            let shift = 0.5 * (values[0] + next[0]);
            values.iter_mut().zip(&next).for_each(|(value, next)| *value = 0.5 * (*value + next) - shift);
        }
        Ok(best)
    }

    /// The least and the greatest that the gain from each node can be, from those within the end components.
    fn reach(
        &self,
        components: &Components,
        within: &[[f64; 2]],
        wanted: f64,
        sweeps: &mut u64,
        watch: &dyn Watch,
    ) -> Result<[Vec<f64>; 2], SolveError> {
        let most = within.iter().fold(0.0, |most: f64, gain| most.max(gain[1]));
        let rounding = self.rounding * most;
        let own = |node: usize, side: usize| match components.of_node[node] {
            NONE => [0.0, most][side],
            component => [within[component as usize][0], most][side],
        };
        let mut sides = [0, 1].map(|side| (0..self.len()).map(|node| own(node, side)).collect::<Vec<f64>>());
        for sweep in 1..=MOST_SWEEPS {
            let [low, high] = &mut sides;
            let mut change = 0.0f64;
            for node in (0..self.len()).rev().filter(|node| components.of_node[*node] == NONE) {
                let new_low = self.backup(node, |choice| Some(low[choice.target as usize])) - rounding;
                let new_high = self.backup(node, |choice| Some(high[choice.target as usize])) + rounding;
                change = change.max(new_low - low[node]).max(high[node] - new_high);
                (low[node], high[node]) = (low[node].max(new_low), high[node].min(new_high));
            }
            // All nodes of an end component are worth the same: what is gained within, or the best way out.
            for (number, nodes) in components.nodes.iter().enumerate() {
                let first = nodes[0] as usize;
                let (mut new_low, mut new_high) = (low[first], within[number][1]);
                for &node in nodes {
                    let back = self.backup(node as usize, |choice| Some(low[choice.target as usize]));
                    new_low = new_low.max(back - rounding);
                    if let Some(out) = self.way_out(node as usize, components, high) {
                        new_high = new_high.max(out + rounding);
                    }
                }
                change = change.max(new_low - low[first]).max(high[first] - new_high);
                let new_high = new_high.min(high[first]);
                nodes
                    .iter()
                    .for_each(|node| (low[*node as usize], high[*node as usize]) = (new_low, new_high));
            }
            *sweeps += 1;
            let widest = low.iter().zip(high.iter()).fold(0.0, |most: f64, (low, high)| most.max(high - low));
            if widest <= 2.0 * wanted || change <= 4.0 * rounding || sweep == MOST_SWEEPS {
                break;
            }
            if !watch.go_on() {
                return Err(SolveError::Interrupted);
            }
        }
        Ok(sides)
    }

    /// The most that can be had from a node of an end component by leaving it, by at least one of the deals.
    fn way_out(&self, node: usize, components: &Components, values: &[f64]) -> Option<f64> {
        let home = components.of_node[node];
        let (mut sum, mut least_loss) = (0.0, f64::INFINITY);
        for (dealt, choices) in self.deals(node) {
            let (mut best, mut out) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            for choice in choices {
                let value = values[choice.target as usize];
                best = best.max(value);
                if components.of_node[choice.target as usize] != home {
                    out = out.max(value);
                }
            }
            sum += dealt.probability * best;
            least_loss = least_loss.min(dealt.probability * (best - out));
        }
        (least_loss.is_finite() && !self.is_average).then_some(sum - least_loss)
    }

    /// What is gained on the way, beside the gain itself: values by which the greater gain comes first.
    fn values_to_play(
        &self,
        gains: &[f64],
        rewards: &[f64; 8],
        sweeps: &mut u64,
        watch: &dyn Watch,
    ) -> Result<Vec<f64>, SolveError> {
        let (mut values, mut next) = (vec![0.0; self.len()], vec![0.0; self.len()]);
        let most_gain = gains.iter().fold(0.0, |most: f64, gain| most.max(*gain));
        const MOST: u32 = 20_000;
        for _ in 0..MOST {
            let mut widest = 0.0f64;
            for node in 0..self.len() {
                let worth = |choice: Successor| {
                    let target = choice.target as usize;
                    Some(rewards[choice.lines as usize] + (GAIN_FIRST * gains[target] + values[target]))
                };
                let back = self.backup(node, worth) - GAIN_FIRST * gains[node];
                widest = widest.max((back - values[node] - gains[node]).abs());
                next[node] = 0.5 * (values[node] + back - gains[node]);
            }
            std::mem::swap(&mut values, &mut next);
            *sweeps += 1;
            if widest <= 1e-7 * (1.0 + most_gain) {
                break;
            }
            if !watch.go_on() {
                return Err(SolveError::Interrupted);
            }
        }
        Ok(values.iter().zip(gains).map(|(value, gain)| GAIN_FIRST * gain + value).collect())
    }
}
