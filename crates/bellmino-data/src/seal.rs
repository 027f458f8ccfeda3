//! A checksum over a whole Parquet file, kept in the file's own footer.
//!
//! Parquet has checksums of single pages only, which the library verifies but does not write, and none of the footer, which
//! says where every page is. The checksum stands in the key-value metadata of the footer as `bellmino.xxh3`: the XXH3-64 of
//! all bytes of the file, in which these sixteen digits themselves count as zeros. Other programs skip it.

use std::io::{self, Read, Write};

use parquet::file::metadata::KeyValue;
use parquet::file::reader::ChunkReader;
use xxhash_rust::xxh3::Xxh3Default;

use crate::reader::ReadError;

/// The key of the checksum.
const KEY: &str = "bellmino.xxh3";

/// What the digits are while the sum is taken.
const NO_DIGITS: [u8; 16] = *b"0000000000000000";

/// Between the end of the key and the first digit the footer has a field's head and the length of its text.
const GAP: usize = 2;

/// The checksum is this close to the end of the file: after it come who made the file and a few bytes for each column.
const TAIL: u64 = 1 << 13;

/// The entry of the footer, before the sum is known.
pub fn entry() -> KeyValue {
    KeyValue::new(KEY.to_owned(), String::from_utf8_lossy(&NO_DIGITS).into_owned())
}

/// A file that is summed up while it is written. From [`hold`](Sealing::hold) on, which is before the footer, bytes are kept back
/// until [`finish`](Sealing::finish) knows the sum.
pub struct Sealing<W> {
    out: W,
    sum: Xxh3Default,
    held: Option<Vec<u8>>,
}

impl<W: Write> Sealing<W> {
    pub fn new(out: W) -> Sealing<W> {
        Sealing { out, sum: Xxh3Default::new(), held: None }
    }

    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Writes the rest with the sum in its place.
    pub fn finish(mut self) -> io::Result<W> {
        let mut held = self.held.unwrap_or_default();
        let Some(place) = place_of_digits(&held).filter(|&place| held[place..].starts_with(&NO_DIGITS))
        else {
            return Err(io::Error::other("the footer has no place for the checksum"));
        };
        held[place..place + NO_DIGITS.len()].copy_from_slice(&digits(&self.sum));
        self.out.write_all(&held)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.held {
            Some(held) => held.write(bytes)?,
            None => self.out.write(bytes)?,
        };
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether a file is as it was written. One without a checksum, as other programs write them, is.
pub fn verify<R: ChunkReader>(file: &R) -> Result<(), ReadError> {
    let length = file.len();
    let tail = length.saturating_sub(TAIL);
    let bytes = file.get_bytes(tail, (length - tail) as usize)?;
    let Some(place) = place_of_digits(&bytes) else { return Ok(()) };
    let Some(found) = bytes.get(place..place + NO_DIGITS.len()) else { return Err(ReadError::Damaged) };
    let digits_at = tail + place as u64;
    let mut sum = Xxh3Default::new();
    let mut all = file.get_read(0)?;
    take(&mut all, digits_at, &mut sum)?;
    io::copy(&mut (&mut all).take(NO_DIGITS.len() as u64), &mut io::sink())?;
    sum.update(&NO_DIGITS);
    take(&mut all, u64::MAX, &mut sum)?;
    if digits(&sum) == *found { Ok(()) } else { Err(ReadError::Damaged) }
}

/// Adds so many bytes to a sum, or all there are.
fn take(from: &mut impl Read, count: u64, sum: &mut Xxh3Default) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    let mut from = from.take(count);
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            read => sum.update(&buffer[..read]),
        }
    }
}

/// Where the digits begin, counted from the beginning of these bytes.
fn place_of_digits(bytes: &[u8]) -> Option<usize> {
    let key = KEY.as_bytes();
    let at = bytes.windows(key.len()).rposition(|window| window == key)?;
    Some(at + key.len() + GAP)
}

fn digits(sum: &Xxh3Default) -> [u8; 16] {
    let mut digits = NO_DIGITS;
    let text = format!("{:016x}", sum.digest());
    digits.copy_from_slice(text.as_bytes());
    digits
}
