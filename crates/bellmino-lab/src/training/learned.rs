//! What training has learned, and its file.

use bellmino_learn::{Controller, TupleValue};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::checksum::{sealed_lines, sealed_object};

/// What training has learned.
#[derive(Clone, Debug, PartialEq)]
pub enum Learned {
    /// A linear controller.
    Controller(Box<Controller>),
    /// A value over windows of the board.
    Tuples(Box<TupleValue>),
    /// Weights of the look-ahead bot, as their file.
    Bot(String),
}

impl Learned {
    /// The bytes of its file, with a checksum.
    pub fn file(&self) -> Vec<u8> {
        match self {
            Learned::Controller(controller) => sealed_object(&controller.to_json()).into_bytes(),
            Learned::Tuples(value) => value.to_bytes(),
            Learned::Bot(text) => sealed_lines(text).into_bytes(),
        }
    }

    /// The file as JSON; of tuples, which are too many, what identifies them.
    pub fn to_value(&self) -> Value {
        match self {
            Learned::Controller(controller) => {
                serde_json::from_str(&controller.to_json()).unwrap_or_default()
            }
            Learned::Tuples(value) => {
                let (numbers, learned) = value.numbers();
                let file = self.file();
                json!({
                    "windows": value.windows(),
                    "units": value.units(),
                    "numbers": numbers,
                    "learned": learned,
                    "bytes": file.len(),
                    "checksum": format!("{:016x}", xxh3_64(&file)),
                })
            }
            Learned::Bot(text) => json!(text),
        }
    }

    /// The same with a note in its file, where that has notes.
    pub(super) fn with_note(self, key: &str, note: Value) -> Learned {
        match self {
            Learned::Controller(controller) => Learned::Controller(Box::new(controller.with_note(key, note))),
            Learned::Tuples(value) => Learned::Tuples(Box::new(value.with_note(key, note))),
            bot @ Learned::Bot(_) => bot,
        }
    }
}
