//! Reading a table again, columns by name, in batches.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use chrono::DateTime;
use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use thiserror::Error;

use crate::column::Kind;
use crate::game_row::GAMES;
use crate::guard::guarded;
use crate::move_row::MOVES;
use crate::seal;
use crate::text::from_csv_cell;

/// A table that was written before.
///
/// ```
/// use bellmino_data::{Format, GameRow, TableReader, Tables};
///
/// let mut tables = Tables::new(Format::Csv, Vec::new(), Vec::new())?;
/// tables.game(GameRow::default())?;
/// let (games, _) = tables.finish()?;
/// let mut outcomes = vec![];
/// TableReader::csv(&games[..])?.read(&["outcome", "pieces"], |batch| {
///     for row in 0..batch.rows() {
///         outcomes.push((batch.text(0, row).map(str::to_owned), batch.number(1, row)));
///     }
/// })?;
/// assert_eq!(outcomes, [(Some("unfinished".to_owned()), Some(0.0))]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableReader<'a> {
    source: ByteSource<'a>,
    names: Vec<String>,
}

/// Why a table cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// Not a Parquet file, or a broken one.
    #[error("not a whole Parquet file: {0}")]
    Parquet(String),
    /// A Parquet file of ours that has changed since it was written.
    #[error("the file is damaged: its checksum does not agree; make the tables again")]
    Damaged,
    /// Not comma-separated values.
    #[error("not a table of comma-separated values: {0}")]
    Csv(String),
    /// No such column.
    #[error("the table has no column `{0}`")]
    NoColumn(String),
    /// A value of another kind than its column.
    #[error("column `{column}`, row {row}: `{found}` is not a value of this column")]
    Value {
        /// The column.
        column: String,
        /// The row, from 1.
        row: u64,
        /// What is there.
        found: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Some rows of the columns that were asked for, in the order of asking.
#[derive(Clone, Debug, Default)]
pub struct RowBatch {
    columns: Vec<ColumnValues>,
    rows: usize,
}

/// The values of one column in a batch.
#[derive(Clone, Debug)]
enum ColumnValues {
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<Arc<str>>>),
}

enum ByteSource<'a> {
    Parquet(Box<dyn FileReader + 'a>),
    Csv(Box<csv::Reader<Box<dyn Read + 'a>>>),
}

impl RowBatch {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A number, or 1 and 0 for true and false, or milliseconds since 1970; `None` if it is null or a text.
    pub fn number(&self, column: usize, row: usize) -> Option<f64> {
        match self.columns.get(column)? {
            ColumnValues::Numbers(values) => *values.get(row)?,
            ColumnValues::Texts(_) => None,
        }
    }

    /// A text; `None` if it is null or a number.
    pub fn text(&self, column: usize, row: usize) -> Option<&str> {
        match self.columns.get(column)? {
            ColumnValues::Texts(values) => values.get(row)?.as_deref(),
            ColumnValues::Numbers(_) => None,
        }
    }
}

impl<'a> TableReader<'a> {
    /// A Parquet file. One of ours is read once from end to end, to see whether it is as it was written.
    pub fn parquet<R: ChunkReader + 'static>(file: R) -> Result<TableReader<'static>, ReadError> {
        seal::verify(&file)?;
        parsed(|| {
            let reader = SerializedFileReader::new(file)?;
            let fields = reader.metadata().file_metadata().schema_descr().columns().iter();
            let names = fields.map(|column| column.name().to_owned()).collect();
            Ok(TableReader { source: ByteSource::Parquet(Box::new(reader)), names })
        })
    }

    /// A Parquet file that was read into memory.
    pub fn parquet_bytes(bytes: Vec<u8>) -> Result<TableReader<'static>, ReadError> {
        TableReader::parquet(Bytes::from(bytes))
    }

    /// A file of comma-separated values with a line of names.
    pub fn csv(file: impl Read + 'a) -> Result<TableReader<'a>, ReadError> {
        let mut reader = csv::Reader::from_reader(Box::new(file) as Box<dyn Read + 'a>);
        let names = reader.headers()?.iter().map(str::to_owned).collect();
        Ok(TableReader { source: ByteSource::Csv(Box::new(reader)), names })
    }

    /// The names of its columns.
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// Reads these columns from the first row to the last, some rows at a time.
    pub fn read(self, columns: &[&str], mut visit: impl FnMut(&RowBatch)) -> Result<(), ReadError> {
        let place = |name: &&str| {
            let found = self.names.iter().position(|known| known == name);
            found.ok_or_else(|| ReadError::NoColumn((*name).to_owned()))
        };
        let places = columns.iter().map(place).collect::<Result<Vec<usize>, ReadError>>()?;
        match self.source {
            ByteSource::Parquet(reader) => read_parquet(&*reader, &places, &mut visit),
            ByteSource::Csv(reader) => read_csv(*reader, columns, &places, &mut visit),
        }
    }
}

/// Rows of a batch of comma-separated values.
const BATCH: usize = 1 << 14;

fn read_parquet(
    reader: &dyn FileReader,
    places: &[usize],
    visit: &mut dyn FnMut(&RowBatch),
) -> Result<(), ReadError> {
    for group in 0..reader.num_row_groups() {
        visit(&parsed(|| read_group(reader, group, places))?);
    }
    Ok(())
}

/// What the library makes of a file, be it a panic.
fn parsed<T>(read: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    guarded(read).unwrap_or_else(|panic| Err(ReadError::Parquet(panic)))
}

fn read_group(reader: &dyn FileReader, group: usize, places: &[usize]) -> Result<RowBatch, ReadError> {
    let group = reader.get_row_group(group)?;
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let mut batch = RowBatch { columns: Vec::new(), rows };
    for &place in places {
        let physical = group.metadata().column(place).column_type();
        let column = group.get_column_reader(place)?;
        batch.columns.push(read_column(column, physical, rows)?);
    }
    Ok(batch)
}

fn read_column(column: ColumnReader, physical: Physical, rows: usize) -> Result<ColumnValues, ReadError> {
    Ok(match column {
        ColumnReader::BoolColumnReader(column) => {
            ColumnValues::Numbers(read_values(column, rows, |value| f64::from(u8::from(*value)))?)
        }
        ColumnReader::Int32ColumnReader(column) => {
            ColumnValues::Numbers(read_values(column, rows, |value| f64::from(*value))?)
        }
        ColumnReader::Int64ColumnReader(column) => {
            ColumnValues::Numbers(read_values(column, rows, |value| *value as f64)?)
        }
        ColumnReader::DoubleColumnReader(column) => {
            ColumnValues::Numbers(read_values(column, rows, |value| *value)?)
        }
        ColumnReader::ByteArrayColumnReader(column) => {
            // What comes again and again is kept once.
            let mut known: Vec<Arc<str>> = Vec::new();
            ColumnValues::Texts(read_values(column, rows, |value: &ByteArray| {
                shared(&mut known, value.data())
            })?)
        }
        _ => return Err(ReadError::Parquet(format!("columns of {physical} are not known here"))),
    })
}

fn read_values<T: DataType, V>(
    mut column: ColumnReaderImpl<T>,
    rows: usize,
    mut convert: impl FnMut(&T::T) -> V,
) -> Result<Vec<Option<V>>, ReadError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, ..) = column.read_records(rows - read, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ReadError::Parquet("a column ends early".to_owned()));
        }
        read += records;
    }
    let mut values = values.iter();
    if levels.is_empty() {
        // A column that is never null has no levels.
        return Ok(values.map(|value| Some(convert(value))).collect());
    }
    Ok(levels.iter().map(|&level| (level > 0).then(|| values.next().map(&mut convert)).flatten()).collect())
}

fn shared(known: &mut Vec<Arc<str>>, bytes: &[u8]) -> Arc<str> {
    const KNOWN: usize = 32;
    let text = String::from_utf8_lossy(bytes);
    if let Some(known) = known.iter().find(|other| ***other == *text) {
        return known.clone();
    }
    let text: Arc<str> = text.into();
    if known.len() < KNOWN {
        known.push(text.clone());
    }
    text
}

fn read_csv(
    mut reader: csv::Reader<Box<dyn Read + '_>>,
    names: &[&str],
    places: &[usize],
    visit: &mut dyn FnMut(&RowBatch),
) -> Result<(), ReadError> {
    let kinds: Vec<Kind> = names.iter().map(|name| kind_of(name)).collect();
    let empty = || RowBatch { columns: kinds.iter().map(|kind| ColumnValues::new(*kind)).collect(), rows: 0 };
    let mut batch = empty();
    let mut record = csv::StringRecord::new();
    let mut known: Vec<Arc<str>> = Vec::new();
    let mut row = 0;
    while reader.read_record(&mut record)? {
        row += 1;
        for (index, &place) in places.iter().enumerate() {
            let found = record.get(place).unwrap_or("");
            let wrong = || ReadError::Value { column: names[index].to_owned(), row, found: found.to_owned() };
            match &mut batch.columns[index] {
                _ if found.is_empty() => batch.columns[index].push_null(),
                ColumnValues::Texts(texts) => {
                    texts.push(Some(shared(&mut known, from_csv_cell(found).as_bytes())));
                }
                ColumnValues::Numbers(numbers) => {
                    numbers.push(Some(parse(kinds[index], found).ok_or_else(wrong)?));
                }
            }
        }
        batch.rows += 1;
        if batch.rows == BATCH {
            visit(&batch);
            batch = empty();
        }
    }
    if batch.rows > 0 {
        visit(&batch);
    }
    Ok(())
}

/// The kind of a column of either table; a column that neither has is text.
fn kind_of(name: &str) -> Kind {
    let games = GAMES.iter().map(|column| (column.name, column.kind));
    let mut all = games.chain(MOVES.iter().map(|column| (column.name, column.kind)));
    all.find(|(known, _)| *known == name).map_or(Kind::Text, |(_, kind)| kind)
}

fn parse(kind: Kind, text: &str) -> Option<f64> {
    match kind {
        Kind::Bool => text.parse().ok().map(|value: bool| f64::from(u8::from(value))),
        Kind::Time => DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_millis() as f64),
        _ => text.parse().ok(),
    }
}

impl ColumnValues {
    fn new(kind: Kind) -> ColumnValues {
        if kind == Kind::Text { ColumnValues::Texts(Vec::new()) } else { ColumnValues::Numbers(Vec::new()) }
    }

    fn push_null(&mut self) {
        match self {
            ColumnValues::Numbers(values) => values.push(None),
            ColumnValues::Texts(values) => values.push(None),
        }
    }
}

impl From<ParquetError> for ReadError {
    fn from(error: ParquetError) -> ReadError {
        ReadError::Parquet(error.to_string())
    }
}

impl From<csv::Error> for ReadError {
    fn from(error: csv::Error) -> ReadError {
        ReadError::Csv(error.to_string())
    }
}
