//! Keys of a whole game as text: plain letters, hexadecimal and base2048, as the original page of HATETRIS reads and writes them.

use thiserror::Error;

use super::keys::Stroke;

/// How keys are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplayText {
    /// A letter a key: `L`, `R`, `D`, `U`.
    Raw,
    /// A hexadecimal digit for two keys, in groups of four. An odd key is followed by a left that was not there.
    Hex,
    /// Runs of keys in half bytes, 11 bits a letter.
    Base2048,
}

/// Why a text is no keys.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayTextError {
    /// A letter that is in none of the three alphabets, or not where it stands.
    #[error(
        "{letter:?} (letter {place}) is neither a key (L, R, D, U) nor a digit of a replay in hexadecimal or base2048"
    )]
    Letter {
        /// The letter.
        letter: char,
        /// Its place, from 1.
        place: usize,
    },
    /// The bits that fill up the last letter are not what they should be: the text is not whole.
    #[error("the text ends in the middle; a replay was copied in part")]
    Cut,
    /// Nothing at all.
    #[error("the text is empty; give the keys of a game as L, R, D and U, in hexadecimal or in base2048")]
    Empty,
}

impl ReplayText {
    /// Every way of writing with its name.
    pub const NAMES: [(&'static str, ReplayText); 3] =
        [("raw", ReplayText::Raw), ("hex", ReplayText::Hex), ("base2048", ReplayText::Base2048)];

    /// Reads any of the three; spaces and line breaks count for nothing. A text of `D` alone could be two of them: it is taken
    /// as plain letters.
    pub fn read(text: &str) -> Result<Vec<Stroke>, ReplayTextError> {
        let letters: Vec<(usize, char)> =
            text.chars().enumerate().filter(|(_, letter)| !letter.is_whitespace()).collect();
        if letters.is_empty() {
            return Err(ReplayTextError::Empty);
        }
        let read = |of: &dyn Fn(char) -> Option<u16>| {
            let wrong = |place: usize, letter| ReplayTextError::Letter { letter, place: place + 1 };
            let one = |&(place, letter): &(usize, char)| of(letter).ok_or(wrong(place, letter));
            letters.iter().map(one).collect::<Result<Vec<u16>, _>>()
        };
        if let Ok(raw) = read(&|letter| "LRDU".find(letter).map(|number| number as u16)) {
            return Ok(raw.into_iter().map(|number| Stroke::ALL[usize::from(number)]).collect());
        }
        if let Ok(digits) = read(&|letter| letter.to_digit(16).map(|digit| digit as u16)) {
            let pair = |digit: u16| [digit >> 2, digit & 3].map(|number| Stroke::ALL[usize::from(number)]);
            return Ok(digits.into_iter().flat_map(pair).collect());
        }
        unpacked(&read(&|letter| value_of(letter).or(tail_of(letter)))?, &letters)
    }

    /// Writes keys.
    pub fn write(self, strokes: &[Stroke]) -> String {
        let number = |stroke: &Stroke| *stroke as u8;
        match self {
            ReplayText::Raw => {
                strokes.iter().map(|stroke| b"LRDU"[usize::from(number(stroke))] as char).collect()
            }
            ReplayText::Hex => {
                let mut text = String::new();
                for (index, pair) in strokes.chunks(2).enumerate() {
                    if index > 0 && index % 4 == 0 {
                        text.push(' ');
                    }
                    let digit = number(&pair[0]) << 2 | pair.get(1).map_or(0, number);
                    text.extend(
                        char::from_digit(u32::from(digit), 16).map(|digit| digit.to_ascii_uppercase()),
                    );
                }
                text
            }
            ReplayText::Base2048 => packed(strokes),
        }
    }
}

const BITS: usize = 11;

/// Runs of up to four equal keys, each a half byte: two bits of key and two of length; then letters of 11 bits.
fn packed(strokes: &[Stroke]) -> String {
    let mut halves: Vec<u8> = Vec::new();
    for run in strokes.chunk_by(|one, other| one == other) {
        halves.extend(run.chunks(4).map(|part| (part[0] as u8) << 2 | (part.len() - 1) as u8));
    }
    if halves.len() % 2 == 1 {
        halves.push(0);
    }
    let bits: Vec<bool> =
        halves.iter().flat_map(|half| (0..4).rev().map(move |bit| half >> bit & 1 == 1)).collect();
    let letter = |bits: &[bool]| {
        let length = if bits.len() <= 3 { 3 } else { BITS };
        let filled = bits.iter().copied().chain(std::iter::repeat(true)).take(length);
        let value = filled.fold(0u16, |value, bit| value << 1 | u16::from(bit));
        if length == 3 { char::from(b'0' + value as u8) } else { letter_of(value) }
    };
    bits.chunks(BITS).map(letter).collect()
}

fn unpacked(values: &[u16], letters: &[(usize, char)]) -> Result<Vec<Stroke>, ReplayTextError> {
    let mut bits = Vec::with_capacity(values.len() * BITS);
    for (index, (&value, &(place, letter))) in values.iter().zip(letters).enumerate() {
        let is_tail = tail_of(letter).is_some();
        if is_tail && index + 1 < values.len() {
            return Err(ReplayTextError::Letter { letter, place: place + 1 });
        }
        let length = if is_tail { 3 } else { BITS };
        bits.extend((0..length).rev().map(|bit| value >> bit & 1 == 1));
    }
    let (bytes, rest) = bits.split_at(bits.len() / 8 * 8);
    if rest.contains(&false) {
        return Err(ReplayTextError::Cut);
    }
    let half = |bits: &[bool]| bits.iter().fold(0usize, |half, bit| half << 1 | usize::from(*bit));
    let run = |bits: &[bool]| std::iter::repeat_n(Stroke::ALL[half(bits) >> 2], (half(bits) & 3) + 1);
    Ok(bytes.chunks(4).flat_map(run).collect())
}

/// The letter of a number of 11 bits.
fn letter_of(value: u16) -> char {
    let mut left = value;
    for pair in ALPHABET {
        let length = pair[1] - pair[0] + 1;
        if left < length {
            return char::from_u32(u32::from(pair[0] + left)).unwrap_or_default();
        }
        left -= length;
    }
    char::default()
}

fn value_of(letter: char) -> Option<u16> {
    let point = u16::try_from(u32::from(letter)).ok()?;
    let mut before = 0;
    for pair in ALPHABET {
        if (pair[0]..=pair[1]).contains(&point) {
            return Some(before + point - pair[0]);
        }
        before += pair[1] - pair[0] + 1;
    }
    None
}

/// The last letter may stand for three bits.
fn tail_of(letter: char) -> Option<u16> {
    letter.to_digit(8).map(|digit| digit as u16)
}

/// The 2,048 letters of base2048 in order, as first and last of each run of code points.
#[rustfmt::skip]
const ALPHABET: [[u16; 2]; 221] = [
    [0x38, 0x39], [0x41, 0x5a], [0x61, 0x7a], [0xc6, 0xc6], [0xd0, 0xd0], [0xd8, 0xd8], [0xde, 0xdf], [0xe6, 0xe6],
    [0xf0, 0xf0], [0xf8, 0xf8], [0xfe, 0xfe], [0x110, 0x111], [0x126, 0x127], [0x131, 0x131], [0x138, 0x138],
    [0x141, 0x142], [0x14a, 0x14b], [0x152, 0x153], [0x166, 0x167], [0x180, 0x19f], [0x1a2, 0x1ae], [0x1b1, 0x1c3],
    [0x1dd, 0x1dd], [0x1e4, 0x1e5], [0x1f6, 0x1f7], [0x21c, 0x21d], [0x220, 0x225], [0x234, 0x2af], [0x370, 0x373],
    [0x376, 0x377], [0x37b, 0x37d], [0x37f, 0x37f], [0x391, 0x3a1], [0x3a3, 0x3a9], [0x3b1, 0x3c9], [0x3cf, 0x3cf],
    [0x3d7, 0x3ef], [0x3f3, 0x3f3], [0x3f7, 0x3f8], [0x3fa, 0x3ff], [0x402, 0x402], [0x404, 0x406], [0x408, 0x40b],
    [0x40f, 0x418], [0x41a, 0x438], [0x43a, 0x44f], [0x452, 0x452], [0x454, 0x456], [0x458, 0x45b], [0x45f, 0x475],
    [0x478, 0x481], [0x48a, 0x4c0], [0x4c3, 0x4cf], [0x4d4, 0x4d5], [0x4d8, 0x4d9], [0x4e0, 0x4e1], [0x4e8, 0x4e9],
    [0x4f6, 0x4f7], [0x4fa, 0x52f], [0x531, 0x556], [0x561, 0x586], [0x5d0, 0x5ea], [0x5f0, 0x5f2], [0x620, 0x621],
    [0x627, 0x63f], [0x641, 0x64a], [0x660, 0x669], [0x66e, 0x66f], [0x671, 0x674], [0x679, 0x6bf], [0x6c1, 0x6c1],
    [0x6c3, 0x6d2], [0x6d5, 0x6d5], [0x6ee, 0x6fc], [0x6ff, 0x6ff], [0x710, 0x710], [0x712, 0x72f], [0x74d, 0x7a5],
    [0x7b1, 0x7b1], [0x7c0, 0x7ea], [0x800, 0x815], [0x840, 0x858], [0x860, 0x86a], [0x8a0, 0x8b4], [0x8b6, 0x8bd],
    [0x904, 0x928], [0x92a, 0x930], [0x932, 0x933], [0x935, 0x939], [0x93d, 0x93d], [0x950, 0x950], [0x960, 0x961],
    [0x966, 0x96f], [0x972, 0x980], [0x985, 0x98c], [0x98f, 0x990], [0x993, 0x9a8], [0x9aa, 0x9b0], [0x9b2, 0x9b2],
    [0x9b6, 0x9b9], [0x9bd, 0x9bd], [0x9ce, 0x9ce], [0x9e0, 0x9e1], [0x9e6, 0x9f1], [0x9f4, 0x9f9], [0x9fc, 0x9fc],
    [0xa05, 0xa0a], [0xa0f, 0xa10], [0xa13, 0xa28], [0xa2a, 0xa30], [0xa32, 0xa32], [0xa35, 0xa35], [0xa38, 0xa39],
    [0xa5c, 0xa5c], [0xa66, 0xa6f], [0xa72, 0xa74], [0xa85, 0xa8d], [0xa8f, 0xa91], [0xa93, 0xaa8], [0xaaa, 0xab0],
    [0xab2, 0xab3], [0xab5, 0xab9], [0xabd, 0xabd], [0xad0, 0xad0], [0xae0, 0xae1], [0xae6, 0xaef], [0xaf9, 0xaf9],
    [0xb05, 0xb0c], [0xb0f, 0xb10], [0xb13, 0xb28], [0xb2a, 0xb30], [0xb32, 0xb33], [0xb35, 0xb39], [0xb3d, 0xb3d],
    [0xb5f, 0xb61], [0xb66, 0xb6f], [0xb71, 0xb77], [0xb83, 0xb83], [0xb85, 0xb8a], [0xb8e, 0xb90], [0xb92, 0xb93],
    [0xb95, 0xb95], [0xb99, 0xb9a], [0xb9c, 0xb9c], [0xb9e, 0xb9f], [0xba3, 0xba4], [0xba8, 0xbaa], [0xbae, 0xbb9],
    [0xbd0, 0xbd0], [0xbe6, 0xbf2], [0xc05, 0xc0c], [0xc0e, 0xc10], [0xc12, 0xc28], [0xc2a, 0xc39], [0xc3d, 0xc3d],
    [0xc58, 0xc5a], [0xc60, 0xc61], [0xc66, 0xc6f], [0xc78, 0xc7e], [0xc80, 0xc80], [0xc85, 0xc8c], [0xc8e, 0xc90],
    [0xc92, 0xca8], [0xcaa, 0xcb3], [0xcb5, 0xcb9], [0xcbd, 0xcbd], [0xcde, 0xcde], [0xce0, 0xce1], [0xce6, 0xcef],
    [0xcf1, 0xcf2], [0xd05, 0xd0c], [0xd0e, 0xd10], [0xd12, 0xd3a], [0xd3d, 0xd3d], [0xd4e, 0xd4e], [0xd54, 0xd56],
    [0xd58, 0xd61], [0xd66, 0xd78], [0xd7a, 0xd7f], [0xd85, 0xd96], [0xd9a, 0xdb1], [0xdb3, 0xdbb], [0xdbd, 0xdbd],
    [0xdc0, 0xdc6], [0xde6, 0xdef], [0xe01, 0xe30], [0xe32, 0xe32], [0xe40, 0xe45], [0xe50, 0xe59], [0xe81, 0xe82],
    [0xe84, 0xe84], [0xe87, 0xe88], [0xe8a, 0xe8a], [0xe8d, 0xe8d], [0xe94, 0xe97], [0xe99, 0xe9f], [0xea1, 0xea3],
    [0xea5, 0xea5], [0xea7, 0xea7], [0xeaa, 0xeab], [0xead, 0xeb0], [0xeb2, 0xeb2], [0xebd, 0xebd], [0xec0, 0xec4],
    [0xed0, 0xed9], [0xede, 0xedf], [0xf00, 0xf00], [0xf20, 0xf33], [0xf40, 0xf42], [0xf44, 0xf47], [0xf49, 0xf4c],
    [0xf4e, 0xf51], [0xf53, 0xf56], [0xf58, 0xf5b], [0xf5d, 0xf68], [0xf6a, 0xf6c], [0xf88, 0xf8c], [0x1000, 0x1025],
    [0x1027, 0x102a], [0x103f, 0x1049], [0x1050, 0x1055],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, below, stream};

    #[test]
    fn there_are_as_many_letters_as_numbers() {
        let letters: Vec<char> = (0..2048).map(letter_of).collect();
        assert!(letters.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(letters.iter().enumerate().all(|(value, letter)| value_of(*letter) == Some(value as u16)));
        assert_eq!((letter_of(0), letter_of(2047)), ('8', '\u{1055}'));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut chance = stream(3, Purpose::Player, 0);
        for length in 1..300 {
            let mut strokes: Vec<Stroke> = Vec::new();
            while strokes.len() < length {
                let run = 1 + below(&mut chance, 9);
                strokes.extend(std::iter::repeat_n(Stroke::ALL[below(&mut chance, 4)], run));
            }
            for (name, text) in ReplayText::NAMES {
                let read = ReplayText::read(&text.write(&strokes)).unwrap();
                // What fills up the last digit is a key to the left.
                assert_eq!(read[..strokes.len()], strokes, "{name}");
                assert!(read[strokes.len()..].iter().all(|stroke| *stroke == Stroke::Left), "{name}");
                assert!(read.len() <= strokes.len() + usize::from(text != ReplayText::Raw), "{name}");
            }
        }
    }

    #[test]
    fn what_is_no_replay_is_refused() {
        assert_eq!(ReplayText::read(" \n"), Err(ReplayTextError::Empty));
        assert_eq!(ReplayText::read("G"), Err(ReplayTextError::Cut));
        assert_eq!(ReplayText::read("LR?"), Err(ReplayTextError::Letter { letter: '?', place: 3 }));
        assert_eq!(ReplayText::read("L7R"), Err(ReplayTextError::Letter { letter: '7', place: 2 }));
    }
}
