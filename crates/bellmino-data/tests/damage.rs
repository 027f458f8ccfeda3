//! A table with a flipped bit is refused or reads as it was; it never ends in a panic.

use bellmino_data::report::Report;
use bellmino_data::{Format, GameHead, GameRow, MoveRow, ReadError, TableReader, Tables};
use bellmino_engine::{Generator, Purpose, below, stream};

/// Two small tables whose values differ from row to row.
fn written() -> [Vec<u8>; 2] {
    let mut tables = Tables::new(Format::Parquet, Vec::new(), Vec::new()).unwrap();
    for index in 0..20u64 {
        let moves: Vec<MoveRow> = (0..30)
            .map(|number| MoveRow { number, points: (number * index) as f64, lines: 1, ..MoveRow::default() })
            .collect();
        tables.moves(&moves, &["T".to_owned()]).unwrap();
        let head = GameHead {
            game: "own".into(),
            player: format!("player {}", index % 3).into(),
            seed: "7".into(),
            index,
            ..GameHead::default()
        };
        let mut row = GameRow { head, ..GameRow::default() };
        (row.totals.pieces, row.totals.score) = (30, (index * 17) as f64);
        tables.game(row).unwrap();
    }
    tables.finish().unwrap().into()
}

/// The page of a report on two tables.
fn page([games, moves]: &[Vec<u8>; 2]) -> Result<String, ReadError> {
    let mut report = Report::new();
    let open = |bytes: &Vec<u8>| TableReader::parquet_bytes(bytes.clone());
    report.add("here", open(games)?, Some(open(moves)?))?;
    Ok(report.page().unwrap())
}

/// Every value of a table, as text.
fn values(bytes: Vec<u8>) -> Result<String, ReadError> {
    let reader = TableReader::parquet_bytes(bytes)?;
    let names = reader.columns().to_vec();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut text = String::new();
    reader.read(&names, |batch| text += &format!("{batch:?}\n"))?;
    Ok(text)
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

fn chance() -> Generator {
    stream(34, Purpose::Training, 0)
}

#[test]
fn no_flipped_bit_changes_a_report() {
    let tables = written();
    let sound = page(&tables).unwrap();
    let mut chance = chance();
    for _ in 0..400 {
        let (table, mut damaged) = (below(&mut chance, 2), tables.clone());
        let bit = below(&mut chance, tables[table].len() * 8);
        damaged[table] = flipped(&tables[table], bit);
        if let Ok(page) = page(&damaged) {
            assert_eq!(page, sound, "table {table}, bit {bit}");
        }
    }
}

/// Every bit there is. Only those of the checksum's own name go unnoticed, and they change nothing.
#[test]
fn no_flipped_bit_changes_a_value() {
    for table in written() {
        let sound = values(table.clone()).unwrap();
        let mut unnoticed = 0;
        for bit in 0..table.len() * 8 {
            if let Ok(values) = values(flipped(&table, bit)) {
                unnoticed += 1;
                assert!(values == sound, "bit {bit}");
            }
        }
        // The highest bit of a letter makes it no text.
        assert_eq!(unnoticed, "bellmino.xxh3".len() * 7);
    }
}

/// Files of other programs have no checksum of ours: their damage may go unnoticed, but the library's panics end as errors.
#[test]
fn damage_without_a_checksum_is_no_panic() {
    let mut chance = chance();
    for table in written() {
        let foreign = without_checksum(table);
        for _ in 0..1000 {
            let _ = values(flipped(&foreign, below(&mut chance, foreign.len() * 8)));
        }
    }
}

/// The same with every bit.
#[test]
#[ignore = "long: a minute and a half"]
fn no_damage_at_all_is_a_panic() {
    for table in written() {
        let foreign = without_checksum(table);
        for bit in 0..foreign.len() * 8 {
            let _ = values(flipped(&foreign, bit));
        }
    }
}

fn without_checksum(mut table: Vec<u8>) -> Vec<u8> {
    let key = b"bellmino.xxh3";
    let at = table.windows(key.len()).rposition(|window| window == key).unwrap();
    table[at] = b'B';
    assert!(values(table.clone()).is_ok());
    table
}

/// What a spreadsheet would take for a formula is a text in a CSV file, and comes back as it was.
#[test]
fn formulas_are_harmless_in_csv_and_come_back() {
    let texts = ["=1+1", "+1", "-x", "@a", "\tb", "\rc", "'=1", "''-", "'d", "e", "a=1", "'", "\"=1\""];
    let mut tables = Tables::new(Format::Csv, Vec::new(), Vec::new()).unwrap();
    for text in texts {
        tables.moves(&[MoveRow::default()], &[text.to_owned()]).unwrap();
        let head = GameHead { player: text.into(), ..GameHead::default() };
        tables.game(GameRow { head, ..GameRow::default() }).unwrap();
    }
    let (games, moves) = tables.finish().unwrap();
    for (table, column) in [(games, "player"), (moves, "piece")] {
        let mut cells = csv::Reader::from_reader(&table[..]);
        for record in cells.records() {
            for cell in &record.unwrap() {
                assert!(!cell.starts_with(['=', '+', '@', '\t', '\r']), "{cell}");
                assert!(!cell.starts_with('-') || cell.parse::<f64>().is_ok(), "{cell}");
            }
        }
        let mut found = vec![];
        let reader = TableReader::csv(&table[..]).unwrap();
        let visit = |batch: &bellmino_data::RowBatch| {
            found.extend((0..batch.rows()).map(|row| batch.text(0, row).unwrap().to_owned()));
        };
        reader.read(&[column], visit).unwrap();
        assert_eq!(found, texts);
    }
}
