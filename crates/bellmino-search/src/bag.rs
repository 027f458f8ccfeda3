//! What is left in the bag. An empty bag is a full one: the next is opened.

use bellmino_engine::guideline::{Bag, Piece};
use bellmino_engine::{Generator, below};

/// Each piece that may come next, and what is left in the bag after it.
pub(crate) fn draws(bag: &[Piece]) -> impl ExactSizeIterator<Item = (Piece, Vec<Piece>)> {
    let bag = Bag::opened(bag);
    bag.iter().map(|&piece| (piece, bag.iter().copied().filter(|&other| other != piece).collect()))
}

/// Draws pieces out of this bag and those after it until there are so many.
pub(crate) fn draw(pieces: &mut Vec<Piece>, bag: &[Piece], length: usize, generator: &mut Generator) {
    let mut left = bag.to_vec();
    while pieces.len() < length {
        Bag::refill(&mut left);
        pieces.push(left.swap_remove(below(generator, left.len())));
    }
}

/// In how many orders one piece, two, three and so on may come, with so many left in the bag.
pub(crate) fn orders(mut left: usize) -> impl Iterator<Item = u64> {
    let mut orders = 1u64;
    std::iter::repeat_with(move || {
        left = if left == 0 { Piece::ALL.len() } else { left };
        orders = orders.saturating_mul(left as u64);
        left -= 1;
        orders
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_as_many_as_draws_can_be_counted() {
        fn count(bag: &[Piece], pieces: usize) -> u64 {
            if pieces == 0 { 1 } else { draws(bag).map(|(_, rest)| count(&rest, pieces - 1)).sum() }
        }
        for left in 0..=Piece::ALL.len() {
            let bag = &Piece::ALL[..left];
            let counted: Vec<u64> = (1..=4).map(|pieces| count(bag, pieces)).collect();
            assert_eq!(orders(left).take(4).collect::<Vec<_>>(), counted, "{left}");
        }
    }
}
