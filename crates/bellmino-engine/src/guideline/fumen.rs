//! Fumen: the diagram format of the Tetris community, version 115, and a text form without its
//! limit of 23 rows.
//!
//! The format is described by its implementations (fumen.zui.jp and knewjade's tetris-fumen): pages
//! of differences of cells in run lengths, a number for the piece and its flags, and a comment in
//! the escape code of early browsers; all of it in base 64, the low digit first.
//!
//! The codec is our own because texts come from anywhere: the crate `fumen` panics on some damaged ones (a piece or a
//! difference outside the field), refuses others without a reason, and cuts long comments. It is the oracle of the tests.

use std::fmt::Write;

use thiserror::Error;

use super::board::{HEIGHT, WIDTH};
use super::colours::{Cell, ColourBoard};
use super::piece::{Orientation, Piece};
use super::placement::{Placement, Spin};

/// A sequence of diagrams.
///
/// ```
/// use bellmino_engine::guideline::Fumen;
/// let fumen = Fumen::decode("v115@vhAAgH").unwrap();
/// assert_eq!(fumen.pages.len(), 1);
/// assert_eq!(fumen.encode().unwrap(), "v115@vhAAgH");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fumen {
    /// The pages.
    pub pages: Vec<FumenDiagram>,
}

/// One diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FumenDiagram {
    /// The cells before the piece is placed.
    pub cells: ColourBoard,
    /// Whether the next page is mirrored.
    pub mirror: bool,
    /// The row that waits below the floor.
    pub garbage: [Option<Cell>; WIDTH],
    /// A piece drawn over the cells; its spin is not kept, and it may stick out.
    pub piece: Option<Placement>,
    /// Whether the next page shows the piece placed and full rows cleared.
    pub lock: bool,
    /// Whether the row below the floor rises into the next page.
    pub rise: bool,
    /// A comment, if it is not that of the page before.
    pub comment: Option<String>,
    /// Whether pieces are shown in guideline colours.
    pub guideline: bool,
}

/// Why a text is not a fumen, or a diagram does not fit into one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FumenError {
    /// No `v115@` in it.
    #[error("this is no fumen of version 115: `v115@` is missing")]
    Version,
    /// A character that is no digit of base 64.
    #[error("{0:?} does not belong into a fumen")]
    Digit(char),
    /// The data end in the middle of a page.
    #[error("the fumen ends in the middle of page {0}")]
    Short(usize),
    /// Numbers that no page has.
    #[error("page {page} is damaged: {what}")]
    Damaged {
        /// Counted from 1.
        page: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// Cells too high for a fumen.
    #[error("page {page} has {height} rows; a fumen holds {ROWS}, the text form {HEIGHT}")]
    TooHigh {
        /// Counted from 1.
        page: usize,
        /// Rows of the page.
        height: usize,
    },
    /// Too long a comment.
    #[error("the comment of page {0} is too long: a fumen holds 4095 characters after escaping")]
    Comment(usize),
    /// A line of the text form that cannot be read.
    #[error("line {line}: {what}")]
    Text {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// Rows of a fumen above the floor.
const ROWS: usize = 23;
/// All cells of a page, with the row below the floor.
const CELLS: usize = (ROWS + 1) * WIDTH;
/// The run of an unchanged page.
const UNCHANGED: usize = 8 * CELLS + CELLS - 1;
/// The most pages an unchanged run can stand for after the first.
const MOST_REPEATS: usize = 63;
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Colours and pieces in the order of their numbers; 0 is empty, 8 garbage.
const PIECES: [Piece; 7] = [Piece::I, Piece::L, Piece::O, Piece::Z, Piece::T, Piece::J, Piece::S];
const ORIENTATIONS: [Orientation; 4] =
    [Orientation::South, Orientation::East, Orientation::North, Orientation::West];

impl Fumen {
    /// Reads a fumen, or an address that contains one.
    pub fn decode(text: &str) -> Result<Fumen, FumenError> {
        let start = ["v115@", "m115@", "d115@"].iter().filter_map(|mark| text.find(mark)).min();
        let data = start.and_then(|start| text.get(start + 5..)).ok_or(FumenError::Version)?;
        let data = data.split('&').next().unwrap_or_default();
        let mut digits = Vec::with_capacity(data.len());
        for letter in data.chars().filter(|letter| *letter != '?' && !letter.is_whitespace()) {
            let digit = DIGITS.iter().position(|&known| char::from(known) == letter);
            digits.push(digit.ok_or(FumenError::Digit(letter))?);
        }
        let mut input = Digits { digits: digits.into_iter(), page: 1 };
        let mut fumen = Fumen::default();
        let mut repeats = 0;
        while !input.digits.as_slice().is_empty() {
            input.page = fumen.pages.len() + 1;
            let mut page = fumen.pages.last().map_or_else(FumenDiagram::default, FumenDiagram::next);
            if repeats > 0 {
                repeats -= 1;
            } else if !page.read_cells(&mut input)? {
                repeats = input.number(1)?;
            }
            page.read_rest(&mut input)?;
            fumen.pages.push(page);
        }
        Ok(fumen)
    }

    /// Writes the fumen, with the question marks that break long ones.
    pub fn encode(&self) -> Result<String, FumenError> {
        let mut digits = vec![];
        let mut before = FumenDiagram::default();
        // Where the count of repeats of the running unchanged page stands.
        let mut unchanged: Option<usize> = None;
        for (index, page) in self.pages.iter().enumerate() {
            let number = index + 1;
            let height = page.cells.height();
            if height > ROWS {
                return Err(FumenError::TooHigh { page: number, height });
            }
            let differences: Vec<usize> =
                page.colours().zip(before.colours()).map(|(new, old)| 8 + new - old).collect();
            if differences.iter().any(|&difference| difference != 8) {
                unchanged = None;
                for run in differences.chunk_by(|a, b| a == b) {
                    push(&mut digits, run[0] * CELLS + run.len() - 1, 2);
                }
            } else if let Some(count) = unchanged.filter(|&at| digits[at] < MOST_REPEATS) {
                digits[count] += 1;
            } else {
                push(&mut digits, UNCHANGED, 2);
                unchanged = Some(digits.len());
                digits.push(0);
            }
            page.write_rest(&mut digits, number)?;
            before = page.next();
        }
        let mut text = String::from("v115@");
        for (index, digit) in digits.into_iter().enumerate() {
            if index >= 42 && (index - 42) % 47 == 0 {
                text.push('?');
            }
            text.push(char::from(DIGITS[digit]));
        }
        Ok(text)
    }

    /// Reads the text form: pages apart by `---`, each with its attributes and then its rows.
    ///
    /// ```
    /// use bellmino_engine::guideline::Fumen;
    /// let text = "piece: T south 4,1\ncomment: a double\n##........\nG...GGGGGG\nGG.GGGGGGG\n";
    /// let fumen = Fumen::from_text(text).unwrap();
    /// assert_eq!(fumen.to_text(), text.replace("##", "GG"));
    /// ```
    pub fn from_text(text: &str) -> Result<Fumen, FumenError> {
        let mut fumen = Fumen::default();
        let mut page = FumenDiagram::default();
        let mut rows: Vec<(usize, &str)> = vec![];
        let finish = |page: &mut FumenDiagram, rows: &mut Vec<(usize, &str)>, last: usize| {
            for (line, row) in rows.iter() {
                row.parse::<ColourBoard>()
                    .map_err(|error| FumenError::Text { line: *line, what: error.to_string() })?;
            }
            let joined: Vec<&str> = rows.drain(..).map(|(_, row)| row).collect();
            page.cells = joined
                .join("\n")
                .parse()
                .map_err(|error| FumenError::Text { line: last, what: format!("{error}") })?;
            Ok(std::mem::take(page))
        };
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let wrong = |what: String| FumenError::Text { line: number, what };
            if line.trim() == "---" {
                fumen.pages.push(finish(&mut page, &mut rows, number)?);
            } else if let Some((key, value)) = line.split_once(':') {
                page.read_attribute(key.trim(), value.strip_prefix(' ').unwrap_or(value)).map_err(wrong)?;
            } else if !line.trim().is_empty() {
                rows.push((number, line.trim()));
            }
        }
        fumen.pages.push(finish(&mut page, &mut rows, text.lines().count())?);
        Ok(fumen)
    }

    /// Writes the text form, which loses nothing but the spins.
    pub fn to_text(&self) -> String {
        self.pages.iter().map(FumenDiagram::to_text).collect::<Vec<_>>().join("---\n")
    }
}

impl FumenDiagram {
    /// The page that follows this one by itself: the piece placed, full rows cleared, the garbage
    /// risen, left and right swapped.
    pub fn next(&self) -> FumenDiagram {
        let mut next = FumenDiagram { comment: None, rise: false, mirror: false, ..self.clone() };
        if self.lock {
            next.piece = None;
            match &self.piece {
                Some(piece) => next.cells.place(piece),
                None => next.cells.clear_rows(),
            }
            // A fumen has no more rows; what is above is gone.
            if self.rise {
                next.cells.rise(self.garbage);
                next.garbage = [None; WIDTH];
            }
            if self.mirror {
                next.cells.mirror();
            }
            for x in 0..WIDTH {
                (ROWS..HEIGHT).for_each(|y| next.cells.set(x, y, None));
            }
        }
        next
    }

    /// The numbers of all cells in the order of the format.
    fn colours(&self) -> impl Iterator<Item = usize> + use<'_> {
        let rows = (0..ROWS).rev().flat_map(move |y| (0..WIDTH).map(move |x| self.cells.get(x, y)));
        rows.chain(self.garbage).map(colour)
    }

    /// Applies the differences; whether there were any.
    fn read_cells(&mut self, input: &mut Digits) -> Result<bool, FumenError> {
        let mut colours: Vec<usize> = self.colours().collect();
        let mut at = 0;
        let mut changed = false;
        while at < CELLS {
            let number = input.number(2)?;
            let (difference, length) = (number / CELLS, number % CELLS + 1);
            let run = colours.get_mut(at..at + length).ok_or_else(|| input.damaged("too many cells"))?;
            for cell in run {
                *cell = (*cell + difference)
                    .checked_sub(8)
                    .filter(|&colour| colour <= 8)
                    .ok_or_else(|| input.damaged("a cell of no colour"))?;
            }
            changed |= number != UNCHANGED;
            at += length;
        }
        for (index, &number) in colours.iter().enumerate() {
            let cell = match number {
                0 => None,
                8 => Some(Cell::Garbage),
                _ => Some(Cell::Piece(PIECES[number - 1])),
            };
            let (row, x) = (index / WIDTH, index % WIDTH);
            match ROWS.checked_sub(row + 1) {
                Some(y) => self.cells.set(x, y, cell),
                None => self.garbage[x] = cell,
            }
        }
        Ok(changed)
    }

    fn read_rest(&mut self, input: &mut Digits) -> Result<(), FumenError> {
        let number = input.number(3)?;
        let (kind, orientation, place) = (number % 8, ORIENTATIONS[number / 8 % 4], number / 32 % CELLS);
        let flags = number / 32 / CELLS;
        self.piece = (kind > 0).then(|| {
            let piece = PIECES[kind - 1];
            let (dx, dy) = centre(piece, orientation);
            let (x, y) = ((place % WIDTH) as i8 + dx, ROWS as i8 - 1 - (place / WIDTH) as i8 + dy);
            Placement { piece, orientation, x, y, spin: Spin::None }
        });
        self.rise = flags & 1 != 0;
        self.mirror = flags & 2 != 0;
        if input.page == 1 {
            self.guideline = flags & 4 != 0;
        }
        self.lock = flags & 16 == 0;
        if flags & 8 != 0 {
            let length = input.number(2)?;
            let mut escaped = String::new();
            for _ in 0..length.div_ceil(4) {
                let mut number = input.number(5)?;
                for _ in 0..4 {
                    escaped.push(char::from(32 + (number % 96) as u8));
                    number /= 96;
                }
            }
            escaped.truncate(length);
            self.comment = Some(unescape(&escaped));
        }
        Ok(())
    }

    fn write_rest(&self, digits: &mut Vec<usize>, page: usize) -> Result<(), FumenError> {
        let comment = self.comment.as_deref().map(escape);
        let flags = usize::from(self.rise)
            + 2 * usize::from(self.mirror)
            + 4 * usize::from(self.guideline && page == 1)
            + 8 * usize::from(comment.is_some())
            + 16 * usize::from(!self.lock);
        let mut number = flags * CELLS * 32;
        if let Some(Placement { piece, orientation, x, y, .. }) = self.piece {
            let (dx, dy) = centre(piece, orientation);
            let place = (ROWS as i32 - 1 - i32::from(y - dy)) * WIDTH as i32 + i32::from(x - dx);
            let place = usize::try_from(place).ok().filter(|&place| place < CELLS);
            let place = place.ok_or(FumenError::TooHigh { page, height: y.max(0) as usize + 1 })?;
            let find = |known: &Piece| *known == piece;
            let kind = PIECES.iter().position(find).map_or(0, |index| index + 1);
            let orientation = ORIENTATIONS.iter().position(|known| *known == orientation).unwrap_or(0);
            number += place * 32 + orientation * 8 + kind;
        }
        push(digits, number, 3);
        if let Some(comment) = comment {
            if comment.len() > 4095 {
                return Err(FumenError::Comment(page));
            }
            push(digits, comment.len(), 2);
            for chunk in comment.as_bytes().chunks(4) {
                let number = chunk.iter().rev().fold(0, |number, &byte| number * 96 + usize::from(byte - 32));
                push(digits, number, 5);
            }
        }
        Ok(())
    }

    fn read_attribute(&mut self, key: &str, value: &str) -> Result<(), String> {
        let yes = |value: &str| match value.trim() {
            "yes" => Ok(true),
            "no" => Ok(false),
            other => Err(format!("`{other}` is neither `yes` nor `no`")),
        };
        match key {
            "piece" => self.piece = Some(value.parse()?),
            "comment" => self.comment = Some(one_line_to_text(value)),
            "lock" => self.lock = yes(value)?,
            "rise" => self.rise = yes(value)?,
            "mirror" => self.mirror = yes(value)?,
            "guideline" => self.guideline = yes(value)?,
            "garbage" => {
                let row: ColourBoard = value.parse().map_err(|error| format!("{error}"))?;
                self.garbage = std::array::from_fn(|x| row.get(x, 0));
            }
            _ => return Err(crate::suggestion(key, ATTRIBUTES)),
        }
        Ok(())
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        let mut attribute = |key: &str, value: &str| {
            let _ = writeln!(text, "{key}: {value}");
        };
        if let Some(piece) = &self.piece {
            attribute("piece", &piece.to_string());
        }
        if let Some(comment) = &self.comment {
            attribute("comment", &comment.replace('\\', "\\\\").replace('\n', "\\n"));
        }
        for (key, value, usual) in [
            ("lock", self.lock, true),
            ("rise", self.rise, false),
            ("mirror", self.mirror, false),
            ("guideline", self.guideline, true),
        ] {
            if value != usual {
                attribute(key, if value { "yes" } else { "no" });
            }
        }
        if self.garbage.iter().any(Option::is_some) {
            let row: String = self.garbage.iter().map(|cell| cell.map_or('.', Cell::letter)).collect();
            attribute("garbage", &row);
        }
        text + &self.cells.to_string()
    }
}

impl Default for FumenDiagram {
    fn default() -> FumenDiagram {
        FumenDiagram {
            cells: ColourBoard::EMPTY,
            garbage: [None; WIDTH],
            piece: None,
            lock: true,
            rise: false,
            mirror: false,
            guideline: true,
            comment: None,
        }
    }
}

const ATTRIBUTES: [&str; 7] = ["piece", "comment", "lock", "rise", "mirror", "guideline", "garbage"];

/// The digits of a fumen still to be read.
struct Digits {
    digits: std::vec::IntoIter<usize>,
    page: usize,
}

impl Digits {
    /// The number in the next digits, the low one first.
    fn number(&mut self, count: usize) -> Result<usize, FumenError> {
        let mut number = 0;
        for place in 0..count {
            number += self.digits.next().ok_or(FumenError::Short(self.page))? << (6 * place);
        }
        Ok(number)
    }

    fn damaged(&self, what: &'static str) -> FumenError {
        FumenError::Damaged { page: self.page, what }
    }
}

/// Undoes the escapes of a comment in the text form, `\\n` and `\\\\`.
fn one_line_to_text(line: &str) -> String {
    let mut text = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            _ => text.push(letter),
        }
    }
    text
}

fn push(digits: &mut Vec<usize>, mut number: usize, count: usize) {
    for _ in 0..count {
        digits.push(number % 64);
        number /= 64;
    }
}

fn colour(cell: Option<Cell>) -> usize {
    match cell {
        None => 0,
        Some(Cell::Garbage) => 8,
        Some(Cell::Piece(piece)) => {
            PIECES.iter().position(|known| *known == piece).map_or(0, |index| index + 1)
        }
    }
}

/// Our centre as seen from the one of the format.
fn centre(piece: Piece, orientation: Orientation) -> (i8, i8) {
    use Orientation::{East, North, South, West};
    match (piece, orientation) {
        (Piece::O, West) => (1, -1),
        (Piece::O | Piece::I, South) => (1, 0),
        (Piece::I, West) | (Piece::O | Piece::S | Piece::Z, North) => (0, -1),
        (Piece::S, East) => (-1, 0),
        (Piece::Z, West) => (1, 0),
        _ => (0, 0),
    }
}

/// The escape code of early browsers: `%41` and `%u3042`.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for unit in text.encode_utf16() {
        let letter = char::from_u32(u32::from(unit)).filter(char::is_ascii);
        let _ = match letter {
            Some(letter) if letter.is_ascii_alphanumeric() || "@*_+-./".contains(letter) => {
                write!(escaped, "{letter}")
            }
            _ if unit < 256 => write!(escaped, "%{unit:02X}"),
            _ => write!(escaped, "%u{unit:04X}"),
        };
    }
    escaped
}

/// Undoes [`escape`]; a percent sign that begins no code stands for itself.
fn unescape(text: &str) -> String {
    let mut units = vec![];
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let code = |from: usize, to: usize| {
            let digits =
                rest.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            Some((u16::from_str_radix(digits, 16).ok()?, to))
        };
        let plain = (u32::from(letter) as u16, letter.len_utf8());
        let (unit, length) = match letter {
            '%' if rest[1..].starts_with('u') => code(2, 6).unwrap_or(plain),
            '%' => code(1, 3).unwrap_or(plain),
            _ => plain,
        };
        units.push(unit);
        rest = &rest[length..];
    }
    String::from_utf16_lossy(&units)
}
