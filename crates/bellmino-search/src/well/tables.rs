//! What a well is worth: tables over windows, one for every place, learned from the wells that a search meets.

use super::position::{WELL_ROWS, WellBits};

/// Columns and rows of the windows.
const WINDOWS: [(usize, usize); 3] = [(4, 3), (3, 4), (2, 6)];
/// Numbers of a table.
const CELLS: usize = 1 << 12;
/// A row is this many units of a quantised number.
pub(super) const UNIT: f32 = 256.0;

/// Steps do not become smaller than this part of what they were: the wells that a search meets change with what it learns.
const LEAST_STEP: f32 = 0.1;

/// Tables over windows. A value is the rows still to come; it is a sum of whole numbers, the same in whatever order.
#[derive(Clone, Debug, PartialEq)]
pub struct WellTables {
    width: usize,
    height: usize,
    /// What is counted in a search: units of 1/256 of a row.
    quantised: Vec<i16>,
    /// What is learned: rows.
    learned: Vec<f32>,
    /// Sums of all errors, and of their sizes: where they agree, steps stay large.
    errors: Vec<f32>,
    sizes: Vec<f32>,
}

/// The numbers of a well that others are judged by which differ in few rows.
#[derive(Clone, Debug, Default)]
pub struct WellParts {
    parts: Vec<i16>,
    total: i32,
    well: WellBits,
}

impl WellTables {
    /// Tables that know nothing, for wells of this size.
    pub fn new(width: usize, height: usize) -> WellTables {
        let mut tables = WellTables {
            width,
            height,
            quantised: Vec::new(),
            learned: Vec::new(),
            errors: Vec::new(),
            sizes: Vec::new(),
        };
        let numbers = tables.windows() * CELLS;
        tables.quantised = vec![0; numbers];
        tables.learned = vec![0.0; numbers];
        tables.errors = vec![0.0; numbers];
        tables.sizes = vec![0.0; numbers];
        tables
    }

    /// Rows of the wells.
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many windows there are.
    pub fn windows(&self) -> usize {
        WINDOWS.iter().map(|window| self.places(*window)).sum()
    }

    fn places(&self, (columns, rows): (usize, usize)) -> usize {
        (self.width + 1).saturating_sub(columns) * (self.height + 1).saturating_sub(rows)
    }

    /// The value of a well in units.
    #[inline]
    pub fn units(&self, well: &WellBits) -> i32 {
        let mut total = 0;
        self.visit(well, 0, WELL_ROWS, 0, 16, |_, number| total += i32::from(self.quantised[number]));
        total
    }

    /// The value of a well in rows.
    pub fn value(&self, well: &WellBits) -> f32 {
        self.units(well) as f32 / UNIT
    }

    /// The numbers of a well, window by window.
    pub fn parts(&self, well: &WellBits, parts: &mut WellParts) {
        parts.parts.resize(self.windows(), 0);
        parts.well = *well;
        parts.total = 0;
        self.visit(well, 0, WELL_ROWS, 0, 16, |window, number| {
            let number = self.quantised[number];
            parts.parts[window] = number;
            parts.total += i32::from(number);
        });
    }

    /// The value of a well that differs from another in rows `low..high` and columns `left..right` only.
    #[inline]
    pub fn units_after(
        &self,
        parts: &WellParts,
        well: &WellBits,
        rows: [usize; 2],
        columns: [usize; 2],
    ) -> i32 {
        let mut total = parts.total;
        self.visit(well, rows[0], rows[1], columns[0], columns[1], |window, number| {
            total += i32::from(self.quantised[number]) - i32::from(parts.parts[window]);
        });
        total
    }

    /// Visits all windows that overlap some cells: their number, and the place of what counts.
    #[inline(always)]
    fn visit(
        &self,
        well: &WellBits,
        low: usize,
        high: usize,
        left: usize,
        right: usize,
        mut visit: impl FnMut(usize, usize),
    ) {
        let rows = well.rows();
        let mut base = 0;
        for (columns, height) in WINDOWS {
            let across = (self.width + 1).saturating_sub(columns);
            let up = (self.height + 1).saturating_sub(height);
            let mask = (1usize << columns) - 1;
            let (first, last) = ((left + 1).saturating_sub(columns), right.min(across));
            for row in (low + 1).saturating_sub(height)..high.min(up) {
                for column in first..last {
                    let mut cells = 0;
                    for dy in 0..height {
                        cells |= (usize::from(rows[row + dy]) >> column & mask) << (dy * columns);
                    }
                    let window = base + row * across + column;
                    visit(window, window * CELLS + cells);
                }
            }
            base += across * up;
        }
    }

    /// Moves the value of a well towards what it should have been, by steps that shrink where errors contradict each other
    /// (temporal coherence). Gives the error.
    pub fn learn(&mut self, well: &WellBits, target: f32, rate: f32) -> f32 {
        let mut numbers = [0u32; 512];
        let mut count = 0;
        let mut value = 0.0;
        self.visit(well, 0, WELL_ROWS, 0, 16, |_, number| {
            numbers[count] = number as u32;
            count += 1;
            value += self.learned[number];
        });
        let error = target - value;
        let step = rate * error / count as f32;
        for &number in &numbers[..count] {
            let number = number as usize;
            let size = self.sizes[number];
            let coherence = if size > 0.0 { (self.errors[number].abs() / size).max(LEAST_STEP) } else { 1.0 };
            self.learned[number] += step * coherence;
            self.errors[number] += error;
            self.sizes[number] = size + error.abs();
            self.quantised[number] = (self.learned[number] * UNIT).round() as i16;
        }
        error
    }

    /// The numbers that are not nought, with their places.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let numbers = self.learned.iter().enumerate().filter(|(_, number)| **number != 0.0);
        bytes.extend((numbers.clone().count() as u32).to_le_bytes());
        for (place, number) in numbers {
            bytes.extend((place as u32).to_le_bytes());
            bytes.extend(number.to_le_bytes());
        }
    }

    /// Reads them again; none if they are no such numbers.
    pub(super) fn read(width: usize, height: usize, bytes: &mut &[u8]) -> Option<WellTables> {
        let mut tables = WellTables::new(width, height);
        for _ in 0..take_word(bytes)? {
            let (place, number) = (take_word(bytes)? as usize, f32::from_bits(take_word(bytes)?));
            *tables.learned.get_mut(place)? = if number.is_finite() { number } else { return None };
            tables.quantised[place] = (number * UNIT).round() as i16;
        }
        Some(tables)
    }

    /// Forgets how large steps should be.
    pub fn refresh(&mut self) {
        self.errors.fill(0.0);
        self.sizes.fill(0.0);
    }
}

/// The next word of some bytes.
pub(super) fn take_word(bytes: &mut &[u8]) -> Option<u32> {
    let (word, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*word))
}
