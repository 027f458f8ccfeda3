//! Score tables of placement games.

/// Points by the number of rows cleared at once; more rows than the table lists score like its last entry.
///
/// ```
/// let table = bellmino_engine::placement::ScoreTable::new(vec![0.0, 1.0, 3.0, 6.0]).unwrap();
/// assert_eq!(table.points(2), 3.0);
/// assert_eq!(table.points(4), 6.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreTable(Vec<f64>);

impl ScoreTable {
    /// The most points there can be for one placement: far from where sums over many pieces would overflow.
    pub const MOST: f64 = 1e100;

    /// A table from points for 0, 1, 2, ... rows: not empty, from 0 to [`ScoreTable::MOST`], else `None`.
    pub fn new(points: Vec<f64>) -> Option<ScoreTable> {
        let valid = !points.is_empty() && points.iter().all(|value| (0.0..=ScoreTable::MOST).contains(value));
        valid.then_some(ScoreTable(points))
    }

    /// The points for clearing `lines` rows with one placement.
    #[inline]
    pub fn points(&self, lines: u32) -> f64 {
        self.0[(lines as usize).min(self.0.len() - 1)]
    }

    /// The table as written.
    pub fn entries(&self) -> &[f64] {
        &self.0
    }
}
