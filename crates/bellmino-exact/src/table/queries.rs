//! What a table says: the one Bellman operator over its store.

use bellmino_engine::placement::{Board, Deal, PackedBoard, Placement};

use super::store::{KeptBoard, StoredStage, TableStore};
use super::{HandChoice, Look, PlacementValue, Table};
use crate::bellman::{Boards, Operator};
use crate::run::{THE_END, UNSAFE};
use crate::settings::{Dealing, Objective};
use crate::sides::{DealerPolicy, InHand, OnTable, Policy};
use crate::solve::packed;
use crate::supply::{DealBackup, Hand, HandMove};

/// Values closer together than this, relative to their size, are taken as equal; ties go to the first placement.
pub(crate) const TIE: f64 = 1e-9;

impl Table {
    /// Every placement of a piece with its value, in the order rotation, column, row; `None` if the board is not in
    /// the table. For games in which the piece alone makes the hand: no preview, no hold, no bag.
    pub fn placement_values(&self, board: &Board, piece: usize) -> Option<Vec<PlacementValue>> {
        self.values_of_pieces(packed(self.game(), board)?, &[u8::try_from(piece).ok()?])
    }

    /// Every placement with its value for the current piece and the known ones after it, nothing held, whatever the
    /// dealer's state; `None` if the board is not in the table.
    pub fn values_of_pieces(&self, board: PackedBoard, pieces: &[u8]) -> Option<Vec<PlacementValue>> {
        let hand = self.store.supply().find_hand(None, pieces, None)?;
        Some(self.on(board, None)?.placements(self.numbered(hand)))
    }

    /// All that can be done with a hand, with its value; `None` if this hand cannot come up on this board. The queue
    /// has every piece on the table, those included that a dealer has named before the player may see them.
    ///
    /// Under `average` values are relative to the best placement, in points; negative infinity where the game can end.
    pub fn look(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Look> {
        let number = self.store.supply().find_hand(Some(*hand.states.last()?), hand.queue, hand.held)?;
        let backup = self.on(board, hand.left)?;
        if !backup.comes_up(number) {
            return None;
        }
        let hand = self.numbered(number);
        Some(self.told(backup.placements(hand), backup.put_aside(hand)))
    }

    /// All that can be done after the piece before the current one was put aside: the current one is placed, be it new or the
    /// one that was held before. `None` if that cannot come up on this board.
    pub fn look_after_aside(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Look> {
        let supply = self.store.supply();
        let (&piece, rest) = hand.queue.split_first()?;
        let next = supply.find_context(*hand.states.last()?, rest, hand.held)?;
        let backup = self.on(board, hand.left)?;
        let leads_here = |number: &u32| supply.moves[*number as usize] == HandMove { piece, next };
        let brought = |hand: &Hand| {
            let swapped = hand.moves.iter().skip(1);
            hand.put_aside.iter().map(|(_, number)| number).chain(swapped).any(leads_here)
        };
        let mut before = supply.hands.iter().zip(0..).filter(|(hand, _)| brought(hand));
        if !before.any(|(_, number)| backup.comes_up(number)) {
            return None;
        }
        Some(self.told(backup.placements_to(piece, next, false), None))
    }

    /// Values as they are told: under `average` relative to the best.
    fn told(&self, mut placements: Vec<PlacementValue>, mut put_aside: Option<f64>) -> Look {
        let alive = placements.iter_mut().filter(|one| !one.fatal).map(|one| &mut one.value);
        self.make_relative(alive.chain(&mut put_aside));
        Look { placements, put_aside }
    }

    /// Visits every board with what may be on the table there, nothing held: the current piece and the known ones after it.
    /// What looks alike comes once, whatever the dealer remembers.
    pub fn each_queue(&self, mut visit: impl FnMut(PackedBoard, &[u8])) {
        let supply = self.store.supply();
        let mut queues: Vec<&[u8]> = supply.hands.iter().map(|hand| &hand.queue[..]).collect();
        queues.sort_unstable();
        queues.dedup();
        let place = |hand: &Hand| queues.binary_search(&&hand.queue[..]).ok();
        let dealt = supply.contexts.iter().map(|context| {
            let hands = context.deals.iter().map(|dealt| self.numbered(dealt.hand));
            hands.filter(|hand| hand.held.is_none()).filter_map(place).collect()
        });
        let dealt: Vec<Vec<usize>> = dealt.collect();
        let mut wanted = vec![false; queues.len()];
        for board in self.boards() {
            let Some(kept) = self.store.find(board) else { continue };
            wanted.fill(false);
            for (places, number) in dealt.iter().zip(0..) {
                if self.store.is_reached(kept, number) {
                    places.iter().for_each(|&place| wanted[place] = true);
                }
            }
            for (queue, _) in queues.iter().zip(&wanted).filter(|(_, wanted)| **wanted) {
                visit(board, queue);
            }
        }
    }

    /// What to do with a hand: the best, ties to the first. `None` if nothing can be done or the board is not in the
    /// table.
    pub fn choose(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<HandChoice> {
        let backup = self.on(board, hand.left)?;
        let hand = self.seen(hand)?;
        let choice = chosen(&backup.placements(hand), backup.put_aside(hand));
        // Where nothing can be placed, another piece may still be asked for, though none that comes can be placed either.
        choice.or((!hand.put_aside.is_empty()).then_some(HandChoice::PutAside))
    }

    /// The first of the best of these placements; one that ends the game only if there is no other.
    pub fn best_of(&self, values: &[PlacementValue]) -> Option<Placement> {
        first_best(values).or(values.first()).map(|value| value.placement)
    }

    /// Where to put the current piece of a hand: the best place, ties to the first, and no holding.
    pub fn choose_placement(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement> {
        let last = self.queue();
        let (queue, state) = (hand.queue.get(..=last)?, *hand.states.get(last)?);
        let next = self.store.supply().find_context(state, &queue[1..], hand.held)?;
        self.best_of(&self.on(board, hand.left)?.placements_to(queue[0], next, false))
    }

    /// What each piece that may be dealt now is worth to the player: after a placement, after a piece was put aside, or
    /// while the first pieces are dealt.
    ///
    /// Under `average` values are relative to the best piece, in points; negative infinity where the game can end.
    pub fn deal_values(&self, board: PackedBoard, table: &OnTable<'_>) -> Option<Vec<(u8, f64)>> {
        let mut values = self.raw_deals(board, table)?;
        self.make_relative(values.iter_mut().map(|(_, value)| value));
        Some(values)
    }

    /// The piece that is worth least to the player, ties to the first.
    pub fn worst_deal(&self, board: PackedBoard, table: &OnTable<'_>) -> Option<u8> {
        let values = self.raw_deals(board, table)?;
        let least = values.iter().map(|(_, value)| *value).reduce(f64::min)?;
        values.iter().find(|(_, value)| !is_more(*value, least)).map(|(piece, _)| *piece)
    }

    /// Every board with what it is worth before a piece is dealt, mirror images too: the least of what can be in hand and
    /// in sight there, with all pieces left.
    ///
    /// Under `average` values are relative to the best board, in points; negative infinity where the game can end.
    pub fn board_values(&self) -> Vec<(PackedBoard, f64)> {
        let stage = self.store.stage(self.store.stages().saturating_sub(1));
        let contexts = 0..self.store.supply().contexts.len() as u32;
        let worth = |board: PackedBoard| {
            let board = self.store.find(board)?;
            let come_up = contexts.clone().filter(|context| self.store.is_reached(board, *context));
            come_up.map(|context| stage.at(board, context)).reduce(f64::min)
        };
        let all = self.store.boards().into_iter().filter(|board| !self.is_partial || *board == self.start);
        let mut values: Vec<(PackedBoard, f64)> =
            all.filter_map(|board| Some((board, worth(board)?))).collect();
        self.make_relative(values.iter_mut().map(|(_, value)| value));
        values
    }

    /// What each piece that may be dealt now is worth, as it stands in the table.
    fn raw_deals(&self, board: PackedBoard, table: &OnTable<'_>) -> Option<Vec<(u8, f64)>> {
        let OnTable { state, queue, held, spent, left } = *table;
        let backup = self.on(board, left)?;
        if spent {
            return backup.deals_after_aside(table);
        }
        if queue.len() < self.queue() {
            let deal = DealBackup::of(self.settings.dealing);
            return self.store.supply().opening_values(queue, deal, &|context| backup.context(context));
        }
        Some(backup.deals(self.store.supply().find_context(state, queue, held)?))
    }

    /// Under `average` only differences mean something: those to the best one are left.
    fn make_relative<'v>(&self, values: impl Iterator<Item = &'v mut f64>) {
        if self.settings.objective != Objective::Average {
            return;
        }
        let values: Vec<&mut f64> = values.collect();
        let best = values.iter().map(|value| **value).reduce(f64::max).unwrap_or(0.0);
        for value in values {
            *value = if *value < 0.5 * UNSAFE { f64::NEG_INFINITY } else { *value - best };
        }
    }

    /// The hand of this number.
    fn numbered(&self, hand: u32) -> &Hand {
        &self.store.supply().hands[hand as usize]
    }

    /// The hand of this table for what can be seen, which may be more than the table looks at.
    fn seen(&self, hand: &InHand<'_>) -> Option<&Hand> {
        let last = self.queue();
        let state = Some(*hand.states.get(last)?);
        let number = self.store.supply().find_hand(state, hand.queue.get(..=last)?, hand.held)?;
        Some(self.numbered(number))
    }

    /// The operator at a board, if it is in the table, with the values that follow a placement when so many pieces are
    /// left: all of a horizon, where nothing is said. `None` for more than the horizon, or for fewer or another board where
    /// these values were not kept.
    pub(super) fn on(&self, board: PackedBoard, left: Option<u32>) -> Option<Backup<'_>> {
        let stage = match self.settings.objective {
            Objective::Horizon(pieces) => {
                let (most, stages) = (pieces.max(1) as usize, self.store.stages());
                let left = left.map_or(most, |left| left.max(1) as usize);
                // Without stages the values are those that follow the first placement.
                let stage = if stages == most { left - 1 } else { left.checked_sub(most)? };
                (left <= most).then_some(stage)?
            }
            _ => 0,
        };
        if self.is_partial && board != self.start {
            return None;
        }
        let dead = if self.settings.objective == Objective::Average { THE_END } else { 0.0 };
        Some(Backup {
            board: self.store.find(board)?,
            operator: Operator { dead, ..Operator::new(&self.store, self.game(), &self.settings) },
            values: self.store.stage(stage),
        })
    }
}

impl Look {
    /// The best of all that can be done, ties to the first; `None` if nothing can be.
    pub fn choice(&self) -> Option<HandChoice> {
        chosen(&self.placements, self.put_aside)
    }
}

/// The operator at one board.
pub(super) struct Backup<'a> {
    board: KeptBoard,
    operator: Operator<'a, TableStore>,
    values: StoredStage<'a>,
}

impl Backup<'_> {
    /// Every placement of a hand with its value: of the current piece, then of the held one.
    pub(super) fn placements(&self, hand: &Hand) -> Vec<PlacementValue> {
        let moves = hand.moves.iter().enumerate();
        let step = |number: u32| self.operator.space.supply().moves[number as usize];
        let placed = |(place, &number): (usize, &u32)| {
            let HandMove { piece, next } = step(number);
            self.placements_to(piece, next, place > 0)
        };
        moves.flat_map(placed).collect()
    }

    /// Every placement of a piece with its value, if this context follows.
    fn placements_to(&self, piece: u8, next: u32, held: bool) -> Vec<PlacementValue> {
        let (store, operator) = (self.operator.space, &self.operator);
        let mut values = Vec::new();
        self.board.board.each_outcome(store.game(), 1 << piece, |placement, landed| {
            let (fatal, lines) = (landed.fatal, landed.lines());
            let (mut value, mut points) = (0.0, 0.0);
            if !fatal {
                value = operator.worth(&self.values, store.step(&landed), next);
                points = store.game().score().points(lines);
            }
            values.push(PlacementValue { placement, held, lines, points, fatal, value });
        });
        values
    }

    /// What putting the current piece aside is worth.
    pub(super) fn put_aside(&self, hand: &Hand) -> Option<f64> {
        if hand.put_aside.is_empty() {
            return None;
        }
        let moves = self.moves(hand.put_aside.iter().map(|(_, number)| *number));
        self.operator.put_aside(hand, &moves)
    }

    /// What each piece that may be dealt in a context is worth.
    fn deals(&self, context: u32) -> Vec<(u8, f64)> {
        let supply = self.operator.space.supply();
        let deals = &supply.contexts[context as usize].deals;
        let hands: Vec<&Hand> = deals.iter().map(|dealt| &supply.hands[dealt.hand as usize]).collect();
        let aside = hands.iter().flat_map(|hand| hand.put_aside.iter().map(|(_, number)| *number));
        let moves = self.moves(hands.iter().flat_map(|hand| hand.moves.iter().copied()).chain(aside));
        let worth = |hand: &Hand| self.operator.alive(self.operator.hand(hand, &moves));
        deals.iter().zip(hands).map(|(dealt, hand)| (dealt.piece, worth(hand))).collect()
    }

    /// What each piece is worth that may be dealt after another was put aside: the current one has to be placed.
    fn deals_after_aside(&self, table: &OnTable<'_>) -> Option<Vec<(u8, f64)>> {
        let supply = self.operator.space.supply();
        let step = |deal: &Deal| {
            let queue: Vec<u8> = table.queue.iter().copied().chain([deal.piece]).collect();
            let step =
                HandMove { piece: queue[0], next: supply.find_context(deal.next, &queue[1..], table.held)? };
            let number = supply.moves_of.get(usize::from(step.piece))?;
            number.iter().copied().find(|number| supply.moves[*number as usize] == step)
        };
        let deals = self.operator.space.game().dealer().deals(table.state);
        let steps: Vec<u32> = deals.iter().map(step).collect::<Option<_>>()?;
        let moves = self.moves(steps.iter().copied());
        Some(
            deals
                .iter()
                .zip(steps)
                .map(|(deal, step)| (deal.piece, self.operator.alive(moves[step as usize])))
                .collect(),
        )
    }

    /// What a context is worth before the next piece is dealt.
    fn context(&self, context: u32) -> f64 {
        let deals = &self.operator.space.supply().contexts[context as usize].deals;
        let probabilities = deals.iter().map(|dealt| dealt.probability);
        self.operator.deal.combine(probabilities.zip(self.deals(context)).map(|(p, (_, value))| (p, value)))
    }

    /// The values of moves; those that are not wanted have none.
    fn moves(&self, wanted: impl Iterator<Item = u32>) -> Vec<f64> {
        let mut room = self.operator.scratch();
        room.active.fill(false);
        wanted.for_each(|number| room.active[number as usize] = true);
        self.operator.moves(self.board, &self.values, &mut room);
        room.values
    }

    /// Whether some context of the board deals this hand.
    pub(super) fn comes_up(&self, hand: u32) -> bool {
        let store = self.operator.space;
        let mut contexts = store.supply().contexts.iter().zip(0..);
        contexts.any(|(context, number)| {
            context.deals.iter().any(|dealt| dealt.hand == hand) && store.is_reached(self.board, number)
        })
    }
}

impl Policy for Table {
    fn sees_named(&self) -> bool {
        true
    }

    fn place(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement> {
        match self.choose(board, hand)? {
            HandChoice::Place(placement) | HandChoice::PlaceHeld(placement) => Some(placement),
            HandChoice::PutAside => None,
        }
    }

    fn depends_on_time(&self) -> bool {
        matches!(self.settings.objective, Objective::Horizon(_))
    }
}

impl DealerPolicy for Table {
    fn deal(&self, board: PackedBoard, table: &OnTable<'_>) -> Option<u8> {
        self.worst_deal(board, table)
    }

    fn share(&self) -> f64 {
        match self.settings.dealing {
            Dealing::Random => 0.0,
            Dealing::Worst | Dealing::WorstBefore => 1.0,
            Dealing::Mixed(share) => share,
        }
    }

    fn depends_on_time(&self) -> bool {
        matches!(self.settings.objective, Objective::Horizon(_))
    }
}

/// The best of these placements and of putting the piece aside, ties to the first; `None` if there is neither.
pub(super) fn chosen(values: &[PlacementValue], aside: Option<f64>) -> Option<HandChoice> {
    match (first_best(values), aside) {
        (None, None) => values.first().map(|value| HandChoice::Place(value.placement)),
        (Some(best), aside) if aside.is_none_or(|aside| !is_more(aside, best.value)) => {
            let choice = if best.held { HandChoice::PlaceHeld } else { HandChoice::Place };
            Some(choice(best.placement))
        }
        _ => Some(HandChoice::PutAside),
    }
}

/// The first of the best placements that do not end the game.
fn first_best(values: &[PlacementValue]) -> Option<&PlacementValue> {
    let most = values.iter().filter(|value| !value.fatal).map(|value| value.value).reduce(f64::max)?;
    values.iter().find(|value| !value.fatal && !is_more(most, value.value))
}

/// More by more than a tie.
fn is_more(a: f64, b: f64) -> bool {
    if a.is_infinite() || b.is_infinite() {
        return a > b;
    }
    a > b + TIE * a.abs().max(b.abs()).max(1.0)
}
