//! Tuple values as bytes. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `BELLTUPL` |
//! | 4 | version of the format, 1 |
//! | 4 | length of the header |
//! | ... | header: JSON with `game`, `windows`, `discount`, `mirrored`, with units also `units` and `holes`, and notes (`name`, `made`, `measured`) |
//! | ... | numbers: for every 64, which are not 0 (8), then those (4 each) |
//! | 8 | XXH3-64 checksum of all bytes before |

use std::fmt::Write;

use bellmino_engine::{Game, PlacementGame};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::value::TupleValue;
use super::window::Window;

const MAGIC: &[u8; 8] = b"BELLTUPL";
const VERSION: u32 = 1;

/// The notes of a file.
const NOTES: [&str; 3] = ["name", "made", "measured"];

/// Why bytes are no tuple value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TupleError {
    /// Something else.
    #[error("is no file of tuples; `bellmino train tuples` makes one")]
    Foreign,
    /// Another version.
    #[error("has tuples of format {0}; this version of Bellmino reads format {VERSION}")]
    Version(u32),
    /// The checksum does not agree.
    #[error("is damaged: it was cut off or changed, and its checksum does not agree")]
    Checksum,
    /// The header cannot be understood.
    #[error("has a header that cannot be understood: {0}")]
    Header(String),
    /// Another number of numbers than its windows have.
    #[error("does not hold the numbers of its windows")]
    Numbers,
}

impl TupleValue {
    /// The value as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut header = self.notes.clone();
        header.insert("game".to_owned(), json!(self.game.to_toml()));
        header.insert("windows".to_owned(), json!(self.windows));
        header.insert("discount".to_owned(), json!(self.discount));
        header.insert("mirrored".to_owned(), json!(self.game.is_symmetric()));
        if let Some(layer) = self.layer {
            header.insert("units".to_owned(), json!(layer.units));
            header.insert("holes".to_owned(), json!(self.holes));
        }
        let header = Value::Object(header).to_string();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header.as_bytes());
        pack(&self.numbers, &mut bytes);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a file.
    pub fn read_bytes(bytes: &[u8]) -> Result<TupleValue, TupleError> {
        if bytes.get(..8) != Some(MAGIC) {
            return Err(TupleError::Foreign);
        }
        let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let version = word(8).ok_or(TupleError::Checksum)?;
        if version != VERSION {
            return Err(TupleError::Version(version));
        }
        let (content, sum) = bytes.split_last_chunk::<8>().ok_or(TupleError::Checksum)?;
        if xxh3_64(content).to_le_bytes() != *sum {
            return Err(TupleError::Checksum);
        }
        let end = 16usize.saturating_add(word(12).ok_or(TupleError::Checksum)? as usize);
        let bad = |why: &str| TupleError::Header(why.to_owned());
        let header = content.get(16..end).ok_or_else(|| bad("its length"))?;
        let header: Map<String, Value> =
            serde_json::from_slice(header).map_err(|error| bad(&error.to_string()))?;
        let game = read_game(header.get("game")).ok_or_else(|| bad("game"))?;
        let windows = header.get("windows").cloned().unwrap_or_default();
        let windows: Vec<Window> =
            serde_json::from_value(windows).map_err(|error| bad(&format!("windows: {error}")))?;
        let discount = header.get("discount").and_then(Value::as_f64);
        let discount =
            discount.filter(|discount| (0.0..=1.0).contains(discount)).ok_or_else(|| bad("discount"))?;
        if header.get("mirrored") != Some(&json!(game.is_symmetric())) {
            return Err(bad("mirrored"));
        }
        let mut value = match header.get("units") {
            None => TupleValue::new(&game, &windows, discount as f32),
            Some(units) => {
                let units = units.as_u64().and_then(|units| usize::try_from(units).ok());
                let holes = header.get("holes").and_then(Value::as_f64).filter(|holes| *holes >= 0.0);
                let (Some(units), Some(holes), true) = (units, holes, windows.is_empty()) else {
                    return Err(bad("units"));
                };
                TupleValue::of_units(&game, units, discount as f32, holes as f32)
            }
        }
        .map_err(|error| bad(&format!("windows: {error}")))?;
        value.numbers = unpack(&content[end..], value.numbers.len()).ok_or(TupleError::Numbers)?;
        if value.numbers.iter().any(|number| !number.is_finite()) {
            return Err(TupleError::Numbers);
        }
        value.notes = header.into_iter().filter(|(key, _)| NOTES.contains(&key.as_str())).collect();
        Ok(value)
    }
}

fn read_game(text: Option<&Value>) -> Option<PlacementGame> {
    Game::read("tuples", text?.as_str()?, &[]).ok()?.placement().cloned()
}

/// Numbers of which most are 0, as text in checkpoints: how many, then the bytes of [`pack`] as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Sparse(pub(super) Vec<f32>);

impl From<Sparse> for String {
    fn from(Sparse(numbers): Sparse) -> String {
        let mut bytes = Vec::new();
        pack(&numbers, &mut bytes);
        let mut text = format!("{}:", numbers.len());
        text.reserve(2 * bytes.len());
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl TryFrom<String> for Sparse {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Sparse, &'static str> {
        let read = || {
            let (count, digits) = text.split_once(':')?;
            let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            let bytes: Vec<u8> = digits.as_bytes().chunks(2).map(pair).collect::<Option<_>>()?;
            Some(Sparse(unpack(&bytes, count.parse().ok()?)?))
        };
        read().ok_or("these are no packed numbers")
    }
}

/// Numbers in blocks of 64: which are not 0, then those.
fn pack(numbers: &[f32], bytes: &mut Vec<u8>) {
    for block in numbers.chunks(64) {
        let is_set = |number: &&f32| number.to_bits() != 0;
        let mask = block.iter().rev().fold(0u64, |mask, number| mask << 1 | u64::from(is_set(&number)));
        bytes.extend(mask.to_le_bytes());
        block.iter().filter(is_set).for_each(|number| bytes.extend(number.to_le_bytes()));
    }
}

/// So many numbers from all of these bytes.
fn unpack(mut bytes: &[u8], count: usize) -> Option<Vec<f32>> {
    // Each block has a mask: what is not there need not be made room for.
    if count.div_ceil(64) > bytes.len() / 8 {
        return None;
    }
    let mut numbers = vec![0.0; count];
    for block in numbers.chunks_mut(64) {
        let (mask, rest) = bytes.split_first_chunk::<8>()?;
        let (mut mask, mut rest) = (u64::from_le_bytes(*mask), rest);
        while mask != 0 {
            let number = block.get_mut(mask.trailing_zeros() as usize)?;
            let (four, after) = rest.split_first_chunk::<4>()?;
            *number = f32::from_le_bytes(*four);
            rest = after;
            mask &= mask - 1;
        }
        bytes = rest;
    }
    bytes.is_empty().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for numbers in [vec![], vec![0.0; 64], vec![1.5, 0.0, -2.25], {
            let mut many = vec![0.0; 1000];
            many.iter_mut().step_by(37).for_each(|number| *number = 0.1);
            many
        }] {
            let text = String::from(Sparse(numbers.clone()));
            assert_eq!(Sparse::try_from(text.clone()).unwrap().0, numbers);
            assert!(Sparse::try_from(text + "00").is_err());
        }
        for text in ["", "3", "3:", "99999999999999:00", "1:01000000000000000000", "1:0g", "1:é"] {
            assert!(Sparse::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn bad_files_are_refused() {
        let game = Game::built_in("baby", &[]).unwrap().unwrap().placement().unwrap().clone();
        let windows = Window::default_for(&game);
        let mut value = TupleValue::new(&game, &windows, 0.5).unwrap().with_note("name", json!("mine"));
        value.numbers.iter_mut().step_by(3).for_each(|number| *number = 0.25);
        let bytes = value.to_bytes();
        assert_eq!(TupleValue::read_bytes(&bytes).unwrap(), value);
        let read = |bytes: &[u8]| TupleValue::read_bytes(bytes).unwrap_err();
        assert_eq!(read(b"weights"), TupleError::Foreign);
        assert_eq!(read(&bytes[..8]), TupleError::Checksum);
        assert_eq!(read(&bytes[..bytes.len() - 1]), TupleError::Checksum);
        let mut other = bytes.clone();
        other[8] = 9;
        assert_eq!(read(&other), TupleError::Version(9));
        for at in (16..bytes.len()).step_by(97) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(read(&damaged), TupleError::Checksum, "{at}");
        }
        // Sealed again, so that only the content is wrong.
        let sealed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = bytes[..bytes.len() - 8].to_vec();
            change(&mut bytes);
            bytes.extend(xxh3_64(&bytes).to_le_bytes());
            TupleValue::read_bytes(&bytes).unwrap_err()
        };
        assert_eq!(sealed(&|bytes| bytes.truncate(bytes.len() - 4)), TupleError::Numbers);
        assert_eq!(sealed(&|bytes| bytes.extend([0; 4])), TupleError::Numbers);
        let nan = |bytes: &mut Vec<u8>| {
            let end = bytes.len();
            bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        };
        assert_eq!(sealed(&nan), TupleError::Numbers);
        assert!(matches!(sealed(&|bytes| bytes[12..16].fill(255)), TupleError::Header(_)));
        assert!(matches!(sealed(&|bytes| bytes[20] = b'"'), TupleError::Header(_)));
    }
}
