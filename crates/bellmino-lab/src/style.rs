//! How players play: wells, patterns, T's and keys, summed up from the tables of their games.

use std::collections::BTreeMap;

use bellmino_data::{ReadError, RowBatch, TUse, TableReader};
use bellmino_engine::guideline::WIDTH;
use serde::{Serialize, Serializer};

use crate::statistics::Summary;

/// How one player plays. `docs/DATA.md` says what the words mean; shares are from 0 to 1.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerStyle {
    /// The game.
    pub game: String,
    /// The player.
    pub player: String,
    /// Placements the bot looked at for each move, if that was its limit.
    pub nodes: Option<u64>,
    /// Games.
    pub games: u64,
    /// Games that reached their goal.
    pub goals: u64,
    /// Pieces per game.
    pub pieces: Summary,
    /// Points per game.
    pub score: Summary,
    /// Key presses per game, in guideline games.
    pub keys: Option<Summary>,
    /// Key presses per piece, in guideline games.
    pub keys_per_piece: Option<f64>,
    /// Perfect clears per game, in guideline games.
    pub perfect_clears: Option<Summary>,
    /// Moves after which the board has a well, as a share of all.
    pub with_well: f64,
    /// The patterns of these moves and their shares, the most frequent first.
    #[serde(serialize_with = "in_order")]
    pub patterns: Vec<(String, f64)>,
    /// Games in which one pattern has more than half of the moves with a well, as a share of all, by pattern, the most
    /// frequent first.
    #[serde(serialize_with = "in_order")]
    pub settled: Vec<(String, f64)>,
    /// Rows cleared by tetrises, as a share of all rows.
    pub tetris_rows: f64,
    /// What became of the T's, as shares.
    #[serde(serialize_with = "in_order")]
    pub t_uses: Vec<(String, f64)>,
    /// T-spins with rows by slot column, as shares.
    #[serde(serialize_with = "in_order")]
    pub slot_columns: Vec<(String, f64)>,
    /// T-spins with rows that are at least the third in a row in their slot column, as a share of all of them.
    pub third_in_slot: f64,
    /// The longest run of T-spins in one slot column.
    pub longest_slot_run: u64,
    /// The longest run of tetrises and T-spins without another clear.
    pub longest_back_to_back: u64,
}

/// Sums up both tables of a folder, player by player in the order of the games.
pub fn styles(games: TableReader<'_>, moves: TableReader<'_>) -> Result<Vec<PlayerStyle>, ReadError> {
    let mut players: Vec<Sums> = Vec::new();
    // By `game_id`: whose game it is.
    let mut whose: Vec<usize> = Vec::new();
    let columns =
        ["game", "player", "nodes", "pieces", "score", "lines", "outcome", "keys", "perfect_clears"];
    games.read(&columns, |batch| {
        for row in 0..batch.rows() {
            let text = |column| batch.text(column, row).unwrap_or("").to_owned();
            let head = (text(0), text(1), batch.number(2, row).map(|nodes| nodes as u64));
            let known = players.iter().position(|player| player.head == head);
            let index = known.unwrap_or_else(|| {
                players.push(Sums { head, ..Sums::default() });
                players.len() - 1
            });
            whose.push(index);
            players[index].add_game(batch, row);
        }
    })?;
    let columns =
        ["game_id", "pattern", "t_use", "slot_column", "slot_run", "back_to_back_run", "clear", "lines"];
    let mut last = None;
    moves.read(&columns, |batch| {
        for row in 0..batch.rows() {
            let Some(id) = batch.number(0, row).map(|id| id as usize) else { continue };
            let Some(&index) = whose.get(id) else { continue };
            if last.is_some_and(|(game, _)| game != id)
                && let Some((_, before)) = last.take()
            {
                let before: &mut Sums = &mut players[before];
                before.end_game();
            }
            last = Some((id, index));
            players[index].add_move(batch, row);
        }
    })?;
    if let Some((_, index)) = last {
        players[index].end_game();
    }
    Ok(players.into_iter().map(Sums::finish).collect())
}

/// What is counted on the way.
#[derive(Default)]
struct Sums {
    head: (String, String, Option<u64>),
    goals: u64,
    pieces: Vec<f64>,
    score: Vec<f64>,
    keys: Vec<f64>,
    perfect_clears: Vec<f64>,
    lines: f64,
    moves: u64,
    patterns: BTreeMap<String, u64>,
    /// Of the game under way.
    own_patterns: BTreeMap<String, u64>,
    settled: BTreeMap<String, u64>,
    tetris_rows: f64,
    t_uses: BTreeMap<String, u64>,
    slot_columns: BTreeMap<String, u64>,
    third_in_slot: u64,
    longest_slot_run: u64,
    longest_back_to_back: u64,
}

impl Sums {
    fn add_game(&mut self, batch: &RowBatch, row: usize) {
        self.pieces.push(batch.number(3, row).unwrap_or(0.0));
        self.score.push(batch.number(4, row).unwrap_or(0.0));
        self.lines += batch.number(5, row).unwrap_or(0.0);
        self.goals += u64::from(batch.text(6, row) == Some("goal"));
        self.keys.extend(batch.number(7, row));
        self.perfect_clears.extend(batch.number(8, row));
    }

    fn add_move(&mut self, batch: &RowBatch, row: usize) {
        self.moves += 1;
        if let Some(pattern) = batch.text(1, row) {
            count(&mut self.own_patterns, pattern, 1);
        }
        if let Some(t_use) = batch.text(2, row) {
            count(&mut self.t_uses, t_use, 1);
        }
        if let Some(column) = batch.number(3, row) {
            count(&mut self.slot_columns, &column.to_string(), 1);
        }
        let run = batch.number(4, row).unwrap_or(0.0) as u64;
        self.third_in_slot += u64::from(run >= 3);
        self.longest_slot_run = self.longest_slot_run.max(run);
        self.longest_back_to_back = self.longest_back_to_back.max(batch.number(5, row).unwrap_or(0.0) as u64);
        if batch.text(6, row) == Some("tetris") {
            self.tetris_rows += batch.number(7, row).unwrap_or(0.0);
        }
    }

    fn end_game(&mut self) {
        let own = std::mem::take(&mut self.own_patterns);
        let all: u64 = own.values().sum();
        for (pattern, moves) in own {
            if moves * 2 > all {
                count(&mut self.settled, &pattern, 1);
            }
            count(&mut self.patterns, &pattern, moves);
        }
    }

    fn finish(mut self) -> PlayerStyle {
        if !self.keys.is_empty() {
            // A guideline game: what never happened is a share of 0.
            for column in 0..WIDTH {
                let pattern = format!("{column}-{}", WIDTH - 1 - column);
                count(&mut self.patterns, &pattern, 0);
                count(&mut self.settled, &pattern, 0);
                count(&mut self.slot_columns, &column.to_string(), 0);
            }
        }
        let (game, player, nodes) = self.head;
        let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
        let pieces: f64 = self.pieces.iter().sum();
        let spins: u64 = self.slot_columns.values().sum();
        let with_well: u64 = self.patterns.values().sum();
        let some = |values: &[f64]| (!values.is_empty()).then(|| Summary::of(values));
        let t_uses: u64 = self.t_uses.values().sum();
        let named = TUse::ALL.iter().map(|name| {
            let count = self.t_uses.get(name.name()).copied().unwrap_or(0);
            (name.name().to_owned(), share(count as f64, t_uses as f64))
        });
        PlayerStyle {
            game,
            player,
            nodes,
            games: self.pieces.len() as u64,
            goals: self.goals,
            pieces: Summary::of(&self.pieces),
            score: Summary::of(&self.score),
            keys: some(&self.keys),
            keys_per_piece: (!self.keys.is_empty()).then(|| share(self.keys.iter().sum(), pieces)),
            perfect_clears: some(&self.perfect_clears),
            with_well: share(with_well as f64, self.moves as f64),
            patterns: shares(&self.patterns, with_well),
            settled: shares(&self.settled, self.pieces.len() as u64),
            tetris_rows: share(self.tetris_rows, self.lines),
            t_uses: named.collect(),
            slot_columns: shares(&self.slot_columns, spins),
            third_in_slot: share(self.third_in_slot as f64, spins as f64),
            longest_slot_run: self.longest_slot_run,
            longest_back_to_back: self.longest_back_to_back,
        }
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str, more: u64) {
    match counts.get_mut(name) {
        Some(count) => *count += more,
        None => {
            counts.insert(name.to_owned(), more);
        }
    }
}

/// The shares of `all`, the greatest first.
fn shares(counts: &BTreeMap<String, u64>, all: u64) -> Vec<(String, f64)> {
    let mut shares: Vec<(String, f64)> =
        counts.iter().map(|(name, &count)| (name.clone(), count as f64 / all.max(1) as f64)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

fn in_order<S: Serializer>(pairs: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, share)| (name, share)))
}
