//! Tables that are written and read again hold what the matches held.

use std::sync::Arc;

use bellmino_data::{
    Format, GAMES, GameHead, GameRow, MOVES, Made, MoveRow, Noted, Notes, TableCell, TableColumn,
    TableReader, Tables,
};
use bellmino_engine::guideline::{Match, Rules};
use bellmino_engine::{Game, placement};

/// A game of first placements, with its rows.
fn played<M: Noted>(mut game: M, index: u64) -> (GameRow, Vec<MoveRow>, Vec<String>) {
    let mut notes = Notes::default();
    let names = game.piece_names();
    while let Some(placement) = game.placements().first().copied() {
        let before = *game.board();
        let clear = game.play(&placement).unwrap();
        game.note(&mut notes, &Made { placement: &placement, held: false, clear: &clear, before: &before });
    }
    let head = GameHead {
        game: "a, \"b\"".into(),
        player: "first".into(),
        seed: "18446744073709551615".into(),
        index,
        started_at: (index == 1).then_some(1_700_000_000_123),
        ..GameHead::default()
    };
    let outcome = game.outcome();
    (notes.finish(head, &game, outcome), notes.take_rows(), names)
}

fn games() -> Vec<(GameRow, Vec<MoveRow>, Vec<String>)> {
    let baby = Game::built_in("baby", &[]).unwrap().unwrap().placement().unwrap().clone();
    let baby = Arc::new(baby);
    let mut games: Vec<_> = (0..3)
        .map(|index| played(placement::Match::<placement::AnyColumns>::new(baby.clone(), 1, index), index))
        .collect();
    games.push(played(Match::new(Rules::SPRINT, 1), 3));
    games
}

fn written(format: Format) -> (Vec<u8>, Vec<u8>) {
    let mut tables = Tables::new(format, Vec::new(), Vec::new()).unwrap();
    for (game, moves, names) in games() {
        // In two parts, as long games are.
        let (first, rest) = moves.split_at(moves.len() / 2);
        tables.moves(first, &names).unwrap();
        tables.moves(rest, &names).unwrap();
        tables.game(game).unwrap();
    }
    tables.finish().unwrap()
}

/// All values of a table, as text.
fn values<R>(columns: &'static [TableColumn<R>], format: Format, bytes: Vec<u8>) -> Vec<Vec<String>> {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let mut rows = vec![];
    let visit = |batch: &bellmino_data::RowBatch| {
        for row in 0..batch.rows() {
            let value = |column| match (batch.number(column, row), batch.text(column, row)) {
                (Some(number), None) => number.to_string(),
                (None, Some(text)) => format!("\"{text}\""),
                _ => "null".to_owned(),
            };
            rows.push((0..names.len()).map(value).collect());
        }
    };
    match format {
        Format::Parquet => TableReader::parquet_bytes(bytes).unwrap().read(&names, visit),
        Format::Csv => TableReader::csv(&bytes[..]).unwrap().read(&names, visit),
    }
    .unwrap();
    rows
}

fn cells<R>(columns: &[TableColumn<R>], row: &R, names: &[String]) -> Vec<String> {
    let text = |column: &TableColumn<R>| match (column.value)(row, names) {
        TableCell::Null => "null".to_owned(),
        TableCell::Bool(value) => u8::from(value).to_string(),
        TableCell::Int(value) => value.to_string(),
        TableCell::Real(value) => value.to_string(),
        TableCell::Text(value) => format!("\"{value}\""),
    };
    columns.iter().map(text).collect()
}

#[test]
fn what_is_written_is_read() {
    let expected_games: Vec<_> = (0..)
        .zip(games())
        .map(|(game_id, (row, ..))| cells(GAMES, &GameRow { game_id, ..row }, &[]))
        .collect();
    let mut expected_moves = vec![];
    for (game_id, (_, moves, names)) in (0..).zip(games()) {
        expected_moves.extend(moves.iter().map(|row| cells(MOVES, &MoveRow { game_id, ..*row }, &names)));
    }
    for format in [Format::Parquet, Format::Csv] {
        let (games, moves) = written(format);
        assert_eq!(values(GAMES, format, games), expected_games, "{format:?}");
        assert_eq!(values(MOVES, format, moves), expected_moves, "{format:?}");
    }
}

#[test]
fn points_and_lines_sum_up() {
    for (game, moves, _) in games() {
        assert_eq!(moves.iter().map(|row| row.points).sum::<f64>(), game.totals.score);
        assert_eq!(moves.iter().map(|row| u64::from(row.lines)).sum::<u64>(), game.totals.lines);
        assert_eq!(moves.len() as u64, game.totals.pieces);
    }
}

#[test]
fn names_are_in_snake_case_and_unique() {
    let check = |names: Vec<&str>| {
        for (index, name) in names.iter().enumerate() {
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
            assert!(!names[..index].contains(name), "{name} stands twice");
        }
    };
    check(GAMES.iter().map(|column| column.name).collect());
    check(MOVES.iter().map(|column| column.name).collect());
}

#[test]
fn what_is_no_table_is_refused() {
    let (games, _) = written(Format::Parquet);
    let half = games[..games.len() / 2].to_vec();
    let error = TableReader::parquet_bytes(half).err().unwrap().to_string();
    assert!(error.starts_with("not a whole Parquet file"), "{error}");
    let error = TableReader::csv(&b"a,b\n1,2\n"[..]).unwrap().read(&["c"], |_| {}).unwrap_err().to_string();
    assert_eq!(error, "the table has no column `c`");
    let error = TableReader::csv(&b"pieces\nmany\n"[..]).unwrap().read(&["pieces"], |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "column `pieces`, row 1: `many` is not a value of this column");
}
