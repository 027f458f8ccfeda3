//! Rotation systems: how pieces enter and turn where they are moved by keys, as data.

use super::piece::Piece;

/// Rows and columns of the box a piece turns in.
pub const BOX: usize = 4;

/// How pieces enter and turn: for each piece four orientations in a box that stays where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RotationSystem {
    name: &'static str,
    text: &'static str,
}

/// One orientation of a piece in its box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoxOrientation {
    /// Index into the piece's distinct rotations.
    pub rotation: u8,
    /// Empty columns of the box at the left of the piece.
    pub left: u8,
    /// Empty rows of the box under the piece.
    pub bottom: u8,
    /// The cells of each row of the box, from the bottom; column 0 in bit 0.
    pub rows: [u8; BOX],
}

impl RotationSystem {
    /// Every system with its name in game files.
    pub const NAMES: [(&'static str, RotationSystem); 1] = [("hatetris", RotationSystem::HATETRIS)];

    const HATETRIS: RotationSystem =
        RotationSystem { name: "hatetris", text: include_str!("../../rotations/hatetris.toml") };

    /// Its name in game files.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The orientations of the piece of this name as drawings of the box, rows from the top apart by `/`; none if the system
    /// does not know it.
    pub fn drawings(&self, piece: &str) -> Vec<String> {
        let table: toml::Table = self.text.parse().unwrap_or_default();
        let drawings = table.get(piece).and_then(toml::Value::as_array);
        drawings.into_iter().flatten().filter_map(|drawing| Some(drawing.as_str()?.to_owned())).collect()
    }

    /// The four orientations of a piece, the one in which it enters first; `None` if the system does not know it.
    pub(crate) fn orientations(&self, piece: &Piece) -> Option<[BoxOrientation; 4]> {
        let drawings = self.drawings(piece.name());
        let mut list = drawings.iter().map(|drawing| BoxOrientation::read(drawing, piece));
        let mut next = || list.next().flatten();
        Some([next()?, next()?, next()?, next()?])
    }
}

impl BoxOrientation {
    fn read(drawing: &str, piece: &Piece) -> Option<BoxOrientation> {
        let mut rows = [0u8; BOX];
        for (from_top, text) in drawing.split('/').enumerate() {
            let row = rows.get_mut(BOX.checked_sub(1 + from_top)?)?;
            *row = text.bytes().enumerate().fold(0, |row, (x, cell)| row | u8::from(cell == b'#') << x);
        }
        let all = rows.iter().fold(0, |all, row| all | row);
        let (left, bottom) = (all.trailing_zeros(), rows.iter().position(|row| *row != 0)?);
        let is_shape = |shape: &super::Shape| {
            shape.cells().count() as u32 == rows.iter().map(|row| row.count_ones()).sum::<u32>()
                && shape
                    .cells()
                    .all(|(x, y)| rows.get(y + bottom).is_some_and(|row| row >> (x as u32 + left) & 1 == 1))
        };
        let rotation = piece.rotations().iter().position(is_shape)?;
        Some(BoxOrientation { rotation: rotation as u8, left: left as u8, bottom: bottom as u8, rows })
    }
}
