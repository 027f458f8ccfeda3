//! What tables say, gathered player by player: nothing of a move is kept but counts.

use std::collections::BTreeMap;

use crate::text::visible;
use crate::{ReadError, RowBatch, TableReader};

/// All games of one player in one folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub folder: usize,
    pub game: String,
    pub player: String,
    /// How long it thought, if the table says so.
    pub limit: String,
    pub seeds: Vec<String>,
    pub games: Vec<GatheredGame>,
    pub moves: Moves,
}

/// One game.
#[derive(Clone, Debug, Default)]
pub(crate) struct GatheredGame {
    /// Its seed, by number among those of the group.
    pub seed: usize,
    pub index: i64,
    pub pieces: f64,
    pub lines: f64,
    pub score: f64,
    pub ended: GameEnd,
    pub drop_points: Option<f64>,
    pub keys: Option<f64>,
    pub extra_keys: Option<f64>,
    pub perfect_clears: Option<f64>,
    pub clears: [Option<f64>; CLEARS.len()],
    pub milliseconds: Option<f64>,
    pub started_at: Option<i64>,
    /// The last piece of a lost game; empty if it is not known.
    pub last_piece: String,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GameEnd {
    Lost,
    Goal,
    #[default]
    Unfinished,
}

/// The kinds of clears: their columns in `games`, and their names.
pub(crate) const CLEARS: [(&str, &str); 10] = [
    ("clears_single", "single"),
    ("clears_double", "double"),
    ("clears_triple", "triple"),
    ("clears_tetris", "tetris"),
    ("clears_mini_single", "mini single"),
    ("clears_mini_double", "mini double"),
    ("clears_spin", "spin, no row"),
    ("clears_spin_single", "spin single"),
    ("clears_spin_double", "spin double"),
    ("clears_spin_triple", "spin triple"),
];

/// Counts over all moves of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    pub count: u64,
    /// Moves after which there was a well, by its column.
    pub wells: Vec<u64>,
    pub patterns: BTreeMap<String, u64>,
    pub t_use: BTreeMap<String, u64>,
    /// T-spins with rows by the column of their slot.
    pub slots: Vec<u64>,
    /// How long runs of T-spins in one column were, by length.
    pub slot_runs: BTreeMap<i64, u64>,
    pub height: OverMoves,
    pub holes: OverMoves,
    /// The same for the time a move took, in twentieths of a second.
    pub pace: OverMoves,
    /// Placements with and without presses beyond the fewest, by piece.
    pub finesse: BTreeMap<String, PieceFinesse>,
}

/// Presses for one kind of piece.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PieceFinesse {
    pub placements: u64,
    pub faults: u64,
    pub extra: u64,
}

/// Twentieths of a second in a millisecond.
pub(crate) const PACE_UNIT: f64 = 50.0;

/// A small whole number over the moves of all games: how often which one came, in bins of as many moves as needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverMoves {
    bins: Vec<[u32; VALUES]>,
    /// The logarithm of the moves in a bin.
    doubled: u32,
}

const BINS: usize = 128;
const VALUES: usize = 256;

impl OverMoves {
    /// Counts a value at a move, from 1.
    pub(crate) fn count(&mut self, number: u64, value: f64) {
        let move_index = number.saturating_sub(1);
        while (move_index >> self.doubled) as usize >= BINS {
            let pairs = self.bins.chunks(2).map(|pair| {
                let mut sum = pair[0];
                for (count, more) in sum.iter_mut().zip(pair.get(1).into_iter().flat_map(|bin| bin.iter())) {
                    *count += more;
                }
                sum
            });
            self.bins = pairs.collect();
            self.doubled += 1;
        }
        let bin = (move_index >> self.doubled) as usize;
        while self.bins.len() <= bin {
            self.bins.push([0; VALUES]);
        }
        self.bins[bin][(value.max(0.0) as usize).min(VALUES - 1)] += 1;
    }

    /// For each bin that has values: the move in its middle, the mean, and the ends of the middle 80 %.
    pub(crate) fn summary(&self) -> Vec<(f64, f64, [f64; 2])> {
        let wide = (1u64 << self.doubled) as f64;
        let summary = |(index, bin): (usize, &[u32; VALUES])| {
            let count: u64 = bin.iter().map(|count| u64::from(*count)).sum();
            let sum: f64 =
                bin.iter().enumerate().map(|(value, count)| value as f64 * f64::from(*count)).sum();
            let quantile = |share: f64| {
                let mut left = (count as f64 * share).ceil().max(1.0) as u64;
                let reached = bin.iter().position(|many| {
                    left = left.saturating_sub(u64::from(*many));
                    left == 0
                });
                reached.unwrap_or(0) as f64
            };
            let middle = index as f64 * wide + f64::midpoint(1.0, wide);
            (count > 0).then(|| (middle, sum / count as f64, [quantile(0.1), quantile(0.9)]))
        };
        self.bins.iter().enumerate().filter_map(summary).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }
}

/// The columns of `games` that are looked at, beside those of clears.
const OF_GAMES: [&str; 17] = [
    "game_id",
    "game",
    "player",
    "seed",
    "index",
    "pieces",
    "lines",
    "score",
    "outcome",
    "drop_points",
    "keys",
    "extra_keys",
    "perfect_clears",
    "milliseconds",
    "started_at",
    "nodes",
    "think_milliseconds",
];

/// The columns of `moves` that are looked at.
const OF_MOVES: [&str; 12] = [
    "game_id",
    "move",
    "piece",
    "max_height",
    "holes",
    "well_column",
    "pattern",
    "t_use",
    "slot_column",
    "slot_run",
    "extra_keys",
    "milliseconds",
];

/// Takes the rows of a folder's tables: first its games, then their moves.
pub(super) struct Gatherer<'r> {
    groups: &'r mut Vec<Group>,
    folder: usize,
    /// Which group and which of its games a number is.
    by_id: BTreeMap<i64, (usize, usize)>,
}

/// A row of a table, with the wanted columns by number.
struct WantedRow<'b> {
    batch: &'b RowBatch,
    number: usize,
    /// Where each wanted column is, if the table has it.
    places: &'b [Option<usize>],
}

impl<'b> WantedRow<'b> {
    fn real(&self, which: usize) -> Option<f64> {
        let number = self.batch.number((*self.places.get(which)?)?, self.number)?;
        number.is_finite().then_some(number)
    }

    fn whole(&self, which: usize) -> Option<i64> {
        self.real(which).map(|number| number as i64)
    }

    fn text(&self, which: usize) -> Option<&'b str> {
        self.batch.text((*self.places.get(which)?)?, self.number)
    }
}

impl<'r> Gatherer<'r> {
    pub(super) fn new(groups: &'r mut Vec<Group>, folder: usize) -> Gatherer<'r> {
        Gatherer { groups, folder, by_id: BTreeMap::new() }
    }

    /// Takes the table of games.
    pub(super) fn games(&mut self, table: TableReader<'_>) -> Result<(), ReadError> {
        for needed in &OF_GAMES[1..3] {
            if !table.columns().iter().any(|column| column == needed) {
                return Err(ReadError::NoColumn((*needed).to_owned()));
            }
        }
        let clears = CLEARS.iter().map(|(column, _)| *column);
        let wanted: Vec<&str> = OF_GAMES.into_iter().chain(clears).collect();
        rows(table, &wanted, |row| self.game(&row))
    }

    /// Takes the table of moves.
    pub(super) fn moves(&mut self, table: TableReader<'_>) -> Result<(), ReadError> {
        rows(table, &OF_MOVES, |row| self.play(&row))
    }

    /// Takes a row of `games`.
    fn game(&mut self, row: &WantedRow<'_>) {
        let text = |which: usize| visible(row.text(which).unwrap_or_default());
        let (game, player) = (text(1), text(2));
        let limit = match (row.whole(15), row.whole(16)) {
            (Some(nodes), _) => format!("{} nodes", crate::numbers::grouped(nodes as f64, 0)),
            (None, Some(milliseconds)) => format!("{milliseconds} ms"),
            _ => String::new(),
        };
        let (number, groups) = (self.folder, &mut *self.groups);
        let same = |group: &Group| {
            group.folder == number && group.game == game && group.player == player && group.limit == limit
        };
        let group = groups.iter().position(same).unwrap_or_else(|| {
            groups.push(Group { folder: number, game, player, limit, ..Group::default() });
            groups.len() - 1
        });
        let seed = text(3);
        let seeds = &mut groups[group].seeds;
        let seed = seeds.iter().position(|known| *known == seed).unwrap_or_else(|| {
            seeds.push(seed);
            seeds.len() - 1
        });
        let ended = match row.text(8) {
            Some("lost") => GameEnd::Lost,
            Some("goal") => GameEnd::Goal,
            _ => GameEnd::Unfinished,
        };
        let played = GatheredGame {
            seed,
            index: row.whole(4).unwrap_or_default(),
            pieces: row.real(5).unwrap_or_default(),
            lines: row.real(6).unwrap_or_default(),
            score: row.real(7).unwrap_or_default(),
            ended,
            drop_points: row.real(9),
            keys: row.real(10),
            extra_keys: row.real(11),
            perfect_clears: row.real(12),
            clears: std::array::from_fn(|kind| row.real(OF_GAMES.len() + kind)),
            milliseconds: row.real(13),
            started_at: row.whole(14),
            last_piece: String::new(),
        };
        if let Some(id) = row.whole(0) {
            self.by_id.insert(id, (group, groups[group].games.len()));
        }
        groups[group].games.push(played);
    }

    /// Takes a row of `moves`; one of a game that is not there is left out.
    fn play(&mut self, row: &WantedRow<'_>) {
        let Some(&(group, game)) = row.whole(0).and_then(|id| self.by_id.get(&id)) else { return };
        let number = row.whole(1).unwrap_or_default().max(1) as u64;
        let group = &mut self.groups[group];
        let moves = &mut group.moves;
        moves.count += 1;
        let piece = row.text(2).unwrap_or_default();
        if let Some(height) = row.real(3) {
            moves.height.count(number, height);
        }
        if let Some(holes) = row.real(4) {
            moves.holes.count(number, holes);
        }
        if let Some(column) = row.whole(5) {
            count_at(&mut moves.wells, column);
        }
        if let Some(pattern) = row.text(6) {
            count_name(&mut moves.patterns, pattern);
        }
        if let Some(t_use) = row.text(7) {
            count_name(&mut moves.t_use, t_use);
        }
        if let Some(column) = row.whole(8) {
            count_at(&mut moves.slots, column);
        }
        if let Some(run) = row.whole(9) {
            *moves.slot_runs.entry(run).or_default() += 1;
        }
        if let Some(extra) = row.whole(10) {
            let finesse = moves.finesse.entry(visible(piece)).or_default();
            finesse.placements += 1;
            finesse.faults += u64::from(extra > 0);
            finesse.extra += extra.max(0) as u64;
        }
        if let Some(milliseconds) = row.real(11) {
            moves.pace.count(number, (milliseconds / PACE_UNIT).round());
        }
        if let Some(played) = group.games.get_mut(game).filter(|played| played.ended == GameEnd::Lost) {
            played.last_piece = visible(piece);
        }
    }
}

/// Reads the wanted columns of a table, as far as it has them, row by row.
fn rows(
    table: TableReader<'_>,
    wanted: &[&str],
    mut take: impl FnMut(WantedRow<'_>),
) -> Result<(), ReadError> {
    let has = |name: &&&str| table.columns().iter().any(|column| column == **name);
    let present: Vec<&str> = wanted.iter().filter(has).copied().collect();
    let places: Vec<Option<usize>> =
        wanted.iter().map(|name| present.iter().position(|column| column == name)).collect();
    table.read(&present, |batch| {
        for number in 0..batch.rows() {
            take(WantedRow { batch, number, places: &places });
        }
    })
}

/// Counts one more of a name.
fn count_name(counts: &mut BTreeMap<String, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}

/// Counts one more in a column; columns there cannot be are left out.
fn count_at(counts: &mut Vec<u64>, column: i64) {
    let Some(column) = usize::try_from(column).ok().filter(|column| *column < 64) else { return };
    if counts.len() <= column {
        counts.resize(column + 1, 0);
    }
    counts[column] += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bins are doubled as games get longer; nothing is counted twice or lost.
    #[test]
    fn long_games_are_put_into_wider_bins() {
        let mut over = OverMoves::default();
        for game in 0..10 {
            for number in 1..=1000 {
                over.count(number, f64::from(game));
            }
        }
        let summary = over.summary();
        assert_eq!(summary.len(), 125);
        assert_eq!(summary[0], (4.5, 4.5, [0.0, 8.0]));
        let counted: u32 = over.bins.iter().flatten().sum();
        assert_eq!(counted, 10_000);
    }
}
