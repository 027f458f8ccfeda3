//! Dealers: finite automata that choose the next piece.

use crate::rng::{self, Generator};

/// The most states a dealer may have.
pub const MAX_DEALER_STATES: usize = 1 << 18;

/// Who chooses the next piece: from each state, pieces with probabilities and the states they lead to.
///
/// A weighted dealer has one state, a markov dealer one per piece and one before the first, a bag one per subset, a
/// sequence one per place in it. Every solver and every simulation works with any of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Dealer {
    kind: DealerKind,
    start: DealerState,
    states: Vec<Vec<Deal>>,
}

/// A state of a dealer's automaton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DealerState(pub u32);

/// One thing a dealer may do in a state; its probability is positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deal {
    /// Index of the piece in the game's list.
    pub piece: u8,
    /// The dealer's state afterwards.
    pub next: DealerState,
    /// Probability of this deal in its state.
    pub probability: f64,
    /// Probability of this deal and all before it in its state; the last is 1.
    cumulative: f64,
}

/// How a dealer was described, with the weights as they were written.
#[derive(Clone, Debug, PartialEq)]
pub enum DealerKind {
    /// Independent pieces with these weights.
    Weighted(Vec<f64>),
    /// Each piece depends on the one before it: one row of probabilities per piece.
    Markov {
        /// `matrix[i][j]` is the weight of piece `j` after piece `i`.
        matrix: Vec<Vec<f64>>,
        /// Weights of the first piece.
        first: Vec<f64>,
    },
    /// All pieces once in random order, then again; starts full.
    Bag,
    /// These pieces in this order for ever.
    Sequence(Vec<u8>),
}

impl Dealer {
    /// Independent pieces, with weights that are not negative and not all zero.
    pub fn weighted(weights: &[f64]) -> Dealer {
        let deals = deals(&normalised(weights), |_| DealerState(0));
        Dealer { kind: DealerKind::Weighted(weights.to_vec()), start: DealerState(0), states: vec![deals] }
    }

    /// Pieces that depend on the piece before; every row and `first` are not negative and not all zero.
    ///
    /// State 0 is before the first piece, state `i + 1` after piece `i`.
    pub fn markov(matrix: &[Vec<f64>], first: &[f64]) -> Dealer {
        let after = |piece: u8| DealerState(u32::from(piece) + 1);
        let rows = [first].into_iter().chain(matrix.iter().map(Vec::as_slice));
        let states = rows.map(|row| deals(&normalised(row), after)).collect();
        let kind = DealerKind::Markov { matrix: matrix.to_vec(), first: first.to_vec() };
        Dealer { kind, start: DealerState(0), states }
    }

    /// A bag of `pieces` different pieces, at most 18. The state is the set of pieces left, written as bits.
    pub fn bag(pieces: usize) -> Dealer {
        let full = (1u32 << pieces) - 1;
        let states = (0..=full)
            .map(|left| {
                let weights: Vec<f64> = (0..pieces).map(|piece| f64::from(left >> piece & 1)).collect();
                if left == 0 {
                    return Vec::new();
                }
                deals(&normalised(&weights), |piece| match left & !(1 << piece) {
                    0 => DealerState(full),
                    rest => DealerState(rest),
                })
            })
            .collect();
        Dealer { kind: DealerKind::Bag, start: DealerState(full), states }
    }

    /// The pieces of `order`, repeated for ever. The state is the place in the order.
    pub fn sequence(order: &[u8]) -> Dealer {
        let states = (0..order.len())
            .map(|place| {
                let next = DealerState(((place + 1) % order.len()) as u32);
                vec![Deal { piece: order[place], next, probability: 1.0, cumulative: 1.0 }]
            })
            .collect();
        Dealer { kind: DealerKind::Sequence(order.to_vec()), start: DealerState(0), states }
    }

    /// How the dealer was described.
    pub fn kind(&self) -> &DealerKind {
        &self.kind
    }

    /// The state before the first piece.
    pub fn start(&self) -> DealerState {
        self.start
    }

    /// How many states there are, reachable or not.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// What may be dealt in `state`, in the order of the pieces. Empty only for the unreachable empty bag.
    #[inline]
    pub fn deals(&self, state: DealerState) -> &[Deal] {
        &self.states[state.0 as usize]
    }

    /// Deals one piece at random.
    #[inline]
    pub fn deal(&self, state: DealerState, generator: &mut Generator) -> Deal {
        let deals = self.deals(state);
        if let [only] = deals {
            return *only;
        }
        let point = rng::unit(generator);
        *deals.iter().find(|deal| point < deal.cumulative).unwrap_or(&deals[deals.len() - 1])
    }
}

fn normalised(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

fn deals(probabilities: &[f64], next: impl Fn(u8) -> DealerState) -> Vec<Deal> {
    let mut cumulative = 0.0;
    let mut deals: Vec<Deal> = Vec::new();
    for (piece, &probability) in probabilities.iter().enumerate().filter(|(_, p)| **p > 0.0) {
        cumulative += probability;
        deals.push(Deal { piece: piece as u8, next: next(piece as u8), probability, cumulative });
    }
    if let Some(last) = deals.last_mut() {
        last.cumulative = 1.0;
    }
    deals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    fn dealt(dealer: &Dealer, count: usize) -> Vec<u8> {
        let mut generator = stream(7, Purpose::Dealer, 0);
        let mut state = dealer.start();
        (0..count)
            .map(|_| {
                let deal = dealer.deal(state, &mut generator);
                state = deal.next;
                deal.piece
            })
            .collect()
    }

    #[test]
    fn probabilities_sum_to_one_in_every_reachable_state() {
        let dealers = [
            Dealer::weighted(&[1.0, 2.0, 0.0]),
            Dealer::markov(&[vec![0.0, 1.0], vec![0.25, 0.75]], &[0.5, 0.5]),
            Dealer::bag(5),
            Dealer::sequence(&[0, 0, 1]),
        ];
        for dealer in &dealers {
            let mut reached = vec![dealer.start()];
            let mut next = 0;
            while next < reached.len() {
                let deals = dealer.deals(reached[next]);
                let sum: f64 = deals.iter().map(|deal| deal.probability).sum();
                assert!((sum - 1.0).abs() < 1e-12 && deals.iter().all(|deal| deal.probability > 0.0));
                for deal in deals {
                    if !reached.contains(&deal.next) {
                        reached.push(deal.next);
                    }
                }
                next += 1;
            }
        }
    }

    #[test]
    fn a_bag_deals_every_piece_once_per_round() {
        let pieces = dealt(&Dealer::bag(7), 70);
        for round in pieces.chunks(7) {
            let mut round = round.to_vec();
            round.sort_unstable();
            assert_eq!(round, [0, 1, 2, 3, 4, 5, 6]);
        }
    }

    #[test]
    fn a_sequence_repeats() {
        assert_eq!(dealt(&Dealer::sequence(&[2, 0, 1]), 7), [2, 0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn weights_are_respected() {
        // 10,000 draws with probability 0.8: standard deviation 40; five of them as tolerance (false alarm < 1e-6).
        let ones = dealt(&Dealer::weighted(&[1.0, 4.0]), 10_000).iter().filter(|&&piece| piece == 1).count();
        assert!((7800..8200).contains(&ones), "{ones}");
    }

    #[test]
    fn markov_follows_its_matrix() {
        let cyclic = [vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0]];
        let pieces = dealt(&Dealer::markov(&cyclic, &[0.0, 1.0, 0.0]), 5);
        assert_eq!(pieces, [1, 2, 0, 1, 2]);
    }
}
