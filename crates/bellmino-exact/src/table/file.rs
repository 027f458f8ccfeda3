//! Tables as bytes. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `BELLMINO` |
//! | 4 | version of the format, 1 |
//! | 4 | length of the header |
//! | ... | header: JSON, then spaces up to a multiple of 8 bytes |
//! | ... | boards of at most 32 cells: for every 64 possible boards, which are in the table (8), how many come before (4), 0 (4); larger ones: the boards in ascending order (8 each) |
//! | ... | with several contexts: one bit per board and context that can be reached, in words of 8 bytes |
//! | ... | values (8 each): by stage, then board in ascending order, then context |
//! | 8 | XXH3-64 checksum of all bytes before |

use std::io::{self, Write};

use bellmino_engine::placement::{Board, Grid, PackedBoard};
use bellmino_engine::{Game, PlacementGame};
use serde_json::{Value, json};
use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::queries::TIE;
use super::store::{FileLayout, StoredValues, TableStore};
use super::{RunStatus, Table};
use crate::bellman::Boards;
use crate::index::{BoardIndex, MAX_BITMAP_CELLS, bitmap_words};
use crate::settings::SolveSettings;
use crate::sides::GivenSides;
use crate::space::{Bits, MAX_BOARDS, Space};
use crate::supply::Supply;

const MAGIC: &[u8; 8] = b"BELLMINO";
const VERSION: u32 = 1;

/// Why bytes are not a table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// Something else.
    #[error("is no table of Bellmino")]
    Foreign,
    /// Another version.
    #[error("is a table of format {0}; this version of Bellmino reads format {VERSION}")]
    Version(u32),
    /// Too short or too long.
    #[error("has {found} bytes where {wanted} are expected: it was cut off or changed")]
    Length {
        /// Bytes there are.
        found: usize,
        /// Bytes there should be.
        wanted: usize,
    },
    /// The checksum does not agree.
    #[error("is damaged: its checksum does not agree")]
    Checksum,
    /// The header cannot be understood.
    #[error("has a header that cannot be understood: {0}")]
    Header(String),
}

impl Table {
    /// Writes the table as a file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.store.kept() {
            StoredValues::File { bytes, .. } => out.write_all((**bytes).as_ref()),
            StoredValues::Memory { index, reached, values } => Contents {
                game: self.store.game(),
                settings: &self.settings,
                given: self.given,
                finished: self.finished,
                is_finished: self.is_finished,
                is_partial: self.is_partial,
                index,
                supply: self.store.supply(),
                start: self.start,
                reached: reached.as_ref(),
                values,
            }
            .write(out),
        }
    }

    /// Reads a table. Nothing is copied: the bytes are kept as they are.
    pub fn read(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Table, TableError> {
        let all = bytes.as_ref();
        let word = |at: usize| all.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        if all.get(..8) != Some(MAGIC) {
            return Err(TableError::Foreign);
        }
        let short = |wanted: usize| TableError::Length { found: all.len(), wanted };
        let version = word(8).ok_or_else(|| short(16))?;
        if version != VERSION {
            return Err(TableError::Version(version));
        }
        let header_end = 16 + word(12).ok_or_else(|| short(16))? as usize;
        let header = all.get(16..header_end).ok_or_else(|| short(header_end))?;
        let bad = |why: &str| TableError::Header(why.to_owned());
        let header: Value = serde_json::from_slice(header).map_err(|error| bad(&error.to_string()))?;
        let number = |key: &str| header[key].as_u64().map(|n| n as usize).ok_or_else(|| bad(key));
        let text = |key: &str| header[key].as_str().ok_or_else(|| bad(key));

        let game = Game::read("table", text("game")?, &[]).map_err(|error| bad(&error.to_string()))?;
        let game =
            game.placement().filter(|game| PackedBoard::fits(game)).ok_or_else(|| bad("game"))?.clone();
        // Tables of before say nothing of ties; their rule was the same.
        if !header["ties"].is_null() && header["ties"] != ties() {
            return Err(bad("ties"));
        }
        let settings = read_settings(&game, &header)?;
        let start = settings.from.map_or(PackedBoard::empty(&game), |board| PackedBoard::from_board(&board));
        let mirrored = header["mirrored"].as_bool().ok_or_else(|| bad("mirrored"))?;
        let supply = Supply::new(&game, settings.queue(), settings.hold, mirrored)
            .map_err(|_| bad("preview and hold"))?;
        if supply.mirror.is_some() != mirrored || number("contexts")? != supply.contexts.len() {
            return Err(bad("contexts"));
        }
        let (boards, stages) = (number("boards")?, number("stages")?);
        if boards > MAX_BOARDS {
            return Err(bad("boards"));
        }
        let cells = game.width() * game.height();
        let index_bytes =
            if cells <= MAX_BITMAP_CELLS { Some(16 * bitmap_words(cells)) } else { boards.checked_mul(8) };
        let nodes = boards.checked_mul(supply.contexts.len()).ok_or_else(|| bad("boards"))?;
        let reached_bytes = if supply.contexts.len() > 1 { 8 * nodes.div_ceil(64) } else { 0 };
        let layout = (|| {
            let reached = header_end.checked_add(index_bytes?)?;
            let values = reached.checked_add(reached_bytes)?;
            let end = values.checked_add(nodes.checked_mul(8)?.checked_mul(stages)?)?;
            Some(FileLayout { index: header_end, reached, values, end })
        })()
        .ok_or_else(|| bad("boards"))?;
        if all.len() != layout.end.saturating_add(8) {
            return Err(short(layout.end.saturating_add(8)));
        }
        if xxh3_64(&all[..layout.end]).to_le_bytes() != all[layout.end..] {
            return Err(TableError::Checksum);
        }
        let finished = RunStatus {
            value: header["value"].as_f64(),
            error_bound: header["error_bound"].as_f64().unwrap_or(f64::INFINITY),
            sweeps: number("sweeps")? as u64,
        };
        let given = header["given"].as_str().unwrap_or_default();
        let bytes = Box::new(bytes);
        Ok(Table {
            given: GivenSides { player: given.contains("player"), dealer: given.contains("dealer") },
            finished,
            is_finished: header["finished"].as_bool().ok_or_else(|| bad("finished"))?,
            is_partial: header["partial"].as_bool().unwrap_or(false),
            start,
            store: TableStore::of_file(game, supply, settings.reward, [boards, stages], bytes, layout),
            settings,
        })
    }
}

fn read_settings(game: &PlacementGame, header: &Value) -> Result<SolveSettings, TableError> {
    let text = |key: &str| header[key].as_str().ok_or_else(|| TableError::Header(key.to_owned()));
    fn parsed<T: std::str::FromStr>(key: &str, text: &str) -> Result<T, TableError> {
        text.parse().map_err(|_| TableError::Header(key.to_owned()))
    }
    let from = match header["from"].as_str() {
        None => None,
        Some(drawn) => {
            let board = Board::parse(game.width(), game.height(), drawn);
            Some(board.map_err(|error| TableError::Header(error.to_string()))?)
        }
    };
    Ok(SolveSettings {
        dealing: parsed("dealer", text("dealer")?)?,
        placing: parsed("placer", text("placer")?)?,
        view: parsed("view", text("view")?)?,
        preview: header["preview"]
            .as_u64()
            .filter(|k| *k < 64)
            .ok_or_else(|| TableError::Header("preview".into()))? as usize,
        hold: header["hold"].as_bool().unwrap_or(false),
        reward: header["reward"].as_str().map(|reward| parsed("reward", reward)).transpose()?,
        from,
        ..SolveSettings::new(parsed("objective", text("objective")?)?)
    })
}

/// How placements that are worth the same are told apart, as it stands in files.
fn ties() -> Value {
    json!({ "within": TIE, "first_in": ["rotation", "column", "row"] })
}

/// A run as it stands, to be written to a file and gone on with later.
pub struct Snapshot<'a>(Contents<'a>);

impl<'a> Snapshot<'a> {
    pub(crate) fn new(
        settings: &'a SolveSettings,
        finished: RunStatus,
        space: &'a Space<'a>,
        values: &'a [f64],
    ) -> Snapshot<'a> {
        Snapshot(Contents {
            game: space.game,
            settings,
            given: GivenSides::default(),
            finished,
            is_finished: false,
            is_partial: space.is_partial(),
            index: &space.index,
            supply: &space.supply,
            start: space.start,
            reached: space.reached(),
            values,
        })
    }

    /// How the run stands.
    pub fn finished(&self) -> RunStatus {
        self.0.finished
    }

    /// Writes an unfinished table.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.0.write(out)
    }
}

/// What goes into a file.
struct Contents<'a> {
    game: &'a PlacementGame,
    settings: &'a SolveSettings,
    given: GivenSides,
    finished: RunStatus,
    is_finished: bool,
    is_partial: bool,
    index: &'a BoardIndex,
    supply: &'a Supply,
    start: PackedBoard,
    reached: Option<&'a Bits>,
    /// By stage and node.
    values: &'a [f64],
}

impl Contents<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let SolveSettings { objective, dealing, placing, preview, hold, view, reward, .. } = self.settings;
        let contexts = self.supply.contexts.len();
        let nodes = self.index.len() * contexts;
        let start =
            (self.start.0 != 0).then(|| self.start.to_board(self.game).to_string().replace('\n', "/"));
        let mut header = json!({
            "program": concat!("bellmino ", env!("CARGO_PKG_VERSION")),
            "game": self.game.to_toml(),
            "objective": objective.to_string(),
            "dealer": dealing.to_string(),
            "placer": placing.to_string(),
            "preview": preview,
            "hold": hold,
            "view": view.to_string(),
            "reward": reward.map(|reward| reward.to_string()),
            "from": start,
            "mirrored": self.supply.mirror.is_some(),
            "boards": self.index.len(),
            "contexts": contexts,
            "stages": self.values.len() / nodes.max(1),
            "finished": self.is_finished,
            "partial": self.is_partial,
            "ties": ties(),
            "value": self.finished.value,
            "error_bound": self.finished.error_bound,
            "sweeps": self.finished.sweeps,
        });
        let GivenSides { player, dealer } = self.given;
        let given = [player.then_some("player"), dealer.then_some("dealer")];
        let given: Vec<&str> = given.into_iter().flatten().collect();
        if !given.is_empty() {
            header["given"] = json!(given.join(","));
        }
        let mut header = header.to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut out = Summed { out, sum: Xxh3Default::new(), buffer: Vec::with_capacity(1 << 16) };
        out.put(MAGIC)?;
        out.put(&VERSION.to_le_bytes())?;
        out.put(&(header.len() as u32).to_le_bytes())?;
        out.put(&header)?;
        self.index.write(&mut |bytes| out.put(bytes))?;
        if let Some(reached) = self.reached {
            let mut word = 0u64;
            let mut count = 0;
            for number in self.index.ascending() {
                for context in 0..contexts {
                    word |= u64::from(reached.contains(number * contexts + context)) << (count % 64);
                    count += 1;
                    if count % 64 == 0 {
                        out.put(&std::mem::take(&mut word).to_le_bytes())?;
                    }
                }
            }
            if count % 64 != 0 {
                out.put(&word.to_le_bytes())?;
            }
        }
        for stage in self.values.chunks(nodes.max(1)) {
            for number in self.index.ascending() {
                for value in &stage[number * contexts..(number + 1) * contexts] {
                    out.put(&value.to_le_bytes())?;
                }
            }
        }
        out.finish()
    }
}

/// A writer that sums what it writes.
struct Summed<'a> {
    out: &'a mut dyn Write,
    sum: Xxh3Default,
    buffer: Vec<u8>,
}

impl Summed<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= 1 << 16 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sum.update(&self.buffer);
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.out.write_all(&self.sum.digest().to_le_bytes())
    }
}
