//! Who judges wells in a search.

use bellmino_engine::PlacementGame;
use thiserror::Error;

use super::deal::WellDealer;
use super::position::{WELL_ROWS, WellBits};
use super::tables::{UNIT, WellParts, WellTables, take_word};

/// What a well is thought to be worth: rows to come, in whole units of 1/256 of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct WellJudge {
    width: usize,
    /// By phase of the dealer: which tables, and whether by the mirror image.
    aspects: Vec<Aspect>,
    tables: Vec<WellTables>,
}

/// Why bytes are no judge of wells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JudgeError {
    /// Something else altogether.
    #[error("this is no file of values of wells; `hunt` writes them when it learns")]
    Foreign,
    /// Not whole.
    #[error("the values of wells end in the middle, or are no numbers")]
    Cut,
    /// For other wells.
    #[error("the values are for wells of {} by {} and {} kinds of phases, not {} by {} and {}", found.0, found.1, found.2, asked.0, asked.1, asked.2)]
    Other {
        /// Columns, rows and tables of the file.
        found: (usize, usize, usize),
        /// Those of the game.
        asked: (usize, usize, usize),
    },
}

/// How the bytes begin.
const MARK: &[u8] = b"bellmino wells 1\n";

/// How wells are looked at in a phase of the dealer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Aspect {
    tables: usize,
    is_mirrored: bool,
}

/// What is known of a well before those that follow are judged.
#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    parts: WellParts,
    well: WellBits,
}

impl WellJudge {
    /// A judge by a sum of features made by hand: transitions along rows and columns, holes, wells.
    pub fn linear(game: &PlacementGame, dealer: &WellDealer) -> WellJudge {
        WellJudge { width: game.width(), aspects: aspects(game, dealer), tables: Vec::new() }
    }

    /// A judge by tables that know nothing yet.
    pub fn blank(game: &PlacementGame, dealer: &WellDealer) -> WellJudge {
        let mut judge = WellJudge::linear(game, dealer);
        judge.tables = vec![WellTables::new(game.width(), game.height()); judge.sets()];
        judge
    }

    /// Whether it can learn.
    pub fn is_learned(&self) -> bool {
        !self.tables.is_empty()
    }

    /// The tables, one for each kind of phase.
    pub fn tables(&self) -> &[WellTables] {
        &self.tables
    }

    /// What it has learned.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        let height = self.tables.first().map_or(0, WellTables::height);
        for number in [self.width, height, self.tables.len()] {
            bytes.extend((number as u32).to_le_bytes());
        }
        self.tables.iter().for_each(|tables| tables.write(&mut bytes));
        bytes
    }

    /// Reads what was learned for such a game and dealer.
    pub fn from_bytes(
        game: &PlacementGame,
        dealer: &WellDealer,
        mut bytes: &[u8],
    ) -> Result<WellJudge, JudgeError> {
        let bytes = &mut bytes;
        *bytes = bytes.strip_prefix(MARK).ok_or(JudgeError::Foreign)?;
        let mut word = || take_word(bytes).map(|word| word as usize).ok_or(JudgeError::Cut);
        let (width, height, sets) = (word()?, word()?, word()?);
        let mut judge = WellJudge::linear(game, dealer);
        let wanted = judge.sets();
        if (width, height, sets) != (game.width(), game.height(), wanted) {
            let asked = (game.width(), game.height(), wanted);
            return Err(JudgeError::Other { found: (width, height, sets), asked });
        }
        for _ in 0..sets {
            judge.tables.push(WellTables::read(width, height, bytes).ok_or(JudgeError::Cut)?);
        }
        if bytes.is_empty() { Ok(judge) } else { Err(JudgeError::Cut) }
    }

    fn sets(&self) -> usize {
        self.aspects.iter().map(|aspect| aspect.tables + 1).max().unwrap_or(0)
    }

    /// The value of a well in a phase.
    #[inline]
    pub fn units(&self, well: &WellBits, phase: u8) -> i32 {
        if self.tables.is_empty() {
            return linear(well, self.width);
        }
        let (tables, well) = self.seen(well, phase);
        self.tables[tables].units(&well)
    }

    /// Learns that a well was worth so many units.
    pub fn learn(&mut self, well: &WellBits, phase: u8, units: i32, rate: f32) -> f32 {
        let (tables, well) = self.seen(well, phase);
        self.tables[tables].learn(&well, units as f32 / UNIT, rate)
    }

    /// Gets ready to judge what follows a well and is in this phase.
    pub(super) fn prepare(&self, well: &WellBits, phase: u8, basis: &mut Basis) {
        if !self.tables.is_empty() {
            let (tables, seen) = self.seen(well, phase);
            self.tables[tables].parts(&seen, &mut basis.parts);
            basis.well = seen;
        }
    }

    /// The value of a well that follows the prepared one.
    #[inline(always)]
    pub(super) fn units_after(&self, basis: &Basis, well: &WellBits, phase: u8, cleared: u32) -> i32 {
        if self.tables.is_empty() {
            return linear(well, self.width);
        }
        let (tables, seen) = self.seen(well, phase);
        let tables = &self.tables[tables];
        if cleared > 0 {
            return tables.units(&seen);
        }
        let (mut low, mut high, mut all) = (WELL_ROWS, 0, 0);
        for (row, (now, before)) in seen.rows().iter().zip(basis.well.rows()).enumerate() {
            let changed = now ^ before;
            if changed != 0 {
                low = low.min(row);
                high = row + 1;
                all |= changed;
            }
        }
        let columns = [all.trailing_zeros() as usize, 16 - all.leading_zeros() as usize];
        tables.units_after(&basis.parts, &seen, [low, high], columns)
    }

    #[inline(always)]
    fn seen(&self, well: &WellBits, phase: u8) -> (usize, WellBits) {
        let aspect = self.aspects[usize::from(phase)];
        (aspect.tables, if aspect.is_mirrored { well.mirrored(self.width) } else { *well })
    }
}

/// Phases that are mirror images of each other share their tables.
fn aspects(game: &PlacementGame, dealer: &WellDealer) -> Vec<Aspect> {
    let mirror = game.mirror_pieces();
    match dealer {
        WellDealer::Sequence(order) => {
            let from =
                |phase: usize| (0..order.len()).map(move |at| usize::from(order[(phase + at) % order.len()]));
            let mut aspects: Vec<Aspect> = Vec::new();
            for phase in 0..order.len() {
                let twin = mirror.as_ref().and_then(|mirror| {
                    (0..phase).find(|&other| from(phase).eq(from(other).map(|piece| mirror[piece])))
                });
                let fresh = aspects.iter().map(|aspect| aspect.tables + 1).max().unwrap_or(0);
                aspects.push(match twin {
                    Some(twin) => Aspect { is_mirrored: !aspects[twin].is_mirrored, ..aspects[twin] },
                    None => Aspect { tables: fresh, is_mirrored: false },
                });
            }
            aspects
        }
        WellDealer::Mild | WellDealer::Hatetris => vec![Aspect { tables: 0, is_mirrored: false }],
        // The piece that is dealt in most of a step; the second of two steps is the mirror image of the first.
        WellDealer::Brzustowski(_) => [(0, false), (1, false), (0, true), (1, true)]
            .map(|(tables, is_mirrored)| Aspect { tables, is_mirrored })
            .to_vec(),
    }
}

/// Minus what is bad: transitions along rows and columns, holes, cells of wells as deep as they are.
fn linear(well: &WellBits, width: usize) -> i32 {
    let full = ((1u32 << width) - 1) as u16;
    let top = well.top();
    let (mut along, mut up, mut holes, mut wells) = (0, 0, 0, 0);
    let mut covered = 0u16;
    let mut above = 0u16;
    let mut depths = [0i32; 16];
    for &row in well.rows()[..top].iter().rev() {
        let walled = u32::from(row) << 1 | 1 | 1 << (width + 1);
        along += ((walled ^ walled >> 1) & ((1 << (width + 1)) - 1)).count_ones() as i32;
        up += (row ^ above).count_ones() as i32;
        covered |= row;
        holes += (covered & !row).count_ones() as i32;
        let open = !covered & full & (walled as u16) & (walled >> 2) as u16;
        for (column, depth) in depths.iter_mut().enumerate().take(width) {
            *depth = if open >> column & 1 == 1 { *depth + 1 } else { 0 };
            wells += *depth;
        }
        above = row;
    }
    up += (above ^ full).count_ones() as i32;
    -(along * 32 + up * 93 + holes * 79 + wells * 34)
}
