//! Fumen in and out: against another implementation, against itself, and against damage.

use bellmino_engine::guideline::{
    Cell, ColourBoard, Fumen, FumenDiagram, FumenError, Orientation, Piece, Placement, Spin,
};
use proptest::prelude::*;

fn cell() -> impl Strategy<Value = Option<Cell>> {
    prop_oneof![
        3 => Just(None),
        1 => Just(Some(Cell::Garbage)),
        3 => (0usize..7).prop_map(|index| Some(Cell::Piece(Piece::ALL[index]))),
    ]
}

fn page() -> impl Strategy<Value = FumenDiagram> {
    let cells = prop::collection::vec(cell(), 0..230);
    let piece = prop::option::of((0usize..7, 0usize..4, 2i8..8, 2i8..20));
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (cells, prop::array::uniform10(cell()), piece, flags, prop::option::of(".{0,40}")).prop_map(
        |(list, garbage, piece, (lock, rise, mirror), comment)| {
            let mut cells = ColourBoard::EMPTY;
            for (index, cell) in list.into_iter().enumerate() {
                cells.set(index % 10, index / 10, cell);
            }
            let piece = piece.map(|(piece, orientation, x, y)| Placement {
                piece: Piece::ALL[piece],
                orientation: Orientation::ALL[orientation],
                x,
                y,
                spin: Spin::None,
            });
            FumenDiagram {
                cells,
                garbage,
                piece,
                lock,
                rise: lock && rise,
                mirror: lock && mirror,
                comment,
                ..FumenDiagram::default()
            }
        },
    )
}

/// The same page for the other implementation.
fn theirs(page: &FumenDiagram) -> fumen::Page {
    use fumen::{CellColor, PieceType, RotationState};
    let colour = |cell: Option<Cell>| match cell.map(Cell::letter) {
        None => CellColor::Empty,
        Some('I') => CellColor::I,
        Some('L') => CellColor::L,
        Some('O') => CellColor::O,
        Some('Z') => CellColor::Z,
        Some('T') => CellColor::T,
        Some('J') => CellColor::J,
        Some('S') => CellColor::S,
        _ => CellColor::Grey,
    };
    fumen::Page {
        piece: page.piece.map(|at| fumen::Piece {
            kind: match at.piece {
                Piece::I => PieceType::I,
                Piece::L => PieceType::L,
                Piece::O => PieceType::O,
                Piece::Z => PieceType::Z,
                Piece::T => PieceType::T,
                Piece::J => PieceType::J,
                Piece::S => PieceType::S,
            },
            rotation: match at.orientation {
                Orientation::North => RotationState::North,
                Orientation::East => RotationState::East,
                Orientation::South => RotationState::South,
                Orientation::West => RotationState::West,
            },
            x: at.x as u32,
            y: at.y as u32,
        }),
        field: std::array::from_fn(|y| std::array::from_fn(|x| colour(page.cells.get(x, y)))),
        garbage_row: page.garbage.map(colour),
        rise: page.rise,
        mirror: page.mirror,
        lock: page.lock,
        comment: page.comment.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn another_implementation_writes_and_reads_the_same(pages in prop::collection::vec(page(), 1..5)) {
        let ours = Fumen { pages };
        let other = fumen::Fumen { pages: ours.pages.iter().map(theirs).collect(), guideline: true };
        let text = ours.encode().unwrap();
        prop_assert_eq!(text.replace('?', ""), other.encode());
        prop_assert_eq!(fumen::Fumen::decode(&text).ok(), Some(other));
        prop_assert_eq!(Fumen::decode(&text), Ok(ours));
    }

    #[test]
    fn the_text_form_loses_nothing(mut pages in prop::collection::vec(page(), 1..4)) {
        // A blank first or last character would be trimmed with its line.
        for page in &mut pages {
            page.comment = page.comment.as_ref().map(|comment| format!("<{}>", comment.replace(['\r', '\u{85}', '\u{2028}'], "")));
        }
        let fumen = Fumen { pages };
        prop_assert_eq!(Fumen::from_text(&fumen.to_text()), Ok(fumen));
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic(text in "[A-Za-z0-9+/?]{0,200}", cut in 0usize..100) {
        let _ = Fumen::decode(&format!("v115@{text}"));
        let good = "v115@9gB8HeC8GeA8DeA8HeC8AeG8JeTJYhB";
        let _ = Fumen::decode(&good[..cut.min(good.len())]);
        let _ = Fumen::from_text(&text);
    }
}

#[test]
fn known_fumens() {
    // An empty page, an address around it, and a mobile prefix.
    for text in ["v115@vhAAgH", "https://fumen.zui.jp/?m115@vhAAgH", "http://x/#?d=v115@vhAAgH&s=1"] {
        assert_eq!(Fumen::decode(text).unwrap().pages, [FumenDiagram::default()]);
    }
    // Pages that follow by themselves are written as repeats.
    let piece = Placement { piece: Piece::I, orientation: Orientation::North, x: 1, y: 0, spin: Spin::None };
    let first = FumenDiagram { piece: Some(piece), ..FumenDiagram::default() };
    let second = FumenDiagram { piece: Some(Placement { x: 5, ..piece }), ..first.next() };
    assert_eq!(second.cells.to_string(), "IIII......\n");
    let third = second.next();
    let fumen = Fumen { pages: vec![first, second, third] };
    let text = fumen.encode().unwrap();
    assert!(text.starts_with("v115@vhC"), "{text}");
    assert_eq!(Fumen::decode(&text), Ok(fumen));
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut page = FumenDiagram::default();
    page.cells.set(0, 23, Some(Cell::Garbage));
    let high = Fumen { pages: vec![FumenDiagram::default(), page] };
    assert_eq!(high.encode(), Err(FumenError::TooHigh { page: 2, height: 24 }));
    assert_eq!(Fumen::from_text(&high.to_text()), Ok(high));
    let long = FumenDiagram { comment: Some("ä".repeat(2000)), ..FumenDiagram::default() };
    assert_eq!(Fumen { pages: vec![long] }.encode(), Err(FumenError::Comment(1)));
    assert_eq!(Fumen::decode("v110@7eAA"), Err(FumenError::Version));
    assert_eq!(Fumen::decode("v115@vh"), Err(FumenError::Short(1)));
    assert_eq!(Fumen::decode("v115@vh!A"), Err(FumenError::Digit('!')));
    assert!(matches!(Fumen::decode("v115@AAAA"), Err(FumenError::Damaged { page: 1, .. })));
    let text = Fumen::from_text("pice: T north 4,0\n").unwrap_err().to_string();
    assert_eq!(text, "line 1: did you mean `piece`?");
}
