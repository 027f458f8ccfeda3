//! What can be said of a game without numbers: who survives for ever, and who scores for ever.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::bellman::{Boards, Operator, PlacementPolicy};
use crate::solve::SolveError;
use crate::space::{Bits, Space, Transition};
use crate::supply::DealBackup;
use crate::watch::Watch;

/// The nodes from which the player survives whatever is dealt: the largest set that can be kept to.
///
/// A player who chooses must have a placement into the set; one who does not must have no other.
pub(crate) fn safe(operator: &Operator<'_>, watch: &dyn Watch) -> Result<Bits, SolveError> {
    let nodes = all_nodes(operator.space);
    shrink(operator, &nodes, watch, |moves, node| every_deal(operator, node, moves))?;
    Ok(nodes)
}

/// The safe nodes from which the player almost surely scores for ever.
pub(crate) fn endless(operator: &Operator<'_>, safe: &Bits, watch: &dyn Watch) -> Result<Bits, SolveError> {
    let mut outer = safe.copy();
    loop {
        // Grow from below: nodes that can score at once, or come nearer to one that can.
        let inner = Bits::new(operator.space.nodes(), false);
        while grow(operator, &outer, &inner) {
            if !watch.go_on() {
                return Err(SolveError::Interrupted);
            }
        }
        if inner.len() == outer.len() {
            return Ok(inner);
        }
        shrink(operator, &inner, watch, |moves, node| every_deal(operator, node, moves))?;
        outer = inner;
    }
}

/// Whether some play between these sides leads from the start into the set.
pub(crate) fn reaches(operator: &Operator<'_>, goal: &Bits, start: impl Iterator<Item = usize>) -> bool {
    let space = operator.space;
    let (contexts, supply) = (space.contexts(), &space.supply);
    let seen = Bits::new(space.nodes(), false);
    let mut open: Vec<usize> = start.filter(|node| seen.insert(*node)).collect();
    let mut active = vec![true; supply.moves.len()];
    while let Some(node) = open.pop() {
        if goal.contains(node) {
            return true;
        }
        let (board, context) = (node / contexts, node % contexts);
        let mut possible = vec![false; supply.moves.len()];
        for (number, dealt) in supply.contexts[context].deals.iter().enumerate() {
            if only(operator, node).is_some_and(|only| only != number) {
                continue;
            }
            let hand = &supply.hands[dealt.hand as usize];
            for &step in hand.moves.iter().chain(hand.put_aside.iter().map(|(_, step)| step)) {
                possible[step as usize] = true;
            }
        }
        let mut visit = |number: usize, step: Transition| {
            if possible[number] && !step.is_fatal() {
                let next = step.node(supply, supply.moves[number].next);
                if seen.insert(next) {
                    open.push(next);
                }
            }
        };
        match operator.place {
            PlacementPolicy::Given(steps) => {
                let count = supply.moves.len();
                (0..count).for_each(|number| visit(number, Transition(steps[board * count + number])));
            }
            PlacementPolicy::Among(tied, _) => {
                let count = supply.moves.len();
                for number in 0..count {
                    tied.steps(board * count + number).for_each(|step| visit(number, step));
                }
            }
            PlacementPolicy::Best | PlacementPolicy::Average => {
                space.steps(board, &mut active, |piece, step| {
                    supply.moves_of[piece].iter().for_each(|&number| visit(number as usize, step));
                });
            }
        }
    }
    false
}

fn all_nodes(space: &Space<'_>) -> Bits {
    match space.reached() {
        Some(reached) => reached.copy(),
        None => Bits::new(space.nodes(), true),
    }
}

/// Whether each move can be made so that it stays in the set.
fn staying(operator: &Operator<'_>, board: usize, set: &Bits, active: &mut [bool], moves: &mut [bool]) {
    let space = operator.space;
    let supply = &space.supply;
    let stays = |step: Transition, number: usize| {
        !step.is_fatal() && set.contains(step.node(supply, supply.moves[number].next))
    };
    match operator.place {
        PlacementPolicy::Best => {
            moves.fill(false);
            space.steps(board, active, |piece, step| {
                for &number in &supply.moves_of[piece] {
                    moves[number as usize] = moves[number as usize] || stays(step, number as usize);
                }
            });
        }
        PlacementPolicy::Average => {
            let mut counts = vec![0; supply.moves_of.len()];
            moves.fill(true);
            space.steps(board, active, |piece, step| {
                counts[piece] += 1;
                for &number in &supply.moves_of[piece] {
                    moves[number as usize] &= stays(step, number as usize);
                }
            });
            for (number, step) in supply.moves.iter().enumerate() {
                moves[number] &= counts[step.piece as usize] > 0;
            }
        }
        PlacementPolicy::Given(steps) => {
            let count = supply.moves.len();
            for number in 0..count {
                moves[number] = stays(Transition(steps[board * count + number]), number);
            }
        }
        PlacementPolicy::Among(tied, _) => {
            let count = supply.moves.len();
            for number in 0..count {
                moves[number] = tied.steps(board * count + number).any(|step| stays(step, number));
            }
        }
    }
}

/// Whether the hand has a move, or the putting aside that leads to one whatever is dealt.
fn hand_can(operator: &Operator<'_>, hand: u32, moves: &[bool]) -> bool {
    let hand = &operator.space.supply.hands[hand as usize];
    hand.moves.iter().any(|step| moves[*step as usize])
        || !hand.put_aside.is_empty() && hand.put_aside.iter().all(|(_, step)| moves[*step as usize])
}

/// Whether the player has a move for every piece that can be dealt.
fn every_deal(operator: &Operator<'_>, node: usize, moves: &[bool]) -> bool {
    let context = &operator.space.supply.contexts[node % operator.space.contexts()];
    match only(operator, node) {
        Some(only) => hand_can(operator, context.deals[only].hand, moves),
        None => context.deals.iter().all(|dealt| hand_can(operator, dealt.hand, moves)),
    }
}

/// The one deal of a given dealer that leaves nothing to chance.
fn only(operator: &Operator<'_>, node: usize) -> Option<usize> {
    operator.dealt.and_then(|given| given.only(node))
}

/// Takes nodes out of the set until each that is left passes the test.
fn shrink(
    operator: &Operator<'_>,
    set: &Bits,
    watch: &dyn Watch,
    test: impl Fn(&[bool], usize) -> bool + Sync,
) -> Result<(), SolveError> {
    let contexts = operator.space.contexts();
    loop {
        let changed = AtomicBool::new(false);
        each_board(operator, |board, active, moves| {
            let nodes = board * contexts..(board + 1) * contexts;
            if nodes.clone().all(|node| !set.contains(node)) {
                return;
            }
            staying(operator, board, set, active, moves);
            for node in nodes.filter(|node| set.contains(*node)) {
                if !test(moves, node) {
                    set.remove(node);
                    changed.store(true, Ordering::Relaxed);
                }
            }
        });
        if !watch.go_on() {
            return Err(SolveError::Interrupted);
        }
        if !changed.into_inner() {
            return Ok(());
        }
    }
}

/// Adds to `inner` the nodes of `outer` that can score at once or step into `inner`; whether there were any.
fn grow(operator: &Operator<'_>, outer: &Bits, inner: &Bits) -> bool {
    let space = operator.space;
    let (contexts, supply) = (space.contexts(), &space.supply);
    let changed = AtomicBool::new(false);
    each_board(operator, |board, active, moves| {
        let nodes = board * contexts..(board + 1) * contexts;
        if nodes.clone().all(|node| !outer.contains(node) || inner.contains(node)) {
            return;
        }
        let nears = |step: Transition, number: usize| {
            if step.is_fatal() {
                return false;
            }
            let next = step.node(supply, supply.moves[number].next);
            outer.contains(next) && (operator.rewards[step.lines()] > 0.0 || inner.contains(next))
        };
        moves.fill(false);
        match operator.place {
            PlacementPolicy::Given(steps) => {
                let count = supply.moves.len();
                for number in 0..count {
                    moves[number] = nears(Transition(steps[board * count + number]), number);
                }
            }
            PlacementPolicy::Among(tied, _) => {
                let count = supply.moves.len();
                for number in 0..count {
                    moves[number] = tied.steps(board * count + number).any(|step| nears(step, number));
                }
            }
            PlacementPolicy::Best | PlacementPolicy::Average => space.steps(board, active, |piece, step| {
                for &number in &supply.moves_of[piece] {
                    moves[number as usize] = moves[number as usize] || nears(step, number as usize);
                }
            }),
        }
        for node in nodes.filter(|node| outer.contains(*node) && !inner.contains(*node)) {
            let context = &supply.contexts[node % contexts];
            let nearer = if operator.deal == DealBackup::Least || only(operator, node).is_some() {
                every_deal(operator, node, moves)
            } else {
                context.deals.iter().any(|dealt| hand_can(operator, dealt.hand, moves))
            };
            if nearer {
                inner.insert(node);
                changed.store(true, Ordering::Relaxed);
            }
        }
    });
    changed.into_inner()
}

fn each_board(operator: &Operator<'_>, visit: impl Fn(usize, &mut [bool], &mut [bool]) + Sync) {
    const CHUNK: usize = 1 << 11;
    let boards = operator.space.index.len();
    let count = operator.space.supply.moves.len();
    (0..boards.div_ceil(CHUNK)).into_par_iter().for_each(|chunk| {
        let (mut active, mut moves) = (vec![true; count], vec![false; count]);
        // From the top down: what is dead is near the end, and news travels backwards.
        for board in (chunk * CHUNK..((chunk + 1) * CHUNK).min(boards)).rev() {
            visit(board, &mut active, &mut moves);
        }
    });
}
