//! What the property tests of the guideline game share.

use bellmino_engine::guideline::Board;
use proptest::prelude::*;

/// Boards of at most so many rows of random cells; each row has its own density, so that caves and slots appear.
pub fn boards(rows: usize) -> impl Strategy<Value = Board> {
    let row = (0u16..1024, 0u16..1024, 0u16..1024, 0u8..6).prop_map(|(a, b, c, kind)| match kind {
        0 => a & b & c,
        1 => a & b,
        2 => a,
        3 => a | b,
        4 => a | b | c,
        _ => 0,
    });
    prop::collection::vec(row, 0..=rows)
        .prop_map(|rows| Board::from_rows(rows.into_iter().map(|row| if row == 1023 { 1007 } else { row })))
}
