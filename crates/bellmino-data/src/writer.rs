//! Writing the two tables, as Parquet or as comma-separated values.
//!
//! The same rows give the same bytes. Rows are kept until they fill a group, so that memory stays bounded however many
//! there are.

use std::io::{self, Write};
use std::sync::Arc;

use chrono::{DateTime, SecondsFormat};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::column::{Kind, TableCell, TableColumn};
use crate::game_row::{GAMES, GameRow};
use crate::move_row::{MOVES, MoveRow};
use crate::seal::{self, Sealing};
use crate::text::csv_cell;

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Apache Parquet: by columns, compressed.
    #[default]
    Parquet,
    /// Comma-separated values, with a line of names.
    Csv,
}

/// The tables `games` and `moves`, being written into two places.
///
/// ```
/// use bellmino_data::{Format, GameRow, MoveRow, Tables};
///
/// let mut tables = Tables::new(Format::Csv, Vec::new(), Vec::new())?;
/// tables.moves(&[MoveRow { number: 1, ..MoveRow::default() }], &["T".to_owned()])?;
/// tables.game(GameRow::default())?;
/// let (games, moves) = tables.finish()?;
/// assert!(String::from_utf8(games).unwrap().starts_with("game_id,game,player,"));
/// assert!(String::from_utf8(moves).unwrap().contains("\n0,1,T,"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Tables<W: Write + Send> {
    games: TableWriter<GameRow, W>,
    moves: TableWriter<MoveRow, W>,
}

impl Format {
    /// All formats with their names, which are the ends of the files' names too.
    pub const NAMES: [(&'static str, Format); 2] = [("parquet", Format::Parquet), ("csv", Format::Csv)];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Csv => "csv",
        }
    }
}

impl<W: Write + Send> Tables<W> {
    /// Begins both tables.
    pub fn new(format: Format, games: W, moves: W) -> io::Result<Tables<W>> {
        Ok(Tables {
            games: TableWriter::new(GAMES, format, games)?,
            moves: TableWriter::new(MOVES, format, moves)?,
        })
    }

    /// Adds moves of the game that is written next; `pieces` are the names of its pieces.
    pub fn moves(&mut self, rows: &[MoveRow], pieces: &[String]) -> io::Result<()> {
        let game_id = self.games.rows;
        let names: Vec<u16> = pieces.iter().map(|name| self.moves.name(name)).collect();
        for row in rows {
            let piece = names.get(row.piece as usize).copied().unwrap_or(u16::MAX);
            self.moves.push(MoveRow { game_id, piece, ..*row })?;
        }
        Ok(())
    }

    /// Adds a game, all of whose moves are written.
    pub fn game(&mut self, row: GameRow) -> io::Result<()> {
        let game_id = self.games.rows;
        self.games.push(GameRow { game_id, ..row })
    }

    /// Games and moves so far.
    pub fn rows(&self) -> (u64, u64) {
        (self.games.rows, self.moves.rows)
    }

    /// Writes what is left and gives both places back.
    pub fn finish(self) -> io::Result<(W, W)> {
        Ok((self.games.finish()?, self.moves.finish()?))
    }
}

/// Rows of a group: as many are kept in memory.
const GROUP: usize = 1 << 17;

/// A table being written.
struct TableWriter<R: 'static, W: Write + Send> {
    columns: &'static [TableColumn<R>],
    names: Vec<String>,
    kept: Vec<R>,
    rows: u64,
    sink: Sink<W>,
}

enum Sink<W: Write + Send> {
    Parquet(Box<SerializedFileWriter<Sealing<W>>>),
    Csv(Box<csv::Writer<W>>),
}

impl<R, W: Write + Send> TableWriter<R, W> {
    fn new(columns: &'static [TableColumn<R>], format: Format, out: W) -> io::Result<Self> {
        let sink = match format {
            Format::Parquet => {
                let schema = Arc::new(schema(columns).map_err(plain)?);
                let properties = Arc::new(properties(columns));
                let file = SerializedFileWriter::new(Sealing::new(out), schema, properties);
                Sink::Parquet(Box::new(file.map_err(plain)?))
            }
            Format::Csv => {
                let mut out = csv::Writer::from_writer(out);
                out.write_record(columns.iter().map(|column| column.name))?;
                Sink::Csv(Box::new(out))
            }
        };
        Ok(TableWriter { columns, names: Vec::new(), kept: Vec::new(), rows: 0, sink })
    }

    /// The number by which rows refer to a name.
    fn name(&mut self, name: &str) -> u16 {
        let known = self.names.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        u16::try_from(index).unwrap_or(u16::MAX)
    }

    fn push(&mut self, row: R) -> io::Result<()> {
        self.rows += 1;
        self.kept.push(row);
        if self.kept.len() < GROUP { Ok(()) } else { self.write_group() }
    }

    fn write_group(&mut self) -> io::Result<()> {
        let (rows, names) = (&self.kept, &self.names);
        match &mut self.sink {
            Sink::Parquet(file) => {
                let mut group = file.next_row_group().map_err(plain)?;
                for column in self.columns {
                    write_column(&mut group, column, rows, names).map_err(plain)?;
                }
                group.close().map_err(plain)?;
            }
            Sink::Csv(out) => {
                let mut field = Vec::new();
                for row in rows {
                    for column in self.columns {
                        field.clear();
                        write_cell(&mut field, column.kind, (column.value)(row, names))?;
                        out.write_field(&field)?;
                    }
                    out.write_record(None::<&[u8]>)?;
                }
            }
        }
        self.kept.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<W> {
        if !self.kept.is_empty() {
            self.write_group()?;
        }
        match self.sink {
            Sink::Parquet(mut file) => {
                file.append_key_value_metadata(seal::entry());
                file.inner_mut().hold();
                file.into_inner().map_err(plain)?.finish()
            }
            Sink::Csv(out) => out.into_inner().map_err(csv::IntoInnerError::into_error),
        }
    }
}

/// A value as text in a file of comma-separated values; null is empty.
fn write_cell(out: &mut Vec<u8>, kind: Kind, cell: TableCell<'_>) -> io::Result<()> {
    match cell {
        TableCell::Null => Ok(()),
        TableCell::Bool(value) => write!(out, "{value}"),
        TableCell::Int(value) if kind == Kind::Time => {
            let time = DateTime::from_timestamp_millis(value);
            write!(
                out,
                "{}",
                time.map_or_else(String::new, |time| time.to_rfc3339_opts(SecondsFormat::Millis, true))
            )
        }
        TableCell::Int(value) => write!(out, "{value}"),
        TableCell::Real(value) => write!(out, "{value}"),
        TableCell::Text(value) => out.write_all(csv_cell(value).as_bytes()),
    }
}

/// Every column may be null: a game need not have it.
fn schema<R>(columns: &[TableColumn<R>]) -> Result<Type, ParquetError> {
    let fields = columns.iter().map(|column| {
        let (physical, logical) = match column.kind {
            Kind::Bool => (Physical::BOOLEAN, None),
            Kind::Int => (Physical::INT32, None),
            Kind::Long => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Time => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        };
        let builder = Type::primitive_type_builder(column.name, physical);
        let field = builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()?;
        Ok(Arc::new(field))
    });
    Type::group_type_builder("table").with_fields(fields.collect::<Result<_, ParquetError>>()?).build()
}

/// Long numbers count up and are stored as differences; everything else repeats and is stored by dictionary.
fn properties<R>(columns: &[TableColumn<R>]) -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("bellmino ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    for column in columns.iter().filter(|column| column.kind == Kind::Long) {
        let path = ColumnPath::from(column.name);
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    builder.build()
}

fn write_column<R, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &TableColumn<R>,
    rows: &[R],
    names: &[String],
) -> Result<(), ParquetError> {
    let cells = rows.iter().map(|row| (column.value)(row, names));
    match column.kind {
        Kind::Bool => write_values::<BoolType, W>(group, cells, |cell| match cell {
            TableCell::Bool(value) => Some(value),
            _ => None,
        }),
        Kind::Int => write_values::<Int32Type, W>(group, cells, |cell| match cell {
            TableCell::Int(value) => i32::try_from(value).ok(),
            _ => None,
        }),
        Kind::Long | Kind::Time => write_values::<Int64Type, W>(group, cells, |cell| match cell {
            TableCell::Int(value) => Some(value),
            _ => None,
        }),
        Kind::Real => write_values::<DoubleType, W>(group, cells, |cell| match cell {
            TableCell::Real(value) => Some(value),
            _ => None,
        }),
        Kind::Text => {
            let mut known: Vec<(&str, ByteArray)> = Vec::new();
            write_values::<ByteArrayType, W>(group, cells, |cell| match cell {
                TableCell::Text(text) => Some(bytes(&mut known, text)),
                _ => None,
            })
        }
    }
}

fn write_values<'a, T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    cells: impl Iterator<Item = TableCell<'a>>,
    mut value: impl FnMut(TableCell<'a>) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".to_owned()));
    };
    let mut values = Vec::new();
    let levels: Vec<i16> = cells
        .map(|cell| {
            let value = value(cell);
            let level = i16::from(value.is_some());
            values.extend(value);
            level
        })
        .collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

/// A text as the library wants it; the few that come again and again are made once.
fn bytes<'a>(known: &mut Vec<(&'a str, ByteArray)>, text: &'a str) -> ByteArray {
    const KNOWN: usize = 32;
    if let Some((_, bytes)) = known.iter().find(|(other, _)| *other == text) {
        return bytes.clone();
    }
    let bytes = ByteArray::from(text);
    if known.len() < KNOWN {
        known.push((text, bytes.clone()));
    }
    bytes
}

/// The error behind the library's, with its kind.
fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}
