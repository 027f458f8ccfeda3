//! A beam search against a dealer without chance: piece by piece, the best wells of each number of pieces.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicI64, Ordering};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Placement;

use crate::hashing::mix;

use super::deal::WellDealer;
use super::judge::{Basis, WellJudge};
use super::moves::{WellError, WellMoves, WellScratch};
use super::past::{Footstep, Past, ROOT};
use super::position::WellBits;
use super::tables::UNIT;
use super::workers::in_order;

/// A well in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The well.
    pub well: WellBits,
    /// Rows so far.
    pub rows: u32,
    /// Where the dealer is in what he does.
    pub phase: u8,
    /// The number of pieces since which the dealer remembers wells.
    pub since: u32,
    /// How often the dealer has gone on to his next step, for a dealer who waits for wells to repeat.
    pub turns: u32,
    /// The place of the well it came from in the layer before.
    pub parent: u32,
    pub(super) past: u32,
}

/// The best game so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BestGame {
    /// Its rows.
    pub rows: u32,
    /// Its placements, up to the last that cleared a row at least.
    pub placements: Vec<Placement>,
}

/// A search on its way: the wells after so many pieces, the best of them first.
#[derive(Clone, Debug)]
pub struct Hunt {
    pub(super) moves: WellMoves,
    pub(super) dealer: WellDealer,
    pub(super) width: usize,
    pub(super) pieces: u32,
    pub(super) layer: Vec<Found>,
    pub(super) past: Past,
    pub(super) best: BestGame,
    pub(super) best_in_layer: Option<(u32, u32)>,
    /// What the best well that follows each one of the layer before promises, rows so far included.
    pub(super) promises: Vec<i32>,
    pub(super) kept: usize,
    /// Chance in the judgement, in units, and its seed.
    jitter: (u32, u64),
    /// Wells that were looked at.
    pub(super) seen: u64,
}

/// A well that may be kept.
#[derive(Clone, Copy, Debug)]
struct Heir {
    well: WellBits,
    hash: u64,
    units: i32,
    rows: u32,
    since: u32,
    turns: u32,
    parent: u32,
    placement: Placement,
    phase: u8,
}

/// A step of the dealer is thought to be worth so much: 100 rows.
const TURN: i32 = 100 * UNIT as i32;

/// Wells that are expanded as one piece of work.
const BLOCK: usize = 128;

impl Hunt {
    /// Begins with the empty well; at most `width` wells are kept of each number of pieces.
    pub fn new(game: &PlacementGame, width: usize) -> Result<Hunt, WellError> {
        let dealer = WellDealer::new(game)?;
        let past = Past::new(remembers(&dealer));
        let start =
            Found { well: WellBits::EMPTY, rows: 0, phase: 0, since: 0, turns: 0, parent: ROOT, past: ROOT };
        Ok(Hunt {
            moves: WellMoves::new(game)?,
            dealer,
            width: width.max(1),
            pieces: 0,
            layer: vec![start],
            past,
            best: BestGame::default(),
            best_in_layer: None,
            promises: Vec::new(),
            kept: 0,
            jitter: (0, 0),
            seen: 0,
        })
    }

    /// The search with chance in its judgement: up to so many units of 1/256 of a row, the same for a well and a seed. What
    /// learns from such searches meets other wells in each.
    pub fn with_jitter(self, units: u32, seed: u64) -> Hunt {
        Hunt { jitter: (units, seed), ..self }
    }

    /// How many wells are kept.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether the dealer remembers wells.
    pub(super) fn remembers(&self) -> bool {
        remembers(&self.dealer)
    }

    /// The wells, the best first; none once every one of them has died.
    pub fn layer(&self) -> &[Found] {
        &self.layer
    }

    /// What each well of the layer before promised: rows so far and to come, in units of 1/256, by the best that follows.
    pub fn promises(&self) -> &[i32] {
        &self.promises
    }

    /// Pieces so far.
    pub fn pieces(&self) -> u32 {
        self.pieces
    }

    /// How many wells were looked at.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The best game so far.
    pub fn best(&self) -> BestGame {
        match self.best_in_layer {
            Some((rows, past)) => BestGame { rows, placements: self.past.path(past) },
            None => self.best.clone(),
        }
    }

    /// Rows of the best game so far.
    pub fn best_rows(&self) -> u32 {
        self.best_in_layer.map_or(self.best.rows, |(rows, _)| rows)
    }

    /// Looks one piece further, on so many threads; whether any well is left. The outcome does not depend on the threads.
    pub fn advance(&mut self, judge: &WellJudge, threads: usize) -> bool {
        self.keep_best();
        let mut selection = Selection::new(self.width);
        let blocks = self.layer.len().div_ceil(BLOCK);
        let threshold = AtomicI64::new(i64::MIN);
        let mut promises = Vec::with_capacity(self.layer.len());
        let mut seen = 0;
        let layer = &self.layer;
        let this = &*self;
        in_order(
            blocks,
            threads,
            || (WellScratch::default(), Basis::default()),
            |(scratch, basis), block| {
                let first = block * BLOCK;
                let parents = &layer[first..layer.len().min(first + BLOCK)];
                let mut offers = Expansion {
                    offers: Vec::with_capacity(parents.len() * 12),
                    promises: Vec::with_capacity(parents.len()),
                    seen: 0,
                };
                for (index, parent) in parents.iter().enumerate() {
                    let least = threshold.load(Ordering::Relaxed);
                    this.expand(judge, parent, (first + index) as u32, least, scratch, basis, &mut offers);
                }
                offers
            },
            |expansion| {
                promises.extend(expansion.promises);
                seen += expansion.seen;
                expansion.offers.into_iter().for_each(|offer| selection.take(offer));
                threshold.store(selection.least, Ordering::Relaxed);
            },
        );
        self.seen += seen;
        self.promises = promises;
        let chosen = selection.finish();
        self.take(&chosen);
        !self.layer.is_empty()
    }

    /// Every well that follows one, with what it promises.
    #[allow(clippy::too_many_arguments)]
    fn expand(
        &self,
        judge: &WellJudge,
        parent: &Found,
        index: u32,
        least: i64,
        scratch: &mut WellScratch,
        basis: &mut Basis,
        expansion: &mut Expansion,
    ) {
        let (piece, phase, since) = self.dealt(parent, scratch);
        let turns = parent.turns + u32::from(since != parent.since);
        // To go on to the next step is what a player avoids as long as he can.
        let delay = turns as i32 * TURN;
        judge.prepare(&parent.well, phase, basis);
        let before = parent.rows as i32 * UNIT as i32;
        let mut promise = before;
        self.moves.followers_of(&parent.well, piece, scratch, |follower| {
            let value = judge.units_after(basis, &follower.well, phase, follower.rows);
            let units = before + follower.rows as i32 * UNIT as i32 + value;
            promise = promise.max(units);
            expansion.seen += 1;
            let hash = follower.well.hash_with(u64::from(phase));
            let chance = mix(hash, self.jitter.1) >> 32;
            let luck = ((chance * u64::from(self.jitter.0)) >> 32) as i32;
            let units = units + luck - delay;
            if i64::from(units) >= least {
                expansion.offers.push(Heir {
                    well: follower.well,
                    hash,
                    units,
                    rows: parent.rows + follower.rows,
                    since,
                    turns,
                    parent: index,
                    placement: follower.placement,
                    phase,
                });
            }
        });
        expansion.promises.push(promise);
    }

    /// What the dealer deals to a well, his phase afterwards, and since when he remembers.
    pub(super) fn dealt(&self, found: &Found, scratch: &mut WellScratch) -> (usize, u8, u32) {
        match &self.dealer {
            WellDealer::Sequence(order) => {
                let phase = usize::from(found.phase);
                (order[phase].into(), ((phase + 1) % order.len()) as u8, 0)
            }
            WellDealer::Mild => (WellDealer::worst(&self.moves, &found.well, scratch, |_| 0).into(), 0, 0),
            WellDealer::Hatetris => {
                // The wells that were there, the empty one at the beginning included; the last step is the well itself.
                let count = |well: &WellBits| {
                    u32::from(*well == WellBits::EMPTY) + self.past.count(found.past, well.hash_with(0), 0)
                };
                (WellDealer::worst(&self.moves, &found.well, scratch, count).into(), 0, 0)
            }
            WellDealer::Brzustowski(pieces) => {
                let piece = pieces[usize::from(matches!(found.phase, 1 | 2))].into();
                let hash = found.well.hash_with(0);
                let was_empty = found.since == 0 && self.pieces > 0 && found.well == WellBits::EMPTY;
                // The well itself is the last step; what counts are those before it.
                let is_repeated = was_empty
                    || found.past != ROOT
                        && self.past.count(
                            self.past.steps[found.past as usize].parent,
                            hash,
                            found.since.max(1),
                        ) > 0;
                if found.phase.is_multiple_of(2) && !is_repeated {
                    (piece, found.phase, found.since)
                } else {
                    (piece, (found.phase + 1) % 4, self.pieces + 1)
                }
            }
        }
    }

    /// Keeps the chosen ones as the new layer.
    fn take(&mut self, chosen: &[Heir]) {
        self.pieces += 1;
        let mut layer = Vec::with_capacity(chosen.len());
        for offer in chosen {
            let parent = self.layer[offer.parent as usize].past;
            let hash = offer.well.hash_with(0);
            let past =
                self.past.push(Footstep { parent, layer: self.pieces, placement: offer.placement, hash });
            let most = self.best_in_layer.map_or(self.best.rows, |(rows, _)| rows);
            if offer.rows > most {
                self.best_in_layer = Some((offer.rows, past));
            }
            layer.push(Found {
                well: offer.well,
                rows: offer.rows,
                phase: offer.phase,
                since: offer.since,
                turns: offer.turns,
                parent: offer.parent,
                past,
            });
        }
        self.layer = layer;
        if self.past.steps.len() > 2 * self.kept + 16 * self.width + (1 << 16) {
            self.keep_best();
            self.past.keep(self.layer.iter_mut().map(|found| &mut found.past));
            self.kept = self.past.steps.len();
        }
    }

    /// Writes the best game out, before its steps may be forgotten.
    fn keep_best(&mut self) {
        // The steps of a game that is still the best are looked up when somebody asks, or when they might go.
        if self.layer.is_empty() || self.past.steps.len() > 2 * self.kept + 12 * self.width + (1 << 15) {
            self.best = self.best();
            self.best_in_layer = None;
        }
    }
}

fn remembers(dealer: &WellDealer) -> bool {
    matches!(dealer, WellDealer::Hatetris | WellDealer::Brzustowski(_))
}

/// What came of a block.
struct Expansion {
    offers: Vec<Heir>,
    promises: Vec<i32>,
    seen: u64,
}

/// The best of the offers so far, each well once.
struct Selection {
    width: usize,
    offers: Vec<Heir>,
    /// Places of the offers plus one, by hash.
    places: Vec<u32>,
    /// What is below this is not among the best.
    least: i64,
}

impl Selection {
    fn new(width: usize) -> Selection {
        Selection {
            width,
            offers: Vec::with_capacity(2 * width + 1),
            places: vec![0; (4 * width + 2).next_power_of_two()],
            least: i64::MIN,
        }
    }

    fn take(&mut self, offer: Heir) {
        if i64::from(offer.units) < self.least || !self.insert(&offer) {
            return;
        }
        self.offers.push(offer);
        if self.offers.len() > 2 * self.width {
            self.shrink();
            self.places.fill(0);
            for (place, offer) in std::mem::take(&mut self.offers).into_iter().enumerate() {
                self.insert_at(&offer, place as u32 + 1);
                self.offers.push(offer);
            }
            self.least = self.offers.iter().map(|offer| offer.units.into()).min().unwrap_or(i64::MIN);
        }
    }

    /// Whether the well is new.
    fn insert(&mut self, offer: &Heir) -> bool {
        self.insert_at(offer, self.offers.len() as u32 + 1)
    }

    fn insert_at(&mut self, offer: &Heir, place: u32) -> bool {
        let mask = self.places.len() - 1;
        let mut slot = (offer.hash >> 20) as usize & mask;
        loop {
            match self.places[slot] {
                0 => {
                    self.places[slot] = place;
                    return true;
                }
                taken => {
                    if let Some(other) = self.offers.get(taken as usize - 1)
                        && other.hash == offer.hash
                        && other.well == offer.well
                        && other.phase == offer.phase
                    {
                        return false;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Leaves as many as are wanted. Ties are broken by the position alone.
    fn shrink(&mut self) {
        if self.offers.len() > self.width {
            self.offers.select_nth_unstable_by_key(self.width - 1, rank);
            self.offers.truncate(self.width);
        }
    }

    fn finish(mut self) -> Vec<Heir> {
        self.shrink();
        self.offers.sort_unstable_by_key(rank);
        self.offers
    }
}

fn rank(offer: &Heir) -> (Reverse<i32>, u64, WellBits) {
    (Reverse(offer.units), offer.hash, offer.well)
}
