//! Who sees the pieces one by one: which first placement loses the fewest futures.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::futures::Set;
use super::spot::Spot;
use super::{EndgameSearch, First};
use crate::budget::UNBOUNDED;
use crate::hashing::Identity;

/// Nodes to find out how a position does with one more piece in sight.
const CAP: u64 = 15_000;

/// In how many futures a position is solved by one who sees the pieces one by one, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reveal {
    at_least: u32,
    at_most: u32,
}

/// The positions when the next piece is revealed that is not certain.
struct RaceField {
    /// Pieces still to be placed.
    needed: usize,
    /// Each with the number of the first placement that leads there, the most promising first.
    leaves: Vec<(Spot, usize)>,
    /// The futures by that piece.
    groups: Vec<Set>,
}

impl EndgameSearch<'_, '_> {
    /// The share of futures in which the first placements are solved by one who sees the pieces one by one, the best first; only
    /// of those that were looked at. Positions are compared at the time when the next piece is revealed that is not
    /// certain, and one by one, each until it has lost more futures than the best.
    pub(super) fn race(
        &mut self,
        first: &[First],
        needed: usize,
        seen: usize,
        all: Set,
    ) -> Vec<(f64, usize)> {
        let RaceField { needed, leaves, mut groups } = self.field(first, needed - 1, seen, all);
        let early = self.early(&leaves, needed, seen, groups[0]);
        let looked_at = early.len();
        // Then those with all pieces, the best of them again with more nodes, and at last all others.
        let mut order = early;
        let mut best: Vec<Option<u32>> = vec![None; first.len()];
        let mut least_lost = all.len();
        // What may be won in the best position, if what was not found in time is counted.
        let mut hoped = 0;
        'rounds: for round in 0..3 {
            let mut results = vec![];
            for place in order {
                let (spot, index) = leaves[place];
                let (mut lost, mut at_most) = (0, 0);
                for at in 0..groups.len() {
                    let group = groups[at];
                    let floor = (group.len() + lost).saturating_sub(least_lost);
                    self.allow(if round == 1 { 4 * CAP } else { CAP });
                    let part = self.judge(&spot, needed, seen, group, needed, floor);
                    lost += group.len() - part.at_least;
                    at_most += part.at_most;
                    if lost >= least_lost {
                        // Others may be lost for the same piece.
                        groups[..=at].rotate_right(1);
                        break;
                    }
                }
                results.push((lost, place));
                if lost < least_lost {
                    (least_lost, hoped) = (lost, at_most);
                    best[index] = Some(all.len() - lost);
                } else {
                    // It was not followed to its end: all that is known is that it is not better.
                    let solved = (all.len() - lost).min((all.len() - least_lost).saturating_sub(1));
                    best[index] = best[index].max(Some(solved).filter(|&solved| solved > 0));
                }
                if lost == 0 || self.meter.is_past(self.until) {
                    break 'rounds;
                }
            }
            results.sort_unstable();
            let good = results.iter().take(results.len().div_ceil(3)).map(|&(_, place)| place);
            order = if round == 0 { good.collect() } else { (looked_at..leaves.len()).collect() };
        }
        let solved = all.len() - least_lost;
        let share = |solved: u32| f64::from(solved) / f64::from(all.len());
        let mut values: Vec<(f64, usize)> = best
            .iter()
            .enumerate()
            .filter_map(|(index, best)| Some((share(*best.as_ref()?), index)))
            .collect();
        values.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        if let Some((value, _)) = values.first_mut() {
            // Most of what was not found in time can be solved.
            *value += 0.9 * share(hoped.saturating_sub(solved));
        }
        values
    }

    /// Where the positions are compared: after placements that show nothing new.
    fn field(&mut self, first: &[First], mut needed: usize, seen: usize, all: Set) -> RaceField {
        let mut leaves: Vec<(Spot, usize)> = first.iter().map(|first| first.spot).zip(0..).collect();
        let parts = |search: &Self, needed: usize| -> Vec<Set> {
            let shown = search.endgame.coming[search.place(needed) - 1 + seen];
            shown.into_iter().map(|part| part.and(all)).filter(|part| !part.is_empty()).collect()
        };
        let mut groups = parts(self, needed);
        let mut children = vec![];
        while groups.len() == 1 && needed > seen {
            let mut next = vec![];
            let mut met = HashSet::<u64, BuildHasherDefault<Identity>>::default();
            for (spot, index) in leaves {
                self.children(&spot, needed, all, &mut children);
                let new = children.iter().filter(|child| met.insert(child.spot.key(0)));
                next.extend(new.map(|child| (child.spot, index)));
            }
            needed -= 1;
            leaves = next;
            groups = parts(self, needed);
        }
        leaves.sort_by_key(|(spot, _)| spot.rank());
        RaceField { needed, leaves, groups }
    }

    /// The places of the first few, those first that do best with one piece.
    fn early(&mut self, leaves: &[(Spot, usize)], needed: usize, seen: usize, group: Set) -> Vec<usize> {
        let some = (self.meter.left(UNBOUNDED) / (CAP * 5 / 2)).clamp(4, 12) as usize;
        let mut early: Vec<(u32, usize)> = vec![];
        for (place, (spot, _)) in leaves.iter().enumerate().take(some) {
            self.allow(CAP);
            let part = self.judge(spot, needed, seen, group, needed, 0);
            early.push((part.at_least, place));
            if self.meter.is_past(self.until) {
                break;
            }
        }
        early.sort_by_key(|&(solved, place)| (Reverse(solved), place));
        early.into_iter().map(|(_, place)| place).collect()
    }

    /// In how many futures of `group` the position is solved after the next piece was seen, if `choices` choices are made
    /// one by one, before what comes later is seen. `seen` pieces of those to come were in sight before the last placement. It need
    /// not be known exactly if it is at most `floor`.
    fn after_reveal(
        &mut self,
        spot: &Spot,
        needed: usize,
        seen: usize,
        group: Set,
        choices: usize,
        floor: u32,
    ) -> Reveal {
        let shown = self.endgame.coming[self.place(needed) - 1 + seen];
        let mut sum = Reveal { at_least: 0, at_most: self.solvable(spot, needed, group).len() };
        if self.over {
            sum.at_most = group.len();
        }
        for futures in shown {
            let futures = futures.and(group);
            if futures.is_empty() {
                continue;
            }
            if sum.at_most <= floor {
                break;
            }
            let most = if self.over { futures.len() } else { self.solvable(spot, needed, futures).len() };
            let floor = (floor + most).saturating_sub(sum.at_most);
            let part = self.judge(spot, needed, seen, futures, choices, floor);
            sum.at_least += part.at_least;
            sum.at_most -= most - part.at_most.min(most);
        }
        sum
    }

    /// In how many futures of `group`, which agree in the next `seen` pieces, the position is solved by one who makes the next
    /// `choices` choices one by one. It need not be known exactly if it is at most `floor`.
    fn judge(
        &mut self,
        spot: &Spot,
        needed: usize,
        seen: usize,
        group: Set,
        choices: usize,
        floor: u32,
    ) -> Reveal {
        let solved = self.solvable(spot, needed, group).len();
        let most = if self.over { group.len() } else { solved };
        if choices == 0 || seen >= needed || group.len() == 1 {
            return Reveal { at_least: solved, at_most: most };
        }
        if most <= floor {
            return Reveal { at_least: 0, at_most: most };
        }
        let choices = choices.min(needed - seen);
        let group_name = group.first().unwrap_or(0) as u64;
        let name = needed as u64 | (choices as u64) << 4 | (seen as u64) << 8 | group_name << 12;
        let key = spot.key(name);
        let known = self.endgame.judged.get(&key).copied();
        let mut result = known.unwrap_or(Reveal { at_least: 0, at_most: most });
        if result.at_least == result.at_most || result.at_most <= floor || self.over {
            return result;
        }
        let mut children = vec![];
        self.children(spot, needed, group, &mut children);
        let is_last = choices == 1 || seen + 1 >= needed;
        let mut at_most = 0;
        let mut later = vec![];
        for child in &children {
            let solved = self.solvable(&child.spot, needed - 1, group).len();
            if self.over {
                at_most = result.at_most;
                break;
            }
            if is_last {
                result.at_least = result.at_least.max(solved);
            } else if solved == result.at_most {
                let floor = floor.max(result.at_least);
                let part = self.after_reveal(&child.spot, needed - 1, seen, group, choices - 1, floor);
                result.at_least = result.at_least.max(part.at_least);
                at_most = at_most.max(part.at_most);
            } else if solved > floor.max(result.at_least) {
                later.push((solved, child.spot));
            } else {
                at_most = at_most.max(solved);
            }
            if result.at_least == result.at_most {
                break;
            }
        }
        later.sort_by_key(|(solved, _)| Reverse(*solved));
        for (solved, spot) in later {
            let floor = floor.max(result.at_least);
            if solved <= floor || self.over {
                at_most = at_most.max(solved);
                continue;
            }
            let part = self.after_reveal(&spot, needed - 1, seen, group, choices - 1, floor);
            result.at_least = result.at_least.max(part.at_least);
            at_most = at_most.max(part.at_most);
        }
        if !self.over {
            result.at_most = result.at_most.min(at_most.max(result.at_least));
        }
        self.endgame.judged.insert(key, result);
        result
    }
}
