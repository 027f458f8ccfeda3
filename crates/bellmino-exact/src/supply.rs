//! What the player has in hand: the dealer's automaton together with the known queue and the piece put aside.

use std::collections::HashMap;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Dealer, DealerState, PackedBoard};

use crate::settings::Dealing;

/// The automaton of hands.
///
/// After a placement the game is in a *context*: dealer state, known queue, held piece. The dealer deals one more piece;
/// now the player has a *hand*, and makes one of its *moves*: a piece to place and the context that follows.
#[derive(Clone, Debug)]
pub(crate) struct Supply {
    pub(crate) contexts: Vec<SupplyContext>,
    pub(crate) hands: Vec<Hand>,
    pub(crate) moves: Vec<HandMove>,
    /// For each piece, its moves.
    pub(crate) moves_of: Vec<Vec<u32>>,
    /// For each context its mirror image, if mirror images are worth the same.
    pub(crate) mirror: Option<Vec<u32>>,
    /// Whether there is one context only and each hand has one move, numbered like the deals.
    pub(crate) plain: bool,
    opening: FirstDeals,
    queue: usize,
}

/// Before the first placement: the pieces of the first context still have to be dealt.
#[derive(Clone, Debug)]
enum FirstDeals {
    Context(u32),
    Deals(Vec<(u8, f64, FirstDeals)>),
}

impl FirstDeals {
    fn value(&self, deal: DealBackup, value: &impl Fn(u32) -> f64) -> f64 {
        match self {
            FirstDeals::Context(context) => value(*context),
            FirstDeals::Deals(deals) => {
                // What a given dealer never deals counts for nothing, whatever it is worth.
                let likely = deals.iter().filter(|(_, probability, _)| *probability > 0.0);
                deal.combine(likely.map(|(_, probability, next)| (*probability, next.value(deal, value))))
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SupplyContext {
    pub(crate) state: DealerState,
    pub(crate) queue: Vec<u8>,
    /// The dealer's state after each piece of the queue. One list only leads to `state`.
    states: Vec<DealerState>,
    pub(crate) held: Option<u8>,
    pub(crate) deals: Vec<DealtHand>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DealtHand {
    pub(crate) piece: u8,
    pub(crate) probability: f64,
    pub(crate) hand: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Hand {
    pub(crate) state: DealerState,
    /// The current piece first.
    pub(crate) queue: Vec<u8>,
    /// The dealer's state after each piece of the queue.
    pub(crate) states: Vec<DealerState>,
    pub(crate) held: Option<u8>,
    /// Moves that can be made at once: place the current piece, or the held one and put the current one aside.
    pub(crate) moves: Vec<u32>,
    /// Putting the current piece into the empty place: the dealer deals another, and one move remains.
    pub(crate) put_aside: Vec<(f64, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HandMove {
    pub(crate) piece: u8,
    pub(crate) next: u32,
}

/// How the values of the pieces that may be dealt become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DealBackup {
    Mean,
    Least,
    /// The least with this weight, the mean with the rest.
    Mixed(f64),
    /// The greatest with this weight, the mean with the rest: for rankings.
    Friendly(f64),
}

impl DealBackup {
    pub(crate) fn of(dealing: Dealing) -> DealBackup {
        match dealing {
            Dealing::Random => DealBackup::Mean,
            Dealing::Worst | Dealing::WorstBefore => DealBackup::Least,
            Dealing::Mixed(share) => DealBackup::Mixed(share),
        }
    }

    #[inline]
    pub(crate) fn combine(self, values: impl Iterator<Item = (f64, f64)>) -> f64 {
        let (mut mean, mut least) = (0.0, f64::INFINITY);
        match self {
            DealBackup::Mean => {
                for (probability, value) in values {
                    mean += probability * value;
                }
                mean
            }
            DealBackup::Least => {
                for (_, value) in values {
                    least = value.min(least);
                }
                least
            }
            DealBackup::Mixed(share) => {
                for (probability, value) in values {
                    mean += probability * value;
                    least = value.min(least);
                }
                share * least + (1.0 - share) * mean
            }
            DealBackup::Friendly(share) => {
                let mut most = f64::NEG_INFINITY;
                for (probability, value) in values {
                    mean += probability * value;
                    most = value.max(most);
                }
                share * most + (1.0 - share) * mean
            }
        }
    }
}

type ContextKey = (DealerState, Vec<u8>, Option<u8>);

/// Too many contexts.
#[derive(Debug)]
pub(crate) struct TooMany;

const MAX_CONTEXTS: usize = 1 << 16;

impl Supply {
    pub(crate) fn new(
        game: &PlacementGame,
        queue: usize,
        hold: bool,
        symmetric: bool,
    ) -> Result<Supply, TooMany> {
        let mut builder = Builder { hold, ..Builder::new(game.dealer()) };
        let opening = builder.opening(game.dealer().start(), &KnownPieces::default(), queue)?;
        let mut done = 0;
        while done < builder.contexts.len() {
            builder.expand(done)?;
            done += 1;
        }
        let Builder { contexts, hands, moves, .. } = builder;
        let mut moves_of = vec![Vec::new(); game.pieces().len()];
        for (number, step) in moves.iter().enumerate() {
            moves_of[step.piece as usize].push(number as u32);
        }
        let plain = contexts.len() == 1
            && contexts[0].deals.iter().enumerate().all(|(number, deal)| {
                deal.hand as usize == number
                    && hands[number].moves == [number as u32]
                    && hands[number].put_aside.is_empty()
            });
        let mut supply = Supply { contexts, hands, moves, moves_of, mirror: None, plain, opening, queue };
        if symmetric {
            supply.mirror = supply.mirrored(game);
        }
        Ok(supply)
    }

    /// Lets a given dealer deal the first pieces: `choose` gets its state and what is dealt so far. `None` if it has no answer.
    pub(crate) fn deal_opening(
        &mut self,
        dealer: &Dealer,
        share: f64,
        choose: &dyn Fn(DealerState, &[u8]) -> Option<u8>,
    ) -> Option<()> {
        fn deal(
            opening: &mut FirstDeals,
            (dealer, share): (&Dealer, f64),
            choose: &dyn Fn(DealerState, &[u8]) -> Option<u8>,
            (state, dealt): (DealerState, &mut Vec<u8>),
        ) -> Option<()> {
            let FirstDeals::Deals(deals) = opening else { return Some(()) };
            let chosen = choose(state, dealt)?;
            for ((piece, probability, next), own) in deals.iter_mut().zip(dealer.deals(state)) {
                *probability = (1.0 - share) * *probability + if *piece == chosen { share } else { 0.0 };
                dealt.push(*piece);
                deal(next, (dealer, share), choose, (own.next, dealt))?;
                dealt.pop();
            }
            Some(())
        }
        deal(&mut self.opening, (dealer, share), choose, (dealer.start(), &mut Vec::new()))
    }

    /// Contexts in which the first placement can find itself.
    pub(crate) fn first_contexts(&self) -> Vec<u32> {
        fn collect(opening: &FirstDeals, list: &mut Vec<u32>) {
            match opening {
                FirstDeals::Context(context) => list.push(*context),
                FirstDeals::Deals(deals) => deals.iter().for_each(|(_, _, next)| collect(next, list)),
            }
        }
        let mut list = Vec::new();
        collect(&self.opening, &mut list);
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The first contexts with their probabilities.
    pub(crate) fn first_distribution(&self) -> Vec<(u32, f64)> {
        fn collect(opening: &FirstDeals, weight: f64, list: &mut Vec<(u32, f64)>) {
            match opening {
                FirstDeals::Context(context) => list.push((*context, weight)),
                FirstDeals::Deals(deals) => {
                    deals.iter().for_each(|(_, p, next)| collect(next, weight * p, list));
                }
            }
        }
        let mut list = Vec::new();
        collect(&self.opening, 1.0, &mut list);
        list
    }

    /// The value of the game from the values of the first contexts.
    pub(crate) fn opening_value(&self, deal: DealBackup, value: &impl Fn(u32) -> f64) -> f64 {
        self.opening.value(deal, value)
    }

    /// The value of the game by its first piece, from the values of the first contexts and of their hands.
    pub(crate) fn value_by_first_piece(
        &self,
        deal: DealBackup,
        context_value: &impl Fn(u32) -> f64,
        hand_value: &impl Fn(u32) -> f64,
    ) -> Vec<(u8, f64)> {
        match &self.opening {
            FirstDeals::Context(context) => {
                let deals = &self.contexts[*context as usize].deals;
                deals.iter().map(|dealt| (dealt.piece, hand_value(dealt.hand))).collect()
            }
            FirstDeals::Deals(deals) => {
                deals.iter().map(|(piece, _, next)| (*piece, next.value(deal, context_value))).collect()
            }
        }
    }

    /// What each next piece is worth while the first context is still being dealt.
    pub(crate) fn opening_values(
        &self,
        dealt: &[u8],
        deal: DealBackup,
        value: &impl Fn(u32) -> f64,
    ) -> Option<Vec<(u8, f64)>> {
        let mut opening = &self.opening;
        for piece in dealt {
            let FirstDeals::Deals(deals) = opening else { return None };
            opening = &deals.iter().find(|(dealt, _, _)| dealt == piece)?.2;
        }
        let FirstDeals::Deals(deals) = opening else { return None };
        Some(deals.iter().map(|(piece, _, next)| (*piece, next.value(deal, value))).collect())
    }

    /// The hand of this dealer state, queue and held piece.
    pub(crate) fn find_hand(
        &self,
        state: Option<DealerState>,
        queue: &[u8],
        held: Option<u8>,
    ) -> Option<u32> {
        self.hands
            .iter()
            .position(|hand| {
                state.is_none_or(|s| s == hand.state) && hand.queue == queue && hand.held == held
            })
            .map(|number| number as u32)
    }

    /// The context of this dealer state, queue and held piece.
    pub(crate) fn find_context(&self, state: DealerState, queue: &[u8], held: Option<u8>) -> Option<u32> {
        self.contexts
            .iter()
            .position(|c| c.state == state && c.queue == queue && c.held == held)
            .map(|number| number as u32)
    }

    /// The board that stands for this one, and whether it is the mirror image.
    #[inline]
    pub(crate) fn canonical(&self, game: &PlacementGame, board: PackedBoard) -> (PackedBoard, bool) {
        if self.mirror.is_some() {
            let mirrored = board.mirrored(game);
            if mirrored < board {
                return (mirrored, true);
            }
        }
        (board, false)
    }

    /// A context, or its mirror image.
    #[inline]
    pub(crate) fn context(&self, context: u32, flipped: bool) -> u32 {
        match &self.mirror {
            Some(mirror) if flipped => mirror[context as usize],
            _ => context,
        }
    }

    /// Pieces known beyond the current one.
    pub(crate) fn queue(&self) -> usize {
        self.queue
    }

    /// The mirror image of every context, if the dealer treats mirror images alike.
    fn mirrored(&self, game: &PlacementGame) -> Option<Vec<u32>> {
        let image = game.mirror_pieces()?;
        let states = mirrored_states(game.dealer(), &image)?;
        let numbers: HashMap<ContextKey, u32> = self
            .contexts
            .iter()
            .enumerate()
            .map(|(number, c)| ((c.state, c.queue.clone(), c.held), number as u32))
            .collect();
        let flip = |piece: u8| image[piece as usize] as u8;
        self.contexts
            .iter()
            .map(|context| {
                let queue = context.queue.iter().map(|&piece| flip(piece)).collect();
                let state = *states.get(&context.state)?;
                numbers.get(&(state, queue, context.held.map(flip))).copied()
            })
            .collect()
    }
}

/// The automorphism of the dealer that goes with exchanging each piece for its image, if there is one.
fn mirrored_states(dealer: &Dealer, image: &[usize]) -> Option<HashMap<DealerState, DealerState>> {
    let mut states = HashMap::from([(dealer.start(), dealer.start())]);
    let mut open = vec![dealer.start()];
    while let Some(state) = open.pop() {
        let mirrored = states[&state];
        if dealer.deals(state).len() != dealer.deals(mirrored).len() {
            return None;
        }
        for deal in dealer.deals(state) {
            let other =
                dealer.deals(mirrored).iter().find(|d| d.piece as usize == image[deal.piece as usize])?;
            if other.probability != deal.probability {
                return None;
            }
            match states.insert(deal.next, other.next) {
                None => open.push(deal.next),
                Some(before) if before == other.next => {}
                Some(_) => return None,
            }
        }
    }
    Some(states)
}

struct Builder<'a> {
    dealer: &'a Dealer,
    hold: bool,
    contexts: Vec<SupplyContext>,
    hands: Vec<Hand>,
    moves: Vec<HandMove>,
    context_numbers: HashMap<ContextKey, u32>,
    hand_numbers: HashMap<ContextKey, u32>,
    move_numbers: HashMap<HandMove, u32>,
}

impl<'a> Builder<'a> {
    fn new(dealer: &'a Dealer) -> Builder<'a> {
        Builder {
            dealer,
            hold: false,
            contexts: Vec::new(),
            hands: Vec::new(),
            moves: Vec::new(),
            context_numbers: HashMap::new(),
            hand_numbers: HashMap::new(),
            move_numbers: HashMap::new(),
        }
    }

    fn opening(
        &mut self,
        state: DealerState,
        known: &KnownPieces,
        left: usize,
    ) -> Result<FirstDeals, TooMany> {
        if left == 0 {
            return Ok(FirstDeals::Context(self.context(state, known, None)?));
        }
        let dealer = self.dealer;
        let mut deals = Vec::new();
        for deal in dealer.deals(state) {
            let next = self.opening(deal.next, &known.and(deal.piece, deal.next), left - 1)?;
            deals.push((deal.piece, deal.probability, next));
        }
        Ok(FirstDeals::Deals(deals))
    }

    fn context(&mut self, state: DealerState, known: &KnownPieces, held: Option<u8>) -> Result<u32, TooMany> {
        let key = (state, known.queue.clone(), held);
        if let Some(number) = self.context_numbers.get(&key) {
            return Ok(*number);
        }
        if self.contexts.len() >= MAX_CONTEXTS {
            return Err(TooMany);
        }
        let number = self.contexts.len() as u32;
        let KnownPieces { queue, states } = known.clone();
        self.contexts.push(SupplyContext { state, queue, states, held, deals: Vec::new() });
        self.context_numbers.insert(key, number);
        Ok(number)
    }

    fn expand(&mut self, number: usize) -> Result<(), TooMany> {
        let SupplyContext { state, queue, states, held, .. } = self.contexts[number].clone();
        let known = KnownPieces { queue, states };
        let dealer = self.dealer;
        for deal in dealer.deals(state) {
            let hand = self.hand(deal.next, &known.and(deal.piece, deal.next), held)?;
            let dealt = DealtHand { piece: deal.piece, probability: deal.probability, hand };
            self.contexts[number].deals.push(dealt);
        }
        Ok(())
    }

    fn hand(&mut self, state: DealerState, known: &KnownPieces, held: Option<u8>) -> Result<u32, TooMany> {
        let key = (state, known.queue.clone(), held);
        if let Some(number) = self.hand_numbers.get(&key) {
            return Ok(*number);
        }
        let (current, rest) = (known.queue[0], known.rest());
        let mut moves = vec![self.step(current, state, &rest, held)?];
        let mut put_aside = Vec::new();
        if self.hold {
            match held {
                Some(held) => moves.push(self.step(held, state, &rest, Some(current))?),
                None => {
                    let dealer = self.dealer;
                    for deal in dealer.deals(state) {
                        let known = rest.and(deal.piece, deal.next);
                        let step = self.step(known.queue[0], deal.next, &known.rest(), Some(current))?;
                        put_aside.push((deal.probability, step));
                    }
                }
            }
            moves.dedup();
        }
        let number = self.hands.len() as u32;
        let KnownPieces { queue, states } = known.clone();
        self.hands.push(Hand { state, queue, states, held, moves, put_aside });
        self.hand_numbers.insert(key, number);
        Ok(number)
    }

    fn step(
        &mut self,
        piece: u8,
        state: DealerState,
        known: &KnownPieces,
        held: Option<u8>,
    ) -> Result<u32, TooMany> {
        let step = HandMove { piece, next: self.context(state, known, held)? };
        let next = self.moves.len() as u32;
        let number = *self.move_numbers.entry(step).or_insert(next);
        if number == next {
            self.moves.push(step);
        }
        Ok(number)
    }
}

/// Known pieces, each with the dealer's state after it.
#[derive(Clone, Debug, Default)]
struct KnownPieces {
    queue: Vec<u8>,
    states: Vec<DealerState>,
}

impl KnownPieces {
    fn and(&self, piece: u8, state: DealerState) -> KnownPieces {
        let mut longer = self.clone();
        longer.queue.push(piece);
        longer.states.push(state);
        longer
    }

    fn rest(&self) -> KnownPieces {
        KnownPieces { queue: self.queue[1..].to_vec(), states: self.states[1..].to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Game;

    fn supply(game: &str, overrides: &[&str], queue: usize, hold: bool) -> Supply {
        let overrides: Vec<_> = overrides.iter().map(|text| text.parse().unwrap()).collect();
        let game = Game::built_in(game, &overrides).unwrap().unwrap();
        Supply::new(game.placement().unwrap(), queue, hold, true).unwrap()
    }

    #[test]
    fn contexts_are_counted() {
        let check = |supply: Supply, contexts, hands, mirror: bool| {
            assert_eq!((supply.contexts.len(), supply.hands.len()), (contexts, hands));
            assert_eq!(supply.mirror.is_some(), mirror);
        };
        check(supply("baby", &[], 0, false), 1, 2, true);
        check(supply("baby", &[], 1, false), 2, 4, true);
        check(supply("baby", &[], 2, false), 4, 8, true);
        // Held nothing, I3 or L3.
        check(supply("baby", &[], 0, true), 3, 6, true);
        check(supply("mini", &[], 0, false), 4, 3, false);
        // A bag of two is full or has one left; a hand is the piece and what is left.
        check(supply("baby", &["dealer.kind=bag"], 0, false), 3, 4, true);
        check(supply("small", &["dealer.kind=bag"], 0, false), 63, 6 * 32, true);
        check(
            supply("baby", &["dealer.kind=sequence", "dealer.order=[\"I3\",\"L3\",\"L3\"]"], 0, false),
            3,
            3,
            true,
        );
        check(supply("small", &["dealer.weights=[1,1,2,1,1,1]"], 0, false), 1, 6, false);
    }

    #[test]
    fn a_single_hand_is_plain() {
        assert!(supply("baby", &[], 0, false).plain);
        assert!(supply("small", &[], 0, false).plain);
        assert!(!supply("baby", &[], 0, true).plain);
        assert!(!supply("mini", &[], 0, false).plain);
    }
}
