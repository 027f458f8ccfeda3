//! Dealers: finite automata that choose the next piece.

use super::board_dealer::BoardDealer;
use crate::rng::{self, Generator};

/// The most states a dealer may have.
pub const MAX_DEALER_STATES: usize = 1 << 18;

/// Who chooses the next piece: from each state, pieces with probabilities and the states they lead to.
///
/// A weighted dealer has one state, a markov dealer one per piece and one before the first, a bag one per subset, a
/// sequence one per place in it. Every solver and every simulation works with any of them.
///
/// Weights are made probabilities once, here. Only their ratios count: weights whose ratios are those of whole numbers up to
/// 10,000 give the same probabilities to the last bit whatever they are multiplied with, and so do all weights multiplied
/// with a power of two. The probabilities of any others agree to about one part in 10^15; chance tells such dealers apart
/// less than once in 10^14 pieces.
///
/// ```
/// use bellmino_engine::placement::Dealer;
///
/// let [dealer, same] = [[0.5, 1.0, 0.2], [5.0, 10.0, 2.0]].map(|weights| Dealer::weighted(&weights));
/// assert_eq!(dealer.deals(dealer.start()), same.deals(same.start()));
/// assert_eq!(dealer.deals(dealer.start())[1].probability, 10.0 / 17.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dealer {
    written: WrittenDealer,
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

/// The kinds of dealers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DealerKind {
    /// Independent pieces.
    Weighted,
    /// Each piece depends on the one before it.
    Markov,
    /// All pieces once in random order, then again; starts full.
    Bag,
    /// Pieces in a given order for ever.
    Sequence,
    /// By the board, see [`BoardDealer`]: what it may deal at all is known, but there are no probabilities.
    Board,
}

/// A dealer as it stands in a game file, for writing and showing it. The weights are no probabilities: those are in
/// [`Dealer::deals`].
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenDealer {
    /// Independent pieces with these weights.
    Weighted {
        /// One per piece.
        weights: Vec<f64>,
    },
    /// Each piece depends on the one before it.
    Markov {
        /// `matrix[i][j]` is the weight of piece `j` after piece `i`.
        matrix: Vec<Vec<f64>>,
        /// Weights of the first piece.
        first: Vec<f64>,
    },
    /// All pieces once in random order, then again; starts full.
    Bag,
    /// Pieces in this order for ever.
    Sequence {
        /// Indices of pieces.
        order: Vec<u8>,
    },
    /// By the board.
    Board(BoardDealer),
}

/// Weights whose ratios are those of whole numbers up to this one give the same probabilities at every scale.
const MOST_WHOLE: u32 = 10_000;

impl Dealer {
    /// Independent pieces, with weights that are not negative and not all zero.
    pub fn weighted(weights: &[f64]) -> Dealer {
        let deals = deals(&normalised(weights), |_| DealerState(0));
        let written = WrittenDealer::Weighted { weights: weights.to_vec() };
        Dealer { written, start: DealerState(0), states: vec![deals] }
    }

    /// Pieces that depend on the piece before; every row and `first` are not negative and not all zero.
    ///
    /// State 0 is before the first piece, state `i + 1` after piece `i`.
    pub fn markov(matrix: &[Vec<f64>], first: &[f64]) -> Dealer {
        let after = |piece: u8| DealerState(u32::from(piece) + 1);
        let rows = [first].into_iter().chain(matrix.iter().map(Vec::as_slice));
        let states = rows.map(|row| deals(&normalised(row), after)).collect();
        let written = WrittenDealer::Markov { matrix: matrix.to_vec(), first: first.to_vec() };
        Dealer { written, start: DealerState(0), states }
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
        Dealer { written: WrittenDealer::Bag, start: DealerState(full), states }
    }

    /// The pieces of `order`, repeated for ever. The state is the place in the order.
    pub fn sequence(order: &[u8]) -> Dealer {
        let states = (0..order.len())
            .map(|place| {
                let next = DealerState(((place + 1) % order.len()) as u32);
                vec![Deal { piece: order[place], next, probability: 1.0, cumulative: 1.0 }]
            })
            .collect();
        let written = WrittenDealer::Sequence { order: order.to_vec() };
        Dealer { written, start: DealerState(0), states }
    }

    /// A dealer that sees the board, of a game with so many pieces. Its one state has every piece it may ever deal, all alike:
    /// whoever takes these for chances is wrong, see [`Dealer::sees_board`].
    pub fn board(dealer: BoardDealer, pieces: usize) -> Dealer {
        let may = |piece: usize| match dealer {
            BoardDealer::Mild | BoardDealer::Hatetris => 1.0,
            BoardDealer::Brzustowski { pieces } => f64::from(u8::from(pieces.contains(&(piece as u8)))),
        };
        let weights: Vec<f64> = (0..pieces).map(may).collect();
        Dealer { written: WrittenDealer::Board(dealer), ..Dealer::weighted(&weights) }
    }

    /// The dealer that sees the board, if it is one. Then [`Dealer::deals`] tells what may be dealt at all, and its probabilities
    /// mean nothing.
    #[inline]
    pub fn sees_board(&self) -> Option<BoardDealer> {
        match self.written {
            WrittenDealer::Board(dealer) => Some(dealer),
            _ => None,
        }
    }

    /// What kind of dealer it is.
    pub fn kind(&self) -> DealerKind {
        match self.written {
            WrittenDealer::Weighted { .. } => DealerKind::Weighted,
            WrittenDealer::Markov { .. } => DealerKind::Markov,
            WrittenDealer::Bag => DealerKind::Bag,
            WrittenDealer::Sequence { .. } => DealerKind::Sequence,
            WrittenDealer::Board(_) => DealerKind::Board,
        }
    }

    /// What stands in a game file. Not for play: see [`Dealer::deals`] for what is dealt and how often.
    pub fn written(&self) -> &WrittenDealer {
        &self.written
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

/// Probabilities from weights: the one place where that is done.
fn normalised(weights: &[f64]) -> Vec<f64> {
    // The sum of whole numbers is exact, and each quotient is the nearest number to the true one.
    let whole = whole(weights);
    let weights = whole.as_deref().unwrap_or(weights);
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The smallest whole numbers with the ratios of these weights, up to the rounding of the weights, if there are any up to
/// [`MOST_WHOLE`].
fn whole(weights: &[f64]) -> Option<Vec<f64>> {
    // Two weights are rounded, then their quotient, then the product.
    const ROUNDING: f64 = 4.0 * f64::EPSILON;
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let scaled = |weight: f64, most: u32| weight / largest * f64::from(most);
    let is_whole = |number: f64| (number - number.round()).abs() <= ROUNDING * number.round();
    let most = (1..=MOST_WHOLE).find(|&most| weights.iter().all(|&weight| is_whole(scaled(weight, most))))?;
    Some(weights.iter().map(|&weight| scaled(weight, most).round()).collect())
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

    /// Whole weights of every size times any factor: the same deals to the last bit, and those are the nearest numbers to
    /// the true probabilities.
    #[test]
    fn scaled_weights_are_the_same_dealer() {
        let mut generator = stream(8, Purpose::Player, 0);
        let states = |dealer: &Dealer| dealer.states.clone();
        for round in 0..400 {
            let most = [1, 9, 100, MOST_WHOLE as usize][round % 4];
            let count = 2 + rng::below(&mut generator, 8);
            let mut weights: Vec<f64> =
                (0..count).map(|_| rng::below(&mut generator, most + 1) as f64).collect();
            weights[0] = weights[0].max(1.0);
            let factor = 10f64.powf(20.0 * rng::unit(&mut generator) - 10.0);
            let scaled: Vec<f64> = weights.iter().map(|weight| weight * factor).collect();
            let dealer = Dealer::weighted(&weights);
            assert_eq!(states(&dealer), states(&Dealer::weighted(&scaled)), "{weights:?} times {factor}");
            let matrix = |weights: &[f64]| Dealer::markov(&vec![weights.to_vec(); count], weights);
            assert_eq!(states(&matrix(&weights)), states(&matrix(&scaled)), "{weights:?} times {factor}");
            let sum: f64 = weights.iter().sum();
            for deal in dealer.deals(dealer.start()) {
                assert_eq!(deal.probability, weights[deal.piece as usize] / sum);
            }
        }
    }

    /// Weights of no simple ratio: the same at twice the size, and almost so at any.
    #[test]
    fn any_weights_keep_their_ratios_when_scaled() {
        let mut generator = stream(9, Purpose::Player, 0);
        for _ in 0..400 {
            let weights: Vec<f64> = (0..7).map(|_| rng::unit(&mut generator)).collect();
            let scaled = |factor: f64| {
                let dealer =
                    Dealer::weighted(&weights.iter().map(|weight| weight * factor).collect::<Vec<_>>());
                dealer.deals(dealer.start()).to_vec()
            };
            let deals = scaled(1.0);
            assert_eq!(deals, scaled(0.5f64.powi(rng::below(&mut generator, 60) as i32 - 30)));
            for (one, other) in deals.iter().zip(scaled(rng::unit(&mut generator) + 0.01)) {
                assert!((one.cumulative - other.cumulative).abs() < 4e-15, "{weights:?}");
            }
        }
    }

    #[test]
    fn markov_follows_its_matrix() {
        let cyclic = [vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0]];
        let pieces = dealt(&Dealer::markov(&cyclic, &[0.0, 1.0, 0.0]), 5);
        assert_eq!(pieces, [1, 2, 0, 1, 2]);
    }
}
